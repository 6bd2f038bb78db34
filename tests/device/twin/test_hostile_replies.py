"""Replies that an app may have written: whatever they hold, reading them ends in a value or in a BridgeError."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fuzz.replies import GOOD, SCREEN, STEP, WIDGET, WINDOW, run_replies
from hypothesis import given
from hypothesis import strategies as st

from fewtaps.device.twin.protocol import parse_hello, parse_reply
from fewtaps.errors import BridgeError

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


@pytest.mark.slow
def test_damaged_replies_by_the_thousand_are_values_or_bridge_errors() -> None:
    """`make fuzz` reads 100,000."""
    assert [(each.case, each.error) for each in run_replies(seed=1, count=3000)] == []


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
