from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
from projects import make_project

from fewtaps.errors import UsageError
from fewtaps.exports.registry import EXPORTS, Finding
from fewtaps.pipeline.reporting import write_report
from fewtaps.report.export_views import export_views
from fewtaps.report.pages import read_report
from fewtaps.report.views import CrashView, ExportView, Picture
from fewtaps.store.database import open_store


def crash_of(project: Path) -> CrashView:
    with open_store(project) as store:
        return read_report(store, "").findings[0]


def by_name(crash: CrashView) -> dict[str, ExportView]:
    return {export.name: export for export in export_views(crash, lambda picture: f"pictures/{picture.name}.webp")}


def test_every_export_is_there(tmp_path: Path) -> None:
    exports = by_name(crash_of(make_project(tmp_path)))
    assert list(exports) == list(EXPORTS)
    assert all(export.text for export in exports.values())


def test_a_format_that_cannot_say_the_steps_does_not_cost_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crash = crash_of(make_project(tmp_path))

    def refuse(self: object, finding: Finding) -> None:
        raise UsageError("cannot be said")

    broken = type("Broken", (), {"render": refuse})()
    monkeypatch.setitem(EXPORTS, "monkey", broken)
    assert list(by_name(crash)) == [name for name in EXPORTS if name != "monkey"]


def test_the_issue_names_the_pictures_of_the_report_and_says_that_they_have_to_be_uploaded(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    report = write_report(project).parent
    page = (report / crash_of(project).page).read_text("utf-8")
    section = page[page.index('id="export-issue"') :].partition("</section>")[0]
    issue = html.unescape(re.sub("<[^>]+>", "", section))
    steps = re.findall(r'^\d+\. .*<img src="([^"]+)" width="240" alt="Screen after step (\d)">$', issue, re.MULTILINE)
    assert [number for _, number in steps] == ["0", "1"]
    film = re.findall(r'<img src="([^"]+)"', page.partition('id="stack"')[0])
    assert [address for address, _ in steps] == film
    assert all((report / address).is_file() for address in film)
    assert "pictures have to be uploaded by hand" in issue


def test_an_issue_without_pictures_has_nothing_to_say_of_them(tmp_path: Path) -> None:
    issue = by_name(crash_of(make_project(tmp_path, pictures=False)))["issue"]
    assert "<img" not in issue.text and issue.losses == ()


def test_each_picture_is_the_screen_that_its_step_led_to(tmp_path: Path) -> None:
    crash = crash_of(make_project(tmp_path))
    asked: list[Picture] = []
    export_views(crash, lambda picture: asked.append(picture) or "x")  # type: ignore[func-returns-value]
    assert [picture.screen for picture in asked] == [step.after for step in crash.finding.trace.steps[:-1]]
