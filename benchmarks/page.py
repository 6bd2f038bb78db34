"""Turns figures into the Markdown of docs/performance.md, with a description of the machine they come from."""

from __future__ import annotations

import os
import platform
import re
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from twin import Measured, Plan, Repeatability, Speed

BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"


@dataclass(frozen=True, slots=True)
class Aim:
    """One line of the summary: what was asked for, what was found, and whether missing it is a failure."""

    what: str
    asked: str
    found: str
    met: bool | None
    binding: bool


def replace_measured(page: Path, text: str, first: str = BEGIN, last: str = END) -> None:
    """Puts the text between the two marks of the page, whole or not at all."""
    old = page.read_text(encoding="utf-8")
    head, begin, rest = old.partition(first)
    _, end, tail = rest.partition(last)
    if not begin or not end:
        raise SystemExit(f"{page}: lacks the marks {first} and {last}")
    part = page.with_suffix(".part")
    part.write_text(f"{head}{first}\n{text}\n{last}{tail}", encoding="utf-8")
    part.replace(page)


def machine(java: str, jailed: bool, load: float | None) -> str:
    """The machine in one sentence, with how busy it was: figures of a busy one are no figures."""
    return (
        f"{date.today().isoformat()}: {_cpu()}, {_cores()} cores, {_memory_gb()} GB RAM, {platform.system()}, "
        f"Python {platform.python_version()}, Java {java or 'unknown'}, {'in the' if jailed else 'without a'} jail, "
        f"load average {'unknown' if load is None else f'{load:.1f}'} before the start."
    )


def load_average() -> float | None:
    """How many programs want a core, over the last minute; None where the system does not tell."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None


def _cpu() -> str:
    match = re.search(r"^model name\s*:\s*(.+)$", _read("/proc/cpuinfo"), re.MULTILINE)
    return match[1].strip() if match else platform.processor() or platform.machine()


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _memory_gb() -> str:
    match = re.search(r"^MemTotal:\s*(\d+) kB", _read("/proc/meminfo"), re.MULTILINE)
    return f"{int(match[1]) / 1024**2:.0f}" if match else "?"


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


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


def report(
    results: Sequence[Measured], plan: Plan, described: str, summary: Sequence[Aim], start_up: Sequence[tuple[str, str]]
) -> str:
    """The whole measured part."""
    words = {True: "yes", False: "no", None: "–"}
    lines = [f"Measured on {described}", "", "| | asked for | measured | met |", "|---|---|---|---|"]
    lines += [f"| {each.what} | {each.asked} | {each.found} | {words[each.met]} |" for each in summary]
    lines += ["", "### Speed", "", *speed_table(results)]
    lines += ["", "### Determinism", "", _how(plan), "", *determinism_table(results)]
    lines += ["", "### Start-up", "", "| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in start_up)]
    return "\n".join(lines)


def _how(plan: Plan) -> str:
    return (
        f"{plan.traces} random traces of up to {plan.events} events for each sample (fewer where the app ends before), "
        f"{plan.same} replays of each in the same process and {plan.other} in another."
    )


def speed_table(results: Sequence[Measured]) -> list[str]:
    """One row per sample and the median."""
    columns = ("events/s", "bare loop", "ratio", "cold start s", "reset ms", "reset / cold", "memory MB", "heap MB")
    lines = [f"| sample | {' | '.join(columns)} |", "|---" * (len(columns) + 1) + "|"]
    rows = [
        (each.name + ("" if each.speed.lively else " (idle taps)"), _speed_cells(each.speed))
        for each in results
        if each.speed
    ]
    lines += [_row(name, cells) for name, cells in rows]
    lines += [f"| {each.name} | {each.problem} |" for each in results if each.problem]
    if len(rows) > 1:
        lines.append(
            _row("**median**", [_median(column) for column in zip(*(cells for _, cells in rows), strict=True)])
        )
    return lines


_FORMS = ("{:.0f}", "{:.0f}", "{:.2f}", "{:.1f}", "{:.0f}", "{:.3f}", "{:.0f}", "{:.0f}")


def _speed_cells(speed: Speed) -> list[float | None]:
    return [
        *(speed.bridge_rate, speed.bare_rate, speed.ratio, speed.cold_seconds, speed.reset_seconds * 1000),
        *(speed.reset_share, speed.rss_mb, speed.heap_mb),
    ]


def _row(name: str, cells: Sequence[float | None]) -> str:
    shown = ("–" if cell is None else form.format(cell) for cell, form in zip(cells, _FORMS, strict=True))
    return f"| {name} | {' | '.join(shown)} |"


def determinism_table(results: Sequence[Measured]) -> list[str]:
    """One row per sample, with the digest that has to be the same on every machine, then what differed."""
    lines = [
        "| sample | events | random events/s | replays | identical | alike | different | digest |",
        "|---" * 8 + "|",
    ]
    known = [(each.name, each.repeatability) for each in results if each.repeatability]
    lines += [_repeat_row(name, it) for name, it in known]
    differences = [line for _, it in known for line in it.differences]
    return [*lines, *([""] if differences else []), *(f"- {_cell(line)}" for line in differences)]


def _repeat_row(name: str, it: Repeatability) -> str:
    counts = f"{it.replays} | {it.identical} | {it.alike} | {it.different}"
    return f"| {name} | {it.events} | {it.rate:.0f} | {counts} | `{it.digest}` |"


def _cell(text: str) -> str:
    return re.sub(r"[^\w\s.,:;()'/|=#@-]", "", text)[:400]
