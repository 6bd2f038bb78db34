#!/usr/bin/env python3
"""Whether new suites pass every time: each app is run for some events, and its suite is played twenty times.

Run: python benchmarks/suite_repeats.py [--events 150] [--repeats 20] [--starts 2] [--minutes N] [APK | FOLDER …]

A folder stands for the APKs in it; without any, the samples are taken. The suite is that of `fewtaps run`, which has as
much time as it needs. The repeats are divided among so many starts of a device, with nothing healed. A test that once
did not pass is printed with its step, and the exit code is 1 then. Suites and the plays of their tests are kept in
`--keep` (build/suite-repeats): after a kill, or when `--minutes` are over, the same command goes on with the next play.
`--write` writes benchmarks/results/suite_repeats.json with the apps that are finished, and names the others.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path

from recorded import SAMPLES
from results import Cell, current_commit, load_average, measured, save, table, this_machine

from fewtaps.budget import Budget
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
COLUMNS = (
    *("app", "tests", "events", "plays", "passed", "not passed"),
    *(("seconds a time", "{:.1f}"), "first failure", "commit"),
)


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


@dataclass(frozen=True, slots=True)
class Play:
    """One play of a test: its number among the repeats, its time, and the failure, None if it passed."""

    test: str
    repeat: int
    seconds: float
    failure: Failure | None


class PlayLog:
    """The plays of one suite in a file, a line for each, with the commit that made them."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.plays: list[Play] = []
        self.commits: set[str] = set()
        # The last line is not whole if the command was killed while it was written.
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        whole = text[: text.rfind("\n") + 1]
        if whole != text:
            write_whole(path, whole.encode())
        for line in whole.splitlines():
            record = json.loads(line)
            self.commits.add(record.pop("commit"))
            failure = record.pop("failure")
            if failure is not None:
                failure = Failure(**{**failure, "status": SuiteTestStatus(failure["status"])})
            play = Play(**record, failure=failure)
            # Two commands at once may have played the same.
            if (play.repeat, play.test) not in self.done:
                self.plays.append(play)

    @property
    def done(self) -> set[tuple[int, str]]:
        """What was played already, by repeat and test."""
        return {(play.repeat, play.test) for play in self.plays}

    def add(self, play: Play) -> None:
        """Keeps a play at once."""
        self.plays.append(play)
        commit = current_commit()
        self.commits.add(commit)
        record = asdict(play) | {"commit": commit}
        if play.failure is not None:
            record["failure"] = asdict(play.failure) | {"status": play.failure.status.value}
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")


def play_rest(apk: Path, folder: Path, log: PlayLog, options: argparse.Namespace, budget: Budget) -> bool:
    """Plays what is not in the log yet; whether all is there. None is begun after the time is up."""
    suite = load_suite(folder).suite
    settings = SuiteRunSettings(folder, strict=True, jobs=options.jobs)
    plan = plan_suite(suite, str(apk), device_settings(suite, DeviceSettings(), frozenset()))
    tests = {test.name: test for test in suite.tests}
    for start in range(options.starts):
        turns = range(start, options.repeats, options.starts)
        done = log.done
        wanted = [(repeat, name) for repeat in turns for name in tests if (repeat, name) not in done]
        if not wanted:
            continue
        begun: list[tuple[int, str]] = []
        with open_pool(lambda: open_session(plan), size=options.jobs, tries=TRIES) as pool:
            asked = (job_for(tests[each[1]], suite, settings) for each in _until(budget, wanted, begun))
            with closing(pool.stream(asked, width=4 * options.jobs)) as answers:
                for number, (run, *_) in enumerate(answers):
                    repeat, name = begun[number]
                    failure = None if run.status is SuiteTestStatus.PASSED else _failure(name, repeat, run)
                    log.add(Play(name, repeat, run.seconds, failure))
        if len(begun) < len(wanted):
            return False
    return True


def _until(budget: Budget, wanted: list[tuple[int, str]], begun: list[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """What is wanted, each noted as begun, until the budget is spent."""
    for each in wanted:
        if budget.exhausted is not None:
            return
        begun.append(each)
        yield each


def _failure(name: str, repeat: int, run: SuiteTestRun) -> Failure:
    events = run.trace.events if run.trace is not None else ()
    event = describe(events[run.step]) if run.step is not None and run.step < len(events) else "its widget is missing"
    shown = [f"{each.kind.value}: {each.expected!r} was expected, {each.seen!r} seen" for each in run.differences]
    return Failure(name, repeat, run.status, run.step, printable(event, 80), printable("; ".join(shown), 300))


def measure(apk: Path, options: argparse.Namespace, budget: Budget) -> tuple[Cell, ...] | None:
    """One row: the suite of an app and how often its tests passed; None if there was no time for all of it."""
    if budget.exhausted is not None:
        return None
    project = options.keep / apk.stem
    folder = suite_of(apk, project, options.events, options.jobs)
    suite = load_suite(folder).suite
    log = PlayLog(project / f"plays-{options.events}-{options.repeats}-{options.starts}.jsonl")
    if not play_rest(apk, folder, log, options, budget):
        return None
    failures: dict[str, Failure] = {}
    for play in log.plays:
        if play.failure is not None:
            failures.setdefault(play.failure.test, play.failure)
    for each in failures.values():
        print(f"  {apk.stem}: {each}", flush=True)
    first = str(next(iter(failures.values()))) if failures else ""
    events = sum(len(test.trace.steps) - 1 for test in suite.tests)
    seconds = sum(play.seconds for play in log.plays) / options.repeats
    passed = sum(play.failure is None for play in log.plays)
    counts = (len(suite.tests), events, len(log.plays), passed, len(log.plays) - passed)
    return (apk.stem, *counts, seconds, first, ", ".join(sorted(log.commits)))


def main() -> int:
    """Prints a row per app as it comes; 1 if a test did not pass once."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("apk", nargs="*")
    parser.add_argument("--events", type=int, default=150)
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--starts", type=int, default=2)
    parser.add_argument("--jobs", "-j", type=int, default=1)
    parser.add_argument("--minutes", type=float, help="begin nothing after so many minutes (no limit)")
    parser.add_argument("--keep", type=Path, default=SAMPLES.parent / "build" / "suite-repeats")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    load = load_average()
    options.keep.mkdir(parents=True, exist_ok=True)
    rows: list[tuple[Cell, ...]] = []
    missing: list[str] = []
    refused = 0
    budget = Budget(seconds=None if options.minutes is None else 60 * options.minutes)
    for apk in apps_in(options.apk):
        try:
            row = measure(apk, options, budget)
        except FewtapsError as error:
            refused += 1
            missing.append(apk.stem)
            print(f"  {apk.stem}: {printable(str(error), 300)}", flush=True)
            continue
        if row is None:
            missing.append(apk.stem)
            continue
        rows.append(row)
        print(*row, sep="  ", flush=True)
    if missing:
        print(f"not finished: {', '.join(missing)}", flush=True)
    if options.write:
        values: dict[str, Cell] = {"events": options.events, "repeats": options.repeats, "starts": options.starts}
        values["missing"] = ", ".join(missing)
        save("suite_repeats", measured(this_machine(load=load), {"apps": table(COLUMNS, rows)}, values))
    return 1 if refused or any(row[5] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
