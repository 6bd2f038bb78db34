#!/usr/bin/env python3
"""Compares the strategies of exploration: coverage and unique crashes for the same number of events.

Run: python benchmarks/explore.py [--events N] [--seeds N] [--jobs N] [--strategies a,b] [--keep FILE] [--minutes N]
[--write] [APK …]

Without an APK, all samples but misbehave, which hangs on purpose and would spend the hours of real time that a hang
takes to be noticed. Every event that a device performs counts, also those that only go back to a known state.
What is measured is kept in a file as it comes (build/explore.jsonl), so that a run that was ended goes on from there;
with `--minutes` no exploration is begun after so long. Seeds come one after the other, so a part has whole seeds.
`--write` writes benchmarks/results/explore.json and the chart of docs/performance.md.

`--own-cost` measures instead what the exploration itself costs (100,000 events on the simulated device unless --events
says otherwise, and up to 2000 on the twin for each APK given) and whether its memory stays flat; `--speedup` what two
devices do against one in the same time (--minutes, 2 without), with three seeds and each APK given (shop and notes
without one). `--write` writes results/own_cost.json or results/speedup.json.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import exploration_costs
from charts import Line, line_chart
from results import Cell, Table, load_average, measured, save, shown, table, this_machine

from fewtaps.apk.reader import read_apk
from fewtaps.apk.strings import read_strings
from fewtaps.config import STRATEGIES as NAMES
from fewtaps.device.twin.device import TwinDevice
from fewtaps.device.twin.jail import jail_problem
from fewtaps.device.twin.runtime import find_java
from fewtaps.errors import FewtapsError
from fewtaps.explore.exploration import Exploration
from fewtaps.explore.loop import run_episode
from fewtaps.explore.parameters import DEFAULT_PARAMETERS
from fewtaps.explore.strategies import STRATEGIES
from fewtaps.model import words
from fewtaps.model.ending import Ending
from fewtaps.model.trace import Step

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = ROOT / "samples"
POINTS = 20
WORLDS = 4
STEP_SECONDS = 15
OURS, PAPER = NAMES[0], "timemachine"


@dataclass(frozen=True, slots=True)
class Task:
    """One exploration."""

    apk: str
    strategy: str
    seed: int
    events: int

    @property
    def key(self) -> tuple[str, str, int, int]:
        """Tells it from others in the file of results; where the file lies does not matter."""
        return (Path(self.apk).stem, self.strategy, self.seed, self.events)


class Meter:
    """Counts what the steps of an exploration show, at even distances."""

    def __init__(self, events: int) -> None:
        self.events = 0
        self.crashes: dict[str, int] = {}
        self.lines: list[int] = []
        self.branches: list[int] = []
        self._every = max(events // POINTS, 1)
        self._line_bits = self._branch_bits = 0

    def step(self, step: Step) -> None:
        """One more event."""
        self.events += 1
        self._line_bits |= step.covered.lines.bits
        self._branch_bits |= step.covered.branches.bits
        crash = step.crash
        if crash is not None and crash.suspect is None and step.ending is not Ending.LOST:
            self.crashes.setdefault(crash.signature, self.events)
        if self.events % self._every == 0:
            self.lines.append(self._line_bits.bit_count())
            self.branches.append(self._branch_bits.bit_count())


_device: TwinDevice | None = None


def run(task: Task) -> dict[str, Any]:
    """Carries out one exploration, on this process's own device."""
    global _device
    _device = _device or TwinDevice(step_seconds=STEP_SECONDS)
    app = read_apk(Path(task.apk))
    meter = Meter(task.events)
    strategy = STRATEGIES[task.strategy](app, DEFAULT_PARAMETERS, lambda: read_strings(Path(task.apk)))
    exploration = Exploration(app, strategy, seed=task.seed, worlds=WORLDS)
    began = time.monotonic()
    with _device.open(app) as session:
        totals = session.probe_map().totals
        for episode_plan in exploration.episode_plans():
            exploration.absorb(run_episode(session, episode_plan, lambda: meter.events >= task.events, meter.step))
            if meter.events >= task.events:
                break
    return {
        "key": list(task.key),
        "lines": meter.lines,
        "branches": meter.branches,
        "line_total": totals.lines,
        "branch_total": totals.branches,
        "crashes": meter.crashes,
        "states": exploration.knowledge.graph.seen,
        "activities": len(exploration.knowledge.activities),
        "events": meter.events,
        "ended": None if exploration.finished is None else words.exploration_end(exploration.finished),
        "seconds": round(time.monotonic() - began, 2),
    }


