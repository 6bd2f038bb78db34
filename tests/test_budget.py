from __future__ import annotations

import pickle

import pytest

from fewtaps.budget import Budget
from fewtaps.errors import BudgetLimit, BudgetSpent, BudgetUnit, UsageError


def test_a_budget_without_limits_is_never_spent() -> None:
    budget = Budget()
    budget.spend(events=10**9, runs=10**9)
    budget.check()


@pytest.mark.parametrize(
    ("limits", "limit"),
    [({"runs": 2}, BudgetLimit(BudgetUnit.RUNS, 2)), ({"events": 10}, BudgetLimit(BudgetUnit.EVENTS, 10))],
)
def test_the_error_carries_the_limit_and_the_best_so_far(limits: dict[str, int], limit: BudgetLimit) -> None:
    budget = Budget(**limits)  # type: ignore[arg-type]
    budget.spend(events=5, runs=1)
    budget.check()
    budget.spend(events=5, runs=1)
    with pytest.raises(BudgetSpent) as spent:
        budget.check(best="so far")
    assert (spent.value.limit, spent.value.best) == (limit, "so far")


@pytest.mark.parametrize(
    ("limit", "words"),
    [
        (BudgetLimit(BudgetUnit.RUNS, 12_000_000), "all 12000000 runs are used"),
        (BudgetLimit(BudgetUnit.EVENTS, 10), "all 10 events are used"),
        (BudgetLimit(BudgetUnit.SECONDS, 0.5), "all 0.5 seconds are used"),
    ],
)
def test_a_limit_is_told_with_its_number_and_unit(limit: BudgetLimit, words: str) -> None:
    assert str(limit) == words
    assert str(BudgetSpent(limit)) == words
    assert str(BudgetSpent(limit, played_original=False)) == f"{words} before the original was played to its end"


@pytest.mark.parametrize("played_original", [True, False])
def test_the_error_comes_back_equal_from_another_process(played_original: bool) -> None:
    spent = BudgetSpent(BudgetLimit(BudgetUnit.EVENTS, 10), "so far", played_original)
    back = pickle.loads(pickle.dumps(spent))
    assert (back.limit, back.best, back.played_original, str(back)) == (
        *(spent.limit, spent.best, played_original),
        str(spent),
    )


def test_time_is_asked_of_the_clock_that_was_given() -> None:
    now = [100.0]
    budget = Budget(seconds=5, clock=lambda: now[0])
    assert budget.exhausted is None
    now[0] = 105.0
    assert budget.exhausted == BudgetLimit(BudgetUnit.SECONDS, 5)


def test_less_than_nothing_is_no_budget() -> None:
    with pytest.raises(UsageError, match="less than nothing"):
        Budget(runs=-1)
