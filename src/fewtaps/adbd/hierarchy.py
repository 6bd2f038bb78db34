"""A screen as the XML of `uiautomator dump`, and widgets found by UI Automator's selectors."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fewtaps.adbd.patterns import compiled
from fewtaps.model.screen import Bounds, Screen, Widget, WidgetFlags, WindowKind

DEEPEST = 400
"""Widgets inside widgets that are written; deeper ones are left out."""
_BAD = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;", "\n": "&#10;", "\r": "&#13;"}
_SPECIAL = re.compile("[&<>\"'\n\r]")

TRUTHS: tuple[tuple[str, WidgetFlags], ...] = (
    ("checkable", WidgetFlags.CHECKABLE),
    ("checked", WidgetFlags.CHECKED),
    ("clickable", WidgetFlags.CLICKABLE),
    ("enabled", WidgetFlags.ENABLED),
    ("focusable", WidgetFlags.FOCUSABLE),
    ("focused", WidgetFlags.FOCUSED),
    ("scrollable", WidgetFlags.SCROLLABLE),
    ("long-clickable", WidgetFlags.LONG_CLICKABLE),
    ("password", WidgetFlags.PASSWORD),
    ("selected", WidgetFlags.SELECTED),
)
"""The attributes that are true or false, by name."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A widget with its path and its number among its siblings."""

    widget: Widget
    path: tuple[int, ...]
    index: int


def placed_widgets(screen: Screen) -> list[Placed]:
    """Every widget that has a size, topmost window first, parents before children."""
    found: list[Placed] = []
    for number, window in enumerate(screen.windows):
        stack = [Placed(window.root, (number,), 0)]
        while stack:
            placed = stack.pop()
            found.append(placed)
            if len(placed.path) < DEEPEST:
                stack += reversed(_children(placed))
    return found


def _children(placed: Placed) -> list[Placed]:
    return [
        Placed(child, (*placed.path, number), number)
        for number, child in enumerate(placed.widget.children)
        if child.bounds.width > 0 and child.bounds.height > 0
    ]


def write_hierarchy(
    screen: Screen, *, all_windows: bool, depth: int = DEEPEST, hint_name: str = "hint", toast: str = ""
) -> str:
    """The screen as XML: all windows, or the focused one alone.

    Toasts are no windows of accessibility; the text of one is added as a node if it is given.
    """
    windows = [window for window in screen.windows if window.kind is not WindowKind.TOAST]
    if not all_windows:
        focused = [window for window in windows if window.focused] or [w for w in windows if w.touchable] or windows
        windows = focused[:1]
    parts = ["<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>", f'<hierarchy rotation="{screen.rotation}">']
    for window in windows:
        _write(window.root, 0, _Names(screen.package, hint_name), min(depth, DEEPEST), parts)
    if toast:
        parts.append(f'<node class="android.widget.Toast" text="{_escaped(toast)}" bounds="[0,0][0,0]" />')
    parts.append("</hierarchy>")
    return "".join(parts)


@dataclass(frozen=True, slots=True)
class _Names:
    """The package of all nodes, and the attribute that holds the hint of a field."""

    package: str
    hint: str


def _write(root: Widget, index: int, names: _Names, depth: int, parts: list[str]) -> None:
    # A stack, not recursion: layouts of an app may be deeper than Python's own stack.
    stack: list[tuple[Widget, int, int] | str] = [(root, index, depth)]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            parts.append(item)
            continue
        widget, number, left = item
        children = [child for child in widget.children if child.bounds.width > 0 and child.bounds.height > 0]
        parts.append(f"<node {_attributes(widget, number, names)}")
        if children and left > 1:
            parts.append(">")
            stack.append("</node>")
            stack += [(child, place, left - 1) for place, child in reversed(list(enumerate(children)))]
        else:
            parts.append(" />")


def _attributes(widget: Widget, index: int, names: _Names) -> str:
    texts = [
        ("index", str(index)),
        ("text", widget.text or ""),
        ("resource-id", widget.resource_id or ""),
        ("class", widget.class_name),
        ("package", names.package),
        ("content-desc", widget.description or ""),
        *((name, "true" if widget.flags & flag else "false") for name, flag in TRUTHS),
        ("visible-to-user", "true"),
        ("bounds", "[{},{}][{},{}]".format(*widget.bounds)),
        *(((names.hint, widget.hint),) if widget.hint else ()),
    ]
    return " ".join(f'{name}="{_escaped(text)}"' for name, text in texts)


