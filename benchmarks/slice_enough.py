#!/usr/bin/env python3
"""Whether slices are enough: values computed anew from them, and crashes without the stores that they leave out.

Run: python benchmarks/slice_enough.py [--most 12] [--keep FILE] [--write] [NAME …]

For every program and every crash of a sample, or those that are named: the values at the criterion are computed from
the slice's instructions and compared with a replay; then up to `--most` stores on lines that ran and are not in the
slice are dropped, one in each run. Each run that does not crash as before is printed with its reason. What is measured
is kept in a file as it comes (build/slice-enough.jsonl), so that a run that was ended goes on from there; a change of
the slicer needs a new file. `--write` writes benchmarks/results/slice_enough.json.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
from slicing.dropped import NOT_EXPLAINED, dropped_runs
from slicing.written_truth import SLOW, programs

NOT_COMPARED = SLOW | {"ExitProgram"}
"""Programs that take long in each run, and one that ends itself: it has no crash to compare."""
SAME = "the same crash"
COLUMNS = ("what", "count")


@dataclass(frozen=True, slots=True)
class KnownCrash:
    name: str
    apk: Path
    trace: Trace
    world: int | None = None
    file: str | None = None


def known_crashes(left_out: Collection[str] = ()) -> Iterator[KnownCrash]:
    """The crashes of the samples, and of the programs but for those left out."""
    for demand in demands():
        apk = SAMPLES / f"{demand.sample}.apk"
        yield KnownCrash(demand.name, apk, read_trace(demand.trace), demand.world)
    for program in programs():
        if program.name not in left_out:
            yield KnownCrash(program.name, build_of("debug"), program.trace, file=program.file)


def reason_of(difference: str | None) -> str:
    """The reason of a difference without the line that it names."""
    if difference is None:
        return SAME
    if NOT_EXPLAINED in difference:
        return NOT_EXPLAINED
    return "another line fails first" if "fails first" in difference else difference


def examine(lab: SliceLab, known: KnownCrash, most: int) -> dict[str, Any]:
    """One crash: how many values were computed anew, which of them are wrong, and what each dropped store changed."""
    sliced = lab.sliced(known.apk, known.trace, known.world)
    criterion = sliced.slicer.criterion_of_crash(sliced.crash)
    found = sliced.slicer.recompute(criterion, lab.values(known.apk, sliced))
    runs = dropped_runs(lab, known.name, known.apk, sliced, world=sliced.run.trace.world, file=known.file, most=most)
    return {
        "name": known.name,
        "most": most,
        "values": found.values,
        "wrong": [str(each) for each in (*found.wrong, *found.missing)],
        "dropped": [[str(run.line), run.difference] for run in runs],
    }


def kept_results(path: Path, most: int) -> dict[str, dict[str, Any]]:
    """What earlier runs of the same command measured, by crash."""
    if not path.is_file():
        return {}
    results = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return {each["name"]: each for each in results if each["most"] == most}


def main() -> int:
    """Prints each difference as it comes, then the counts; 1 if one is not explained or a value is another."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--most", type=int, default=12)
    parser.add_argument("--keep", type=Path, default=SAMPLES.parent / "build" / "slice-enough.jsonl")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    load, jailed = load_average(), jail_problem() is None
    counts: Counter[str] = Counter()
    values = wrong = crashes = 0
    kept = kept_results(options.keep, options.most)
    options.keep.parent.mkdir(parents=True, exist_ok=True)
    with TwinDevice(jail=jailed) as device, SliceLab(device) as lab, options.keep.open("a", encoding="utf-8") as keep:
        for known in known_crashes(NOT_COMPARED):
            if options.names and known.name not in options.names:
                continue
            result = kept.get(known.name)
            if result is None:
                try:
                    result = examine(lab, known, options.most)
                except FewtapsError as error:
                    print(f"{known.name}: {error}", flush=True)
                    continue
                keep.write(json.dumps(result) + "\n")
                keep.flush()
            crashes += 1
            values += result["values"]
            wrong += len(result["wrong"])
            for each in result["wrong"]:
                print(known.name, "computed otherwise:", each, flush=True)
            for line, difference in result["dropped"]:
                counts[reason_of(difference)] += 1
                if difference is not None:
                    print(known.name, line, difference, flush=True)
    rows = [("crashes", crashes), ("values computed anew", values), ("of these wrong", wrong)]
    rows += [("stores dropped", sum(counts.values())), *((f"of these: {name}", n) for name, n in counts.most_common())]
    counted = table(COLUMNS, rows)
    print(shown(counted))
    if options.write:
        summary = {
            "recomputed_values": values,
            "recomputed_wrong": wrong,
            "stores_dropped": sum(counts.values()),
            "stores_not_explained": counts[NOT_EXPLAINED],
        }
        save("slice_enough", measured(this_machine(jail=jailed, load=load), {"enough": counted}, summary))
    return 1 if wrong or counts[NOT_EXPLAINED] else 0


if __name__ == "__main__":
    sys.exit(main())
