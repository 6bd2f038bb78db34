#!/usr/bin/env python3
"""Measures what planning ahead costs an exploration (`--width`), and how many devices it keeps busy.

Run: python benchmarks/width.py FOLDER_OR_APK… [--widths 2,4,8] [--seeds N] [--events N] [-j N] [--keep FILE] [--write]

Every app is explored with every width and every seed, on one device, with the same number of events. Everything is
counted in events, so a busy machine changes nothing. Results are kept and resumed as by benchmarks/ablation.py.

The cost of a width is the mean difference to width 1 over all pairs of app and seed, in percent of width 1, with the
interval of ablation.py. The devices that a width keeps busy are computed from the lengths of the episodes: each device
takes the next episode as soon as it is free and the episode that is *width* places before it, and all earlier ones,
have ended. Every event counts alike. `--write` writes benchmarks/results/width.json.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random

from ablation import FEWER_IS_BETTER, FULL, MEASURES, ROOT, WORLDS, Row, Task, apps_in, measure, pairs_of, worth_of
from results import Cell, Table, load_average, measured, save, shown, table, this_machine

DEVICES = (2, 4, 8)


def tasks_for(apps: Sequence[str], widths: Sequence[int], seeds: int, events: int) -> list[Task]:
    """All explorations, seed by seed."""
    every = (1, *widths)
    return [Task(app, FULL, seed, events, width) for seed in range(1, seeds + 1) for app in apps for width in every]


def busy_devices(lengths: Sequence[int], devices: int, width: int) -> float:
    """How many of the devices are busy on average, if an event takes as long on each of them."""
    free = [0] * devices
    ended: list[int] = []
    """When each episode and all before it have ended."""
    for number, length in enumerate(lengths):
        device = free.index(min(free))
        begin = max(free[device], ended[number - width] if number >= width else 0)
        free[device] = begin + length
        ended.append(max(free[device], ended[-1] if ended else 0))
    return sum(lengths) / ended[-1] if ended and ended[-1] else 0.0


def name_of(width: int) -> str:
    """What stands for a width in the key of a result."""
    return FULL if width == 1 else f"width {width}"


def cost_table(rows: Sequence[Row], widths: Sequence[int]) -> Table:
    """The change of every measure against width 1, positive if the width is better."""
    found: list[list[Cell]] = []
    for width in widths:
        cells: list[Cell] = []
        pairs = pairs_of(rows, name_of(width), MEASURES[0])
        for name in MEASURES:
            # What is asked for is the change by the width, not the worth of width 1.
            sign = 1 if name in FEWER_IS_BETTER else -1
            every = pairs_of(rows, name_of(width), name)
            percent, low, high = worth_of(every, Random(f"{width}/{name}"), sign=sign)
            cells.append(f"{percent:+.1f} ({low:+.1f} to {high:+.1f})")
        found.append([width, *cells, len(pairs)])
    return table(["width", *(f"{name.replace('_', ' ')}, %" for name in MEASURES), "pairs"], found)


def busy_table(rows: Iterable[Row], widths: Sequence[int]) -> Table:
    """The devices that each width keeps busy, mean over all explorations of that width."""
    by_width = {width: [row["lengths"] for row in rows if row["key"][1] == name_of(width)] for width in widths}
    found: list[list[Cell]] = []
    for width, several in by_width.items():
        means = (statistics.fmean(busy_devices(each, count, width) for each in several) for count in DEVICES)
        found.append([width, *(means if several else (None for _ in DEVICES))])
    return table(["width", *((f"of {count} devices", "{:.2f}") for count in DEVICES)], found)


def explorations_table(rows: Iterable[Row]) -> Table:
    """Every exploration."""
    explored = sorted([*row["key"], *(row.get(name) for name in MEASURES)] for row in rows)
    return table(["app", "width", "seed", "events", *MEASURES], explored)


def main() -> int:
    options = parse()
    load = load_average()
    apps = apps_in(options.app)
    widths = sorted({int(each) for each in options.widths.split(",")} - {1})
    tasks = tasks_for(apps, widths, options.seeds, options.events)
    rows = measure(tasks, options.jobs, options.keep)
    wanted = {task.key for task in tasks}
    used = [row for key, row in rows.items() if key in wanted]
    tables = {"costs": cost_table(used, widths), "busy": busy_table(used, [1, *widths])}
    print(*map(shown, tables.values()), sep="\n\n")
    if options.write:
        named = sorted({row["key"][0] for row in used})
        values: dict[str, Cell] = {"apps": len(named), "names": ", ".join(named), "worlds": WORLDS}
        values |= {"seeds": options.seeds, "events": options.events}
        save(
            "width",
            measured(this_machine(load=load), {**tables, "explorations": explorations_table(used)}, values),
        )
    return 0


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("app", nargs="+", metavar="FOLDER_OR_APK")
    parser.add_argument("--widths", default="2,4,8", help="separated by commas; width 1 is always measured")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--events", type=int, default=1000)
    parser.add_argument("-j", "--jobs", type=int, default=1)
    parser.add_argument("--keep", type=Path, default=ROOT / "build" / "width.jsonl")
    parser.add_argument("--write", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
