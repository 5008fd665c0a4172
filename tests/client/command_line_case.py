"""What the tests of the `activation` program share.

Their usage: TEST ACTIVATION FAKE_SERVER
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

ACTIVATION, FAKE_SERVER = sys.argv[1:3]


class CommandLineCase(unittest.TestCase):
    """A stand-in for the server, and runs of the program against it."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        cls.target = f"unix:{cls.path}/socket"
        cls.server = subprocess.Popen(
            [FAKE_SERVER, cls.target], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert cls.server.stdout.readline() == b"ready\n"

    @classmethod
    def tearDownClass(cls):
        cls.server.communicate()
        cls.folder.cleanup()

    def run_raw(self, *arguments, stdin=b"", target=None):
        environment = dict(os.environ, ACTIVATION_TARGET=target or self.target)
        return subprocess.run([ACTIVATION, *map(str, arguments)], input=stdin, env=environment,
                              capture_output=True, timeout=60)

    def ok(self, *arguments, stdin=b""):
        """Standard output of a run that succeeds without a word on standard error."""
        done = self.run_raw(*arguments, stdin=stdin)
        self.assertEqual((done.returncode, done.stderr), (0, b""), arguments)
        return done.stdout.decode()

    def fails(self, status, *arguments, stdin=b"", target=None):
        """Standard error of a run that ends with this exit status and prints nothing else."""
        done = self.run_raw(*arguments, stdin=stdin, target=target)
        self.assertEqual((done.returncode, done.stdout), (status, b""), (arguments, done.stderr))
        self.assertNotEqual(done.stderr, b"")
        return done.stderr.decode()

    def save(self, name, array):
        np.save(self.path / name, array)
        return self.path / name
