"""Draws what reductions cost as SVG: events played over the length of the trace, one dot each, both on log scales."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from html import escape

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 900, 520, 80, 60, 30, 190
COLOURS = ("#0b6e4f", "#c1272d", "#1f5fa8", "#e08e0b", "#7b3f98", "#6b6b6b", "#00a0a0", "#9a5b2b", "#c75b9b", "#2d2d2d")
SHOWN = ("auto", "lhdd", "bhdd", "hdd", "ddmin", "segments", "picire")


def draw_costs(costs: Sequence[Mapping[str, object]]) -> str:
    """The whole picture."""
    dots = [(str(cost["strategy"]), float(str(cost["original"])), float(str(cost["events"]))) for cost in costs]
    names = [name for name in SHOWN if any(dot[0] == name for dot in dots)]
    across = _Scale([dot[1] for dot in dots], LEFT, WIDTH - RIGHT)
    up = _Scale([dot[2] for dot in dots], HEIGHT - BOTTOM, TOP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
        'font-size="13">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        *_axes(across, up),
    ]
    for number, name in enumerate(names):
        colour = COLOURS[number % len(COLOURS)]
        mine = [dot for dot in dots if dot[0] == name]
        parts += [
            f'<circle cx="{across(x):.1f}" cy="{up(y):.1f}" r="3" fill="{colour}" fill-opacity="0.55"/>'
            for _, x, y in mine
        ]
        place = TOP + 20 + 24 * number
        middle = statistics.median(y for _, _, y in mine)
        parts.append(f'<circle cx="{WIDTH - RIGHT + 20}" cy="{place - 4}" r="5" fill="{colour}"/>')
        parts.append(f'<text x="{WIDTH - RIGHT + 32}" y="{place}">{escape(name)}, median {middle:,.0f}</text>')
    return "\n".join([*parts, "</svg>", ""])


class _Scale:
    """Logarithms of values to places."""

    def __init__(self, values: Iterable[float], start: float, end: float) -> None:
        kept = list(values)
        self.low, self.high = math.floor(math.log10(min(kept))), math.ceil(math.log10(max(kept)))
        self._start, self._end = start, end

    def __call__(self, value: float) -> float:
        share = (math.log10(value) - self.low) / (self.high - self.low)
        return self._start + share * (self._end - self._start)

    @property
    def ticks(self) -> list[float]:
        """The powers of ten."""
        return [10.0**power for power in range(self.low, self.high + 1)]


def _axes(across: _Scale, up: _Scale) -> list[str]:
    floor = HEIGHT - BOTTOM
    parts = []
    for tick in across.ticks:
        x = across(tick)
        parts.append(f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{floor}" stroke="#ddd"/>')
        parts.append(f'<text x="{x:.1f}" y="{floor + 20}" text-anchor="middle">{tick:,.0f}</text>')
    for tick in up.ticks:
        y = up(tick)
        parts.append(f'<line x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{tick:,.0f}</text>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(f'<text x="{middle}" y="{HEIGHT - 14}" text-anchor="middle">events of the original trace</text>')
    parts.append(f'<text x="18" y="{TOP - 12}">events played to reduce it</text>')
    return parts
