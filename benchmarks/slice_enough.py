#!/usr/bin/env python3
"""Whether slices are enough: values computed anew from them, and crashes without the stores that they leave out.

Run: python benchmarks/slice_enough.py [--most 6] [--write] [NAME …]

For every program and every crash of a sample, or those that are named: the values at the criterion are computed from
the slice's instructions and compared with a replay; then up to `--most` stores on lines that ran and are not in the
slice are dropped, one in each run. Each run that does not crash as before is printed with its reason. `--write` writes
benchmarks/results/slice-enough.json.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from recorded import SAMPLES
from results import load_average, measured, save, shown, table, this_machine

from fewtaps.device.twin.device import TwinDevice
from fewtaps.device.twin.jail import jail_problem
from fewtaps.errors import FewtapsError
from fewtaps.model.trace import Trace
from fewtaps.tracefile import read_trace

sys.path.insert(0, str(SAMPLES.parent / "tests"))

from slicing.compared import SliceLab, build_of
from slicing.demanded import demands
from slicing.dropped import NOT_EXPLAINED, Dropped, dropped_runs
from slicing.written_truth import SLOW, programs

COLUMNS = ("what", "count")


@dataclass(frozen=True, slots=True)
class KnownCrash:
    name: str
    apk: Path
    trace: Trace
    world: int | None = None
    file: str | None = None


def known_crashes() -> Iterator[KnownCrash]:
    """The crashes of the samples, and of the programs."""
    for demand in demands():
        apk = SAMPLES / f"{demand.sample}.apk"
        yield KnownCrash(demand.name, apk, read_trace(demand.trace), demand.world)
    for program in programs():
        if program.name in SLOW | {"ExitProgram"}:
            continue
        yield KnownCrash(program.name, build_of("debug"), program.trace, file=program.file)


def reason_of(run: Dropped) -> str:
    """The reason of a difference without the line that it names."""
    difference = run.difference or "the same crash"
    if NOT_EXPLAINED in difference:
        return NOT_EXPLAINED
    return "another line fails first" if "fails first" in difference else difference


def main() -> int:
    """Prints each difference as it comes, then the counts; 1 if one is not explained or a value is another."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--most", type=int, default=6)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    load, jailed = load_average(), jail_problem() is None
    counts: Counter[str] = Counter()
    values = wrong = crashes = 0
    with TwinDevice(jail=jailed) as device, SliceLab(device) as lab:
        for known in known_crashes():
            if options.names and known.name not in options.names:
                continue
            try:
                sliced = lab.sliced(known.apk, known.trace, known.world)
                found = sliced.slicer.recompute(
                    sliced.slicer.criterion_of_crash(sliced.crash), lab.values(known.apk, sliced)
                )
                for run in dropped_runs(
                    lab, known.name, known.apk, sliced, world=sliced.run.trace.world, file=known.file, most=options.most
                ):
                    counts[reason_of(run)] += 1
                    if run.difference is not None:
                        print(known.name, run.line, run.difference, flush=True)
            except FewtapsError as error:
                print(f"{known.name}: {error}", flush=True)
                continue
            crashes += 1
            values += found.values
            wrong += len(found.wrong) + len(found.missing)
            for each in (*found.wrong, *found.missing):
                print(known.name, "computed otherwise:", each, flush=True)
    rows = [("crashes", crashes), ("values computed anew", values), ("of these wrong", wrong)]
    rows += [("stores dropped", sum(counts.values())), *((f"of these: {name}", n) for name, n in counts.most_common())]
    result = table(COLUMNS, rows)
    print(shown(result))
    if options.write:
        summary = {
            "recomputed_values": values,
            "recomputed_wrong": wrong,
            "stores_dropped": sum(counts.values()),
            "stores_not_explained": counts[NOT_EXPLAINED],
        }
        save("slice-enough", measured(this_machine(jail=jailed, load=load), {"enough": result}, summary))
    return 1 if wrong or counts[NOT_EXPLAINED] else 0


if __name__ == "__main__":
    sys.exit(main())
