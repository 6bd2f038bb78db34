"""Strategies as lists of passes, and the two functions that run them: on a trace, and on any sequence."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeAlias, TypeVar

from fewtaps.budget import Budget
from fewtaps.errors import BudgetSpent, UsageError
from fewtaps.model.event import Event
from fewtaps.model.goal import Goal, SameCrash
from fewtaps.model.result import Reduction, ReductionProgress, Stage, Verdict
from fewtaps.model.trace import Step, Trace
from fewtaps.reducing.ddmin import ddmin, delete_one_by_one, without
from fewtaps.reducing.hdd import bhdd, hdd, lhdd, lhdd_without_preselection
from fewtaps.reducing.merge import merge
from fewtaps.reducing.oracle import Play, PredicateOracle, TraceOracle
from fewtaps.reducing.problem import Problem
from fewtaps.reducing.segments import segments
from fewtaps.reducing.shortcuts import cut_detours, shortcuts
from fewtaps.reducing.simplify import simplify
from fewtaps.reducing.single_runs import SingleRuns

T = TypeVar("T")

Pass: TypeAlias = Callable[[Problem[Any]], None]
"""Starts from the best sequence and proposes shorter ones. It cannot make the best one worse."""

SHORT = 12
"""Up to this many items, leaving out one after the other takes as few runs as any other pass."""


def rest_by_levels(problem: Problem[Any]) -> None:
    """Reduces what is left by `bhdd`, if there are states, and by `ddmin`, unless it is short."""
    for each in (bhdd, ddmin) if problem.layers else (ddmin,):
        if len(problem.best) > SHORT:
            each(problem)


STRATEGIES: Mapping[str, tuple[Pass, ...]] = {
    "auto": (shortcuts, rest_by_levels, cut_detours, delete_one_by_one),
    "ddmin": (ddmin,),
    "hdd": (hdd,),
    "bhdd": (bhdd,),
    "lhdd": (lhdd,),
    "lhdd-nopre": (lhdd_without_preselection,),
    "segments": (segments,),
}
"""The strategies by name.

