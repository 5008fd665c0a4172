"""Starts the real server on free ports, for tests in any language."""

import contextlib
import re
import subprocess


@contextlib.contextmanager
def running_server(binary, *flags):
    """Yields (address, metrics_address) of a server that stops when the context ends."""
    process = subprocess.Popen(
        [binary, "--listen=127.0.0.1:0", "--metrics-listen=127.0.0.1:0", "--lame-duck=0", *flags],
        stderr=subprocess.STDOUT, stdout=subprocess.PIPE, text=True)
    try:
        yield _addresses(process)
    finally:
        process.terminate()
        process.communicate(timeout=30)
    assert process.returncode == 0, f"the server exited with {process.returncode}"


def _addresses(process):
    """The addresses that the server prints once it serves."""
    found = {}
    for line in process.stdout:
        match = re.match(r"(listening|metrics) on ([0-9.]+:\d+)$", line)
        if match:
            found[match[1]] = match[2]
        if len(found) == 2:
            return found["listening"], found["metrics"]
    raise RuntimeError("the server stopped before it was serving")