def _escaped(text: str) -> str:
    return _SPECIAL.sub(lambda match: _ENTITIES[match[0]], xml_text(text))


def xml_text(text: str) -> str:
    """The text with a dot in place of each character that XML cannot hold."""
    return _BAD.sub(".", text)


_Test = Callable[[Placed, Any, str], bool]


def _text_tests(name: str, get: Callable[[Placed, str], str]) -> dict[str, _Test]:
    return {
        name: lambda placed, value, package: get(placed, package) == value,
        f"{name}Contains": lambda placed, value, package: value.lower() in get(placed, package).lower(),
        f"{name}StartsWith": lambda placed, value, package: get(placed, package).lower().startswith(value.lower()),
        f"{name}Matches": lambda placed, value, package: re.fullmatch(value, get(placed, package), re.S) is not None,
    }


def _flag_test(flag: WidgetFlags) -> _Test:
    return lambda placed, value, package: bool(placed.widget.flags & flag) == bool(value)


_TESTS: dict[str, _Test] = {
    **_text_tests("text", lambda placed, package: placed.widget.text or ""),
    **_text_tests("description", lambda placed, package: placed.widget.description or ""),
    **_text_tests("className", lambda placed, package: placed.widget.class_name),
    **_text_tests("packageName", lambda placed, package: package),
    **_text_tests("resourceId", lambda placed, package: placed.widget.resource_id or ""),
    **{name.replace("-c", "C"): _flag_test(flag) for name, flag in TRUTHS if name != "password"},
    "index": lambda placed, value, package: placed.index == value,
}


def select(screen: Screen, selector: Mapping[str, Any]) -> list[Placed]:
    """The widgets that a selector of UI Automator names, in the order of the dump. Raises ValueError for a bad one."""
    everything = placed_widgets(screen)
    found = list(_matching(everything, selector, screen.package))
    steps = selector.get("childOrSibling") or []
    selectors = selector.get("childOrSiblingSelector") or []
    if not isinstance(steps, list) or not isinstance(selectors, list) or len(steps) != len(selectors):
        raise ValueError("childOrSibling: not as long as its selectors")
    for step, inner in zip(steps, selectors, strict=True):
        if not isinstance(inner, Mapping):
            raise ValueError("childOrSiblingSelector: not an object")
        near = list(_near(everything, found, step))
        found = list(_matching(near, inner, screen.package))
    return found


def _near(everything: list[Placed], found: list[Placed], step: object) -> Iterator[Placed]:
    if step == "child":
        paths = [each.path for each in found]
        yield from (
            each for each in everything if any(len(each.path) > len(p) and each.path[: len(p)] == p for p in paths)
        )
    else:
        parents = {each.path[:-1] for each in found if len(each.path) > 1}
        yield from (
            each for each in everything if any(len(each.path) > len(p) and each.path[: len(p)] == p for p in parents)
        )


def _matching(candidates: list[Placed], selector: Mapping[str, Any], package: str) -> Iterator[Placed]:
    tests = [(_TESTS[name], value) for name, value in selector.items() if name in _TESTS]
    for name, value in selector.items():
        wants_text = name in _TESTS and name != "index" and not isinstance(value, bool)
        if wants_text and not isinstance(value, str):
            raise ValueError(f"{name}: not a text")
        if name.endswith("Matches"):
            # With the flag of the test, which finds it compiled.
            compiled(value, re.S)
    wanted = selector.get("instance")
    number = 0
    for placed in candidates:
        if all(test(placed, value, package) for test, value in tests):
            if wanted is None or number == wanted:
                yield placed
            number += 1


def widget_info(placed: Placed, package: str) -> dict[str, Any]:
    """What uiautomator2 tells of a widget."""
    widget = placed.widget
    return {
        "bounds": rectangle(widget.bounds),
        "visibleBounds": rectangle(widget.bounds),
        "childCount": len(widget.children),
        "className": widget.class_name,
        "contentDescription": widget.description,
        "packageName": package,
        "resourceName": widget.resource_id,
        "text": widget.text or "",
        **{name.replace("-c", "C"): bool(widget.flags & flag) for name, flag in TRUTHS if name != "password"},
    }


def rectangle(bounds: Bounds) -> dict[str, int]:
    """A rectangle as uiautomator2 writes it."""
    return {"left": bounds.left, "top": bounds.top, "right": bounds.right, "bottom": bounds.bottom}
