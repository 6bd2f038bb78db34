"""The suite at the end of a run: that its tests pass, that it is made once, and when there is none."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from fewtaps.cli.main import main
from fewtaps.config import DeviceSettings, RunSettings
from fewtaps.errors import UsageError
from fewtaps.pipeline import run_suites
from fewtaps.pipeline.news import News, SuiteStarted
from fewtaps.pipeline.running import Ran, run_app
from fewtaps.suitefile import read_suite

Capture = pytest.CaptureFixture[str]


def run(folder: Path, app: str = "sim:notes", *, events: int = 120, tell: list[News] | None = None) -> Ran:
    settings = RunSettings(folder, events=events, minutes=60, worlds=3, jobs=1)
    return run_app(app, settings, (tell if tell is not None else []).append)


@pytest.mark.slow
@pytest.mark.parametrize("app", ["sim:bill", "sim:notes", "sim:feed"])
def test_a_run_ends_with_a_suite_whose_tests_pass(app: str, tmp_path: Path, capsys: Capture) -> None:
    suite = run(tmp_path, app).suite
    assert suite is not None and suite.is_there and suite.made is not None
    assert suite.tests == len(read_suite(tmp_path / "suite").tests)
    assert suite.made.after.transitions < suite.made.before.transitions
    assert main(["test", str(tmp_path / "suite"), app]) == 0


@pytest.mark.slow
def test_every_crash_that_replays_is_in_the_suite(tmp_path: Path) -> None:
    ran = run(tmp_path, "sim:bill")
    signatures = {case.row.crash.signature for case in ran.cases if not case.is_suspect and not case.is_flaky}
    assert ran.suite is not None and ran.suite.made is not None
    assert ran.suite.made.counts["crashes"] == len(signatures) > 0


@pytest.mark.slow
def test_the_same_command_makes_no_second_suite(tmp_path: Path) -> None:
    while (made := run(tmp_path).suite) is not None and made.made is not None and not made.made.reduced.is_whole:
        continue
    content = {path: path.read_bytes() for path in (tmp_path / "suite").iterdir()}
    heard: list[News] = []
    again = run(tmp_path, tell=heard).suite
    assert again is not None and again.is_there and again.made is None
    assert not any(isinstance(news, SuiteStarted) for news in heard)
    assert {path: path.read_bytes() for path in (tmp_path / "suite").iterdir()} == content


@pytest.mark.slow
def test_more_exploring_adds_to_the_suite_and_keeps_its_tests(tmp_path: Path) -> None:
    run(tmp_path, events=15)
    names = {test.name for test in read_suite(tmp_path / "suite").tests}
    more = run(tmp_path, events=250).suite
    assert more is not None and more.made is not None
    assert more.made.added
    assert names < {test.name for test in read_suite(tmp_path / "suite").tests}


@pytest.mark.slow
def test_a_suite_that_was_deleted_is_made_again(tmp_path: Path) -> None:
    run(tmp_path)
    for path in (tmp_path / "suite").iterdir():
        path.unlink()
    again = run(tmp_path).suite
    assert again is not None and again.made is not None and again.is_there


@pytest.mark.slow
def test_without_coverage_the_reason_is_told_and_the_run_is_whole(tmp_path: Path, capsys: Capture) -> None:
    options = ["--events", "30", "-j", "1", "--worlds", "2", "-o", str(tmp_path)]
    assert main(["run", "sim:notes", *options, "--coverage", "off"]) == 0
    assert "Suite: none, because coverage is off" in capsys.readouterr().out
    assert not (tmp_path / "suite").exists()


def test_no_suite_is_made_if_none_is_wanted(tmp_path: Path, capsys: Capture) -> None:
    options = ["--events", "30", "-j", "1", "--worlds", "2", "-o", str(tmp_path), "--no-suite"]
    assert main(["run", "sim:notes", *options]) == 0
    assert "Suite" not in capsys.readouterr().out
    assert not (tmp_path / "suite").exists()


def test_a_suite_of_the_folder_that_cannot_be_read_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "suite").mkdir()
    (tmp_path / "suite" / "suite.json").write_text("{")
    suite = run(tmp_path, events=30).suite
    assert suite is not None and not suite.is_there and "suite.json" in suite.reason
    assert (tmp_path / "suite" / "suite.json").read_text() == "{"


@pytest.mark.slow
def test_an_interruption_while_the_suite_is_made_loses_nothing(tmp_path: Path) -> None:
    def interrupt(news: News) -> None:
        if isinstance(news, SuiteStarted):
            raise KeyboardInterrupt

    settings = RunSettings(tmp_path, events=60, minutes=60, worlds=3, jobs=1)
    ran = run_app("sim:notes", settings, interrupt)
    assert ran.is_interrupted and ran.suite is None and ran.explored.progress.events == 60
    after = run_app("sim:notes", settings)
    assert after.suite is not None and after.suite.is_there


@pytest.mark.slow
def test_a_suite_ends_with_the_time_of_the_run(tmp_path: Path) -> None:
    settings = RunSettings(tmp_path, minutes=0.4, patience=0, worlds=2, jobs=1)
    began = time.monotonic()
    ran = run_app("sim:notes", settings)
    assert ran.suite is not None
    assert ran.seconds <= 0.4 * 60 + 5 and time.monotonic() - began < 40


def test_a_suite_that_cannot_be_made_does_not_fail_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object, **options: object) -> None:
        raise UsageError("the folder is read-only")

    monkeypatch.setattr(run_suites, "make_suite", refuse)
    ran = run_app("sim:notes", RunSettings(tmp_path, DeviceSettings(), events=30, minutes=60, worlds=2, jobs=1))
    assert ran.suite is not None and ran.suite.reason == "the folder is read-only" and not ran.is_interrupted


@pytest.mark.slow
def test_the_report_lists_the_tests_and_the_command(tmp_path: Path, capsys: Capture) -> None:
    folder = tmp_path / "project"
    assert main(["run", "sim:notes", "--events", "60", "-j", "1", "--worlds", "2", "-o", str(folder)]) == 0
    out = capsys.readouterr().out
    page = (folder / "report" / "index.html").read_text("utf-8")
    tests = read_suite(folder / "suite").tests
    assert tests and all(f"<bdi>{test.name}</bdi>" in page for test in tests)
    assert "fewtaps test project/suite app.apk" in page
    events = sum(len(test.trace.steps) - 1 for test in tests)
    assert f"Suite: {len(tests)} tests, {events} events, in {folder}/suite; run: fewtaps test {folder}/suite" in out
