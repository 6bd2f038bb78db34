"""Replies that an app may have written: whatever they hold, reading them ends in a value or in a BridgeError."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fewtaps.device.twin.protocol import (
    SeenScreens,
    parse_decisions,
    parse_execution,
    parse_hello,
    parse_listening,
    parse_opened,
    parse_played,
    parse_png,
    parse_probes,
    parse_reply,
)
from fewtaps.device.twin.recording import parse_code
from fewtaps.errors import BridgeError
from fewtaps.model.event import Tap
from fewtaps.model.screen import UNSEEN

Reader = Callable[[Mapping[str, Any]], object]

WIDGET = {"class": "android.widget.Button", "bounds": [0, 0, 9, 9], "flags": "ce", "text": "OK", "children": []}
WINDOW = {"title": "a", "kind": "activity", "focused": True, "touchable": True, "root": WIDGET}
SCREEN = {"package": "a", "activity": "a.B", "width": 9, "height": 9, "rotation": 0, "windows": [WINDOW]}
FRAMES = [["a.B", "c", "B.java", 3]]
CRASH = {"kind": "exception", "thread": "main", "exceptions": [{"type": "x.Y", "message": "m", "frames": FRAMES}]}
STEP = {
    "screen": SCREEN,
    "number": 0,
    "new": {"branches": [1, [3, 5]], "lines": [2], "methods": []},
    "ran": {"branches": [[1, 5]], "lines": [2], "methods": [4]},
    "asked_world": True,
    "log": ["a"],
    "crash": CRASH,
    "ending": "crashed",
    "notes": [],
    "clock_ms": 5,
    "fatal": False,
}
PROBES = {
    "classes": [
        {
            "name": "a.B",
            "file": "B.java",
            "methods": [[0, "c", "()V", 1]],
            "lines": [[0, 1]],
            "branches": [[0, 1, 0]],
        }
    ]
}
METHOD = {
    "name": "c",
    "desc": "(I)V",
    "access": 1,
    "first": 7,
    "outside": True,
    "params": ["this", "I"],
    "code": [
        ["load", 3, [[-2]], {"local": 1, "name": "x"}, "", ""],
        ["switch", 4, [[0]], {"keys": [1, 2]}, "", ""],
        ["call", 5, [[0]], {"kind": "static", "class": "a.C", "name": "d", "desc": "()V", "beyond": True}, "n", "ov"],
        ["return", 6, [], {}, "", ""],
    ],
    "blocks": [[0, 1, [1, 2], []], [2, 2, [2], [2]], [3, 3, [-1], []]],
}
CODE = {"classes": [{"name": "a.B", "super": "a.A", "interfaces": ["a.I"], "app": True, "methods": [METHOD]}]}
GOOD: dict[str, tuple[dict[str, Any], Reader]] = {
    "step": (STEP, lambda result: parse_played(result, Tap(1, 2), UNSEEN, SeenScreens())),
    "open": ({"package": "a", "main": "a.B", "classes": 3, "notes": ["n"]}, parse_opened),
    "probes": (PROBES, parse_probes),
    "decisions": ({"decisions": [["work", 1, 2]]}, parse_decisions),
    "listening": ({"actions": ["a"]}, parse_listening),
    "png": ({"png": "AAAA"}, parse_png),
    "execution": ({"data": "AAAA"}, parse_execution),
    "code": (CODE, parse_code),
}

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.just("x" * 5000),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@st.composite
def spoilt(draw: st.DrawFn, record: dict[str, Any]) -> dict[str, Any]:
    """The record with some values at any depth replaced, removed or added."""
    copy: dict[str, Any] = json.loads(json.dumps(record))
    for _ in range(draw(st.integers(1, 3))):
        place: Any = copy
        while True:
            keys: list[Any] = list(place) if isinstance(place, dict) else list(range(len(place)))
            if not keys:
                break
            key = draw(st.sampled_from(keys))
            if isinstance(place[key], dict | list) and place[key] and draw(st.booleans()):
                place = place[key]
                continue
            if draw(st.integers(0, 3)) == 0:
                del place[key]
            else:
                place[key] = draw(json_values)
            break
    return copy


@pytest.mark.parametrize("kind", GOOD)
def test_the_unspoilt_reply_is_read(kind: str) -> None:
    record, read = GOOD[kind]
    read(record)


@pytest.mark.parametrize("kind", GOOD)
@given(data=st.data())
def test_a_spoilt_reply_is_a_value_or_a_bridge_error(kind: str, data: st.DataObject) -> None:
    record, read = GOOD[kind]
    # Through text, as it comes: NaN, infinities and huge numbers included.
    received = json.loads(json.dumps(data.draw(spoilt(record))))
    try:
        read(received)
    except BridgeError as error:
        assert len(str(error)) < 600


@given(json_values)
def test_any_record_with_the_right_number_is_a_reply_or_a_bridge_error(value: object) -> None:
    line = b'{"id":7,' + json.dumps({"ok": value})[1:].encode()
    try:
        reply = parse_reply(line, 7)
    except BridgeError:
        return
    assert reply is None or isinstance(reply.result, dict)


@given(st.binary(max_size=200))
def test_any_bytes_are_no_reply_and_no_greeting(noise: bytes) -> None:
    assert parse_reply(noise, 7) is None
    assert parse_hello(noise) is None


def test_a_reply_nested_beyond_reading_is_passed_over() -> None:
    deep = b'{"id":7,"ok":' + b"[" * 200_000 + b"]" * 200_000 + b"}"
    assert parse_reply(deep, 7) is None


def test_a_screen_nested_deeply_is_a_value_or_a_bridge_error() -> None:
    widget: dict[str, Any] = dict(WIDGET)
    for _ in range(900):
        widget = {**WIDGET, "children": [widget]}
    step = {**STEP, "screen": {**SCREEN, "windows": [{**WINDOW, "root": widget}]}}
    try:
        GOOD["step"][1](step)
    except BridgeError as error:
        assert "malformed step" in str(error)
