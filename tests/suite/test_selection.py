"""The selection of runs: exact and greedy."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fewtaps.suite.selection import choose_exactly, choose_greedily

CANDIDATES = st.lists(st.tuples(st.integers(0, 255), st.integers(1, 30)), max_size=12)


@given(CANDIDATES, st.integers(0, 255))
def test_the_exact_choice_is_never_dearer_and_covers_as_much(candidates: list[tuple[int, int]], target: int) -> None:
    pytest.importorskip("scipy")
    covers, costs = [each[0] for each in candidates], [each[1] for each in candidates]
    greedy, exact = choose_greedily(covers, costs, target), choose_exactly(covers, costs, target)
    assert exact.cost <= greedy.cost
    assert exact.cost == sum(costs[number] for number in exact.chosen)
    possible = 0
    for bits in covers:
        possible |= bits & target
    for choice in (greedy, exact):
        reached = 0
        for number in choice.chosen:
            reached |= covers[number]
        assert not possible & ~reached
