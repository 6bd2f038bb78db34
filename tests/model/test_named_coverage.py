from __future__ import annotations

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
from fewtaps.model.named_coverage import name_coverage
from fewtaps.model.suite import NamedCoverage

CLICK = MethodProbe(4, "onClick", "(Landroid/view/View;)V", 10)
TOTAL = MethodProbe(5, "total", "()I", 20)
CLASS = ClassProbes(
    "a.Main",
    "Main.java",
    (CLICK, TOTAL),
    (LineProbe(7, 10), LineProbe(8, 20)),
    (BranchProbe(2, 10, 4), BranchProbe(3, 10, 4), BranchProbe(4, 20, 5), BranchProbe(5, 20, 5)),
)
OTHER = ClassProbes("a.Other", None, (MethodProbe(6, "total", "()I"),), (LineProbe(9, 20),), (BranchProbe(6, 20),))
MAP = ProbeMap((CLASS, OTHER))


def test_a_branch_is_named_by_class_method_and_its_number_in_the_method() -> None:
    named = name_coverage(Coverage(branches=ProbeSet.of([3, 4])), MAP)
    assert named.branches == {("a.Main", "onClick(Landroid/view/View;)V", 1), ("a.Main", "total()I", 0)}


def test_methods_and_lines_are_named_with_their_class() -> None:
    named = name_coverage(Coverage(lines=ProbeSet.of([8, 9]), methods=ProbeSet.of([5, 6])), MAP)
    assert named.methods == {("a.Main", "total()I"), ("a.Other", "total()I")}
    assert named.lines == {("a.Main", 20), ("a.Other", 20)}
    assert named.classes == {"a.Main", "a.Other"}


def test_a_line_that_two_classes_share_is_named_with_both() -> None:
    shared = ProbeMap((CLASS, ClassProbes("a.Main$1", "Main.java", (), (LineProbe(7, 10),))))
    assert name_coverage(Coverage(lines=ProbeSet.of([7])), shared).lines == {("a.Main", 10), ("a.Main$1", 10)}


def test_a_branch_of_an_unknown_method_is_numbered_in_its_class() -> None:
    assert name_coverage(Coverage(branches=ProbeSet.of([6])), MAP).branches == {("a.Other", "", 0)}


def test_names_are_the_same_in_a_build_with_other_numbers() -> None:
    moved = ClassProbes(
        "a.Main",
        "Main.java",
        (MethodProbe(0, "added", "()V", 1), MethodProbe(1, "onClick", "(Landroid/view/View;)V", 14)),
        (),
        (BranchProbe(0, 1, 0), BranchProbe(1, 1, 0), BranchProbe(2, 14, 1), BranchProbe(3, 14, 1)),
    )
    before = name_coverage(Coverage(branches=ProbeSet.of([2, 3])), MAP)
    assert name_coverage(Coverage(branches=ProbeSet.of([2, 3])), ProbeMap((moved,))) == before


def test_numbers_that_the_map_does_not_have_are_left_out() -> None:
    assert name_coverage(Coverage(ProbeSet.of([99]), ProbeSet.of([99]), ProbeSet.of([99])), MAP) == NamedCoverage()
    assert name_coverage(NO_COVERAGE, MAP) == NamedCoverage()
