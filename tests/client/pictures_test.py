"""Pictures, reports and comparisons of the `activation` program, with the real server and gnuplot.

Chromium judges a report, where it is installed.

usage: pictures_test.py ACTIVATION SERVER
"""

import csv
import html.parser
import io
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

import numpy as np

ACTIVATION, SERVER = sys.argv[1:3]
FAILED_PRECONDITION, INVALID_ARGUMENT, NOT_FOUND, CANCELLED = 64 + 9, 64 + 3, 64 + 5, 64 + 1
VOID = {"meta", "link", "br", "img"}
CHROMIUM = shutil.which("chromium")


class Page(html.parser.HTMLParser):
    """A page whose elements all end where they should."""

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.links, self.elements = [], [], [], []
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        self.handle_startendtag(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        attributes = dict(attrs)
        self.elements.append((tag, attributes))
        self.ids += [attributes["id"]] if "id" in attributes else []
        self.links += [attributes[k] for k in ("href", "src", "xlink:href") if k in attributes]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag


class PicturesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        cls.server = subprocess.Popen(
            [SERVER, "--listen=127.0.0.1:0", "--metrics-listen=off", "--lame-duck=0s"],
            stderr=subprocess.STDOUT, stdout=subprocess.PIPE, text=True)
        for line in cls.server.stdout:
            if line.startswith("listening on "):
                cls.target = line.split()[2]
                break

    @classmethod
    def tearDownClass(cls):
        cls.server.terminate()
        cls.server.communicate(timeout=30)
        cls.folder.cleanup()

    def run_raw(self, *arguments, **environment):
        return subprocess.run([ACTIVATION, "--target", self.target, *map(str, arguments)],
                              capture_output=True, timeout=120, env={**os.environ, **environment})

    def ok(self, *arguments):
        done = self.run_raw(*arguments)
        self.assertEqual((done.returncode, done.stderr), (0, b""), arguments)
        return done.stdout.decode()

    def fails(self, status, *arguments, **environment):
        done = self.run_raw(*arguments, **environment)
        self.assertEqual((done.returncode, done.stdout), (status, b""), (arguments, done.stderr))
        return done.stderr.decode()

    def save(self, name, array):
        np.save(self.path / name, array)
        return self.path / name

    # Pictures

    def test_each_extension_has_its_format(self):
        for what in (("gelu", "elu:alpha=2"), ("--chain",), ("--deltas", "--sigma", "0.5")):
            for suffix, magic in ((".png", b"\x89PNG\r\n"), (".svg", b"<?xml"), (".PDF", b"%PDF")):
                output = self.path / f"picture{suffix}"
                self.assertEqual(self.ok("plot", *what, "--output", output), "")
                self.assertEqual(output.read_bytes()[:len(magic)], magic)

    def test_an_svg_is_xml_and_shows_the_names(self):
        output = self.path / "picture.svg"
        self.ok("plot", "gelu_sigma:sigma=0.5", "--output", output)
        texts = "".join(ElementTree.parse(output).getroot().itertext())
        self.assertIn("gelu_sigma:sigma=0.5", texts)
        self.ok("plot", "--chain", "--sigma", "0.5", "--output", output)
        texts = "".join(ElementTree.parse(output).getroot().itertext())
        # step_normal's sigma is sqrt(2) times that of the gelu_sigma with the same step.
        self.assertIn("sigma = 0.3536 (of the step: 0.5)", texts)

    def test_without_a_file_the_picture_is_text(self):
        text = self.ok("plot", "relu", "--from", "-1", "--to", "1")
        self.assertIn("*", text)
        self.assertLessEqual(max(map(len, text.splitlines())), 80)

    def test_curves_are_the_functions(self):
        # The longest path has the curve's points; the first two are those of the legend.
        output = self.path / "line.svg"
        self.ok("plot", "identity", "--from", "0", "--to", "1", "--output", output)
        paths = [e.get("d") for e in ElementTree.parse(output).iter("{http://www.w3.org/2000/svg}path")]
        longest = max((d for d in paths if d), key=len)
        xy = np.array(re.findall(r"(-?[\d.]+),(-?[\d.]+)", longest), float)[2:]
        slope = np.polyfit(xy[:, 0], xy[:, 1], 1)
        np.testing.assert_allclose(np.polyval(slope, xy[:, 0]), xy[:, 1], atol=1)

    def test_what_can_not_be_plotted(self):
        self.assertIn(".png, .svg or .pdf",
                      self.fails(INVALID_ARGUMENT, "plot", "gelu", "--output", "x.bmp"))
        self.assertIn("rows", self.fails(INVALID_ARGUMENT, "plot", "softmax"))
        self.assertIn("--sigma", self.fails(INVALID_ARGUMENT, "plot", "--chain", "--sigma", "0"))
        self.assertIn("--from", self.fails(INVALID_ARGUMENT, "plot", "gelu", "--from", "5"))
        self.assertIn("no_such", self.fails(NOT_FOUND, "plot", "no_such"))
        self.fails(INVALID_ARGUMENT, "plot")

    def test_a_missing_gnuplot_names_the_package(self):
        message = self.fails(FAILED_PRECONDITION, "plot", "gelu", PATH="/nonexistent")
        self.assertIn("gnuplot-nox", message)

    def test_what_gnuplot_says_is_passed_on(self):
        fake = self.path / "bin" / "gnuplot"
        fake.parent.mkdir()
        fake.write_text("#!/bin/sh\necho 'no such terminal' >&2\nexit 1\n")
        fake.chmod(0o755)
        done = self.run_raw("plot", "gelu", PATH=str(fake.parent))
        self.assertEqual(done.returncode, 64 + 13)
        self.assertIn(b"no such terminal", done.stderr)

    # Comparisons

    def test_compare_draws_errors(self):
        for suffix, magic in ((".png", b"\x89PNG"), (".svg", b"<?xml")):
            output = self.path / f"errors{suffix}"
            self.ok("compare", "gelu", "--with", "gelu_tanh", "--with", "gelu_sigmoid", "--plot",
                    output)
            self.assertEqual(output.read_bytes()[:len(magic)], magic)
        texts = "".join(ElementTree.parse(output).getroot().itertext())
        self.assertIn("0.000473 at x = ", texts)
        self.fails(INVALID_ARGUMENT, "compare", "gelu", "--plot", "errors.txt")

    def test_outputs_are_compared_bit_by_bit(self):
        x = self.save("x.npy", np.linspace(-4, 4, 1001, dtype=np.float32))
        y = self.path / "y.npy"
        for output_type in ("float32", "bfloat16"):
            self.ok("evaluate", "gelu", "--dtype", "float32", "--output-dtype", output_type,
                    "--input", x, "--output", y)
            points = x
            if output_type == "bfloat16":
                points = self.path / "points.npy"
                self.ok("evaluate", "identity", "--output-dtype", "bfloat16", "--input", x,
                        "--output", points)
                self.ok("evaluate", "gelu", "--dtype", "bfloat16", "--input", points, "--output", y)
            reply = json.loads(self.ok("compare", "gelu", "--points-file", points, "--outputs", y,
                                       "--dtype", output_type, "--format", "json"))
            report, = reply["reports"]
            self.assertEqual((report["label"], report["correctlyRounded"]), ("y.npy", "1001"))

    def test_every_value_and_samples(self):
        row, = csv.DictReader(io.StringIO(self.ok(
            "compare", "gelu", "--with", "gelu_tanh", "--every-value", "--dtype", "bfloat16",
            "--format", "csv")))
        self.assertEqual(row["points"], "65536")
        self.assertGreater(int(row["finite_points"]), 60_000)
        form = ("compare", "gelu", "--with", "gelu_tanh", "--normal", "0,1", "--points", "1000",
                "--format", "csv", "--seed")
        self.assertEqual(self.ok(*form, "7").split(",")[:-1], self.ok(*form, "7").split(",")[:-1])
        self.assertNotEqual(self.ok(*form, "7").split(",")[:-1],
                            self.ok(*form, "8").split(",")[:-1])

    def test_the_table_has_the_figures_that_matter(self):
        text = self.ok("compare", "gelu", "--with", "gelu_tanh", "--regions", "-1,0,1", "--dtype",
                       "float32")
        for figure in ("correctly rounded", "wrong sign", "flushed to zero", "overflowed",
                       "reversals", "ULP up to", "x from"):
            self.assertIn(figure, text)

    def test_csv_keeps_its_columns(self):
        heading = self.ok("compare", "gelu", "--with", "gelu_tanh", "--format", "csv").split(",")
        self.assertEqual(heading[:2], ["candidate", "points"])
        self.assertEqual(heading[14:20],
                         ["mean_absolute_error", "root_mean_square_error", "non_finite_mismatches",
                          "finite_points", "mean_error", "correctly_rounded"])

    def test_wrong_options(self):
        for arguments, text in (
                (("--normal", "1"), "--normal"), (("--normal", "0,1", "--seed", "x"), "--seed"),
                (("--regions", "1,a"), "--regions"), (("--formula", "x", "--formula-param", "z=1"),
                                                      "'z' stands in no --formula"),
                (("--table", self.save("x.npy", np.zeros(2))), "x.npy': not a table"),
                (("--every-value", "--points", "3"), "--points")):
            self.assertIn(text, self.fails(INVALID_ARGUMENT, "compare", "gelu", *arguments))

    def test_progress_and_interruption(self):
        process = subprocess.Popen(
            [ACTIVATION, "--target", self.target, "compare", "gelu", "--with", "gelu_tanh",
             "--points", "100000000", "--progress"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True)
        self.assertRegex(process.stderr.readline(), r"^\d+\.\d %")
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=30)
        self.assertEqual((process.returncode, output), (CANCELLED, ""))
        self.assertIn("stopped before the end", errors)

    # Reports

    def check_page(self, path):
        page = Page(path.read_text())
        self.assertEqual(len(page.ids), len(set(page.ids)))
        self.assertFalse([x for x in page.links if not x.startswith(("#", "data:"))
                          and not (path.parent / x).exists()])
        for tag, attributes in page.elements:
            if tag == "th":
                self.assertIn(attributes.get("scope"), ("row", "col"))
            if tag == "svg":
                self.assertEqual(attributes["role"], "img")
                self.assertIn(attributes["aria-labelledby"], page.ids)
        return page

    def test_a_report_is_one_well_formed_page(self):
        output = self.path / "gelu.html"
        self.assertEqual(self.ok("report", "torch:gelu", "--output", output), "")
        page = self.check_page(output)
        self.assertGreater(sum(tag == "svg" for tag, _ in page.elements), 4)
        self.assertIn("x*erfc(-x/sqrt(2))/2", output.read_text())
        self.assertIn("abs(x) &lt; eps", self.report_of("delta_triangle"))
        self.assertIn("softmax", self.report_of("softmax"))
        self.assertIn("every value of bfloat16",
                      self.report_of("gelu", "--every-value", "--dtype", "bfloat16"))

    def report_of(self, name, *options):
        output = self.path / "page.html"
        self.ok("report", name, "--output", output, *options)
        self.check_page(output)
        return output.read_text()

    def test_which_reports_there_are(self):
        self.fails(NOT_FOUND, "report", "no_such", "--output", self.path / "x.html")
        self.fails(INVALID_ARGUMENT, "report", "--output", self.path / "x.html")
        self.fails(INVALID_ARGUMENT, "report", "gelu")

    @unittest.skipUnless(CHROMIUM, "chromium is not installed")
    def test_a_browser_loads_it_without_network_and_errors(self):
        output = self.path / "browser.html"
        self.ok("report", "gelu", "--output", output)
        # A page that says how much wider than the window it would be.
        probe = ("<script>addEventListener('load', () => document.title = 'wider by ' + "
                 "(document.documentElement.scrollWidth - innerWidth))</script></main>")
        output.write_text(output.read_text().replace("</main>", probe))
        # Chromium's own window has a smallest width: a frame may be narrower.
        for width in (360, 1280):
            frame = self.path / f"frame{width}.html"
            frame.write_text(
                f"<!DOCTYPE html><iframe id=f src='browser.html' style='width:{width}px;border:0'>"
                "</iframe><script>addEventListener('load', () => document.title = "
                "document.getElementById('f').contentDocument.title)</script>")
            done = subprocess.run(
                [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
                 "--allow-file-access-from-files", f"--user-data-dir={self.path}/profile{width}",
                 "--disable-background-networking", "--dump-dom", frame.as_uri()],
                capture_output=True, text=True, timeout=120)
            self.assertRegex(done.stdout, r"<title>wider by (0|-\d+)</title>", done.stderr)
            self.assertNotIn("CONSOLE", done.stderr)
        self.assertNotRegex(re.sub(r"http://www\.w3\.org/[\w/]*", "", output.read_text()),
                            r"https?://|@import|url\(['\"]?http")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
