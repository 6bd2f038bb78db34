#!/usr/bin/env python3
"""Faults that suites find: mutants of the samples, played by a suite and by the traces that it was made from.

Run: python benchmarks/mutate.py [--events 1000] [--mutants 1000] [--jobs 2] [--keep FOLDER] [--write] [SAMPLE …]

Each sample is explored, its traces become a suite by `fewtaps suite`, and a sample of the mutants that the traces reach
is played by both, by the same rules: each mutant until a test notices it, once with all expectations and once by
states, endings and crashes alone. So are the suites after each phase of the reduction. For the orders of the tests,
each mutant is also played by all tests of the suite that reach it. Explorations and suites are kept in the folder, so
that a second call only plays mutants. `--write` writes benchmarks/results/mutate.json.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from recorded import SAMPLES
from results import Cell, load_average, measured, save, table, this_machine

from fewtaps.config import DeviceSettings, ExploreLimits, ExploreSettings, SuiteSettings
from fewtaps.device.jobs import Job, JobContext
from fewtaps.device.pool import SessionPool, open_pool
from fewtaps.device.session import Session
from fewtaps.model.ending import Ending
from fewtaps.model.mutant import OPERATORS, Mutant, MutantResult, MutantStatus, MutationScore
from fewtaps.model.suite import Suite, SuiteTest
from fewtaps.model.trace import Trace
from fewtaps.pipeline.exploring import explore_app
from fewtaps.pipeline.mutant_jobs import CheckRules, ListMutants, run_against
from fewtaps.pipeline.mutating import measure_tests, play_mutants, rules_for
from fewtaps.pipeline.opening import Plan, open_session
from fewtaps.pipeline.suite_app import plan_suite
from fewtaps.pipeline.suite_inputs import find_project_traces, iter_project_traces, sort_sources
from fewtaps.pipeline.suites import make_suite
from fewtaps.replay import PlayEvents
from fewtaps.store.database import open_store
from fewtaps.suite.expecting import with_expectations
from fewtaps.suite.mutants import KillHistory, MeasuredTest, sample_mutants, score_by_states
from fewtaps.suitefile import INDEX, read_suite

CHOSEN = ("tipsplit", "notes", "wizard")
COLUMNS = (
    *("sample", "mutants", "traces", "actions", ("traces kill", "{:.1f} %"), ("by states", "{:.1f} %")),
    *("tests", "steps", ("suite kills", "{:.1f} %"), ("suite by states", "{:.1f} %")),
    *(("of what the traces kill", "{:.1f} %"), ("texts / states", "{:.2f}"), ("seconds", "{:.0f}")),
    ("seconds for 1,000", "{:.0f}"),
)
PHASES = (
    *("sample", "after", "tests", "steps", ("kill", "{:.1f} %"), ("by states", "{:.1f} %")),
    ("of what the traces kill", "{:.1f} %"),
)
PHASE_NAMES = {
    "preparing": "preparing",
    "loops": "phase 1: loops",
    "splicing": "phase 2: splicing",
    "selecting": "exact selection",
    "worlds": "all worlds",
}
ORDERS = ("sample", ("as listed", "{:.3f}"), ("by coverage", "{:.3f}"), ("by kills", "{:.3f}"), ("reverse", "{:.3f}"))


@dataclass(frozen=True, slots=True)
class KillRow(Job[tuple[str, ...]]):
    """Plays all tests that reach a mutant; answers the names of those that notice it."""

    mutant: Mutant
    tests: tuple[MeasuredTest, ...]
    rules: CheckRules

    def run(self, session: Session, context: JobContext) -> tuple[str, ...]:
        """Plays each test once."""
        shown = (
            (test.test.name, run_against(session, self.mutant, test, self.rules, context, with_states=False).status)
            for test in self.tests
        )
        return tuple(name for name, status in shown if status is not MutantStatus.SURVIVED)


@dataclass(frozen=True, slots=True)
class Scores:
    """What some tests say of the mutants."""

    results: tuple[MutantResult, ...]
    seconds: float

    @property
    def killed(self) -> set[str]:
        """The keys of the mutants that were noticed."""
        return {each.mutant.key for each in self.results if each.status.is_detected}

    @property
    def percent(self) -> float:
        """The share that was noticed."""
        return MutationScore.of(self.results).percent

    @property
    def percent_by_states(self) -> float:
        """The share that was noticed by states, endings and crashes."""
        score = score_by_states(self.results)
        assert score is not None
        return score.percent


def explored(apk: Path, folder: Path, events: int, jobs: int) -> None:
    """Explores the sample unless that was done before."""
    if not folder.exists():
        explore_app(str(apk), ExploreSettings(folder, limits=ExploreLimits(events=events), jobs=jobs, pictures=False))


def suite_of(folder: Path, jobs: int) -> Suite:
    """The suite of the project, made unless it is there."""
    if not (folder / "suite" / INDEX).exists():
        make_suite(sort_sources([str(folder)]), SuiteSettings(folder, folder / "suite", jobs=jobs))
    return read_suite(folder / "suite")


def phases_of(folder: Path, jobs: int) -> tuple[tuple[str, tuple[Trace, ...]], ...]:
    """The events of the suite after each phase. What was played for the suite is known, and not played again."""
    with tempfile.TemporaryDirectory() as output:
        settings = SuiteSettings(folder, Path(output) / "suite", jobs=jobs)
        return make_suite(sort_sources([str(folder)]), settings).phase_traces


def played_tests(pool: SessionPool, traces: Sequence[Trace], suite: Suite) -> Suite:
    """The traces as a suite: each is played once, and its steps expect what they showed."""
    played = pool.map([PlayEvents(trace.events, trace.world) for trace in traces])
    tests = (
        SuiteTest(f"run-{number:04}", with_expectations([each.trace], suite.abstraction))
        for number, each in enumerate(played, 1)
    )
    return Suite(suite.app, suite.abstraction, tuple(tests), settings=suite.settings)


def traces_as_tests(folder: Path, suite: Suite) -> Suite:
    """The traces of the project as a suite; each step expects what it showed."""
    with open_store(folder) as store:
        found = find_project_traces(store)
        assert found is not None
        traces = [trace for trace in iter_project_traces(store, found) if trace.ending is not Ending.LOST]
    tests = (
        SuiteTest(f"trace-{number:04}", with_expectations([trace], suite.abstraction))
        for number, trace in enumerate(traces, 1)
    )
    return Suite(suite.app, suite.abstraction, tuple(tests), settings=suite.settings)


def scores(
    pool: SessionPool, mutants: Sequence[Mutant], tests: Sequence[MeasuredTest], rules: CheckRules, *, states: bool
) -> Scores:
    """Plays the mutants with the tests."""
    began = time.monotonic()
    results = tuple(play_mutants(pool, mutants, tests, rules, with_states=states))
    return Scores(results, time.monotonic() - began)


def passing(pool: SessionPool, suite: Suite, rules: CheckRules) -> tuple[MeasuredTest, ...]:
    """The tests that pass without a fault."""
    return tuple(each.measured for each in measure_tests(pool, suite, rules) if each.failed_at is None)


def apfd(order: Sequence[str], rows: Sequence[tuple[str, ...]]) -> float:
    """The average share of faults detected while the tests run in this order, without faults that no test finds."""
    place = {name: number for number, name in enumerate(order, 1)}
    first = [min(place[name] for name in row) for row in rows if row]
    if not first:
        return 0.0
    return 1 - sum(first) / (len(order) * len(first)) + 1 / (2 * len(order))


def orders_row(name: str, tests: Sequence[MeasuredTest], rows: Sequence[tuple[str, ...]]) -> tuple[Cell, ...]:
    """APFD of the listed order, of most coverage first, of most kills in the other half first, and of the reverse."""
    names = [each.test.name for each in tests]
    by_coverage = _greedy({each.test.name: set(each.covered.branches) for each in tests})
    # The kills that decide the order are of other mutants than those that judge it.
    known, judged = rows[::2], rows[1::2]
    by_kills = _greedy({each: {number for number, row in enumerate(known) if each in row} for each in names})
    orders = (names, by_coverage, by_kills, list(reversed(names)))
    return (name, *(apfd(order, judged) for order in orders))


def _greedy(covered: dict[str, set[int]]) -> list[str]:
    order: list[str] = []
    known: set[int] = set()
    while len(order) < len(covered):
        best = max((each for each in covered if each not in order), key=lambda each: len(covered[each] - known))
        order.append(best)
        known |= covered[best]
    return order


def phase_row(name: str, phase: str, tests: Sequence[MeasuredTest], found: Scores, traces: Scores) -> tuple[Cell, ...]:
    """What the suite after a phase kills."""
    kept = len(found.killed & traces.killed) / len(traces.killed) if traces.killed else 1.0
    steps = sum(len(each.test.trace.steps) - 1 for each in tests)
    return name, phase, len(tests), steps, found.percent, found.percent_by_states, 100 * kept


def measure(
    name: str, options: argparse.Namespace
) -> tuple[tuple[Cell, ...], tuple[Cell, ...], list[tuple[Cell, ...]]]:
    """One row of the main table, one of the orders, and one for the suite after each phase."""
    apk, folder = SAMPLES / f"{name}.apk", options.keep / name
    explored(apk, folder, options.events, options.jobs)
    suite = suite_of(folder, options.jobs)
    traces = traces_as_tests(folder, suite)
    phases = phases_of(folder, options.jobs)
    plan: Plan = plan_suite(suite, str(apk), DeviceSettings())
    rules = rules_for(suite, plan)
    with open_pool(lambda: open_session(plan), size=options.jobs, tries=3) as pool:
        mutants = pool.ask(ListMutants(OPERATORS))
        original = passing(pool, traces, rules)
        reached = [each for each in mutants if any(test.covers(each) for test in original)]
        sample = sample_mutants(reached, options.mutants, seed=1)
        tests = passing(pool, suite, rules)
        fast = scores(pool, sample, tests, rules, states=False)
        ours = scores(pool, sample, tests, rules, states=True)
        theirs = scores(pool, sample, original, rules, states=True)
        by_phase = [phase_row(name, "original traces", original, theirs, theirs)]
        for phase, runs in phases:
            measured_tests = passing(pool, played_tests(pool, runs, suite), rules)
            found = scores(pool, sample, measured_tests, rules, states=True)
            by_phase.append(phase_row(name, PHASE_NAMES[phase], measured_tests, found, theirs))
        by_phase.append(phase_row(name, "suite with its masks", tests, ours, theirs))
        history = KillHistory()
        jobs = [KillRow(each, history.ordered(each, tests), rules) for each in sample]
        rows = pool.map(jobs)
    kept = len(ours.killed & theirs.killed) / len(theirs.killed) if theirs.killed else 1.0
    row: tuple[Cell, ...] = (
        *(name, len(sample), len(original), sum(len(each.test.trace.steps) - 1 for each in original)),
        *(theirs.percent, theirs.percent_by_states),
        *(len(tests), sum(len(each.test.trace.steps) - 1 for each in tests), ours.percent, ours.percent_by_states),
        *(100 * kept, ours.percent / ours.percent_by_states if ours.percent_by_states else None),
        *(fast.seconds, 1000 * fast.seconds / len(sample) if sample else None),
    )
    return row, orders_row(name, tests, rows), by_phase


def main() -> int:
    """Prints a row per sample as it comes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sample", nargs="*", default=list(CHOSEN))
    parser.add_argument("--events", type=int, default=1000)
    parser.add_argument("--mutants", type=int, default=1000)
    parser.add_argument("--jobs", "-j", type=int, default=2)
    parser.add_argument("--keep", type=Path, default=SAMPLES.parent / "build" / "mutate")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    load = load_average()
    options.keep.mkdir(parents=True, exist_ok=True)
    rows: list[tuple[Cell, ...]] = []
    orders: list[tuple[Cell, ...]] = []
    phases: list[tuple[Cell, ...]] = []
    for name in options.sample:
        row, order, by_phase = measure(name, options)
        print(*row, *order[1:], sep="  ", flush=True)
        for each in by_phase:
            print(*each, sep="  ", flush=True)
        phases += by_phase
        rows.append(row)
        orders.append(order)
    kept = [float(row[10]) for row in rows if isinstance(row[10], int | float)]
    gains = [float(row[11]) for row in rows if isinstance(row[11], int | float)]
    values: dict[str, Cell] = {
        "events": options.events,
        "devices": options.jobs,
        "kept_percent_median": statistics.median(kept) if kept else None,
        "texts_to_states_median": statistics.median(gains) if gains else None,
    }
    if options.write:
        tables = {
            "samples": table(COLUMNS, rows),
            "phases": table(PHASES, phases),
            "orders": table(ORDERS, orders),
        }
        save("mutate", measured(this_machine(load=load), tables, values))
    return 0


if __name__ == "__main__":
    sys.exit(main())
