"""The figures of suites as tables: the columns of the DetReduce paper's tables 2 and 3, their medians, and its RQ5."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from detreduce import PaperRow, median_removed, read_rows
from results import Cell, Table, table

PHASES = ("loops", "splicing", "selecting")
"""After phase 1, after phase 2, and after the exact selection, which is proved in all worlds."""

MOST_RUNS = 10
"""Runs by which the table of deviations tells them apart, as in the paper."""


@dataclass(frozen=True, slots=True)
class SuiteSize:
    """The size of a suite after a phase, and the seconds that the phase took."""

    actions: int
    traces: int
    seconds: float


@dataclass(frozen=True, slots=True)
class SuiteRow:
    """One suite: what an exploration left, what was made of it, and what that took.

    `branches`, `screens` and `crashes` are what the traces cover before the reduction. `flaky` is how much of it only
    some runs covered, `lost` how much no run covered that replays: a suite promises neither.
    `is_whole` says that the reduction was not ended by its time. Seconds are real time. `original_seconds` is the time
    of all traces, one run each. `making_seconds` is the time of the phases with the start of the device,
    `recording_seconds` that of the recording of the tests with their expectations, which the paper does not do.
    """

    app: str
    package: str
    strategy: str
    seed: int
    events: int
    worlds: int
    order: str
    is_whole: bool
    branches: int
    screens: int
    crashes: int
    actions: int
    traces: int
    phases: Mapping[str, SuiteSize]
    lost: int
    flaky: int
    crashes_kept: int
    original_seconds: float
    suite_seconds: float
    making_seconds: float
    played_runs: int
    played_actions: int
    refused: int
    gap: float | None
    deviations: Mapping[str, int] = field(default_factory=dict)
    recording_seconds: float = 0.0

    @property
    def key(self) -> tuple[str, str, int, int, int, str]:
        """Tells it from others in the file of results."""
        return (self.app, self.strategy, self.seed, self.events, self.worlds, self.order)

    @property
    def last(self) -> SuiteSize:
        """The suite after the last phase that was measured."""
        return next(self.phases[name] for name in reversed(PHASES) if name in self.phases)


def row_from_json(record: Mapping[str, Any]) -> SuiteRow:
    """The row that `asdict` made into JSON data."""
    phases = {name: SuiteSize(**size) for name, size in record["phases"].items()}
    return SuiteRow(**{**record, "phases": phases})


def suite_tables(rows: Sequence[SuiteRow], strategies: Sequence[str]) -> dict[str, Table]:
    """A table of sizes for each strategy, then medians beside the paper's, then deviations."""
    tables = {
        f"sizes_{strategy}": size_table([row for row in rows if row.strategy == strategy])
        for strategy in strategies
        if any(row.strategy == strategy for row in rows)
    }
    beside = paper_table(rows)
    return {
        **tables,
        "medians": median_table(rows, strategies),
        **({"paper": beside} if beside.rows else {}),
        "deviations": deviation_table(rows),
    }


def size_table(rows: Sequence[SuiteRow]) -> Table:
    """Every app of one strategy; the last row has the medians."""
    columns: list[str | tuple[str, str]] = [
        "app",
        *(("branches", "{:g}"), ("screens", "{:g}"), ("crashes", "{:g}"), ("actions", "{:g}"), ("traces", "{:g}")),
        *(("phase 1: actions", "{:g}"), ("traces", "{:g}"), ("phase 2: actions", "{:g}"), ("traces", "{:g}")),
        *(("exact: actions", "{:g}"), ("traces", "{:g}")),
        *(
            ("t1", "{:.1f} s"),
            ("t2", "{:.1f} s"),
            ("t3", "{:.1f} s"),
            ("suite", "{:.1f} s"),
            ("of original", "{:.1f} %"),
        ),
        *("lost", "flaky"),
    ]
    found = [_size_cells(row) for row in sorted(rows, key=lambda row: row.app)]
    if not found:
        return table(columns, [])
    medians = [_median([cells[place] for cells in found]) for place in range(1, len(columns) - 2)]
    return table(columns, [*found, ("median", *medians, None, None)])


def _size_cells(row: SuiteRow) -> tuple[Cell, ...]:
    sizes: list[Cell] = []
    seconds: list[Cell] = []
    for name in PHASES:
        size = row.phases.get(name)
        sizes += [None, None] if size is None else [size.actions, size.traces]
        seconds.append(None if size is None else size.seconds)
    share = 100 * row.suite_seconds / row.original_seconds if row.original_seconds else None
    own = (row.branches, row.screens, row.crashes, row.actions, row.traces)
    name = row.app if row.is_whole else f"{row.app} (ended early)"
    return (name, *own, *sizes, *seconds, row.suite_seconds, share, row.lost, row.flaky)


def _median(cells: Sequence[Cell]) -> Cell:
    numbers = [cell for cell in cells if isinstance(cell, (int, float))]
    return statistics.median(numbers) if numbers else None


