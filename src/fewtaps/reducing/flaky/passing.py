"""`get_passing`: which of some candidates passes, found in as few steps as the schedule can (figure 2, section 4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

from fewtaps.model.result import Verdict
from fewtaps.reducing.flaky.parameters import Parameters
from fewtaps.reducing.flaky.schedule import Schedule
from fewtaps.reducing.flaky.tally import Tally

C = TypeVar("C")

RunBatch: TypeAlias = Callable[[Sequence[tuple[C, int]]], Sequence[Sequence[Verdict]]]
"""Runs each candidate as often as is said, all at once if it can, and returns the verdicts of each, in their order.

There may be fewer verdicts than runs were asked for: a run that was lost with its device is simply not counted.
"""


@dataclass(frozen=True, slots=True)
class Passing(Generic[C]):
    """What `get_passing` found out: the candidate that passes if there is one, what is known of all, what it cost.

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
    parameters: Parameters,
) -> Passing[C]:
    """Runs candidates by the schedule until one passes or none can; of several that pass at once, the first."""
    raise NotImplementedError
