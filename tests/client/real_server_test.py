"""The `activation` program and the real server together: the forms that scripts count on, and TLS.

usage: real_server_test.py ACTIVATION SERVER
"""

import json
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

ACTIVATION, SERVER = sys.argv[1:3]


def start(listen, *flags):
    """A server process that has said that it listens, and the line where it said so."""
    server = subprocess.Popen([SERVER, f"--listen={listen}", "--metrics-listen=off",
                               "--lame-duck=0s", *flags], stderr=subprocess.STDOUT,
                              stdout=subprocess.PIPE, text=True)
    for line in server.stdout:
        if line.startswith("listening on "):
            return server, line.split()[2]
    raise RuntimeError("the server ended")


def stop(server):
    server.terminate()
    server.communicate(timeout=30)


class RealServerTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        cls.server, cls.target = start("127.0.0.1:0")

    @classmethod
    def tearDownClass(cls):
        stop(cls.server)
        cls.folder.cleanup()

    def ok(self, *arguments, target=None):
        done = subprocess.run([ACTIVATION, "--target", target or self.target,
                               *map(str, arguments)], capture_output=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, b""), arguments)
        return done.stdout.decode()

    def save(self, name, array):
        np.save(self.path / name, array)
        return self.path / name

    def test_values_from_arguments_as_hex(self):
        text = self.ok("evaluate", "gelu", "--dtype", "float32", "--format", "hex",
                       "--", "-5.5", "-6", "-inf")
        self.assertEqual(text, "-0x1.c093d8p-24\n-0x1.96c966p-28\n-0x0p+0\n")

    def test_npy_to_npy(self):
        x = np.array([[1, 2, 3], [-100, -0.0, np.nan]], np.float32)
        output = self.path / "y.npy"
        form = ("evaluate", "elu", "--dtype", "float32", "--param", "alpha=2", "--input",
                self.save("x.npy", x), "--output", output)
        self.ok(*form)
        expected = np.array([[1, 2, 3], [-2, -0.0, np.nan]], np.float32)
        np.testing.assert_array_equal(np.load(output).view(np.uint32), expected.view(np.uint32))
        self.ok(*form, "--output-dtype", "bfloat16")
        np.testing.assert_array_equal(np.load(output),
                                      (expected.view(np.uint32) >> 16).astype(np.uint16))

    def test_gradient_in_chunks_with_upstream_and_parameter_gradients(self):
        random = np.random.default_rng(1)
        x, g = random.normal(size=(2, 300_001)), random.normal(size=(2, 300_001))
        output = self.path / "dx.npy"
        text = self.ok("gradient", "gelu_sigma", "--dtype", "float64", "--param", "sigma=0.5",
                       "--input", self.save("x.npy", x), "--output", output, "--upstream",
                       self.save("g.npy", g), "--parameter-gradients")
        density = np.exp(-(x / 0.5) ** 2 / 2) / math.sqrt(2 * math.pi)
        name, total = text.strip().split("=")
        self.assertEqual(name, "sigma")
        self.assertAlmostEqual(float(total), (g * -x * x / 0.25 * density).sum(), places=7)
        cumulative = np.array([math.erfc(-v / (0.5 * math.sqrt(2))) / 2 for v in x[1, :100]])
        np.testing.assert_allclose(np.load(output)[1, :100],
                                   g[1, :100] * (cumulative + (x * density)[1, :100] / 0.5),
                                   rtol=1e-12)
        self.assertEqual(np.load(output).shape, x.shape)

    def test_gradients_along_axes_in_one_message_and_in_chunks(self):
        random = np.random.default_rng(3)
        for shape, axis, bias_axis in (((6, 4), 1, -1), ((2_000, 4, 100), 1, -1),
                                       ((3, 300_000, 2), -2, 1)):
            x, g = random.normal(size=shape), random.normal(size=shape)
            slope, bias = random.uniform(size=shape[axis]), random.normal(size=shape[bias_axis])

            def spread(values, along):
                return values.reshape([-1 if i == along % len(shape) else 1
                                       for i in range(len(shape))])

            z = x + spread(bias, bias_axis)
            slopes = np.broadcast_to(spread(slope, axis), shape)
            derivative = np.where(z > 0, 1, slopes)
            files = {name: self.path / f"{name}.npy" for name in ("dx", "y", "dslope", "dbias")}
            text = self.ok(
                "gradient", "leaky_relu", "--param-tensor",
                f"negative_slope={self.save('slope.npy', slope)}", f"--param-axis={axis}",
                "--bias", self.save("bias.npy", bias), f"--bias-axis={bias_axis}", "--input",
                self.save("x.npy", x), "--upstream", self.save("g.npy", g), "--output", files["dx"],
                "--value-output", files["y"], "--param-gradient",
                f"negative_slope={files['dslope']}", "--bias-gradient", files["dbias"])
            self.assertEqual(text, "")
            np.testing.assert_allclose(np.load(files["dx"]), g * derivative)
            np.testing.assert_allclose(np.load(files["y"]), np.where(z > 0, z, slopes * z))
            others = [tuple(i for i in range(len(shape)) if i != along % len(shape))
                      for along in (axis, bias_axis)]
            np.testing.assert_allclose(np.load(files["dslope"]),
                                       (g * np.where(z > 0, 0, z)).sum(axis=others[0]), atol=1e-9)
            np.testing.assert_allclose(np.load(files["dbias"]),
                                       (g * derivative).sum(axis=others[1]), atol=1e-9)

    def test_gradients_along_axes_as_lines_and_json(self):
        x, alpha = self.save("x.npy", np.array([[-1.0, -2.0], [3.0, -4.0]])), self.path / "a.txt"
        alpha.write_text("0.5 2")
        form = ("gradient", "leaky_relu", "--param-tensor", f"negative_slope={alpha}", "--input", x,
                "--bias", self.save("b.npy", np.zeros(2)), "--parameter-gradients")
        self.assertEqual(self.ok(*form, "--output", self.path / "dx.npy"),
                         "negative_slope[0]=-1\nnegative_slope[1]=-6\nbias[0]=1.5\nbias[1]=4\n")
        result, = json.loads(self.ok(*form, "--format", "json"))["results"]
        self.assertEqual(set(result), {"activation", "gradient", "parameterTensorGradients",
                                       "biasGradient"})

    def test_rows_in_one_message_and_in_chunks(self):
        random = np.random.default_rng(4)
        output = self.path / "y.npy"
        for shape, options, axis in (((5, 6), (), -1), ((40_000, 30), (), -1),
                                     ((3, 1_000, 200), ("--axis", "1"), 1),
                                     ((3, 400_000), ("--axis=-1",), -1)):
            x = random.normal(size=shape).astype(np.float32)
            self.ok("evaluate", "softmax", *options, "--input", self.save("x.npy", x), "--output",
                    output)
            expected = np.exp(x.astype(float))
            expected /= expected.sum(axis=axis, keepdims=True)
            np.testing.assert_allclose(np.load(output), expected, rtol=1e-6)
            self.ok("evaluate", "reglu", *options, "--input", self.save("x.npy", x), "--output",
                    output)
            a, b = np.split(x, 2, axis=axis)
            np.testing.assert_array_equal(np.load(output), a * np.maximum(b, 0))
            self.ok("gradient", "reglu", *options, "--input", self.save("x.npy", x), "--upstream",
                    self.save("g.npy", b), "--output", output, "--value-output",
                    self.path / "value.npy")
            np.testing.assert_array_equal(np.load(output), np.concatenate(
                [b * np.maximum(b, 0), a * b * (b > 0)], axis=axis))
            np.testing.assert_array_equal(np.load(self.path / "value.npy"), a * np.maximum(b, 0))

    def test_rows_that_no_chunk_holds_need_their_axis(self):
        x = self.save("x.npy", np.zeros((1, 1_000_000), np.float32))
        done = subprocess.run([ACTIVATION, "--target", self.target, "evaluate", "softmax",
                               "--input", x, "--output", self.path / "y.npy"],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 67)
        self.assertIn("softmax is a row function", done.stderr)

    def test_rows_in_tables_end_where_the_value_does(self):
        self.assertEqual(self.ok("evaluate", "reglu", "--format", "csv", "--", "3", "5", "2", "-1"),
                         "x,value\n3,6\n5,0\n2,\n-1,\n")

    def test_compare(self):
        report = json.loads(self.ok("compare", "gelu", "--with", "gelu_tanh", "--with",
                                    "gelu_sigmoid", "--from", "-10", "--to", "10", "--points",
                                    "2000001", "--dtype", "float64", "--format", "json"))
        tanh, sigmoid = report["reports"]
        self.assertEqual(tanh["points"], "2000001")
        self.assertAlmostEqual(tanh["maxAbsoluteError"]["error"], 4.7323552e-4, places=10)
        self.assertAlmostEqual(sigmoid["maxAbsoluteError"]["error"], 2.03348722e-2, places=10)

    def test_list_info_and_health(self):
        self.assertIn("gelu", self.ok("list", "--names").splitlines())
        self.assertIn("sqrt(2)", self.ok("list", "gelu"))
        self.assertIn("gelu_ibert", self.ok("list", "--presets", "--names").splitlines())
        self.assertIn("I-BERT", self.ok("list", "gelu_ibert"))
        self.assertEqual(json.loads(self.ok("info", "--format", "json"))["limits"]["maxRank"], "16")
        self.assertEqual(self.ok("health"), "")
        self.assertEqual(self.ok("health", "--service", "activation.v1.ActivationService"), "")

    def test_unix_socket(self):
        server, target = start(f"unix:{self.path}/socket")
        self.addCleanup(stop, server)
        self.assertEqual(self.ok("evaluate", "relu", "--format", "hex", "--", "-1", "2",
                                 target=target), "0x0p+0\n0x1p+1\n")

    def test_tls_and_mutual_tls(self):
        def certificate(name):
            subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                            "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
                            f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout",
                            self.path / f"{name}.key", "-out", self.path / f"{name}.crt"],
                           check=True, capture_output=True)
            return self.path / f"{name}.crt", self.path / f"{name}.key"

        server_certificate, server_key = certificate("server")
        client_certificate, client_key = certificate("client")
        own = (f"--tls-cert={server_certificate}", f"--tls-key={server_key}")
        server, target = start("127.0.0.1:0", *own)
        self.addCleanup(stop, server)
        self.ok("health", "--tls-ca", server_certificate, "--timeout", "20", target=target)
        mutual, target = start("127.0.0.1:0", *own, f"--tls-client-ca={client_certificate}")
        self.addCleanup(stop, mutual)
        self.ok("health", "--tls-ca", server_certificate, "--tls-cert", client_certificate,
                "--tls-key", client_key, "--timeout", "20", target=target)
        refused = subprocess.run([ACTIVATION, "--target", target, "--tls-ca", server_certificate,
                                  "health"], capture_output=True, timeout=60)
        self.assertEqual((refused.returncode, refused.stdout), (78, b""))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
