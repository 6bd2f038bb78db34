"""Makes one suite of one explored project, with the time of each phase: what `benchmarks/suite.py` measures.

The reduction is that of `fewtaps.suite`, played on one twin. The explored traces and the finished suite are played once
each by the same session, so that both times are measured in the same way.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from suite_table import SuiteRow, SuiteSize

from fewtaps.apk.reader import read_apk
from fewtaps.device.session import Session, SessionSettings
from fewtaps.device.twin.device import TwinDevice
from fewtaps.device.twin.jail import jail_problem
from fewtaps.errors import NotFound
from fewtaps.model.event import Event, event_to_json
from fewtaps.model.state import StateId
from fewtaps.model.step_state import step_state
from fewtaps.model.trace import Step, Trace
from fewtaps.replay import play_steps
from fewtaps.store.database import open_store
from fewtaps.suite.paper import PaperReduction
from fewtaps.suite.reduction import Phase, ReducedSuite, SuiteProgress, SuiteReduction, SuiteRules
from fewtaps.suite.runs import LAUNCH, RunAnswer, RunRequest, RunStep, SuiteRun, cost_of, coverage_of

LAUNCH_EVENTS = 20
"""Events that take as long as a launch, on the twin, before any was measured."""


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


@dataclass(slots=True)
class Elements:
    """Branches, screens and crashes as bits: branches are the lowest, by their probe numbers."""

    abstraction: str
    branches: int
    numbers: dict[str, int] = field(default_factory=dict)

    def of(self, step: Step, state: StateId | None, *, everything: bool) -> int:
        """The bits of a step: of all code that ran in it, or only of code that ran in it first."""
        bits = (step.ran if everything else step.covered).branches.bits
        if state is not None:
            bits |= 1 << self._number(f"screen {state}")
        if step.crash is not None and step.crash.suspect is None:
            bits |= 1 << self._number(f"crash {step.crash.signature}")
        return bits

    def _number(self, name: str) -> int:
        return self.branches + self.numbers.setdefault(name, len(self.numbers))

    def counts(self, bits: int) -> tuple[int, int, int]:
        """How many branches, screens and crashes are among the bits."""
        kinds = Counter(name.partition(" ")[0] for name in self.numbers if bits >> self._number(name) & 1)
        return (bits & ((1 << self.branches) - 1)).bit_count(), kinds["screen"], kinds["crash"]


@dataclass(slots=True)
class Player:
    """Plays runs on a session, and keeps events by number and the measured seconds of launches and events."""

    session: Session
    elements: Elements
    actions: dict[str, int] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    seconds: list[float] = field(default_factory=lambda: [0.0, 0.0])
    counts: list[int] = field(default_factory=lambda: [0, 0])

    def number_of(self, event: Event) -> int:
        """The number of an event; equal events have equal numbers."""
        text = json.dumps(event_to_json(event), sort_keys=True)
        number = self.actions.setdefault(text, len(self.events))
        if number == len(self.events):
            self.events.append(event)
        return number

    def recorded(self, trace: Trace) -> SuiteRun:
        """A recorded trace as a run, up to a step in which the device was lost or the app was launched again."""
        steps: list[RunStep] = []
        for number, step in enumerate(trace.steps):
            state = step_state(step, self.elements.abstraction)
            if state is None:
                break
            action = self.number_of(step.event) if number else LAUNCH
            bits = self.elements.of(step, state, everything=False)
            steps.append(RunStep(action, state, bits, step.asked_world is not False))
        return SuiteRun(trace.world, tuple(steps))

    def launch_cost(self) -> int:
        """How many events take as long as a launch, as measured so far."""
        if not self.counts[0] or not self.counts[1] or not self.seconds[1]:
            return LAUNCH_EVENTS
        return max(1, round(self.seconds[0] / self.counts[0] / (self.seconds[1] / self.counts[1])))

    def play_all(self, requests: Sequence[RunRequest]) -> list[RunAnswer]:
        """Plays requests, one after the other."""
        return [self.play(request) for request in requests]

    def play(self, request: RunRequest) -> RunAnswer:
        """Plays a request until its end or its first state that is not as expected."""
        steps: list[RunStep] = []
        events = [self.events[action] for action in request.actions]
        played = play_steps(self.session, events, world=request.world, needs_widgets=True)
        for number, each in enumerate(played):
            self.seconds[number > 0] += each.seconds
            self.counts[number > 0] += 1
            state = step_state(each.step, self.elements.abstraction)
            if state is None:
                return RunAnswer(SuiteRun(request.world, tuple(steps)), is_lost=True)
            action = request.actions[number - 1] if number else LAUNCH
            bits = self.elements.of(each.step, state, everything=True)
            steps.append(RunStep(action, state, bits, each.step.asked_world is not False))
            if number < len(request.expected) and request.expected[number] not in (None, state):
                break
        return RunAnswer(SuiteRun(request.world, tuple(steps)))

    def timed(self, runs: Iterable[SuiteRun]) -> tuple[float, list[SuiteRun]]:
        """Plays whole runs in their own worlds: the seconds of launches and events, and what was seen."""
        before = sum(self.seconds)
        seen = [self.play(RunRequest(run.world, run.actions)).run for run in runs]
        return sum(self.seconds) - before, seen


class PhaseClock:
    """Adds up the seconds of each phase: the time since the news before belongs to the phase that the news names."""

    def __init__(self) -> None:
        self.began = self._last = time.monotonic()
        self.seconds: defaultdict[Phase, float] = defaultdict(float)

    def __call__(self, progress: SuiteProgress) -> None:
        now = time.monotonic()
        self.seconds[progress.phase] += now - self._last
        self._last = now


def read_recordings(project: Path, player: Player) -> list[SuiteRun]:
    """The explored traces of a project, in their order; one in which no step is known is left out."""
    with open_store(project) as store:
        run = store.runs.latest("explore")
        if run is None:
            raise NotFound(f"{project}: nothing has been explored here")
        runs = [player.recorded(episode.trace) for episode in store.runs.iter_episodes(run.run_id)]
    return [each for each in runs if each.steps]


def make_suite(task: Task, project: Path, options: argparse.Namespace) -> SuiteRow:
    """Makes the suite of a project and measures it."""
    app = read_apk(task.apk)
    settings = SessionSettings(coverage=task.coverage, step_coverage=True)
    with TwinDevice(jail=jail_problem() is None) as device, device.open(app, settings) as session:
        elements = Elements(options.abstraction, session.probe_map().totals.branches)
        player = Player(session, elements)
        recorded = read_recordings(project, player)
        clock = PhaseClock()
        until = clock.began + 60 * options.minutes
        rules = SuiteRules(
            worlds=options.worlds,
            launch_cost=player.launch_cost,
            should_stop=lambda: time.monotonic() > until,
            on_progress=clock,
        )
        order = PaperReduction if options.as_paper else SuiteReduction
        made = order(recorded, player.play_all, rules).reduce()
        making_seconds, playing_seconds = time.monotonic() - clock.began, sum(player.seconds)
        original_seconds, originals = player.timed(recorded)
        suite_seconds, _ = player.timed([each.run for each in made.runs])
    branches, screens, crashes = elements.counts(coverage_of(recorded))
    before = cost_of(recorded)
    promised = coverage_of(originals) & coverage_of(recorded) & ~made.flaky
    return SuiteRow(
        app=task.apk.stem,
        package=app.package,
        strategy=task.strategy,
        seed=task.seed,
        events=task.actions,
        worlds=options.worlds,
        order="paper" if options.as_paper else "ours",
        is_whole=made.is_whole,
        branches=branches,
        screens=screens,
        crashes=crashes,
        actions=before.transitions,
        traces=before.restarts,
        phases=sizes(made, clock.seconds),
        lost=(promised & ~made.covered).bit_count(),
        flaky=(made.flaky | made.unreplayed).bit_count(),
        crashes_kept=elements.counts(made.covered)[2],
        original_seconds=original_seconds,
        suite_seconds=suite_seconds,
        making_seconds=making_seconds,
        playing_seconds=playing_seconds,
        played_runs=made.played.restarts,
        played_actions=made.played.transitions,
        refused=made.refused,
        gap=made.gap,
        deviations={str(number): count for number, count in made.deviations_by_run},
    )


NAMES = {
    Phase.PREPARING: "loops",
    Phase.LOOPS: "loops",
    Phase.SPLICING: "splicing",
    Phase.SELECTING: "selecting",
    Phase.WORLDS: "selecting",
}
"""By phase, the column of the tables: preparing belongs to phase 1, the proof in all worlds to the selection."""


def sizes(made: ReducedSuite, seconds: Mapping[Phase, float]) -> dict[str, SuiteSize]:
    """The suite after each phase, and how long each took."""
    found: dict[str, SuiteSize] = {}
    for each in made.phases:
        name = NAMES[each.phase]
        took = sum(value for phase, value in seconds.items() if NAMES[phase] == name)
        found[name] = SuiteSize(each.cost.transitions, each.cost.restarts, took)
    return found
