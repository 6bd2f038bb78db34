"""Robo scripts: JSON with the actions of Firebase's reference, and nothing that Robo would fill in."""

from __future__ import annotations

import json
import re
from typing import Any

from exports.findings import finding
from exports.test_quoting import hostile
from hypothesis import example, given

from fewtaps.exports.roboscript import robo_script
from fewtaps.model.event import (
    DoubleTap,
    Event,
    Key,
    Launch,
    LongPress,
    Pinch,
    Rotate,
    Selector,
    Swipe,
    SystemEvent,
    Tap,
    Text,
    Wait,
)

NEEDS = {
    "VIEW_CLICKED": {"elementDescriptors"},
    "VIEW_LONG_CLICKED": {"elementDescriptors", "delayTime"},
    "VIEW_TEXT_CHANGED": {"elementDescriptors", "replacementText"},
    "ENTER_TEXT": {"elementDescriptors", "replacementText"},
    "POINT_TAP": {"pointTapXCoordinate", "pointTapYCoordinate"},
    "ONE_POINT_GESTURE": {"coordinates"},
    "TWO_POINT_GESTURE": {"coordinates"},
    "ADB_SHELL_COMMAND": {"command"},
    "WAIT": {"delayTime"},
    "PRESSED_BACK": set(),
    "GO_HOME": set(),
    "TERMINATE_CRAWL": set(),
}
FIELD = Selector(resource_id="dev.example:id/field")


def actions(*events: Event) -> list[dict[str, Any]]:
    """The actions of a script, without what describes them, each checked against the reference."""
    (script,) = json.loads(robo_script(finding(*events)).text)
    assert script["contextDescriptor"] == {"condition": "app_under_test_shown"}
    for action in script["actions"]:
        assert action.pop("description")
        assert NEEDS[action["eventType"]] <= set(action) <= NEEDS[action["eventType"]] | {"eventType", "dragAndDrop"}
    assert script["actions"][-1] == {"eventType": "TERMINATE_CRAWL"}
    return list(script["actions"][:-1])


def test_widgets_are_named_and_only_those_without_a_name_are_pointed_at() -> None:
    go = Selector(resource_id="dev.example:id/go", description="Go")
    assert actions(Tap(1, 2, go), LongPress(1, 2, Selector(text="A.")), Tap(1, 2)) == [
        {
            "eventType": "VIEW_CLICKED",
            "elementDescriptors": [{"resourceId": "dev.example:id/go", "contentDescription": "Go"}],
        },
        {"eventType": "VIEW_LONG_CLICKED", "elementDescriptors": [{"textRegex": "(?i)A\\."}], "delayTime": 1000},
        {"eventType": "POINT_TAP", "pointTapXCoordinate": 1, "pointTapYCoordinate": 2},
    ]


def test_everything_else_that_robo_can_say() -> None:
    found = actions(
        DoubleTap(1, 2),
        Swipe(1, 2, 3, 4, hold_ms=500),
        Pinch(50, 50, 10, 40),
        Text("a b", replace=True, selector=FIELD),
        Text("a\n", selector=FIELD),
        Text("it's"),
        Key("BACK"),
        Key("HOME"),
        Key("A"),
        Rotate("landscape"),
        Wait(5),
        Launch(),
    )
    assert [action["eventType"] for action in found] == [
        *("POINT_TAP", "POINT_TAP", "ONE_POINT_GESTURE", "TWO_POINT_GESTURE", "VIEW_TEXT_CHANGED", "ENTER_TEXT"),
        *("ADB_SHELL_COMMAND", "PRESSED_BACK", "GO_HOME", "ADB_SHELL_COMMAND", "ADB_SHELL_COMMAND", "WAIT"),
        "ADB_SHELL_COMMAND",
    ]
    assert found[2]["dragAndDrop"] is True
    assert found[3]["coordinates"] == "(45,50)->(30,50),(55,50)->(70,50)"
    assert found[-1]["command"].endswith(" dev.example")


def test_what_robo_cannot_say_is_told() -> None:
    losses = robo_script(
        finding(DoubleTap(1, 2), SystemEvent("low_memory"), Text("é"), Text("x", selector=FIELD))
    ).losses
    assert len(losses) == 4


@given(hostile)
@example("__%APP_PACKAGE_NAME%__")
@example("_____%X%__")
def test_whatever_the_app_says_stays_a_text(text: str) -> None:
    found = finding(Tap(1, 2, Selector(description=text or "x")), Text(text, replace=True, selector=FIELD))
    written = robo_script(found).text
    assert "__%" not in written
    (script,) = json.loads(written)
    assert script["actions"][0]["elementDescriptors"] == [{"contentDescription": text or "x"}]
    assert script["actions"][1]["replacementText"] == text.removesuffix("\n")
    assert not re.search(r"[^\x20-\x7e\n]", written)
