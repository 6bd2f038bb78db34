#!/usr/bin/env python3
"""`fewtaps run` over each sample with default settings: time, crashes found of those known, steps before and after.

Run: python benchmarks/run.py [--minutes 5] [-j N] [--keep FILE] [--write] [SAMPLE …]

What is known of a sample are the steps of its notes, `samples/NAME/crash*.jsonl`: each is played to see its crash.
Results are kept in a file as they come, one JSON object per line, and a sample that is there already is not run again;
with --write, the tables of all that are kept go into benchmarks/results/runs.json.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from known_crashes import MOST_WORLDS, known_crashes
from recorded import SAMPLES, SampleSessions
from results import Cell, Table, load_average, measured, save, shown, table, this_machine
from sample_settings import settings_of

from fewtaps.config import DeviceSettings, RunSettings, usual_jobs
from fewtaps.device.session import Session
from fewtaps.device.twin.device import TwinDevice
from fewtaps.device.twin.jail import jail_problem
from fewtaps.device.twin.runtime import find_java
from fewtaps.errors import FewtapsError
from fewtaps.model import words
from fewtaps.model.crash import Crash
from fewtaps.pipeline.running import Ran, run_app
from fewtaps.replay import play
from fewtaps.tracefile import read_trace

LEFT_OUT = ("hostile",)
"""It has no defect, only bad intentions."""


def measure(sample: str, minutes: float, jobs: int) -> dict[str, Any]:
    """One run over a sample in a folder of its own, on the phone on which it crashes."""
    phone = settings_of(sample)
    where = DeviceSettings(neighbours=phone.neighbours, network=phone.network, jail=jail_problem() is None)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="fewtaps-") as folder:
        settings = RunSettings(Path(folder), where, minutes=minutes, jobs=jobs)
        ran = run_app(str(SAMPLES / f"{sample}.apk"), settings)
    seconds = time.monotonic() - began
    return {"sample": sample, "seconds": round(seconds, 1), **figures(ran), "known": notes_of(sample, where)}


def figures(ran: Ran) -> dict[str, Any]:
    """What a run found."""
    progress = ran.explored.progress
    return {
        "events": progress.events,
        "lines": [progress.lines, progress.totals.lines if progress.totals else 0],
        "reason": words.exploration_end(ran.explored.end),
        "crashes": [
            {"signature": case.row.crash.signature, "summary": case.row.crash.summary, "after": case.steps}
            | {"before": case.found, "reduced": case.is_reduced, "suspect": case.is_suspect}
            | {"rate": [sum(case.replays.values()), len(case.replays)]}
            for case in ran.cases
        ],
    }


def notes_of(sample: str, where: DeviceSettings) -> list[dict[str, Any]]:
    """The crashes that the notes of a sample know, with the length of their steps."""
    found = []
    with TwinDevice(jail=where.jail) as device:
        sessions = SampleSessions(device)
        try:
            for known in known_crashes([sample]):
                events = read_trace(known.path).events
                crash = first_crash(sessions.open(sample), events)
                found.append({"signature": crash.signature if crash else None, "steps": len(events) - 1})
        finally:
            sessions.close()
    return found


def first_crash(session: Session, events: tuple[Any, ...]) -> Crash | None:
    """The crash of some steps, in the first world that has one."""
    plays = (play(session, events, world=world).crash for world in range(MOST_WORLDS))
    return next((crash for crash in plays if crash is not None), None)


def run_tables(results: list[dict[str, Any]]) -> dict[str, Table]:
    """A row for each sample, and one for each known crash that was found."""
    ordered = sorted(results, key=lambda each: str(each["sample"]))
    columns = ("sample", ("seconds", "{:.0f}"), "events", "lines", "known crashes found", "others", "ended")
    steps = ("steps as found", "left", "in its note", "reproduction rate")
    return {
        "samples": table(columns, [row(result) for result in ordered]),
        "crashes": table(["sample", *steps], [crash for result in ordered for crash in crash_rows(result)]),
    }


def is_known(result: dict[str, Any], note: dict[str, Any]) -> bool:
    """Whether the crash of a note was found."""
    return any(crash["signature"] == note["signature"] for crash in result["crashes"])


def row(result: dict[str, Any]) -> tuple[Cell, ...]:
    """One sample."""
    notes = {note["signature"] for note in result["known"]}
    others = [crash for crash in result["crashes"] if crash["signature"] not in notes]
    suspects = sum(crash["suspect"] for crash in others)
    extra = f"{len(others)}, {suspects} suspect" if suspects else len(others)
    found = len(result["crashes"]) - len(others)
    counts = f"{found} of {len(result['known'])}"
    lines = "{} of {}".format(*result["lines"])
    return (result["sample"], result["seconds"], result["events"], lines, counts, extra, result["reason"])


def crash_rows(result: dict[str, Any]) -> list[tuple[Cell, ...]]:
    """The known crashes that were found in one sample."""
    notes = {note["signature"]: note["steps"] for note in result["known"]}
    return [
        (
            *(result["sample"], crash["before"], crash["after"] if crash["reduced"] else f"{crash['after']} so far"),
            *(notes[crash["signature"]], "{} of {}".format(*crash["rate"])),
        )
        for crash in result["crashes"]
        if crash["signature"] in notes
    ]


def kept(path: Path) -> list[dict[str, Any]]:
    """What an earlier call has measured."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


def main() -> int:
    """Measures, keeps, prints; 1 if a known crash was not found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sample", nargs="*")
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("-j", "--jobs", type=int, default=usual_jobs())
    parser.add_argument("--keep", type=Path, default=SAMPLES.parent / "build" / "runs.jsonl")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    options.keep.parent.mkdir(parents=True, exist_ok=True)
    load = load_average()
    done = {result["sample"] for result in kept(options.keep)}
    every = options.sample or [path.stem for path in sorted(SAMPLES.glob("*.apk")) if path.stem not in LEFT_OUT]
    for sample in every:
        if sample in done:
            continue
        try:
            result = measure(sample, options.minutes, options.jobs)
        except FewtapsError as error:
            print(f"{sample}: {error}", file=sys.stderr)
            continue
        with options.keep.open("a", encoding="utf-8") as file:
            file.write(json.dumps(result) + "\n")
        print(*row(result), sep="  ", flush=True)
    results = kept(options.keep)
    tables = run_tables(results)
    print(*map(shown, tables.values()), sep="\n\n")
    if options.write:
        machine = this_machine(str(find_java().version), jail_problem() is None, load)
        found = sum(is_known(result, note) for result in results for note in result["known"])
        known = sum(len(result["known"]) for result in results)
        values = {"minutes": options.minutes, "devices": options.jobs, "known": known, "found": found}
        save("runs", measured(machine, tables, values))
    return 0 if all(is_known(result, note) for result in results for note in result["known"]) else 1


if __name__ == "__main__":
    sys.exit(main())
