"""Reduces a trace to a short one that still meets its goal; see `fewtaps reduce`.

All reductions go the same way: a job is prepared, a method finds the shortest trace, the result is kept. The method is
one run per candidate (`single_runs`) or repeated runs (`repeated_runs`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol, TypeVar

from fewtaps.config import ReduceSettings
from fewtaps.errors import BudgetLimit, BudgetSpent, NotReproduced
from fewtaps.model.result import Reduction
from fewtaps.model.trace import Aim
from fewtaps.pipeline.keeping import ReductionTask, open_reduction
from fewtaps.pipeline.news import Tell, ignore
from fewtaps.pipeline.opening import OnDownload
from fewtaps.pipeline.reduction_job import Reduced, ReductionContext, ReductionJob
from fewtaps.pipeline.repeated_runs import RepeatedRunsMethod
from fewtaps.pipeline.single_runs import SingleRunsMethod
from fewtaps.reducing.hierarchy import Branch as Branch
from fewtaps.reducing.hierarchy import branches_of as branches_of
from fewtaps.reducing.hierarchy import hierarchy_of as hierarchy_of
from fewtaps.replay import aimed_anew

F = TypeVar("F")


class ReductionMethod(Protocol[F]):
    """Finds the shortest trace for a task. `kind` is the type of its result."""

    task: ReductionTask
    kind: type[F]

    def require_earlier(self) -> None:
        """Raises UsageError unless there is an earlier reduction to go on with."""
        ...

    def find(self) -> F:
        """The result. Raises BudgetSpent with the result so far, and NotReproduced if the original misses the goal."""
        ...

    def explain(self, error: NotReproduced) -> NotReproduced:
        """The error, with further runs or advice."""
        ...

    def reduction(self, found: F, *, finished: bool) -> Reduction:
        """The result as a reduction; `finished` unless a limit ended it."""
        ...

    def add_figures(self, found: F, reduced: Reduced) -> Reduced:
        """Adds the figures that only this method measures."""
        ...


def reduce_file(
    name: str,
    path: str,
    settings: ReduceSettings,
    tell: Tell = ignore,
    progress: OnDownload | None = None,
) -> Reduced:
    """Reduces the trace in a file, a recording, or the crash of the project that is named so.

    Raises NotReproduced, with what was seen instead, if the trace does not do what is asked for.
    """
    with open_reduction(name, path, settings, tell, progress) as opened:
        reduced = reduce_with(opened.job, opened.context)
        opened.keep_findings(reduced.goal, reduced.reduction)
        return replace(reduced, known_before=opened.known_before)


def reduce_with(job: ReductionJob, context: ReductionContext) -> Reduced:
    """Does a job in a store and on devices that are open already; raises as `reduce_file`."""
    if job.settings.flaky is not None:
        return _run(RepeatedRunsMethod(job, context, job.settings.flaky))
    return _run(SingleRunsMethod(job, context))


def _run(method: ReductionMethod[F]) -> Reduced:
    task = method.task
    if task.settings.resume:
        method.require_earlier()
    found, stopped = _find(method)
    reduction = method.reduction(found, finished=stopped is None)
    if reduction.is_news and task.job.aim is Aim.SELECTOR:
        # Exports and people read the events: these have to name what is on the screens of the short trace.
        reduction = replace(reduction, trace=aimed_anew(reduction.trace))
    task.best.finish(reduction, stopped)
    has_worlds = task.context.plan.has_worlds
    reduced = Reduced(task.spec, reduction, task.job.output, stopped, has_worlds=has_worlds)
    return method.add_figures(found, reduced)


def _find(method: ReductionMethod[F]) -> tuple[F, BudgetLimit | None]:
    """The result, and the limit that ended the search early, if one did. Any other ending saves the best so far."""
    best = method.task.best
    try:
        return method.find(), None
    except BudgetSpent as spent:
        if isinstance(spent.best, method.kind):
            return spent.best, spent.limit
        if best.reduction is not None:
            raise
        raise BudgetSpent(spent.limit, played_original=False) from None
    except NotReproduced as error:
        raise method.explain(error) from None
    except BaseException:
        best.save()
        raise
