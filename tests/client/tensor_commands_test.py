"""evaluate and gradient from the outside, with NumPy as the judge of their files.

usage: tensor_commands_test.py ACTIVATION FAKE_SERVER
"""

import csv
import io
import json
import sys
import unittest

import numpy as np

from command_line_case import CommandLineCase


def bfloat16_bits(values):
    """The upper halves of float32 values that need no rounding."""
    return (np.asarray(values, np.float32).view(np.uint32) >> 16).astype(np.uint16)


class CommandLineTest(CommandLineCase):
    # Formats

    def test_hex_prints_one_exact_value_a_line(self):
        text = self.ok("evaluate", "scale", "--dtype", "float32", "--format", "hex", "--",
                       "-5.5", "-6", "-inf", "nan", "-0", "0.1")
        self.assertEqual(text, "-0x1.6p+3\n-0x1.8p+3\n-inf\nnan\n-0x0p+0\n0x1.99999ap-3\n")

    def test_table_shows_activation_input_and_value(self):
        text = self.ok("evaluate", "scale", "--param", "factor=0.5", "--", "-1", "0.25")
        self.assertEqual(text.splitlines(), ["scale:factor=0.5, float32", "   x  value",
                                             "  -1   -0.5", "0.25  0.125"])

    def test_csv_is_read_back_exactly(self):
        values = np.random.default_rng(1).normal(size=100)
        text = self.ok("evaluate", "scale", "--dtype", "float64", "--format", "csv",
                       "--input", self.save("x.npy", values))
        rows = list(csv.reader(io.StringIO(text)))
        self.assertEqual(rows[0], ["x", "value"])
        np.testing.assert_array_equal(np.array(rows[1:], float), np.stack([values, 2 * values], 1))

    def test_json_of_typed_values_is_typed(self):
        reply = json.loads(self.ok("evaluate", "scale", "--format", "json", "--", "1.5", "-inf"))
        result, = reply["results"]
        self.assertEqual(result["activation"], {"name": "scale", "parameters": {"factor": 2}})
        self.assertEqual(result["output"], {"dataType": "DATA_TYPE_FLOAT32",
                                            "floatValues": [3, "-Infinity"]})
        reply = json.loads(self.ok("evaluate", "scale", "--format", "json", "--dtype", "float64",
                                   "--", "0.1"))
        self.assertEqual(reply["results"][0]["output"]["doubleValues"], [0.2])

    def test_json_of_a_npy_file_is_packed(self):
        array = np.ones((1, 3), np.float32)
        reply = json.loads(self.ok("evaluate", "scale", "--format", "json",
                                   "--input", self.save("x.npy", array)))
        self.assertEqual(reply["results"][0]["output"],
                         {"dataType": "DATA_TYPE_FLOAT32", "shape": ["1", "3"],
                          "data": "AAAAQAAAAEAAAABA"})

    def test_the_output_files_name_chooses_the_format(self):
        for suffix, beginning in ((".json", b"{"), (".csv", b"x,value"), (".hex", b"0x1p+1\n"),
                                  (".npy", b"\x93NUMPY"), (".txt", b"scale")):
            output = self.path / f"y{suffix}"
            self.assertEqual(self.ok("evaluate", "scale", "--output", output, "--", "1"), "")
            self.assertEqual(output.read_bytes()[:len(beginning)], beginning)

    # Inputs

    def test_numbers_from_standard_input_and_text_files(self):
        text = self.ok("evaluate", "scale", "--format", "hex", "--input", "-",
                       stdin=b" 1 -2\n\n0x1p-3\tinf\r\n")
        self.assertEqual(text, "0x1p+1\n-0x1p+2\n0x1p-2\ninf\n")
        (self.path / "x.txt").write_text("1\n2\n")
        self.assertEqual(self.ok("evaluate", "scale", "--format", "hex",
                                 "--input", self.path / "x.txt"), "0x1p+1\n0x1p+2\n")

    def test_npy_through_standard_input_and_output(self):
        array = np.arange(6, dtype=np.float32).reshape(2, 3)
        buffer = io.BytesIO()
        np.save(buffer, array)
        done = self.run_raw("evaluate", "scale", "--input", "-", "--format", "npy",
                            stdin=buffer.getvalue())
        self.assertEqual(done.returncode, 0, done.stderr)
        np.testing.assert_array_equal(np.load(io.BytesIO(done.stdout)), 2 * array)

    def test_npy_files_keep_type_and_shape(self):
        for dtype in (np.float16, np.float32, np.float64):
            for shape in ((), (0,), (1,), (7,), (2, 3), (2, 0, 3), (1, 2, 3, 4)):
                array = np.random.default_rng(2).normal(size=shape).astype(dtype)
                output = self.path / "y.npy"
                self.ok("evaluate", "scale", "--input", self.save("x.npy", array),
                        "--output", output)
                result = np.load(output)
                self.assertEqual((result.dtype, result.shape), (np.dtype(dtype), shape))
                np.testing.assert_array_equal(result, 2 * array)

    def test_npy_of_another_byte_order_or_memory_order(self):
        array = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
        for variant in (array.astype(">f4"), np.asfortranarray(array),
                        np.asfortranarray(array.astype(">f8")), array.T):
            output = self.path / "y.npy"
            self.ok("evaluate", "scale", "--input", self.save("x.npy", variant), "--output", output)
            np.testing.assert_array_equal(np.load(output), 2 * variant)

    def test_bfloat16_bits_stand_in_uint16_files_both_ways(self):
        values = [1.0, -2.5, 0.15625, np.inf]
        output = self.path / "y.npy"
        self.ok("evaluate", "scale", "--dtype", "bfloat16", "--input",
                self.save("x.npy", bfloat16_bits(values)), "--output", output)
        np.testing.assert_array_equal(np.load(output), bfloat16_bits(2 * np.array(values)))
        self.assertEqual(np.load(output).dtype, np.uint16)
        self.ok("evaluate", "scale", "--dtype", "float32", "--output-dtype", "bfloat16", "--input",
                self.save("x.npy", np.array(values, np.float32)), "--output", output)
        np.testing.assert_array_equal(np.load(output), bfloat16_bits(2 * np.array(values)))

    def test_large_tensors_pass_in_chunks(self):
        array = np.random.default_rng(3).normal(size=(1000, 3001)).astype(np.float32)
        output = self.path / "y.npy"
        self.ok("evaluate", "scale", "--dtype", "float32", "--param", "factor=4", "--input",
                self.save("x.npy", array), "--output", output)
        np.testing.assert_array_equal(np.load(output), 4 * array)

    # Gradient

    def test_gradient_with_upstream_and_parameter_gradients(self):
        x = np.arange(6, dtype=np.float64).reshape(2, 3)
        g = np.full((2, 3), 0.5)
        output, value = self.path / "dx.npy", self.path / "value.npy"
        text = self.ok("gradient", "scale", "--dtype", "float64", "--param", "factor=3", "--input",
                       self.save("x.npy", x), "--upstream", self.save("g.npy", g), "--output",
                       output, "--parameter-gradients", "--value-output", value)
        self.assertEqual(text, "factor=7.5\n")
        np.testing.assert_array_equal(np.load(output), 3 * g)
        np.testing.assert_array_equal(np.load(value), 3 * x)
        reply = json.loads(self.ok("gradient", "scale", "--value", "--parameter-gradients",
                                   "--format", "json", "--", "1", "4"))
        self.assertEqual(reply["results"][0], {
            "activation": {"name": "scale", "parameters": {"factor": 2}},
            "gradient": {"dataType": "DATA_TYPE_FLOAT32", "floatValues": [2, 2]},
            "value": {"dataType": "DATA_TYPE_FLOAT32", "floatValues": [2, 8]},
            "parameterGradients": {"factor": 5}})

    def test_gradient_in_tables_and_hex(self):
        (self.path / "g.txt").write_text("0.5 3")
        text = self.ok("gradient", "scale", "--value", "--upstream", self.path / "g.txt",
                       "--format", "csv", "--", "1", "4")
        self.assertEqual(text, "x,upstream,gradient,value\n1,0.5,1,2\n4,3,6,8\n")
        text = self.ok("gradient", "scale", "--parameter-gradients", "--format", "hex", "--", "1.5")
        self.assertEqual(text, "0x1p+1\nfactor=0x1.8p+0\n")

    def test_gradient_refuses_two_results_in_one_stream(self):
        self.assertIn("--output", self.fails(67, "gradient", "scale", "--parameter-gradients",
                                             "--format", "csv", "--", "1"))
        self.assertIn("--value-output", self.fails(67, "gradient", "scale", "--value",
                                                   "--format", "npy", "--", "1"))
        self.assertIn("upstream has 1", self.fails(67, "gradient", "scale", "--upstream",
                                                   self.save("g.npy", np.ones(1, np.float32)),
                                                   "--", "1", "2", "3"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
