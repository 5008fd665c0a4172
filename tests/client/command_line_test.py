"""The other commands of the `activation` program from the outside, its errors and its help.

usage: command_line_test.py ACTIVATION FAKE_SERVER
"""

import csv
import io
import json
import sys
import time
import unittest

import numpy as np

from command_line_case import CommandLineCase


class CommandLineTest(CommandLineCase):
    # Compare, list, info, health

    def test_compare(self):
        grid = ("--from", "-10", "--to", "10", "--points", "2000001", "--dtype", "float64")
        report = json.loads(self.ok("compare", "scale", "--with", "a", "--with", "b:p=2,q=0.5",
                                    *grid, "--format", "json"))
        first, second = report["reports"]
        self.assertEqual(second["candidate"], {"name": "b", "parameters": {"p": 2, "q": 0.5},
                                               "parameterTensors": {}, "formula": ""})
        self.assertEqual((first["points"], first["maxAbsoluteError"]["x"]), ("2000001", -10))
        self.assertEqual(second["meanAbsoluteError"], 1)
        self.assertEqual(second["nonFiniteMismatches"], "0")
        rows = list(csv.DictReader(io.StringIO(self.ok(
            "compare", "scale", "--with", "b:p=2,q=0.5", *grid, "--format", "csv"))))
        self.assertEqual(rows[0]["candidate"], "b:p=2,q=0.5")
        self.assertEqual(rows[0]["max_absolute_error"], "0.5")
        self.assertIn("2000001 points", self.ok("compare", "scale", "--with", "a", *grid))
        self.assertIn("3 points", self.ok("compare", "scale", "--with", "a", "--points-file",
                                          self.save("x.npy", np.zeros(3))))
        self.fails(67, "compare", "scale", "--points", "2.5")
        self.fails(67, "compare", "scale", "--from", "1", "--points-file", self.path / "x.npy")

    def test_list(self):
        self.assertEqual(self.ok("list", "--names"), "scale\n")
        self.assertEqual(self.ok("list").splitlines()[1], "scale  factor=2    A straight line.")
        self.assertIn("default 2, from -10 to 10", self.ok("list", "fake:scale"))
        catalogue = json.loads(self.ok("list", "--format", "json"))
        self.assertEqual(catalogue["activations"][0]["formula"], "factor * x")
        self.assertEqual(json.loads(self.ok("list", "scale", "--format", "json"))["name"], "scale")
        self.assertIn("'nope'", self.fails(69, "list", "nope"))

    def test_list_presets(self):
        self.assertEqual(self.ok("list", "--presets").splitlines()[1].split(maxsplit=2),
                         ["scale_by_sum", "scale", "Sums in place of a product."])
        self.assertNotIn("scale_by_sum", self.ok("list"))
        self.assertEqual(self.ok("list", "--presets", "--names"), "scale_by_sum\n")
        details = self.ok("list", "scale_by_sum")
        self.assertIn("Nowhere, 2000", details)
        self.assertIn("x+x", details)
        self.assertEqual(json.loads(self.ok("list", "scale_by_sum", "--format", "json"))["formula"],
                         "x+x")
        presets = json.loads(self.ok("list", "--presets", "--format", "json"))
        self.assertEqual((presets["activations"], len(presets["presets"])), ([], 1))

    def test_info(self):
        self.assertIn("0.0.0-fake", self.ok("info"))
        self.assertEqual(json.loads(self.ok("info", "--format", "json"))["simdTarget"], "NONE")

    def test_health_is_silent_when_all_is_well(self):
        self.assertEqual(self.ok("health"), "")
        self.assertEqual(self.ok("health", "--service", "activation.v1.ActivationService"), "")
        self.fails(69, "health", "--service", "no.such.Service")
        start = time.monotonic()
        self.fails(78, "health", target="unix:/nonexistent")
        self.assertLess(time.monotonic() - start, 5)

    # Errors

    def test_the_exit_status_is_64_and_the_code(self):
        self.assertIn("NOT_FOUND: no activation is named 'nope'",
                      self.fails(69, "evaluate", "nope", "--", "1"))
        self.assertIn("INVALID_ARGUMENT", self.fails(67, "evaluate", "scale", "--param", "x=1",
                                                     "--", "1"))
        self.assertIn("UNAVAILABLE", self.fails(78, "info", target="unix:/nonexistent"))

    def test_wrong_usage(self):
        for arguments in ((), ("nonsense",), ("evaluate",), ("evaluate", "scale"),
                          ("evaluate", "scale", "--dtype", "int8", "--", "1"),
                          ("evaluate", "scale", "--param", "factor", "--", "1"),
                          ("evaluate", "scale", "-x"), ("evaluate", "scale", "--", "one"),
                          ("evaluate", "scale", "--input", "-", "--", "1"),
                          ("--timeout", "0", "info"), ("--timeout", "soon", "info"),
                          ("--target", "", "info"), ("--tls-cert", "c.pem", "info"),
                          ("evaluate", "scale", "--format", "hex", "--output", "y.npy", "--", "1"),
                          ("completion", "csh")):
            self.fails(67, *arguments)

    def test_file_errors_name_the_file_and_the_reason(self):
        missing = self.path / "missing.npy"
        message = self.fails(69, "evaluate", "scale", "--input", missing)
        self.assertIn(f"'{missing}': No such file", message)
        message = self.fails(69, "evaluate", "scale", "--output", "/nonexistent/y", "--", "1")
        self.assertIn("'/nonexistent/y': No such file", message)
        self.assertIn("directory", self.fails(73, "evaluate", "scale", "--input", self.path))
        message = self.fails(69, "info", "--tls-ca", self.path / "ca.pem")
        self.assertIn("ca.pem': No such file", message)

    def test_npy_files_that_can_not_be_used(self):
        for array, reason in ((np.arange(3), "float32, float64, float16"),
                              (np.array(["a"]), "float32, float64, float16"),
                              (np.zeros(2, [("x", "<f4")]), "records"),
                              (np.zeros(2, np.uint16), "--dtype bfloat16"),
                              (np.zeros(2, np.complex64), "float32, float64, float16")):
            path = self.save("bad.npy", array)
            message = self.fails(67, "evaluate", "scale", "--input", path)
            self.assertIn(f"'{path}': ", message)
            self.assertIn(reason, message)
        path = self.save("bad.npy", np.zeros(2))
        self.assertIn("holds float64, but --dtype is float32",
                      self.fails(67, "evaluate", "scale", "--dtype", "float32", "--input", path))
        path.write_bytes(path.read_bytes()[:-1])
        self.assertIn("cut short", self.fails(67, "evaluate", "scale", "--input", path))
        path.write_bytes(b"1 2 3")
        self.assertIn("not a .npy file", self.fails(67, "evaluate", "scale", "--input", path))

    # Help

    def test_global_options_stand_before_or_after_the_command(self):
        for arguments in (("--target", self.target, "--timeout", "5s", "list", "--names"),
                          ("list", "--names", "--target", self.target, "--timeout", "5")):
            done = self.run_raw(*arguments, target="unix:/nonexistent")
            self.assertEqual((done.returncode, done.stdout), (0, b"scale\n"), done.stderr)

    def test_help_has_examples_at_each_level(self):
        for command in ((), ("evaluate",), ("gradient",), ("compare",), ("plot",),
                        ("report",), ("list",), ("info",),
                        ("health",), ("completion",)):
            self.assertIn("Examples:\n  ", self.ok(*command, "--help"))
        self.assertRegex(self.ok("--version"), r"^activation \d+\.\d+\.\d+\n$")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
