"""The contract through buf: `buf lint`, the breaking-change check, and calls by server reflection.

Usage: buf_curl_test.py PATH_OF_BUF PATH_OF_PROTO_FOLDER
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import running_server

BUF, PROTO = sys.argv[1:3]


def buf(*arguments, **options):
    return subprocess.run([BUF, *arguments], capture_output=True, text=True, **options)


class Contract(unittest.TestCase):

    def test_passes_lint(self):
        result = buf("lint", cwd=PROTO)
        self.assertEqual((result.returncode, result.stdout), (0, ""))

    def test_breaks_nothing_that_was_released(self):
        result = buf("breaking", "--against", "released.binpb", cwd=PROTO)
        self.assertEqual((result.returncode, result.stdout), (0, ""))

    def test_a_renamed_field_would_be_noticed(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(PROTO, folder, dirs_exist_ok=True)
            path = pathlib.Path(folder, "activation/v1/activation.proto")
            path.write_text(path.read_text().replace("output_type = 3;", "result_type = 3;"))
            result = buf("breaking", "--against", "released.binpb", cwd=folder)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("result_type", result.stdout)

    def test_is_formatted(self):
        result = buf("format", "--diff", "--exit-code", cwd=PROTO)
        self.assertEqual((result.returncode, result.stdout), (0, ""))


class Reflection(unittest.TestCase):

    def test_a_call_needs_no_proto_file(self):
        request = {"evaluations": [{"activation": {"name": "gelu"},
                                    "input": {"floatValues": [-6, 0, "Infinity"]}}]}
        with running_server.serving() as server:
            result = buf("curl", "--protocol", "grpc", "--http2-prior-knowledge", "-d",
                         json.dumps(request),
                         f"http://{server.address}/activation.v1.ActivationService/Evaluate")
        self.assertEqual(result.returncode, 0, result.stderr)
        output = json.loads(result.stdout)["results"][0]["output"]
        self.assertEqual(output["floatValues"][1:], [0, "Infinity"])
        self.assertAlmostEqual(output["floatValues"][0], -5.9195e-9, delta=1e-12)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
