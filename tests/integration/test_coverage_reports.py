"""JaCoCo's reports, made by the twin from execution data of runs that are over."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from integration.conftest import SAMPLES

from fewtaps.device.session import DEFAULT_SETTINGS
from fewtaps.device.twin.device import TwinDevice
from fewtaps.device.twin.jail import jail_problem
from fewtaps.model.app import App
from fewtaps.model.coverage import NO_COVERAGE, Coverage, ProbeMap, ProbeTotals
from fewtaps.model.summary import Count, summarize
from fewtaps.replay import play
from fewtaps.tracefile import read_trace

pytestmark = pytest.mark.jvm
APP = "dev.fewtaps.samples.tipsplit"


class Recorded:
    """Two runs of the bill splitter, one of them up to its crash, and what they covered."""

    def __init__(self, twin: TwinDevice, app: App) -> None:
        events = read_trace(SAMPLES / "tipsplit" / "crash.jsonl").events
        self.executions: list[bytes] = []
        self.coverage: Coverage = NO_COVERAGE
        with twin.open(app) as session:
            for part in (events, events[:2]):
                self.coverage = self.coverage | play(session, part).coverage
                self.executions.append(session.execution_data())
            self.probes: ProbeMap = session.probe_map()
            self.totals: ProbeTotals = self.probes.totals


@pytest.fixture(scope="module")
def app(sample: Callable[[str], App]) -> App:
    return sample("tipsplit")


@pytest.fixture(scope="module")
def recorded(twin: TwinDevice, app: App) -> Recorded:
    return Recorded(twin, app)


def test_a_report_counts_what_the_steps_counted(twin: TwinDevice, app: App, recorded: Recorded, tmp_path: Path) -> None:
    path = tmp_path / "jacoco.xml"
    assert twin.coverage_report(app, DEFAULT_SETTINGS, recorded.executions, xml=path) == ()
    report = ElementTree.parse(path).getroot()
    assert report.get("name") == APP
    assert len(report.findall("sessioninfo")) == 2
    for kind, name in (("LINE", "lines"), ("METHOD", "methods"), ("BRANCH", "branches")):
        count = counted(report, kind)
        assert count == Count(len(getattr(recorded.coverage, name)), getattr(recorded.totals, name))
        assert 0 < count.covered < count.total
    assert {each.get("name") for each in report.iter("sourcefile")} >= {"Bill.java", "MainActivity.java"}


def test_a_summary_counts_what_a_report_counts(twin: TwinDevice, app: App, recorded: Recorded, tmp_path: Path) -> None:
    twin.coverage_report(app, DEFAULT_SETTINGS, recorded.executions, xml=tmp_path / "jacoco.xml")
    report = ElementTree.parse(tmp_path / "jacoco.xml").getroot()
    summary = summarize(recorded.probes, recorded.coverage)
    packages = {each.name.replace(".", "/"): each for each in summary.packages}
    assert {package.get("name") for package in report.iter("package")} == set(packages)
    for package in report.iter("package"):
        own = packages[package.get("name", "")]
        assert counted(package, "LINE") == own.counts.lines
        assert counted(package, "BRANCH") == own.counts.branches
        classes = {each.name.replace(".", "/"): each.counts for each in own.classes}
        for each in package.iter("class"):
            counts = classes[each.get("name", "")]
            assert (counted(each, "BRANCH"), counted(each, "METHOD")) == (counts.branches, counts.methods)


def counted(element: ElementTree.Element, kind: str) -> Count:
    for counter in element.findall("counter"):
        if counter.get("type") == kind:
            covered = int(counter.get("covered", 0))
            return Count(covered, covered + int(counter.get("missed", 0)))
    return Count()


def test_pages_show_the_sources(twin: TwinDevice, app: App, recorded: Recorded, tmp_path: Path) -> None:
    notes = twin.coverage_report(
        app, DEFAULT_SETTINGS, recorded.executions, html=tmp_path / "pages", sources=[SAMPLES / "tipsplit"]
    )
    assert not any("source files" in note and note.startswith("0") for note in notes)
    page = (tmp_path / "pages" / APP / "Bill.java.html").read_text("utf-8")
    assert 'class="fc"' in page
    assert "class Bill" in page
    assert APP in (tmp_path / "pages" / "index.html").read_text("utf-8")


def test_data_of_another_app_are_left_out(
    twin: TwinDevice, recorded: Recorded, sample: Callable[[str], App], tmp_path: Path
) -> None:
    path = tmp_path / "jacoco.xml"
    (note,) = twin.coverage_report(sample("calc"), DEFAULT_SETTINGS, recorded.executions, xml=path)
    assert "left out" in note
    report = ElementTree.parse(path).getroot()
    assert {each.get("covered") for each in report.findall("counter")} == {"0"}


def test_another_jvm_executes_the_same_classes(recorded: Recorded, app: App) -> None:
    with TwinDevice(jail=jail_problem() is None) as other:
        assert Recorded(other, app).executions == recorded.executions
