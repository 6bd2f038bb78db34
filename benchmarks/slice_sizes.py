#!/usr/bin/env python3
"""How small slices are: against all that ran, against the paper's algorithm, and from the trace as found to the slice.

Run: python benchmarks/slice_sizes.py [--seeds 2] [--keep FILE] [--write] [SAMPLE …]

Each sample with crashes is explored by random events with so many seeds. The first crash trace of at least 30 events is
reduced. Both traces are recorded, and the reduced one is sliced in our way and by the paper's algorithm (`--as-paper`).
The paper's slice is complete if it has every line of our thin slice: else it ends where the value goes through a call.
The seconds are those of a whole slice as `fewtaps run` makes it: recording, slicing, a replay for the values. What is
measured is kept in a file as it comes (build/slice-sizes.jsonl), so that a run that was ended goes on from there.
`--write` writes benchmarks/results/slice_sizes.json and docs/images/slice-sizes.svg.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from charts import Line, line_chart
from explore import a12
from recorded import CRASHING, SAMPLES, SHORTEST, Task, explore
from results import Cell, load_average, measured, save, shown, table, this_machine
from sample_settings import settings_of
from scipy.stats import wilcoxon

from fewtaps.apk.reader import read_apk
from fewtaps.budget import Budget
from fewtaps.device.jobs import JobContext
from fewtaps.device.twin.device import TwinDevice, TwinSession
from fewtaps.device.twin.jail import jail_problem
from fewtaps.errors import BudgetSpent, NothingToSlice
from fewtaps.model.event import Event
from fewtaps.model.goal import SameCrash
from fewtaps.model.result import Reduction
from fewtaps.model.run_record import RecordedRun, RecordWish
from fewtaps.model.slice import SlicedLine
from fewtaps.model.trace import Trace
from fewtaps.reducing.plan import reduce_trace
from fewtaps.replay import PlayRecorded, play
from fewtaps.slicing.recording import RunIndex
from fewtaps.slicing.slicer import Slicer

SLICED = (*CRASHING, "almanac", "luggage", "pocket")
RUNS = 400
"""Plays that one reduction may take."""
COLUMNS = (
    "trace", "events", "callbacks", "method calls", "instructions", "slice: instructions", "lines", "thin lines",
    "as the paper: instructions", "lines ", "complete", ("seconds", "{:.1f}"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class RunSize:
    """What ran in one trace: callbacks are methods that the framework called."""

    events: int
    callbacks: int
    calls: int
    instructions: int


def size_of(run: RecordedRun) -> RunSize:
    index = RunIndex(run.record)
    return RunSize(
        len(run.trace.steps),
        int((index.frame_depths == 1).sum()),
        len(index.frame_starts),
        index.executed[0],
    )


def reduced(session: TwinSession, trace: Trace) -> Trace:
    """The trace as `fewtaps reduce` leaves it, or as far as it comes within so many runs."""
    crash = trace.crash
    assert crash is not None

    def plays(candidates: Sequence[tuple[Event, ...]]) -> list[Trace]:
        return [play(session, events, world=trace.world) for events in candidates]

    try:
        return reduce_trace(trace, SameCrash(crash.signature), plays, budget=Budget(runs=RUNS)).trace
    except BudgetSpent as spent:
        return spent.best.trace if isinstance(spent.best, Reduction) else trace


def record(session: TwinSession, trace: Trace, wish: RecordWish | None = None) -> RecordedRun:
    return PlayRecorded(trace.events, trace.world, wish=wish or RecordWish()).run(session, JobContext())


def measure(device: TwinDevice, task: Task) -> dict[str, Any] | None:
    """The sizes of one crash, None if the exploration finds none in time."""
    app = read_apk(SAMPLES / f"{task.sample}.apk")
    settings = settings_of(task.sample)
    with device.open(app, settings) as session:
        found = explore(session, task)
        if found is None or found.crash is None:
            return None
        short = reduced(session, found)
    with device.open(app, replace(settings, coverage="off")) as session:
        as_found = size_of(record(session, found))
        record(session, short)
        began = time.monotonic()
        run = record(session, short)
        crash = run.trace.crash
        assert crash is not None
        slicer = Slicer(run.record)
        criterion = slicer.criterion_of_crash(crash)
        wanted = slicer.instructions_to_watch(criterion)
        watched = tuple(
            (owner, name, tuple(numbers)) for owner, each in wanted.items() for name, numbers in each.items()
        )
        record(session, short, RecordWish(values=watched))
        made = slicer.slice(criterion)
        seconds = time.monotonic() - began
    paper = slicer.slice(criterion, as_paper=True)
    return {
        "name": task.name,
        "found": asdict(as_found),
        "reduced": asdict(size_of(run)),
        "instructions": made.size.instructions,
        "lines": made.size.lines,
        "thin_lines": made.size.thin_lines,
        "thin_instructions": made.size.thin_instructions,
        "executed_lines": made.size.executed_lines,
        "paper_instructions": paper.size.instructions,
        "paper_lines": paper.size.lines,
        "paper_complete": {key_of(line) for line in made.lines if line.thin} <= {key_of(line) for line in paper.lines},
        "seconds": seconds,
    }


def key_of(line: SlicedLine) -> tuple[str, str, int]:
    """Names a line of code."""
    return line.place.class_name, line.place.method, line.place.line


def compared(rows: Sequence[dict[str, Any]], ours: str, paper: str, name: str) -> dict[str, Cell]:
    """The median ratio of two sizes, with Wilcoxon's p and Â12; below 0.5 ours is the smaller one."""
    if not rows:
        return {}
    pairs = [(row[ours], row[paper]) for row in rows]
    values: dict[str, Cell] = {
        f"{name}_percent": round(statistics.median(100 * one / other for one, other in pairs), 1)
    }
    if any(one != other for one, other in pairs):
        left, right = zip(*pairs, strict=True)
        values[f"{name}_p"] = float(f"{wilcoxon(left, right).pvalue:.2g}")
        values[f"{name}_a12"] = round(a12(list(left), list(right)), 2)
    return values