def main() -> int:
    options = parse()
    load = load_average()
    if options.own_cost:
        costs = exploration_costs.cost_table(OURS, options.events or 100_000, options.apk)
        return tell("own_cost", {"costs": costs}, {}, load, options.write)
    if options.speedup:
        apks = options.apk or [str(SAMPLES / f"{name}.apk") for name in ("shop", "notes")]
        minutes = 2.0 if options.minutes is None else options.minutes
        events = exploration_costs.speedup_table(minutes, apks, options.seeds or 3)
        return tell("speedup", {"events": events}, {"minutes": minutes}, load, options.write)
    options.events, options.seeds = options.events or 1000, options.seeds or 10
    return compare(options, load)


def tell(
    name: str, tables: Mapping[str, Table], values: Mapping[str, Cell], load: float | None, is_written: bool
) -> int:
    """Prints the tables and, if they are to be kept, writes them into the result file of that name."""
    print(*map(shown, tables.values()), sep="\n\n")
    if is_written:
        machine = this_machine(str(find_java().version), jail_problem() is None, load)
        print(f"\nwrote {save(name, measured(machine, tables, values))}")
    return 0


def compare(options: argparse.Namespace, load: float | None) -> int:
    """All strategies on all apps."""
    apks = [Path(each) for each in options.apk] or sample_apks()
    strategies = options.strategies.split(",")
    tasks = [
        Task(str(apk), strategy, seed, options.events)
        for seed in range(1, options.seeds + 1)
        for apk in apks
        for strategy in strategies
    ]
    results = {tuple(row["key"]): row for row in kept(options.keep)}
    until = None if options.minutes is None else time.time() + 60 * options.minutes
    measure([task for task in tasks if task.key not in results], options.jobs, options.keep, results, until)
    rows = [results[task.key] for task in tasks if task.key in results]
    if options.write:
        (ROOT / "docs" / "explore-coverage.svg").write_bytes(chart(rows, strategies))
    left = len(tasks) - len(rows)
    print(
        f"{len(rows)} of {len(tasks)} explorations are there"
        + (f"; the same command goes on with {left}" if left else "")
    )
    values = {"events": options.events, "seeds": options.seeds}
    return tell("explore", compared_tables(rows, strategies), values, load, options.write)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("apk", nargs="*")
    parser.add_argument("--events", type=int)
    parser.add_argument("--own-cost", action="store_true")
    parser.add_argument("--speedup", action="store_true")
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--seeds", type=int)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--strategies", default=",".join(NAMES))
    parser.add_argument("--keep", type=Path, default=ROOT / "build" / "explore.jsonl")
    parser.add_argument("--write", action="store_true")
    return parser.parse_args()


def sample_apks() -> list[Path]:
    """The samples; the one that attacks the machine only where there is a jail."""
    left_out = {"misbehave"} if jail_problem() is None else {"misbehave", "hostile"}
    return [apk for apk in sorted(SAMPLES.glob("*.apk")) if apk.stem not in left_out]


def kept(path: Path) -> Iterator[dict[str, Any]]:
    """What was measured before; a last line that was not finished is left out."""
    if path.is_file():
        for line in path.read_text("utf-8").splitlines():
            try:
                yield json.loads(line)
            except ValueError:
                continue


