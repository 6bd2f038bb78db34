#!/usr/bin/env python3
"""Slices of crashes of apps that are not in the repository: their sizes, whether they are right, what they take.

Run: python benchmarks/slice_public.py [--keep FILE] [--write] APK TRACE …

Each trace of a crash, such as the `.reduced.jsonl` of a project, is recorded and sliced in our way and by the paper's
algorithm (`--as-paper`), and played once more with all values: each read has to show the value that the slice says was
written. The paper's slice is complete if it has every line of our thin slice. The seconds are those of a whole slice as
`fewtaps run` makes it. What is measured is kept in a file as it comes (build/slice-public.jsonl), so that a run that
was ended goes on from there. `--write` writes benchmarks/results/slice_public.json.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from recorded import SAMPLES
from results import Cell, load_average, measured, save, shown, table, this_machine
from slice_recording import executed
from slice_sizes import compared, key_of, record

from fewtaps.apk.reader import read_apk
from fewtaps.device.session import SessionSettings
from fewtaps.device.twin.device import TwinDevice, TwinSession
from fewtaps.device.twin.jail import jail_problem
from fewtaps.errors import NothingToSlice
from fewtaps.model.run_record import RecordWish
from fewtaps.model.trace import Trace
from fewtaps.slicing.checking import instructions_to_check
from fewtaps.slicing.slicer import Slicer
from fewtaps.tracefile import read_trace

COLUMNS = (
    "app", "crash", "steps", "lines that ran", "lines", "thin lines", "as the paper: lines", "complete", "reads",
    "wrong", ("bytes per instruction", "{:.2f}"), ("seconds", "{:.1f}"),
)  # fmt: skip


def measure(session: TwinSession, app: str, trace: Trace) -> dict[str, Any]:
    """The slice of one crash in numbers, or why there is none."""
    record(session, trace)
    began = time.monotonic()
    run = record(session, trace)
    if run.trace.crash is None:
        return {"app": app, "why": "it did not crash again"}
    slicer = Slicer(run.record)
    try:
        criterion = slicer.criterion_of_crash(run.trace.crash)
    except NothingToSlice as error:
        return {"app": app, "why": str(error)}
    wanted = slicer.instructions_to_watch(criterion)
    watched = tuple((owner, name, tuple(numbers)) for owner, each in wanted.items() for name, numbers in each.items())
    record(session, trace, RecordWish(values=watched))
    made = slicer.slice(criterion)
    seconds = time.monotonic() - began
    paper = slicer.slice(criterion, as_paper=True)
    check = slicer.check(record(session, trace, RecordWish(values=instructions_to_check(run.record.code))).values)
    root = run.trace.crash.root
    return {
        "app": app,
        "crash": root.type.rpartition(".")[2] if root is not None else run.trace.crash.kind.value,
        "steps": len(run.trace.steps) - 1,
        "executed_lines": made.size.executed_lines,
        "lines": made.size.lines,
        "thin_lines": made.size.thin_lines,
        "instructions": made.size.instructions,
        "thin_instructions": made.size.thin_instructions,
        "paper_lines": paper.size.lines,
        "paper_instructions": paper.size.instructions,
        "paper_complete": {key_of(line) for line in made.lines if line.thin} <= {key_of(line) for line in paper.lines},
        "reads": check.reads,
        "wrong": check.mistakes,
        "bytes": 4 * len(run.record.words) / max(1, executed(run.record)),
        "seconds": seconds,
    }


def values_of(rows: Sequence[dict[str, Any]]) -> dict[str, Cell]:
    """The figures over all crashes that have a slice."""
    reads, wrong = sum(row["reads"] for row in rows), sum(row["wrong"] for row in rows)
    complete = [row for row in rows if row["paper_complete"]]
    values: dict[str, Cell] = {
        "apps": len({row["app"] for row in rows}),
        "crashes": len(rows),
        "reads": reads,
        "wrong": wrong,
        "right_percent": round(100 * (reads - wrong) / max(1, reads), 3),
        "lines_median": statistics.median(row["lines"] for row in rows),
        "thin_lines_median": statistics.median(row["thin_lines"] for row in rows),
        "bytes_median": round(statistics.median(row["bytes"] for row in rows), 2),
        "bytes_worst": round(max(row["bytes"] for row in rows), 2),
        "seconds_median": round(statistics.median(row["seconds"] for row in rows), 2),
        "seconds_worst": round(max(row["seconds"] for row in rows), 2),
        "paper_complete": len(complete),
    }
    for which, some in (("", rows), ("complete_", complete)):
        for size in ("instructions", "lines"):
            values |= compared(some, size, f"paper_{size}", f"{which}{size}")
            values |= compared(some, f"thin_{size}", f"paper_{size}", f"{which}thin_{size}")
    return values


def row_of(each: dict[str, Any]) -> tuple[Cell, ...]:
    """A row of the table."""
    return (
        each["app"], each["crash"], each["steps"], each["executed_lines"], each["lines"], each["thin_lines"],
        each["paper_lines"], "yes" if each["paper_complete"] else "no", each["reads"], each["wrong"],
        each["bytes"], each["seconds"],
    )  # fmt: skip


def main() -> int:
    """Prints a row per crash as it comes, then the figures; the exit code says whether a read is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("inputs", nargs="*", metavar="APK TRACE")
    parser.add_argument("--keep", type=Path, default=SAMPLES.parent / "build" / "slice-public.jsonl")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    if len(options.inputs) % 2:
        parser.error("each APK needs a trace")
    load, jailed = load_average(), jail_problem() is None
    options.keep.parent.mkdir(parents=True, exist_ok=True)
    kept: dict[str, dict[str, Any]] = {}
    if options.keep.is_file():
        kept = {each["trace"]: each for each in map(json.loads, options.keep.read_text("utf-8").splitlines())}
    traces: dict[Path, list[Path]] = {}
    for apk, trace in zip(options.inputs[::2], options.inputs[1::2], strict=True):
        if Path(trace).name not in kept:
            traces.setdefault(Path(apk), []).append(Path(trace))
    with TwinDevice(jail=jailed) as device, options.keep.open("a", encoding="utf-8") as keep:
        for path, paths in traces.items():
            app = read_apk(path)
            with device.open(app, SessionSettings(coverage="off")) as session:
                for each in paths:
                    found = {**measure(session, app.package, read_trace(each)), "trace": each.name}
                    kept[each.name] = found
                    keep.write(json.dumps(found) + "\n")
                    keep.flush()
                    print(found.get("why") or row_of(found), flush=True)
    rows = [each for each in kept.values() if "why" not in each]
    if not rows:
        return 0
    result = table(COLUMNS, [row_of(each) for each in rows])
    print(shown(result))
    left_out = "; ".join(f"{each['app']} ({each['why']})" for each in kept.values() if "why" in each)
    values = {**values_of(rows), "left_out": left_out}
    for name, value in values.items():
        print(name, value)
    if options.write:
        save("slice_public", measured(this_machine(jail=jailed, load=load), {"public": result}, values))
    return 1 if values["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
