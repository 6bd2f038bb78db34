"""ESDroid's Algorithm 1, by its own Examples 2, 3 and 4."""

from __future__ import annotations

from collections.abc import Callable

from fewtaps.reducing.plan import reduce
from fewtaps.reducing.segments import split_in_segments


def tried_by(count: int, holds: Callable[[set[int]], bool]) -> list[tuple[int, ...]]:
    tried: list[tuple[int, ...]] = []

    def asked(events: tuple[int, ...]) -> bool:
        tried.append(events)
        return holds(set(events))

    result = reduce(range(1, count + 1), asked, strategy="segments")
    assert holds(set(result.items))
    return tried


def test_divide_and_conquer_goes_the_way_of_table_2() -> None:
    # Where one event is left, ours also asks whether none would do.
    assert tried_by(4, lambda events: 4 in events) == [(1, 2, 3, 4), (3, 4), (4,), ()]


def test_complement_goes_the_way_of_table_3() -> None:
    assert tried_by(8, lambda events: {3, 4, 7, 8} <= events) == [
        (1, 2, 3, 4, 5, 6, 7, 8),
        *[(5, 6, 7, 8), (1, 2, 3, 4)],
        *[(3, 4, 5, 6, 7, 8)],
        *[(3, 4, 7, 8)],
        *[(7, 8), (3, 4)],
        *[(4, 7, 8), (3, 7, 8), (3, 4, 8), (3, 4, 7)],
    ]


def test_events_that_are_not_neighbours_go_the_way_of_example_4() -> None:
    assert tried_by(4, lambda events: {1, 4} <= events) == [
        (1, 2, 3, 4),
        *[(3, 4), (1, 2)],
        *[(2, 3, 4), (1, 3, 4)],
        *[(1, 4)],
        *[(4,), (1,)],
    ]


def test_the_last_segment_has_the_odd_event() -> None:
    assert split_in_segments((1, 2, 3), 2) == [(1,), (2, 3)]
    assert split_in_segments((1, 2, 3, 4, 5), 3) == [(1,), (2, 3), (4, 5)]