`auto` is our own: short candidates that grow, then levels, then a pass that leaves out each item; all of it is repeated
until nothing changes. Its result is 1-minimal, and reducing it again changes nothing. The others are those of the
papers, each alone and once.
"""


@dataclass(frozen=True, slots=True)
class ReducedSequence(Generic[T]):
    """A shorter sequence that still satisfies the predicate, and what finding it cost.

    `runs` counts how often the predicate was asked, `events` the items it was asked about, `known` the candidates that
    were not asked about again. `is_minimal` says that no single item can be left out.
    """

    items: tuple[T, ...]
    strategy: str
    runs: int
    events: int
    known: int
    is_minimal: bool
    stages: tuple[Stage, ...] = ()


def reduce(
    items: Sequence[T],
    predicate: Callable[[tuple[T, ...]], bool | Verdict],
    *,
    strategy: str = "auto",
    states: Sequence[Hashable] | None = None,
    budget: Budget | None = None,
    trivial: bool = False,
    on_better: Callable[[tuple[T, ...]], None] | None = None,
) -> ReducedSequence[T]:
    """A short subsequence that satisfies the predicate, which is given a tuple of items and answers yes or no.

    `states` names the state before each item; the strategies by levels need it. A predicate may answer with a
    `Verdict` instead, which also says in which state a candidate ended, for the local strategies, and how many of its
    items it took.

    Raises NotReproduced if the items themselves do not satisfy the predicate, UsageError if nothing at all does too
    and `trivial` does not allow that, and BudgetSpent, with the `ReducedSequence` so far, when the budget is used up.
    """
    if states is not None and len(states) != len(items):
        raise UsageError(f"there are {len(items)} items, but {len(states)} states")
    check_strategy(strategy)
    problem = Problem(items, SingleRuns(PredicateOracle(predicate, states), budget=budget))
    if on_better is not None:
        problem.on_better = lambda: on_better(problem.items(problem.best))

    def reduced(finished: bool = False) -> ReducedSequence[T]:
        return ReducedSequence(
            problem.items(problem.best),
            strategy=strategy,
            runs=problem.runs,
            events=problem.events,
            known=problem.known,
            is_minimal=finished and is_one_minimal(problem),
            stages=tuple(problem.stages),
        )

    try:
        problem.start()
        run_strategy(problem, strategy)
    except BudgetSpent as spent:
        raise BudgetSpent(spent.limit, reduced() if problem.runs else None) from None
    if not problem.best and not trivial:
        raise UsageError("the predicate holds for nothing at all, so it says nothing of the items")
    return reduced(finished=True)


def reduce_trace(
    trace: Trace,
    goal: Goal,
    play: Play,
    *,
    strategy: str = "auto",
    batch: int = 1,
    plainer: bool = True,
    budget: Budget | None = None,
    known: MutableMapping[str, Verdict] | None = None,
    trivial: bool = False,
    on_better: Callable[[Reduction], None] | None = None,
    on_run: Callable[[ReductionProgress], None] | None = None,
) -> Reduction:
    """A short trace that still meets the goal; its events are some of the trace's, in order.

    `play` runs candidates on a device: up to `batch` at once, with the same result and counts as one at a time. Then
    events are replaced by plainer ones, unless `plainer` is false. `known` holds verdicts by content, for one app,
    goal, world and way of aiming; it is read and written, and a reduction that was killed goes on from it. `on_better`
    is called with each improvement, so that it can be kept, and `on_run` after each run.

    Raises NotReproduced, carrying what was seen, if the trace does not meet the goal; UsageError if already the launch
    does, for a goal other than a crash, and `trivial` does not allow that; BudgetSpent, with the `Reduction` so far,
    when the budget is used up.
    """
    check_strategy(strategy)
    source = SingleRuns(TraceOracle(trace, goal, play), batch=batch, budget=budget, known=known)
    problem = Problem(trace.events[1:], source)

    def reduction(finished: bool = False) -> Reduction:
        return Reduction(
            original=trace,
            trace=problem.trace or _unwatched(trace, problem.items(problem.best)),
            strategy=strategy,
            runs=problem.runs,
            events=problem.events,
            known=problem.known,
            is_minimal=finished and is_one_minimal(problem),
            simplified=sum(number >= len(trace.steps) - 1 for number in problem.best),
            findings=tuple(problem.findings.values()),
            stages=tuple(problem.stages),
        )

    if on_better is not None:
        problem.on_better = lambda: on_better(reduction())
    if on_run is not None:
        problem.on_run = on_run
    try:
        problem.start()
        run_strategy(problem, strategy)
        if plainer:
            make_plainer(problem, strategy)
        problem.confirm()
    except BudgetSpent as spent:
        raise BudgetSpent(spent.limit, reduction() if problem.runs else None) from None
    if not problem.best and not trivial and not isinstance(goal, SameCrash):
        raise UsageError("already the launch meets the goal, so it says nothing of the events")
    return reduction(finished=True)


def check_strategy(name: str) -> None:
    """Raises UsageError if there is no strategy of this name."""
    if name not in STRATEGIES:
        raise UsageError(f"there is no strategy {name!r}; there are {', '.join(STRATEGIES)}")


def run_strategy(problem: Problem[Any], strategy: str) -> None:
    """Runs the passes of a strategy; those of `auto` again, as long as they find something."""
    size = None
    while size != len(problem.best):
        size = len(problem.best)
        run_passes(problem, STRATEGIES[strategy])
        if strategy != "auto":
            break
    if len(problem.best) == 1:
        # Not every strategy leaves out the last item, and only without any item a goal that is always met is noticed.
        problem.first([()])


def make_plainer(problem: Problem[Any], strategy: str) -> None:
    """Merges and simplifies items and reduces again, until nothing changes: a plainer item may be needless."""
    before = None
    while before != problem.best:
        before = problem.best
        run_passes(problem, (merge, simplify))
        run_strategy(problem, strategy)


def run_passes(problem: Problem[Any], passes: Sequence[Pass]) -> None:
    """Runs the passes one after the other, each on the result of the one before, and records size and cost of each."""
    for each in passes:
        problem.confirm()
        problem.stage = each.__name__
        runs, events = problem.runs, problem.events
        try:
            each(problem)
        finally:
            stage = Stage(each.__name__, len(problem.best), problem.runs - runs, problem.events - events)
            problem.stages.append(stage)


def is_one_minimal(problem: Problem[Any]) -> bool:
    """Whether the best is known to miss the goal without each single item."""
    best = problem.best
    return all(problem.is_known_to_miss(without(best, place, place + 1)) for place in range(len(best)))


def _unwatched(original: Trace, events: Sequence[Event]) -> Trace:
    """The events as a trace without observations: the verdict was remembered, and no run was made."""
    return replace(original, steps=(Step(original.steps[0].event), *map(Step, events)))
