"""Counts of covered branches, lines and methods: of a whole app, by package and by class."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from fewtaps.model.coverage import ClassProbes, Coverage, ProbeMap


@dataclass(frozen=True, slots=True)
class Count:
    """A number of covered items and their total."""

    covered: int = 0
    total: int = 0

    @property
    def share(self) -> float:
        """Covered by total, from 0 to 1; 1 if the total is 0."""
        return self.covered / self.total if self.total else 1.0

    @property
    def missed(self) -> int:
        return self.total - self.covered

    def __add__(self, other: Count) -> Count:
        return Count(self.covered + other.covered, self.total + other.total)

    def to_json(self) -> dict[str, int]:
        return {"covered": self.covered, "total": self.total}


@dataclass(frozen=True, slots=True)
class Counts:
    """The counts of branches, lines and methods."""

    branches: Count = Count()
    lines: Count = Count()
    methods: Count = Count()

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.branches + other.branches, self.lines + other.lines, self.methods + other.methods)

    def to_json(self) -> dict[str, Any]:
        return {
            "branches": self.branches.to_json(),
            "lines": self.lines.to_json(),
            "methods": self.methods.to_json(),
        }


@dataclass(frozen=True, slots=True)
class ClassSummary:
    """One class, by its full name; `file` is the name of its source file, if known."""

    name: str
    file: str | None
    counts: Counts

    @property
    def short_name(self) -> str:
        return self.name.rpartition(".")[2]

    def to_json(self) -> dict[str, Any]:
        return {"name": self.name, "file": self.file, **self.counts.to_json()}


@dataclass(frozen=True, slots=True)
class PackageSummary:
    """One package, with its classes by name. A line that several of them share counts once."""

    name: str
    counts: Counts
    classes: tuple[ClassSummary, ...]

    def to_json(self) -> dict[str, Any]:
        return {"name": self.name, **self.counts.to_json(), "classes": [each.to_json() for each in self.classes]}


@dataclass(frozen=True, slots=True)
class CoverageSummary:
    """The whole app, with its packages by name; the counts are those of a JaCoCo report."""

    counts: Counts
    packages: tuple[PackageSummary, ...]

    def to_json(self) -> dict[str, Any]:
        return {**self.counts.to_json(), "packages": [each.to_json() for each in self.packages]}


def summarize(probes: ProbeMap, coverage: Coverage) -> CoverageSummary:
    """Counts the probes of the map that the coverage holds; numbers that are not in the map are ignored.

    A line belongs to its source file: it counts as covered in every class that has it once any class has run it.
    """
    counter = _Counter(coverage)
    by_package: defaultdict[str, list[ClassProbes]] = defaultdict(list)
    for each in probes.classes:
        by_package[each.name.rpartition(".")[0]].append(each)
    packages = tuple(counter.package(name, by_package[name]) for name in sorted(by_package))
    return CoverageSummary(sum((package.counts for package in packages), Counts()), packages)


class _Counter:
    """Counts against one coverage, whose numbers it keeps in sets for fast lookup: an app can have a million probes."""

    def __init__(self, coverage: Coverage) -> None:
        self._branches = set(coverage.branches)
        self._lines = set(coverage.lines)
        self._methods = set(coverage.methods)

    def package(self, name: str, classes: list[ClassProbes]) -> PackageSummary:
        summaries = tuple(self._class(each) for each in sorted(classes, key=lambda each: each.name))
        whole = sum((each.counts for each in summaries), Counts())
        # Classes that share a line are in one source file, hence in one package: each line counts once here.
        lines = {probe.number for each in classes for probe in each.lines}
        return PackageSummary(name, Counts(whole.branches, _count(lines, self._lines), whole.methods), summaries)

    def _class(self, probes: ClassProbes) -> ClassSummary:
        counts = Counts(
            _count({probe.number for probe in probes.branches}, self._branches),
            _count({probe.number for probe in probes.lines}, self._lines),
            _count({probe.number for probe in probes.methods}, self._methods),
        )
        return ClassSummary(probes.name, probes.file, counts)


def _count(numbers: set[int], covered: Iterable[int]) -> Count:
    return Count(len(numbers.intersection(covered)), len(numbers))
