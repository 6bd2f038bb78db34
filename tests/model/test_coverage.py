from __future__ import annotations

import json

import pytest
from builders import coverages
from hypothesis import given
from hypothesis import strategies as st

from fewtaps.model.coverage import (
    BranchProbe,
    ClassProbes,
    Coverage,
    LineProbe,
    MethodProbe,
    ProbeMap,
    ProbeSet,
    ProbeTotals,
)

numbers = st.sets(st.integers(0, 3000))


@given(numbers, numbers)
def test_a_probe_set_behaves_like_a_set(one: set[int], other: set[int]) -> None:
    first, second = ProbeSet.of(one), ProbeSet.of(other)
    assert set(first | second) == one | other
    assert set(first & second) == one & other
    assert set(first - second) == one - other
    assert (first <= second) == (one <= other)
    assert len(first) == len(one)
    assert list(first) == sorted(one)
    assert all(number in first for number in one)
    assert bool(first) == bool(one)


@given(coverages)
def test_coverage_survives_json(coverage: Coverage) -> None:
    assert Coverage.from_json(json.loads(json.dumps(coverage.to_json()))) == coverage


def test_three_in_a_row_become_a_range() -> None:
    assert ProbeSet.of([1, 2, 5, 6, 7, 9]).to_json() == [1, 2, [5, 7], 9]


def test_a_plain_list_is_read_too() -> None:
    assert set(ProbeSet.from_json([3, 1, 3])) == {1, 3}


@pytest.mark.parametrize("record", [None, "1", [-1], [True], [[2, 1]], [[1, 2, 3]], [1.5], [[0, 1 << 40]], [1 << 40]])
def test_what_is_no_set_is_refused(record: object) -> None:
    with pytest.raises(ValueError):
        ProbeSet.from_json(record)


def test_the_bad_kind_of_probe_is_named() -> None:
    with pytest.raises(ValueError, match=r"^lines: "):
        Coverage.from_json({"lines": [-1]})


@pytest.mark.slow
def test_a_large_set_is_read_quickly() -> None:
    assert len(ProbeSet.of(range(0, 1_000_000, 3))) == len(list(ProbeSet.of(range(0, 1_000_000, 3))))


MAP = ProbeMap(
    (
        ClassProbes(
            "a.B",
            "B.java",
            (MethodProbe(0, "m", "()V", 3),),
            (LineProbe(0, 3), LineProbe(1, 4)),
            (BranchProbe(0, 4, 0), BranchProbe(1, 4)),
        ),
        ClassProbes("a.C", None, (MethodProbe(1, "n", "()V"),), (LineProbe(2, 9),)),
    )
)


def test_a_probe_map_survives_json() -> None:
    assert ProbeMap.from_json(json.loads(json.dumps(MAP.to_json()))) == MAP


def test_a_branch_of_an_older_map_has_no_method() -> None:
    record = {"classes": [{"name": "a.B", "branches": [[3, 9], [4, 9, 7]]}]}
    (probes,) = ProbeMap.from_json(record).classes
    assert probes.branches == (BranchProbe(3, 9), BranchProbe(4, 9, 7))


def test_a_probe_map_counts_its_probes() -> None:
    assert MAP.totals == ProbeTotals(branches=2, lines=3, methods=2)


def test_a_line_that_classes_share_counts_once() -> None:
    line = (LineProbe(0, 3),)
    assert (
        ProbeMap((ClassProbes("a.B", "B.java", (), line), ClassProbes("a.B$1", "B.java", (), line))).totals.lines == 1
    )


@pytest.mark.parametrize(
    "record",
    [
        None,
        {},
        {"classes": 5},
        {"classes": [5]},
        {"classes": [{"name": "a", "lines": [5]}]},
        {"classes": [{"name": "a", "branches": [[1, 2, "m"]]}]},
    ],
)
def test_what_is_no_probe_map_is_refused(record: object) -> None:
    with pytest.raises(ValueError):
        ProbeMap.from_json(record)
