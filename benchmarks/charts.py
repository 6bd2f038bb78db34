"""Small line charts as SVG: no library is needed where they are shown."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, log10

SVG = "http://www.w3.org/2000/svg"
COLOURS = ("#1b6ca8", "#d1495b", "#2e8b57", "#8d5fa8", "#c98a1b", "#555b66", "#0aa3a3", "#a14a00")
WIDTH, HEIGHT = 640, 360
LEFT, RIGHT, TOP, BOTTOM = 56, 130, 24, 44


@dataclass(frozen=True, slots=True)
class Line:
    """A named series of points, from left to right."""

    name: str
    points: tuple[tuple[float, float], ...]


def line_chart(lines: Sequence[Line], *, title: str, x_label: str, y_label: str) -> bytes:
    """All series in one chart, each with its name at its end; both axes start at zero."""
    far = max((x for line in lines for x, _ in line.points), default=1) or 1
    high = max((y for line in lines for _, y in line.points), default=1) or 1
    root = ET.Element(
        "svg",
        {"xmlns": SVG, "viewBox": f"0 0 {WIDTH} {HEIGHT}", "font-family": "sans-serif", "font-size": "12"},
        role="img",
    )
    ET.SubElement(root, "title").text = title
    ET.SubElement(root, "rect", {"width": str(WIDTH), "height": str(HEIGHT), "fill": "#fff"})
    _axes(root, far, high, x_label, y_label)
    ends = _apart([_place(*line.points[-1], far, high)[1] if line.points else TOP for line in lines])
    for number, (line, end) in enumerate(zip(lines, ends, strict=True)):
        colour = COLOURS[number % len(COLOURS)]
        where = " ".join("{:.1f},{:.1f}".format(*_place(x, y, far, high)) for x, y in line.points)
        ET.SubElement(root, "polyline", {"points": where, "fill": "none", "stroke": colour, "stroke-width": "2"})
        _text(root, WIDTH - RIGHT + 8, end + 4, line.name, fill=colour)
    _text(root, LEFT, 15, title, **{"font-weight": "bold"})
    ET.indent(root)
    content: bytes = ET.tostring(root, encoding="utf-8")
    return content + b"\n"


def _axes(root: ET.Element, far: float, high: float, x_label: str, y_label: str) -> None:
    grid = ET.SubElement(root, "g", {"stroke": "#dde", "fill": "#445"})
    for value in ticks(high):
        x, y = _place(0, value, far, high)
        ET.SubElement(grid, "path", d=f"M{x:.1f} {y:.1f}H{WIDTH - RIGHT}")
        _text(grid, x - 6, y + 4, f"{value:g}", **{"text-anchor": "end", "stroke": "none"})
    for value in ticks(far):
        x, y = _place(value, 0, far, high)
        _text(grid, x, y + 18, f"{value:g}", **{"text-anchor": "middle", "stroke": "none"})
    middle = (WIDTH - RIGHT + LEFT) / 2
    _text(grid, middle, HEIGHT - 8, x_label, **{"text-anchor": "middle", "stroke": "none"})
    turned = {"transform": f"rotate(-90 14 {HEIGHT / 2})", "text-anchor": "middle", "stroke": "none"}
    _text(grid, 14, HEIGHT / 2, y_label, **turned)


def ticks(top: float) -> list[float]:
    """Four to eight round numbers from zero up to the top."""
    size = 10 ** floor(log10(top))
    step = next(size * part for part in (0.1, 0.2, 0.25, 0.5, 1, 2) if top / (size * part) <= 8)
    return [step * number for number in range(int(top / step + 1e-9) + 1)]


def _place(x: float, y: float, far: float, high: float) -> tuple[float, float]:
    across = LEFT + (WIDTH - RIGHT - LEFT) * x / far
    return across, HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * y / high


def _apart(heights: Sequence[float]) -> list[float]:
    """The heights, moved so that names written there do not cover each other."""
    order = sorted(range(len(heights)), key=lambda number: heights[number])
    moved = list(heights)
    for above, below in zip(order, order[1:], strict=False):
        moved[below] = max(moved[below], moved[above] + 14)
    return moved


def _text(parent: ET.Element, x: float, y: float, words: str, **attributes: str) -> None:
    ET.SubElement(parent, "text", {"x": f"{x:.1f}", "y": f"{y:.1f}", **attributes}).text = words
