"""Events in words on the screen where they happen: a widget without a name of its own is named by what stands by it.

Compose apps have many such widgets: an icon button without a description has neither text nor id. It is "the button
beside 'Milk'" then, or "the 2nd button beside 'Milk'" where several of them stand by one text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fewtaps.model.event import Event, Selector, describe, quoted
from fewtaps.model.roles import role_of
from fewtaps.model.screen import Bounds, Located, Screen, Widget, WidgetFlags
from fewtaps.model.trace import Step, Trace

_LETTER = re.compile(r"[^\W\d_]")
_FAR = 10
"""A text above or below is taken if it is no farther than so many parts of a hundred of the screen's height."""


def describe_step(step: Step) -> str:
    """The event of a step, in words."""
    return describe_on(step.event, step.before)


def describe_steps(trace: Trace) -> list[str]:
    """The events of all steps, in words."""
    return [describe_step(step) for step in trace.steps]


def describe_on(event: Event, screen: Screen) -> str:
    """The event in words; a widget that its selector leaves without a name is named by its neighbours."""
    selector: Selector | None = getattr(event, "selector", None)
    if selector is None or selector.text or selector.description or selector.resource_id or not selector.path:
        return describe(event)
    widget = screen.widget(selector.path)
    if widget is None or widget.class_name != selector.class_name:
        return describe(event)
    return describe(event, beside(Located(widget, selector.path), screen))


def beside(located: Located, screen: Screen) -> str:
    """A widget by its role and the text that stands by it: "the button beside 'Milk'"; empty if there is none."""
    if located.widget.flags & WidgetFlags.SCROLLABLE and located.widget.children:
        return ""
    label = _neighbour(located, screen)
    if label is None:
        return ""
    role = role_of(located.widget)
    alike = [
        each.path
        for each in _in_window(located, screen)
        if _is_nameless(each.widget) and role_of(each.widget) == role and _neighbour(each, screen) == label
    ]
    number = f"{_ordinal(alike.index(located.path) + 1)} " if len(alike) > 1 and located.path in alike else ""
    return f"the {number}{role} beside {quoted(label)}"


def _in_window(located: Located, screen: Screen) -> Iterator[Located]:
    return (each for each in screen.iter_located() if each.path[0] == located.path[0])


def _is_nameless(widget: Widget) -> bool:
    return not (widget.label or widget.resource_id)


def _neighbour(located: Located, screen: Screen) -> str | None:
    """The nearest text in the same row, else above or below; of equals the one that shares most of the tree."""
    found: list[tuple[int, int, int, tuple[int, ...], str]] = []
    for each in _in_window(located, screen):
        text = _own_label(each.widget)
        if text is None or _holds(each.path, located.path) or _holds(located.path, each.path):
            continue
        distance = _distance(located.widget.bounds, each.widget.bounds, screen.height * _FAR // 100)
        if distance is not None:
            found.append((*distance, -_common(each.path, located.path), each.path, text))
    return min(found)[-1] if found else None


def _own_label(widget: Widget) -> str | None:
    """What names a widget by itself. What was typed into a field does not, nor does a number, which may count."""
    if widget.flags & WidgetFlags.EDITABLE:
        text = widget.hint or widget.description
    else:
        text = widget.text or widget.description
    return text if text and _LETTER.search(text) else None


def _distance(own: Bounds, other: Bounds, far: int) -> tuple[int, int] | None:
    """0 and the gap for bounds in one row, 1 and the gap for those above or below; None if they are neither."""
    in_row = min(own.bottom, other.bottom) - max(own.top, other.top)
    in_column = min(own.right, other.right) - max(own.left, other.left)
    if 2 * in_row >= min(own.height, other.height) > 0:
        return 0, max(own.left - other.right, other.left - own.right, 0)
    if in_column <= 0:
        return None
    gap = max(own.top - other.bottom, other.top - own.bottom, 0)
    return (1, gap) if gap <= far else None


def _holds(outer: tuple[int, ...], inner: tuple[int, ...]) -> bool:
    return inner[: len(outer)] == outer


def _common(first: tuple[int, ...], second: tuple[int, ...]) -> int:
    shared = 0
    while shared < min(len(first), len(second)) and first[shared] == second[shared]:
        shared += 1
    return shared


def _ordinal(number: int) -> str:
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
