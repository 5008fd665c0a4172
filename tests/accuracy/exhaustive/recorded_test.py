"""Says which rows of proofs.tsv were made of other sources of the engine than these.

Usage: recorded_test.py PATH_OF_PROOFS_TSV

Such rows are no failure: proving takes longer than a change. A row without its origin is.
"""

import collections
import csv
import sys

from sources import sources_hash

COLUMNS = ("activation quantity mode target inputs by_oracle wrong worst_ulp worst_input seconds "
           "revision machine sources").split()


def main(path):
    with open(path, encoding="utf-8", newline="") as file:
        lines = list(csv.reader(file, delimiter="\t"))
    if not lines or lines[0] != COLUMNS:
        sys.exit(f"{path}: the columns are not {' '.join(COLUMNS)}")
    for number, line in enumerate(lines[1:], start=2):
        if len(line) != len(COLUMNS):
            sys.exit(f"{path}:{number}: {len(line)} columns in place of {len(COLUMNS)}")
        if not all(line[-3:]):
            sys.exit(f"{path}:{number}: without its revision, machine or sources")
    rows = [dict(zip(COLUMNS, line)) for line in lines[1:]]
    here = sources_hash()
    others = collections.defaultdict(list)
    for row in rows:
        if row["sources"] != here:
            others[row["sources"], row["revision"]].append(f"{row['activation']} {row['quantity']} {row['mode']}")
    print(f"{len(rows) - sum(map(len, others.values()))} of {len(rows)} rows were proven on these sources, {here}")
    for (sources, revision), names in sorted(others.items()):
        print(f"{len(names)} on other sources ({sources}) at revision {revision}:")
        for name in names:
            print(f"  {name}")


if __name__ == "__main__":
    main(*sys.argv[1:])
