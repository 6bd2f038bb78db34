"""Reduction by repeated runs of each candidate, in many worlds, on any number of devices.

Every run is in the store as soon as it is over. A reduction that was killed therefore goes on when it is started again,
and a reduction of another trace to the same goal starts with all runs that were made for that goal.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from fewtaps.config import FlakySettings
from fewtaps.device.jobs import InspectApp
from fewtaps.device.session import Capability
from fewtaps.errors import BudgetSpent, NotReproduced, UsageError
from fewtaps.model.event import Event
from fewtaps.model.goal import SameCrash
from fewtaps.model.result import Reduction, Reproduction
from fewtaps.model.trace import Step, Trace
from fewtaps.model.trial import Trial
from fewtaps.pipeline.advice import advise_lower_rate
from fewtaps.pipeline.keeping import prepare_task
from fewtaps.pipeline.news import ScheduleSolved
from fewtaps.pipeline.reduction_job import Reduced, ReductionContext, ReductionJob, RepeatedFigures
from fewtaps.pipeline.scheduling import parameters_for, prior_for, schedule_for
from fewtaps.reducing.merge import merge
from fewtaps.reducing.nd3min.batch import TrialBatch
from fewtaps.reducing.nd3min.nd3min import Nd3minReduction, nd3min
from fewtaps.reducing.nd3min.tally import Tally
from fewtaps.reducing.oracle import Events, run_key
from fewtaps.reducing.player import TracePlayer
from fewtaps.reducing.repeated.cause import FlakyCause, RunDecisions, find_cause
from fewtaps.reducing.repeated.reduction import TIMES_BACK, RepeatedReduction, reduce_repeatedly
from fewtaps.reducing.repeated.worlds import WorldReport, world_report
from fewtaps.reducing.simplify import simplify
from fewtaps.reducing.trials import TrialsInMemory, odd_devices
from fewtaps.replay import PlayEvents
from fewtaps.store.trials import StoredTrials

F = TypeVar("F")


class _KeptTrials:
    """The trials of the store and, apart from them, those that are made now.

    Devices are compared by the latter alone: "device 1" is a place in the pool, and another run of the program may have
    another device there.
    """

    def __init__(self, stored: StoredTrials) -> None:
        self._stored = stored
        self.made = TrialsInMemory()

    def of(self, key: str) -> Sequence[Trial]:
        """All trials of a candidate."""
        return self._stored.of(key)

    def add(self, key: str, trial: Trial) -> None:
        """Stores a trial and counts it among those made by this reduction."""
        self._stored.add(key, trial)
        self.made.add(key, trial)

    def share(self, key: str, trials: Sequence[Trial]) -> None:
        """Stores trials of another candidate under this key too; they do not count as made now."""
        self._stored.share(key, trials)

    def __len__(self) -> int:
        return len(self._stored)


@dataclass(frozen=True, slots=True)
class FoundByRepeating:
    """The result of either way of repeating runs; `steps` are those of an ND3MIN schedule."""

    result: RepeatedReduction[Event]
    steps: int | None = None


class RepeatedRunsMethod:
    """Reduces a job by repeated runs: with a sequential test, which is ours, or by a schedule of ND3MIN."""

    kind = FoundByRepeating

    def __init__(self, job: ReductionJob, context: ReductionContext, flaky: FlakySettings) -> None:
        self._flaky = flaky
        self._prior = prior_for(flaky, context.store)
        # A run that was made to find the goal is no trial: it counts only because it crashed.
        self.task = prepare_task(job, context, in_all_worlds=True)
        start = job.start or job.trace
        # A start is on a phone with fewer differences, if the crash happened there.
        self._original = self.task.trace.on_phone(start.phone)
        self._start = start.events[1:]
        self._trials = _KeptTrials(context.store.trials.on(self.task.question))
        has_worlds = Capability.WORLDS in context.pool.ask(InspectApp()).capabilities
        self._first_world = job.trace.world if has_worlds else None
        self._began = time.monotonic()

    def require_earlier(self) -> None:
        """Raises UsageError unless runs were made for this goal before."""
        if not len(self._trials):
            raise UsageError(
                f"--resume: no flaky reduction with this goal was begun in {self.task.settings.folder}; "
                "leave the option out to begin one"
            )

    def find(self) -> FoundByRepeating:
        """The shortest trace that meets the goal often enough."""
        player = TracePlayer(self._original, self.task.goal, self._play)
        is_sequential = self._flaky.schedule == "sequential"
        return self._find_sequentially(player) if is_sequential else self._find_by_schedule(player)

    def explain(self, error: NotReproduced) -> NotReproduced:
        """The error, with options that ask for less and devices that may be broken."""
        original = self._trials.of(run_key((self._original.events[0], *self._start)))
        return advise_lower_rate(error, original, tuple(self._trials.made.all().values()))

    def reduction(self, found: FoundByRepeating, *, finished: bool) -> Reduction:
        """The result as a reduction. Raises UsageError if already the launch meets the goal."""
        task = self.task
        if not found.result.items and not task.settings.trivial and not isinstance(task.goal, SameCrash):
            raise UsageError(
                "already the launch meets the goal, so it says nothing of the events (--trivial accepts that)"
            )
        return self._as_reduction(found.result, finished=finished)

    def add_figures(self, found: FoundByRepeating, reduced: Reduced) -> Reduced:
        """Adds the rates, the worlds and the cause."""
        result = found.result
        worlds, cause = (
            (None, None) if reduced.stopped is not None else self._compare_worlds(result, reduced.reduction.trace)
        )
        figures = RepeatedFigures(
            schedule=self._flaky.schedule,
            precheck=_rate(result.precheck),
            needed=result.needed,
            rate_holds=result.rate_holds,
            minimal=result.minimal,
            seconds=time.monotonic() - self._began,
            is_always=result.is_always,
            went_back=result.went_back,
            worlds=worlds,
            cause=cause,
            shorter=None if result.shorter is None else (result.shorter.items, _rate(result.shorter.check)),
            odd=odd_devices(self._trials.made.all().values()),
            is_crash=isinstance(self.task.goal, SameCrash),
            steps=found.steps,
        )
        check = None if result.check is None else _rate(result.check)
        return replace(reduced, reproduction=check, repeated=figures)

    # The two ways.

    def _find_sequentially(self, player: TracePlayer) -> FoundByRepeating:
        parameters, settings, first = parameters_for(self._flaky), self.task.settings, self._first_world
        worlds = () if first is None else range(first, first + (TIMES_BACK + 2) * parameters.runs)

        def work() -> RepeatedReduction[Event]:
            return reduce_repeatedly(
                self._start,
                player,
                parameters,
                prior=self._prior,
                strategy=settings.strategy,
                adapt=self._flaky.needed is None,
                worlds=worlds,
                trials=self._trials,
                jobs=settings.jobs,
                budget=self.task.budget,
                confidence=self._flaky.confidence,
                last_passes=(merge, simplify) if settings.plainer else (),
                on_better=self._better,
                on_run=self.task.note_run,
            )

        return _converted(work, RepeatedReduction, FoundByRepeating)

    def _find_by_schedule(self, player: TracePlayer) -> FoundByRepeating:
        parameters = parameters_for(self._flaky)
        batch = TrialBatch(player, self._trials, self._first_world)
        schedule = schedule_for(self._flaky, parameters, self._prior, self._tell_solving)

        def work() -> Nd3minReduction[Event]:
            return nd3min(
                self._start,
                batch.run,
                parameters,
                schedule,
                prior=self._prior,
                budget=self.task.budget,
                on_best=lambda items: self._better(self._from_nd3min(items, batch, Tally())),
            )

        def convert(found: Nd3minReduction[Event]) -> FoundByRepeating:
            return FoundByRepeating(self._from_nd3min(found.items, batch, found.precheck, found), found.steps)

        return _converted(work, Nd3minReduction, convert)

    def _tell_solving(self, share: float) -> None:
        self.task.tell(ScheduleSolved(share))

    def _from_nd3min(
        self,
        items: tuple[Event, ...],
        batch: TrialBatch[Event],
        precheck: Tally,
        found: Nd3minReduction[Event] | None = None,
    ) -> RepeatedReduction[Event]:
        """A result of ND3MIN in the form of ours; without `found` it is one on the way, which was not checked yet."""
        check = None if found is None else found.check
        return RepeatedReduction(
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
            trials=tuple(batch.trials_of(items)),
            findings=tuple(batch.findings.values()),
        )

    def _play(self, tasks: Sequence[tuple[Events, int | None]]) -> list[tuple[Trace, str]]:
        return [(played.trace, f"device {played.device}") for played in self.task.player.play(tasks)]

    # The result.

    def _better(self, result: RepeatedReduction[Event]) -> None:
        self.task.best.better(self._as_reduction(result, finished=False))

    def _as_reduction(self, result: RepeatedReduction[Event], *, finished: bool) -> Reduction:
        original, played = self._original, result.trace
        # The run of the trace may have crashed before the last event; other runs need that event too.
        missing = () if played is None else tuple(map(Step, result.items[len(played.steps) - 1 :]))
        steps = (original.steps[0], *map(Step, result.items)) if played is None else (*played.steps, *missing)
        return Reduction(
            original=self.task.trace,
            trace=replace(played or original, steps=steps),
            strategy=self.task.settings.strategy,
            is_repeated=True,
            runs=result.runs,
            events=result.events,
            is_minimal=finished and result.minimal >= self._flaky.confidence,
            findings=result.findings,
            stages=result.stages,
        )

    def _compare_worlds(
        self, result: RepeatedReduction[Event], kept: Trace
    ) -> tuple[WorldReport | None, FlakyCause | None]:
        """In which worlds the result meets the goal, and the cause of the difference.

        The worlds are those by which no candidate was chosen, as many as were asked for.
        """
        if self._first_world is None:
            return None, None
        chosen = range(self._first_world, self._first_world + self._flaky.repeats)
        report = world_report([trial for trial in result.trials if trial.world not in chosen])
        known = sorted({*report.met, *report.missed})
        others = (world for world in itertools.count(chosen.stop) if world not in known)
        worlds = [*known, *itertools.islice(others, max(0, self.task.settings.worlds - len(known)))]
        if not report.is_flaky and len(worlds) == len(known):
            return report, None
        runs = self._decisions_in(worlds, result.items)
        met = tuple(world for world, run in runs.items() if run.met)
        report = WorldReport(met, tuple(world for world in runs if world not in met))
        self._keep_replays(kept, report)
        return report, find_cause(list(runs.values()))

    def _decisions_in(self, worlds: Sequence[int], items: tuple[Event, ...]) -> dict[int, RunDecisions]:
        """The decisions of each world when the events are played in it once more."""
        task = self.task
        events = (self._original.steps[0].event, *items)
        jobs = [
            PlayEvents(events, world, task.job.aim, task.goal, retries_lost=True, keeps_decisions=True)
            for world in worlds
        ]
        decided: dict[int, RunDecisions] = {}
        for played in task.pool.map(jobs):
            clocks = [step.clock_ms for step in played.trace.steps]
            decided[played.trace.world] = RunDecisions(bool(played.met), clocks, played.decisions)
        return decided

    def _keep_replays(self, kept: Trace, report: WorldReport) -> None:
        goal = self.task.goal
        if isinstance(goal, SameCrash):
            replays = {**dict.fromkeys(report.met, True), **dict.fromkeys(report.missed, False)}
            self.task.store.results.save_replays(goal.signature, kept.events_digest, replays)


def _converted(work: Callable[[], F], kind: type[F], convert: Callable[[F], FoundByRepeating]) -> FoundByRepeating:
    """The converted result of the work, or its BudgetSpent with the converted best so far."""
    try:
        return convert(work())
    except BudgetSpent as spent:
        best = convert(spent.best) if isinstance(spent.best, kind) else None
        raise BudgetSpent(spent.limit, best) from None


def _rate(tally: Tally) -> Reproduction:
    return Reproduction(tally.met, tally.runs)
