"""What is probably needless is left out first."""

from __future__ import annotations

import pytest

from fewtaps.reducing.oracle import PredicateOracle
from fewtaps.reducing.problem import Problem
from fewtaps.reducing.repeated.probable import leave_out_the_needless, one_is_needed
from fewtaps.reducing.single_runs import SingleRuns


def started(needed: set[int], length: int = 200) -> Problem[int]:
    """A problem whose goal is to hold these items."""
    problem = Problem(range(length), SingleRuns(PredicateOracle(lambda items: needed <= set(items))))
    problem.start()
    return problem


@pytest.mark.parametrize("needed", [{7}, {0, 199}, {3, 50, 51, 120, 197}, set(range(0, 200, 13))], ids=len)
def test_exactly_what_is_needed_stays(needed: set[int]) -> None:
    problem = started(needed)
    leave_out_the_needless(problem, {})
    assert set(problem.items(problem.best)) == needed


def test_few_items_are_found_in_few_runs() -> None:
    problem = started({3, 50, 51, 120, 197})
    leave_out_the_needless(problem, {})
    assert problem.runs <= 70


def test_dear_answers_are_asked_for_less_often() -> None:
    def yes_answers(yes_cost: float) -> int:
        problem = started({3, 50, 51, 120, 197})
        met: list[bool] = []
        problem.on_run = lambda progress: met.append(progress.met)
        leave_out_the_needless(problem, {}, yes_cost=yes_cost)
        return sum(met)

    assert yes_answers(10.0) < yes_answers(0.1)


def test_what_was_learned_before_is_not_asked_again() -> None:
    needed: dict[int, float] = {}
    problem = started({3, 50, 197})
    leave_out_the_needless(problem, needed)
    runs = problem.runs
    leave_out_the_needless(problem, needed)
    assert problem.runs == runs
    assert all(needed[number] == 1.0 for number in problem.best)


def test_a_failure_makes_all_suspects_more_probable_and_a_single_one_certain() -> None:
    needed = {1: 0.1, 2: 0.1, 3: 0.1}
    one_is_needed(needed, (1, 2))
    assert needed[1] == needed[2] == pytest.approx(0.1 / 0.19)
    assert needed[3] == 0.1
    one_is_needed(needed, (3,))
    assert needed[3] == 1.0
