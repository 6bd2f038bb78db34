"""`get_passing`: which of some candidates passes, found in as few steps as the schedule can (figure 2, section 4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

from fewtaps.model.result import Verdict
from fewtaps.reducing.nd3min.parameters import Nd3minParameters
from fewtaps.reducing.nd3min.schedule import Schedule
from fewtaps.reducing.nd3min.tally import Tally

C = TypeVar("C")

RunBatch: TypeAlias = Callable[[Sequence[tuple[C, int]]], Sequence[Sequence[Verdict]]]
"""Runs each candidate the given number of times, all at once if it can; returns the verdicts of each, in their order.

There may be fewer verdicts than runs were asked for: a run that was lost with its device is not counted. If there are
none at all, an exception must be raised, or the same runs would be asked for without end.
"""


@dataclass(frozen=True, slots=True)
class Passing(Generic[C]):
    """The answer of `get_passing`: the candidate that passes if there is one, the tallies of all, and the cost.

    `length` is how many of the candidate's items its successful runs needed, at most.
    """

    candidate: C | None
    length: int
    tallies: tuple[Tally, ...]
    steps: int
    runs: int


def get_passing(
    candidates: Sequence[C],
    run_batch: RunBatch[C],
    schedule: Schedule,
    parameters: Nd3minParameters,
) -> Passing[C]:
    """Runs candidates by the schedule until one passes or none can; of several that pass at once, the first."""
    tallies = [Tally()] * len(candidates)
    lengths = [0] * len(candidates)
    steps = runs = 0
    while not any(tally.passes(parameters) for tally in tallies):
        plan = [(number, count) for number, count in enumerate(schedule(tallies, parameters.devices)) if count]
        if not plan:
            return Passing(None, 0, tuple(tallies), steps, runs)
        answers = run_batch([(candidates[number], count) for number, count in plan])
        steps += 1
        for (number, _), verdicts in zip(plan, answers, strict=True):
            runs += len(verdicts)
            for verdict in verdicts:
                tallies[number] = tallies[number].plus(verdict.met)
                lengths[number] = max(lengths[number], verdict.length if verdict.met else 0)
    found = next(number for number, tally in enumerate(tallies) if tally.passes(parameters))
    return Passing(candidates[found], lengths[found], tuple(tallies), steps, runs)
