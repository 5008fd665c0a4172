"""What includes.py finds, on trees that have faults, and that this tree has none."""
import pathlib
import tempfile
import unittest

import includes


def arrows_of(files):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, targets in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text("".join(f'#include "{target}"\n' for target in targets))
        return includes.read_arrows(root), includes.find_strays(root)


class Includes(unittest.TestCase):
    def test_finds_a_circle_through_sources_and_headers(self):
        arrows, _ = arrows_of({
            "server/wire/a.h": [], "server/wire/a.cc": ["server/wire/a.h", "server/wire/b.h"],
            "server/wire/b.h": ["server/wire/c.h"], "server/wire/c.h": ["server/wire/a.h"],
            "server/wire/d.h": ["server/wire/a.h"]})
        self.assertEqual(includes.find_circles(arrows), [["server/wire/a", "server/wire/b", "server/wire/c"]])

    def test_finds_an_include_of_a_wing_above(self):
        arrows, _ = arrows_of({
            "server/compare/plan.h": [], "server/evaluate/plan.h": ["server/compare/plan.h"],
            "server/rpc/service.cc": ["server/compare/plan.h"], "client/client.h": ["server/wire/limits.h"],
            "server/wire/limits.h": []})
        self.assertEqual(includes.find_climbs(arrows), [
            "server/evaluate/plan includes server/compare/plan, which is not below it",
            "client/client includes server/wire/limits, which is not below it"])

    def test_finds_a_file_in_no_wing(self):
        _, strays = arrows_of({"server/utils/text.h": [], "server/wire/limits.h": []})
        self.assertEqual(strays, ["server/utils/text.h is in no wing; see WINGS"])

    def test_this_tree_has_none_of_these(self):
        arrows = includes.read_arrows(includes.ROOT)
        self.assertGreater(len(arrows), 100)
        self.assertEqual(includes.find_circles(arrows), [])
        self.assertEqual(includes.find_climbs(arrows), [])
        self.assertEqual(includes.find_strays(includes.ROOT), [])


if __name__ == "__main__":
    unittest.main()
