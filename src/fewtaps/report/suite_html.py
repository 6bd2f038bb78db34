"""Renders the pages of a suite's run into a folder that opens from disk, with the results beside them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fewtaps.model.suite_result import SuiteResult, SuiteTestStatus
from fewtaps.report.folder import MARK
from fewtaps.report.html import POLICY, environment_for, write_assets
from fewtaps.report.suite_pages import RunPictures, suite_report
from fewtaps.report.suite_results import PICTURES, picture_name, shown_runs, write_results
from fewtaps.report.suite_views import SuiteReport
from fewtaps.report.thumbnails import Thumbnails

FORMAT_VERSION = 1
_CHIPS = {
    SuiteTestStatus.PASSED: "good",
    SuiteTestStatus.HEALED: "good",
    SuiteTestStatus.FLAKY: "warn",
    SuiteTestStatus.QUARANTINED: "warn",
    SuiteTestStatus.FAILED: "hot",
    SuiteTestStatus.BROKEN: "hot",
    SuiteTestStatus.CRASHED: "hot",
}


def render_suite_report(result: SuiteResult, folder: Path, version: str = "") -> None:
    """Writes the page of the suite, a page for each test that did not simply pass, and the results, into a folder."""
    report = suite_report(result, version)
    environment = environment_for(Thumbnails(RunPictures(result), folder))
    environment.globals |= {"statuses": SuiteTestStatus, "chip": _chip}
    shared: dict[str, Any] = {"report": report, "live": False, "working": False, "policy": POLICY}

    def write(name: str, template: str, **values: Any) -> None:
        text = environment.get_template(template).render(page=name, **shared, **values)
        (folder / name).write_text(text, encoding="utf-8")

    write("index.html", "suite.html")
    for number, test in enumerate(report.tests):
        write(
            test.page,
            "suite_test.html",
            test=test,
            position=number + 1,
            earlier=report.tests[number - 1] if number else None,
            later=report.tests[number + 1] if number + 1 < len(report.tests) else None,
        )
    write_assets(folder)
    write_results(result, folder)
    (folder / MARK).write_text(_mark(report), encoding="utf-8")


def attachments(result: SuiteResult, folder: Path) -> Mapping[str, list[str]]:
    """The pictures of the steps that differ by the names of the tests, as paths into a report's folder."""
    found: dict[str, list[str]] = {}
    for each in result.results:
        shown = each.shown
        if shown is None or shown.step is None:
            continue
        # A step that could not be played, or ended the app, has no picture: the one before it shows where it was.
        for run in shown_runs(each):
            near = [(number, png) for number, png in run.pictures if number <= shown.step]
            if near and near[-1][1]:
                found.setdefault(each.name, []).append(str(folder / PICTURES / picture_name(near[-1][1])))
    return found


def _chip(status: SuiteTestStatus) -> str:
    """The style of a status."""
    return _CHIPS.get(status, "")


def _mark(report: SuiteReport) -> str:
    """The JSON of the marker file: the format's version and a summary for programs."""
    tests = [{"name": row.name, "status": row.status.value, "page": row.page} for row in report.rows]
    content = {"fewtaps": "suite-report", "version": FORMAT_VERSION, "package": report.app.package, "tests": tests}
    return json.dumps(content, indent=1) + "\n"
