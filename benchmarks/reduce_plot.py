"""Draws what reductions cost as SVG: events played over the length of the trace, both on log scales.

A dot is a trace; a line goes through the medians of a strategy's dots, taken in groups of equally many.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from html import escape

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 900, 560, 80, 60, 40, 200
COLOURS = {
    "auto": "#0b6e4f", "lhdd": "#c1272d", "bhdd": "#1f5fa8", "hdd": "#e08e0b", "ddmin": "#7b3f98",
    "segments": "#6b6b6b", "picire": "#00a0a0",
}  # fmt: skip
GROUPS = 8

Dot = tuple[float, float]


def draw_costs(costs: Sequence[Mapping[str, object]]) -> str:
    """The whole picture."""
    dots: dict[str, list[Dot]] = {}
    for cost in costs:
        if cost["strategy"] in COLOURS:
            dots.setdefault(str(cost["strategy"]), []).append(
                (float(str(cost["original"])), float(str(cost["events"])))
            )
    every = [dot for each in dots.values() for dot in each]
    across = _Scale([x for x, _ in every], LEFT, WIDTH - RIGHT)
    up = _Scale([y for _, y in every], HEIGHT - BOTTOM, TOP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
        'font-size="13">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        *_axes(across, up),
    ]
    names = [name for name in COLOURS if name in dots]
    for name in reversed(names):  # Ours is drawn last, on top of the others.
        parts += _strategy(name, dots[name], across, up)
    ranked = sorted(names, key=lambda name: statistics.median(y for _, y in dots[name]))
    for number, name in enumerate(ranked):
        parts += _legend(number, name, statistics.median(y for _, y in dots[name]))
    return "\n".join([*parts, "</svg>", ""])


class _Scale:
    """Logarithms of values to places, with a little room at both ends."""

    def __init__(self, values: Iterable[float], start: float, end: float) -> None:
        kept = list(values)
        self.low, self.high = math.log10(min(kept) / 1.15), math.log10(max(kept) * 1.15)
        self._start, self._end = start, end

    def __call__(self, value: float) -> float:
        share = (math.log10(value) - self.low) / (self.high - self.low)
        return self._start + share * (self._end - self._start)

    @property
    def ticks(self) -> list[float]:
        """One, two and five times the powers of ten that are inside."""
        powers = range(math.floor(self.low), math.ceil(self.high) + 1)
        every = [times * 10.0**power for power in powers for times in (1, 2, 5)]
        return [tick for tick in every if self.low <= math.log10(tick) <= self.high]


def _strategy(name: str, dots: Sequence[Dot], across: _Scale, up: _Scale) -> list[str]:
    colour, is_ours = COLOURS[name], name == "auto"
    parts = [
        f'<circle cx="{across(x):.1f}" cy="{up(y):.1f}" r="{3 if is_ours else 2.2}" fill="{colour}" '
        f'fill-opacity="{0.8 if is_ours else 0.3}"/>'
        for x, y in dots
    ]
    places = " ".join(f"{across(x):.1f},{up(y):.1f}" for x, y in _medians(dots))
    width = 3.5 if is_ours else 1.8
    return [*parts, f'<polyline points="{places}" fill="none" stroke="{colour}" stroke-width="{width}"/>']


def _medians(dots: Sequence[Dot]) -> list[Dot]:
    ordered = sorted(dots)
    size = max(1, math.ceil(len(ordered) / GROUPS))
    groups = [ordered[start : start + size] for start in range(0, len(ordered), size)]
    return [(statistics.median(x for x, _ in group), statistics.median(y for _, y in group)) for group in groups]


def _legend(number: int, name: str, middle: float) -> list[str]:
    place = TOP + 20 + 24 * number
    weight = ' font-weight="bold"' if name == "auto" else ""
    return [
        f'<circle cx="{WIDTH - RIGHT + 20}" cy="{place - 4}" r="5" fill="{COLOURS[name]}"/>',
        f'<text x="{WIDTH - RIGHT + 32}" y="{place}"{weight}>{escape(name)}, median {middle:,.0f}</text>',
    ]


def _axes(across: _Scale, up: _Scale) -> list[str]:
    floor = HEIGHT - BOTTOM
    parts = []
    for tick in across.ticks:
        x = across(tick)
        parts.append(f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{floor}" stroke="#e6e6e6"/>')
        parts.append(f'<text x="{x:.1f}" y="{floor + 20}" text-anchor="middle">{tick:,.0f}</text>')
    for tick in up.ticks:
        y = up(tick)
        parts.append(f'<line x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}" stroke="#e6e6e6"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{tick:,.0f}</text>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(f'<text x="{middle}" y="{HEIGHT - 14}" text-anchor="middle">events of the original trace</text>')
    parts.append(f'<text x="18" y="{TOP - 16}">events played to reduce it</text>')
    return parts
