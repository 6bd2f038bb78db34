"""Makes one suite of one explored project, as `fewtaps suite` does, and tells the time of each phase.

The explored traces and the finished suite are then played once each, on the same device and by turns, so that the two
times can be compared.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from results import current_commit
from suite_table import SuiteRow, SuiteSize

from fewtaps.config import SUITE_ABSTRACTIONS, DeviceSettings, SuiteSettings
from fewtaps.device.pool import SessionPool, open_pool
from fewtaps.errors import FewtapsError
from fewtaps.model.state import StateId
from fewtaps.model.step_state import step_state
from fewtaps.model.trace import Trace
from fewtaps.pipeline.news import News, SuiteAdvanced, TestRecorded, TestRefused
from fewtaps.pipeline.opening import open_session, plan_app
from fewtaps.pipeline.suite_inputs import SuiteSources, find_project_traces, iter_project_traces
from fewtaps.pipeline.suites import MadeSuite, make_suite
from fewtaps.replay import PlayEvents
from fewtaps.store.database import open_store
from fewtaps.suite.reduction import Phase
from fewtaps.suite.runs import coverage_of

SAMPLES = Path(__file__).resolve().parent.parent / "samples"
NAMES = {
    Phase.PREPARING: "loops",
    Phase.LOOPS: "loops",
    Phase.SPLICING: "splicing",
    Phase.SELECTING: "selecting",
    Phase.WORLDS: "worlds",
}
"""By phase, the column of the tables: preparing belongs to phase 1."""


@dataclass(frozen=True, slots=True)
class Task:
    """One exploration and the suite that is made of it."""

    apk: Path
    strategy: str
    seed: int
    actions: int
    coverage: Literal["app", "all"]

    @property
    def name(self) -> str:
        """The name of the project's folder."""
        scope = "" if self.coverage == "app" else f"-{self.coverage}"
        return f"{self.apk.stem}-{self.strategy}-{self.seed}-{self.actions}{scope}"


class PhaseClock:
    """Adds up the seconds of each phase: the time since the news before belongs to the phase that the news names.

    After the first test was recorded, the time up to the news of a test is that of the recording, and the time up to
    the news of a phase that of looking for others in the place of tests that did not pass.
    """

    def __init__(self) -> None:
        self._last = time.monotonic()
        self._is_recording = False
        self.seconds: defaultdict[Phase, float] = defaultdict(float)
        self.recording_seconds = 0.0
        self.again_seconds = 0.0

    def __call__(self, news: News) -> None:
        if isinstance(news, SuiteAdvanced):
            seconds = self._seconds_since_last()
            if self._is_recording:
                self.again_seconds += seconds
            else:
                self.seconds[news.progress.phase] += seconds
        elif isinstance(news, TestRecorded | TestRefused):
            self._is_recording = True
            self.recording_seconds += self._seconds_since_last()

    def end(self) -> None:
        """Says that the suite is made: the time since the last news is that of the recording."""
        self.recording_seconds += self._seconds_since_last()

    @property
    def making_seconds(self) -> float:
        """The seconds of all phases, with those of looking again."""
        return sum(self.seconds.values()) + self.again_seconds

    def _seconds_since_last(self) -> float:
        before, self._last = self._last, time.monotonic()
        return self._last - before


