#!/usr/bin/env python3
"""The speed and memory that are asked of suites: 50 tests with 500 steps, 1,000 mutants, a trace of 50,000 actions.

Run: python benchmarks/suite_speed.py [--mutants 60] [--keep FOLDER] [--write]

The tests are made of an exploration of tipsplit: ten events each of a part of its traces, played from launch; events
whose widget is not there are passed over. They are played by one device, after it has started and played each before;
one that does not pass is printed. The mutants are those of tipsplit,
played by these tests. Real time and processor time are told; on a machine that has nothing else to do they are nearly
the same. The trace of 50,000 actions is of the simulated app `notes`; the memory is that of the process that makes the
suite. `--write` writes benchmarks/results/suite_speed.json.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from recorded import SAMPLES
from results import Cell, load_average, measured, save, shown, table, this_machine

from fewtaps.config import DeviceSettings, ExploreLimits, ExploreSettings, SuiteRunSettings
from fewtaps.device.jobs import Job, JobContext
from fewtaps.device.pool import SessionPool, open_pool
from fewtaps.device.session import Session, world_for
from fewtaps.errors import FewtapsError
from fewtaps.model.suite import Suite, SuiteTest
from fewtaps.model.suite_result import SuiteTestRun, SuiteTestStatus
from fewtaps.model.target import target_of_selector
from fewtaps.model.trace import Step, Trace
from fewtaps.pipeline.exploring import explore_app
from fewtaps.pipeline.mutant_jobs import ListMutants
from fewtaps.pipeline.mutating import measure_tests, play_mutants, rules_for
from fewtaps.pipeline.opening import open_session
from fewtaps.pipeline.suite_app import plan_suite
from fewtaps.pipeline.suite_inputs import find_project_traces, iter_project_traces
from fewtaps.pipeline.testing import job_for
from fewtaps.replay import aim
from fewtaps.store.database import open_store
from fewtaps.suite.expecting import with_expectations
from fewtaps.suite.mutants import sample_mutants
from fewtaps.tracefile import write_trace

TESTS, STEPS = 50, 10
LONG = 50_000
ABSTRACTION = "actionable"
MEASURE = """
import resource, sys
from fewtaps.cli.main import main
code = main(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
sys.exit(code)
"""
"""Runs a command and tells the most memory that its process had, in MiB."""


def explored(app: str, folder: Path, events: int) -> list[Trace]:
    """The traces of an exploration, which is made unless it is there."""
    if not folder.exists():
        explore_app(app, ExploreSettings(folder, limits=ExploreLimits(events=events), pictures=False))
    with open_store(folder) as store:
        found = find_project_traces(store)
        assert found is not None
        return list(iter_project_traces(store, found))


@dataclass(frozen=True, slots=True)
class PlayFitting(Job[Trace | None]):
    """Plays those events of a trace from a step on whose widgets are there, from launch, until there are enough.

    Answers None if the app ends before.
    """

    trace: Trace
    begin: int

    def run(self, session: Session, context: JobContext) -> Trace | None:
        """Plays it once."""
        steps = [session.launch(world_for(session, self.trace.world), self.trace.phone)]
        for event in self.trace.events[self.begin :]:
            if len(steps) > STEPS or steps[-1].ending.is_final:
                break
            selector = getattr(event, "selector", None)
            screen = steps[-1].after
            if selector is None or selector.is_empty or target_of_selector(selector, screen) is not None:
                steps.append(replace(session.perform(aim(event, screen)[0]), event=event))
        is_whole = len(steps) == STEPS + 1 and not steps[-1].ending.is_final
        return replace(self.trace, steps=tuple(steps)) if is_whole else None


def short_tests(pool: SessionPool, traces: Sequence[Trace], count: int = TESTS) -> tuple[SuiteTest, ...]:
    """Tests with ten steps each, of different parts of explored traces; none ends the app."""
    longest = max(len(trace.steps) for trace in traces)
    parts = ((trace, begin) for begin in range(1, longest, STEPS) for trace in traces if begin < len(trace.steps))
    found: list[SuiteTest] = []
    for trace, begin in parts:
        played = pool.ask(PlayFitting(trace, begin))
        if played is not None:
            found.append(SuiteTest(f"part-{len(found):02}", with_expectations([played], ABSTRACTION)))
        if len(found) == count:
            return tuple(found)
    raise FewtapsError(f"the exploration has room for {len(found)} tests only, {count} are wanted")


def processor_seconds() -> float:
    """The processor time of this process and of all processes below it, with their devices."""
    tick = os.sysconf("SC_CLK_TCK")
    parents: dict[int, int] = {}
    used: dict[int, float] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            # The process has ended meanwhile.
            continue
        number = int(path.parent.name)
        parents[number], used[number] = int(fields[1]), (int(fields[11]) + int(fields[12])) / tick
    return sum(seconds for number, seconds in used.items() if _is_below(number, parents))


def _is_below(number: int, parents: dict[int, int]) -> bool:
    while number in parents and number != os.getpid():
        number = parents[number]
    return number == os.getpid()


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Real and processor seconds of some work."""
    began, used = time.monotonic(), processor_seconds()
    work()
    return time.monotonic() - began, processor_seconds() - used


def passes(answer: tuple[SuiteTestRun, ...]) -> bool:
    """Whether a test passed."""
    return all(run.status is SuiteTestStatus.PASSED for run in answer)


def tests_and_mutants(options: argparse.Namespace, values: dict[str, Cell]) -> Iterator[tuple[Cell, ...]]:
    """The rows of the tests and of the mutants; how many tests passed is put into the values."""
    apk = SAMPLES / "tipsplit.apk"
    traces = explored(str(apk), options.keep / "tipsplit", 600)
    empty = Suite(traces[0].app, ABSTRACTION, ())
    plan = plan_suite(empty, str(apk), DeviceSettings())
    settings = SuiteRunSettings(options.keep, strict=True)
    with open_pool(lambda: open_session(plan), size=1) as pool:
        tests = short_tests(pool, traces)
        suite = replace(empty, tests=tests)
        jobs = [job_for(test, suite, settings) for test in tests]
        # The first time, classes are loaded and compiled.
        pool.map(jobs)
        answers: list[tuple[SuiteTestRun, ...]] = []
        real, used = timed(lambda: answers.extend(pool.map(jobs)))
        steps = sum(len(test.trace.steps) - 1 for test in tests)
        values["passed"] = passed = sum(map(passes, answers))
        for test, (run, *_) in zip(tests, answers, strict=True):
            if run.status is not SuiteTestStatus.PASSED:
                print(f"{test.name}: {run.status.value} at step {run.step}: {run.differences}", file=sys.stderr)
        name = f"{len(tests)} tests with {steps} steps, {passed} pass"
        # A test that does not pass ends before its last step.
        yield name, "≤ 10 s", real, used, used, "yes" if used <= 10 and passed == len(tests) else "no"
        rules = rules_for(suite, plan)
        measured_tests = [each.measured for each in measure_tests(pool, suite, rules) if each.failed_at is None]
        reached = [each for each in pool.ask(ListMutants(())) if any(test.covers(each) for test in measured_tests)]
        sample = sample_mutants(reached, options.mutants, seed=1)
        real, used = timed(lambda: list(play_mutants(pool, sample, measured_tests, rules)))
        # Two cores, each with a device.
        each, both = used / len(sample), 1000 * used / len(sample) / 2
        print(f"{len(sample)} mutants, {each:.2f} s of a processor each", file=sys.stderr)
        name = f"1,000 mutants with two devices, from {len(sample)} with one"
        yield name, "≤ 600 s", 1000 * real / len(sample) / 2, 1000 * each, both, "yes" if both <= 600 else "no"


def long_trace(options: argparse.Namespace) -> int:
    """The most memory of the process that makes a suite of one long trace, in MiB."""
    traces = explored("sim:notes", options.keep / "sim-notes", 300)
    parts = [step for trace in traces for step in trace.steps[1:] if step.crash is None]
    steps = [Step(parts[number % len(parts)].event) for number in range(LONG)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.jsonl"
        write_trace(path, replace(traces[0], steps=(Step(traces[0].steps[0].event), *steps)))
        command = [sys.executable, "-c", MEASURE, "suite", str(path), "sim:notes", "-o", str(Path(folder) / "suite")]
        done = subprocess.run([*command, "--json"], cwd=folder, capture_output=True, text=True, check=True)
    return int(done.stdout.splitlines()[-1])


def main() -> int:
    """Prints a row for each figure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mutants", type=int, default=60)
    parser.add_argument("--keep", type=Path, default=SAMPLES.parent / "build" / "suite-speed")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    load = load_average()
    options.keep.mkdir(parents=True, exist_ok=True)
    values: dict[str, Cell] = {}
    rows = list(tests_and_mutants(options, values))
    columns: list[str | tuple[str, str]] = [
        *("figure", "asked for", ("real time", "{:.1f} s"), ("processor time", "{:.1f} s")),
        *(("on idle cores", "{:.1f} s"), "met"),
    ]
    memory = long_trace(options)
    print(shown(table(columns, rows)), f"\na trace of {LONG} actions: {memory} MiB")
    if options.write:
        values["memory_mib"] = memory
        save("suite_speed", measured(this_machine(load=load), {"times": table(columns, rows)}, values))
    return 0


if __name__ == "__main__":
    sys.exit(main())
