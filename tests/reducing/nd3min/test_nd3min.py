"""ND3MIN keeps what is needed, at the rate that is asked for."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reducing.nd3min.coins import Coins, needing

from fewtaps.budget import Budget
from fewtaps.errors import BudgetSpent, NotReproduced, UsageError
from fewtaps.model.result import Verdict
from fewtaps.reducing.nd3min.bound import judge
from fewtaps.reducing.nd3min.heuristic import Heuristic
from fewtaps.reducing.nd3min.nd3min import Nd3minReduction, nd3min
from fewtaps.reducing.nd3min.parameters import Nd3minParameters
from fewtaps.reducing.nd3min.prior import Prior
from fewtaps.reducing.nd3min.schedule import Greedy, RoundRobin
from fewtaps.reducing.nd3min.tally import Tally

PAPER = Nd3minParameters()
ONCE = Nd3minParameters(runs=1, needed=1, precheck=1, slack=0)


def reduce(length: int, coins: Coins, parameters: Nd3minParameters = PAPER) -> Nd3minReduction[int]:
    return nd3min(range(length), coins, parameters, Heuristic(parameters))


@pytest.mark.slow
@settings(max_examples=40)
@given(
    st.integers(0, 60).flatmap(
        lambda size: st.tuples(st.just(size), st.sets(st.integers(0, size - 1)) if size else st.just(set()))
    )
)
def test_one_run_each_finds_exactly_what_a_certain_goal_needs(case: tuple[int, set[int]]) -> None:
    size, needed = case
    coins = Coins(needing(*needed), needs=tuple(needed))
    reduction = reduce(size, coins, ONCE)
    assert reduction.items == tuple(sorted(needed))
    assert reduction.is_minimal


@pytest.mark.parametrize("make", [Greedy, RoundRobin, Heuristic])
def test_a_certain_goal_is_reduced_to_its_minimum_and_checked(make: type[Greedy | RoundRobin | Heuristic]) -> None:
    coins = Coins(needing(7, 100, 101), needs=(7, 100, 101))
    reduction = nd3min(range(200), coins, PAPER, make(PAPER))
    assert reduction.items == (7, 100, 101)
    assert reduction.is_minimal
    assert str(reduction.check) == "20 (0.99/0.95)"
    assert reduction.precheck == Tally(20, 0)


def test_a_flaky_goal_keeps_its_rate() -> None:
    # Either way in works half of the time, both together always: the dialog of section 2.1.
    def rate(candidate: tuple[int, ...]) -> float:
        return 0.5 * (10 in candidate) + 0.5 * (150 in candidate)

    reduction = reduce(200, Coins(rate, seed=1, needs=(10, 150)))
    assert reduction.items == (10, 150)
    assert reduction.check is not None and reduction.check.tally == Tally(20, 0)
    # Delta debugging that trusts one run ends with one of them, or none.
    assert len(reduce(200, Coins(rate, seed=1, needs=(10, 150)), ONCE).items) < 2


def test_a_goal_that_needs_nothing_takes_the_papers_four_steps() -> None:
    coins = Coins(needing())
    assert reduce(500, coins).steps == 4
    assert nd3min(range(500), Coins(needing()), PAPER, RoundRobin(PAPER)).steps == 8


def test_steps_leave_out_the_final_check_and_runs_do_not() -> None:
    coins = Coins(needing())
    reduction = reduce(500, coins)
    assert reduction.steps == len(coins.batches) - 2
    assert reduction.runs == sum(count for batch in coins.batches for _, count in batch)


def test_an_original_below_the_precheck_is_refused() -> None:
    with pytest.raises(NotReproduced, match="the original met its goal in 0 of 20 runs; at least 15 are needed"):
        reduce(10, Coins(needing(11)))


def test_without_a_precheck_nothing_is_run_before() -> None:
    coins = Coins(needing(3), needs=(3,))
    reduction = reduce(10, coins, Nd3minParameters(precheck=0))
    assert reduction.items == (3,)
    assert reduction.precheck == Tally()
    assert all(len(candidate) < 10 for batch in coins.batches for candidate, _ in batch)


def test_what_failed_is_not_run_again() -> None:
    coins = Coins(needing(1, 5, 9), needs=(1, 5, 9))
    reduction = reduce(12, coins)
    final = reduction.items
    counts: dict[tuple[int, ...], int] = {}
    for batch in coins.batches:
        for candidate, count in batch:
            counts[candidate] = counts.get(candidate, 0) + count
    assert all(count <= 20 for candidate, count in counts.items() if candidate not in (final, tuple(range(12))))
    assert dict(reduction.tried)[final].met == counts[final]


def test_a_spent_budget_hands_over_the_best_so_far() -> None:
    coins = Coins(needing(1, 150), needs=(1, 150))
    announced: list[tuple[int, ...]] = []
    with pytest.raises(BudgetSpent, match="all 200 runs are used") as caught:
        nd3min(range(300), coins, PAPER, Heuristic(PAPER), budget=Budget(runs=200), on_best=announced.append)
    best = caught.value.best
    assert isinstance(best, Nd3minReduction)
    assert best.items == announced[-1]
    assert {1, 150} <= set(best.items) < set(range(300))
    assert not best.is_minimal and best.check is None


def test_an_empty_original_is_its_own_minimum() -> None:
    reduction = reduce(0, Coins(needing()))
    assert (reduction.items, reduction.is_minimal, reduction.steps) == ((), True, 2)


class Deceiver(Coins):
    """Every candidate passes, until nothing is left and is checked: from then on no short one works again."""

    def _run(self, candidate: tuple[int, ...]) -> Verdict:
        runs = sum(count for batch in self.batches[:-1] for asked, count in batch if asked == ())
        met = len(candidate) > 20 or runs < PAPER.runs
        return Verdict(met=met, length=len(candidate), events=len(candidate) + 1)


def test_what_fails_its_whole_check_is_never_the_result() -> None:
    reduction = reduce(200, Deceiver(needing()))
    assert len(reduction.items) > 20
    assert reduction.check is not None and reduction.check.tally.met == 20
    assert not reduction.is_minimal


def test_a_prior_that_the_precheck_makes_impossible_is_refused() -> None:
    parameters = Nd3minParameters(needed=5, precheck=5)
    coins = Coins(needing(3, rate=0.6), needs=(3,))
    with pytest.raises(UsageError, match="by this prior, .* cannot happen"):
        nd3min(range(20), coins, parameters, Heuristic(parameters), prior=Prior((1.0,), (1.0,)))


def test_a_check_that_the_prior_makes_impossible_is_not_trusted_but_told() -> None:
    check = judge(Prior((1.0,), (1.0,)), PAPER, Tally(19, 1), 3)
    assert check.tally == Tally(19, 1) and check.rate_holds == 0
