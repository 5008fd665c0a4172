"""The command line: every wrong value is refused with exit code 2, by flag, value and what is right."""

import unittest

import running_server as rs

# Flags, and what the message must contain.
WRONG = [
    (["--no-such-flag"], ["--no-such-flag"]),
    (["stray"], ["stray"]),
    (["--listen=localhost"], ["--listen=localhost", "port is missing", "host:port"]),
    (["--listen=:50051"], ["--listen=:50051", "host is missing", "0.0.0.0"]),
    (["--listen=127.0.0.1:65536"], ["--listen=127.0.0.1:65536", "0 to 65535"]),
    (["--listen=127.0.0.1:-1"], ["--listen=127.0.0.1:-1", "0 to 65535"]),
    (["--listen=127.0.0.1:http"], ["--listen=127.0.0.1:http", "0 to 65535"]),
    (["--listen=::1:50051"], ["--listen=::1:50051", "brackets"]),
    (["--listen=http://a:1"], ["--listen=http://a:1", "host:port"]),
    (["--listen=unix:"], ["--listen=unix:", "path is missing"]),
    (["--listen=unix:/" + "x" * 107], ["108 bytes", "107"]),
    (["--listen=127.0.0.1:0,oops"], ["--listen=oops"]),
    (["--listen"], ["--listen"]),
    (["--metrics-listen=on"], ["--metrics-listen=on", "host:port"]),
    (["--metrics-listen=unix:/x"], ["--metrics-listen=unix:/x", "or off"]),
    (["--metrics-listen=[::1]:0"], ["--metrics-listen=[::1]:0", "IPv4"]),
    (["--reflection=yes"], ["--reflection=yes", "on or off"]),
    (["--threads=0"], ["--threads=0", "from 1 to 1024"]),
    (["--threads=1025"], ["--threads=1025", "from 1 to 1024"]),
    (["--threads=two"], ["--threads=two", "from 1 to 1024"]),
    (["--threads=1KiB"], ["--threads=1KiB", "from 1 to 1024"]),
    (["--threads=2.5"], ["--threads=2.5", "from 1 to 1024"]),
    (["--max-message-bytes=1023"], ["--max-message-bytes=1023", "from 1024 to 1073741824"]),
    (["--max-message-bytes=2GiB"], ["--max-message-bytes=2GiB", "from 1024 to 1073741824"]),
    (["--max-message-bytes=9223372036854775807KiB"], ["--max-message-bytes", "from 1024 to"]),
    (["--max-message-bytes=-1GiB"], ["--max-message-bytes=-1GiB", "from 1024 to"]),
    (["--max-batch-items=0"], ["--max-batch-items=0", "from 1 to 1000000"]),
    (["--max-compare-points=-5"], ["--max-compare-points=-5", "from 1 to 100000000000"]),
    (["--max-compare-candidates=0"], ["--max-compare-candidates=0", "from 1 to 1024"]),
    (["--max-pending-bytes=1MiB"], ["--max-pending-bytes=1048576", "--max-message-bytes"]),
    (["--lame-duck=5"], ["--lame-duck=5", "0s to 1h", "as 5s"]),
    (["--lame-duck=-5s"], ["--lame-duck=-5s", "0s to 1h"]),
    (["--shutdown-timeout=2h"], ["--shutdown-timeout=2h", "0s to 1h"]),
    (["--shutdown-timeout=inf"], ["--shutdown-timeout=inf", "0s to 1h"]),
    (["--tls-cert=a"], ["--tls-cert=a", "--tls-key"]),
    (["--tls-key=a"], ["--tls-key=a", "--tls-cert"]),
    (["--tls-client-ca=a"], ["--tls-client-ca=a", "--tls-cert"]),
]

FLAGS = ["listen", "metrics-listen", "reflection", "tls-cert", "tls-key", "tls-client-ca",
         "lame-duck", "shutdown-timeout", "threads", "max-message-bytes", "max-batch-items",
         "max-compare-points", "max-compare-candidates", "max-pending-bytes"]


class FlagsTest(unittest.TestCase):

    def test_a_wrong_flag_is_refused_by_name_and_value(self):
        for flags, expected in WRONG:
            with self.subTest(flags=flags):
                result = rs.run_to_end(*flags)
                self.assertEqual(result.returncode, 2, result.stderr)
                for text in expected:
                    self.assertIn(text, result.stderr)
                self.assertEqual(result.stdout, "")

    def test_a_wrong_variable_is_refused_like_its_flag(self):
        result = rs.run_to_end(env={"ACTIVATION_THREADS": "none"})
        self.assertEqual(result.returncode, 2)
        self.assertIn("--threads=none", result.stderr)

    def test_help_shows_every_flag_and_its_variable(self):
        result = rs.run_to_end("--help")
        self.assertEqual(result.returncode, 0)
        for flag in FLAGS:
            self.assertIn(f"--{flag} ", result.stdout)
            self.assertIn("ACTIVATION_" + flag.upper().replace("-", "_") + ")", result.stdout)

    def test_version(self):
        result = rs.run_to_end("--version")
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.stdout, r"^activation-server \d+\.\d+\.\d+\n$")

    def test_flags_reach_the_server(self):
        flags = ["--threads=3", "--max-message-bytes=1MiB", "--max-batch-items=7",
                 "--max-compare-points=1000", "--max-compare-candidates=5",
                 "--max-pending-bytes=3000000"]
        with rs.serving(*flags) as server, rs.channel_to(server.address) as channel:
            info = rs.server_info(channel)(rs.pb.GetServerInfoRequest(), timeout=rs.CALL_SECONDS)
        self.assertEqual(info.threads, 3)
        self.assertEqual(info.limits.max_message_bytes, 1 << 20)
        self.assertEqual(info.limits.max_batch_items, 7)
        self.assertEqual(info.limits.max_compare_points, 1000)
        self.assertEqual(info.limits.max_compare_candidates, 5)
        self.assertEqual(info.limits.max_pending_bytes, 3_000_000)

    def test_the_command_line_wins_over_the_environment_and_an_empty_variable_counts_for_nothing(self):
        env = {"ACTIVATION_THREADS": "4", "ACTIVATION_MAX_BATCH_ITEMS": "9",
               "ACTIVATION_LAME_DUCK": "", "ACTIVATION_LISTEN": "127.0.0.1:0,127.0.0.1:0"}
        with rs.serving("--threads=3", env=env) as server, rs.channel_to(server.address) as channel:
            info = rs.server_info(channel)(rs.pb.GetServerInfoRequest(), timeout=rs.CALL_SECONDS)
        self.assertEqual(info.threads, 3)
        self.assertEqual(info.limits.max_batch_items, 9)


if __name__ == "__main__":
    unittest.main()
