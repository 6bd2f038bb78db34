"""The page of mutants shows hostile names as text."""

from __future__ import annotations

from pathlib import Path

from builders import APP

from fewtaps.model.mutant import Mutant, MutantResult, MutantStatus, MutationScore
from fewtaps.report.mutant_html import MutantPage, render_mutants


def page(*results: MutantResult, lines: dict[str, str] | None = None) -> MutantPage:
    return MutantPage(APP, results, uncovered=3, remaining=1, by_states=MutationScore(1, 2), lines=lines or {})


def mutant(name: str, index: int = 0, operator: str = "MATH") -> Mutant:
    return Mutant(name, "m", "()V", index, operator, 4, "B.java", 1, 1, "replaced <b>addition</b>", "iadd")


def test_the_page_tells_scores_survivors_and_what_found_the_others(tmp_path: Path) -> None:
    survived = MutantResult(mutant("a.B"), MutantStatus.SURVIVED, tests_run=2)
    killed = MutantResult(mutant("a.C", operator="INCREMENTS"), MutantStatus.KILLED, "split", 5, "text")
    shown = page(survived, killed, lines={survived.mutant.key: "return a + b;"})
    render_mutants(shown, tmp_path)
    text = (tmp_path / "index.html").read_text()
    for part in ("50.0 % of 2 faults found", "return a + b;", "split", "a.B.m", "INCREMENTS", "no time for 1 mutant"):
        assert part in text
    assert "iadd" not in text
    assert [(group.name, group.score.detected) for group in shown.classes] == [("a.B", 0), ("a.C", 1)]


def test_names_of_an_app_are_text_and_nothing_else(tmp_path: Path) -> None:
    hostile = "<script>alert(1)</script>\u202e\x00"
    render_mutants(page(MutantResult(mutant(hostile), MutantStatus.SURVIVED)), tmp_path)
    text = (tmp_path / "index.html").read_text()
    assert "<script>alert" not in text
    assert "\u202e" not in text
    assert "\x00" not in text
    assert "<b>addition" not in text
