"""A server process for a test, and the calls that the tests make to it.

The binary is the one that ACTIVATION_SERVER_BINARY names. Ports are always picked by the kernel.
"""

import contextlib
import os
import re
import signal
import subprocess
import threading
import urllib.request

import grpc

from activation.v1 import activation_pb2 as pb

BINARY = os.environ["ACTIVATION_SERVER_BINARY"]
SERVICE = "activation.v1.ActivationService"
# Generous: a build with sanitizers on a busy machine is slow.
START_SECONDS = 30
CALL_SECONDS = 20

# grpc.health.v1's ServingStatus.
SERVING = 1
NOT_SERVING = 2


def environment(extra=None):
    """The process's environment without flags of the server, plus `extra`."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("ACTIVATION_")}
    return {**clean, **(extra or {})}


def run_to_end(*flags, env=None):
    """Runs a server that is expected to end by itself; returns the CompletedProcess."""
    return subprocess.run([BINARY, *flags], env=environment(env), capture_output=True, text=True,
                          timeout=START_SECONDS, check=False)


class RunningServer:
    """A server that serves; `addresses` and `metrics_address` are as it printed them."""

    def __init__(self, *flags, env=None):
        self._process = subprocess.Popen([BINARY, *flags], env=environment(env), text=True,
                                         stderr=subprocess.PIPE)
        self.pid = self._process.pid
        self.addresses = []
        self.metrics_address = None
        self.log = []
        self._ready = threading.Event()
        self._expected = max(1, sum(f.startswith("--listen") for f in flags))
        self._reader = threading.Thread(target=self._read_log, daemon=True)
        self._reader.start()
        if not self._ready.wait(START_SECONDS) or len(self.addresses) < self._expected:
            self.kill()
            raise AssertionError("the server did not start:\n" + "".join(self.log))

    def _read_log(self):
        for line in self._process.stderr:
            self.log.append(line)
            if match := re.fullmatch(r"listening on (\S+)\n", line):
                self.addresses.append(match[1])
                if len(self.addresses) == self._expected:
                    self._ready.set()
            elif match := re.fullmatch(r"metrics on (\S+)\n", line):
                self.metrics_address = match[1]
        self._ready.set()

    @property
    def address(self):
        return self.addresses[0]

    def signal(self, number=signal.SIGTERM):
        self._process.send_signal(number)

    def wait(self, seconds=START_SECONDS):
        """The exit code."""
        code = self._process.wait(seconds)
        self._reader.join(seconds)
        return code

    def kill(self):
        self._process.kill()
        self._process.wait()
        self._reader.join()
        self._process.stderr.close()

    def metrics_text(self):
        with urllib.request.urlopen(f"http://{self.metrics_address}/metrics", timeout=10) as reply:
            return reply.read().decode()


@contextlib.contextmanager
def serving(*flags, env=None):
    """A server on a free port of this machine, for as long as the block runs."""
    flags = list(flags)
    if not any(f.startswith("--listen") for f in flags) and "ACTIVATION_LISTEN" not in (env or {}):
        flags.append("--listen=127.0.0.1:0")
    if not any(f.startswith("--metrics-listen") for f in flags):
        flags.append("--metrics-listen=127.0.0.1:0")
    if not any(f.startswith("--lame-duck") for f in flags):
        flags.append("--lame-duck=0s")
    server = RunningServer(*flags, env=env)
    try:
        yield server
    finally:
        server.kill()


@contextlib.contextmanager
def channel_to(address, credentials=None, options=()):
    """A channel that shares no connection with another, and retries nothing."""
    options = [("grpc.use_local_subchannel_pool", 1), ("grpc.enable_retries", 0), *options]
    channel = (grpc.secure_channel(address, credentials, options)
               if credentials else grpc.insecure_channel(address, options))
    with channel:
        yield channel


def _method(kind, name, request, response, service=SERVICE):
    def bind(channel):
        return getattr(channel, kind)(f"/{service}/{name}",
                                      request_serializer=request,
                                      response_deserializer=response)
    return bind


evaluate = _method("unary_unary", "Evaluate", pb.EvaluateRequest.SerializeToString,
                   pb.EvaluateResponse.FromString)
gradient = _method("unary_unary", "Gradient", pb.GradientRequest.SerializeToString,
                   pb.GradientResponse.FromString)
compare = _method("unary_unary", "CompareApproximations",
                  pb.CompareApproximationsRequest.SerializeToString,
                  pb.CompareApproximationsResponse.FromString)
server_info = _method("unary_unary", "GetServerInfo", pb.GetServerInfoRequest.SerializeToString,
                      pb.GetServerInfoResponse.FromString)
list_activations = _method("unary_unary", "ListActivations",
                           pb.ListActivationsRequest.SerializeToString,
                           pb.ListActivationsResponse.FromString)
evaluate_stream = _method("stream_stream", "EvaluateStream",
                          pb.EvaluateStreamRequest.SerializeToString,
                          pb.EvaluateStreamResponse.FromString)
gradient_stream = _method("stream_stream", "GradientStream",
                          pb.GradientStreamRequest.SerializeToString,
                          pb.GradientStreamResponse.FromString)
compare_stream = _method("unary_stream", "CompareApproximationsStream",
                         pb.CompareApproximationsStreamRequest.SerializeToString,
                         pb.CompareApproximationsStreamResponse.FromString)

# grpc.health.v1 in its wire form: HealthCheckRequest {string service = 1},
# HealthCheckResponse {ServingStatus status = 1}.
_HEALTH = "grpc.health.v1.Health"


def _health_request(service):
    name = service.encode()
    return b"\x0a" + bytes([len(name)]) + name if name else b""


def _health_status(reply):
    return reply[1] if reply else 0


health_check = _method("unary_unary", "Check", _health_request, _health_status, _HEALTH)
health_watch = _method("unary_stream", "Watch", _health_request, _health_status, _HEALTH)


def evaluation(name="gelu", values=(1.0,), **parameters):
    return pb.Evaluation(
        activation=pb.Activation(name=name, parameters=parameters),
        input=pb.Tensor(data_type=pb.DATA_TYPE_FLOAT32, float_values=values))


def evaluate_request(*evaluations):
    return pb.EvaluateRequest(evaluations=evaluations or (evaluation(),))
