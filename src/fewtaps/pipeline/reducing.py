"""Reduces a trace: devices that play, a goal that judges, a strategy that proposes, a store that remembers.

Every verdict is in the store as soon as it is known. A reduction that was killed therefore goes on by being begun
again: what it asked before is answered at once.
"""

from __future__ import annotations

import hashlib
import json
import shlex
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from fewtaps.budget import Budget
from fewtaps.config import ReduceSettings
from fewtaps.device.pool import SessionPool, open_pool
from fewtaps.device.session import Session
from fewtaps.errors import BudgetSpent, NotFound, UsageError
from fewtaps.model.coverage import Coverage, ProbeMap, ProbeSet
from fewtaps.model.crash import Crash
from fewtaps.model.event import Event
from fewtaps.model.goal import Covers, Goal, Reaches, SameCrash, ShowsText
from fewtaps.model.result import Progress as RunProgress
from fewtaps.model.result import Reduction, Reproduction
from fewtaps.model.trace import Trace
from fewtaps.pipeline.opening import Plan, Progress, open_session, plan_app
from fewtaps.reducing.plan import check_strategy, reduce_trace
from fewtaps.replay import Aim, play, play_to_count
from fewtaps.store.database import Store, open_store
from fewtaps.store.rows import ReductionRow
from fewtaps.tracefile import read_trace, trace_to_bytes, write_trace

TRIES = 3
TEST_TIMEOUT_SECONDS = 300


class Spectator:
    """Hears of a reduction as it goes on; every method may be left as it is."""

    def original(self, reduction: Reduction) -> None:
        """The original was played and meets the goal."""

    def run(self, progress: RunProgress) -> None:
        """One more run."""

    def better(self, reduction: Reduction) -> None:
        """A shorter trace was found, and has been kept."""


@dataclass(frozen=True, slots=True)
class Reduced:
    """A reduction at its end: what was asked, what was found, how often that replays; `stopped` says by which limit."""

    goal: str
    reduction: Reduction
    output: Path
    stopped: str | None = None
    reproduction: Reproduction | None = None


def reduce_file(
    name: str, path: str, settings: ReduceSettings, spectator: Spectator | None = None, progress: Progress | None = None
) -> Reduced:
    """Reduces the trace in a file, or the crash of the project that is named so; see `fewtaps reduce`.

    Raises NotReproduced, with what was seen instead, if the trace does not do what is asked for.
    """
    check_strategy(settings.strategy)
    trace = find_trace(path, settings.folder)
    plan = plan_app(name, settings.device, trace=trace)
    with (
        open_store(settings.folder, create=True, write=True) as store,
        open_pool(lambda: open_session(plan, progress), size=settings.jobs, tries=TRIES) as pool,
    ):
        return reduce_with(plan, settings, store, pool, trace, path, spectator)


def reduce_with(
    plan: Plan,
    settings: ReduceSettings,
    store: Store,
    pool: SessionPool,
    trace: Trace,
    path: str,
    spectator: Spectator | None = None,
) -> Reduced:
    """As `reduce_file`, in a store and on devices that are open already."""
    return _Work(plan, settings, store, pool, spectator or Spectator()).reduce(trace, path)


def find_trace(name: str, folder: Path) -> Trace:
    """The trace in a file or, where there is no such file, the shortest one of a crash of the project."""
    if Path(name).exists() or not folder.is_dir():
        return read_trace(Path(name))
    try:
        with open_store(folder) as store:
            return store.runs.shortest_trace(name)
    except NotFound as error:
        raise UsageError(f"{name}: neither a file nor a crash of {folder} ({error})") from error


