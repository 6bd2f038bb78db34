"""ND3MIN: delta debugging that accepts a candidate only when it passes repeated runs (section 3, figure 2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from fewtaps.budget import Budget
from fewtaps.errors import BudgetSpent, NotReproduced
from fewtaps.model.result import Verdict
from fewtaps.reducing.ddmin import partition
from fewtaps.reducing.nd3min.bound import FinalCheck, judge
from fewtaps.reducing.nd3min.parameters import Nd3minParameters
from fewtaps.reducing.nd3min.passing import RunBatch, get_passing
from fewtaps.reducing.nd3min.prior import Prior
from fewtaps.reducing.nd3min.schedule import Schedule
from fewtaps.reducing.nd3min.tally import Tally

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Nd3minReduction(Generic[T]):
    """A shorter sequence that still meets the goal most of the time, and what finding it cost.

    `precheck` and `check` are the runs of the original before and of the result after. `steps` counts the pre-check, as
    in the paper, but not the final check; `runs` counts everything. `tried` holds every candidate with all that was
    seen of it, from which a prior can be learned. `is_minimal` says that each item was left out once and missed.
    """

    original: tuple[T, ...]
    items: tuple[T, ...]
    precheck: Tally
    check: FinalCheck | None
    steps: int
    runs: int
    tried: tuple[tuple[tuple[T, ...], Tally], ...]
    is_minimal: bool


def nd3min(
    items: Sequence[T],
    run_batch: RunBatch[tuple[T, ...]],
    parameters: Nd3minParameters,
    schedule: Schedule,
    *,
    prior: Prior | None = None,
    budget: Budget | None = None,
    on_best: Callable[[tuple[T, ...]], None] | None = None,
) -> Nd3minReduction[T]:
    """Reduces the items to a sequence that passes, and that does not pass without any one of its items.

    Raises NotReproduced if the original fails the pre-check, and BudgetSpent, carrying the reduction so far, once a
    limit is reached. `on_best` is called with every accepted candidate.
    """
    search = _ScheduledSearch(
        tuple(items), run_batch, parameters, schedule, prior or Prior.paper(), budget or Budget(), on_best
    )
    search.check_original()
    search.minimise()
    search.check_result()
    return search.result()


class _ScheduledSearch(Generic[T]):
    """One reduction under way: the best so far, the runs of every candidate, and the cost."""

    def __init__(
        self,
        items: tuple[T, ...],
        run_batch: RunBatch[tuple[T, ...]],
        parameters: Nd3minParameters,
        schedule: Schedule,
        prior: Prior,
        budget: Budget,
        on_best: Callable[[tuple[T, ...]], None] | None,
    ) -> None:
        self._original = self._best = items
        self._run_batch = run_batch
        self._parameters = parameters
        self._schedule = schedule
        self._prior = prior
        self._budget = budget
        self._on_best = on_best
        self._tried: dict[tuple[T, ...], Tally] = {}
        self._failed: set[tuple[T, ...]] = set()
        self._earlier: list[tuple[T, ...]] = []
        self._steps = self._runs = 0
        self._precheck = Tally()
        self._check: FinalCheck | None = None
        self._is_minimal = False

    def result(self) -> Nd3minReduction[T]:
        """The best candidate and the counts so far."""
        return Nd3minReduction(
            self._original,
            self._best,
            self._precheck,
            self._check,
            self._steps,
            self._runs,
            tuple(self._tried.items()),
            self._is_minimal,
        )

    def check_original(self) -> None:
        """The pre-check of section 5.2."""
        if not self._parameters.precheck:
            return
        self._precheck = self._repeat(self._original)
        if self._precheck.met < self._parameters.precheck:
            raise NotReproduced(
                f"the original met its goal in {self._precheck.met} of {self._precheck.runs} runs; "
                f"at least {self._parameters.precheck} are needed to reduce it"
            )
        self._prior.require_possible(*self._precheck)

    def check_result(self) -> None:
        """The final check of section 5.2: as many runs again, by which the result was not chosen."""
        steps = self._steps
        tally = self._repeat(self._best)
        while not tally.met and self._earlier:
            # A candidate that missed every run of the final check is no result, even though it passed before.
            self._best, self._is_minimal = self._earlier.pop(), False
            tally = self._repeat(self._best)
        self._steps = steps
        self._check = judge(self._prior, self._parameters, tally, len(self._best))

    def minimise(self) -> None:
        """MinR of figure 2, as a loop: parts, then complements, then smaller parts."""
        count = self._parameters.candidates
        while self._best:
            count = min(count, len(self._best))
            size = len(self._best)
            parts = partition(self._best, count)
            if count > 1 and self._accept(parts):
                count = self._parameters.candidates
            elif self._accept([_without(parts, number) for number in range(count)]):
                count = max(count - 1, 2)
            elif count < size:
                count = min(2 * count, size)
            else:
                break
        self._is_minimal = True

    def _accept(self, candidates: Sequence[tuple[T, ...]]) -> bool:
        """Goes on from the candidate that passes, if there is one.

        It is cut after the event at which its slowest successful run met the goal: none of the runs that let it pass
        needed more. The paper does not say so, but its results need it: 500 events are reduced to none in 2 steps,
        and in 6 by round-robin.
        """
        # A candidate that failed is not run again: of two parts each is the complement of the other, and after a
        # complement passed, the parts of the rest are known.
        unknown = [each for each in dict.fromkeys(candidates) if each not in self._failed]
        if not unknown:
            return False
        found = get_passing(unknown, self._run, self._schedule, self._parameters)
        failed = (each for each, tally in zip(unknown, found.tallies, strict=True) if tally.fails(self._parameters))
        self._failed.update(failed)
        if found.candidate is None:
            return False
        self._earlier.append(self._best)
        self._best = found.candidate[: found.length]
        if self._on_best is not None:
            self._on_best(self._best)
        return True

    def _repeat(self, candidate: tuple[T, ...]) -> Tally:
        """Runs one candidate as often as a decision takes."""
        tally = Tally()
        while tally.runs < self._parameters.runs:
            count = min(self._parameters.devices, self._parameters.runs - tally.runs)
            for verdict in self._run([(candidate, count)])[0]:
                tally = tally.plus(verdict.met)
        return tally

    def _run(self, asked: Sequence[tuple[tuple[T, ...], int]]) -> Sequence[Sequence[Verdict]]:
        """One step: makes the runs and counts their verdicts."""
        limit = self._budget.exhausted
        if limit is not None:
            raise BudgetSpent(limit, self.result())
        try:
            answers = self._run_batch(asked)
        except BudgetSpent as spent:
            # A limit ended one of the runs; the runs of this step are not counted.
            raise BudgetSpent(spent.limit, self.result()) from None
        self._steps += 1
        for (candidate, _), verdicts in zip(asked, answers, strict=True):
            self._runs += len(verdicts)
            self._budget.spend(runs=len(verdicts), events=sum(verdict.events for verdict in verdicts))
            tally = self._tried.get(candidate, Tally())
            for verdict in verdicts:
                tally = tally.plus(verdict.met)
            self._tried[candidate] = tally
        return answers


def _without(parts: Sequence[tuple[T, ...]], left_out: int) -> tuple[T, ...]:
    return tuple(item for number, part in enumerate(parts) if number != left_out for item in part)
