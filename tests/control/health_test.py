"""gRPC's health protocol."""

import unittest

import grpc

import running_server as rs


class HealthTest(unittest.TestCase):

    def test_server_and_service_are_serving(self):
        with rs.serving() as server, rs.channel_to(server.address) as channel:
            for service in ("", rs.SERVICE):
                with self.subTest(service=service):
                    self.assertEqual(rs.health_check(channel)(service, timeout=rs.CALL_SECONDS),
                                     rs.SERVING)

    def test_an_unknown_service_is_not_found(self):
        with rs.serving() as server, rs.channel_to(server.address) as channel:
            with self.assertRaises(grpc.RpcError) as caught:
                rs.health_check(channel)("activation.v2.Other", timeout=rs.CALL_SECONDS)
            self.assertEqual(caught.exception.code(), grpc.StatusCode.NOT_FOUND)

    def test_health_says_not_serving_while_calls_are_still_served(self):
        with rs.serving("--lame-duck=20s") as server, rs.channel_to(server.address) as channel:
            watches = {s: rs.health_watch(channel)(s) for s in ("", rs.SERVICE)}
            for watch in watches.values():
                self.assertEqual(next(watch), rs.SERVING)
            server.signal()
            for service, watch in watches.items():
                with self.subTest(service=service):
                    self.assertEqual(next(watch), rs.NOT_SERVING)
                    self.assertEqual(rs.health_check(channel)(service, timeout=rs.CALL_SECONDS),
                                     rs.NOT_SERVING)
            rs.evaluate(channel)(rs.evaluate_request(), timeout=rs.CALL_SECONDS)


if __name__ == "__main__":
    unittest.main()
