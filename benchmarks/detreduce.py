"""The rows of tables 2 and 3 of the DetReduce paper (Choi, Sen, Necula, Wang; ICSE 2018), kept in detreduce.csv.

`suite` is the tool that made the traces: swifthand (table 2) or random (table 3). Fields that end in `_1` and `_2` are
of the suite after that phase. Table 3 has no coverage after the phases. Hours are those of the phases and of the
reduced suite; `suite_percent` is the time of the reduced suite in percent of the original's, which is 8 hours.
"""

from __future__ import annotations

import csv
import statistics
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

FILE = Path(__file__).resolve().parent / "detreduce.csv"
ORIGINAL_HOURS = 8
"""The time for which SwiftHand and RANDOM ran on each app."""


@dataclass(frozen=True, slots=True)
class PaperRow:
    """One row; None for what the table leaves out."""

    suite: str
    app: str
    package: str
    branches: int
    screens: int
    actions: int
    traces: int
    branches_1: int | None
    screens_1: int | None
    actions_1: int
    traces_1: int
    branches_2: int | None
    screens_2: int | None
    actions_2: int
    traces_2: int
    hours_1: float
    hours_2: float
    suite_hours: float
    suite_percent: float

    @property
    def cost_factor(self) -> float:
        """The time of both phases relative to that of the original suite."""
        return (self.hours_1 + self.hours_2) / ORIGINAL_HOURS


def read_rows() -> list[PaperRow]:
    """All rows, in the order of the paper."""
    with FILE.open(newline="", encoding="utf-8") as file:
        return [_row(record) for record in csv.DictReader(file)]


def _row(record: dict[str, str]) -> PaperRow:
    texts = [record[name] for name in ("suite", "app", "package")]
    counts = [int(value) if value else None for value in list(record.values())[3:15]]
    hours = [float(value) for value in list(record.values())[15:]]
    return PaperRow(*texts, *counts, *hours)  # type: ignore[arg-type]


def median_removed(
    rows: Iterable[PaperRow], before: Callable[[PaperRow], int], after: Callable[[PaperRow], int]
) -> float:
    """The median of what a phase removes of each app's suite, in percent."""
    return statistics.median(100 * (1 - after(row) / before(row)) for row in rows)
