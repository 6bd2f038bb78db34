from __future__ import annotations

from builders import events
from hypothesis import given
from hypothesis import strategies as st

from fewtaps.model.event import Event, Key, Selector, Tap, Text
from fewtaps.report.alignment import align

FIELD = Selector(resource_id="app:id/total")


def test_of_equal_events_the_last_is_taken_to_be_the_one_that_mattered() -> None:
    back, tap = Key("BACK"), Tap(1, 1)
    assert align([back, tap, back, tap], [back, tap]) == {2: 0, 3: 1}


def test_an_event_that_was_made_plainer_is_still_the_same() -> None:
    typed, cleared = Text("100 each", True, FIELD), Text("", True, FIELD)
    assert align([Key("BACK"), typed, Tap(1, 1)], [cleared, Tap(1, 1)]) == {1: 0, 2: 1}


def test_an_exact_match_is_preferred_to_a_similar_one() -> None:
    typed, cleared = Text("a", True, FIELD), Text("", True, FIELD)
    assert align([cleared, typed], [cleared]) == {0: 0}


def test_a_widget_that_shows_another_text_in_the_short_trace_is_still_the_same() -> None:
    typed = Text("1", False, Selector(resource_id="app:id/total", text="1050", path=(0, 3)))
    anew = Text("1", False, Selector(resource_id="app:id/total", text="", path=(0, 1)))
    other = Text("1", False, Selector(resource_id="app:id/name"))
    assert align([other, typed, Key("BACK")], [anew]) == {1: 0}


@given(st.lists(events, max_size=12), st.data())
def test_what_only_left_events_out_is_found_whole(original: list[Event], data: st.DataObject) -> None:
    kept = data.draw(st.lists(st.booleans(), min_size=len(original), max_size=len(original)))
    reduced = [event for event, keep in zip(original, kept, strict=True) if keep]
    matches = align(original, reduced)
    assert sorted(matches.values()) == list(range(len(reduced)))
    assert all(original[place] == reduced[other] for place, other in matches.items())
    assert list(matches) == sorted(matches, reverse=True)
