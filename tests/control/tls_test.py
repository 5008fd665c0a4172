"""TLS and mutual TLS with certificates that openssl makes here."""

import os
import subprocess
import tempfile
import time
import unittest

import grpc

import running_server as rs

# The server looks at its files each 2 s.
RELOAD_SECONDS = 20


def openssl(*arguments):
    subprocess.run(["openssl", *arguments], check=True, capture_output=True)


class Authority:
    """Signs certificates; files are in `folder`, named NAME.crt and NAME.key."""

    def __init__(self, folder, name="ca"):
        self.folder = folder
        self.name = name
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-days", "2", "-subj", f"/CN={name}", "-keyout", self.path(f"{name}.key"),
                "-out", self.path(f"{name}.crt"))

    def path(self, name):
        return os.path.join(self.folder, name)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def issue(self, name, common_name="localhost"):
        request = self.path(f"{name}.csr")
        extensions = self.path(f"{name}.ext")
        with open(extensions, "w", encoding="ascii") as file:
            file.write("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-subj", f"/CN={common_name}", "-keyout", self.path(f"{name}.key"), "-out", request)
        openssl("x509", "-req", "-in", request, "-days", "2", "-CA", self.path(f"{self.name}.crt"),
                "-CAkey", self.path(f"{self.name}.key"), "-CAcreateserial", "-extfile", extensions,
                "-out", self.path(f"{name}.crt"))


class TlsTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.ca = Authority(folder.name)
        self.ca.issue("server")
        self.files = [f"--tls-cert={self.ca.path('server.crt')}",
                      f"--tls-key={self.ca.path('server.key')}"]

    def threads(self, address, credentials):
        with rs.channel_to(address, credentials) as channel:
            return rs.server_info(channel)(rs.pb.GetServerInfoRequest(),
                                           timeout=rs.CALL_SECONDS).threads

    def refused(self, address, credentials):
        with self.assertRaises(grpc.RpcError) as caught:
            self.threads(address, credentials)
        self.assertEqual(caught.exception.code(), grpc.StatusCode.UNAVAILABLE)

    def test_serves_over_tls_and_not_in_plain(self):
        with rs.serving(*self.files) as server:
            trusting = grpc.ssl_channel_credentials(self.ca.read("ca.crt"))
            self.assertGreaterEqual(self.threads(server.address, trusting), 1)
            self.refused(server.address, None)

    def test_mutual_tls_wants_a_certificate_of_its_authority(self):
        clients = Authority(self.ca.folder, "clients")
        clients.issue("client", "somebody")
        self.ca.issue("stranger", "somebody")
        root = self.ca.read("ca.crt")

        def showing(name):
            return grpc.ssl_channel_credentials(root, self.ca.read(f"{name}.key"),
                                                self.ca.read(f"{name}.crt"))
        with rs.serving(*self.files,
                        f"--tls-client-ca={clients.path('clients.crt')}") as server:
            self.assertGreaterEqual(self.threads(server.address, showing("client")), 1)
            self.refused(server.address, showing("stranger"))
            self.refused(server.address, grpc.ssl_channel_credentials(root))

    def test_a_new_certificate_is_taken_up_while_serving(self):
        successor = Authority(self.ca.folder, "successor")
        successor.issue("next")
        with rs.serving(*self.files) as server:
            old = grpc.ssl_channel_credentials(self.ca.read("ca.crt"))
            new = grpc.ssl_channel_credentials(successor.read("successor.crt"))
            self.assertGreaterEqual(self.threads(server.address, old), 1)
            self.refused(server.address, new)
            for kind in ("key", "crt"):
                os.replace(self.ca.path(f"next.{kind}"), self.ca.path(f"server.{kind}"))
            end = time.monotonic() + RELOAD_SECONDS
            while True:
                try:
                    self.assertGreaterEqual(self.threads(server.address, new), 1)
                    break
                except grpc.RpcError:
                    self.assertLess(time.monotonic(), end, "the new certificate was not taken up")
                    time.sleep(0.2)
            self.refused(server.address, old)

    def test_files_that_cannot_work_are_refused_at_the_start_by_name(self):
        self.ca.issue("other")
        garbage = self.ca.path("garbage.pem")
        with open(garbage, "w", encoding="ascii") as file:
            file.write("-----BEGIN CERTIFICATE-----\nnonsense\n")
        missing = self.ca.path("missing.pem")
        crt, key = self.ca.path("server.crt"), self.ca.path("server.key")
        cases = [
            (missing, key, None, f"--tls-cert={missing}"),
            (garbage, key, None, f"--tls-cert={garbage}"),
            (self.ca.folder, key, None, f"--tls-cert={self.ca.folder}"),
            (key, key, None, f"--tls-cert={key}"),
            (crt, missing, None, f"--tls-key={missing}"),
            (crt, crt, None, f"--tls-key={crt}"),
            (crt, self.ca.path("other.key"), None, f"--tls-key={self.ca.path('other.key')}"),
            (crt, key, missing, f"--tls-client-ca={missing}"),
            (crt, key, garbage, f"--tls-client-ca={garbage}"),
        ]
        for certificate, private_key, authorities, expected in cases:
            with self.subTest(expected=expected):
                flags = [f"--tls-cert={certificate}", f"--tls-key={private_key}"]
                if authorities:
                    flags.append(f"--tls-client-ca={authorities}")
                result = rs.run_to_end("--listen=127.0.0.1:0", "--metrics-listen=off", *flags)
                self.assertEqual(result.returncode, 1, result.stderr)
                self.assertIn(expected, result.stderr)


if __name__ == "__main__":
    unittest.main()
