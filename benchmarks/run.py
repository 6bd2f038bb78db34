#!/usr/bin/env python3
"""`fewtaps run` over each sample with default settings: time, crashes found of those known, steps before and after.

Run: python benchmarks/run.py [--minutes 5] [-j N] [--keep FILE] [--write] [SAMPLE …]

What is known of a sample are the steps of its notes, `samples/NAME/crash*.jsonl`: each is played to see its crash.
Results are kept in a file as they come, one JSON object per line, and a sample that is there already is not run again;
with --write, the table of all that are kept goes into docs/performance.md.
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
from page import load_average, machine, replace_measured
from recorded import SAMPLES, SampleSessions, settings_for

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

PAGE = SAMPLES.parent / "docs" / "performance.md"
BEGIN, END = "<!-- runs: begin -->", "<!-- runs: end -->"
LEFT_OUT = ("hostile",)
"""It has no defect, only bad intentions."""


def measure(sample: str, minutes: float, jobs: int) -> dict[str, Any]:
    """One run over a sample in a folder of its own, on the phone on which it crashes."""
    where = DeviceSettings(neighbours=settings_for(sample).neighbours, jail=jail_problem() is None)
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


def table(results: list[dict[str, Any]], minutes: float, load: float | None) -> str:
    """All results as Markdown."""
    java = find_java().version
    lines = [
        machine(str(java), jail_problem() is None, load),
        f"Default settings ({usual_jobs()} devices), {minutes:g} minutes at most; the time is that of the whole",
        "command, its set-up included.",
        "*Known* are the crashes that the notes of the sample tell of, *steps* before → after (those of the note),",
        "*others* what was found beside them.",
        "",
        "| sample | seconds | events | lines | known crashes found | steps | reproduction rate | others | ended |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    rows = [row(result) for result in sorted(results, key=lambda each: str(each["sample"]))]
    found = sum(is_known(result, note) for result in results for note in result["known"])
    every = sum(len(result["known"]) for result in results)
    return "\n".join([*lines, *rows, "", f"Together {found} of {every} known crashes."])


def is_known(result: dict[str, Any], note: dict[str, Any]) -> bool:
    """Whether the crash of a note was found."""
    return any(crash["signature"] == note["signature"] for crash in result["crashes"])


def row(result: dict[str, Any]) -> str:
    """One sample."""
    notes = {note["signature"]: note["steps"] for note in result["known"]}
    known = [crash for crash in result["crashes"] if crash["signature"] in notes]
    others = [crash for crash in result["crashes"] if crash["signature"] not in notes]
    suspects = sum(crash["suspect"] for crash in others)
    extra = f"{len(others)}{f', {suspects} suspect' if suspects else ''}" if others else ""
    steps = ", ".join(
        f"{crash['before']} → {crash['after']}{'' if crash['reduced'] else ' so far'} ({notes[crash['signature']]})"
        for crash in known
    )
    rates = ", ".join("{} of {}".format(*crash["rate"]) for crash in known)
    lines = "{} of {}".format(*result["lines"])
    counts = f"{len(known)} of {len(result['known'])}"
    cells = (result["sample"], f"{result['seconds']:.0f}", result["events"], lines, counts, steps, rates, extra)
    return f"| {' | '.join(map(str, cells))} | {result['reason']} |"


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
        print(row(result), flush=True)
    results = kept(options.keep)
    text = table(results, options.minutes, load)
    print(text)
    if options.write:
        replace_measured(PAGE, text, BEGIN, END)
    return 0 if all(is_known(result, note) for result in results for note in result["known"]) else 1


if __name__ == "__main__":
    sys.exit(main())
