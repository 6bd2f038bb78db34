"""Long lists: containers that show several rows of one kind, which code that adds up or goes through rows depends on.

One row runs the same branches as many, and texts are no part of a state. So a suite that keeps branches and states
alone may never show a list with two rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from fewtaps.model.screen import Screen, Widget, WidgetFlags, WindowKind


def long_lists(screen: Screen) -> tuple[str, ...]:
    """The names of the containers with two neighbours of one kind or more that show texts, in a fixed order.

    Rows are of one kind if they are the same tree of classes and ids. A container is named by its activity and its id,
    or else its class.
    """
    found: set[str] = set()
    for window in screen.windows:
        if window.kind is not WindowKind.TOAST:
            found.update(_lists_in(window.root))
    return tuple(sorted(f"{screen.activity or screen.package} {name}" for name in found))


def _lists_in(root: Widget) -> Iterator[str]:
    stack = [root]
    while stack:
        widget = stack.pop()
        if widget.flags & WidgetFlags.WEB:
            continue
        if any(_is_row(one, other) for one, other in pairwise(widget.children)):
            yield widget.resource_id or widget.class_name
        stack.extend(widget.children)


def _is_row(one: Widget, other: Widget) -> bool:
    return one.class_name == other.class_name and _kind(one) == _kind(other) and _shows_text(one) and _shows_text(other)


def _kind(widget: Widget) -> tuple[object, ...]:
    return widget.class_name, widget.resource_id, tuple(map(_kind, widget.children))


def _shows_text(widget: Widget) -> bool:
    return bool(widget.text) or any(map(_shows_text, widget.children))
