from __future__ import annotations

import json

from fewtaps.model.coverage import (
    NO_COVERAGE,
    BranchProbe,
    ClassProbes,
    Coverage,
    LineProbe,
    MethodProbe,
    ProbeMap,
    ProbeSet,
)
from fewtaps.model.summary import Count, Counts, summarize


def lines(*numbers: int) -> tuple[LineProbe, ...]:
    return tuple(LineProbe(number, number + 10) for number in numbers)


def branches(*numbers: int) -> tuple[BranchProbe, ...]:
    return tuple(BranchProbe(number, number + 10) for number in numbers)


def methods(*numbers: int) -> tuple[MethodProbe, ...]:
    return tuple(MethodProbe(number, f"m{number}", "()V") for number in numbers)


# Line 2 lies in the file of both b.Outer and b.Outer$1.
MAP = ProbeMap(
    (
        ClassProbes("b.Outer", "Outer.java", methods(0, 1), lines(0, 1, 2), branches(0, 1)),
        ClassProbes("a.Other", None, methods(2), lines(3), ()),
        ClassProbes("b.Outer$1", "Outer.java", methods(3), lines(2), ()),
        ClassProbes("Bare", None, methods(4), lines(4), branches(2, 3)),
    )
)
COVERED = Coverage(ProbeSet.of([0, 3]), ProbeSet.of([0, 2]), ProbeSet.of([0, 4, 99]))


def test_packages_and_classes_come_by_name() -> None:
    summary = summarize(MAP, COVERED)
    assert [package.name for package in summary.packages] == ["", "a", "b"]
    assert [each.short_name for each in summary.packages[2].classes] == ["Outer", "Outer$1"]


def test_a_class_counts_what_it_has() -> None:
    outer, inner = summarize(MAP, COVERED).packages[2].classes
    assert outer.counts == Counts(branches=Count(1, 2), lines=Count(2, 3), methods=Count(1, 2))
    assert inner.counts == Counts(branches=Count(0, 0), lines=Count(1, 1), methods=Count(0, 1))


def test_a_package_counts_a_shared_line_once() -> None:
    assert summarize(MAP, COVERED).packages[2].counts.lines == Count(2, 3)


def test_the_whole_agrees_with_the_map_and_the_coverage() -> None:
    counts = summarize(MAP, COVERED).counts
    totals = MAP.totals
    assert (counts.branches.total, counts.lines.total, counts.methods.total) == (
        totals.branches,
        totals.lines,
        totals.methods,
    )
    assert counts == Counts(branches=Count(2, 4), lines=Count(2, 5), methods=Count(2, 5))


def test_numbers_that_the_map_does_not_know_are_ignored() -> None:
    assert summarize(ProbeMap(), COVERED).counts == Counts()


def test_without_coverage_everything_is_missed() -> None:
    counts = summarize(MAP, NO_COVERAGE).counts
    assert counts.methods.missed == 5
    assert counts.methods.share == 0


def test_of_nothing_all_is_covered() -> None:
    assert Count().share == 1
    assert Count(1, 4).share == 0.25


def test_a_summary_is_plain_json() -> None:
    record = json.loads(json.dumps(summarize(MAP, COVERED).to_json()))
    assert record["lines"] == {"covered": 2, "total": 5}
    assert record["packages"][2]["classes"][1] == {
        "name": "b.Outer$1",
        "file": "Outer.java",
        "branches": {"covered": 0, "total": 0},
        "lines": {"covered": 1, "total": 1},
        "methods": {"covered": 0, "total": 1},
    }
