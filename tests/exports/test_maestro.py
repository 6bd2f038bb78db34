"""Maestro flows: valid YAML of commands that Maestro has, and no text of the app that means more than itself."""

from __future__ import annotations

import re
from typing import Any

import yaml
from exports.findings import finding
from exports.test_quoting import hostile, maestro_reads
from hypothesis import given

from fewtaps.exports.finding import Finding
from fewtaps.exports.maestro import maestro_flow
from fewtaps.model.event import (
    DoubleTap,
    Event,
    Key,
    Launch,
    LongPress,
    Pinch,
    Rotate,
    Selector,
    StartIntent,
    Swipe,
    SystemEvent,
    Tap,
    Text,
    Wait,
)

COMMANDS = {
    *("launchApp", "tapOn", "longPressOn", "doubleTapOn", "swipe", "inputText", "eraseText", "pressKey", "back"),
    "killApp",
    *("setOrientation", "extendedWaitUntil", "openLink", "setAirplaneMode", "assertVisible", "assertNotVisible"),
}


def read_flow(text: str) -> tuple[dict[str, Any], list[tuple[str, Any]]]:
    """The head of a flow and its commands, each as its name and what it is given."""
    head, commands = yaml.safe_load_all(text)
    named = [(each, None) if isinstance(each, str) else next(iter(each.items())) for each in commands]
    assert {name for name, _ in named} <= COMMANDS
    return head, named


def flow(*events: Event) -> list[tuple[str, Any]]:
    return read_flow(maestro_flow(finding(*events)).text)[1]


def test_a_flow_names_its_app_and_begins_with_a_new_one() -> None:
    head, commands = read_flow(maestro_flow(finding(Tap(540, 960))).text)
    assert head == {"appId": "dev.example", "name": "ArithmeticExceptionInSplit"}
    assert commands[0] == ("launchApp", {"clearState": True})


def test_widgets_are_named_and_only_those_without_a_name_are_pointed_at() -> None:
    assert flow(Tap(1, 2, Selector(resource_id="dev.example:id/a.b")))[1] == ("tapOn", {"id": "dev.example:id/a.b"})
    assert flow(LongPress(1, 2, Selector(text="OK?")))[1] == ("longPressOn", {"text": "OK\\?"})
    assert flow(DoubleTap(1, 2, Selector(description="Menu")))[1] == ("doubleTapOn", {"text": "Menu"})
    assert flow(Tap(540, 480))[1] == ("tapOn", {"point": "50%,25%"})


def test_places_are_parts_of_the_screen_as_it_is_turned() -> None:
    assert flow(Rotate("landscape"), Tap(960, 540))[2] == ("tapOn", {"point": "50%,50%"})


def test_everything_else_that_maestro_can_say() -> None:
    commands = flow(
        Swipe(540, 1920, 540, 0, 300),
        Text("hello\n", replace=True),
        Key("BACK"),
        Key("ENTER"),
        Wait(1500),
        StartIntent("android.intent.action.VIEW", "app://x"),
        SystemEvent("airplane_mode", (("state", "true"),)),
        Launch(),
        SystemEvent("process_death"),
    )
    assert commands[1] == ("swipe", {"start": "50%,100%", "end": "50%,0%", "duration": 300})
    assert commands[2:5] == [("eraseText", 50), ("inputText", "hello"), ("pressKey", "Enter")]
    assert commands[5:7] == [("back", None), ("pressKey", "Enter")]
    assert commands[7][1]["timeout"] == 1500 and commands[7][1]["optional"] is True
    assert commands[8:11] == [
        ("openLink", "app://x"),
        ("setAirplaneMode", "enabled"),
        ("launchApp", {"stopApp": False}),
    ]
    assert commands[11:14] == [("pressKey", "Home"), ("killApp", None), ("launchApp", {"stopApp": False})]


def test_a_flow_ends_with_a_look_whether_the_app_is_still_there() -> None:
    assert flow(Tap(1, 2, Selector(resource_id="dev.example:id/go")))[-2:] == [
        ("assertNotVisible", {"id": "android:id/aerr_.*"}),
        ("assertVisible", {"id": "dev.example:id/.*"}),
    ]


def test_what_maestro_cannot_say_is_told() -> None:
    cannot = finding(Pinch(1, 2, 3, 4), Key("A"), SystemEvent("low_memory"), StartIntent("a"), Swipe(1, 2, 3, 4, 5, 6))
    losses = maestro_flow(cannot).losses
    assert [remark.partition(":")[0] for remark in losses] == [f"step {number}" for number in range(1, 6)]


@given(hostile)
def test_whatever_the_app_says_stays_a_text(text: str) -> None:
    named: Finding = finding(Tap(1, 2, Selector(text=text or "x")), Text(text or "x"), StartIntent(data=text))
    _, commands = read_flow(maestro_flow(named).text)
    pattern = commands[1][1]["text"]
    assert maestro_reads(pattern) == pattern, "a script in a pattern"
    assert re.fullmatch(pattern, text or "x")
    typed = [given for name, given in commands if name == "inputText"]
    assert "".join(map(maestro_reads, typed)) == (text or "x").removesuffix("\n")
