"""The pages of a suite's run: a table of all tests, and a page for each that did not pass."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from exports.test_quoting import HOSTILE
from report.suites import COVERAGE, OLD, a_result, outcome, run, screen

from fewtaps.model.event import Selector
from fewtaps.model.screen import Bounds
from fewtaps.model.suite_result import Difference, DifferenceKind, SuiteResult, SuiteTestStatus
from fewtaps.model.trace import Trace
from fewtaps.report.folder import MARK
from fewtaps.report.suite_html import attachments, render_suite_report
from fewtaps.report.suite_pages import suite_report
from fewtaps.report.suite_views import SuiteTestPage

TEXT, BUTTON = Bounds(20, 100, 340, 180), Bounds(20, 300, 340, 380)


def page_of(name: str, result: SuiteResult | None = None) -> SuiteTestPage:
    return next(page for page in suite_report(result or a_result()).tests if page.name == name)


def test_every_test_that_did_not_simply_pass_has_a_page_and_failures_come_first(tmp_path: Path) -> None:
    report = suite_report(a_result())
    assert [row.name for row in report.rows][:3] == ["nobody", "wrong-sum", "no-button"]
    assert {row.name for row in report.rows if not row.page} == {"pays", "later"}
    render_suite_report(a_result(coverage=COVERAGE), tmp_path)
    pages = {path.name for path in tmp_path.glob("*.html")}
    assert pages == {"index.html", *(page.page for page in report.tests)}
    linked = re.findall(r'href="([^"#]+\.html)', (tmp_path / "index.html").read_text("utf-8"))
    assert set(linked) == pages


def test_the_differing_widget_is_outlined_in_both_runs() -> None:
    launch, tap = page_of("wrong-sum").steps
    assert tap.is_different and not launch.is_different
    assert tap.seen is not None and tap.seen.outlines == (TEXT,)
    assert tap.reference is not None and tap.reference.outlines == (TEXT,)
    assert launch.seen is not None and launch.seen.outlines == ()
    assert tap.expected == ("activity Main", "#total shows '12.50'")


def test_a_broken_step_shows_the_nearest_widgets_on_the_screen_before_it() -> None:
    launch, tap = page_of("no-button").steps
    assert launch.seen is not None and launch.seen.outlines == (BUTTON,)
    assert tap.seen is None and tap.note == "its widget is not there" and tap.is_different
    assert page_of("no-button").nearest == ("'Split' (#split, Button)",)


def test_a_crash_has_its_stack_in_place_of_a_screen() -> None:
    page = page_of("nobody")
    assert page.steps[1].seen is None and page.steps[1].note == "crashed"
    assert page.exceptions[0].type == "java.lang.ArithmeticException" and "Bill.share" in page.log


def test_the_screen_with_the_difference_is_shown_first() -> None:
    shown = {name: page_of(name).focus for name in ("wrong-sum", "no-button", "nobody", "healed")}
    numbers = {name: None if step is None else step.number for name, step in shown.items()}
    assert numbers == {"wrong-sum": 1, "no-button": 0, "nobody": 0, "healed": None}


def test_a_flaky_test_shows_a_run_that_did_not_pass_and_all_worlds() -> None:
    page = page_of("sometimes")
    assert page.world == 1 and [world for world, _ in page.worlds] == [0, 1, 2, 3]
    assert (page.reproduction.met, page.reproduction.runs) == (2, 4)


def test_a_step_after_the_end_of_a_run_is_not_played() -> None:
    failed = run(SuiteTestStatus.FAILED, "9")
    assert failed.trace is not None
    ended = replace(failed, step=0, trace=Trace(failed.trace.app, failed.trace.steps[:1]))
    page = page_of("t", a_result(outcome("t", SuiteTestStatus.FAILED, ended)))
    assert [step.note for step in page.steps] == ["", "not played"]


def test_the_pictures_of_the_step_that_differs_are_attached(tmp_path: Path) -> None:
    result = a_result()
    found = attachments(result, tmp_path)
    render_suite_report(result, tmp_path)
    assert {name: len(paths) for name, paths in found.items()} == {
        "wrong-sum": 2,
        "no-button": 1,
        "nobody": 1,
        "sometimes": 1,
        "apart": 1,
    }
    assert all(Path(path).read_bytes().startswith(b"\x89PNG") for paths in found.values() for path in paths)


def test_the_marker_tells_programs_the_results(tmp_path: Path) -> None:
    render_suite_report(a_result(), tmp_path)
    mark = json.loads((tmp_path / MARK).read_text("utf-8"))
    assert mark["tests"][0] == {"name": "nobody", "status": "crashed", "page": "test-nobody.html"}


def test_the_page_of_the_suite_tells_coverage_notes_and_the_older_build(tmp_path: Path) -> None:
    render_suite_report(a_result(coverage=COVERAGE, notes=("shard 2 is missing",), against=OLD), tmp_path)
    text = (tmp_path / "index.html").read_text("utf-8")
    for part in ("dev.example.Bill", "dev.example.New", "dev.example.Later", "shard 2 is missing", "compared with 1.0"):
        assert part in text


@pytest.mark.slow
def test_whatever_the_app_says_no_markup_comes_of_it() -> None:
    for text in (*HOSTILE, "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "'\"><b>"):
        named = Selector(text or None, text, text, text)
        found = Difference(DifferenceKind.TEXT, text, text, named, (0, 0))
        failed = run(SuiteTestStatus.FAILED)
        assert failed.trace is not None
        steps = tuple(replace(step, after=screen(text, text)) for step in failed.trace.steps)
        trace = replace(failed.trace, steps=steps)
        failed = replace(failed, differences=(found,), trace=trace, selector=named, nearest=(named,))
        result = a_result(outcome("t", SuiteTestStatus.FAILED, failed), notes=(text,))
        with TemporaryDirectory() as folder:
            render_suite_report(result, Path(folder), text)
            for page in Path(folder).glob("*.html"):
                content = page.read_text("utf-8")
                assert "<script>" not in content and "<img src=x" not in content and "<b>" not in content
                assert re.findall(r"<script\b[^>]*>", content) == ['<script defer src="assets/report.js">']
