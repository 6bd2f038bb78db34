"""ddmin and the deletion of single items, on any sequence."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from reducing.recordings import EXAMPLE, THE_GOAL, numbers_of

from fewtaps.reducing.ddmin import complement, left_out, partition
from fewtaps.reducing.plan import reduce, reduce_trace


def test_ddmin_reduces_the_papers_example_in_no_more_trials_than_the_paper() -> None:
    # SimplyDroid counted 38 on the app itself; on the recording the verdicts of some parts differ.
    reduction = reduce_trace(EXAMPLE.trace, THE_GOAL, EXAMPLE.play, strategy="ddmin", plainer=False)
    assert numbers_of(reduction.trace) == (1, 22, 23, 36)
    assert reduction.runs == 31


def test_ddmin_finds_what_lies_far_apart() -> None:
    result = reduce(range(8), lambda items: {0, 6, 7} <= set(items), strategy="ddmin")
    assert result.items == (0, 6, 7)
    assert result.is_minimal


def test_parts_come_last_first_then_complements() -> None:
    tried: list[tuple[int, ...]] = []

    def holds(items: tuple[int, ...]) -> bool:
        tried.append(items)
        return len(items) == 4

    reduce(range(4), holds, strategy="ddmin")
    assert tried == [
        (0, 1, 2, 3),
        *[(2, 3), (0, 1)],
        *[(3,), (2,), (1,), (0,)],
        *[(0, 1, 3), (0, 2, 3), (1, 2, 3), (0, 1, 2)],
    ]


@given(st.lists(st.integers(), max_size=40), st.integers(1, 12))
def test_parts_are_of_one_size_and_lose_nothing(items: list[int], count: int) -> None:
    parts = partition(items, count)
    assert [item for part in parts for item in part] == items
    sizes = [len(part) for part in parts]
    assert len(parts) == count
    assert sizes == sorted(sizes, reverse=True)
    assert max(sizes) - min(sizes) <= 1


def test_the_part_with_the_crash_is_left_out_last() -> None:
    parts = [(1,), (2,), (3,)]
    assert [complement(parts, left_out(number, 3)) for number in range(3)] == [(1, 3), (2, 3), (1, 2)]


@given(st.sets(st.integers(0, 29), min_size=1, max_size=8))
def test_deleting_one_by_one_finds_a_second_need_after_a_first(needed: set[int]) -> None:
    result = reduce(range(30), lambda items: needed <= set(items))
    assert set(result.items) == needed
    assert result.is_minimal
