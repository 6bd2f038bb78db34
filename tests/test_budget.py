from __future__ import annotations

import pytest

from fewtaps.budget import Budget
from fewtaps.errors import BudgetSpent, UsageError


def test_a_budget_without_limits_is_never_spent() -> None:
    budget = Budget()
    budget.spend(events=10**9, runs=10**9)
    budget.check()


@pytest.mark.parametrize(("limits", "reason"), [({"runs": 2}, "2 runs"), ({"events": 10}, "10 events")])
def test_what_is_spent_is_said_with_the_best_so_far(limits: dict[str, int], reason: str) -> None:
    budget = Budget(**limits)  # type: ignore[arg-type]
    budget.spend(events=5, runs=1)
    budget.check()
    budget.spend(events=5, runs=1)
    with pytest.raises(BudgetSpent, match=reason) as spent:
        budget.check(best="so far")
    assert spent.value.best == "so far"


def test_time_is_asked_of_the_clock_that_was_given() -> None:
    now = [100.0]
    budget = Budget(seconds=5, clock=lambda: now[0])
    assert budget.exhausted is None
    now[0] = 105.0
    assert budget.exhausted == "all 5 seconds are used"


def test_less_than_nothing_is_no_budget() -> None:
    with pytest.raises(UsageError, match="less than nothing"):
        Budget(runs=-1)
