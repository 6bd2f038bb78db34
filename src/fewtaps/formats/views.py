"""Converts a state file of DroidBot into a screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fewtaps.model.record import as_object, list_in, number_in, text_in
from fewtaps.model.screen import Bounds, Screen, Widget, WidgetFlags, Window, WindowKind

MAX_VIEWS = 20_000
MAX_DEPTH = 100
"""Limits for damaged files: real screens have less, and a list of views may contain a cycle."""

FLAGS = {
    "clickable": WidgetFlags.CLICKABLE,
    "long_clickable": WidgetFlags.LONG_CLICKABLE,
    "enabled": WidgetFlags.ENABLED,
    "focusable": WidgetFlags.FOCUSABLE,
    "focused": WidgetFlags.FOCUSED,
    "checkable": WidgetFlags.CHECKABLE,
    "checked": WidgetFlags.CHECKED,
    "scrollable": WidgetFlags.SCROLLABLE,
    "selected": WidgetFlags.SELECTED,
    "is_password": WidgetFlags.PASSWORD,
    "editable": WidgetFlags.EDITABLE,
}


def screen_of_state(state: Mapping[str, Any]) -> Screen:
    """The screen of one state file. Raises ValueError, naming the bad field."""
    package, _, activity = (text_in(state, "foreground_activity") or "").partition("/")
    views = list_in(state, "views")
    width, height = number_in(state, "width"), number_in(state, "height")
    root = _widget_tree(views) if views else None
    window = (Window("", WindowKind.ACTIVITY, root, focused=True),) if root else ()
    return Screen(
        package,
        (package + activity if activity.startswith(".") else activity) or None,
        width,
        height,
        rotation=1 if width > height else 0,
        windows=window,
    )


def _widget_tree(views: Sequence[object]) -> Widget:
    """The views as a tree, built from the leaves up; each view is in it at most once, even if the list has cycles."""
    if len(views) > MAX_VIEWS:
        raise ValueError(f"views: more than {MAX_VIEWS}")
    order, children = _walk(views)
    built: dict[int, Widget] = {}
    for place in reversed(order):
        built[place] = _widget(views[place], tuple(built[child] for child in children[place]))
    return built[0]


def _walk(views: Sequence[object]) -> tuple[list[int], dict[int, list[int]]]:
    order: list[int] = []
    children: dict[int, list[int]] = {}
    seen = {0}
    ahead = [(0, 0)]
    while ahead:
        place, depth = ahead.pop()
        order.append(place)
        children[place] = []
        for child in list_in(as_object("views", views[place]), "children"):
            if not isinstance(child, int) or isinstance(child, bool) or not 0 <= child < len(views):
                raise ValueError(f"views.children: there is no view {child!r:.40}")
            if child in seen or depth + 1 >= MAX_DEPTH:
                continue
            seen.add(child)
            children[place].append(child)
            ahead.append((child, depth + 1))
    return order, children


def _widget(view: object, children: tuple[Widget, ...]) -> Widget:
    data = as_object("views", view)
    flags = WidgetFlags.NONE
    for name, flag in FLAGS.items():
        if data.get(name) is True:
            flags |= flag
    return Widget(
        class_name=text_in(data, "class") or "",
        resource_id=text_in(data, "resource_id"),
        text=text_in(data, "text"),
        description=text_in(data, "content_description"),
        bounds=_bounds(data.get("bounds")),
        flags=flags,
        children=children,
    )


def _bounds(value: object) -> Bounds:
    match value:
        case [[int(left), int(top)], [int(right), int(bottom)]]:
            return Bounds(left, top, right, bottom)
    raise ValueError(f"views.bounds: not two points: {value!r:.60}")
