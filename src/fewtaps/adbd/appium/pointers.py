"""W3C's actions of fingers and keys as events."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from fewtaps.adbd.appium.elements import KEY, WebDriverError
from fewtaps.formats.touches import CANCEL, DOWN, MOVE, POINTER_DOWN, POINTER_UP, SLOP_PX, UP, Fingers
from fewtaps.model.event import DoubleTap, Event, Key, Tap, Text, Wait

MOST_ACTIONS = 5000
LONGEST_MS = 120_000
DOUBLE_TAP_MS = 300
"""Two taps at one point within this time are a double tap."""
MOVE_STEPS = 8
"""Points of a move that has a duration."""

_KEYS = {
    "\ue003": "DEL", "\ue004": "TAB", "\ue006": "ENTER", "\ue007": "ENTER", "\ue00c": "ESCAPE", "\ue00d": "SPACE",
    "\ue00e": "PAGE_UP", "\ue00f": "PAGE_DOWN", "\ue010": "MOVE_END", "\ue011": "MOVE_HOME", "\ue012": "DPAD_LEFT",
    "\ue013": "DPAD_UP", "\ue014": "DPAD_RIGHT", "\ue015": "DPAD_DOWN", "\ue017": "FORWARD_DEL",
}  # fmt: skip
"""W3C's characters of keys."""

FindCentre = Callable[[str], tuple[int, int]]


def typed(text: str) -> list[Event]:
    """A text with W3C's characters of keys as events. Raises WebDriverError for more than `MOST_ACTIONS` keys."""
    if sum(map(text.count, (*_KEYS, "\n"))) > MOST_ACTIONS:
        raise WebDriverError("invalid argument", f"more than {MOST_ACTIONS} keys")
    events: list[Event] = []
    plain = ""
    for character in text:
        name = _KEYS.get(character, "ENTER" if character == "\n" else None)
        if name is None:
            plain += "" if "\ue000" <= character <= "\ue05d" else character
            continue
        if plain:
            events.append(Text(plain))
            plain = ""
        events.append(Key(name))
    return [*events, Text(plain)] if plain else events


def events_of(sources: Any, find_centre: FindCentre) -> list[Event]:
    """The events of a list of W3C's action sources. Raises WebDriverError."""
    if not isinstance(sources, list) or not all(isinstance(source, dict) for source in sources):
        raise WebDriverError("invalid argument", "actions: not a list of sources")
    events: list[Event] = []
    for moment in _timeline(sources, find_centre):
        events += moment
    return list(_joined(events))


@dataclass(slots=True, eq=False)
class _Finger:
    number: int
    x: float = 0.0
    y: float = 0.0
    is_down: bool = False


def _timeline(sources: list[dict[str, Any]], find_centre: FindCentre) -> Iterator[list[Event]]:
    """The events tick by tick: in a tick every source does one action."""
    lists = [source.get("actions") or [] for source in sources]
    if not all(isinstance(each, list) for each in lists) or sum(map(len, lists)) > MOST_ACTIONS:
        raise WebDriverError("invalid argument", "actions: not lists, or too many")
    fingers = [_Finger(number) for number in range(len(sources))]
    recogniser = Fingers(lambda reason: None)
    now, last_lift = 0, -1
    for tick in range(max(map(len, lists), default=0)):
        done: list[Event] = []
        longest = 0
        for source, actions, finger in zip(sources, lists, fingers, strict=True):
            if tick >= len(actions):
                continue
            action = actions[tick]
            if not isinstance(action, dict):
                raise WebDriverError("invalid argument", "actions: not an object")
            duration = _number(action.get("duration"), 0)
            longest = max(longest, min(int(duration), LONGEST_MS))
            if source.get("type") == "key":
                done += _key(action)
            elif source.get("type") == "pointer":
                event = _pointer(action, finger, fingers, recogniser, now, find_centre)
                done += [event] if event is not None else []
        if done and last_lift >= 0 and now - last_lift >= DOUBLE_TAP_MS and not recogniser.are_down:
            yield [Wait(now - last_lift)]
        now += longest
        if done:
            last_lift = now
            yield done
    if recogniser.are_down:
        event = recogniser.lift(now)
        yield [event] if event is not None else []


def _key(action: dict[str, Any]) -> list[Event]:
    value = action.get("value")
    return typed(value) if action.get("type") == "keyDown" and isinstance(value, str) and len(value) <= 8 else []


def _pointer(
    action: dict[str, Any],
    finger: _Finger,
    fingers: list[_Finger],
    recogniser: Fingers,
    now: int,
    find_centre: FindCentre,
) -> Event | None:
    down = {each.number: (each.x, each.y) for each in fingers if each.is_down}
    match action.get("type"):
        case "pointerMove":
            x, y = _target(action, finger, find_centre)
            if not finger.is_down:
                finger.x, finger.y = x, y
                return None
            duration = min(int(_number(action.get("duration"), 0)), LONGEST_MS)
            from_x, from_y = finger.x, finger.y
            for step in range(1, MOVE_STEPS + 1):
                part = step / MOVE_STEPS
                finger.x, finger.y = from_x + (x - from_x) * part, from_y + (y - from_y) * part
                recogniser.touch(MOVE, {**down, finger.number: (finger.x, finger.y)}, now + int(duration * part))
            return None
        case "pointerDown":
            finger.is_down = True
            point = {finger.number: (finger.x, finger.y)}
            return recogniser.touch(POINTER_DOWN if down else DOWN, point, now)
        case "pointerUp" if finger.is_down:
            finger.is_down = False
            return recogniser.touch(POINTER_UP if len(down) > 1 else UP, down, now)
        case "pointerCancel":
            finger.is_down = False
            recogniser.touch(CANCEL, down, now)
    return None


def _target(action: dict[str, Any], finger: _Finger, find_centre: FindCentre) -> tuple[float, float]:
    x, y = _number(action.get("x"), 0), _number(action.get("y"), 0)
    origin = action.get("origin", "viewport")
    if origin == "pointer":
        return finger.x + x, finger.y + y
    if isinstance(origin, dict):
        name = origin.get(KEY) or origin.get("ELEMENT")
        centre = find_centre(str(name))
        return centre[0] + x, centre[1] + y
    return x, y


def _number(value: Any, default: float) -> float:
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or abs(value) > 1e9:
        raise WebDriverError("invalid argument", "actions: not a number")
    return float(value)


def _joined(events: list[Event]) -> Iterator[Event]:
    """The events with two taps at one point as a double tap; typed characters that follow each other are one text."""
    rest = list(events)
    while rest:
        event = rest.pop(0)
        after = rest[0] if rest else None
        if isinstance(event, Tap) and isinstance(after, Tap):
            if math.dist((event.x, event.y), (after.x, after.y)) <= SLOP_PX:
                rest.pop(0)
                yield DoubleTap(event.x, event.y)
                continue
        elif isinstance(event, Text) and isinstance(after, Text):
            rest[0] = Text(event.text + after.text)
            continue
        yield event
