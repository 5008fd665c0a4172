"""Times the engine beside PyTorch (Debian's python3-torch) on the CPU, one thread, float32 and float64.

Usage: /usr/bin/python3 tests/bench/pytorch_bench.py [--capability avx2|avx512] [--markdown FILE]
           [--types float32,float64] [--sizes N,N,...] [--alternations N] build/release/bin/engine_bench

The two take turns, each for a while in its own process: engine_bench --ours, then the same function in
PyTorch. A figure is the smallest over the rounds of all turns, CPU time of the process,
nanoseconds per element. Inputs are distributed alike: normal, deviation 3. PyTorch writes into an output
that has been touched (aten's out= variants of torch.nn.functional's functions), as the engine does. Its
calls come from Python, ours from C++: what a call on 16 elements costs stands in a column of its own, and
explains most of 4,096 elements.

--capability sets ATEN_CPU_CAPABILITY (PyTorch's own choice on AVX-512 machines is avx2) and holds the engine,
and the oneDNN within PyTorch, to AVX2 where it is avx2.
"""

import argparse
import json
import math
import os
import re
import statistics
import subprocess
import sys
import time

DEVIATION = 3
# As the engine's own (race.h): elements of a call -> calls timed together, rounds in a turn.
SIZES = {1 << 12: (128, 101), 1 << 16: (8, 101), 1 << 20: (1, 51), 1 << 26: (1, 9)}


# Where PyTorch's results are compared with the formulas, and the largest difference allowed: float32
# rounding is far below, gelu and gelu_tanh are 4e-4 apart at 2.5.
CHECKED = [-5, -2.5, -1, -0.25, 0.125, 1, 2.5, 5]
MAX_DIFFERENCE = 1e-5


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


# By the catalogue's name: aten's function, its options, its definition.
PEERS = {
    "gelu": ("gelu", {}, lambda x: x * math.erfc(-x / math.sqrt(2)) / 2),
    "gelu_tanh": ("gelu", {"approximate": "tanh"},
                  lambda x: x * sigmoid(2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    "sigmoid": ("sigmoid", {}, sigmoid),
    "tanh": ("tanh", {}, math.tanh),
    "silu": ("silu", {}, lambda x: x * sigmoid(x)),
    "softplus": ("softplus", {}, lambda x: math.log1p(math.exp(x))),
    "elu": ("elu", {}, lambda x: x if x > 0 else math.expm1(x)),
    "mish": ("mish", {}, lambda x: x * math.tanh(math.log1p(math.exp(x)))),
}


def writer(torch, name):
    """A function of (x, out), checked to be the one that the catalogue means."""
    function, keywords, definition = PEERS[name]
    overload = getattr(torch.ops.aten, function).out

    def run(x, out):
        overload(x, out=out, **keywords)

    x = torch.tensor(CHECKED, dtype=torch.float32)
    y = torch.empty_like(x)
    run(x, y)
    for argument, result in zip(CHECKED, y.tolist()):
        if abs(result - definition(argument)) > MAX_DIFFERENCE:
            raise AssertionError(f"{name}({argument}) is {result} in PyTorch")
    return run


def time_torch(torch, run, x, calls, rounds):
    """Smallest nanoseconds per call."""
    out = torch.zeros_like(x)
    run(x, out)
    samples = []
    for _ in range(rounds):
        begin = time.process_time_ns()
        for _ in range(calls):
            run(x, out)
        samples.append(time.process_time_ns() - begin)
    return min(samples) / calls


def time_ours(bench, simd, name, dtype, size):
    """Smallest nanoseconds per element; None where the catalogue has no such function."""
    pattern = f"^ours/{dtype}/value/{size}/{re.escape(name)}/"
    run = subprocess.run([bench, "--ours", *simd, f"--benchmark_filter={pattern}",
                          "--benchmark_format=json"], check=True, capture_output=True, text=True)
    if not run.stdout.strip():
        return None
    return json.loads(run.stdout)["benchmarks"][0]["ours"]


def race(torch, options, simd, name, dtype, size):
    """(ours, PyTorch's, of this the call), nanoseconds per element; None without ours."""
    run = writer(torch, name)
    generator = torch.Generator().manual_seed(1)
    x = torch.empty(size, dtype=getattr(torch, dtype)).normal_(0, DEVIATION, generator=generator)
    turns = []
    for _ in range(options.alternations):
        ours = time_ours(options.bench, simd, name, dtype, size)
        if ours is None:
            return None
        turns.append((ours, time_torch(torch, run, x, *SIZES[size]) / size,
                      time_torch(torch, run, x[:16], *SIZES[1 << 12]) / size))
    return tuple(min(column) for column in zip(*turns))


def table(dtype, size, rows):
    lines = [f"\n## {dtype}, {size} elements\n",
             "| function | ours, ns | PyTorch, ns | of which its call | ours/PyTorch |",
             "| --- | ---: | ---: | ---: | ---: |"]
    for name, (ours, theirs, call) in rows.items():
        lines.append(f"| {name} | {ours:.3f} | {theirs:.3f} | {call:.3f} | {ours / theirs:.2f} |")
    mean = math.exp(statistics.fmean(math.log(ours / theirs) for ours, theirs, _ in rows.values()))
    return "\n".join(lines + [f"| geometric mean | | | | **{mean:.2f}** |"]) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bench")
    parser.add_argument("--capability", choices=["avx2", "avx512"])
    parser.add_argument("--markdown")
    parser.add_argument("--types", default="float32,float64")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--alternations", type=int, default=3)
    options = parser.parse_args()
    simd = []
    if options.capability:
        os.environ["ATEN_CPU_CAPABILITY"] = options.capability
    if options.capability == "avx2":
        os.environ["DNNL_MAX_CPU_ISA"] = "AVX2"
        simd = ["--simd=AVX2"]
    import torch  # reads the environment

    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    load = os.getloadavg()[0]
    sections = []
    left_out = set()
    for dtype in options.types.split(","):
        for size in map(int, options.sizes.split(",")):
            rows = {}
            for name in PEERS:
                result = race(torch, options, simd, name, dtype, size)
                if result is None:
                    left_out.add(name)
                    continue
                rows[name] = result
            sections.append(table(dtype, size, rows))
    capability = re.search("CPU capability usage: (.*)", torch.__config__.show()).group(1)
    text = (f"<!-- Generated: {' '.join(['pytorch_bench.py', *sys.argv[1:]])} -->\n"
            "# The engine beside PyTorch\n\n"
            f"One thread; pytorch_bench.py says how. PyTorch {torch.__version__} with {capability}, the engine "
            f"with {'AVX2' if simd else 'what the machine has'}; load {load:.1f} before, "
            f"{os.getloadavg()[0]:.1f} after.\n" +
            "".join(f"Left out: the catalogue has no {name}.\n" for name in sorted(left_out)) +
            "".join(sections))
    print(text)
    if options.markdown:
        with open(options.markdown, "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
