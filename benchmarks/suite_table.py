"""The figures of suites as tables: the columns of the DetReduce paper's tables 2 and 3, their medians, and its RQ5."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from charts import Line
from detreduce import PaperRow, median_removed, read_rows
from results import Cell, Table, table

PHASES = ("loops", "splicing", "selecting", "worlds")
"""After phase 1, after phase 2, after the exact selection, and after the proof in all worlds."""

MOST_RUNS = 10
"""Runs by which the table of deviations tells them apart, as in the paper."""


@dataclass(frozen=True, slots=True)
class SuiteSize:
    """The size of a suite after a phase, the seconds that the phase took, and the elements that the suite covers."""

    actions: int
    traces: int
    seconds: float
    covered: int = 0


@dataclass(frozen=True, slots=True)
class SuiteRow:
    """One suite: what an exploration left, what was made of it, and what that took.

    `branches`, `screens` and `crashes` are what the traces cover before the reduction. `flaky` is how much of it only
    some runs covered, `lost` how much no run covered that replays: a suite promises neither.
    `lost_crashes` and `flaky_crashes` are the crashes among them, None in rows that were kept before they were counted.
    `commit` is the version that made the suite.
    `is_whole` says that the reduction was not ended by its time. Seconds are real time. `original_seconds` is the time
    of all traces, one run each. `making_seconds` is the time of the phases with the start of the device and with
    `again_seconds`, in which others were looked for in the place of tests that did not pass after they were recorded.
    `recording_seconds` is the time of the recording of the tests with their expectations, which the paper does not do.
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
    again_seconds: float = 0.0
    lost_crashes: int | None = None
    flaky_crashes: int | None = None
    commit: str = ""

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


def suite_tables(rows: Sequence[SuiteRow]) -> dict[str, Table]:
    """What was asked for beside what was reached, medians beside the paper's, every suite, then deviations."""
    beside = paper_table(rows)
    return {
        "asked": asked_table(rows),
        "medians": median_table(rows),
        "sizes": size_table(rows),
        **({"paper": beside} if beside.rows else {}),
        "deviations": deviation_table(rows),
    }


def groups_of(rows: Sequence[SuiteRow]) -> dict[str, list[SuiteRow]]:
    """The suites that can be compared: of one strategy, made in as many worlds and in the same order."""
    groups: dict[str, list[SuiteRow]] = {}
    for row in sorted(rows, key=lambda row: (row.order, row.worlds, row.events, row.strategy, row.app)):
        worlds = "1 world" if row.worlds == 1 else f"{row.worlds} worlds"
        order = "" if row.order == "ours" else ", the paper's order"
        groups.setdefault(f"{row.strategy}, {row.events} actions, {worlds}{order}", []).append(row)
    return groups


def asked_table(rows: Sequence[SuiteRow]) -> Table:
    """Each figure that was asked for, beside what was reached; medians are over all suites of our order."""
    ours = [row for row in rows if row.order == "ours"]
    one, ten = ([row for row in ours if row.worlds == worlds] for worlds in (1, 10))
    found: list[tuple[Cell, ...]] = []

    def add(what: str, asked: str, of: Sequence[SuiteRow], value: float | None, form: str, is_met: bool) -> None:
        reached = "not measured" if value is None or not of else form.format(value)
        found.append((what, asked, len(of), reached, "–" if value is None or not of else "yes" if is_met else "no"))

    def median(of: Sequence[SuiteRow], figure: Callable[[SuiteRow], float]) -> float | None:
        return statistics.median(map(figure, of)) if of else None

    for what, figure in (
        ("actions removed", lambda row: 100 * (1 - row.last.actions / max(1, row.actions))),
        ("restarts removed", lambda row: 100 * (1 - row.last.traces / max(1, row.traces))),
    ):
        value = median(ours, figure)
        add(f"{what}, median", "≥ 95 %", ours, value, "{:.1f} %", value is not None and value >= 95)
    value = median(ours, lambda row: 100 * row.suite_seconds / row.original_seconds)
    add("time of the suite, median", "≤ 5 %", ours, value, "{:.1f} %", value is not None and value <= 5)
    for worlds, most, of in (("one world", 1, one), ("ten worlds", 2, ten)):
        value = median(of, lambda row: row.making_seconds / row.original_seconds)
        add(f"cost with {worlds}, median", f"≤ {most}×", of, value, "{:.2f}×", value is not None and value <= most)
    lacking = [row for row in ours if row.lost]
    add("suites that lost coverage", "none", ours, len(lacking), "{:.0f}", not lacking)
    counted = [row for row in ours if row.lost_crashes is not None]
    crashes = [row for row in counted if row.lost_crashes]
    add("suites that lost a crash", "none", counted, len(crashes), "{:.0f}", not crashes)
    whole = [row for row in ours if row.is_whole and "splicing" in row.phases]
    # The selection may find a run of what phases 1 and 2 did not cover: that suite is dearer and covers more.
    worse = [
        row
        for row in whole
        if _weight(row, "splicing") < _weight(row) and row.last.covered <= row.phases["splicing"].covered
    ]
    add("suites dearer than after phase 2, of equal coverage", "none", ours, len(worse), "{:.0f}", not worse)
    return table(["figure", "asked for", "suites", "reached", "met"], found)


def _weight(row: SuiteRow, phase: str | None = None) -> int:
    """Actions and restarts of a suite as one number; a restart is worth some 20 actions on the twin."""
    size = row.last if phase is None else row.phases[phase]
    return size.actions + 20 * size.traces


