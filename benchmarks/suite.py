#!/usr/bin/env python3
"""Makes suites of explorations and measures them as the DetReduce paper does: tables 2 and 3, RQ5.

Run: python benchmarks/suite.py [--actions N] [--worlds N] [--strategies a,b] [-j N] [--as-paper] [--write] [APK …]

Without an APK, all samples but misbehave, which hangs on purpose, with 5,000 actions from each strategy; with APKs, or
folders of APKs, 10,000. Projects and suites are kept in a folder (build/suite), so that a run that was ended goes on
from there. `--as-paper` makes the suites in the order of the paper instead, for comparison. `--kept` measures nothing
and only reports what is there. `--write` writes benchmarks/results/suite.json, from which docs/performance.md is made.
`--coverage all` counts libraries too, as the paper does.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

from results import load_average, measured, save, shown, this_machine
from suite_making import Task, make_suite
from suite_table import SuiteRow, row_from_json, suite_tables

from fewtaps.device.twin.jail import jail_problem
from fewtaps.device.twin.runtime import find_java
from fewtaps.errors import FewtapsError

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = ROOT / "samples"
STRATEGIES = ("widget", "timemachine", "frontier")
"""`widget` is the paper's RANDOM."""
SAMPLE_ACTIONS, APK_ACTIONS = 5_000, 10_000


def main() -> int:
    """Explores, makes the suites, and prints the tables."""
    options = parse()
    load = load_average()
    tasks = tasks_for(options)
    rows = [row for task in tasks for row in kept(row_file(options, task))]
    if not options.kept:
        for task in explored(tasks, options):
            path = row_file(options, task)
            if path.is_file():
                continue
            try:
                row = make_suite(task, options.folder / task.name, options)
            except FewtapsError as error:
                print(f"{task.name}: {error}", file=sys.stderr)
                continue
            path.write_text(json.dumps(asdict(row)), encoding="utf-8")
            print(f"{task.name}: {row.actions} actions became {row.last.actions}", file=sys.stderr)
            rows.append(row)
    if not rows:
        print("nothing was measured", file=sys.stderr)
        return 1
    tables = suite_tables(rows, options.strategies)
    print(*(f"{name}\n{shown(each)}" for name, each in tables.items()), sep="\n\n")
    if options.write:
        machine = this_machine(str(find_java().version), jail_problem() is None, load)
        values = {"actions": options.actions, "worlds": options.worlds, "suites": len(rows)}
        print(f"\nwrote {save('suite-paper' if options.as_paper else 'suite', measured(machine, tables, values))}")
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
    parser.add_argument("-j", "--jobs", type=int, default=1, help="explorations, or devices of a suite, at once (1)")
    parser.add_argument("--minutes", type=float, default=60, help="the longest time for one suite (60)")
    parser.add_argument("--as-paper", action="store_true", help="in the order of the paper")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "suite", help="where everything is kept")
    parser.add_argument("--kept", action="store_true", help="measure nothing: only report what is in the folder")
    parser.add_argument("--write", action="store_true", help="write the result file")
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
    order = "paper" if options.as_paper else "ours"
    return Path(options.folder / task.name / f"row-{options.worlds}-{options.abstraction}-{order}.json")


def kept(path: Path) -> Iterator[SuiteRow]:
    """The row, if the suite was measured before."""
    if path.is_file():
        yield row_from_json(json.loads(path.read_text(encoding="utf-8")))


def explored(tasks: Sequence[Task], options: argparse.Namespace) -> Iterator[Task]:
    """The tasks in their order, each as soon as its exploration is there; several explore at once."""
    with ThreadPoolExecutor(options.jobs) as workers:
        for task, is_there in zip(tasks, workers.map(lambda task: explore(task, options.folder), tasks), strict=True):
            if is_there:
                yield task


def explore(task: Task, folder: Path) -> bool:
    """Explores into the project's folder, unless that was done before; whether it worked."""
    project = folder / task.name
    done = project / "explored.json"
    if done.is_file():
        return True
    shutil.rmtree(project, ignore_errors=True)
    command = [sys.executable, "-m", "fewtaps", "explore", str(task.apk), "-o", str(project)]
    command += ["--strategy", task.strategy, "--seed", str(task.seed), "--events", str(task.actions)]
    command += ["--coverage", task.coverage, "--no-pictures", "--json"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    last = run.stdout.splitlines()[-1] if run.stdout else ""
    if run.returncode != 0 or '"summary"' not in last:
        print(f"{task.name}: {run.stderr.strip().splitlines()[-1:] or 'no summary'}", file=sys.stderr)
        return False
    done.write_text(last + "\n", encoding="utf-8")
    return True


if __name__ == "__main__":
    sys.exit(main())
