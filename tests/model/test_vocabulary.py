"""The names of keys and system events are those that the twin knows, and no others pass."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fewtaps.model.event import Event, Key, SystemEvent, Tap
from fewtaps.model.vocabulary import KEY_NAMES, SYSTEM_EVENTS, check_names

BRIDGE = Path(__file__).resolve().parents[2] / "bridge/src/main/java/dev/fewtaps/twin/inside"


def test_the_bridge_knows_the_same_system_events() -> None:
    source = (BRIDGE / "SystemEvents.java").read_text()
    assert set(re.findall(r'(?:Map\.entry\(|case )"(\w+)"', source)) == SYSTEM_EVENTS


@pytest.mark.parametrize("event", [Tap(1, 2), Key("BACK"), Key("0"), SystemEvent("locale"), SystemEvent("broadcast")])
def test_what_is_known_passes(event: Event) -> None:
    assert check_names(event) is event


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        (Key("BAKC"), "name: Android has no key 'BAKC'"),
        (Key("KEYCODE_BACK"), "name: Android has no key 'KEYCODE_BACK'"),
        (SystemEvent("nonsense"), "name: not a system event: 'nonsense'"),
    ],
)
def test_what_is_unknown_is_named(event: Event, reason: str) -> None:
    with pytest.raises(ValueError, match=re.escape(reason)):
        check_names(event)


def test_every_key_name_can_be_written() -> None:
    assert {Key(name).name for name in KEY_NAMES} == KEY_NAMES
