#!/usr/bin/env python3
"""Whether suites of explorations tell harmful changes of an app from harmless ones, on the builds in samples/changed.

Run: python benchmarks/suite_changed.py [--events 1000] [--seeds 1,2] [--minutes N] [--write] [NAME …]

Each base is run for some events with each seed, as `fewtaps run` does with as much time as it needs; the suite that the
run ends with is played against the changed builds, as `fewtaps test` does. A regression is caught if a test fails,
breaks or crashes; a harmless change passes if none does. The first difference is printed, so that the step can be
judged. Suites and results are kept in `--keep` (build/suite-changed): after a kill, or when `--minutes` are over, the
same command goes on with the next build. `--write` writes benchmarks/results/suite_changed.json with what is there.
"""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

from recorded import SAMPLES
from results import Cell, current_commit, load_average, measured, save, shown, table, this_machine

from fewtaps.budget import Budget
from fewtaps.config import RunSettings, SuiteRunSettings
from fewtaps.errors import FewtapsError
from fewtaps.files import write_whole
from fewtaps.model.event import describe, printable
from fewtaps.model.suite_result import SuiteTestResult
from fewtaps.pipeline.running import run_app
from fewtaps.pipeline.testing import run_suite
from fewtaps.suitefile import INDEX, SUITE, load_suite

CHANGED = SAMPLES / "changed"
MINUTES = 60.0
"""The limit of a run, which its events end long before on any machine."""
COLUMNS = (
    *("build", "kind", "base", "seed", "tests", "events", "passed", "healed", "not passed", "as asked"),
    *("first difference", "commit"),
)


def main() -> int:
    """Prints a row for each build and seed; 1 if one is not as asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="*", help="changed builds (all)")
    parser.add_argument("--events", type=int, default=1_000)
    parser.add_argument("--seeds", type=lambda text: [int(each) for each in text.split(",")], default=[1, 2])
    parser.add_argument("--jobs", "-j", type=int, default=1)
    parser.add_argument("--minutes", type=float, help="begin nothing after so many minutes (no limit)")
    parser.add_argument("--keep", type=Path, default=SAMPLES.parent / "build" / "suite-changed")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    load = load_average()
    changes = tomllib.loads((CHANGED / "changes.toml").read_text(encoding="utf-8"))
    budget = Budget(seconds=None if options.minutes is None else 60 * options.minutes)
    rows: list[list[Cell]] = []
    missing = 0
    for seed in options.seeds:
        for name, change in changes.items():
            if options.name and name not in options.name:
                continue
            row = row_of(name, change, seed, options, budget)
            if row is None:
                missing += 1
                continue
            rows.append(row)
            print(*row, sep="  ", flush=True)
    tables = {"builds": table(COLUMNS, rows), "sums": table(("", "builds", "as asked"), sums(rows))}
    print(shown(tables["sums"]))
    if options.write:
        values: dict[str, Cell] = {"events": options.events, "seeds": len(options.seeds), "missing": missing}
        print(f"wrote {save('suite_changed', measured(this_machine(load=load), tables, values))}")
    return 1 if missing or any(row[9] != "yes" for row in rows) else 0


def row_of(
    name: str, change: Mapping[str, str], seed: int, options: argparse.Namespace, budget: Budget
) -> list[Cell] | None:
    """The row of one build; measured unless it is kept, None if there is no time for it."""
    project = options.keep / f"{change['base']}-{options.events}-{seed}"
    kept = options.keep / f"{name}-{options.events}-{seed}.json"
    if kept.is_file():
        row: list[Cell] = json.loads(kept.read_text(encoding="utf-8"))
        return row
    if budget.exhausted is not None:
        return None
    options.keep.mkdir(parents=True, exist_ok=True)
    if not (project / SUITE / INDEX).is_file():
        settings = RunSettings(
            project, minutes=MINUTES, events=options.events, worlds=3, jobs=options.jobs, seed=seed, makes_slices=False
        )
        ran = run_app(str(SAMPLES / f"{change['base']}.apk"), settings)
        if ran.suite is None or not ran.suite.is_there:
            raise FewtapsError(f"{change['base']}: no suite: {ran.suite.reason if ran.suite is not None else 'ended'}")
    suite = load_suite(project / SUITE).suite
    played = SuiteRunSettings(project / SUITE, jobs=options.jobs, keeps_rates=False)
    results = run_suite(str(CHANGED / f"{name}.apk"), played).results
    failures = [each for each in results if each.status.is_failure]
    is_as_asked = bool(failures) == (change["kind"] == "regression")
    events = sum(len(test.trace.steps) - 1 for test in suite.tests)
    statuses = [each.status.value for each in results]
    row = [
        *(name, change["kind"], change["base"], seed, len(results), events),
        *(statuses.count("passed"), statuses.count("healed"), len(failures), "yes" if is_as_asked else "no"),
        *(first_difference(failures[0]) if failures else "", current_commit()),
    ]
    write_whole(kept, json.dumps(row).encode())
    return row


def first_difference(result: SuiteTestResult) -> str:
    """The step at which a test did not pass, and what was expected and seen there."""
    run = result.shown
    if run is None or run.trace is None:
        return result.status.value
    number = run.step if run.step is not None else len(run.trace.steps) - 1
    events = result.test.trace.events
    event = describe(events[number]) if number < len(events) else "after its end"
    told = [f"{each.kind.value}: {each.expected!r} expected, {each.seen!r} seen" for each in run.differences[:2]]
    if run.crash is not None and run.crash.root is not None:
        told = [run.crash.root.type]
    return printable(f"{result.status.value} at step {number} ({printable(event, 60)}): {'; '.join(told)}", 300)


def sums(rows: list[list[Cell]]) -> list[list[Cell]]:
    """How many builds of each kind are as asked."""
    words = {"regression": "regressions that are caught", "harmless": "harmless changes that pass"}
    found: list[list[Cell]] = []
    for kind, title in words.items():
        mine = [row for row in rows if row[1] == kind]
        found.append([title, len(mine), sum(row[9] == "yes" for row in mine)])
    return found


if __name__ == "__main__":
    sys.exit(main())
