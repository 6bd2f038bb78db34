"""StateShape: the widgets of a state that can be acted on, by id and class, so that states of two builds compare.

The id of a state is a hash: one moved widget makes it another. The shape says which widgets the state has, wherever
they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from fewtaps.model.screen import Screen, Widget, WidgetFlags
from fewtaps.model.state import StateId

COMPARABLE = frozenset({"actionable", "actionable-rows"})
"""The abstractions whose states are sets of widgets that can be acted on. Only of these does the shape tell all."""


@dataclass(frozen=True, slots=True)
class WindowShape:
    """A touchable window: its kind, and its enabled widgets that can be acted on.

    A widget is written as class, `#`, id and its marks, such as `android.widget.CheckBox#app:id/round checked`. The
    widgets are sorted. Equal ones stand there as often as they are shown.
    """

    kind: str
    widgets: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StateShape:
    """The windows of a state, topmost first."""

    state: StateId
    windows: tuple[WindowShape, ...] = ()


def shape_of(screen: Screen, state: StateId) -> StateShape:
    """The shape of a screen that has this state."""
    return StateShape(
        state,
        tuple(
            WindowShape(window.kind.value, tuple(sorted(names_of(window.root))))
            for window in screen.windows
            if window.touchable
        ),
    )


def common_shape(one: StateShape, other: StateShape) -> StateShape | None:
    """What two shapes of one state have in common; None if their windows differ."""
    if [window.kind for window in one.windows] != [window.kind for window in other.windows]:
        return None
    return StateShape(
        one.state,
        tuple(
            WindowShape(mine.kind, tuple(sorted((Counter(mine.widgets) & Counter(theirs.widgets)).elements())))
            for mine, theirs in zip(one.windows, other.windows, strict=True)
        ),
    )


def lacking(expected: StateShape, seen: StateShape) -> tuple[str, ...]:
    """The widgets that were expected and are not there; windows of other kinds lack all of theirs."""
    return tuple(_less(expected, seen))


def added(expected: StateShape, seen: StateShape) -> tuple[str, ...]:
    """The widgets that are there and were not expected."""
    return tuple(_less(seen, expected))


def _less(whole: StateShape, part: StateShape) -> Iterable[str]:
    if [window.kind for window in whole.windows] != [window.kind for window in part.windows]:
        yield " ".join(f"a window of kind {window.kind}" for window in whole.windows) or "any window"
        return
    for mine, theirs in zip(whole.windows, part.windows, strict=True):
        yield from (Counter(mine.widgets) - Counter(theirs.widgets)).elements()


_HANDLERS = int(WidgetFlags.CLICKABLE | WidgetFlags.LONG_CLICKABLE | WidgetFlags.CHECKABLE | WidgetFlags.EDITABLE)
_ENABLED, _WEB = int(WidgetFlags.ENABLED), int(WidgetFlags.WEB)
_CHECKED, _SELECTED = int(WidgetFlags.CHECKED), int(WidgetFlags.SELECTED)


def names_of(root: Widget) -> Iterable[str]:
    """The enabled widgets at and below this one that can be acted on, as a `WindowShape` names them."""
    stack = [root]
    while stack:
        widget = stack.pop()
        flags = int(widget.flags)
        if flags & _ENABLED and flags & _HANDLERS:
            marks = (" checked" if flags & _CHECKED else "") + (" selected" if flags & _SELECTED else "")
            yield f"{widget.class_name}#{widget.resource_id or ''}{marks}"
        if not flags & _WEB:
            stack.extend(widget.children)
