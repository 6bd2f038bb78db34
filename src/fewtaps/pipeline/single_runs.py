"""Reduction by one run per candidate, in the world of the trace.

Every verdict is in the store as soon as it is known. A reduction that was killed therefore goes on when it is started
again: what it asked before is answered at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from fewtaps.errors import BudgetSpent, NotReproduced, UsageError
from fewtaps.model.event import Event
from fewtaps.model.goal import SameCrash
from fewtaps.model.phone import ANDROID_LEVELS, android_level, smaller, with_android
from fewtaps.model.result import Reduction, ReductionState, Reproduction
from fewtaps.model.trace import Trace
from fewtaps.pipeline.advice import advise_other_worlds
from fewtaps.pipeline.keeping import prepare_task
from fewtaps.pipeline.news import ReductionResumed
from fewtaps.pipeline.reduction_job import Direct, Reduced, ReductionContext, ReductionJob
from fewtaps.pipeline.replaying import count_met
from fewtaps.reducing.direct import direct_starts
from fewtaps.reducing.oracle import run_key
from fewtaps.reducing.plan import reduce_trace
from fewtaps.store.rows import ReductionRow


class SingleRunsMethod:
    """Reduces a job by one run per candidate."""

    kind = Reduction

    def __init__(self, job: ReductionJob, context: ReductionContext) -> None:
        self.task = prepare_task(job, context, in_all_worlds=False)
        self._known = context.store.results.verdicts(self.task.question)
        self._seen = self.task.seen

    def require_earlier(self) -> None:
        """Raises UsageError unless this trace was reduced to this goal before."""
        earlier = self._earlier()
        self.task.tell(ReductionResumed(earlier.before, earlier.after, earlier.runs))

    def find(self) -> Reduction:
        """The shortest trace that one run each can find, on the phone with the fewest differences.

        Phones are tried before the steps are reduced and once more after: what a long trace needs, its last steps may
        not need.
        """
        found = self._as_reduced(self._on_first_android(self._on_smallest_phone(self.task.trace)))
        try:
            plainer = self._on_smallest_phone(found.trace)
            return found if plainer is found.trace else self._as_reduced(plainer, found)
        except BudgetSpent as spent:
            raise BudgetSpent(spent.limit, spent.best if isinstance(spent.best, Reduction) else found) from None
        except NotReproduced:
            return found

    def _as_reduced(self, trace: Trace, before: Reduction | None = None) -> Reduction:
        """The reduction of a trace as one of the job's; the runs and events of the one `before` are added."""
        runs, events = (0, 0) if before is None else (before.runs, before.events)

        def named(reduction: Reduction) -> Reduction:
            return replace(
                reduction, original=self.task.trace, runs=runs + reduction.runs, events=events + reduction.events
            )

        def tell(reduction: Reduction) -> None:
            self.task.best.better(named(reduction))

        try:
            return named(self._reduce(trace, tell))
        except BudgetSpent as spent:
            best = named(spent.best) if isinstance(spent.best, Reduction) else spent.best
            raise BudgetSpent(spent.limit, best, played_original=spent.played_original) from None

    def _on_smallest_phone(self, trace: Trace) -> Trace:
        """The trace on the first phone with fewer differences on which it still meets the goal, tried again from there.

        The runs count for the budget. They are made again if the reduction is resumed.
        """
        for phone in smaller(trace.phone):
            moved = trace.on_phone(phone)
            if self._meets_goal(moved):
                return self._on_smallest_phone(moved)
        return trace

    def _on_first_android(self, trace: Trace) -> Trace:
        """The trace on the lowest level of Android that still meets the goal, if an ordinary phone does not.

        The level is found by halves. Whether the newest one meets the goal too is noted in the phone.
        """
        level = android_level(trace.phone)
        # The first of those that the app accepts is the ordinary one.
        levels = [each for each in ANDROID_LEVELS if each >= self.task.context.plan.app.min_sdk][1:]
        if level not in levels:
            return trace

        def on(level: int, *, and_later: bool = False) -> Trace:
            return trace.on_phone(with_android(trace.phone, level, and_later=and_later))

        first, and_later = first_level(levels, level, lambda each: self._meets_goal(on(each)))
        return on(first, and_later=and_later)

    def _meets_goal(self, trace: Trace) -> bool:
        self.task.budget.check()
        seen = self._play([trace.events])[0]
        self.task.budget.spend(runs=1, events=len(seen.steps))
        return self.task.goal.met_by(seen)

    def explain(self, error: NotReproduced) -> NotReproduced:
        """The error, with the rate over other worlds."""
        return advise_other_worlds(error, self.task)

    def reduction(self, found: Reduction, *, finished: bool) -> Reduction:
        """`found` unchanged."""
        return found

    def add_figures(self, found: Reduction, reduced: Reduced) -> Reduced:
        """Adds a way by an intent and the rate over other worlds, unless a limit ended the reduction."""
        if reduced.stopped is not None:
            return reduced
        direct = self._direct(found.trace) if self.task.settings.plainer else None
        return replace(reduced, direct=direct, reproduction=self._rate(reduced.reduction.trace))

    def _reduce(self, trace: Trace, on_better: Callable[[Reduction], None] | None = None) -> Reduction:
        settings = self.task.settings
        return reduce_trace(
            trace,
            self.task.goal,
            self._play,
            strategy=settings.strategy,
            batch=settings.jobs,
            plainer=settings.plainer,
            budget=self.task.budget,
            known=self._known,
            trivial=settings.trivial,
            on_better=on_better,
            on_run=self.task.note_run if on_better is not None else None,
        )

    def _play(self, candidates: Sequence[tuple[Event, ...]]) -> list[Trace]:
        if self._seen is not None and list(candidates) == [self.task.trace.events]:
            # The run that was made to find the goal is the first run of the original.
            seen, self._seen = self._seen, None
            return [seen]
        world = self.task.trace.world
        return [played.trace for played in self.task.player.play([(events, world) for events in candidates])]

    def _earlier(self) -> ReductionRow:
        """The last reduction of this trace that asked the same question."""
        task, original = self.task, self.task.trace.events_digest
        for row in reversed(task.store.results.reductions()):
            if (row.question, row.original) == (task.question, original) and not row.is_by_intent:
                return row
        raise UsageError(
            f"--resume: no reduction of this trace with this goal was begun in {task.settings.folder}; "
            "leave the option out to begin one"
        )

    def _direct(self, result: Trace) -> Direct | None:
        """The shortest trace that begins in the middle of the app, if one is shorter than the result; it is kept."""
        task = self.task
        declared = {each.name: each for each in task.context.plan.app.activities}
        for start in direct_starts(result, declared):
            before = self._known.get(run_key(start.trace.events))
            if before is not None and not before.met:
                continue
            try:
                reduction = self._reduce(start.trace)
            except (NotReproduced, UsageError):
                continue
            except BudgetSpent:
                return None
            extra = replace(reduction, original=task.trace, is_by_intent=True)
            task.best.keep(extra, ReductionState.FINISHED)
            return Direct(start.activity, declared[start.activity].exported, start.replaced, reduction)
        return None

    def _rate(self, trace: Trace) -> Reproduction | None:
        """In how many worlds the result replays; None if only one was asked for."""
        task = self.task
        if task.settings.worlds <= 1:
            return None
        worlds = range(task.trace.world, task.trace.world + task.settings.worlds)
        rate, met = count_met(task.pool, trace.events, task.goal, worlds, task.job.aim)
        if isinstance(task.goal, SameCrash):
            replays = {world: world in met for world in worlds}
            task.store.results.save_replays(task.goal.signature, trace.events_digest, replays)
        return rate


def first_level(levels: Sequence[int], known: int, meets: Callable[[int], bool]) -> tuple[int, bool]:
    """The lowest of the levels that meets a goal, and whether the newest one meets it too.

    `known` is one that does. The lowest is found by halves: those above a level that meets the goal are taken to do so.
    """
    first, last = 0, levels.index(known)
    while first < last:
        middle = (first + last) // 2
        if meets(levels[middle]):
            last = middle
        else:
            first = middle + 1
    return levels[last], levels[-1] == known or meets(levels[-1])
