#!/usr/bin/env python3
"""What each kind of slice leaves out of the lines that were demanded by hand: ours, full and thin, and the paper's.

Run: python benchmarks/slice_demands.py [--write] [NAME …]

For every known crash of a sample, or those that are named: its slice in our way and by the paper's algorithm
(`--as-paper`), compared with the lines that `samples/*/slice.toml` demands. `--write` writes
benchmarks/results/slice_demands.json.
"""

from __future__ import annotations

import argparse
import statistics
import sys

from recorded import SAMPLES
from results import Cell, load_average, measured, save, shown, table, this_machine

from fewtaps.device.twin.device import TwinDevice
from fewtaps.device.twin.jail import jail_problem
from fewtaps.tracefile import read_trace

sys.path.insert(0, str(SAMPLES.parent / "tests"))

from slicing.compared import SliceLab, source_lines
from slicing.demanded import Demand, demands

COLUMNS = (
    "crash", "demanded", "full slice: missing", "thin slice: missing", "as the paper: missing", "not to be in",
    "full slice: of these", "as the paper: of these", "full slice: instructions", "as the paper: instructions",
)  # fmt: skip


def row_of(lab: SliceLab, demand: Demand) -> tuple[Cell, ...]:
    sliced = lab.sliced(SAMPLES / f"{demand.sample}.apk", read_trace(demand.trace), demand.world)
    paper = sliced.slicer.slice(sliced.slicer.criterion_of_crash(sliced.crash), as_paper=True)
    of_paper = frozenset(source_lines((line.place.file, line.place.line) for line in paper.lines))
    full, thin, must, must_not = frozenset(sliced.lines), sliced.thin_lines, set(demand.must), set(demand.must_not)
    return (
        demand.name, len(must), len(must - full), len(must - thin), len(must - of_paper), len(must_not),
        len(must_not & full), len(must_not & of_paper), sliced.slice.size.instructions, paper.size.instructions,
    )  # fmt: skip


def percent(part: int, whole: int) -> float:
    return round(100 * part / whole, 1)


def main() -> int:
    """Prints a row per crash as it comes, then the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    load, jailed = load_average(), jail_problem() is None
    rows: list[tuple[Cell, ...]] = []
    with TwinDevice(jail=jailed) as device, SliceLab(device) as lab:
        for demand in demands():
            if not options.names or demand.name in options.names:
                rows.append(row_of(lab, demand))
                print(*rows[-1], sep="  ", flush=True)
    numbers = [[int(cell or 0) for cell in row[1:]] for row in rows]
    sums = [sum(column) for column in zip(*numbers, strict=True)]
    whole = [row for row in numbers if not row[3]]
    values: dict[str, Cell] = {
        "crashes": len(rows),
        "demanded": sums[0],
        "full_missing_percent": percent(sums[1], sums[0]),
        "thin_missing_percent": percent(sums[2], sums[0]),
        "paper_missing_percent": percent(sums[3], sums[0]),
        "full_too_much_percent": percent(sums[5], sums[4]),
        "paper_too_much_percent": percent(sums[6], sums[4]),
        "paper_complete": len(whole),
        "paper_smaller": sum(row[8] < row[7] for row in numbers),
        "paper_smaller_and_missing": sum(row[8] < row[7] and row[3] > 0 for row in numbers),
        "against_paper_percent": round(statistics.median(100 * row[7] / row[8] for row in numbers), 1),
    }
    if whole:
        against = statistics.median(100 * row[7] / row[8] for row in whole)
        values["against_complete_paper_percent"] = round(against, 1)
    result = table(COLUMNS, rows)
    print(shown(result))
    for name, value in values.items():
        print(name, value)
    if options.write:
        save("slice_demands", measured(this_machine(jail=jailed, load=load), {"demands": result}, values))
    return 0


if __name__ == "__main__":
    sys.exit(main())
