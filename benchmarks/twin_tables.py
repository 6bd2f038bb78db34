"""Turns the figures of the twin into tables, and compares them with what is asked for."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from results import Cell, Machine, Result, Table, measured, table
from twin import Measured, Plan, Speed


@dataclass(frozen=True, slots=True)
class Aim:
    """One line of the summary: what was asked for, what was found, and whether missing it is a failure."""

    what: str
    asked: str
    found: str
    met: bool | None
    binding: bool


def aims(results: Sequence[Measured], simulated: float | None) -> list[Aim]:
    """Everything that is asked for, with what was found."""
    speeds = [each.speed for each in results if each.speed]
    repeats = [each.repeatability for each in results if each.repeatability]
    ratio = _median(each.ratio for each in speeds)
    share = _median(each.reset_share for each in speeds)
    rate = _median(each.bridge_rate for each in speeds)
    reset = _median(each.reset_seconds for each in speeds)
    cold = _median(each.cold_seconds for each in speeds)
    memory = max((each.rss_mb for each in speeds if each.rss_mb is not None), default=None)
    different = sum(each.different for each in repeats)
    missing = [each.name for each in results if each.problem]
    replays, identical = sum(each.replays for each in repeats), sum(each.identical for each in repeats)
    alike = sum(each.alike for each in repeats)
    found = f"{identical} of {replays} identical" + (f", {alike} alike" if alike else "")
    found += f"; not measured: {', '.join(missing)}" if missing else ""
    return [
        _aim("through the bridge / bare loop", "≥ 0.50", ratio, "{:.2f}", lambda it: it >= 0.5, binding=True),
        _aim("reset / cold start", "≤ 0.10", share, "{:.3f}", lambda it: it <= 0.1, binding=True),
        Aim("replays", "all identical", found, bool(repeats) and not different and not missing, binding=True),
        _aim("events per second, median", "200", rate, "{:.0f}", lambda it: it >= 200),
        _aim("reset with relaunch, median", "100 ms", reset and reset * 1000, "{:.0f} ms", lambda it: it <= 100),
        _aim("cold start, median", "6 s", cold, "{:.1f} s", lambda it: it <= 6),
        _aim("memory of a twin, largest", "700 MB", memory, "{:.0f} MB", lambda it: it <= 700),
        _aim("simulated device, events per second", "100,000", simulated, "{:,.0f}", lambda it: it >= 100_000),
    ]


def _aim(
    what: str, asked: str, found: float | None, form: str, met: Callable[[float], bool], *, binding: bool = False
) -> Aim:
    if found is None:
        return Aim(what, asked, "not measured", None, binding)
    return Aim(what, asked, form.format(found), met(found), binding)


def _median(values: Iterable[float | None]) -> float | None:
    known = [each for each in values if each is not None]
    return statistics.median(known) if known else None


def twin_result(
    results: Sequence[Measured],
    plan: Plan,
    machine: Machine,
    summary: Sequence[Aim],
    start_up: Sequence[tuple[str, str]],
) -> Result:
    """All figures as a result file."""
    words = {True: "yes", False: "no", None: "–"}
    rows = [(each.what, each.asked, each.found, words[each.met]) for each in summary]
    tables = {
        "aims": table(["", "asked for", "measured", "met"], rows),
        "speed": speed_table(results),
        "determinism": determinism_table(results),
        "start_up": table(["", ""], start_up),
    }
    differences = [line for each in results if each.repeatability for line in each.repeatability.differences]
    values: dict[str, Cell] = {"traces": plan.traces, "events": plan.events, "same": plan.same, "other": plan.other}
    return measured(machine, tables, values | ({"differences": "; ".join(differences)} if differences else {}))


COLUMNS = (
    *("sample", ("events/s", "{:.0f}"), ("bare loop", "{:.0f}"), ("ratio", "{:.2f}"), ("cold start s", "{:.1f}")),
    *(("reset ms", "{:.0f}"), ("reset / cold", "{:.3f}"), ("memory MB", "{:.0f}"), ("heap MB", "{:.0f}")),
)


def speed_table(results: Sequence[Measured]) -> Table:
    """One row per sample and the median."""
    rows = [
        (each.name + ("" if each.speed.lively else " (idle taps)"), *_speed_cells(each.speed))
        for each in results
        if each.speed
    ]
    missing = [(each.name, each.problem, *[None] * (len(COLUMNS) - 2)) for each in results if each.problem]
    medians = [_median(column) for column in zip(*(cells[1:] for cells in rows), strict=True)]
    return table(COLUMNS, [*rows, *missing, *([("**median**", *medians)] if len(rows) > 1 else [])])


def _speed_cells(speed: Speed) -> list[float | None]:
    return [
        *(speed.bridge_rate, speed.bare_rate, speed.ratio, speed.cold_seconds, speed.reset_seconds * 1000),
        *(speed.reset_share, speed.rss_mb, speed.heap_mb),
    ]


def determinism_table(results: Sequence[Measured]) -> Table:
    """One row per sample, with the digest that has to be the same on every machine."""
    known = [(each.name, each.repeatability) for each in results if each.repeatability]
    columns = (
        "sample",
        "events",
        ("random events/s", "{:.0f}"),
        "replays",
        "identical",
        "alike",
        "different",
        "digest",
    )
    rows = [
        (name, it.events, it.rate, it.replays, it.identical, it.alike, it.different, f"`{it.digest}`")
        for name, it in known
    ]
    return table(columns, rows)
