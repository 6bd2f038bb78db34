"""Recordings of real phones: every line of them is understood, and fits the phone of its profile."""

from __future__ import annotations

from collections import Counter

import pytest
from recordings import PHONES, RECORDINGS, Recording, iter_recordings

from fewtaps.model.event import Swipe, Tap

pytestmark = pytest.mark.skipif(not RECORDINGS.is_dir(), reason="the recordings are not beside this checkout")

ALL = tuple(iter_recordings())


def names(recording: Recording) -> str:
    return recording.name


def test_every_recorded_run_is_found() -> None:
    assert Counter(recording.app for recording in ALL) == {"Tippy": 9, "Dalvik": 11, "Chart": 8, "Yahtzee": 17}


@pytest.mark.parametrize("recording", ALL, ids=names)
def test_the_phone_told_of_every_event(recording: Recording) -> None:
    assert len(recording.fronts) == len(recording.events) > 0


@pytest.mark.parametrize("recording", ALL, ids=names)
def test_its_points_are_on_the_screen_of_its_profile(recording: Recording) -> None:
    profile = recording.profile
    long, short = max(profile.width, profile.height), min(profile.width, profile.height)
    for event in recording.events:
        match event:
            case Tap(x, y) | Swipe(x, y):
                # The last pixel is one less; a finger on the very edge is recorded as the edge.
                assert max(x, y) <= long and min(x, y) <= short, event


@pytest.mark.parametrize("app", [app for app, profile in PHONES.items() if profile == "mi1"])
def test_its_points_reach_the_edges_of_that_screen(app: str) -> None:
    """So that a smaller phone could not be the one; the edge of a large screen is rarely hit."""
    points = [
        (event.x, event.y)
        for recording in ALL
        if recording.app == app
        for event in recording.events
        if isinstance(event, Tap)
    ]
    profile = next(recording.profile for recording in ALL if recording.app == app)
    longest = max(max(point) for point in points)
    assert longest >= max(profile.width, profile.height) - 2


def test_the_papers_example_has_its_length() -> None:
    """Dalvik Explorer's first run: 36 events with the launch, ending in an intent for a map."""
    (example,) = (recording for recording in ALL if recording.name == "Dalvik/1")
    assert len(example.events) + 1 == 36
    assert example.exception == "android.content.ActivityNotFoundException"
    assert "dat=geo:5.55,0.0?z=7" in example.message
    assert not example.leaves_the_app


def test_only_charts_longer_runs_leave_the_app() -> None:
    leaving = [recording.name for recording in ALL if recording.leaves_the_app]
    assert leaving == [f"Chart/{number}" for number in range(2, 9)]
