from __future__ import annotations

import json

import pytest
from builders import events
from hypothesis import given

from fewtaps.model.event import (
    EVENT_TYPES,
    KINDS,
    Event,
    Key,
    Launch,
    LongPress,
    Orientation,
    Pinch,
    Rotate,
    Selector,
    StartIntent,
    Swipe,
    SystemEvent,
    Tap,
    Text,
    Wait,
    describe,
    event_from_json,
    event_to_json,
    printable,
)


@given(events)
def test_every_event_survives_json(event: Event) -> None:
    assert event_from_json(json.loads(json.dumps(event_to_json(event)))) == event


@given(events)
def test_every_event_has_one_printable_line(event: Event) -> None:
    assert describe(event).isprintable()


def test_every_kind_has_its_own_name() -> None:
    assert len(KINDS) == len(EVENT_TYPES)


def test_fields_with_their_default_are_left_out() -> None:
    assert event_to_json(Swipe(1, 2, 3, 4)) == {"kind": "swipe", "x1": 1, "y1": 2, "x2": 3, "y2": 4}


def test_a_selector_is_written_in_the_words_of_the_trace_format() -> None:
    selector = Selector("com.a:id/ok", "android.widget.Button", "OK", "accept", (0, 1, 2))
    assert event_to_json(Tap(10, 20, selector))["selector"] == {
        "id": "com.a:id/ok",
        "class": "android.widget.Button",
        "text": "OK",
        "description": "accept",
        "path": [0, 1, 2],
    }


def test_null_is_the_same_as_absent() -> None:
    assert event_from_json({"kind": "tap", "x": 1, "y": 2, "selector": None}) == Tap(1, 2)


@pytest.mark.parametrize(
    ("record", "field"),
    [
        (None, "event"),
        ([], "event"),
        ({}, "kind"),
        ({"kind": "knock"}, "kind"),
        ({"kind": ["tap"]}, "kind"),
        ({"kind": "tap", "x": 1}, "y"),
        ({"kind": "tap", "x": "1", "y": 1}, "x"),
        ({"kind": "tap", "x": True, "y": 1}, "x"),
        ({"kind": "tap", "x": 1.5, "y": 1}, "x"),
        ({"kind": "tap", "x": 1, "y": 1, "z": 1}, "z"),
        ({"kind": "tap", "x": 1, "y": 1, "selector": "ok"}, "selector"),
        ({"kind": "tap", "x": 1, "y": 1, "selector": {"xpath": "//a"}}, "selector.xpath"),
        ({"kind": "tap", "x": 1, "y": 1, "selector": {"path": [0, "1"]}}, "selector.path"),
        ({"kind": "text", "text": 5}, "text"),
        ({"kind": "text", "text": "a", "replace": 1}, "replace"),
        ({"kind": "key", "name": "back"}, "name"),
        ({"kind": "rotate", "to": "sideways"}, "to"),
        ({"kind": "wait", "ms": -1}, "ms"),
        ({"kind": "wait", "ms": 1 << 31}, "ms"),
        ({"kind": "tap", "x": 1, "y": -(1 << 31) - 1}, "y"),
        ({"kind": "swipe", "x1": 0, "y1": 0, "x2": 9, "y2": 9, "duration_ms": -1}, "duration_ms"),
        ({"kind": "swipe", "x1": 0, "y1": 0, "x2": 9, "y2": 9, "hold_ms": -1}, "hold_ms"),
        ({"kind": "intent", "extras": {"a": []}}, "extras.a"),
        ({"kind": "intent", "categories": "a"}, "categories"),
        ({"kind": "system", "name": "locale", "arguments": {"to": 5}}, "arguments.to"),
    ],
)
def test_a_bad_field_is_named(record: object, field: str) -> None:
    with pytest.raises(ValueError, match=rf"^{field}: "):
        event_from_json(record)


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (Tap(1, 2, Selector(text="Split bill")), "Tap 'Split bill'"),
        (Tap(1, 2), "Tap (1, 2)"),
        (Tap(1, 2, Selector()), "Tap (1, 2)"),
        (Tap(1, 2, Selector(resource_id="com.a:id/ok")), "Tap #ok"),
        (LongPress(1, 2, Selector(description="More options")), "Long press 'More options'"),
        (Tap(1, 2, Selector(class_name="android.view.View", path=(0, 3))), "Tap the View at 0.3"),
        (Swipe(50, 200, 50, 20, selector=Selector(resource_id="a:id/list")), "Swipe #list up"),
        (Swipe(0, 0, 9, 0, hold_ms=600), "Drag (0, 0) to (9, 0)"),
        (Pinch(5, 5, 10, 90), "Pinch open at (5, 5)"),
        (Text("4", selector=Selector(resource_id="a:id/people")), "Type '4' in #people"),
        (Text("", replace=True), "Clear the field"),
        (Key("VOLUME_UP"), "Press Volume Up"),
        (Rotate("reverse_landscape"), "Rotate to reverse landscape"),
        (Wait(500), "Wait 500 ms"),
        (Launch(), "Launch"),
        (StartIntent("android.intent.action.VIEW", "geo:0,0"), "Start android.intent.action.VIEW geo:0,0"),
        (SystemEvent("airplane_mode", (("on", "true"),)), "System: airplane mode on=true"),
    ],
)
def test_an_event_reads_as_a_person_would_say_it(event: Event, line: str) -> None:
    assert describe(event) == line


def test_a_text_of_the_app_cannot_command_the_terminal() -> None:
    assert "\x1b" not in describe(Tap(1, 2, Selector(text="\x1b[2J\u202egotcha")))


def test_a_long_text_is_cut_without_looking_at_all_of_it() -> None:
    assert len(printable("a" * 10_000_000)) == 40
    assert printable("a" * 39) == "a" * 39
    assert printable(" a\n b ") == "a b"


@pytest.mark.parametrize(
    ("to", "is_landscape", "is_reversed"),
    [
        ("portrait", False, False),
        ("landscape", True, False),
        ("reverse_portrait", False, True),
        ("reverse_landscape", True, True),
    ],
)
def test_a_rotation_says_how_the_screen_is_held(to: Orientation, is_landscape: bool, is_reversed: bool) -> None:
    assert (Rotate(to).is_landscape, Rotate(to).is_reversed) == (is_landscape, is_reversed)