def median_table(rows: Sequence[SuiteRow], strategies: Sequence[str]) -> Table:
    """What each phase removes, as medians over the apps, with what the paper removes below."""
    columns: list[str | tuple[str, str]] = [
        "traces of",
        "apps",
        *(("phase 1: actions", "{:+.1f} %"), ("restarts", "{:+.1f} %")),
        *(("phase 2, of the rest: actions", "{:+.1f} %"), ("restarts", "{:+.1f} %")),
        *(("together: actions", "{:+.1f} %"), ("restarts", "{:+.1f} %")),
        *(("time of the suite", "{:.1f} %"), ("cost of making it", "{:.2f}×")),
    ]
    paper = read_rows()
    own = [_own_medians(strategy, [row for row in rows if row.strategy == strategy]) for strategy in strategies]
    theirs = [
        _paper_medians(f"{name}, in the paper", [row for row in paper if row.suite == suite])
        for suite, name in (("swifthand", "SwiftHand"), ("random", "RANDOM"))
    ]
    return table(columns, [*[each for each in own if each[1]], *theirs])


def _own_medians(name: str, rows: Sequence[SuiteRow]) -> tuple[Cell, ...]:
    def changed(before: Callable[[SuiteRow], int], after: Callable[[SuiteRow], int]) -> float | None:
        shares = [100 * (after(row) / before(row) - 1) for row in rows if before(row)]
        return statistics.median(shares) if shares else None

    def in_phase(name: str) -> Callable[[SuiteRow], SuiteSize]:
        return lambda row: row.phases.get(name, row.last)

    loops, spliced = in_phase("loops"), in_phase("splicing")
    return (
        name,
        len(rows),
        changed(lambda row: row.actions, lambda row: loops(row).actions),
        changed(lambda row: row.traces, lambda row: loops(row).traces),
        changed(lambda row: loops(row).actions, lambda row: spliced(row).actions),
        changed(lambda row: loops(row).traces, lambda row: spliced(row).traces),
        changed(lambda row: row.actions, lambda row: row.last.actions),
        changed(lambda row: row.traces, lambda row: row.last.traces),
        _median([100 * row.suite_seconds / row.original_seconds for row in rows if row.original_seconds]),
        _median([row.making_seconds / row.original_seconds for row in rows if row.original_seconds]),
    )


def _paper_medians(name: str, rows: Sequence[PaperRow]) -> tuple[Cell, ...]:
    return (
        name,
        len(rows),
        -median_removed(rows, lambda row: row.actions, lambda row: row.actions_1),
        -median_removed(rows, lambda row: row.traces, lambda row: row.traces_1),
        -median_removed(rows, lambda row: row.actions_1, lambda row: row.actions_2),
        -median_removed(rows, lambda row: row.traces_1, lambda row: row.traces_2),
        -median_removed(rows, lambda row: row.actions, lambda row: row.actions_2),
        -median_removed(rows, lambda row: row.traces, lambda row: row.traces_2),
        statistics.median(row.suite_percent for row in rows),
        statistics.median(row.cost_factor for row in rows),
    )


def paper_table(rows: Sequence[SuiteRow]) -> Table:
    """Apps that the paper measured too, each beside the paper's rows; an app is known by its package."""
    columns: list[str | tuple[str, str]] = [
        *("app", "traces of", "branches", "screens", "actions", "traces", "actions after", "traces after"),
        ("time of the suite", "{:.2f} %"),
    ]
    found: list[tuple[Cell, ...]] = []
    by_package: dict[str, list[PaperRow]] = {}
    for paper in read_rows():
        by_package.setdefault(paper.package, []).append(paper)
    for row in sorted(rows, key=lambda row: (row.app, row.strategy)):
        if row.package in by_package:
            share = 100 * row.suite_seconds / row.original_seconds if row.original_seconds else None
            sizes = (row.branches, row.screens, row.actions, row.traces, row.last.actions, row.last.traces)
            found.append((row.app, row.strategy, *sizes, share))
    for package in {row.package for row in rows} & by_package.keys():
        for paper in by_package[package]:
            sizes = (paper.branches, paper.screens, paper.actions, paper.traces, paper.actions_2, paper.traces_2)
            found.append((paper.app, f"{paper.suite}, in the paper", *sizes, paper.suite_percent))
    return table(columns, found)


def deviation_table(rows: Sequence[SuiteRow]) -> Table:
    """RQ5: of the candidates that were refused, how many the first run refused, how many the second, and so on.

    Our order counts no deviations of first runs: these are all other candidates that were refused, also those that
    replayed without the coverage that was needed.
    """
    counted: Counter[int] = Counter()
    for row in rows:
        later = {int(number): count for number, count in row.deviations.items()}
        counted.update(later if 1 in later else {1: row.refused - sum(later.values()), **later})
    paper = (18043, 10956, 120, 86, 55, 35, 27, 14, 3, 0, 0)
    own = (sum(row.played_runs for row in rows), *(counted[number] for number in range(1, MOST_RUNS + 1)))
    heads = ["", "played", *(f"n={number}" for number in range(1, MOST_RUNS + 1))]
    return table(heads, [("here, runs", *own), ("in the paper, traces", *paper)])


def state_table(counts: Mapping[tuple[str, str], Mapping[str, int]]) -> Table:
    """How many states each abstraction tells apart, by app and strategy; the last row has the medians."""
    names = list(dict.fromkeys(name for each in counts.values() for name in each))
    found = [(app, strategy, *(each.get(name) for name in names)) for (app, strategy), each in sorted(counts.items())]
    medians = [_median([cells[place] for cells in found]) for place in range(2, 2 + len(names))]
    return table(["app", "traces of", *((name, "{:g}") for name in names)], [*found, ("median", "all", *medians)])
