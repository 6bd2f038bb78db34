"""`fewtaps test -o`, `--junit` and `fewtaps report --merge`: pages, XML, and shards joined."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from suites import bill_suite, failing_suite

from fewtaps.cli.main import main
from fewtaps.device.session import DEFAULT_SETTINGS
from fewtaps.device.simulated.device import SimulatedSession
from fewtaps.device.simulated.program import Phone, Program, View, button, label
from fewtaps.model.event import Launch, Selector, Tap
from fewtaps.model.suite import Suite, SuiteTest
from fewtaps.replay import play
from fewtaps.suite.expecting import with_expectations
from fewtaps.suitefile import write_suite

Capture = pytest.CaptureFixture[str]


def fewtaps(*arguments: object) -> int:
    return main(list(map(str, arguments)))


def verdicts(junit: Path) -> dict[str, str]:
    """The first child of every case: failure, error, skipped, or the output of one that passed."""
    return {case.get("name", ""): case[0].tag for case in ET.parse(junit).iter("testcase")}


def test_a_run_writes_pages_results_and_junit(tmp_path: Path, capsys: Capture) -> None:
    suite = failing_suite(tmp_path / "suite")
    out, junit = tmp_path / "out", tmp_path / "junit.xml"
    assert fewtaps("test", suite, "sim:bill", "-o", out, "--junit", junit) == 1
    assert f"Report: {out / 'index.html'}" in " ".join(capsys.readouterr().out.split("\n"))
    assert verdicts(junit) == {"more-split": "system-out", "wrong-share": "failure", "no-button": "error"}
    assert {path.name for path in out.glob("*.html")} == {"index.html", "test-wrong-share.html", "test-no-button.html"}
    page = (out / "test-wrong-share.html").read_text("utf-8")
    assert "101 each" in page and "100 each" in page and 'class="outline"' in page
    assert fewtaps("test", suite, "sim:bill", "-o", out, "--junit", junit) == 1, "an earlier report is replaced"


def test_a_suite_that_passes_has_one_page(tmp_path: Path) -> None:
    suite = bill_suite(tmp_path / "suite")
    assert fewtaps("test", suite, "sim:bill", "-o", tmp_path / "out") == 0
    assert [path.name for path in (tmp_path / "out").glob("*.html")] == ["index.html"]


def test_the_older_build_stands_beside_the_run_that_failed(tmp_path: Path) -> None:
    suite = bill_suite(tmp_path / "suite")
    assert fewtaps("test", suite, "sim:bill", "--against", "sim:bill", "-o", tmp_path / "out") == 0
    assert "compared with" in (tmp_path / "out" / "index.html").read_text("utf-8")


def totals(is_shown: bool, version: str) -> Program:
    """An app that shows a total after a tap, or does not."""

    def add(phone: Phone) -> None:
        phone.state["total"] = is_shown

    items = [button("Add", add), label("12", name="total", shown=lambda state: bool(state["total"]))]
    return Program("com.example.totals", [View("Main", items)], state={"total": False}, version=version)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder of its own."""
    monkeypatch.setenv("FEWTAPS_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_the_pictures_of_the_last_run_that_passed_stand_beside_those_of_a_failure(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite, out, junit = tmp_path / "suite", tmp_path / "out", tmp_path / "junit.xml"
    events = (Launch(), Tap(0, 0, Selector(text="Add")))
    trace = play(SimulatedSession(totals(True, "1.0"), DEFAULT_SETTINGS), events)
    write_suite(suite, Suite(trace.app, "page", (SuiteTest("add", with_expectations([trace], "page")),)))
    command = ("test", suite, "sim:totals", "-o", out, "--junit", junit)

    def failed_page() -> str:
        monkeypatch.setattr("fewtaps.device.simulated.samples.SAMPLES", (totals(False, "2.0"),))
        assert fewtaps(*command) == 1
        return (out / "test-add.html").read_text("utf-8")

    alone = failed_page()
    assert "Expected after step 1" not in alone and "Seen after step 1" in alone
    monkeypatch.setattr("fewtaps.device.simulated.samples.SAMPLES", (totals(True, "1.0"),))
    assert fewtaps("test", suite, "sim:totals") == 0
    assert not (cache / "suites" / "passed").exists(), "without -o no picture is taken"
    assert fewtaps(*command) == 0
    (kept,) = (cache / "suites" / "passed").iterdir()
    before = kept.stat().st_mtime_ns
    assert fewtaps(*command) == 0
    assert kept.stat().st_mtime_ns == before, "a run that is kept is not played again"
    page = failed_page()
    assert "Expected after step 1" in page and "Seen after step 1" in page
    assert page.count('class="outline"') > alone.count('class="outline"')
    (test,) = json.loads((out / "results.json").read_text("utf-8"))["tests"]
    seen, expected = (dict(run["pictures"])[1] for run in (test["runs"][0], test["reference"][0]))
    assert seen != expected
    shown = junit.read_text("utf-8")
    assert seen in shown and expected in shown
    assert fewtaps("report", "--merge", out, "-o", tmp_path / "merged") == 1
    assert "Expected after step 1" in (tmp_path / "merged" / "test-add.html").read_text("utf-8")
    kept.write_bytes(b"PK damaged")
    assert "Expected after step 1" not in failed_page()


@pytest.mark.slow
def test_shards_are_joined_to_one_report_with_the_exit_code_of_all(tmp_path: Path, capsys: Capture) -> None:
    suite = failing_suite(tmp_path / "suite")
    codes = [
        fewtaps("test", suite, "sim:bill", "--shard", f"{number}/3", "-o", tmp_path / str(number))
        for number in (1, 2, 3)
    ]
    assert sorted(codes) == [0, 1, 1]
    capsys.readouterr()
    shards = [tmp_path / str(number) for number in (3, 1, 2)]
    assert fewtaps("report", "--merge", *shards, "-o", tmp_path / "all", "--junit", tmp_path / "all.xml") == 1
    out = capsys.readouterr().out
    assert "1 passed, 1 failed, 1 broken" in out and "missing" not in out
    assert fewtaps("test", suite, "sim:bill", "--junit", tmp_path / "whole.xml") == 1
    assert verdicts(tmp_path / "all.xml") == verdicts(tmp_path / "whole.xml")


def test_a_missing_shard_is_told(tmp_path: Path, capsys: Capture) -> None:
    suite = bill_suite(tmp_path / "suite")
    assert fewtaps("test", suite, "sim:bill", "--shard", "1/3", "-o", tmp_path / "1") == 0
    capsys.readouterr()
    assert fewtaps("report", "--merge", tmp_path / "1", "--json") == 0
    summary = json.loads(capsys.readouterr().out.splitlines()[-1])["summary"]
    assert summary["counts"]["not run"] == 2 and "missing of 3 shards: 2, 3" in summary["notes"]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--merge",), "name the folders of the shards"),
        (("--merge", "shard"), "say where the results go"),
        (("--merge", "shard", "-o", "all"), "cannot be read"),
        (("one", "two"), "are for --merge"),
        (("one", "--junit", "x.xml"), "are for --merge"),
    ],
)
def test_a_wrong_merge_has_one_clear_line(
    arguments: tuple[str, ...], reason: str, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert fewtaps("report", *arguments) == 2
    err = capsys.readouterr().err
    assert reason in err and err.count("\n") == 1


def test_a_folder_that_is_no_report_is_refused_before_anything_is_run(tmp_path: Path, capsys: Capture) -> None:
    suite = bill_suite(tmp_path / "suite")
    assert fewtaps("test", suite, "sim:bill", "-o", suite) == 2
    captured = capsys.readouterr()
    assert "holds something that is no report" in captured.err and "passed" not in captured.out
    assert (suite / "suite.json").is_file()
