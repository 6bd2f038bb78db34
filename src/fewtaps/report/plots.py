"""Plots of the pages: curves as SVG paths that scale with the page, and labels as text that does not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 1000.0, 300.0
PARTS = 4
"""Number of equal parts of each axis; a label is at each end of a part."""


@dataclass(frozen=True, slots=True)
class Dot:
    """A marked point of a curve, with a label and a link."""

    x: float
    y: float
    label: str
    href: str = ""


@dataclass(frozen=True, slots=True)
class Plot:
    """One curve: its line and the area below it as SVG paths in a box of `WIDTH` by `HEIGHT`, and labels."""

    line: str
    area: str
    dots: tuple[Dot, ...]
    x_labels: tuple[str, ...]
    y_labels: tuple[str, ...]
    """From top to bottom."""
    summary: str = ""
    """The curve in words, for screen readers."""


def stairs(points: Sequence[tuple[float, float]], far: float, high: float) -> tuple[str, str]:
    """SVG paths of a step function from the first point to the right edge, and of the area below it."""
    x, y = _place(*points[0], far, high)
    parts = [f"M{x:.1f} {y:.1f}"]
    for point in points[1:]:
        x, y = _place(*point, far, high)
        parts.append(f"H{x:.1f}V{y:.1f}")
    parts.append(f"H{WIDTH:.0f}")
    line = "".join(parts)
    start, _ = _place(*points[0], far, high)
    return line, f"{line}V{HEIGHT:.0f}H{start:.1f}Z"


def plot(
    points: Sequence[tuple[float, float]],
    *,
    far: float,
    high: float,
    x_labels: Sequence[str],
    y_labels: Sequence[str],
    dots: Sequence[tuple[float, str, str]] = (),
    summary: str = "",
) -> Plot:
    """The plot of a step function through the points; each dot is a value of the x axis, a label and a link."""
    far, high = far or 1.0, high or 1.0
    line, area = stairs(points, far, high)
    placed = []
    for x, label, href in dots:
        across, down = _place(x, _height_at(points, x), far, high)
        placed.append(Dot(across, down, label, href))
    return Plot(line, area, tuple(placed), tuple(x_labels), tuple(y_labels), summary)


def thinned(points: Sequence[tuple[float, float]], most: int = 400) -> list[tuple[float, float]]:
    """The points at which the height changes, about `most` of them, and the last point."""
    kept = [point for number, point in enumerate(points) if number == 0 or point[1] != points[number - 1][1]]
    if len(kept) > most:
        step = len(kept) / most
        kept = [kept[int(number * step)] for number in range(most)]
    return [*kept, points[-1]] if points and kept[-1] != points[-1] else kept


def nice_top(value: float) -> float:
    """A round number that is at least the value and can be divided into four round parts."""
    for small in (4.0, 8.0, 12.0):
        if value <= small:
            return small
    size = 1.0
    while size * 10 < value:
        size *= 10
    return next(part * size for part in (1, 1.2, 1.6, 2, 2.4, 3.2, 4, 6, 8, 10) if part * size >= value)


def time_label(seconds: float) -> str:
    """A time in words: 45 s, 3:20 min, 2:05 h."""
    whole = round(seconds)
    if whole < 60:
        return f"{seconds:.1f} s" if 0 < seconds < 10 else f"{whole} s"
    if whole < 3600:
        return f"{whole // 60}:{whole % 60:02} min"
    return f"{whole // 3600}:{whole % 3600 // 60:02} h"


def _height_at(points: Sequence[tuple[float, float]], x: float) -> float:
    height = points[0][1]
    for across, up in points:
        if across > x:
            break
        height = up
    return height


def _place(x: float, y: float, far: float, high: float) -> tuple[float, float]:
    return WIDTH * min(1.0, x / far), HEIGHT - HEIGHT * min(1.0, y / high)
