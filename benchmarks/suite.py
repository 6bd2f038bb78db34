#!/usr/bin/env python3
"""Makes suites of explorations and measures them as the DetReduce paper does: tables 2 and 3, RQ5.

Run: python benchmarks/suite.py [--actions N] [--worlds N] [--strategies a,b] [-j N] [--as-paper] [--write] [APK …]

Without an APK, all samples but misbehave, which hangs on purpose, with 5,000 actions from each strategy; with APKs, or
folders of APKs, 10,000. Projects and suites are kept in a folder (build/suite). The same command goes on after a kill:
only the suite that was being made begins anew. `--as-paper` makes the suites in the order of the paper instead, for
comparison. `--minutes` is the time for one suite; one that ends early is marked in the tables. `--coverage all` counts
libraries too, as the paper does. The tables tell all suites in the folder, whichever command made them; `--kept`
measures nothing and only reports. `--write` writes benchmarks/results/suite.json, from which docs/performance.md is
made, and docs/images/suite-phases.svg; `--name suite_worlds` writes another file there, without a plot.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict
from multiprocessing import get_context
from pathlib import Path

from charts import line_chart
from results import ROOT, UNKNOWN, Cell, load_average, measured, save, shown, this_machine
from suite_making import SAMPLES, Task, explore, measure_suite, row_name, state_counts
from suite_table import SuiteRow, row_from_json, share_lines, state_table, suite_tables

from fewtaps.device.twin.jail import jail_problem
from fewtaps.device.twin.runtime import find_java
from fewtaps.errors import FewtapsError

STRATEGIES = ("widget", "timemachine", "frontier")
"""`widget` is the paper's RANDOM."""
RESULT = "suite"
PLOT = ROOT / "docs" / "images" / "suite-phases.svg"
SAMPLE_ACTIONS, APK_ACTIONS = 5_000, 10_000


def main() -> int:
    """Explores, makes the suites, and prints the tables."""
    options = parse()
    # A report of what was measured before does not know the load of that time.
    load = None if options.kept else load_average()
    tasks = tasks_for(options)
    if not options.kept:
        measure([task for task in tasks if not row_file(options, task).is_file()], options)
    rows = all_kept(options.folder)
    if not rows:
        print("nothing was measured", file=sys.stderr)
        return 1
    # What was explored in other folders before, and what is still explored, is left out.
    explored = {(row.app, row.strategy, row.seed, row.events) for row in rows}
    states = {
        (app, strategy): state_counts(options.folder / f"{app}-{strategy}-{seed}-{events}")
        for app, strategy, seed, events in sorted(explored)
        if (options.folder / f"{app}-{strategy}-{seed}-{events}" / "explored.json").is_file()
    }
    tables = {**suite_tables(rows), "states": state_table(states)}
    print(*(f"{name}\n{shown(each)}" for name, each in tables.items()), sep="\n\n")
    if options.write:
        machine = this_machine(str(find_java().version), jail_problem() is None, load)
        commits = sorted({row.commit for row in rows} - {""})
        values: dict[str, Cell] = {"suites": len(rows), "commits": ", ".join(commits) or UNKNOWN}
        print(f"\nwrote {save(options.name, measured(machine, tables, values))}")
        if options.name != RESULT:
            return 0
        chart = line_chart(
            share_lines(rows),
            title="Actions that are left after each phase, medians",
            x_label="phase (3: exact selection)",
            y_label="% of the explored actions",
        )
        PLOT.write_bytes(chart)
    return 0


def parse() -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("apk", nargs="*", type=Path, help="APKs, or folders of APKs (the samples)")
    parser.add_argument("--actions", type=int, help=f"actions to explore ({SAMPLE_ACTIONS}; {APK_ACTIONS} of an APK)")
    parser.add_argument("--strategies", type=lambda text: text.split(","), default=list(STRATEGIES))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--worlds", type=int, default=10, help="worlds in which a test has to replay (10)")
    parser.add_argument("--coverage", choices=("app", "all"), default="app")
    parser.add_argument("--abstraction", default="actionable")
    parser.add_argument("-j", "--jobs", type=int, default=1, help="so many suites at once (1)")
    parser.add_argument("--minutes", type=float, default=60, help="the longest time for one suite (60)")
    parser.add_argument("--as-paper", action="store_true", help="in the order of the paper")
    parser.add_argument(
        "--folder", type=Path, default=SAMPLES.parent / "build" / "suite", help="where everything is kept"
    )
    parser.add_argument("--kept", action="store_true", help="measure nothing: only report what is in the folder")
    parser.add_argument("--write", action="store_true", help="write the result file")
    parser.add_argument("--name", default=RESULT, help=f"the name of the result file ({RESULT})")
    options = parser.parse_args()
    options.actions = options.actions or (APK_ACTIONS if options.apk else SAMPLE_ACTIONS)
    return options


def tasks_for(options: argparse.Namespace) -> list[Task]:
    """Every app with every strategy."""
    return [
        Task(apk, strategy, options.seed, options.actions, options.coverage)
        for strategy in options.strategies
        for apk in (list(apks_in(options.apk)) or sample_apks())
    ]


def apks_in(paths: Sequence[Path]) -> Iterator[Path]:
    """The APKs that are named, and those of the folders that are."""
    for path in paths:
        yield from sorted(path.glob("*.apk")) if path.is_dir() else [path]


def sample_apks() -> list[Path]:
    """The samples; the one that attacks the machine only where there is a jail."""
    left_out = {"misbehave"} if jail_problem() is None else {"misbehave", "hostile"}
    return [apk for apk in sorted(SAMPLES.glob("*.apk")) if apk.stem not in left_out]


def row_file(options: argparse.Namespace, task: Task) -> Path:
    """The file with the row of a suite; it is there when the suite is made."""
    return Path(options.folder / task.name / f"row-{row_name(options)}.json")


def all_kept(folder: Path) -> list[SuiteRow]:
    """The rows of all suites in the folder, also of those that earlier commands measured."""
    return [row_from_json(json.loads(path.read_text(encoding="utf-8"))) for path in sorted(folder.glob("*/row-*.json"))]


def measure(tasks: Sequence[Task], options: argparse.Namespace) -> None:
    """Explores and makes suites, several at once; each row is kept as soon as it is there."""
    with ProcessPoolExecutor(options.jobs, get_context("spawn")) as workers:
        futures = {workers.submit(run, task, options): task for task in tasks}
        for number, future in enumerate(as_completed(futures), 1):
            try:
                told = future.result()
            except FewtapsError as error:
                told = str(error)
            print(f"{number} of {len(tasks)}: {futures[future].name}: {told}", file=sys.stderr, flush=True)


def run(task: Task, options: argparse.Namespace) -> str:
    """Explores, makes the suite and keeps its row; what came of it, for a person."""
    project = options.folder / task.name
    explore(task, project)
    row = measure_suite(task, project, options)
    path = row_file(options, task)
    part = path.with_suffix(".part")
    part.write_text(json.dumps(asdict(row)), encoding="utf-8")
    part.replace(path)
    return f"{row.actions} actions became {row.last.actions} in {row.making_seconds:.0f} s"


if __name__ == "__main__":
    sys.exit(main())
