"""Functions from Screen to StateId: which screens count as one state."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import NewType, cast

from fewtaps.model.screen import Screen, Widget, WidgetFlags

StateId = NewType("StateId", str)
"""Two screens with one id are one state, under the abstraction that gave it."""


def activity_state(screen: Screen) -> StateId:
    """The activity as the state, or the package where the screen has no activity."""
    return StateId(screen.activity or screen.package)


def layout_state(screen: Screen) -> StateId:
    """One state per tree of classes, ids and abilities, whatever the texts; equal neighbours in a list count as one."""
    return _hashed(
        screen, lambda widget: f"{widget.class_name}#{widget.resource_id or ''}:{widget.flags & _ABILITIES:d}"
    )


def content_state(screen: Screen) -> StateId:
    """As `layout_state`, and texts, descriptions and check marks count too."""
    return _hashed(
        screen,
        lambda widget: (
            f"{widget.class_name}#{widget.resource_id or ''}:{widget.flags & ~WidgetFlags.FOCUSED:d}"
            f"={widget.text!r}/{widget.description!r}"
        ),
    )


def actionable_state(screen: Screen) -> StateId:
    """One state per set of components that can be acted on, as a user sees them (DetReduce, section 4).

    The paper takes the components with event handlers, each with its access path and visible attributes, and removes
    all other attributes. What it leaves open is read as follows:

    - A component has a handler if it is clickable, long-clickable, checkable or editable. Being scrollable is none: it
      changes with the length of texts. A disabled component is left out.
    - The access path is the numbers of the children from the root of the window, counted among visible widgets.
    - Visible attributes are whether it is checked and whether it is selected. Its class counts too. Texts, ids, bounds
      and focus do not.
    - All windows count, each by its kind, but not toasts and others that cannot be touched. The keyboard is no window
      of the app.
    - A web view is one component: its insides come from outside the app.
    """
    return _actionable(screen, _numbered)


def actionable_rows_state(screen: Screen) -> StateId:
    """As `actionable_state`, but equal neighbours in a list count as one.

    Any container is a list. Neighbours are equal if the same components can be acted on inside them, so the rows of a
    list are one until one of them is checked. Neighbours without such components are one too.
    """
    return _actionable(screen, _joined)


def page_state(screen: Screen) -> StateId:
    """One state per widget tree with all its attributes, but whatever text boxes contain (TimeMachine, section 2.1).

    Neither focus nor bounds count: the one moves with every tap, the others with every pixel of a scroll.
    """
    if screen._page is None:
        # A write to a frozen value, as for its digest: this is called many times for one screen.
        object.__setattr__(screen, "_page", _hashed(screen, _page_name))
    return StateId(cast("str", screen._page))


def exact_state(screen: Screen) -> StateId:
    """One state per screen that differs in anything at all."""
    return StateId(screen.digest())


ABSTRACTIONS: dict[str, Callable[[Screen], StateId]] = {
    "activity": activity_state,
    "actionable-rows": actionable_rows_state,
    "actionable": actionable_state,
    "layout": layout_state,
    "page": page_state,
    "content": content_state,
    "exact": exact_state,
}
"""The abstractions by name.

Two scales lead from coarse to fine: activity, layout, page, content, exact, and activity, actionable-rows, actionable,
exact. Between `actionable` and the first scale neither is finer: it sees check marks and ignores texts.
"""

# Plain numbers: the flags' own operators take longer than all the rest of a widget's name.
_UNFOCUSED, _EDITABLE = ~int(WidgetFlags.FOCUSED), int(WidgetFlags.EDITABLE)


def _page_name(widget: Widget) -> str:
    flags = int(widget.flags)
    text = None if flags & _EDITABLE else widget.text
    return f"{widget.class_name}#{widget.resource_id or ''}:{flags & _UNFOCUSED}={text!r}/{widget.description!r}"


_ABILITIES = (
    WidgetFlags.CLICKABLE
    | WidgetFlags.LONG_CLICKABLE
    | WidgetFlags.ENABLED
    | WidgetFlags.CHECKABLE
    | WidgetFlags.SCROLLABLE
    | WidgetFlags.EDITABLE
)


def _hashed(screen: Screen, name: Callable[[Widget], str]) -> StateId:
    windows = "|".join(f"{window.kind.value}{_tree(window.root, name)}" for window in screen.windows)
    return _digest(f"{screen.package}/{screen.activity}|{windows}")


def _digest(text: str) -> StateId:
    return StateId(hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=12).hexdigest())


def _tree(widget: Widget, name: Callable[[Widget], str]) -> str:
    parts: list[str] = []
    for child in widget.children:
        part = _tree(child, name)
        if not parts or parts[-1] != part:
            parts.append(part)
    return f"{name(widget)}({','.join(parts)})"


_HANDLERS = int(WidgetFlags.CLICKABLE | WidgetFlags.LONG_CLICKABLE | WidgetFlags.CHECKABLE | WidgetFlags.EDITABLE)
_ENABLED, _WEB = int(WidgetFlags.ENABLED), int(WidgetFlags.WEB)
_VISIBLE = int(WidgetFlags.CHECKED | WidgetFlags.SELECTED)


def _actionable(screen: Screen, arranged: Callable[[list[str]], list[str]]) -> StateId:
    windows = "|".join(
        f"{window.kind.value}{_components(window.root, arranged)}" for window in screen.windows if window.touchable
    )
    return _digest(f"{screen.package}/{screen.activity}|{windows}")


def _components(widget: Widget, arranged: Callable[[list[str]], list[str]]) -> str:
    """The components at and below the widget, with their paths from it; empty if there are none."""
    flags = int(widget.flags)
    own = f"{widget.class_name}:{flags & _VISIBLE}" if flags & _ENABLED and flags & _HANDLERS else ""
    if flags & _WEB:
        return own
    inside = arranged([_components(child, arranged) for child in widget.children])
    return f"{own}({','.join(inside)})" if inside else own


def _numbered(parts: list[str]) -> list[str]:
    return [f"{number}={part}" for number, part in enumerate(parts) if part]


def _joined(parts: list[str]) -> list[str]:
    return _numbered([part for number, part in enumerate(parts) if number == 0 or parts[number - 1] != part])
