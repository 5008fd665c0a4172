"""The end of a server: no call is lost, and it ends in time whatever clients do."""

import json
import queue
import signal
import threading
import time
import unittest

import grpc

import running_server as rs

# As a client has it that spreads its calls and heeds health.
SERVICE_CONFIG = json.dumps({
    "loadBalancingConfig": [{"round_robin": {}}],
    "healthCheckConfig": {"serviceName": rs.SERVICE},
})


class Load:
    """Threads that call without pause and without retries; `done` and `failures` tell how it went."""

    def __init__(self, addresses, threads=4):
        self.done = 0
        self.failures = []
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._channel = rs.channel_to("ipv4:" + ",".join(addresses),
                                      options=[("grpc.service_config", SERVICE_CONFIG)])
        self._threads = [threading.Thread(target=self._run) for _ in range(threads)]

    def _run(self):
        call = rs.evaluate(self._opened)
        request = rs.evaluate_request(rs.evaluation(values=[1.0] * 1000))
        while not self._stop.is_set():
            try:
                call(request, timeout=rs.CALL_SECONDS, wait_for_ready=True)
                with self._lock:
                    self.done += 1
            except grpc.RpcError as error:
                with self._lock:
                    self.failures.append(f"{error.code()}: {error.details()}")

    def __enter__(self):
        self._opened = self._channel.__enter__()
        for thread in self._threads:
            thread.start()
        return self

    def wait_for_more(self, calls):
        goal = self.done + calls
        end = time.monotonic() + rs.CALL_SECONDS
        while self.done < goal and time.monotonic() < end:
            time.sleep(0.01)
        if self.done < goal:
            raise AssertionError(f"no progress: {self.failures[:3]}")

    def __exit__(self, *error):
        self._stop.set()
        for thread in self._threads:
            thread.join()
        self._channel.__exit__(*error)


class OpenStream:
    """An EvaluateStream that goes on until told to end."""

    def __init__(self, channel):
        self._requests = queue.SimpleQueue()
        self._replies = rs.evaluate_stream(channel)(iter(self._requests.get, None))

    def exchange(self):
        self._requests.put(rs.pb.EvaluateStreamRequest(evaluation=rs.evaluation()))
        return next(self._replies)

    def finish(self):
        self._requests.put(None)
        return list(self._replies)

    def code(self):
        """Waits for the end, too."""
        code = self._replies.code()
        self._requests.put(None)
        return code


class DrainTest(unittest.TestCase):

    def test_both_signals_end_an_idle_server_with_exit_code_0(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(signal=number), rs.serving() as server:
                server.signal(number)
                self.assertEqual(server.wait(), 0)
                self.assertEqual(server.log[-1], "stopped\n")

    def test_a_drain_under_load_loses_no_call(self):
        with rs.serving("--lame-duck=2s") as leaving, rs.serving() as staying:
            with Load([leaving.address, staying.address]) as load:
                load.wait_for_more(200)
                leaving.signal()
                self.assertEqual(leaving.wait(), 0)
                load.wait_for_more(200)
        self.assertEqual(load.failures, [])

    def test_an_open_health_watch_does_not_hold_the_end_up(self):
        with rs.serving("--shutdown-timeout=1h") as server:
            with rs.channel_to(server.address) as channel:
                watch = rs.health_watch(channel)("")
                self.assertEqual(next(watch), rs.SERVING)
                start = time.monotonic()
                server.signal()
                self.assertEqual(server.wait(), 0)
                self.assertLess(time.monotonic() - start, 10)

    def test_an_open_health_watch_does_not_shorten_the_time_of_other_calls(self):
        with rs.serving("--shutdown-timeout=1h") as server:
            with rs.channel_to(server.address) as channel:
                next(rs.health_watch(channel)(""))
                stream = OpenStream(channel)
                stream.exchange()
                server.signal()
                self.wait_for_log(server, "stopping")
                time.sleep(2)
                stream.exchange()
                self.assertEqual(stream.finish(), [])
                self.assertEqual(stream.code(), grpc.StatusCode.OK)
                self.assertEqual(server.wait(), 0)

    def test_a_stream_in_flight_may_go_on_and_end_well(self):
        with rs.serving("--shutdown-timeout=20s") as server:
            with rs.channel_to(server.address) as channel:
                stream = OpenStream(channel)
                stream.exchange()
                server.signal()
                self.wait_for_log(server, "stopping")
                stream.exchange()
                self.assertEqual(stream.finish(), [])
                self.assertEqual(stream.code(), grpc.StatusCode.OK)
                start = time.monotonic()
                self.assertEqual(server.wait(), 0)
                self.assertLess(time.monotonic() - start, 10)

    def test_a_stream_without_end_is_cancelled_after_the_timeout(self):
        with rs.serving("--shutdown-timeout=1s") as server:
            with rs.channel_to(server.address) as channel:
                stream = OpenStream(channel)
                stream.exchange()
                start = time.monotonic()
                server.signal()
                self.assertEqual(server.wait(), 0)
                self.assertGreater(time.monotonic() - start, 0.9)
                self.assertIn(stream.code(),
                              (grpc.StatusCode.CANCELLED, grpc.StatusCode.UNAVAILABLE))

    def test_a_second_signal_ends_the_lame_duck_time(self):
        with rs.serving("--lame-duck=1h") as server:
            server.signal()
            self.wait_for_log(server, "draining")
            server.signal()
            self.assertEqual(server.wait(), 0)

    def test_a_third_signal_cancels_calls_in_flight(self):
        with rs.serving("--lame-duck=1h", "--shutdown-timeout=1h") as server:
            with rs.channel_to(server.address) as channel:
                stream = OpenStream(channel)
                stream.exchange()
                for step in ("draining", "stopping"):
                    server.signal(signal.SIGINT)
                    self.wait_for_log(server, step)
                server.signal(signal.SIGINT)
                self.assertEqual(server.wait(), 0)
                self.assertIn(stream.code(),
                              (grpc.StatusCode.CANCELLED, grpc.StatusCode.UNAVAILABLE))

    def wait_for_log(self, server, start):
        end = time.monotonic() + rs.CALL_SECONDS
        while not any(line.startswith(start) for line in server.log):
            self.assertLess(time.monotonic(), end, server.log)
            time.sleep(0.01)


if __name__ == "__main__":
    unittest.main()
