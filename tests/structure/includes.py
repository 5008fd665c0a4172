"""The plan of the house: which folder includes which, and that nothing includes itself in a circle.

    includes.py            check; one line for what is wrong, exit status 1
    includes.py --dot      the wings and their arrows, for Graphviz
    includes.py --dot DIR  the modules of one folder, as server/rpc

A module is a header with the source of its name. Tests check nothing but tests/support here: what they include is
their own affair.
"""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# From the top down: each may include those below it.
WINGS = ["server/main", "server/process", "server/rpc", "server/compare", "server/evaluate", "server/wire",
         "server/formula", "server/engine", "proto"]
CLIENT = ["client/cli", "client", "proto"]
FOLDERS = ["server", "client", "proto", "tests/support"]
INCLUDE = re.compile(r'^\s*#include "([^"]+)"', re.MULTILINE)


def module_of(path):
    """A path without its ending: x.h, x.cc and x-inl.h are told apart from x only by name."""
    return re.sub(r"\.(h|cc)$", "", str(path))


def read_arrows(root):
    """{module: {module that it includes}}, of modules that are files here."""
    files = [path for folder in FOLDERS for path in sorted((root / folder).rglob("*"))
             if path.suffix in (".h", ".cc")]
    arrows = collections.defaultdict(set)
    for path in files:
        source = module_of(path.relative_to(root))
        arrows[source]  # a module, whatever it includes
        for name in INCLUDE.findall(path.read_text()):
            if (root / name).exists() and module_of(name) != source:
                arrows[source].add(module_of(name))
    return dict(arrows)


def find_circles(arrows):
    """Lists of modules that reach each other (Tarjan's strongly connected components of two and more)."""
    index, low, stack, circles = {}, {}, [], []

    def visit(module):
        index[module] = low[module] = len(index)
        stack.append(module)
        for below in sorted(arrows.get(module, ())):
            if below not in index:
                visit(below)
            if below in stack:
                low[module] = min(low[module], low[below])
        if low[module] != index[module]:
            return
        place = stack.index(module)
        if len(stack) - place > 1:
            circles.append(sorted(stack[place:]))
        del stack[place:]

    for module in sorted(arrows):
        if module not in index:
            visit(module)
    return circles


def wing_of(module, wings):
    """The longest of the wings that the module is in; None where there is none."""
    fits = [wing for wing in wings if module == wing or module.startswith(wing + "/")]
    return max(fits, key=len) if fits else None


def find_climbs(arrows):
    """Includes of a wing that is not below, or of what is no wing, as text."""
    climbs = []
    for wings in (WINGS, CLIENT):
        for source, targets in sorted(arrows.items()):
            above = wing_of(source, wings)
            for target in sorted(targets) if above else ():
                below = wing_of(target, wings)
                if below is None or wings.index(below) < wings.index(above):
                    climbs.append(f"{source} includes {target}, which is not below it")
    return climbs


def find_strays(root):
    """Sources of the server in no wing."""
    return [f"{path.relative_to(root)} is in no wing; see WINGS" for path in sorted((root / "server").rglob("*"))
            if path.suffix in (".h", ".cc") and wing_of(module_of(path.relative_to(root)), WINGS) is None]


def draw(arrows, folder):
    """Graphviz: folders, or a folder's modules, with the number of includes on each arrow."""
    counts = collections.Counter()
    for source, targets in arrows.items():
        for target in targets:
            if folder:
                ends = [end.removeprefix(folder + "/") for end in (source, target) if end.startswith(folder + "/")]
            else:
                ends = [wing_of(end, WINGS + CLIENT) for end in (source, target)]
            if len(ends) == 2 and None not in ends and ends[0] != ends[1]:
                counts[tuple(ends)] += 1
    lines = [f'  "{a}" -> "{b}" [label={count}];' for (a, b), count in sorted(counts.items())]
    return "\n".join(["digraph house {", "  node [shape=box];", *lines, "}"])


def main(arguments):
    arrows = read_arrows(ROOT)
    if arguments[:1] == ["--dot"]:
        print(draw(arrows, arguments[1].rstrip("/") if len(arguments) > 1 else None))
        return 0
    faults = ["a circle: " + ", ".join(circle) for circle in find_circles(arrows)]
    faults += find_climbs(arrows) + find_strays(ROOT)
    print("\n".join(faults) if faults else f"{len(arrows)} modules, no circle, no include of a wing above")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