def measure(
    tasks: Sequence[Task], jobs: int, path: Path, results: dict[Any, dict[str, Any]], until: float | None = None
) -> None:
    """Carries the tasks out, several at once, and keeps each result as it comes.

    `until` is a time of `time.time()` after which no further task is begun.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as stream, ProcessPoolExecutor(jobs, get_context("spawn")) as workers:
        # A broken last line of an earlier run must not swallow the next one.
        stream.write("\n")
        waiting = iter(tasks)
        is_late = until is not None and time.time() >= until
        running = {workers.submit(run, task): task for task in islice(waiting, 0 if is_late else jobs)}
        number = 0
        while running:
            future = next(as_completed(running))
            task = running.pop(future)
            number += 1
            if until is None or time.time() < until:
                running |= {workers.submit(run, following): following for following in islice(waiting, 1)}
            try:
                row = future.result()
            except FewtapsError as error:
                print(f"{task.key}: {error}", file=sys.stderr)
                continue
            results[tuple(row["key"])] = row
            stream.write(json.dumps(row) + "\n")
            stream.flush()
            print(f"{number} of {len(tasks)}: {task.key} {row['seconds']} s", file=sys.stderr)


def compared_tables(rows: Sequence[Mapping[str, Any]], strategies: Sequence[str]) -> dict[str, Table]:
    """Every app, and all together."""
    by_app: defaultdict[str, dict[str, list[Mapping[str, Any]]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        by_app[row["key"][0]][row["key"][1]].append(row)
    return {
        "coverage": coverage_table(by_app, strategies),
        "crashes": crash_table(by_app, strategies),
        "comparison": comparison(by_app, strategies),
    }


Results = Mapping[str, Mapping[str, list[Mapping[str, Any]]]]


def coverage_of(row: Mapping[str, Any]) -> float:
    """The covered lines in percent."""
    return 100 * (row["lines"][-1] if row["lines"] else 0) / row["line_total"] if row["line_total"] else 0.0


def crashes_of(row: Mapping[str, Any]) -> float:
    """How many different crashes."""
    return len(row["crashes"])


def coverage_table(by_app: Results, strategies: Sequence[str]) -> Table:
    """Mean line coverage in percent."""
    rows = [(app, *(mean_of(by_app[app][name], coverage_of) for name in strategies)) for app in sorted(by_app)]
    return table(["lines covered, %", *((name, "{:.1f}") for name in strategies)], rows)


def crash_table(by_app: Results, strategies: Sequence[str]) -> Table:
    """Mean number of different crashes in one exploration, and how many the seeds found together."""
    return table(
        ["crashes found (by all seeds)", *strategies],
        [(app, *(_crash_cell(by_app[app][name]) for name in strategies)) for app in sorted(by_app)],
    )


def _crash_cell(rows: Sequence[Mapping[str, Any]]) -> Cell:
    mean = mean_of(rows, crashes_of)
    union = {signature for row in rows for signature in row["crashes"]}
    return None if mean is None else f"{mean:.1f} ({len(union)})"


def mean_of(rows: Sequence[Mapping[str, Any]], measure: Any) -> float | None:
    return statistics.mean(map(measure, rows)) if rows else None


def comparison(by_app: Results, strategies: Sequence[str]) -> Table:
    """Two strategies against every other: ratio of the means, Â12, and in how many apps the difference is no chance."""
    columns = (("coverage", "{:.2f}"), ("Â12", "{:.2f}"), "better / worse (p < 0.05)")
    crashes = (("crashes", "{:.2f}"), *columns[1:])
    rows = [
        (
            f"{ours} against {other}",
            *compared(by_app, ours, other, coverage_of),
            *compared(by_app, ours, other, crashes_of),
        )
        for ours in (OURS, PAPER)
        for other in strategies
        if other != ours and ours in strategies
    ]
    return table(["", *columns, *crashes], rows)


def compared(by_app: Results, ours: str, other: str, measure: Any) -> list[Cell]:
    """The ratio of what all apps add up to, the mean effect, and in how many apps one is better by more than chance."""
    from scipy.stats import mannwhitneyu

    sums, effects, better, worse = [0.0, 0.0], [], 0, 0
    for results in by_app.values():
        a, b = ([measure(row) for row in results[name]] for name in (ours, other))
        if not a or not b:
            continue
        sums = [sums[0] + statistics.mean(a), sums[1] + statistics.mean(b)]
        effect = a12(a, b)
        effects.append(effect)
        if len(set(a + b)) > 1 and mannwhitneyu(a, b).pvalue < 0.05:
            better, worse = better + (effect > 0.5), worse + (effect < 0.5)
    ratio = sums[0] / sums[1] if sums[1] else None
    return [ratio, statistics.mean(effects) if effects else None, f"{better} / {worse}"]


def a12(a: Sequence[float], b: Sequence[float]) -> float:
    """Vargha and Delaney's effect size: how often a value of the one is above one of the other, ties by half."""
    wins = sum((x > y) + 0.5 * (x == y) for x in a for y in b)
    return wins / (len(a) * len(b))


def chart(rows: Sequence[Mapping[str, Any]], strategies: Sequence[str]) -> bytes:
    """Mean line coverage of all apps and seeds over the events."""
    lines = []
    for name in strategies:
        own = [row for row in rows if row["key"][1] == name and len(row["lines"]) >= POINTS and row["line_total"]]
        points = [(0.0, 0.0)]
        for number in range(POINTS if own else 0):
            share = statistics.mean(100 * row["lines"][number] / row["line_total"] for row in own)
            points.append(((number + 1) * (own[0]["key"][3] // POINTS), share))
        lines.append(Line(name, tuple(points)))
    return line_chart(lines, title="Lines covered, mean over all apps and seeds", x_label="events", y_label="%")


if __name__ == "__main__":
    sys.exit(main())
