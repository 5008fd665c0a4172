"""A Python program's view of the server: every unary RPC through Debian's grpcio and generated stubs."""

import struct
import unittest

import grpc
import numpy
from activation.v1 import activation_pb2 as pb
from activation.v1 import activation_pb2_grpc

import running_server


class PythonClient(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        server = cls.enterClassContext(running_server.serving())
        channel = grpc.insecure_channel(server.address)
        cls.addClassCleanup(channel.close)
        cls.stub = activation_pb2_grpc.ActivationServiceStub(channel)

    def test_evaluate_returns_the_correctly_rounded_bits(self):
        x = numpy.array([-5.5, -6, -13, -14.2, -numpy.inf, 2.0**-149], numpy.float32)
        reply = self.stub.Evaluate(pb.EvaluateRequest(evaluations=[pb.Evaluation(
            activation=pb.Activation(name="gelu"),
            input=pb.Tensor(data_type=pb.DATA_TYPE_FLOAT32, shape=[2, 3], data=x.tobytes()))]))
        output = reply.results[0].output
        self.assertEqual(list(output.shape), [2, 3])
        bits = struct.unpack("<6I", output.data)
        # gelu(x) = x erfc(-x/sqrt 2)/2, by ball arithmetic; 2^-149 lies just above a tie.
        self.assertEqual([hex(b) for b in bits], [
            "0xb3e049ec", "0xb1cb64b3", "0x81d87b8a", "0x80000005", "0x80000000", "0x1"])

    def test_typed_values_come_back_typed(self):
        reply = self.stub.Evaluate(pb.EvaluateRequest(evaluations=[
            pb.Evaluation(activation=pb.Activation(name="elu", parameters={"alpha": 2}),
                          input=pb.Tensor(float_values=[1, -0.0])),
            pb.Evaluation(activation=pb.Activation(name="swish"),
                          input=pb.Tensor(double_values=[0.5]))]))
        self.assertEqual(list(reply.results[0].output.float_values), [1, 0])
        self.assertEqual(dict(reply.results[0].activation.parameters), {"alpha": 2})
        self.assertEqual(reply.results[1].activation.name, "silu")
        self.assertAlmostEqual(reply.results[1].output.double_values[0], 0.5 / (1 + numpy.exp(-0.5)),
                               places=15)

    def test_gradient_with_upstream_value_and_parameter_gradients(self):
        reply = self.stub.Gradient(pb.GradientRequest(gradients=[pb.GradientEvaluation(
            activation=pb.Activation(name="leaky_relu", parameters={"negative_slope": 0.25}),
            input=pb.Tensor(double_values=[-2, 3, -8]), upstream=pb.Tensor(double_values=[10, 20, 1]),
            return_value=True, return_parameter_gradients=True)]))
        result = reply.results[0]
        self.assertEqual(list(result.gradient.double_values), [2.5, 20, 0.25])
        self.assertEqual(list(result.value.double_values), [-0.5, 3, -2])
        self.assertEqual(dict(result.parameter_gradients), {"negative_slope": -28})

    def test_parameters_and_bias_along_axes(self):
        random = numpy.random.default_rng(1)
        x, g = random.normal(size=(2, 5, 3, 4)), random.normal(size=(2, 5, 3, 4))
        slope, bias = random.uniform(size=5), random.normal(size=5)

        def tensor(array):
            return pb.Tensor(data_type=pb.DATA_TYPE_FLOAT64, shape=array.shape,
                             data=array.tobytes())

        reply = self.stub.Gradient(pb.GradientRequest(gradients=[pb.GradientEvaluation(
            activation=pb.Activation(name="leaky_relu", parameter_tensors={
                "negative_slope": pb.AxisTensor(values=tensor(slope))}),
            input=tensor(x), upstream=tensor(g), bias=pb.AxisTensor(values=tensor(bias), axis=1),
            return_value=True, return_parameter_gradients=True)]))
        result = reply.results[0]

        def array(message):
            return numpy.frombuffer(message.data).reshape(message.shape)

        z = x + bias[:, None, None]
        slopes = numpy.broadcast_to(slope[:, None, None], x.shape)
        derivative = numpy.where(z > 0, 1, slopes)
        numpy.testing.assert_allclose(array(result.value), numpy.where(z > 0, z, slopes * z))
        numpy.testing.assert_allclose(array(result.gradient), g * derivative)
        numpy.testing.assert_allclose(
            array(result.parameter_tensor_gradients["negative_slope"]),
            (g * numpy.where(z > 0, 0, z)).sum(axis=(0, 2, 3)))
        numpy.testing.assert_allclose(array(result.bias_gradient),
                                      (g * derivative).sum(axis=(0, 2, 3)))

    def test_row_functions(self):
        x = numpy.random.default_rng(2).normal(size=(3, 4, 5))
        for name, axis in (("softmax", 1), ("log_softmax", -1)):
            reply = self.stub.Evaluate(pb.EvaluateRequest(evaluations=[pb.Evaluation(
                activation=pb.Activation(name=name, axis=axis),
                input=pb.Tensor(data_type=pb.DATA_TYPE_FLOAT64, shape=x.shape,
                                data=x.tobytes()))]))
            result = reply.results[0]
            self.assertEqual(result.activation.axis, axis % 3)
            expected = numpy.exp(x) / numpy.exp(x).sum(axis=axis, keepdims=True)
            numpy.testing.assert_allclose(
                numpy.frombuffer(result.output.data).reshape(result.output.shape),
                expected if name == "softmax" else numpy.log(expected), rtol=1e-12)
        reply = self.stub.Evaluate(pb.EvaluateRequest(evaluations=[pb.Evaluation(
            activation=pb.Activation(name="glu", axis=1),
            input=pb.Tensor(data_type=pb.DATA_TYPE_FLOAT64, shape=x.shape, data=x.tobytes()))]))
        output = reply.results[0].output
        self.assertEqual(list(output.shape), [3, 2, 5])
        numpy.testing.assert_allclose(numpy.frombuffer(output.data).reshape(output.shape),
                                      x[:, :2] / (1 + numpy.exp(-x[:, 2:])), rtol=1e-12)

    def test_compare_finds_the_known_largest_gap(self):
        reply = self.stub.CompareApproximations(pb.CompareApproximationsRequest(
            reference=pb.Activation(name="gelu"), candidates=[pb.Activation(name="gelu_tanh")],
            grid=pb.Grid(**{"from": -10, "to": 10, "points": 200001})))
        worst = reply.reports[0].max_absolute_error
        self.assertAlmostEqual(worst.error, 4.73236e-4, places=9)
        self.assertAlmostEqual(abs(worst.x), 2.69894, places=3)

    def test_list_activations_describes_each(self):
        activations = {a.name: a for a in
                       self.stub.ListActivations(pb.ListActivationsRequest()).activations}
        self.assertIn("quick_gelu", activations["gelu_sigmoid"].aliases)
        self.assertEqual(activations["elu"].parameters[0].default_value, 1)
        self.assertTrue(all(a.formula and a.derivative for a in activations.values()))

    def test_server_info_tells_limits(self):
        info = self.stub.GetServerInfo(pb.GetServerInfoRequest())
        self.assertGreater(info.limits.max_message_bytes, 0)
        self.assertEqual(len(info.data_types), 4)

    def test_errors_name_the_field(self):
        with self.assertRaises(grpc.RpcError) as raised:
            self.stub.Evaluate(pb.EvaluateRequest(evaluations=[pb.Evaluation(
                activation=pb.Activation(name="elu", parameters={"alpha": float("nan")}),
                input=pb.Tensor(float_values=[1]))]))
        self.assertEqual(raised.exception.code(), grpc.StatusCode.INVALID_ARGUMENT)
        self.assertIn('evaluations[0].activation.parameters["alpha"]', raised.exception.details())

    def test_an_unknown_name_gets_near_ones(self):
        with self.assertRaises(grpc.RpcError) as raised:
            self.stub.Evaluate(pb.EvaluateRequest(evaluations=[pb.Evaluation(
                activation=pb.Activation(name="gelo"), input=pb.Tensor(float_values=[1]))]))
        self.assertEqual(raised.exception.code(), grpc.StatusCode.NOT_FOUND)
        self.assertIn("gelu", raised.exception.details())


if __name__ == "__main__":
    unittest.main(verbosity=2)
