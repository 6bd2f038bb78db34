"""How the time of a run is shared, and when exploring has nothing more to show."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fewtaps.pipeline.stall import StallDetector
from fewtaps.pipeline.time_shares import (
    CRASH_SHARE,
    LEAST_SUITE_SECONDS,
    MOST_REPORT_SECONDS,
    REPORT_SHARE,
    SLICE_SECONDS,
    SLICES_SHARE,
    TimeShares,
)
from fewtaps.store.rows import Growth


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def started(seconds: float, clock: Clock) -> TimeShares:
    """The shares of a run that has so many seconds for its work, the report aside."""
    shares = TimeShares(with_report(seconds), clock)
    shares.start()
    return shares


def with_report(seconds: float) -> float:
    """So many seconds for the work, and what is kept for the report."""
    return max(seconds / (1 - REPORT_SHARE), 0) if seconds <= 114 else seconds + MOST_REPORT_SECONDS


def test_the_start_of_a_device_is_part_of_the_time(clock: Clock) -> None:
    shares = TimeShares(306, clock, makes_suite=True)
    assert shares.left == 300 - 45
    clock.now += 7
    shares.start(7)
    clock.now += 10
    shares.start(99)
    assert shares.spent == 17 and shares.least_for_suite == 7 + LEAST_SUITE_SECONDS


def test_the_time_for_the_report_is_used_by_nothing_else(clock: Clock) -> None:
    assert TimeShares(20, clock).left == 20 * (1 - REPORT_SHARE)
    assert TimeShares(3600, clock).left == 3600 - MOST_REPORT_SECONDS


def test_a_hang_at_the_end_of_exploring_leaves_half_of_what_is_kept_for_the_end(clock: Clock) -> None:
    shares = started(300, clock)
    clock.now += 270
    assert shares.is_late and shares.for_exploring == 15


def test_without_crashes_exploring_gets_all_but_what_is_kept_for_the_end(clock: Clock) -> None:
    shares = started(300, clock)
    clock.now += 269
    assert shares.may_explore(waiting=0)
    clock.now += 2
    assert not shares.may_explore(waiting=0)
    assert shares.is_late


def test_slices_are_made_at_the_end_and_have_some_time_kept_for_them(clock: Clock) -> None:
    shares = started(300, clock)
    shares.unsliced = 3
    assert shares.kept == 30 + 3 * SLICE_SECONDS
    shares.unsliced = 100
    assert shares.kept == 30 + 300 * SLICES_SHARE
    clock.now += 241
    assert not shares.may_explore(waiting=0)


def test_crashes_that_wait_end_exploring_earlier(clock: Clock) -> None:
    shares = started(300, clock)
    clock.now += 181
    assert shares.may_explore(waiting=0)
    assert not shares.may_explore(waiting=1)


def test_one_crash_takes_no_more_than_its_share_at_once(clock: Clock) -> None:
    shares = started(800, clock)
    assert shares.for_new_crash() == 800 * CRASH_SHARE
    clock.now += 735
    assert shares.for_new_crash() == 5
    clock.now += 60
    assert shares.for_new_crash() == 0


def test_crashes_leave_half_of_the_time_to_exploring(clock: Clock) -> None:
    shares = started(300, clock)
    clock.now += 30
    shares.spend_on_crash(16)
    assert not shares.may_interrupt
    clock.now += 2
    assert shares.may_interrupt


def test_those_that_wait_share_what_is_left(clock: Clock) -> None:
    shares = started(300, clock)
    clock.now += 180
    assert shares.for_waiting(3, keep=True) == 30
    assert shares.for_waiting(3, keep=False) == 40


@given(st.floats(0.001, 1e6), st.lists(st.floats(0, 1e6), max_size=5), st.integers(0, 50))
def test_no_share_is_less_than_nothing_or_more_than_what_is_left(
    seconds: float, passing: list[float], waiting: int
) -> None:
    clock = Clock()
    shares = started(seconds, clock)
    for each in passing:
        clock.now += each
        for share in (
            shares.for_new_crash(),
            *(shares.for_waiting(waiting, keep=keep) for keep in (True, False)),
        ):
            assert 0 <= share <= shares.left <= seconds * 1.000001


def test_there_is_a_stall_after_so_many_events_without_news() -> None:
    stall = StallDetector(100)
    stall.note(10, 5, 2, 0)
    stall.note(109, 5, 2, 0)
    assert not stall.is_stalled
    stall.note(110, 5, 2, 0)
    assert stall.is_stalled
    assert stall.quiet_events == 100


@pytest.mark.parametrize("news", [(6, 2, 0), (5, 3, 0), (5, 2, 1)])
def test_a_line_a_branch_or_a_crash_is_news(news: tuple[int, int, int]) -> None:
    stall = StallDetector(100)
    stall.note(10, 5, 2, 0)
    stall.note(100, *news)
    stall.note(150, *news)
    assert stall.quiet_events == 50


def test_an_app_that_took_long_is_given_long() -> None:
    stall = StallDetector(100)
    stall.note(1000, 5, 2, 0)
    stall.note(2900, 5, 2, 0)
    assert not stall.is_stalled
    stall.note(3000, 5, 2, 0)
    assert stall.is_stalled


def test_no_patience_at_all_is_endless_patience() -> None:
    stall = StallDetector(0)
    stall.note(1, 5, 2, 0)
    stall.note(10**9, 5, 2, 0)
    assert not stall.is_stalled


def test_what_earlier_parts_found_is_no_news() -> None:
    stall = StallDetector(100)
    stall.remember([Growth(1.0, 50, 5, 2, 1), Growth(2.0, 90, 6, 2, 1), Growth(3.0, 170, 6, 2, 1)])
    stall.note(180, 4, 1, 0)
    assert stall.quiet_events == 90


def test_the_suite_gets_the_last_share_and_nothing_else_uses_it(clock: Clock) -> None:
    shares = TimeShares(with_report(1000), clock, makes_suite=True)
    shares.start(device_seconds=10)
    assert shares.kept_for_suite == 150
    clock.now += 789
    assert shares.may_explore(waiting=0)
    clock.now += 2
    assert not shares.may_explore(waiting=0)
    clock.now += 58
    assert shares.for_waiting(1, keep=False) == 1
    clock.now += 1
    assert shares.for_waiting(1, keep=False) == 0
    assert shares.for_suite == 150


def test_a_suite_that_its_share_is_too_short_for_gets_none_and_leaves_the_time_to_the_others(clock: Clock) -> None:
    shares = TimeShares(with_report(60), clock, makes_suite=True)
    shares.start(device_seconds=16)
    assert shares.kept_for_suite == 0
    assert shares.left == pytest.approx(60)
    assert shares.for_suite == pytest.approx(60)
    clock.now += 50
    assert shares.for_suite == 0


def test_the_suite_of_a_short_run_is_kept_more_where_devices_start_slowly(clock: Clock) -> None:
    shares = TimeShares(with_report(60), clock, makes_suite=True)
    shares.start(device_seconds=6)
    assert shares.kept_for_suite == pytest.approx(18)
    assert shares.left == pytest.approx(42)


def test_the_suite_of_a_long_run_is_kept_ten_minutes_at_most(clock: Clock) -> None:
    assert TimeShares(24 * 3600, clock, makes_suite=True).kept_for_suite == 600
