// A Node.js program's view of the server: every unary RPC through @grpc/grpc-js, without generated code.
// Usage: ACTIVATION_SERVER_BINARY=path ACTIVATION_PROTO=path node --test node_client.test.mjs
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { promisify } from "node:util";

import grpc from "@grpc/grpc-js";
import protoLoader from "@grpc/proto-loader";

let server, client;
const call = (method, request) => promisify(client[method].bind(client))(request);

before(async () => {
  server = spawn(process.env.ACTIVATION_SERVER_BINARY,
    ["--listen=127.0.0.1:0", "--metrics-listen=off", "--lame-duck=0"],
    { stdio: ["ignore", "inherit", "pipe"] });
  let address;
  for await (const line of createInterface(server.stderr)) {
    address = /^listening on (127\.0\.0\.1:\d+)$/.exec(line)?.[1];
    if (address) break;
  }
  server.stderr.resume();
  const definition = protoLoader.loadSync(process.env.ACTIVATION_PROTO, { longs: Number, defaults: true });
  const { activation } = grpc.loadPackageDefinition(definition);
  client = new activation.v1.ActivationService(address, grpc.credentials.createInsecure());
});

after(async () => {
  client.close();
  const stopped = new Promise((resolve) => server.once("exit", resolve));
  server.kill("SIGTERM");
  assert.equal(await stopped, 0);
});

test("Evaluate takes and returns packed bytes", async () => {
  const input = Buffer.from(new Float32Array([-6, 0.5, Infinity]).buffer);
  const { results } = await call("Evaluate", {
    evaluations: [{ activation: { name: "gelu" }, input: { dataType: "DATA_TYPE_FLOAT32", shape: [3], data: input } }],
  });
  const bits = new Uint32Array(Uint8Array.from(results[0].output.data).buffer);
  assert.deepEqual([...bits], [0xb1cb64b3, 0x3eb103af, 0x7f800000]);
});

test("Gradient multiplies by upstream and sums the parameter's gradient", async () => {
  const { results } = await call("Gradient", {
    gradients: [{
      activation: { name: "leaky_relu", parameters: { negative_slope: 0.25 } },
      input: { doubleValues: [-2, 3] }, upstream: { doubleValues: [10, 20] },
      returnValue: true, returnParameterGradients: true,
    }],
  });
  assert.deepEqual(results[0].gradient.doubleValues, [2.5, 20]);
  assert.deepEqual(results[0].value.doubleValues, [-0.5, 3]);
  assert.deepEqual(results[0].parameterGradients, { negative_slope: -20 });
});

test("CompareApproximations reports the largest gap of gelu_sigmoid", async () => {
  const { reports } = await call("CompareApproximations", {
    reference: { name: "gelu" }, candidates: [{ name: "gelu_sigmoid" }],
    grid: { from: -10, to: 10, points: 20001 },
  });
  assert.ok(Math.abs(reports[0].maxAbsoluteError.error - 2.0335e-2) < 1e-6);
});

test("ListActivations and GetServerInfo describe the server", async () => {
  const { activations } = await call("ListActivations", {});
  assert.ok(activations.some((a) => a.name === "gelu_tanh" && a.aliases.includes("gelu_new")));
  const info = await call("GetServerInfo", {});
  assert.match(info.version, /^\d+\.\d+\.\d+$/);
});

test("a wrong byte count is INVALID_ARGUMENT and names the field", async () => {
  const request = {
    evaluations: [{ activation: { name: "relu" }, input: { dataType: "DATA_TYPE_FLOAT32", shape: [2], data: Buffer.alloc(7) } }],
  };
  await assert.rejects(call("Evaluate", request), (error) =>
    error.code === grpc.status.INVALID_ARGUMENT && error.details.includes("evaluations[0].input.data"));
});
