"""Prints the Markdown table of the results that `exhaustive --results` has recorded.

Usage: table.py PATH_OF_PROOFS_TSV
"""

import collections
import csv
import sys

# A column for each mode, in this order.
MODES = ["all", "sample", "parameters", "float64"]
TITLES = {
    "all": "every float32",
    "sample": "every 61st float32",
    "parameters": "random parameters",
    "float64": "float64: worst error",
}


def cell(row):
    if row is None:
        return ""
    if row["mode"] == "float64":
        text = f"{row['worst_ulp']} ULP at `{row['worst_input']}`" if row["worst_input"] else "exact"
        return text if row["wrong"] == "0" else f"**{row['wrong']} wrong**, {text}"
    inputs, wrong = int(row["inputs"]), int(row["wrong"])
    share = int(row["by_oracle"]) / inputs
    misrounded = f"{'**' * (wrong > 0)}{wrong:,} of {inputs:,}{'**' * (wrong > 0)}"
    return f"{misrounded} ({share:.1g}), {int(row['seconds'])} s"


def main(path):
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    modes = [mode for mode in MODES if any(row["mode"] == mode for row in rows)]
    found = {}
    for row in rows:
        found.setdefault((row["activation"], row["quantity"], row["target"]), {})[row["mode"]] = row
    seconds = sum(int(row["seconds"]) for row in rows)
    print("Misrounded results of all, in brackets the share that intervals could not decide, and ball "
          "arithmetic did, and\n"
          f"the time. {seconds:,} seconds in all; made by `tests/accuracy/exhaustive/prove_all`. "
          "(How many the engine's own\nfloat64 arithmetic leaves to its slow path is in "
          "[the benchmarks](../bench/results.md).)\n")
    print("Results, by where they were made:\n")
    origins = collections.Counter((row["revision"], row["machine"], row["sources"]) for row in rows)
    for (revision, machine, sources), count in sorted(origins.items()):
        print(f"- {count} at revision {revision}; machine: {machine}; the engine's sources: {sources}")
    print("\n| activation | | instruction set | " + " | ".join(TITLES[mode] for mode in modes) + " |")
    print("| --- " * (len(modes) + 3) + "|")
    # Of one function, the value comes first.
    for (activation, quantity, target), by_mode in sorted(
            found.items(), key=lambda item: (item[0][0], item[0][1] != "value", item[0][2])):
        cells = [cell(by_mode.get(mode)) for mode in modes]
        print(f"| `{activation}` | {quantity} | {target} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main(*sys.argv[1:])
