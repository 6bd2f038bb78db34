"""Functions from Screen to StateId, from coarse (activity) to fine (everything that is shown)."""

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
    "layout": layout_state,
    "page": page_state,
    "content": content_state,
    "exact": exact_state,
}
"""The abstractions by name, coarse to fine."""

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
    text = f"{screen.package}/{screen.activity}|{windows}"
    return StateId(hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=12).hexdigest())


def _tree(widget: Widget, name: Callable[[Widget], str]) -> str:
    parts: list[str] = []
    for child in widget.children:
        part = _tree(child, name)
        if not parts or parts[-1] != part:
            parts.append(part)
    return f"{name(widget)}({','.join(parts)})"
