"""Where the server listens: ports, unix sockets, and what happens when a place is taken."""

import os
import socket
import tempfile
import unittest

import grpc

import running_server as rs


def call(address):
    with rs.channel_to(address) as channel:
        return rs.server_info(channel)(rs.pb.GetServerInfoRequest(), timeout=rs.CALL_SECONDS)


class AddressTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "activation.sock")

    def refused(self, *flags):
        """What a server says that does not start."""
        result = rs.run_to_end(*flags)
        self.assertEqual(result.returncode, 1, result.stderr)
        return result.stderr.splitlines()[-1]

    def test_serves_on_each_of_several_addresses(self):
        with rs.serving("--listen=127.0.0.1:0", "--listen=localhost:0",
                        f"--listen=unix:{self.path}") as server:
            self.assertEqual(server.addresses[2], f"unix:{self.path}")
            for address in server.addresses:
                self.assertNotEqual(address[-2:], ":0")
                self.assertGreaterEqual(call(address).threads, 1)

    def test_every_interface_includes_ipv6(self):
        with rs.serving("--listen=0.0.0.0:0") as server:
            port = server.address.rpartition(":")[2]
            self.assertGreaterEqual(call(f"127.0.0.1:{port}").threads, 1)
            if socket.has_dualstack_ipv6():
                self.assertGreaterEqual(call(f"[::1]:{port}").threads, 1)

    def test_a_second_server_on_the_same_port_is_refused(self):
        with rs.serving() as server:
            message = self.refused(f"--listen={server.address}", "--metrics-listen=off")
            self.assertIn(f"can't listen on {server.address}", message)
            self.assertIn("another process has it", message)
            self.assertGreaterEqual(call(server.address).threads, 1)

    def test_a_taken_metrics_port_is_refused(self):
        with rs.serving() as server:
            message = self.refused("--listen=127.0.0.1:0",
                                   f"--metrics-listen={server.metrics_address}")
            self.assertIn(f"can't serve metrics on {server.metrics_address}", message)

    def test_metrics_can_be_off(self):
        with rs.serving("--metrics-listen=off") as server:
            self.assertIsNone(server.metrics_address)
            self.assertGreaterEqual(call(server.address).threads, 1)

    def test_a_unix_socket_of_a_live_server_is_left_alone(self):
        with rs.serving(f"--listen=unix:{self.path}") as server:
            message = self.refused(f"--listen=unix:{self.path}", "--metrics-listen=off")
            self.assertIn(f"unix:{self.path}", message)
            self.assertIn("another server listens there", message)
            self.assertGreaterEqual(call(server.address).threads, 1)

    def test_a_unix_socket_of_a_dead_server_is_replaced(self):
        with rs.serving(f"--listen=unix:{self.path}"):
            pass  # Killed, so the file stays.
        self.assertTrue(os.path.exists(self.path))
        with rs.serving(f"--listen=unix:{self.path}") as server:
            self.assertGreaterEqual(call(server.address).threads, 1)

    def test_a_unix_socket_is_gone_after_a_drain(self):
        with rs.serving(f"--listen=unix:{self.path}") as server:
            server.signal()
            self.assertEqual(server.wait(), 0)
        self.assertFalse(os.path.exists(self.path))

    def test_a_file_is_not_replaced_by_a_unix_socket(self):
        with open(self.path, "w", encoding="ascii") as file:
            file.write("precious")
        message = self.refused(f"--listen=unix:{self.path}", "--metrics-listen=off")
        self.assertIn("no socket", message)
        with open(self.path, encoding="ascii") as file:
            self.assertEqual(file.read(), "precious")

    def test_an_address_of_another_machine_is_refused(self):
        message = self.refused("--listen=192.0.2.1:0", "--metrics-listen=off")  # RFC 5737: nobody's.
        self.assertIn("can't listen on 192.0.2.1:0", message)

    def test_garbage_on_the_port_does_no_harm(self):
        with rs.serving() as server:
            host, _, port = server.address.rpartition(":")
            for garbage in (b"GET / HTTP/1.1\r\n\r\n", os.urandom(4096), b""):
                with socket.create_connection((host, int(port))) as connection:
                    connection.sendall(garbage)
            self.assertGreaterEqual(call(server.address).threads, 1)


class TransportTest(unittest.TestCase):

    def test_a_request_above_the_limit_is_resource_exhausted_and_the_next_one_is_served(self):
        with rs.serving("--max-message-bytes=1MiB") as server:
            with rs.channel_to(server.address) as channel:
                large = rs.evaluate_request(rs.evaluation(values=[1.0] * (1 << 18)))
                with self.assertRaises(grpc.RpcError) as caught:
                    rs.evaluate(channel)(large, timeout=rs.CALL_SECONDS)
                self.assertEqual(caught.exception.code(), grpc.StatusCode.RESOURCE_EXHAUSTED)
                rs.evaluate(channel)(rs.evaluate_request(), timeout=rs.CALL_SECONDS)

    def test_messages_up_to_the_limit_pass_both_ways(self):
        with rs.serving("--max-message-bytes=6MiB") as server:
            options = [("grpc.max_receive_message_length", -1)]
            with rs.channel_to(server.address, options=options) as channel:
                reply = rs.evaluate(channel)(
                    rs.evaluate_request(rs.evaluation(values=[1.0] * (5 << 18))),
                    timeout=rs.CALL_SECONDS)
        self.assertEqual(len(reply.results[0].output.float_values), 5 << 18)

    def test_reflection_can_be_off(self):
        for setting, code in (("on", None), ("off", grpc.StatusCode.UNIMPLEMENTED)):
            with self.subTest(reflection=setting), rs.serving(f"--reflection={setting}") as server:
                with rs.channel_to(server.address) as channel:
                    info = channel.stream_stream(
                        "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo")
                    list_services = b"\x3a\x01*"  # ServerReflectionRequest {list_services: "*"}
                    replies = info(iter([list_services]), timeout=rs.CALL_SECONDS)
                    if code is None:
                        self.assertIn(rs.SERVICE.encode(), next(replies))
                    else:
                        with self.assertRaises(grpc.RpcError) as caught:
                            next(replies)
                        self.assertEqual(caught.exception.code(), code)


if __name__ == "__main__":
    unittest.main()
