"""States are numbered without gaps."""

from __future__ import annotations

from itertools import combinations_with_replacement

import pytest

from fewtaps.reducing.nd3min.parameters import Nd3minParameters
from fewtaps.reducing.nd3min.states import States
from fewtaps.reducing.nd3min.tally import Tally


@pytest.mark.parametrize("numbers", [(4, 3, 3, 2), (5, 3, 3, 4), (3, 3, 4, 2), (4, 2, 2, 3), (3, 2, 2, 1)])
def test_every_state_that_can_be_met_has_its_number(numbers: tuple[int, int, int, int]) -> None:
    states = States(Nd3minParameters(*numbers, precheck=0))
    all_states = combinations_with_replacement(range(states.failed + 1), states.size)
    given = [number for state in all_states if (number := states.number(state)) is not None]
    assert sorted(given) == list(range(len(states)))


def test_the_paper_counts_two_states_more() -> None:
    # 729,709: ours are 305,436 in which no candidate has failed and 424,270 in which one has, and the one of success.
    states = States(Nd3minParameters())
    assert (states.without_failed, states.with_failed) == (305_436, 424_270)
    assert len(states) + 1 == 729_709 - 2


def test_tallies_become_symbols() -> None:
    states = States(Nd3minParameters())
    assert states.symbols([Tally(0, 0), Tally(1, 2), Tally(0, 3)]) == [0, 5, states.failed]
    assert states.symbols([Tally(18, 0)]) is None
    assert states.symbols([Tally()] * 6) is None


def test_five_candidates_need_little_memory_and_seven_too_much() -> None:
    assert States(Nd3minParameters()).memory_needed() < 2**30
    assert States(Nd3minParameters(candidates=7)).memory_needed() > 8 * 2**30
