"""Somebody's own implementation, in NumPy and SciPy, against the truth; and the known distances between functions."""

import unittest

import grpc
import numpy
from activation.v1 import activation_pb2 as pb
from activation.v1 import activation_pb2_grpc
from scipy.special import erf

import running_server

MIB = 1 << 20


def tensor(values):
    return pb.Tensor(data_type=pb.DATA_TYPE_FLOAT32, data=values.astype(numpy.float32).tobytes())


def every_float32(low, high):
    """All float32 from low up to high, both negative."""
    bits = numpy.arange(numpy.float32(high).view(numpy.uint32),
                        numpy.float32(low).view(numpy.uint32) + 1, dtype=numpy.uint32)
    return bits[::-1].view(numpy.float32)


def naive_gelu(x):
    """As it is written everywhere, in float32 throughout."""
    half, one = numpy.float32(0.5), numpy.float32(1)
    return half * x * (one + erf(x / numpy.sqrt(numpy.float32(2))))


class Comparisons(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        server = cls.enterClassContext(running_server.serving())
        channel = grpc.insecure_channel(server.address, options=[
            ("grpc.max_send_message_length", 64 * MIB)])
        cls.addClassCleanup(channel.close)
        cls.stub = activation_pb2_grpc.ActivationServiceStub(channel)

    def compare(self, reference, **options):
        return self.stub.CompareApproximations(pb.CompareApproximationsRequest(
            reference=pb.Activation(name=reference), **options)).reports

    def gap(self, reference, candidate, low=-10, high=10):
        return self.compare(reference, candidates=[pb.Activation(name=candidate)],
                            grid=pb.Grid(**{"from": low, "to": high, "points": 2_000_001}))[0]


class OwnOutputs(Comparisons):

    def test_erf_in_float32_loses_gelus_whole_tail(self):
        low, high = -6, -5
        x = every_float32(low, high)
        y = naive_gelu(x)
        self.assertEqual(y.dtype, numpy.float32)
        report, = self.compare("gelu", data_type=pb.DATA_TYPE_FLOAT32,
                               every_value=pb.EveryValue(**{"from": low, "to": high}),
                               approximations=[pb.Approximation(label="numpy", outputs=tensor(y))])
        self.assertEqual(report.label, "numpy")
        self.assertEqual(report.points, len(x))
        lost = report.flushed_to_zero
        self.assertEqual(lost.count, numpy.count_nonzero(y == 0))
        self.assertEqual(lost.lowest_x, -6)
        self.assertEqual(lost.highest_x, x[y == 0].max())
        self.assertAlmostEqual(lost.highest_x, -5.54, delta=0.01)
        # 0 in place of a normal number with 24 significant bits.
        self.assertGreater(lost.max_ulp_error.error, 2.0**23)
        self.assertLess(lost.max_ulp_error.error, 2.0**24)
        self.assertEqual(lost.max_ulp_error.candidate, 0)

    def test_the_same_as_a_formula_in_float32(self):
        report, = self.compare("gelu", data_type=pb.DATA_TYPE_FLOAT32,
                               every_value=pb.EveryValue(**{"from": -6, "to": -5}),
                               approximations=[pb.Approximation(formula=pb.Formula(
                                   expression="0.5*x*(1+erf(x/sqrt(2)))"))])
        self.assertAlmostEqual(report.flushed_to_zero.highest_x, -5.54, delta=0.01)
        self.assertEqual(report.flushed_to_zero.lowest_x, -6)

    def test_float16_through_float32_is_rounded_twice(self):
        for name, misses in (("gelu", 3), ("gelu_tanh", 5), ("sigmoid", 7)):
            bits = numpy.arange(1 << 16, dtype=numpy.uint16)
            x = bits.view(numpy.float16)
            # The points' order: from the largest negative bits down to -0, then up from +0.
            x = numpy.concatenate([x[:0x7fff:-1], x[:0x8000]])
            reply = self.stub.Evaluate(pb.EvaluateRequest(evaluations=[pb.Evaluation(
                activation=pb.Activation(name=name), input=tensor(x))]))
            y = numpy.frombuffer(reply.results[0].output.data, numpy.float32).astype(numpy.float16)
            report, = self.compare(name, data_type=pb.DATA_TYPE_FLOAT16, every_value=pb.EveryValue(),
                                   approximations=[pb.Approximation(outputs=pb.Tensor(
                                       data_type=pb.DATA_TYPE_FLOAT16, data=y.tobytes()))])
            self.assertEqual(report.points - report.correctly_rounded, misses, name)


class Landmarks(Comparisons):

    def test_largest_gaps(self):
        for reference, candidate, error, places in (
                ("gelu", "gelu_tanh", 4.73236e-4, (2.69894, -2.69894)),
                ("gelu", "gelu_sigmoid", 2.0335e-2, (-2.2704,)),
                ("gelu", "relu", 0.16997, (0.75179, -0.75179)),
                ("silu", "hard_swish", 0.142278, (3, -3)),
                ("softplus", "relu", 0.693147, (0,))):
            worst = self.gap(reference, candidate).max_absolute_error
            digits = len(f"{error:.9g}".split("e")[0].replace(".", "").strip("0"))
            self.assertEqual(f"{worst.error:.{digits}g}", f"{error:.{digits}g}", candidate)
            self.assertAlmostEqual(abs(worst.x), abs(places[0]), delta=6e-6 if places[0] else 0)
            if len(places) > 1:
                self.assertEqual(worst.mirror.x, -worst.x, candidate)

    def test_smallest_inputs_with_a_nonzero_result(self):
        for name, lowest in (("gelu", -14.3560677), ("gelu_tanh", -10.7708673),
                             ("silu", -108.6603012), ("softplus", -103.9720764)):
            report, = self.compare(name, data_type=pb.DATA_TYPE_FLOAT32,
                                   every_value=pb.EveryValue(**{"from": -120, "to": -8}),
                                   approximations=[pb.Approximation(formula=pb.Formula(
                                       expression="0*x"))])
            self.assertEqual(f"{report.flushed_to_zero.lowest_x:.9g}", f"{lowest:.9g}", name)


if __name__ == "__main__":
    unittest.main()
