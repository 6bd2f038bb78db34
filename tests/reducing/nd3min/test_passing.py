"""`get_passing` finds the candidate that passes, by any schedule."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from reducing.nd3min.coins import Coins

from fewtaps.model.result import Verdict
from fewtaps.reducing.nd3min.heuristic import Heuristic
from fewtaps.reducing.nd3min.parameters import Nd3minParameters
from fewtaps.reducing.nd3min.passing import get_passing
from fewtaps.reducing.nd3min.schedule import Greedy, RoundRobin, Schedule
from fewtaps.reducing.nd3min.tally import Tally

PAPER = Nd3minParameters()
SCHEDULES = [Greedy(PAPER), RoundRobin(PAPER), Heuristic(PAPER)]
CANDIDATES = [(number,) for number in range(5)]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_returns_the_one_that_always_meets_the_goal(schedule: Schedule) -> None:
    found = get_passing(CANDIDATES, Coins(lambda candidate: float(candidate == (3,))), schedule, PAPER)
    assert found.candidate == (3,)
    assert found.tallies[3].met >= 18


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_returns_none_once_all_have_missed_three_times(schedule: Schedule) -> None:
    coins = Coins(lambda candidate: 0.4)
    found = get_passing(CANDIDATES, coins, schedule, PAPER)
    assert found.candidate is None
    assert all(tally.fails(PAPER) for tally in found.tallies)
    assert found.steps == len(coins.batches)
    assert found.runs == sum(count for batch in coins.batches for _, count in batch)


@pytest.mark.parametrize(("schedule", "steps"), [(SCHEDULES[0], 2), (SCHEDULES[1], 6), (SCHEDULES[2], 2)])
def test_when_all_pass_it_takes_the_steps_of_tables_1_and_3(schedule: Schedule, steps: int) -> None:
    # Without the two steps of the pre-check: activities that need no event took 4 steps, and 8 by going round.
    found = get_passing(CANDIDATES, Coins(lambda candidate: 1.0), schedule, PAPER)
    assert (found.candidate, found.steps) == ((0,), steps)


def test_no_step_uses_more_devices_than_there_are() -> None:
    coins = Coins(lambda candidate: 0.8, seed=3)
    get_passing(CANDIDATES, coins, Heuristic(PAPER), PAPER)
    assert all(sum(count for _, count in batch) <= 15 for batch in coins.batches)


def test_no_candidates_take_no_step() -> None:
    nothing: list[tuple[int, ...]] = []
    found = get_passing(nothing, Coins(lambda candidate: 1.0), RoundRobin(PAPER), PAPER)
    assert (found.candidate, found.steps, found.runs) == (None, 0, 0)


def test_the_length_is_that_of_the_slowest_success() -> None:
    def run(asked: Sequence[tuple[str, int]]) -> list[list[Verdict]]:
        return [[Verdict(met=True, length=number % 4) for number in range(count)] for _, count in asked]

    assert get_passing(["candidate"], run, RoundRobin(PAPER), PAPER).length == 3


def test_a_lost_run_is_run_again() -> None:
    def run(asked: Sequence[tuple[str, int]]) -> list[list[Verdict]]:
        return [[Verdict(met=True, length=1)] * max(1, count - 1) for _, count in asked]

    found = get_passing(["candidate"], run, RoundRobin(PAPER), PAPER)
    assert found.candidate == "candidate"
    # 14 of 15 come back, then 5 of the 6 that are left.
    assert (found.tallies, found.steps) == ((Tally(19, 0),), 2)
