"""Plainer events in the place of those that are left."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from builders import APP, events, screen, trace, widget
from hypothesis import given
from reducing.recordings import THE_CRASH, THE_GOAL

from fewtaps.model.ending import Ending
from fewtaps.model.event import DoubleTap, Event, Launch, LongPress, Pinch, Selector, Swipe, Tap, Text, Wait
from fewtaps.model.screen import Screen
from fewtaps.model.trace import Step, Trace
from fewtaps.reducing.plan import reduce_trace
from fewtaps.reducing.simplify import weight

MAIN = screen(widget("Go", resource_id="app:id/go"), widget("Stop", resource_id="app:id/stop"))
GO = Selector("app:id/go", "android.widget.Button", "Go", None, (0, 0))


def simplified(event: Event, crashes: Callable[[Event], bool], before: Screen = MAIN) -> Event:
    """What is left of an event on an app that crashes by any event for which this holds."""

    def play(candidates: Sequence[tuple[Event, ...]]) -> list[Trace]:
        return [play_one(each) for each in candidates]

    def play_one(played: tuple[Event, ...]) -> Trace:
        steps = [Step(Launch(), after=before)]
        for each in played[1:]:
            crashed = crashes(each)
            steps.append(
                Step(each, after=before) if not crashed else Step(each, crash=THE_CRASH, ending=Ending.CRASHED)
            )
            if crashed:
                break
        return Trace(APP, tuple(steps))

    reduction = reduce_trace(trace(event), THE_GOAL, play)
    assert len(reduction.trace.events) == 2
    assert reduction.is_minimal
    left = reduction.trace.events[1]
    assert reduction.simplified == (left != event)
    return left


@pytest.mark.parametrize(
    "gesture", [LongPress(20, 20), DoubleTap(20, 20), Swipe(20, 20, 90, 90), Pinch(20, 20, 10, 90)]
)
def test_a_gesture_becomes_a_tap_on_a_named_widget(gesture: Event) -> None:
    assert simplified(gesture, lambda event: True) == Tap(50, 25, GO)


def test_a_gesture_that_is_needed_stays_one() -> None:
    assert simplified(LongPress(20, 20), lambda event: isinstance(event, LongPress)) == LongPress(50, 25, GO)


def test_the_place_stays_where_it_matters() -> None:
    assert simplified(Tap(7, 9), lambda event: isinstance(event, Tap) and event.x == 7) == Tap(7, 9, GO)


def test_bare_coordinates_stay_where_the_screen_shows_nothing() -> None:
    assert simplified(Tap(7, 199), lambda event: True) == Tap(7, 199)


def test_an_unusual_swipe_becomes_a_usual_one() -> None:
    slow = Swipe(20, 20, 90, 90, duration_ms=2000, hold_ms=500)
    left = simplified(slow, lambda event: isinstance(event, Swipe))
    assert left == Swipe(20, 20, 90, 90, selector=GO)
    drag = simplified(slow, lambda event: isinstance(event, Swipe) and event.hold_ms > 0)
    assert drag == Swipe(20, 20, 90, 90, hold_ms=500, selector=GO)


def test_a_wait_becomes_the_usual_one() -> None:
    assert simplified(Wait(7331), lambda event: isinstance(event, Wait)) == Wait(1000)
    assert simplified(Wait(7331), lambda event: isinstance(event, Wait) and event.ms > 5000) == Wait(7331)


def test_a_text_loses_what_is_not_needed() -> None:
    left = simplified(Text("a long 'story' with 0"), lambda event: isinstance(event, Text) and "'" in event.text)
    assert left == Text("'")
    both = simplified(Text("x0yz-1w", replace=True), lambda event: isinstance(event, Text) and {*"0-"} <= {*event.text})
    assert both == Text("0-")


def test_a_very_long_text_is_shortened_in_few_runs() -> None:
    asked = []

    def crashes(event: Event) -> bool:
        asked.append(event)
        return isinstance(event, Text) and event.text.count("x") >= 1000

    left = simplified(Text("x" * 50_000), crashes)
    assert isinstance(left, Text)
    assert 1000 <= len(left.text) <= 1100
    assert len(asked) < 200


@given(events)
def test_no_event_weighs_less_than_nothing(event: Event) -> None:
    assert weight(event) >= 0
