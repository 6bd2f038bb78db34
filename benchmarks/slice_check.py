#!/usr/bin/env python3
"""The self-check of slices over all programs and samples: each read shows the value that the slice says was written.

Run: python benchmarks/slice_check.py [--write] [NAME …]

Every program and every known crash of a sample, or those that are named, is recorded and played once more with the
values of all instructions that read or write a location, as `fewtaps slice --check` does. Each read that shows another
value is printed; the exit code says whether there is one. `--write` writes benchmarks/results/slice_check.json.
"""

from __future__ import annotations

import argparse
import sys
from operator import add

from results import Cell, load_average, measured, save, shown, table, this_machine
from slice_enough import known_crashes
from slicing.compared import SliceLab

from fewtaps.device.twin.device import TwinDevice
from fewtaps.device.twin.jail import jail_problem

COLUMNS = ("app", "crashes", "reads", "wrong", "blocks not in the flow graph")


def main() -> int:
    """Prints a row per crash as it comes, then the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    load, jailed = load_average(), jail_problem() is None
    sums: dict[str, list[int]] = {}
    with TwinDevice(jail=jailed) as device, SliceLab(device) as lab:
        for known in known_crashes():
            if options.names and known.name not in options.names:
                continue
            check = lab.checked(known.apk, lab.sliced(known.apk, known.trace, known.world))
            wrong = sum(each.count for each in check.wrong)
            counts = (1, check.reads, wrong, check.broken_flow)
            sums[known.apk.stem] = list(map(add, sums.get(known.apk.stem, (0, 0, 0, 0)), counts))
            print(known.name, *counts[1:], sep="  ", flush=True)
            for each in check.wrong:
                print(f"  {each.method}: {each.read} does not show what {each.written} wrote, {each.count} times")
    crashes, reads, wrong, broken = map(sum, zip(*sums.values(), strict=True))
    values: dict[str, Cell] = {
        "crashes": crashes,
        "reads": reads,
        "right_percent": round(100 * (reads - wrong) / max(1, reads), 3),
        "wrong": wrong,
        "broken_flow": broken,
    }
    result = table(COLUMNS, [(name, *counts) for name, counts in sums.items()])
    print(shown(result))
    for name, value in values.items():
        print(name, value)
    if options.write:
        save("slice_check", measured(this_machine(jail=jailed, load=load), {"check": result}, values))
    return 1 if wrong or broken else 0


if __name__ == "__main__":
    sys.exit(main())
