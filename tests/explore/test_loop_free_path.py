"""Ways without detours: what made no difference is left out, what might have is kept."""

from __future__ import annotations

from builders import screen, widget
from hypothesis import given
from hypothesis import strategies as st

from fewtaps.explore.loop_free_path import LoopFreePath
from fewtaps.model.coverage import Coverage, ProbeSet
from fewtaps.model.event import Event, Key, Launch, SystemEvent, Tap, Text
from fewtaps.model.screen import WidgetFlags
from fewtaps.model.trace import Step

NEW_CODE = Coverage(lines=ProbeSet.of([1]))


def taken(*steps: tuple[Event, str] | tuple[Event, str, Coverage], start: str = "A") -> list[Event]:
    """The brief way of a walk: each step is an event, the name of the screen it led to, and what it covered."""
    way = LoopFreePath()
    way.follow(Step(Launch(), after=screen(widget(start))))
    for event, shown, *covered in steps:
        way.follow(Step(event, after=screen(widget(shown)), covered=covered[0] if covered else Coverage()))
    return list(way.events)


A, B, C, D = (Key(name) for name in "ABCD")


def test_leaves_out_what_changes_nothing() -> None:
    assert taken((A, "A"), (B, "B"), (C, "B"), (D, "D")) == [B, D]


def test_leaves_out_detours() -> None:
    assert taken((A, "B"), (B, "C"), (C, "A"), (D, "D")) == [D]
    assert taken((A, "B"), (B, "C"), (C, "B"), (D, "D")) == [A, D]


def test_keeps_a_detour_that_ran_new_code() -> None:
    assert taken((A, "B", NEW_CODE), (B, "A"), (C, "C")) == [A, B, C]
    assert taken((A, "A", NEW_CODE), (B, "A"), (C, "C")) == [A, C]


def test_keeps_what_was_typed_and_what_the_system_did() -> None:
    typed, told = Text("x"), SystemEvent("low_memory")
    assert taken((typed, "A"), (told, "A"), (B, "B")) == [typed, told, B]


def test_a_detour_after_something_needed_is_still_one() -> None:
    assert taken((A, "B", NEW_CODE), (B, "C"), (C, "B"), (D, "D")) == [A, D]


def test_a_moved_focus_makes_a_difference() -> None:
    way = LoopFreePath()
    way.follow(Step(Launch(), after=screen(widget("A"))))
    way.follow(Step(A, after=screen(widget("A", flags=WidgetFlags.FOCUSED))))
    way.follow(Step(B, after=screen(widget("B"))))
    assert way.events == (A, B)


@given(st.lists(st.tuples(st.sampled_from("ABCDE"), st.booleans()), max_size=30))
def test_leads_through_the_same_screens_and_misses_nothing_new(walk: list[tuple[str, bool]]) -> None:
    """Played in an app in which each event leads to a fixed screen, the brief way ends where the long one did."""
    steps = [
        (Tap(number, 0), shown, NEW_CODE) if is_new else (Tap(number, 0), shown)
        for number, (shown, is_new) in enumerate(walk)
    ]
    brief = taken(*steps)
    events: list[Event] = [step[0] for step in steps]
    assert [event for event in events if event in brief] == brief, "a part of the long way, in its order"
    assert all(step[0] in brief for step in steps if len(step) == 3)
    assert (dict(zip(events, walk, strict=True))[brief[-1]][0] if brief else "A") == (walk[-1][0] if walk else "A")
