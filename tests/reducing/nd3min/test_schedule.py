"""The naive schedules and the heuristic, with the worked examples of sections 4.1 and 4.2."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fewtaps.errors import UsageError
from fewtaps.reducing.nd3min.heuristic import Heuristic
from fewtaps.reducing.nd3min.parameters import Nd3minParameters
from fewtaps.reducing.nd3min.schedule import Greedy, RoundRobin, Schedule
from fewtaps.reducing.nd3min.tally import Tally

PAPER = Nd3minParameters(candidates=3)


def plan(schedule: Schedule, *pairs: tuple[int, int]) -> tuple[int, ...]:
    return schedule([Tally(*pair) for pair in pairs], 15)


def test_greedy_runs_the_papers_example() -> None:
    greedy = Greedy(PAPER)
    assert plan(greedy, (0, 0), (0, 0), (0, 0)) == (15, 0, 0)
    assert plan(greedy, (13, 2), (0, 0), (0, 0)) == (5, 10, 0)
    assert plan(greedy, (17, 3), (3, 7), (0, 0)) == (0, 0, 15)
    assert plan(greedy, (17, 3), (3, 7), (15, 0)) == (0, 0, 5)


def test_round_robin_runs_the_papers_example() -> None:
    around = RoundRobin(PAPER)
    assert plan(around, (0, 0), (0, 0), (0, 0)) == (5, 5, 5)
    assert plan(around, (4, 1), (2, 3), (5, 0)) == (8, 0, 7)
    # The paper plans (7, 0, 8) here: (11, 2) has room for 7 runs, and the other for 8.
    assert plan(around, (11, 2), (2, 3), (12, 0)) == (7, 0, 8)


def test_the_heuristic_runs_the_papers_example() -> None:
    heuristic = Heuristic(PAPER)
    assert plan(heuristic, (0, 0), (0, 0), (0, 0)) == (5, 5, 5)
    assert plan(heuristic, (4, 1), (2, 3), (5, 0)) == (2, 0, 13)


def test_the_expected_runs_are_those_of_lines_11_and_22() -> None:
    heuristic = Heuristic(PAPER)
    assert heuristic.runs_to_pass(Tally(5, 0)) == 13
    assert heuristic.runs_to_pass(Tally(4, 1)) == 15  # 14 / 0.8 is 17.5, but 15 runs are left
    assert heuristic.runs_to_pass(Tally(12, 0)) == 6
    assert heuristic.runs_to_fail(Tally(3, 2)) == 3  # 1 / 0.4 is 2.5
    assert heuristic.runs_to_fail(Tally(0, 1)) == 2


def test_the_heuristic_packs_candidates_that_fit_together() -> None:
    # (16, 0) needs 2 and (15, 0) needs 3; (5, 0) needs 13, more than is left, so it is deferred and gets just that.
    assert plan(Heuristic(PAPER), (16, 0), (15, 0), (5, 0)) == (2, 3, 10)


def test_the_heuristic_gives_all_to_what_fits_in_no_step() -> None:
    assert plan(Heuristic(PAPER), (1, 0), (0, 1), (0, 1)) == (15, 0, 0)


def test_the_heuristic_discards_the_best_of_the_bad_first_and_then_goes_round() -> None:
    # (2, 1): 2 / (1/3) = 6 runs; (0, 1): 2 runs; what is left goes round, the better one first.
    assert plan(Heuristic(PAPER), (2, 1), (0, 1)) == (10, 5)


def test_the_heuristic_looks_at_every_candidate_first() -> None:
    seen, unseen = [(0, 1)] * 3, [(0, 0)] * 14
    assert plan(Heuristic(Nd3minParameters(candidates=17)), *seen, *unseen)[3:] == (1,) * 14


def test_a_rate_that_looks_good_is_a_rate() -> None:
    with pytest.raises(UsageError, match="looks good"):
        Heuristic(PAPER, looks_good=0)


tallies = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)).filter(lambda pair: sum(pair) <= 20), min_size=1)


@pytest.mark.slow
@given(tallies, st.integers(1, 40), st.sampled_from([Greedy, RoundRobin, Heuristic]))
def test_every_schedule_keeps_its_promises(
    pairs: list[tuple[int, int]], devices: int, make: type[Greedy | RoundRobin | Heuristic]
) -> None:
    seen = [Tally(*pair) for pair in pairs]
    planned = make(PAPER)(seen, devices)
    assert len(planned) == len(seen)
    assert all(0 <= count <= tally.room(PAPER) for count, tally in zip(planned, seen, strict=True))
    # All devices are used while there is anything to run.
    assert sum(planned) == min(devices, sum(tally.room(PAPER) for tally in seen))
