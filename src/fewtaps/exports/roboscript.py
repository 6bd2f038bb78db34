"""A Robo script: JSON for Firebase Test Lab's Robo test, which starts the app and then plays the script."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from typing import Any

from fewtaps.exports.finding import Exported, Finding
from fewtaps.exports.quoting import java_pattern
from fewtaps.exports.targets import WidgetTarget, target_of
from fewtaps.formats.adbwriter import LAUNCHER, intent_commands, system_commands
from fewtaps.formats.export_support import NOT_SEEN, typed
from fewtaps.formats.keycodes import KEY_CODES
from fewtaps.formats.losses import AddLoss, Losses
from fewtaps.formats.monkeyscript import TURNS
from fewtaps.model.event import (
    DoubleTap,
    Key,
    Launch,
    LongPress,
    Pinch,
    Rotate,
    StartIntent,
    Swipe,
    SystemEvent,
    Tap,
    Text,
    Wait,
)
from fewtaps.model.told import describe_step
from fewtaps.model.trace import Step

CLICKS = {Tap: "VIEW_CLICKED", LongPress: "VIEW_LONG_CLICKED", DoubleTap: "VIEW_CLICKED"}
LONG_PRESS_MS = 1000

Action = dict[str, Any]


def robo_script(finding: Finding) -> Exported:
    """The script. It ends the crawl after the last step, so that no other crash is reported in place of this one."""
    losses = Losses("step")
    actions: list[Action] = []
    for number, step in enumerate(finding.trace.steps):
        add_loss = losses.at(number)
        said = f"{number}. {describe_step(step)}"
        actions.extend({"description": said} | action for action in _actions(step, number == 0, finding, add_loss))
    actions.append({"description": "The end of the steps", "eventType": "TERMINATE_CRAWL"})
    script = {
        "id": 1,
        "description": "; ".join(finding.provenance),
        "crawlStage": "crawl",
        "contextDescriptor": {"condition": "app_under_test_shown"},
        "actions": actions,
    }
    return Exported(json_text([script]), losses.lines())


def json_text(document: object) -> str:
    """The document as JSON without the placeholders that Robo would replace before it reads the JSON."""
    return json.dumps(document, indent=2).replace("__%", "\\u005f\\u005f%") + "\n"


def _actions(step: Step, is_first: bool, finding: Finding, add_loss: AddLoss) -> Iterator[Action]:
    event = step.event
    match event:
        case Launch():
            if not is_first:
                yield _shell(f"am start {LAUNCHER} {shlex.quote(finding.app.package)}")
        case Tap() | LongPress() | DoubleTap():
            yield from _touch(step, event, add_loss)
        case Swipe(x1, y1, x2, y2):
            gesture: Action = {"eventType": "ONE_POINT_GESTURE", "coordinates": f"({x1},{y1})->({x2},{y2})"}
            yield gesture | ({"dragAndDrop": True} if event.hold_ms else {})
        case Pinch(from_span=start, to_span=end):
            point = target_of(step).point
            if point is None:
                add_loss(NOT_SEEN)
            else:
                yield {"eventType": "TWO_POINT_GESTURE", "coordinates": _pinch(*point, start, end)}
        case Text():
            yield from _text(step, event, add_loss)
        case Key(name):
            yield from _key(name, add_loss)
        case Rotate(to):
            turn = f"settings put system user_rotation {TURNS.index(to)}"
            yield _shell(f"settings put system accelerometer_rotation 0; {turn}")
        case Wait(ms):
            yield {"eventType": "WAIT", "delayTime": ms}
        case StartIntent():
            yield from map(_shell, intent_commands(event, add_loss))
        case SystemEvent():
            commands = list(system_commands(event, finding.app.package))
            yield from map(_shell, commands)
            if not commands:
                add_loss(f"an event of the system ({event.name}) cannot be said in a Robo script")


def _shell(command: str) -> Action:
    return {"eventType": "ADB_SHELL_COMMAND", "command": command}


def _touch(step: Step, event: Tap | LongPress | DoubleTap, add_loss: AddLoss) -> Iterator[Action]:
    target = target_of(step).on_phone
    if target.is_nowhere:
        add_loss(NOT_SEEN)
        return
    if isinstance(event, DoubleTap):
        add_loss("the time between the taps of a double tap cannot be said in a Robo script; it has two taps")
    if target.nth:
        add_loss(
            "several widgets have the same names, and which of them cannot be said in a Robo script; it goes by place"
        )
    by_place = not target.has_name or (target.nth > 0 and target.point is not None)
    action = _at(target.point, event) if by_place and target.point is not None else _on(target, event)
    yield from (action,) * (2 if isinstance(event, DoubleTap) else 1)


def _at(point: tuple[int, int], event: Tap | LongPress | DoubleTap) -> Action:
    x, y = point
    if isinstance(event, LongPress):
        return _shell(f"input swipe {x} {y} {x} {y} {LONG_PRESS_MS}")
    return {"eventType": "POINT_TAP", "pointTapXCoordinate": x, "pointTapYCoordinate": y}


def _on(target: WidgetTarget, event: Tap | LongPress | DoubleTap) -> Action:
    action: Action = {"eventType": CLICKS[type(event)], "elementDescriptors": [_descriptor(target)]}
    return action | ({"delayTime": LONG_PRESS_MS} if isinstance(event, LongPress) else {})


def _descriptor(target: WidgetTarget) -> dict[str, str]:
    # A phone may show a button's text in capitals.
    pattern = f"(?i){java_pattern(target.text)}" if target.text else None
    names = (
        ("resourceId", target.resource_id),
        ("textRegex", pattern),
        ("contentDescription", target.description),
        ("className", target.class_name),
    )
    return {name: value for name, value in names if value}


def _text(step: Step, event: Text, add_loss: AddLoss) -> Iterator[Action]:
    target = target_of(step).on_phone if event.selector is not None else WidgetTarget()
    text = event.text.removesuffix("\n")
    if target.has_name:
        if not event.replace:
            add_loss("a Robo script replaces what is in a field; it cannot add to it")
        kind = "ENTER_TEXT" if text != event.text else "VIEW_TEXT_CHANGED"
        yield {"eventType": kind, "replacementText": text, "elementDescriptors": [_descriptor(target)]}
        return
    argument = typed(text)
    if text and argument is None:
        add_loss("text for a field without a name can be ASCII only in a Robo script")
        return
    if event.replace:
        add_loss("emptying a field without a name cannot be said in a Robo script; the text is added")
    if argument is not None:
        yield _shell(f"input text {shlex.quote(argument)}")
    if text != event.text:
        yield _shell("input keyevent KEYCODE_ENTER")


def _key(name: str, add_loss: AddLoss) -> Iterator[Action]:
    if name == "BACK":
        yield {"eventType": "PRESSED_BACK"}
    elif name == "HOME":
        yield {"eventType": "GO_HOME"}
    elif name in KEY_CODES:
        yield _shell(f"input keyevent KEYCODE_{name}")
    else:
        add_loss("a key that Android does not have is left out")


def _pinch(x: int, y: int, start: int, end: int) -> str:
    left, right = (x - start // 2, x - end // 2), (x + start // 2, x + end // 2)
    return f"({left[0]},{y})->({left[1]},{y}),({right[0]},{y})->({right[1]},{y})"
