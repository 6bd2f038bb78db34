#!/usr/bin/env python3
"""Measures how many lines wide explorations cover (`--width`), and which width is the widest that is not worse.

Run: python benchmarks/width_coverage.py [--widths 2,16,64,256] [--seeds N] [--events N] [-j N] [--keep FILE] [--write]

The apps are the simulated ones of benchmarks/gated_apps.py, which no exploration of this length covers whole. Lines are
counted after the same number of events, so a busy machine changes nothing. Results are kept and resumed as by
benchmarks/ablation.py.

Every width is compared with the smallest one, app by app: the ratio of the means, Vargha and Delaney's Â12 (how often
an exploration of this width covers more, ties by half), and the p of the Mann-Whitney test. Over all apps, Â12 is the
mean, and p is that of the Wilcoxon test over all pairs of app and seed. `--write` writes
benchmarks/results/width_coverage.json.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from ablation import ROOT, Row, Task, measure
from explore import a12
from gated_apps import programs
from results import Cell, Table, load_average, measured, save, shown, table, this_machine
from scipy.stats import mannwhitneyu, wilcoxon
from width import name_of

APPS = tuple(f"sim:{each.package.rpartition('.')[2]}" for each in programs())
WORSE = 0.05
"""A width is worse if its p is not above this and its explorations cover less."""


def lines_of(rows: Iterable[Row], app: str, width: int) -> list[float]:
    """The lines covered by each seed, in the order of the seeds."""
    own = [row for row in rows if tuple(row["key"][:2]) == (app, name_of(width))]
    return [float(row["lines"]) for row in sorted(own, key=lambda row: int(row["key"][2]))]


def compared(rows: Sequence[Row], widths: Sequence[int]) -> Table:
    """A row for each app and width, and one for each width over all apps."""
    first = widths[0]
    found: list[list[Cell]] = []
    for width in widths:
        for app in APPS:
            ours, base = lines_of(rows, app, width), lines_of(rows, app, first)
            row: list[Cell] = [width, app.removeprefix("sim:"), statistics.mean(ours), min(ours), max(ours)]
            found.append([*row, a12(ours, base), None if width == first else float(mannwhitneyu(ours, base).pvalue)])
        found.append([width, "all", *over_all(rows, width, first)])
    columns = [("lines", "{:.0f}"), ("least", "{:.0f}"), ("most", "{:.0f}"), ("Â12", "{:.2f}"), ("p", "{:.4f}")]
    return table(["width", "app", *columns], found)


def over_all(rows: Sequence[Row], width: int, first: int) -> list[Cell]:
    """Mean lines, no least and most, mean Â12, and p over all pairs of app and seed."""
    ours = [lines_of(rows, app, width) for app in APPS]
    base = [lines_of(rows, app, first) for app in APPS]
    effect = statistics.mean(a12(a, b) for a, b in zip(ours, base, strict=True))
    p = None if width == first else float(wilcoxon(sum(ours, []), sum(base, [])).pvalue)
    return [statistics.mean(sum(ours, [])), None, None, effect, p]


def widest(rows: Sequence[Row], widths: Sequence[int]) -> int:
    """The largest width that, with all smaller ones, is not worse than the first over all apps."""
    found = widths[0]
    for width in widths[1:]:
        *_, effect, p = over_all(rows, width, widths[0])
        if isinstance(p, float) and p <= WORSE and isinstance(effect, float) and effect < 0.5:
            break
        found = width
    return found


def main() -> int:
    options = parse()
    load = load_average()
    widths = sorted(int(each) for each in options.widths.split(","))
    seeds = range(1, options.seeds + 1)
    tasks = [Task(app, "", seed, options.events, width) for seed in seeds for app in APPS for width in widths]
    rows = measure(tasks, options.jobs, options.keep)
    used = [rows[task.key] for task in tasks if task.key in rows]
    tables = {"compared": compared(used, widths)}
    values: dict[str, Cell] = {"seeds": options.seeds, "events": options.events, "widest": widest(used, widths)}
    print(*map(shown, tables.values()), values, sep="\n\n")
    if options.write:
        save("width_coverage", measured(this_machine(load=load), tables, values))
    return 0


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--widths", default="2,16,64,256", help="separated by commas; all are compared with the first")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--events", type=int, default=20_000)
    parser.add_argument("-j", "--jobs", type=int, default=1)
    parser.add_argument("--keep", type=Path, default=ROOT / "build" / "width_coverage.jsonl")
    parser.add_argument("--write", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
