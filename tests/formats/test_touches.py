"""Single motion events are combined into gestures."""

from __future__ import annotations

import pytest

from fewtaps.formats.touches import CANCEL, DOWN, MOVE, POINTER_DOWN, POINTER_UP, SLOP_PX, UP, Fingers, pixel
from fewtaps.model.event import Event, LongPress, Pinch, Swipe, Tap

Motion = tuple[int, dict[int, tuple[float, float]], int | None]


def gestures(*motions: Motion) -> tuple[list[Event], list[str]]:
    losses: list[str] = []
    fingers = Fingers(losses.append)
    ended = [fingers.touch(*motion) for motion in motions]
    ended.append(fingers.lift())
    return [event for event in ended if event is not None], losses


def test_a_short_touch_is_a_tap_where_it_began() -> None:
    assert gestures((DOWN, {0: (5.9, 6.2)}, 0), (UP, {0: (90, 90)}, 100)) == ([Tap(5, 6)], [])


@pytest.mark.parametrize(("held", "event"), [(499, Tap(5, 6)), (500, LongPress(5, 6))])
def test_half_a_second_makes_a_long_press(held: int, event: Event) -> None:
    assert gestures((DOWN, {0: (5, 6)}, 1000), (UP, {0: (5, 6)}, 1000 + held)) == ([event], [])


def test_a_touch_without_times_is_never_a_long_press() -> None:
    assert gestures((DOWN, {0: (5, 6)}, None), (UP, {0: (5, 6)}, None)) == ([Tap(5, 6)], [])


@pytest.mark.parametrize(("far", "is_swipe"), [(SLOP_PX - 1, False), (SLOP_PX, True)])
def test_a_finger_swipes_from_the_slop_on(far: int, is_swipe: bool) -> None:
    (event,), _ = gestures((DOWN, {0: (0, 0)}, 0), (MOVE, {0: (far, 0)}, 50), (UP, {0: (far, 0)}, 80))
    assert event == (Swipe(0, 0, far, 0, duration_ms=80) if is_swipe else Tap(0, 0))


def test_a_rest_before_the_first_move_makes_a_drag() -> None:
    motions: list[Motion] = [(DOWN, {0: (0, 0)}, 0), (MOVE, {0: (90, 0)}, 700), (UP, {0: (90, 0)}, 900)]
    assert gestures(*motions) == ([Swipe(0, 0, 90, 0, duration_ms=200, hold_ms=700)], [])


def test_a_finger_that_returns_is_a_swipe_to_its_farthest_point() -> None:
    motions: list[Motion] = [
        (DOWN, {0: (0, 0)}, 0),
        (MOVE, {0: (90, 0)}, 50),
        (MOVE, {0: (2, 0)}, 90),
        (UP, {0: (2, 0)}, 100),
    ]
    assert gestures(*motions) == (
        [Swipe(0, 0, 90, 0, duration_ms=100)],
        ["a finger that goes there and back is said as going there"],
    )


def test_two_fingers_are_a_pinch_around_their_centre() -> None:
    motions: list[Motion] = [
        (DOWN, {0: (100, 100)}, 0),
        (POINTER_DOWN, {1: (200, 100)}, 10),
        (MOVE, {0: (50, 100), 1: (250, 100)}, 20),
        (POINTER_UP, {1: (250, 100)}, 30),
        (UP, {0: (50, 100)}, 40),
    ]
    assert gestures(*motions) == ([Pinch(150, 100, 100, 200)], [])


def test_a_third_finger_and_a_constant_distance_are_losses() -> None:
    motions: list[Motion] = [
        (DOWN, {0: (100, 100)}, 0),
        (POINTER_DOWN, {1: (200, 100), 2: (300, 100)}, 10),
        (UP, {0: (100, 100)}, 40),
    ]
    events, losses = gestures(*motions)
    assert events == [Pinch(150, 100, 100, 100)]
    assert losses == [
        "a gesture of more than two fingers is said as a pinch of the first two",
        "two fingers that keep their distance are said as a pinch that goes nowhere",
    ]


def test_a_cancelled_touch_gives_no_event() -> None:
    assert gestures((DOWN, {0: (5, 6)}, 0), (CANCEL, {0: (5, 6)}, 10)) == (
        [],
        ["a touch that was cancelled cannot be said in a trace"],
    )


def test_a_move_without_a_finger_down_gives_no_event() -> None:
    events, losses = gestures((MOVE, {0: (5, 6)}, 0), (UP, {0: (5, 6)}, 0))
    assert events == []
    assert losses == ["a finger moves or is lifted that was never put down"] * 2


def test_a_touch_without_an_end_is_ended_by_the_next_and_by_the_end_of_the_file() -> None:
    events, losses = gestures((DOWN, {0: (5, 6)}, 0), (DOWN, {0: (7, 8)}, 100))
    assert events == [Tap(5, 6), Tap(7, 8)]
    assert losses == ["the end of a touch is not recorded; it is taken to be where it was last seen"] * 2


def test_coordinates_stay_on_the_screen_and_within_32_bits() -> None:
    assert [pixel(value) for value in (-0.5, 3.99, 1e12)] == [0, 3, 2**31 - 1]
