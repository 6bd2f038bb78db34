#!/usr/bin/env python3
"""Whether new suites pass every time: each app is run for some events, and its suite is played twenty times.

Run: python benchmarks/suite_repeats.py [--events 150] [--repeats 20] [--starts 2] [--keep FOLDER] [APK | FOLDER …]

A folder stands for the APKs in it; without any, the samples are taken. The suite is that of `fewtaps run`, which has as
much time as it needs. The repeats are divided among so many starts of a device, with nothing healed. A test that once
did not pass is printed with its step, and the exit code is 1 then. Suites and rows are kept in the folder, so that the
same command goes on after a kill; an app whose row is there is not played again. `--write` writes
benchmarks/results/suite_repeats.json.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from recorded import SAMPLES
from results import Cell, load_average, measured, save, table, this_machine

from fewtaps.config import DeviceSettings, RunSettings, SuiteRunSettings
from fewtaps.device.pool import open_pool
from fewtaps.errors import FewtapsError
from fewtaps.files import write_whole
from fewtaps.model.event import describe, printable
from fewtaps.model.suite_result import SuiteTestRun, SuiteTestStatus
from fewtaps.pipeline.opening import open_session
from fewtaps.pipeline.running import run_app
from fewtaps.pipeline.suite_app import device_settings, plan_suite
from fewtaps.pipeline.testing import TRIES, job_for
from fewtaps.suitefile import INDEX, SUITE, load_suite

LEFT_OUT = frozenset({"hostile"})
"""Samples that are no apps to explore: their files are damaged on purpose."""
MINUTES = 60.0
"""The limit of a run, which its events end long before on any machine."""
COLUMNS = ("app", "tests", "events", "plays", "passed", "not passed", ("seconds a time", "{:.1f}"), "first failure")


@dataclass(frozen=True, slots=True)
class Failure:
    """A test that did not pass: in which repeat, at which step, with what difference."""

    test: str
    repeat: int
    status: SuiteTestStatus
    step: int | None
    event: str
    difference: str

    def __str__(self) -> str:
        where = f"step {self.step} ({self.event})" if self.step is not None else "its launch"
        return f"{self.test}: {self.status.value} at {where} in repeat {self.repeat}: {self.difference}"


def apps_in(names: list[str]) -> list[Path]:
    """The APKs that are named, and those in the folders that are named."""
    found: list[Path] = []
    for path in map(Path, names) if names else [SAMPLES]:
        if path.is_dir():
            found += [each for each in sorted(path.glob("*.apk")) if each.stem not in LEFT_OUT]
        else:
            found.append(path)
    return found


def suite_of(apk: Path, folder: Path, events: int, jobs: int) -> Path:
    """The folder of the suite that a run of the app ends with; the run is made unless it is there."""
    if not (folder / SUITE / INDEX).exists():
        ran = run_app(str(apk), RunSettings(folder, minutes=MINUTES, events=events, worlds=3, jobs=jobs))
        if ran.suite is None or not ran.suite.is_there:
            raise FewtapsError(f"{apk.name}: no suite: {ran.suite.reason if ran.suite is not None else 'interrupted'}")
    return folder / SUITE


def failures_of(apk: Path, folder: Path, repeats: int, starts: int, jobs: int) -> Iterator[tuple[int, Failure | None]]:
    """For each test that is played, the number of the repeat and the failure, None if it passed."""
    suite = load_suite(folder).suite
    settings = SuiteRunSettings(folder, strict=True, jobs=jobs)
    plan = plan_suite(suite, str(apk), device_settings(suite, DeviceSettings(), frozenset()))
    tests = {test.name: test for test in suite.tests}
    for start in range(starts):
        turns = range(start, repeats, starts)
        with open_pool(lambda: open_session(plan), size=jobs, tries=TRIES) as pool:
            played = [(repeat, name) for repeat in turns for name in tests]
            asked = (job_for(tests[name], suite, settings) for _, name in played)
            with closing(pool.stream(asked, width=4 * jobs)) as answers:
                for (repeat, name), (run, *_) in zip(played, answers, strict=True):
                    yield repeat, None if run.status is SuiteTestStatus.PASSED else _failure(name, repeat, run)


def _failure(name: str, repeat: int, run: SuiteTestRun) -> Failure:
    events = run.trace.events if run.trace is not None else ()
    event = describe(events[run.step]) if run.step is not None and run.step < len(events) else "its widget is missing"
    shown = [f"{each.kind.value}: {each.expected!r} was expected, {each.seen!r} seen" for each in run.differences]
    return Failure(name, repeat, run.status, run.step, printable(event, 80), printable("; ".join(shown), 300))


def kept_or_measured(apk: Path, options: argparse.Namespace) -> tuple[Cell, ...]:
    """The row of an app, measured unless it was kept."""
    path = options.keep / apk.stem / f"repeats-{options.events}-{options.repeats}-{options.starts}.json"
    if not path.is_file():
        row = measure(apk, options)
        write_whole(path, json.dumps(row).encode())
    return tuple(json.loads(path.read_text(encoding="utf-8")))


def measure(apk: Path, options: argparse.Namespace) -> tuple[Cell, ...]:
    """One row: the suite of an app and how often its tests passed."""
    folder = suite_of(apk, options.keep / apk.stem, options.events, options.jobs)
    suite = load_suite(folder).suite
    began = time.monotonic()
    counts: Counter[bool] = Counter()
    failures: dict[str, Failure] = {}
    for _, failure in failures_of(apk, folder, options.repeats, options.starts, options.jobs):
        counts[failure is None] += 1
        if failure is not None:
            failures.setdefault(failure.test, failure)
    for each in failures.values():
        print(f"  {apk.stem}: {each}", flush=True)
    first = str(next(iter(failures.values()))) if failures else ""
    events = sum(len(test.trace.steps) - 1 for test in suite.tests)
    seconds = (time.monotonic() - began) / options.repeats
    return apk.stem, len(suite.tests), events, sum(counts.values()), counts[True], counts[False], seconds, first


def main() -> int:
    """Prints a row per app as it comes; 1 if a test did not pass once."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("apk", nargs="*")
    parser.add_argument("--events", type=int, default=150)
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--starts", type=int, default=2)
    parser.add_argument("--jobs", "-j", type=int, default=1)
    parser.add_argument("--keep", type=Path, default=SAMPLES.parent / "build" / "suite-repeats")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    load = load_average()
    options.keep.mkdir(parents=True, exist_ok=True)
    rows: list[tuple[Cell, ...]] = []
    refused = 0
    for apk in apps_in(options.apk):
        try:
            rows.append(kept_or_measured(apk, options))
        except FewtapsError as error:
            refused += 1
            print(f"  {apk.stem}: {printable(str(error), 300)}", flush=True)
            continue
        print(*rows[-1], sep="  ", flush=True)
    if options.write:
        values: dict[str, Cell] = {"events": options.events, "repeats": options.repeats, "starts": options.starts}
        save("suite_repeats", measured(this_machine(load=load), {"apps": table(COLUMNS, rows)}, values))
    return 1 if refused or any(row[5] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
