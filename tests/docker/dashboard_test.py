"""Each query of the dashboard and of the alerts, against a real Prometheus that reads a loaded server.

A query fails the test if Prometheus refuses it, or if it gives no number: then the panel would be empty.
"""

import contextlib
import json
import math
import os
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.parse
import urllib.request

import grpc

import running_server as rs
from activation.v1 import activation_pb2 as pb

DOCKER = os.environ["ACTIVATION_DOCKER"]
# rate() needs two samples that differ, and errors a few calls.
LOAD_SECONDS = 10

# What Grafana puts in place of its variables, with every server and method chosen.
VARIABLES = {"$__rate_interval": "8s", "$instance": ".+", "$method": ".+"}
# As in VARIABLES, but the panel is repeated by method, each with one.
REPEATED = {**VARIABLES, "$method": "Evaluate"}


def read(*path):
    with open(os.path.join(DOCKER, *path), encoding="utf-8") as file:
        return file.read()


def dashboard():
    return json.loads(read("grafana", "dashboards", "activation.json"))


def substitute(query, variables):
    for name, value in variables.items():
        query = query.replace(name, value)
    return query


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Prometheus:
    """Debian's Prometheus with docker/prometheus's own settings, but the server's real address."""

    def __init__(self, folder, target):
        settings = read("prometheus", "prometheus.yml")
        for old, new in (("server:9464", target), ("scrape_interval: 5s", "scrape_interval: 1s")):
            assert old in settings, old
            settings = settings.replace(old, new)
        with open(os.path.join(folder, "prometheus.yml"), "w", encoding="utf-8") as file:
            file.write(settings)
        shutil.copy(os.path.join(DOCKER, "prometheus", "alerts.yml"), folder)
        address = f"127.0.0.1:{free_port()}"
        self._url = f"http://{address}/api/v1/"
        self._log = open(os.path.join(folder, "log"), "w+", encoding="utf-8")
        self._process = subprocess.Popen(
            ["prometheus", f"--config.file={folder}/prometheus.yml",
             f"--storage.tsdb.path={folder}/data", f"--web.listen-address={address}"],
            stdout=self._log, stderr=self._log)
        end = time.monotonic() + rs.START_SECONDS
        while not self._is_ready(address):
            if self._process.poll() is not None or time.monotonic() > end:
                self._log.seek(0)
                raise AssertionError("Prometheus did not start:\n" + self._log.read())
            time.sleep(0.1)

    @staticmethod
    def _is_ready(address):
        with contextlib.suppress(OSError):
            with urllib.request.urlopen(f"http://{address}/-/ready", timeout=2) as reply:
                return reply.status == 200
        return False

    def get(self, what, **parameters):
        """The data of a reply; a refused query is an AssertionError."""
        url = self._url + what + "?" + urllib.parse.urlencode(parameters)
        try:
            with urllib.request.urlopen(url, timeout=20) as reply:
                return json.load(reply)["data"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{parameters}: {error.read().decode()}") from error

    def numbers(self, query):
        """The finite values that a query gives now."""
        values = (float(series["value"][1]) for series in self.get("query", query=query)["result"])
        return [v for v in values if math.isfinite(v)]

    def stop(self):
        self._process.kill()
        self._process.wait()
        self._log.close()


def evaluation(name, data_type, count=1000):
    size = {pb.DATA_TYPE_FLOAT32: 4, pb.DATA_TYPE_FLOAT64: 8}.get(data_type, 2)
    return pb.Evaluation(activation=pb.Activation(name=name),
                         input=pb.Tensor(data_type=data_type, data=bytes(size * count)))


def load_once(channel):
    """Calls every method with success, and some in a way that fails."""
    types = [pb.DATA_TYPE_FLOAT32, pb.DATA_TYPE_FLOAT64, pb.DATA_TYPE_FLOAT16,
             pb.DATA_TYPE_BFLOAT16]
    batch = [evaluation(n, t) for n in ("gelu", "relu", "tanh") for t in types]
    comparison = pb.CompareApproximationsRequest(
        reference=pb.Activation(name="gelu"), candidates=[pb.Activation(name="gelu_tanh")],
        grid=pb.Grid(**{"from": -10, "to": 10, "points": 1001}))
    options = {"timeout": rs.CALL_SECONDS}
    rs.evaluate(channel)(pb.EvaluateRequest(evaluations=batch), **options)
    rs.gradient(channel)(pb.GradientRequest(gradients=[
        pb.GradientEvaluation(activation=e.activation, input=e.input) for e in batch]), **options)
    rs.compare(channel)(comparison, **options)
    rs.server_info(channel)(pb.GetServerInfoRequest(), **options)
    rs.list_activations(channel)(pb.ListActivationsRequest(), **options)
    list(rs.evaluate_stream(channel)(
        iter([pb.EvaluateStreamRequest(evaluation=e) for e in batch]), **options))
    list(rs.gradient_stream(channel)(iter([pb.GradientStreamRequest(
        gradient=pb.GradientEvaluation(activation=e.activation, input=e.input)) for e in batch]),
        **options))
    list(rs.compare_stream(channel)(
        pb.CompareApproximationsStreamRequest(comparison=comparison), **options))
    for wrong in (pb.EvaluateRequest(), rs.evaluate_request(rs.evaluation("no_such"))):
        with contextlib.suppress(grpc.RpcError):
            rs.evaluate(channel)(wrong, **options)


class DashboardTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        with contextlib.ExitStack() as stack:
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            server = stack.enter_context(rs.serving())
            channel = stack.enter_context(rs.channel_to(server.address))
            cls.prometheus = Prometheus(folder, server.metrics_address)
            stack.callback(cls.prometheus.stop)
            # Goes on while the tests ask, so that rates stay above 0.
            stopping = threading.Event()
            failures = []

            def load():
                try:
                    while not stopping.is_set():
                        load_once(channel)
                        time.sleep(0.05)
                except grpc.RpcError as error:
                    failures.append(error)
            thread = threading.Thread(target=load)
            thread.start()
            stack.callback(thread.join)
            stack.callback(stopping.set)
            time.sleep(LOAD_SECONDS)
            if failures:
                raise failures[0]
            cls.addClassCleanup(stack.pop_all().close)

    def targets(self):
        """(title, query, variables) of each query of each panel."""
        for panel in dashboard()["panels"]:
            variables = REPEATED if "repeat" in panel else VARIABLES
            for target in panel.get("targets", []):
                yield panel["title"], target["expr"], variables

    def test_every_query_gives_numbers(self):
        count = 0
        for title, query, variables in self.targets():
            with self.subTest(panel=title, query=query):
                query = substitute(query, variables)
                self.assertNotIn("$", query, "a variable that this test doesn't know")
                self.assertTrue(self.prometheus.numbers(query), "an empty panel")
            count += 1
        self.assertGreater(count, 15)

    def test_every_method_has_rate_and_latency(self):
        methods = {m.name for m in pb.DESCRIPTOR.services_by_name["ActivationService"].methods}
        rate = 'sum by (grpc_method) (rate(grpc_server_handled_total{grpc_code="OK"}[8s])) > 0'
        seen = {r["metric"]["grpc_method"]
                for r in self.prometheus.get("query", query=rate)["result"]}
        self.assertEqual(methods - seen, set())

    def test_every_variable_has_choices(self):
        for variable in dashboard()["templating"]["list"]:
            if variable["type"] != "query":
                continue
            with self.subTest(variable=variable["name"]):
                query = variable["query"]["query"]
                self.assertTrue(query.startswith("label_values(") and query.endswith(")"), query)
                series, _, label = query[len("label_values("):-1].rpartition(",")
                found = self.prometheus.get("series", **{"match[]": series})
                self.assertTrue({s[label.strip()] for s in found})

    def test_panels_are_whole(self):
        panels = dashboard()["panels"]
        self.assertEqual(len({p["id"] for p in panels}), len(panels))
        for panel in panels:
            if panel["type"] == "row":
                continue
            with self.subTest(panel=panel["title"]):
                self.assertTrue(panel["description"])
                self.assertTrue(panel["fieldConfig"]["defaults"]["unit"])
                for target in panel["targets"]:
                    self.assertEqual(target["datasource"]["uid"], "${datasource}")

    def test_every_alert_is_evaluated_and_quiet(self):
        rules = [r for g in self.prometheus.get("rules")["groups"] for r in g["rules"]]
        self.assertGreaterEqual(len(rules), 3)
        for rule in rules:
            with self.subTest(alert=rule["name"]):
                self.assertNotEqual(rule["health"], "err", rule.get("lastError"))
                self.assertEqual(self.prometheus.get("query", query=rule["query"])["result"], [])
                # The comparison's left side must be there, or the alert could never fire.
                measured = rule["query"].replace("== 0", "").rpartition(" > ")[0] or \
                    rule["query"].replace("== 0", "")
                self.assertTrue(self.prometheus.get("query", query=measured)["result"], measured)


if __name__ == "__main__":
    unittest.main()
