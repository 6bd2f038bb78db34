"""HDD, BHDD and LHDD: the paper's worked example with its numbers, and what it leaves open."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from reducing.recordings import EXAMPLE, THE_GOAL, numbers_of

from fewtaps.model.event import Event
from fewtaps.model.result import Verdict
from fewtaps.model.trace import Trace
from fewtaps.reducing.hdd import split_balanced
from fewtaps.reducing.plan import reduce, reduce_trace


@pytest.mark.parametrize(("strategy", "trials"), [("hdd", 6), ("bhdd", 6), ("lhdd", 4)])
def test_the_papers_example_gives_the_papers_steps_and_trials(strategy: str, trials: int) -> None:
    reduction = reduce_trace(EXAMPLE.trace, THE_GOAL, EXAMPLE.play, strategy=strategy, plainer=False)
    assert numbers_of(reduction.trace) == (1, 22, 23, 36)
    assert reduction.runs == trials


def trials_of(strategy: str) -> list[tuple[int, ...]]:
    """What is played for the example, after the original."""
    tried: list[tuple[int, ...]] = []

    def play(candidates: Sequence[tuple[Event, ...]]) -> list[Trace]:
        traces = EXAMPLE.play(candidates)
        tried.extend(map(numbers_of, traces))
        return traces

    reduce_trace(EXAMPLE.trace, THE_GOAL, play, strategy=strategy, plainer=False)
    return tried[1:]


def test_hdd_goes_the_way_of_figure_2() -> None:
    assert trials_of("hdd") == [
        (1, *range(18, 37)),
        (1, *range(22, 37)),
        (1, 22, 23, *range(31, 37)),
        (1, 22, 23, 34, 35, 36),
        (1, 22, 23, 36),
    ]


def test_bhdd_splits_as_figure_3_does() -> None:
    assert trials_of("bhdd")[:2] == [(1, *range(21, 37)), (1, *range(22, 37))]
    assert split_balanced([2, 7, 17, 18, 21, 22], [5, 10, 1, 3, 1, 15], 2) == [[2, 7, 17, 18], [21, 22]]


def test_lhdd_asks_for_each_transition_and_then_for_the_crash() -> None:
    assert trials_of("lhdd") == [(1, 22), (1, 22, 23), (1, 22, 23, 36)]


def test_preselection_takes_twice_as_many_nodes_each_time() -> None:
    # 'Next' needs three taps of its own activity first.
    def needs_all_of_the_last_four(items: tuple[int, ...]) -> bool:
        return set(items) >= {6, 7, 8, 9}

    tried: list[tuple[int, ...]] = []

    def asked(items: tuple[int, ...]) -> bool:
        tried.append(items)
        return needs_all_of_the_last_four(items)

    reduce(range(10), asked, strategy="lhdd", states="a" * 10)
    assert tried[1:4] == [(9,), (8, 9), (6, 7, 8, 9)]


def test_splitting_leaves_no_part_empty() -> None:
    assert split_balanced([0, 1, 2, 3], [1, 1, 1, 97], 3) == [[0, 1], [2], [3]]
    assert split_balanced([0, 1, 2, 3], [97, 1, 1, 1], 4) == [[0], [1], [2], [3]]


def test_what_the_activities_do_not_show_is_kept_all_the_same() -> None:
    # The crash needs item 1, in a side activity that the local checks see no reason for.
    states = "abbabbac"
    needed = {1, 6, 7}

    def holds(items: tuple[int, ...]) -> bool:
        return set(items) >= needed

    for strategy in ("hdd", "bhdd", "lhdd", "lhdd-nopre"):
        result = reduce(range(8), holds, strategy=strategy, states=states)
        assert needed <= set(result.items)


@pytest.mark.parametrize(("strategy", "left"), [("hdd", (3,)), ("bhdd", (3,)), ("lhdd-nopre", (3,)), ("lhdd", (5,))])
def test_a_crash_that_comes_sooner_than_recorded_is_taken(strategy: str, left: tuple[int, ...]) -> None:
    # Item 3 did nothing when it was recorded; where item 0 is left out, it is enough.
    def judge(items: tuple[int, ...]) -> Verdict:
        length = items.index(3) + 1 if 3 in items and 0 not in items else len(items)
        return Verdict(items[:length][-1:] in ((3,), (5,)), length, events=length)

    assert reduce(range(6), judge, strategy=strategy, states="aaaaaa").items == left