def measure_suite(task: Task, project: Path, options: argparse.Namespace) -> SuiteRow:
    """Makes the suite of a project anew and measures it."""
    work = project / row_name(options)
    shutil.rmtree(work, ignore_errors=True)
    device = DeviceSettings(coverage=task.coverage)
    settings = SuiteSettings(
        folder=work,
        output=work / "suite",
        device=device,
        worlds=options.worlds,
        abstraction=options.abstraction,
        as_paper=options.as_paper,
        seconds=60 * options.minutes,
    )
    clock = PhaseClock()
    made = make_suite(SuiteSources(str(task.apk), (project,), ()), settings, clock)
    clock.end()
    original_seconds, suite_seconds = play_both(task, device, list(project_traces(project)), made)
    covered, flaky, lost = made.counts, made.flaky_counts, made.lost_counts
    before = {kind: count + flaky[kind] + lost[kind] for kind, count in covered.items()}
    return SuiteRow(
        app=task.apk.stem,
        package=made.suite.app.package,
        strategy=task.strategy,
        seed=task.seed,
        events=task.actions,
        worlds=options.worlds,
        order="paper" if options.as_paper else "ours",
        is_whole=made.reduced.is_whole,
        branches=before.get("branches", 0),
        screens=before["screens"],
        crashes=before["crashes"],
        actions=made.before.transitions,
        traces=made.before.restarts,
        phases=sizes(made, clock.seconds),
        lost=sum(lost.values()),
        flaky=sum(flaky.values()),
        crashes_kept=covered["crashes"],
        original_seconds=original_seconds,
        suite_seconds=suite_seconds,
        making_seconds=clock.making_seconds,
        recording_seconds=clock.recording_seconds,
        again_seconds=clock.again_seconds,
        lost_crashes=len(made.lost_crashes),
        flaky_crashes=len(made.flaky_crashes),
        commit=current_commit(),
        played_runs=made.reduced.played.restarts,
        played_actions=made.reduced.played.transitions,
        refused=made.reduced.refused,
        gap=made.reduced.gap,
        deviations={str(number): count for number, count in made.reduced.deviations_by_run},
    )


def row_name(options: argparse.Namespace) -> str:
    """Tells suites of one project apart."""
    return f"{options.worlds}-{options.abstraction}-{'paper' if options.as_paper else 'ours'}"


def project_traces(project: Path) -> Iterator[Trace]:
    """The traces that a suite is made from."""
    with open_store(project) as store:
        found = find_project_traces(store)
        if found is not None:
            yield from iter_project_traces(store, found)


def play_both(task: Task, device: DeviceSettings, traces: list[Trace], made: MadeSuite) -> tuple[float, float]:
    """The seconds that the explored traces take, and those of the suite: launches and events, nothing else."""
    plan = plan_app(str(task.apk), device)
    with open_pool(lambda: open_session(plan), size=1, tries=1) as pool:
        # The first run loads the classes of the app.
        _seconds(pool, traces[:1])
        return _seconds(pool, traces), _seconds(pool, [test.trace for test in made.suite.tests])


def _seconds(pool: SessionPool, traces: Iterable[Trace]) -> float:
    return sum(sum(pool.ask(PlayEvents(trace.events, trace.world)).seconds) for trace in traces)


def sizes(made: MadeSuite, seconds: Mapping[Phase, float]) -> dict[str, SuiteSize]:
    """The suite after each phase, and how long each took."""
    found: dict[str, SuiteSize] = {}
    for each in made.reduced.phases:
        name = NAMES[each.phase]
        took = sum(value for phase, value in seconds.items() if NAMES[phase] == name)
        covered = coverage_of(each.runs).bit_count()
        found[name] = SuiteSize(each.cost.transitions, each.cost.restarts, took, covered)
    return found


def state_counts(project: Path) -> dict[str, int]:
    """How many states the explored traces have under each abstraction; kept in the project's folder."""
    kept = project / "states.json"
    if kept.is_file():
        found: dict[str, int] = json.loads(kept.read_text(encoding="utf-8"))
        return found
    states: dict[str, set[StateId | None]] = {name: set() for name in SUITE_ABSTRACTIONS}
    for trace in project_traces(project):
        for step in trace.steps:
            for name, seen in states.items():
                seen.add(step_state(step, name))
    counts = {name: len(seen - {None}) for name, seen in states.items()}
    kept.write_text(json.dumps(counts), encoding="utf-8")
    return counts


def explore(task: Task, project: Path) -> None:
    """Explores into the project's folder, unless that was done before. Raises FewtapsError if it fails."""
    done = project / "explored.json"
    if done.is_file():
        return
    shutil.rmtree(project, ignore_errors=True)
    command = [sys.executable, "-m", "fewtaps", "explore", str(task.apk), "-o", str(project)]
    command += ["--strategy", task.strategy, "--seed", str(task.seed), "--events", str(task.actions)]
    command += ["--coverage", task.coverage, "--no-vary", "--no-pictures", "--json"]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    last = told.stdout.splitlines()[-1] if told.stdout else ""
    if told.returncode != 0 or '"summary"' not in last:
        raise FewtapsError(told.stderr.strip() or "the exploration told no summary")
    done.write_text(last + "\n", encoding="utf-8")
