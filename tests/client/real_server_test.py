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
