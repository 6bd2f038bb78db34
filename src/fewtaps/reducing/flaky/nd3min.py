"""ND3MIN: delta debugging that accepts a candidate only when it passes repeated runs (section 3, figure 2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from fewtaps.budget import Budget
from fewtaps.reducing.flaky.bound import Check
from fewtaps.reducing.flaky.parameters import Parameters
from fewtaps.reducing.flaky.passing import RunBatch
from fewtaps.reducing.flaky.prior import Prior
from fewtaps.reducing.flaky.schedule import Schedule
from fewtaps.reducing.flaky.tally import Tally

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class FlakyReduction(Generic[T]):
    """A shorter sequence that still meets the goal most of the time, and what finding it cost.

    `precheck` and `check` are the runs of the original before and of the result after. `steps` counts the pre-check, as
    in the paper, but not the final check; `runs` counts everything. `tried` holds every candidate with all that was
    seen of it, from which a prior can be learned. `is_minimal` says that each item was left out once and missed.
    """

    original: tuple[T, ...]
    items: tuple[T, ...]
    precheck: Tally
    check: Check | None
    steps: int
    runs: int
    tried: tuple[tuple[tuple[T, ...], Tally], ...]
    is_minimal: bool


def nd3min(
    items: Sequence[T],
    run_batch: RunBatch[tuple[T, ...]],
    parameters: Parameters,
    schedule: Schedule,
    *,
    prior: Prior | None = None,
    budget: Budget | None = None,
    on_best: Callable[[tuple[T, ...]], None] | None = None,
) -> FlakyReduction[T]:
    """Reduces the items to a sequence that passes, and that does not pass without any one of its items.

    Raises NotReproduced if the original fails the pre-check, and BudgetSpent, carrying the reduction so far, once a
    limit is reached. `on_best` hears of every accepted candidate at once.
    """
    raise NotImplementedError
