"""What Prometheus reads: exact counts after known calls, and nothing that a client can make up."""

import contextlib
import os
import re
import shutil
import socket
import subprocess
import time
import unittest

import grpc

import running_server as rs

_SAMPLE = re.compile(r'^(\w+)(?:\{(.*)\})? (\S+)$')
_LABEL = re.compile(r'(\w+)="([^"]*)"')


class Scrape:
    """The samples of one reading."""

    def __init__(self, server):
        self.samples = {}
        for line in server.metrics_text().splitlines():
            if match := _SAMPLE.match(line):
                labels = frozenset(_LABEL.findall(match[2] or ""))
                self.samples[match[1], labels] = float(match[3])

    def sum(self, name, **labels):
        """Over all series of that name with these labels; there must be one."""
        wanted = set(labels.items())
        found = [v for (n, have), v in self.samples.items() if n == name and wanted <= have]
        if not found:
            raise AssertionError(f"no {name} with {labels}")
        return sum(found)

    def label_values(self, label):
        return {value for _, labels in self.samples for key, value in labels if key == label}


class MetricsTest(unittest.TestCase):

    def setUp(self):
        context = rs.serving("--max-message-bytes=1MiB")
        self.server = context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)

    def eventually(self, condition, what):
        """Waits, since a call's end is counted when the server has noticed it."""
        end = time.monotonic() + rs.CALL_SECONDS
        while not condition(Scrape(self.server)):
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.05)

    def check(self, method, codes, started, messages):
        """Checks the counters of one method of which all calls ended with one of these codes."""
        scrape = Scrape(self.server)
        self.assertEqual(scrape.sum("grpc_server_started_total", grpc_method=method), started)
        self.assertEqual(scrape.sum("grpc_server_handled_total", grpc_method=method), started)
        self.assertEqual(sum(scrape.sum("grpc_server_handled_total", grpc_method=method,
                                        grpc_code=code) for code in codes), started)
        self.assertEqual(scrape.sum("grpc_server_msg_received_total", grpc_method=method),
                         messages[0])
        self.assertEqual(scrape.sum("grpc_server_msg_sent_total", grpc_method=method), messages[1])
        self.assertEqual(scrape.sum("grpc_server_handling_seconds_count", grpc_method=method),
                         started)
        self.assertEqual(scrape.sum("grpc_server_in_flight", grpc_method=method), 0)

    def test_unary_calls(self):
        with rs.channel_to(self.server.address) as channel:
            for _ in range(5):
                rs.evaluate(channel)(rs.evaluate_request(), timeout=rs.CALL_SECONDS)
        self.check("Evaluate", ["OK"], 5, (5, 5))
        scrape = Scrape(self.server)
        self.assertEqual(scrape.sum("grpc_server_started_total", grpc_type="unary",
                                    grpc_service=rs.SERVICE, grpc_method="Evaluate"), 5)
        self.assertEqual(scrape.sum("grpc_server_started_total", grpc_method="Gradient"), 0)
        seconds = scrape.sum("grpc_server_handling_seconds_sum", grpc_method="Evaluate")
        self.assertTrue(0 < seconds < 60, seconds)

    def test_errors_by_code(self):
        with rs.channel_to(self.server.address) as channel:
            for _ in range(3):
                with self.assertRaises(grpc.RpcError):
                    rs.evaluate(channel)(rs.evaluate_request(rs.evaluation("no_such")),
                                         timeout=rs.CALL_SECONDS)
        self.check("Evaluate", ["NotFound"], 3, (3, 0))

    def test_streams(self):
        chunks = [rs.pb.EvaluateStreamRequest(evaluation=rs.evaluation())] * 4
        with rs.channel_to(self.server.address) as channel:
            replies = list(rs.evaluate_stream(channel)(iter(chunks), timeout=rs.CALL_SECONDS))
        self.assertEqual(len(replies), 4)
        self.check("EvaluateStream", ["OK"], 1, (4, 4))

    def test_a_cancelled_stream_is_in_flight_and_then_handled_once(self):
        with rs.channel_to(self.server.address) as channel:
            def requests():
                yield rs.pb.EvaluateStreamRequest(evaluation=rs.evaluation())
                time.sleep(rs.CALL_SECONDS)
            stream = rs.evaluate_stream(channel)(requests())
            next(stream)
            self.assertEqual(Scrape(self.server).sum("grpc_server_in_flight",
                                                     grpc_type="bidi_stream",
                                                     grpc_method="EvaluateStream"), 1)
            stream.cancel()
        self.eventually(lambda s: s.sum("grpc_server_in_flight") == 0, "still in flight")
        # OK where the handler took the end of the requests for a client that has no more to say.
        self.check("EvaluateStream", ["Canceled", "OK"], 1, (1, 1))

    def test_calls_whose_clients_leave_are_handled_once(self):
        calls = 50
        with rs.channel_to(self.server.address) as channel:
            request = rs.evaluate_request(rs.evaluation(values=[0.5] * 200_000))
            for i in range(calls):
                future = rs.evaluate(channel).future(request)
                time.sleep(i * 1e-4)
                future.cancel()
        self.eventually(lambda s: s.sum("grpc_server_in_flight") == 0, "still in flight")
        scrape = Scrape(self.server)
        started = scrape.sum("grpc_server_started_total", grpc_method="Evaluate")
        self.assertLessEqual(started, calls)
        self.assertEqual(scrape.sum("grpc_server_handled_total", grpc_method="Evaluate"), started)
        self.assertEqual(scrape.sum("grpc_server_handling_seconds_count", grpc_method="Evaluate"),
                         started)

    def test_a_connection_that_breaks_leaves_nothing_in_flight(self):
        channel_context = rs.channel_to(self.server.address)
        channel = channel_context.__enter__()
        watch = rs.health_watch(channel)("")
        next(watch)
        self.assertEqual(Scrape(self.server).sum("grpc_server_in_flight"), 1)
        channel_context.__exit__(None, None, None)
        self.eventually(lambda s: s.sum("grpc_server_in_flight") == 0, "still in flight")
        handled = Scrape(self.server).sum("grpc_server_handled_total", grpc_method="Watch")
        self.assertEqual(handled, 1)

    def test_elements_by_activation_and_type(self):
        def evaluation(name, data_type, count):
            size = {rs.pb.DATA_TYPE_FLOAT32: 4, rs.pb.DATA_TYPE_FLOAT64: 8,
                    rs.pb.DATA_TYPE_FLOAT16: 2, rs.pb.DATA_TYPE_BFLOAT16: 2}[data_type]
            return rs.pb.Evaluation(activation=rs.pb.Activation(name=name),
                                    input=rs.pb.Tensor(data_type=data_type,
                                                       data=bytes(size * count)))
        with rs.channel_to(self.server.address) as channel:
            rs.evaluate(channel)(rs.evaluate_request(
                evaluation("gelu", rs.pb.DATA_TYPE_FLOAT32, 7),
                evaluation("gelu", rs.pb.DATA_TYPE_FLOAT32, 5),
                evaluation("relu", rs.pb.DATA_TYPE_BFLOAT16, 100_000)), timeout=rs.CALL_SECONDS)
        scrape = Scrape(self.server)
        name = "activation_elements_total"
        self.assertEqual(scrape.sum(name, activation="gelu", data_type="float32"), 12)
        self.assertEqual(scrape.sum(name, activation="relu", data_type="bfloat16"), 100_000)
        self.assertEqual(scrape.sum(name), 100_012)

    def test_labels_hold_nothing_that_a_client_made_up(self):
        before = set(Scrape(self.server).samples)
        with rs.channel_to(self.server.address) as channel:
            catalogue = rs.list_activations(channel)(rs.pb.ListActivationsRequest(),
                                                     timeout=rs.CALL_SECONDS)
            for path in ("/made.Up/Method", f"/{rs.SERVICE}/MadeUp", "/made_up"):
                with self.assertRaises(grpc.RpcError):
                    channel.unary_unary(path)(b"", timeout=rs.CALL_SECONDS)
            with self.assertRaises(grpc.RpcError):
                rs.evaluate(channel)(rs.evaluate_request(rs.evaluation("made_up")),
                                     timeout=rs.CALL_SECONDS)
        scrape = Scrape(self.server)
        new = {n for n, _ in set(scrape.samples) - before}
        self.assertEqual({n for n in new if not n.startswith("exposer_")}, set())
        self.assertEqual(scrape.label_values("activation"),
                         {a.name for a in catalogue.activations} | {"formula"})

    def test_build_information(self):
        with rs.channel_to(self.server.address) as channel:
            info = rs.server_info(channel)(rs.pb.GetServerInfoRequest(), timeout=rs.CALL_SECONDS)
        self.assertEqual(Scrape(self.server).sum("activation_build_info", version=info.version,
                                                 simd_target=info.simd_target), 1)

    def cpu_seconds(self):
        """What the kernel says, in ticks of 10 ms."""
        with open(f"/proc/{self.server.pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")

    def test_process_figures_agree_with_the_kernel(self):
        with open(f"/proc/{self.server.pid}/status", encoding="ascii") as file:
            status = dict(line.split(":", 1) for line in file)
        resident = 1024 * int(status["VmRSS"].split()[0])
        before = self.cpu_seconds()
        scrape = Scrape(self.server)
        after = self.cpu_seconds()
        self.assertAlmostEqual(scrape.sum("process_resident_memory_bytes") / resident, 1, delta=0.5)
        self.assertAlmostEqual(scrape.sum("process_start_time_seconds"), time.time(), delta=60)
        self.assertAlmostEqual(scrape.sum("process_threads"), int(status["Threads"]), delta=4)
        self.assertGreater(scrape.sum("process_virtual_memory_bytes"), resident)
        self.assertTrue(before <= scrape.sum("process_cpu_seconds_total") <= after)
        self.assertTrue(3 < scrape.sum("process_open_fds") < scrape.sum("process_max_fds"))

    def test_the_latency_buckets_go_from_10_us_to_10_s_and_more(self):
        bounds = sorted(float(b) for b in Scrape(self.server).label_values("le"))
        self.assertEqual(bounds[0], 10e-6)
        self.assertGreaterEqual(bounds[-2], 10)
        self.assertEqual(bounds[-1], float("inf"))

    def test_requests_that_never_end_do_not_block_the_next(self):
        host, port = self.server.metrics_address.rsplit(":", 1)
        with contextlib.ExitStack() as stack:
            for _ in range(40):
                half = stack.enter_context(socket.create_connection((host, int(port)), timeout=10))
                half.sendall(b"GET /met")
            self.assertIn("activation_build_info", self.server.metrics_text())

    @unittest.skipUnless(shutil.which("promtool"), "promtool is not installed")
    def test_promtool_has_no_complaint(self):
        result = subprocess.run(["promtool", "check", "metrics"], input=self.server.metrics_text(),
                                capture_output=True, text=True, check=False)
        self.assertEqual((result.returncode, result.stdout + result.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