class _Work:
    """One reduction."""

    def __init__(
        self, plan: Plan, settings: ReduceSettings, store: Store, pool: SessionPool, spectator: Spectator
    ) -> None:
        self._plan = plan
        self._settings = settings
        self._store = store
        self._pool = pool
        self._spectator = spectator
        self._aim: Aim = "coordinates" if settings.by == "coordinates" else "selector"

    def reduce(self, trace: Trace, path: str) -> Reduced:
        """From the original to the shortest, or to a limit."""
        world = trace.world if self._settings.world is None else self._settings.world
        trace = replace(trace, world=world)
        goal, words = self._goal(trace)
        question = question_for(self._plan, words, world, self._aim)
        output = self._settings.output or output_for(path, self._settings.folder)
        limits = self._settings
        budget = Budget(seconds=limits.seconds, events=limits.events, runs=limits.runs)

        def keep(reduction: Reduction, state: str = "running") -> None:
            self._store.results.save_reduction(self._plan.app.ref, _row(reduction, question, words, goal, state))

        def better(reduction: Reduction) -> None:
            keep(reduction)
            if reduction.size == reduction.original_size and not reduction.stages:
                self._spectator.original(reduction)
            else:
                self._spectator.better(reduction)

        stopped = None
        try:
            reduction = reduce_trace(
                trace,
                goal,
                lambda candidates: self._play(candidates, world),
                strategy=limits.strategy,
                batch=limits.jobs,
                plainer=limits.plainer,
                budget=budget,
                known=self._store.results.verdicts(question),
                trivial=limits.trivial,
                on_better=better,
                on_run=self._spectator.run,
            )
        except BudgetSpent as spent:
            if not isinstance(spent.best, Reduction):
                raise
            reduction, stopped = spent.best, str(spent)
        keep(reduction, "finished" if stopped is None else "stopped")
        write_trace(output, reduction.trace)
        return Reduced(words, reduction, output, stopped, self._rate(reduction.trace, goal))

    def _play(self, candidates: Sequence[tuple[Event, ...]], world: int) -> list[Trace]:
        def work(session: Session, events: tuple[Event, ...]) -> Trace:
            return play(session, events, by=self._aim, world=world)

        return self._pool.map(work, list(candidates))

    def _rate(self, trace: Trace, goal: Goal) -> Reproduction | None:
        """In how many other worlds the result replays."""
        worlds = range(trace.world, trace.world + self._settings.worlds)
        if self._settings.worlds <= 1:
            return None

        def work(session: Session, world: int) -> bool:
            return goal.met_by(play_to_count(session, trace.events, by=self._aim, world=world))

        met = self._pool.map(work, list(worlds))
        if isinstance(goal, SameCrash):
            replays = dict(zip(worlds, met, strict=True))
            self._store.results.save_replays(goal.signature, trace.events_digest, replays)
        return Reproduction(sum(met), len(met))

    def _goal(self, trace: Trace) -> tuple[Goal, str]:
        """What the trace must still do, as a goal and in words; without any wish, crash as it did."""
        wish = self._settings.goal
        match wish.kind:
            case "reaches":
                return Reaches(wish.value), f"reaches {wish.value}"
            case "shows":
                return ShowsText(wish.value), f"shows {wish.value!r}"
            case "covers":
                return self._covers(wish.value), f"covers {wish.value}"
            case "test":
                return Command(wish.value), f"satisfies {wish.value}"
        crash = next((step.crash for step in reversed(trace.steps) if step.crash is not None), None)
        if crash is None:
            crash = self._crash_of(trace)
        return SameCrash(crash.signature), crash.signature

    def _crash_of(self, trace: Trace) -> Crash:
        """The crash in which a trace ends that does not say so itself: it is played once."""
        seen = self._play([trace.events], trace.world)[0]
        crash = next((step.crash for step in seen.steps if step.crash is not None), None)
        if crash is None:
            raise UsageError(
                "the trace remembers no crash and does not crash when it is played; say what it must do "
                "with --reaches, --shows, --covers or --test"
            )
        return crash

    def _covers(self, place: str) -> Goal:
        """The goal to reach a line, named as File.java:123 or package.Class:123."""
        name, _, line = place.rpartition(":")
        if not name or not line.isdigit():
            raise UsageError(f"--covers {place}: not FILE:LINE or CLASS:LINE")
        probes: ProbeMap = self._pool.map(lambda session, _: session.probe_map(), [None])[0]
        numbers = [
            probe.number
            for each in probes.classes
            if name in (each.name, each.name.rpartition(".")[2], each.file)
            for probe in each.lines
            if probe.line == int(line)
        ]
        if not numbers:
            raise UsageError(f"--covers {place}: the app has no such line, as far as it says")
        return Covers(Coverage(lines=ProbeSet.of(numbers[:1])))


@dataclass(frozen=True, slots=True)
class Command:
    """A goal that a program of the user decides: exit code 0 is yes. It is given the path of a trace file."""

    command: str

    def met_by(self, trace: Trace) -> bool:
        """Runs the program."""
        with tempfile.TemporaryDirectory(prefix="fewtaps-") as folder:
            path = Path(folder) / "trace.jsonl"
            write_trace(path, trace)
            try:
                done = subprocess.run([*self._words(), str(path)], capture_output=True, timeout=TEST_TIMEOUT_SECONDS)
            except OSError as error:
                raise UsageError(f"--test {self.command}: {error.strerror or error}") from error
            except subprocess.TimeoutExpired as error:
                raise UsageError(f"--test {self.command}: no answer within {TEST_TIMEOUT_SECONDS} seconds") from error
        if done.returncode < 0:
            raise UsageError(f"--test {self.command}: it was killed by signal {-done.returncode}")
        return done.returncode == 0

    def _words(self) -> list[str]:
        try:
            return shlex.split(self.command)
        except ValueError as error:
            raise UsageError(f"--test {self.command}: {error}") from error


def question_for(plan: Plan, goal: str, world: int, aim: Aim = "selector") -> str:
    """What verdicts hold for: this app, this goal (in words), this world, this phone, this way of aiming; a digest."""
    session = plan.session
    parts = (
        *(plan.app.package, plan.app.digest, goal, world, aim, plan.backend),
        *(session.profile.name, session.api, session.permissions, session.neighbours, session.network),
    )
    return hashlib.blake2b(json.dumps(parts).encode(), digest_size=16).hexdigest()


def output_for(path: str, folder: Path) -> Path:
    """Where the result goes if nobody says: beside a file, or into the project for one of its crashes."""
    if Path(path).exists():
        return Path(path).with_suffix(".reduced.jsonl")
    return folder / f"{path}.reduced.jsonl"


def _row(reduction: Reduction, question: str, words: str, goal: Goal, state: str) -> ReductionRow:
    return ReductionRow(
        question=question,
        original=reduction.original.events_digest,
        goal=words,
        crash=goal.signature if isinstance(goal, SameCrash) else None,
        strategy=reduction.strategy,
        before=reduction.original_size,
        after=reduction.size,
        runs=reduction.runs,
        events=reduction.events,
        is_minimal=reduction.is_minimal,
        state=state,
        content=trace_to_bytes(reduction.trace),
    )