def size_table(rows: Sequence[SuiteRow]) -> Table:
    """Every suite; suites that can be compared follow each other."""
    columns: list[str | tuple[str, str]] = [
        *("app", "traces of"),
        *(("branches", "{:g}"), ("screens", "{:g}"), ("crashes", "{:g}"), ("actions", "{:g}"), ("traces", "{:g}")),
        *(("phase 1: actions", "{:g}"), ("traces", "{:g}"), ("phase 2: actions", "{:g}"), ("traces", "{:g}")),
        *(("exact: actions", "{:g}"), ("traces", "{:g}")),
        *(("all worlds: actions", "{:g}"), ("traces", "{:g}")),
        *(
            *((f"t{number}", "{:.1f} s") for number in range(1, len(PHASES) + 1)),
            *(("recording", "{:.1f} s"), ("again", "{:.1f} s")),
            ("suite", "{:.1f} s"),
            ("of original", "{:.1f} %"),
            ("cost", "{:.2f}×"),
        ),
        *("lost", "flaky", "crashes kept", "lost", "flaky"),
    ]
    return table(columns, [_size_cells(name, row) for name, group in groups_of(rows).items() for row in group])


def share_lines(rows: Sequence[SuiteRow]) -> list[Line]:
    """For a chart: the median share of actions that is left after each phase, by group, and the paper's."""
    lines = [
        Line(name, ((0, 100), *((number, _share_left(group, phase)) for number, phase in enumerate(PHASES, 1))))
        for name, group in groups_of(rows).items()
    ]
    for suite, name in (("swifthand", "SwiftHand (paper)"), ("random", "RANDOM (paper)")):
        paper = [row for row in read_rows() if row.suite == suite]
        first = 100 - median_removed(paper, lambda row: row.actions, lambda row: row.actions_1)
        second = 100 - median_removed(paper, lambda row: row.actions, lambda row: row.actions_2)
        lines.append(Line(name, ((0, 100), (1, first), (2, second))))
    return lines


def _share_left(rows: Sequence[SuiteRow], phase: str) -> float:
    return statistics.median(100 * row.phases.get(phase, row.last).actions / max(1, row.actions) for row in rows)


def _size_cells(group: str, row: SuiteRow) -> tuple[Cell, ...]:
    sizes: list[Cell] = []
    seconds: list[Cell] = []
    for name in PHASES:
        size = row.phases.get(name)
        sizes += [None, None] if size is None else [size.actions, size.traces]
        seconds.append(None if size is None else size.seconds)
    share = 100 * row.suite_seconds / row.original_seconds if row.original_seconds else None
    own = (row.branches, row.screens, row.crashes, row.actions, row.traces)
    name = row.app if row.is_whole else f"{row.app} (ended early)"
    cost = row.making_seconds / row.original_seconds if row.original_seconds else None
    times = (*seconds, row.recording_seconds, row.again_seconds, row.suite_seconds, share, cost)
    crashes = (row.crashes_kept, row.lost_crashes, row.flaky_crashes)
    return (name, group, *own, *sizes, *times, row.lost, row.flaky, *crashes)


def _median(cells: Sequence[Cell]) -> Cell:
    numbers = [cell for cell in cells if isinstance(cell, (int, float))]
    return statistics.median(numbers) if numbers else None


def median_table(rows: Sequence[SuiteRow]) -> Table:
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
    own = [_own_medians(name, group) for name, group in groups_of(rows).items()]
    theirs = [
        _paper_medians(f"{name}, in the paper", [row for row in paper if row.suite == suite])
        for suite, name in (("swifthand", "SwiftHand"), ("random", "RANDOM"))
    ]
    return table(columns, [*own, *theirs])


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
    replayed without the coverage that was needed. Suites of one world tell nothing of later runs.
    """
    heads = ["", "played", *(f"n={number}" for number in range(1, MOST_RUNS + 1))]
    paper = (18043, 10956, 120, 86, 55, 35, 27, 14, 3, 0, 0)
    found: list[tuple[Cell, ...]] = []
    for order, name in (("ours", "our order, runs"), ("paper", "the paper's order, runs")):
        group = [row for row in rows if row.order == order and row.worlds > 1]
        if group:
            counted = _refusals(group)
            played = sum(row.played_runs for row in group)
            found.append((name, played, *(counted[number] for number in range(1, MOST_RUNS + 1))))
    return table(heads, [*found, ("in the paper, traces", *paper)])


def _refusals(rows: Sequence[SuiteRow]) -> Counter[int]:
    counted: Counter[int] = Counter()
    for row in rows:
        later = {int(number): count for number, count in row.deviations.items()}
        counted.update(later if 1 in later else {1: row.refused - sum(later.values()), **later})
    return counted


def state_table(counts: Mapping[tuple[str, str], Mapping[str, int]]) -> Table:
    """How many states each abstraction tells apart, by app and strategy; the last row has the medians."""
    names = list(dict.fromkeys(name for each in counts.values() for name in each))
    found = [(app, strategy, *(each.get(name) for name in names)) for (app, strategy), each in sorted(counts.items())]
    medians = [_median([cells[place] for cells in found]) for place in range(2, 2 + len(names))]
    return table(["app", "traces of", *((name, "{:g}") for name in names)], [*found, ("median", "all", *medians)])
