"""Draws a screen without a picture from its widget tree: boxes and texts, as SVG."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from fewtaps.model.event import printable
from fewtaps.model.screen import Bounds, Screen, Widget, WidgetFlags, WindowKind

SVG = "http://www.w3.org/2000/svg"
MAX_WIDGETS = 160
"""Most widgets that are drawn; more are not legible in a small picture."""
INK, FAINT, PAPER, FILL, FIELD, MARK = "#3c4656", "#b9c3d0", "#f6f8fa", "#dbe7f5", "#ffffff", "#7fb38a"


def draw_screen(screen: Screen) -> bytes:
    """The screen as an SVG picture of its own size."""
    root = ET.Element(
        "svg",
        {
            "xmlns": SVG,
            "viewBox": f"0 0 {screen.width} {screen.height}",
            "width": str(screen.width),
            "height": str(screen.height),
            "font-family": "sans-serif",
        },
    )
    ET.SubElement(root, "rect", {"width": str(screen.width), "height": str(screen.height), "fill": PAPER})
    left = MAX_WIDGETS
    # The topmost window comes first, and has to be drawn last.
    for window in reversed(screen.windows):
        if window.kind is not WindowKind.ACTIVITY:
            _box(root, window.root.bounds, "#ffffff", INK)
        left -= _draw(root, window.root, left)
    content: bytes = ET.tostring(root, encoding="utf-8")
    return content


def _draw(root: ET.Element, widget: Widget, left: int) -> int:
    """Draws at most `left` widgets of a tree, parents first; returns how many."""
    drawn = 0
    stack = [widget]
    while stack and drawn < left:
        each = stack.pop()
        stack.extend(reversed(each.children))
        if each.bounds.width <= 0 or each.bounds.height <= 0:
            continue
        drawn += _draw_one(root, each)
    return drawn


def _draw_one(root: ET.Element, widget: Widget) -> int:
    words = widget.text or (widget.hint if widget.flags & WidgetFlags.EDITABLE else None)
    if widget.flags & WidgetFlags.EDITABLE:
        _box(root, widget.bounds, FIELD, INK)
    elif widget.flags & WidgetFlags.CHECKED:
        _box(root, widget.bounds, MARK, INK)
    elif widget.is_target:
        _box(root, widget.bounds, FILL, FAINT)
    elif widget.children or not words:
        _box(root, widget.bounds, "none", FAINT)
    if words:
        _words(root, widget, words)
    return 1


def _box(root: ET.Element, bounds: Bounds, fill: str, stroke: str) -> None:
    ET.SubElement(
        root,
        "rect",
        {
            "x": str(bounds.left + 2),
            "y": str(bounds.top + 2),
            "width": str(max(1, bounds.width - 4)),
            "height": str(max(1, bounds.height - 4)),
            "rx": "6",
            "fill": fill,
            "stroke": stroke,
            "stroke-width": "2",
        },
    )


def _words(root: ET.Element, widget: Widget, words: str) -> None:
    bounds = widget.bounds
    size = max(8, min(30, bounds.height * 45 // 100))
    room = max(1, int(bounds.width / (size * 0.58)))
    shown = _legal(printable(words, max(2, room)))
    x, y = bounds.centre
    attributes = {"x": str(x), "y": str(y), "font-size": str(size), "fill": INK}
    attributes |= {"text-anchor": "middle", "dominant-baseline": "central"}
    ET.SubElement(root, "text", attributes).text = shown


def _legal(text: str) -> str:
    """The text without characters that XML forbids; `printable` has escaped the other control characters."""
    return "".join(char if char < "\ud800" or "\ue000" <= char < "\ufffe" or char > "\uffff" else "?" for char in text)
