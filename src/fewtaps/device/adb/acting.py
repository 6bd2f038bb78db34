"""Touches, keys and text, as calls of the agent."""

from __future__ import annotations

from typing import Any

from fewtaps.device.adb.agent import AgentFailure, PhoneAgent
from fewtaps.errors import Unsupported
from fewtaps.formats.keycodes import KEY_CODES
from fewtaps.model.event import DoubleTap, Key, LongPress, Pinch, Swipe, Tap, Text
from fewtaps.model.screen import Located, Screen, WidgetFlags

STEP_MS = 5
"""UI Automator moves a finger once in so many milliseconds."""
LONG_PRESS_MS = 1000
DOWN, UP, MOVE = 0, 1, 2
HIGHEST_COORDINATE = 100_000

_MASKS = {
    "className": 0x10,
    "focused": 0x020000,
    "packageName": 0x080000,
    "resourceId": 0x200000,
    "instance": 0x01000000,
}
"""The bits by which the agent knows which fields of a selector are set."""


def touch(agent: PhoneAgent, event: Tap | LongPress | DoubleTap | Swipe | Pinch) -> None:
    """Touches the screen."""
    match event:
        case Tap(x, y):
            agent.call("click", _on(x), _on(y))
        case LongPress(x, y):
            agent.call("click", _on(x), _on(y), LONG_PRESS_MS)
        case DoubleTap(x, y):
            for _ in range(2):
                agent.call("injectInputEvent", DOWN, _on(x), _on(y), 0)
                agent.call("injectInputEvent", UP, _on(x), _on(y), 0)
        case Swipe(x1, y1, x2, y2):
            steps = max(2, min(event.duration_ms, 60_000) // STEP_MS)
            method = "drag" if event.hold_ms else "swipe"
            agent.call(method, _on(x1), _on(y1), _on(x2), _on(y2), steps)
        case Pinch():
            _pinch(agent, event)


def press(agent: PhoneAgent, key: Key) -> None:
    """Presses a key. Raises Unsupported for one that Android does not have."""
    code = KEY_CODES.get(key.name)
    if not code:
        raise Unsupported(f"Android has no key {key.name}")
    agent.call("pressKeyCode", code)


def type_text(agent: PhoneAgent, event: Text, screen: Screen) -> str:
    """Puts a text into the field that is meant; why it could not, or nothing.

    The field is tapped first unless it has the focus. The text is set by the accessibility action, so that no keyboard
    takes part and all of Unicode works.
    """
    field = screen.find(event.selector) if event.selector is not None else _focused(screen)
    if field is None:
        return "there is no field for the text" if event.selector is None else "the field of the text is not there"
    if WidgetFlags.FOCUSED not in field.widget.flags:
        agent.call("click", *field.widget.bounds.centre)
    text = event.text if event.replace else (field.widget.text or "") + event.text
    try:
        done = agent.call("setText", selector_of_field(screen, field), text)
    except AgentFailure as failure:
        return f"the text was not typed: {failure}"
    return "" if done is not False else "the field takes no text"


def selector_of_field(screen: Screen, field: Located) -> dict[str, Any]:
    """The agent's name for a widget: its id and class, and its number among those that have the same."""
    widget = field.widget
    alike = [
        each.path
        for each in screen.iter_located()
        if each.widget.class_name == widget.class_name
        and (not widget.resource_id or each.widget.resource_id == widget.resource_id)
    ]
    fields: dict[str, Any] = {"className": widget.class_name, "instance": alike.index(field.path)}
    if widget.resource_id:
        fields["resourceId"] = widget.resource_id
    return _selector(fields)


def _selector(fields: dict[str, Any]) -> dict[str, Any]:
    mask = 0
    for name in fields:
        mask |= _MASKS[name]
    return {**fields, "mask": mask, "childOrSibling": [], "childOrSiblingSelector": []}


def _focused(screen: Screen) -> Located | None:
    for located in screen.iter_located():
        flags = located.widget.flags
        if WidgetFlags.FOCUSED in flags and WidgetFlags.EDITABLE in flags:
            return located
    return None


def _pinch(agent: PhoneAgent, event: Pinch) -> None:
    def point(span: int, side: int) -> dict[str, int]:
        return {"x": _on(event.x + side * span // 2), "y": _on(event.y)}

    starts = [point(event.from_span, side) for side in (-1, 1)]
    ends = [point(event.to_span, side) for side in (-1, 1)]
    agent.call("gesture", _selector({"instance": 0}), *starts, *ends, 50)


def _on(coordinate: int) -> int:
    return max(-HIGHEST_COORDINATE, min(coordinate, HIGHEST_COORDINATE))
