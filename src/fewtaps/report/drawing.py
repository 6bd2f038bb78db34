"""The plots of the pages, and the lines of the map of states as SVG paths."""

from __future__ import annotations

from fewtaps.report.layout import HEIGHT, WIDTH
from fewtaps.report.plots import PARTS, Plot, nice_top, plot, thinned, time_label
from fewtaps.report.views import ReductionView, Report

BEND = 12.0


def growth_plot(report: Report) -> Plot | None:
    """Lines covered over time, with a dot where each crash was first seen; None if nothing was covered."""
    if not report.growth or not report.growth[-1].lines:
        return None
    far = report.growth[-1].seconds or 1.0
    total = report.coverage.counts.lines.total if report.coverage is not None else 0
    most = report.growth[-1].lines
    high = float(total) if total else nice_top(most)
    points = thinned([(0.0, 0.0), *((each.seconds, float(each.lines)) for each in report.growth)])
    dots = [
        (crash.first_seconds, f"{crash.title}, {time_label(crash.first_seconds)}", crash.page)
        for crash in report.crashes
        if not crash.build
    ]
    labels = [f"{share * 100 // PARTS}\u202f%" for share in range(PARTS, -1, -1)]
    return plot(
        points,
        far=far,
        high=high,
        x_labels=[time_label(far * part / PARTS) for part in range(PARTS + 1)],
        y_labels=labels if total else [f"{high * part / PARTS:.0f}" for part in range(PARTS, -1, -1)],
        dots=dots,
        summary=f"Covered lines grew to {most}{f' of {total}' if total else ''} within {time_label(far)}.",
    )


def reduction_plot(reduction: ReductionView) -> Plot | None:
    """Number of events left over number of runs; None if the store does not have it."""
    history = list(reduction.history)
    if history and history[0][1] < reduction.before:
        # The stored history begins with the first improvement.
        history.insert(0, (0, reduction.before))
    if len(history) < 2:
        return None
    far = nice_top(max(reduction.runs, *(runs for runs, _ in history)))
    high = nice_top(reduction.before)
    return plot(
        [(float(runs), float(size)) for runs, size in history],
        far=far,
        high=high,
        x_labels=[f"{far * part / PARTS:.0f}" for part in range(PARTS + 1)],
        y_labels=[f"{high * part / PARTS:.0f}" for part in range(PARTS, -1, -1)],
        summary=f"From {reduction.before} to {reduction.after} events in {reduction.runs} runs.",
    )


def elbow(x1: float, y1: float, x2: float, y2: float) -> str:
    """A line from a state to a child: across, down along a vertical line that all children share, across."""
    trunk = x1 + (x2 - x1) / 2
    if y2 - y1 < 2 * BEND:
        return f"M{_at(x1, y1)}H{x2:.0f}"
    down = f"Q{_at(trunk, y1)} {_at(trunk, y1 + BEND)}V{y2 - BEND:.0f}Q{_at(trunk, y2)} {_at(trunk + BEND, y2)}"
    return f"M{_at(x1, y1)}H{trunk - BEND:.0f}{down}H{x2:.0f}"


def curve(source: tuple[float, float], target: tuple[float, float]) -> str:
    """A curve between two states, given their upper left corners: forward from side to side, backward underneath."""
    (x1, y1), (x2, y2) = source, target
    if x2 > x1 + WIDTH:
        start, end = (x1 + WIDTH, y1 + HEIGHT / 2), (x2, y2 + HEIGHT / 2)
        middle = (start[0] + end[0]) / 2
        return f"M{_at(*start)}C{_at(middle, start[1])} {_at(middle, end[1])} {_at(*end)}"
    start, end = (x1 + WIDTH / 2, y1 + HEIGHT), (x2 + WIDTH / 2, y2 + HEIGHT)
    low = max(start[1], end[1]) + 40
    return f"M{_at(*start)}C{_at(start[0], low)} {_at(end[0], low)} {_at(*end)}"


def _at(x: float, y: float) -> str:
    return f"{x:.0f} {y:.0f}"
