"""Reduces a trace that does what it should only sometimes: many runs, in many worlds, on any number of devices.

Every run is in the store as soon as it is over. A reduction that was killed therefore goes on by being begun again,
and another question about the same goal begins with all that is known.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from fewtaps.budget import Budget
from fewtaps.config import FlakySettings, ReduceSettings
from fewtaps.device.jobs import InspectApp
from fewtaps.device.pool import SessionPool
from fewtaps.device.session import Capability
from fewtaps.errors import NotReproduced, UsageError
from fewtaps.model.event import Event
from fewtaps.model.goal import SameCrash
from fewtaps.model.result import Reduction, ReductionProgress, Reproduction
from fewtaps.model.trace import Step, Trace
from fewtaps.model.trial import Trial
from fewtaps.pipeline.candidates import CandidatePlayer
from fewtaps.pipeline.goals import goal_for, states_of
from fewtaps.pipeline.keeping import Best, open_reduction, output_for, question_for, until_end
from fewtaps.pipeline.news import CandidateRun, ScheduleSolved, Tell, ignore
from fewtaps.pipeline.opening import OnDownload, Plan
from fewtaps.pipeline.reducing import do_nothing
from fewtaps.pipeline.scheduling import parameters_for, prior_for, schedule_for
from fewtaps.reducing.flaky.nd3min import FlakyReduction, nd3min
from fewtaps.reducing.flaky.tally import Tally
from fewtaps.reducing.merge import merge
from fewtaps.reducing.oracle import Events, content_key
from fewtaps.reducing.repeated import TIMES_BACK, Repeated, reduce_repeatedly
from fewtaps.reducing.separating import Course, Separation, separate
from fewtaps.reducing.simplify import simplify
from fewtaps.reducing.trials import OddDevice, TrialsInMemory, odd_devices
from fewtaps.reducing.worlds import TracePlayer, TrialBatch, WorldReport, world_report
from fewtaps.replay import Aim, PlayEvents
from fewtaps.store.database import Store
from fewtaps.store.trials import StoredTrials

ALL_WORLDS = -1
"""In place of a world, in the question: all of them."""


@dataclass(frozen=True, slots=True)
class FlakyReduced:
    """A flaky reduction at its end.

    `precheck` are the runs of the original, `check` those of the result after the end, `worlds` the worlds of the
    latter, if there are any. `needed` is the rate that was asked for, `rate_holds` how probably the result has it,
    `minimal` how probably no single step can be left out. `cause` is what tells the worlds in which it does it from
    the others. `shorter` is a trace that does it too, but too seldom, and how often. `odd` are devices that disagree
    with all others. `stopped` says by which limit it was ended; `steps` counts those of a schedule of ND3MIN.
    `is_crash` says that the goal is to crash. `known_before` names the crashes of the project before the reduction.
    """

    goal: str
    reduction: Reduction
    output: Path
    schedule: str
    precheck: Reproduction
    check: Reproduction | None
    needed: float
    rate_holds: float
    minimal: float
    seconds: float
    is_always: bool = False
    went_back: int = 0
    worlds: WorldReport | None = None
    cause: Separation | None = None
    shorter: tuple[tuple[Event, ...], Reproduction] | None = None
    odd: tuple[OddDevice, ...] = ()
    stopped: str | None = None
    steps: int | None = None
    is_crash: bool = True
    known_before: Mapping[str, str] = field(default_factory=dict)


def reduce_flaky_file(
    name: str,
    path: str,
    settings: ReduceSettings,
    tell: Tell = ignore,
    progress: OnDownload | None = None,
) -> FlakyReduced:
    """Reduces the trace in a file, a recording, or the crash of the project that is named so, by repeated runs.

    Raises NotReproduced, with what was seen instead, if the trace does what is asked for too seldom.
    """
    with open_reduction(name, path, settings, tell, progress) as opened:
        reduced = reduce_flaky_with(opened.plan, settings, opened.store, opened.pool, opened.trace, path, tell)
        opened.keep_findings(reduced.goal, reduced.reduction)
        return replace(reduced, known_before=opened.known_before)


def reduce_flaky_with(
    plan: Plan,
    settings: ReduceSettings,
    store: Store,
    pool: SessionPool,
    trace: Trace,
    path: str,
    tell: Tell = ignore,
    after_run: Callable[[], None] = do_nothing,
    start: Trace | None = None,
) -> FlakyReduced:
    """As `reduce_flaky_file`, in a store and on devices that are open already.

    `start` is what the reduction begins with if it is not all of the trace: steps of it that are known to do it too.
    """
    return _Work(plan, settings, store, pool, trace, path, tell, after_run, start or trace).reduce()


class _Kept:
    """The trials of the store, and apart from them those that are made now: devices are told only by these.

    A name like "device 1" says which one of a run's devices it was; the next run may have another in its place.
    """

    def __init__(self, stored: StoredTrials) -> None:
        self._stored = stored
        self.made = TrialsInMemory()

    def of(self, key: str) -> Sequence[Trial]:
        """All trials of a candidate."""
        return self._stored.of(key)

    def add(self, key: str, trial: Trial) -> None:
        """One more, made now."""
        self._stored.add(key, trial)
        self.made.add(key, trial)

    def share(self, key: str, trials: Sequence[Trial]) -> None:
        """Trials of another candidate."""
        self._stored.share(key, trials)

    def __len__(self) -> int:
        return len(self._stored)


class _Work:
    """One reduction."""

    def __init__(
        self,
        plan: Plan,
        settings: ReduceSettings,
        store: Store,
        pool: SessionPool,
        trace: Trace,
        path: str,
        tell: Tell,
        after_run: Callable[[], None],
        start: Trace,
    ) -> None:
        self._plan = plan
        self._settings = settings
        self._flaky = settings.flaky or FlakySettings()
        self._store = store
        self._pool = pool
        self._trace = trace
        self._start = start.events[1:]
        self._tell = tell
        self._after_run = after_run
        self._aim: Aim = "coordinates" if settings.by == "coordinates" else "selector"
        self._output = settings.output or output_for(path, settings.folder)
        self._prior = prior_for(self._flaky, store)
        self._player = CandidatePlayer(pool, self._aim, tell)
        # A run that was made to see the crash is no trial: it would not be there had it not crashed.
        wanted = goal_for(settings.goal, trace, pool, plan.app, partial(states_of, store), self._player)
        self._goal, self._words = wanted.goal, wanted.words
        self._question = question_for(plan, self._words, ALL_WORLDS, self._aim)
        self._trials = _Kept(store.trials.on(self._question))
        self._budget = Budget(seconds=settings.seconds, events=settings.events, runs=settings.runs)
        has_worlds = Capability.WORLDS in pool.ask(InspectApp()).capabilities
        self._first_world = trace.world if has_worlds else None
        self._began = time.monotonic()
        self._best = Best(store, plan.app, self._question, self._words, self._goal, self._output, tell)

    def reduce(self) -> FlakyReduced:
        """From the original to the shortest, or to a limit."""
        if self._settings.resume and not len(self._trials):
            raise UsageError(
                f"--resume: no flaky reduction with this goal was begun in {self._settings.folder}; "
                "leave the option out to begin one"
            )
        if self._flaky.schedule == "sequential":
            return self._reduce_sequentially()
        return self._reduce_by_schedule()

    # Ours.

    def _reduce_sequentially(self) -> FlakyReduced:
        return self._finished(*until_end(self._repeatedly, Repeated, self._best, self._advised))

    def _finished(self, result: Repeated[Event], stopped: str | None) -> FlakyReduced:
        if not result.items and not self._settings.trivial and not isinstance(self._goal, SameCrash):
            raise UsageError(
                "already the launch meets the goal, so it says nothing of the events (--trivial accepts that)"
            )
        reduction = self._reduction(result, finished=stopped is None)
        self._best.finish(reduction, stopped)
        report, cause = self._report(result, stopped)
        return FlakyReduced(
            self._words,
            reduction,
            self._output,
            "sequential",
            precheck=_rate(result.precheck),
            check=_rate(result.check) if result.check is not None else None,
            needed=result.needed,
            rate_holds=result.rate_holds,
            minimal=result.minimal,
            seconds=time.monotonic() - self._began,
            is_always=result.is_always,
            went_back=result.went_back,
            worlds=report,
            cause=cause,
            shorter=None if result.shorter is None else (result.shorter.items, _rate(result.shorter.check)),
            odd=odd_devices(self._trials.made.all().values()),
            is_crash=isinstance(self._goal, SameCrash),
            stopped=stopped,
        )

    def _repeatedly(self) -> Repeated[Event]:
        parameters = parameters_for(self._flaky)
        player = TracePlayer(self._trace, self._goal, self._play)
        first = self._first_world
        worlds = () if first is None else range(first, first + (TIMES_BACK + 2) * parameters.runs)
        return reduce_repeatedly(
            self._start,
            player,
            parameters,
            prior=self._prior,
            strategy=self._settings.strategy,
            adapt=self._flaky.needed is None,
            worlds=worlds,
            trials=self._trials,
            jobs=self._settings.jobs,
            budget=self._budget,
            confidence=self._flaky.confidence,
            last_passes=(merge, simplify) if self._settings.plainer else (),
            on_better=self._better,
            on_run=self._ran,
        )

    def _play(self, tasks: Sequence[tuple[Events, int | None]]) -> list[tuple[Trace, str]]:
        return [(played.trace, f"device {played.device}") for played in self._player.play(tasks)]

    def _ran(self, progress: ReductionProgress) -> None:
        self._after_run()
        self._tell(CandidateRun(progress))

    def _report(self, result: Repeated[Event], stopped: str | None) -> tuple[WorldReport | None, Separation | None]:
        """In which worlds the result does it, and what tells them from the others.

        The worlds are those that nothing was chosen by, as many as were asked for.
        """
        if self._first_world is None or stopped is not None:
            return None, None
        chosen = range(self._first_world, self._first_world + self._flaky.repeats)
        report = world_report([trial for trial in result.trials if trial.world not in chosen])
        known = sorted({*report.met, *report.missed})
        others = (world for world in itertools.count(chosen.stop) if world not in known)
        worlds = [*known, *itertools.islice(others, max(0, self._settings.worlds - len(known)))]
        if not report.is_flaky and len(worlds) == len(known):
            return report, None
        courses = self._courses(result.items, worlds)
        met = tuple(world for world, course in courses.items() if course.met)
        report = WorldReport(met, tuple(world for world in courses if world not in met))
        self._keep_replays(result, report)
        return report, separate(list(courses.values()))

    def _courses(self, items: tuple[Event, ...], worlds: Sequence[int]) -> dict[int, Course]:
        """By world, what it decides when the events are played there once more."""
        events = (self._trace.steps[0].event, *items)

        jobs = [
            PlayEvents(events, world, self._aim, self._goal, retries_lost=True, keeps_decisions=True)
            for world in worlds
        ]
        courses: dict[int, Course] = {}
        for played in self._pool.map(jobs):
            clocks = [step.clock_ms for step in played.trace.steps]
            courses[played.trace.world] = Course(bool(played.met), clocks, played.decisions)
        return courses

    def _keep_replays(self, result: Repeated[Event], report: WorldReport) -> None:
        if isinstance(self._goal, SameCrash) and result.trace is not None:
            replays = {**dict.fromkeys(report.met, True), **dict.fromkeys(report.missed, False)}
            trace = replace(result.trace, steps=(self._trace.steps[0], *map(Step, result.items)))
            self._store.results.save_replays(self._goal.signature, trace.events_digest, replays)

    # ND3MIN.

    def _reduce_by_schedule(self) -> FlakyReduced:
        parameters = parameters_for(self._flaky)
        batch = TrialBatch(TracePlayer(self._trace, self._goal, self._play), self._trials, self._first_world)
        schedule = schedule_for(self._flaky, parameters, self._prior, self._solving)

        def work() -> FlakyReduction[Event]:
            return nd3min(
                self._start,
                batch.run,
                parameters,
                schedule,
                prior=self._prior,
                budget=self._budget,
                on_best=lambda items: self._better(self._by_schedule(items, batch, Tally())),
            )

        result, stopped = until_end(work, FlakyReduction, self._best, self._advised)
        repeated = self._by_schedule(result.items, batch, result.precheck, result)
        return replace(self._finished(repeated, stopped), schedule=self._flaky.schedule, steps=result.steps)

    def _solving(self, share: float) -> None:
        self._tell(ScheduleSolved(share))

    def _by_schedule(
        self,
        items: tuple[Event, ...],
        batch: TrialBatch[Event],
        precheck: Tally,
        result: FlakyReduction[Event] | None = None,
    ) -> Repeated[Event]:
        """What ND3MIN found, in our words."""
        check = None if result is None else result.check
        return Repeated(
            items=items,
            trace=batch.trace_of(items),
            precheck=precheck,
            needed=parameters_for(self._flaky).rate,
            check=None if check is None else check.tally,
            rate_holds=0.0 if check is None else check.rate_holds,
            minimal=0.0 if check is None else check.is_minimal,
            runs=batch.runs,
            events=batch.events,
            is_always=False,
            went_back=0,
            trials=tuple(self._trials.of(batch.key(items))),
            findings=tuple(batch.findings.values()),
        )

    # What is kept and told.

    def _better(self, result: Repeated[Event]) -> None:
        self._best.better(self._reduction(result))

    def _reduction(self, result: Repeated[Event], *, finished: bool = False) -> Reduction:
        played = result.trace
        # The last run may have crashed before the end that other runs need: the events are the result, not the run.
        missing = () if played is None else tuple(map(Step, result.items[len(played.steps) - 1 :]))
        steps = (self._trace.steps[0], *map(Step, result.items)) if played is None else (*played.steps, *missing)
        return Reduction(
            original=self._trace,
            trace=replace(played or self._trace, steps=steps),
            strategy=f"{self._settings.strategy}, flaky",
            runs=result.runs,
            events=result.events,
            is_minimal=finished and result.minimal >= self._flaky.confidence,
            findings=result.findings,
            stages=result.stages,
        )

    def _advised(self, error: NotReproduced) -> NotReproduced:
        """The error with what can be done about it, and which device is to blame if one is."""
        odd = odd_devices(self._trials.made.all().values())
        blame = "".join(f". {each}" for each in odd)
        seen = self._trials.of(content_key(self._start))
        advice = "; ask for less with --needed and --precheck" if any(trial.met for trial in seen) else ""
        return NotReproduced(f"{error}{advice}{blame}", error.traces)


def _rate(tally: Tally) -> Reproduction:
    return Reproduction(tally.met, tally.runs)