def less(before: float, after: float) -> float:
    """The change in percent, below zero if it became less."""
    return 100 * (after - before) / before


def values_of(rows: Sequence[dict[str, Any]]) -> dict[str, Cell]:
    """The figures over all crashes."""
    values: dict[str, Cell] = {
        "crashes": len(rows),
        "found_to_slice_percent": round(
            statistics.median(less(row["found"]["instructions"], row["instructions"]) for row in rows), 1
        ),
        "seconds_median": round(statistics.median(row["seconds"] for row in rows), 2),
        "seconds_worst": round(max(row["seconds"] for row in rows), 2),
        "lines_median": statistics.median(row["lines"] for row in rows),
        "thin_lines_median": statistics.median(row["thin_lines"] for row in rows),
    }
    for name in ("events", "callbacks", "calls", "instructions"):
        changes = [less(row["found"][name], row["reduced"][name]) for row in rows]
        values[f"reduced_{name}_percent"] = round(statistics.median(changes), 1)
    complete = [row for row in rows if row["paper_complete"]]
    values["paper_complete"] = len(complete)
    for which, some in (("", rows), ("complete_", complete)):
        for size in ("instructions", "lines"):
            values |= compared(some, size, f"paper_{size}", f"{which}{size}")
            values |= compared(some, f"thin_{size}", f"paper_{size}", f"{which}thin_{size}")
    return values


def rows_of(result: dict[str, Any]) -> list[tuple[Cell, ...]]:
    found, short = result["found"], result["reduced"]
    sizes = ("events", "callbacks", "calls", "instructions")
    return [
        (
            result["name"], *(f"{found[name]} → {short[name]}" for name in sizes), result["instructions"],
            result["lines"], result["thin_lines"], result["paper_instructions"], result["paper_lines"],
            "yes" if result["paper_complete"] else "no", result["seconds"],
        )
    ]  # fmt: skip


def chart(rows: Sequence[dict[str, Any]]) -> bytes:
    """Lines of each slice beside those of the paper's, the crashes in the order of all lines that ran."""
    ordered = sorted(rows, key=lambda row: (row["executed_lines"], row["name"]))
    kinds = {
        "all that ran": "executed_lines",
        "as the paper": "paper_lines",
        "full slice": "lines",
        "thin slice": "thin_lines",
    }
    lines = [
        Line(name, tuple((float(number), float(row[key])) for number, row in enumerate(ordered, 1)))
        for name, key in kinds.items()
    ]
    return line_chart(lines, title="Lines of the reduced steps and of their slices", x_label="crash", y_label="lines")


def main() -> int:
    """Prints a row per crash as it comes, then the table and the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("samples", nargs="*", metavar="SAMPLE")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--keep", type=Path, default=SAMPLES.parent / "build" / "slice-sizes.jsonl")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    load, jailed = load_average(), jail_problem() is None
    options.keep.parent.mkdir(parents=True, exist_ok=True)
    kept = {}
    if options.keep.is_file():
        kept = {each["name"]: each for each in map(json.loads, options.keep.read_text("utf-8").splitlines())}
    results: list[dict[str, Any]] = []
    left_out: list[str] = []
    with TwinDevice(jail=jailed) as device, options.keep.open("a", encoding="utf-8") as keep:
        for seed in range(1, options.seeds + 1):
            for sample in options.samples or SLICED:
                task = Task(sample, "frontier", seed, SHORTEST)
                result = kept.get(task.name)
                if result is None or (result["found"] is not None and "paper_complete" not in result):
                    try:
                        result = measure(device, task) or {"name": task.name, "found": None, "why": "no such trace"}
                    except NothingToSlice as error:
                        result = {"name": task.name, "found": None, "why": str(error)}
                    keep.write(json.dumps(result) + "\n")
                    keep.flush()
                if result["found"] is None:
                    print(f"{task.name}: {result['why']}", flush=True)
                    left_out.append(f"{task.name} ({result['why']})")
                    continue
                results.append(result)
                print(*rows_of(result)[0], sep="  ", flush=True)
    sizes = table(COLUMNS, [row for result in results for row in rows_of(result)])
    print(shown(sizes))
    values = {**values_of(results), "left_out": "; ".join(left_out)}
    for name, value in values.items():
        print(name, value)
    if options.write:
        save("slice_sizes", measured(this_machine(jail=jailed, load=load), {"sizes": sizes}, values))
        (SAMPLES.parent / "docs" / "images" / "slice-sizes.svg").write_bytes(chart(results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
