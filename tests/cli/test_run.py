"""`fewtaps run` on the simulated device: what it prints, what it leaves behind, how it ends."""

from __future__ import annotations

import json
import re
import sqlite3
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fewtaps.cli.live import LiveRunView
from fewtaps.cli.main import main
from fewtaps.cli.run import case_table
from fewtaps.cli.terminal import Terminal
from fewtaps.config import ExploreLimits, ExploreSettings, RunSettings
from fewtaps.errors import DeviceLost, UsageError
from fewtaps.model.crash import Crash, CrashKind, ExceptionInfo, Frame
from fewtaps.model.result import ReductionProgress
from fewtaps.pipeline.cases import Case
from fewtaps.pipeline.exploring import explore_app
from fewtaps.pipeline.findings import NO_BASELINE, Baseline, read_states
from fewtaps.pipeline.news import CandidateRun, CrashWorkStarted, ExploringStarted
from fewtaps.pipeline.running import run_app
from fewtaps.store.database import open_store

Capture = pytest.CaptureFixture[str]
ZERO = "2f201145"
"""The crash of the bill splitter that divides by zero; its steps are: tap 'Split'."""


def run(folder: Path, *options: str, app: str = "sim:bill", events: int = 400) -> int:
    """Goes on with an exploration whose strategy is from a paper, and does not change: it finds one crash."""
    if app == "sim:bill" and not (folder / "fewtaps.db").exists() and not folder.is_file():
        explore_app(app, ExploreSettings(folder, strategy="timemachine", limits=ExploreLimits(events=1)))
    return main(["run", app, "-o", str(folder), "--events", str(events), "--worlds", "5", "-j", "1", *options])


def documents(capsys: Capture) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which a run over the bill splitter has come to its end."""
    folder = tmp_path_factory.mktemp("project")
    assert run(folder) == 0
    return folder


@pytest.mark.slow
def test_the_table_has_steps_before_and_after_the_rate_and_the_report(project: Path, capsys: Capture) -> None:
    assert run(project) == 0
    lines = capsys.readouterr().out.splitlines()
    (row,) = (line for line in lines if line.startswith(ZERO) and "ArithmeticException" in line)
    assert re.split(r" {2,}", re.sub(r"\d+ → 1 ", "N → 1 ", row))[2:] == ["N → 1", "5 of 5", "no"]
    heading = next(line for line in lines if line.startswith("crash "))
    assert re.split(r" {2,}", heading) == ["crash", "steps", "reproduction rate", "suspect"]
    assert heading.index("suspect") == row.rindex("no")
    report = Path(lines[-1].removeprefix("Report: "))
    assert report == project / "report" / "index.html" and report.is_file()


@pytest.mark.slow
def test_the_report_shows_the_budget_and_what_was_used_of_it(tmp_path: Path) -> None:
    for _ in range(2):
        assert run(tmp_path, "--minutes", "2", app="sim:wizard", events=5) == 0
    page = (tmp_path / "report" / "index.html").read_text("utf-8")
    text = " ".join(re.sub("<[^>]+>", " ", page).split())
    budget = text[text.index(" Budget ") : text.index("How it was explored")]
    assert re.search(r"Time \S+ \S+ of 4:00 min given exploring, ", budget)
    assert "Events 5 of 5" in budget and "Devices at once 1" in budget


@pytest.mark.slow
def test_run_report_and_states_count_the_same_states(tmp_path: Path, capsys: Capture) -> None:
    assert run(tmp_path, "--json", app="sim:notes", events=120) == 0
    told = documents(capsys)[-1]["summary"]["progress"]["states"]
    page = (tmp_path / "report" / "states.html").read_text("utf-8")
    assert told == len(read_states(tmp_path).nodes) == page.count('<a class="state') > 3


@pytest.mark.slow
def test_the_reduced_steps_lie_in_the_folder_and_replay(project: Path) -> None:
    (trace,) = project.glob(f"{ZERO}*.reduced.jsonl")
    assert main(["play", "sim:bill", str(trace), "--fail-on-crash"]) == 1


@pytest.mark.slow
def test_each_crash_is_told_when_it_is_found_and_when_it_is_done(tmp_path: Path, capsys: Capture) -> None:
    assert run(tmp_path / "out") == 0
    out = capsys.readouterr().out
    found, done = out.index("crash: java.lang.ArithmeticException"), out.index(f"{ZERO}  ")
    assert found < done < out.index("Explored: 400 events")
    assert "Ended: all 400 events are used" in out


@pytest.mark.slow
def test_json_ends_with_a_summary_of_everything(tmp_path: Path, capsys: Capture) -> None:
    assert run(tmp_path / "out", "--json") == 0
    found = documents(capsys)
    summary = found[-1]["summary"]
    done = [each["done"]["id"] for each in found if "done" in each]
    crashes = {crash["id"]: crash for crash in summary["crashes"]}
    assert set(done) == set(crashes)
    (zero,) = (crash for name, crash in crashes.items() if name.startswith(ZERO))
    assert zero["steps"] == ["Launch", "Tap 'Split'"]
    assert zero["reproduction"] == {"met": 5, "runs": 5}
    assert zero["reduced"] and zero["minimal"] and not zero["suspect"]
    assert Path(summary["report"]).is_file()
    assert summary["progress"]["events"] == 400


@pytest.mark.slow
def test_an_app_without_crashes_gets_a_report_that_says_so(tmp_path: Path, capsys: Capture) -> None:
    assert run(tmp_path / "out", app="sim:wizard", events=5) == 0
    out = capsys.readouterr().out
    assert "No crash was found." in out
    assert (tmp_path / "out" / "report" / "index.html").is_file()


@pytest.mark.slow
def test_a_crash_can_be_a_failure_unless_it_is_known(project: Path, tmp_path: Path, capsys: Capture) -> None:
    assert run(project, "--fail-on", "crash") == 1
    capsys.readouterr()
    known, junit = tmp_path / "known.json", tmp_path / "junit.xml"
    assert main(["crashes", str(project), "--json"]) == 0
    known.write_text(capsys.readouterr().out)
    options = ("--fail-on", "new-crash", "--baseline", str(known), "--junit", str(junit))
    assert run(project, *options) == 0
    assert "(known)" in capsys.readouterr().out
    assert len(list(ET.parse(junit).iter("skipped"))) == len(json.loads(known.read_text())["crashes"])
    known.write_text("[]")
    assert run(project, *options) == 1
    (failure,) = (
        each for each in ET.parse(junit).iter("failure") if each.get("type", "").endswith("ArithmeticException")
    )
    assert failure.text is not None and failure.text.startswith("1. Tap 'Split'\n\n")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--minutes", "0"), "--minutes: more than nothing"),
        (("--events", "0"), "--events: more than nothing"),
        (("--patience", "-1"), "--patience: a number of events"),
        (("--worlds", "0"), "--worlds: between 1 and 1000"),
        (("-j", "0"), "-j: between 1 and 64 devices"),
        (("--block", "colour:red"), "colour"),
        (("--fail-on", "new-crash"), "needs --baseline"),
        (("--baseline", "no-such-file"), "no-such-file: cannot be read"),
        (("--prelude", "no-such-file"), "no-such-file"),
        (("--device", "toaster"), "'toaster' is none of"),
        (("--set", "queue=1"), "there is no parameter 'queue'"),
        (("--set", "ideas=-phone"), "'-phone' switches none off"),
    ],
)
def test_a_bad_option_is_one_line_and_exit_code_2_and_makes_nothing(
    tmp_path: Path, capsys: Capture, options: tuple[str, ...], words: str
) -> None:
    assert main(["run", "sim:bill", "-o", str(tmp_path / "out"), *options]) == 2
    error = capsys.readouterr().err
    assert words in error and len(error.splitlines()) == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_the_numbers_of_the_strategy_can_be_set_and_hold_for_the_folder(tmp_path: Path, capsys: Capture) -> None:
    options = ["run", "sim:feed", "-o", str(tmp_path), "--events", "60", "-j", "1", "--no-suite", "--no-slice"]
    assert main([*options, "--set", "ideas=-phones", "--set", "episode.events=5"]) == 0
    with open_store(tmp_path) as store:
        run_id = store.runs.all()[0].run_id
        episodes = list(store.runs.iter_episodes(run_id))
    assert len(episodes) > 8 and not any(each.trace.phone for each in episodes)
    assert max(each.events - each.replayed for each in episodes) <= 6, "the launch and five new events"
    assert main([*options, "--set", "episode.events=9"]) == 2
    assert "--set: the exploration was begun with" in capsys.readouterr().err


def test_a_file_that_is_no_app_is_said(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "app.apk").write_text("hello")
    assert main(["run", str(tmp_path / "app.apk"), "-o", str(tmp_path / "out")]) == 2
    assert "app.apk" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_folder_that_is_a_file_is_refused(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "out").write_text("")
    assert run(tmp_path / "out") == 2
    assert "not a folder" in capsys.readouterr().err


def test_an_empty_folder_is_as_good_as_none(tmp_path: Path) -> None:
    assert run(tmp_path, events=5) == 0


def test_a_store_from_a_newer_version_is_left_as_it_is(tmp_path: Path, capsys: Capture) -> None:
    assert run(tmp_path, events=5) == 0
    with sqlite3.connect(tmp_path / "fewtaps.db") as database:
        database.execute("PRAGMA user_version = 999")
    database.close()
    before = (tmp_path / "fewtaps.db").read_bytes()
    capsys.readouterr()
    assert run(tmp_path) == 3
    assert "written by a newer fewtaps" in capsys.readouterr().err
    assert (tmp_path / "fewtaps.db").read_bytes() == before


@pytest.mark.parametrize("content", [b"", b"SQLite format 3\x00" + b"\x00" * 84, b"hello" * 100])
def test_a_half_written_store_is_used_or_refused_in_one_line(tmp_path: Path, capsys: Capture, content: bytes) -> None:
    (tmp_path / "fewtaps.db").write_bytes(content)
    status = run(tmp_path, events=5)
    error = capsys.readouterr().err
    assert (status, error) == (0, "") or (status == 3 and len(error.splitlines()) == 1)


@pytest.mark.slow
def test_missing_pictures_are_no_obstacle(project: Path, capsys: Capture) -> None:
    for picture in (project / "pictures").glob("*.png"):
        picture.unlink()
    assert run(project) == 0
    assert "Report: " in capsys.readouterr().out


def test_a_report_that_cannot_be_written_costs_nothing_else(
    project: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(folder: Path) -> Path:
        raise UsageError(f"{folder}: cannot be written (No space left on device)")

    monkeypatch.setattr("fewtaps.cli.run.write_report", full)
    assert run(project) == 0
    captured = capsys.readouterr()
    assert f"{ZERO}  ArithmeticException" in captured.out
    assert "no report: " in captured.err and "No space left" in captured.err


@pytest.mark.slow
def test_an_interruption_says_what_is_kept_and_writes_the_report(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*arguments: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("fewtaps.cli.live.done_text", interrupt)
    assert run(tmp_path / "out") == 130
    captured = capsys.readouterr()
    assert f"everything found is kept in {tmp_path / 'out'}; the same command goes on from there" in captured.err
    assert "reproduction rate" in captured.out and "Ended: interrupted" in captured.out
    assert (tmp_path / "out" / "report" / "index.html").is_file()
    monkeypatch.undo()
    assert run(tmp_path / "out") == 0


@pytest.mark.slow
def test_a_device_that_fails_for_good_is_exit_code_3_after_the_table(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*arguments: object, **options: object) -> object:
        raise DeviceLost("no power")

    monkeypatch.setattr("fewtaps.pipeline.running._AppRun._waiting", failing)
    assert run(tmp_path / "out") == 3
    captured = capsys.readouterr()
    assert "reproduction rate" in captured.out
    assert captured.err == f"fewtaps: no power; details: {tmp_path / 'out' / 'log' / 'fewtaps.log'}\n"


@pytest.mark.slow
def test_a_suspect_crash_is_marked_and_never_a_failure(project: Path, tmp_path: Path, capsys: Capture) -> None:
    with sqlite3.connect(project / "fewtaps.db") as database:
        database.execute("UPDATE crash SET suspect = 'no such library' WHERE fingerprint LIKE ?", (f"{ZERO}%",))
    database.close()
    known = tmp_path / "known.json"
    assert main(["crashes", str(project), "--json"]) == 0
    others = [each for each in documents(capsys)[0]["crashes"] if not each["id"].startswith(ZERO)]
    known.write_text(json.dumps(others))
    assert run(project, "--fail-on", "new-crash", "--baseline", str(known)) == 0
    out = capsys.readouterr().out
    assert next(line for line in out.splitlines() if line.startswith(f"{ZERO}  Arith")).endswith("  yes")
    assert "suspect: no such library" in out
    with sqlite3.connect(project / "fewtaps.db") as database:
        database.execute("UPDATE crash SET suspect = NULL")
    database.close()


@pytest.mark.slow
def test_the_table_tells_apart_what_was_not_reduced_not_replayed_and_lost(tmp_path: Path, capsys: Capture) -> None:
    (first, *_) = run_app("sim:notes", RunSettings(tmp_path, events=60, worlds=2)).cases
    cases = [
        Case(first.row, first.trace, 9),
        Case(first.row, first.trace, 9, is_begun=True),
        Case(first.row, first.trace, 9, is_begun=True, is_reduced=True, replays={1: True, 2: False}),
        Case(first.row, first.trace, 9, is_lost=True),
    ]
    case_table(Terminal(), cases, NO_BASELINE)
    rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith(first.row.fingerprint[:8])]
    steps = first.steps
    assert [re.split(r" {2,}", row)[2:] for row in rows] == [
        [f"{steps}, not reduced", "not replayed", "no"],
        [f"9 → {steps} so far", "not replayed", "no"],
        [f"9 → {steps}", "1 of 2 (9%–91%)", "no"],
        [f"{steps}, not reduced", "did not replay", "no"],
    ]


@pytest.mark.slow
def test_the_table_fits_eighty_columns_and_cuts_only_what_a_crash_is(tmp_path: Path, capsys: Capture) -> None:
    (first, *_) = run_app("sim:notes", RunSettings(tmp_path, events=60, worlds=2)).cases
    frame = Frame("com.example.some.very.long.name.of.a.package.MainActivity", "onClick", "MainActivity.java", 4711)
    crash = Crash(CrashKind.EXCEPTION, "main", (ExceptionInfo("a.LongException", "so much to say " * 20, (frame,)),))
    row = replace(first.row, crash=crash, suspect="a library for phones is missing")
    replays = dict.fromkeys(range(18), True) | {18: False, 19: False}
    known = Baseline(frozenset({row.fingerprint}))
    case_table(Terminal(), [Case(row, first.trace, 1234, is_begun=True, replays=replays)], known)
    heading, line, where, why, *_ = capsys.readouterr().out.splitlines()
    assert max(map(len, (heading, line, where, why))) <= 80
    assert line.endswith(f"1234 → {first.steps} so far  18 of 20 (70%–97%)  yes (known)")
    assert "LongException: so m…" in line and where == "          at …MainActivity.onClick(MainActivity.java:4711)"
    assert why == "          suspect: a library for phones is missing"


@pytest.mark.slow
def test_the_live_view_shows_time_stage_and_figures(tmp_path: Path) -> None:
    live = LiveRunView(Terminal())
    ran = run_app("sim:notes", RunSettings(tmp_path, events=60, worlds=2), live)
    live(ExploringStarted(75.0, 300.0))
    assert live.head()[0].plain == "████████░░░░░░░░░░░░░░░░░░░░░░  1:15 of 5:00  exploring"
    assert "60 events" in live.head()[-1].plain
    live(CrashWorkStarted(ran.cases[0]))
    live(CandidateRun(ReductionProgress("ddmin", 5, True, 4, 17, 80)))
    assert live.head()[1].plain == "  4 steps after 17 runs"


@pytest.mark.slow
def test_the_budget_report_says_where_the_seconds_went(tmp_path: Path, capsys: Capture) -> None:
    words = ["run", "sim:bill", "-o", str(tmp_path), "--events", "200", "--budget-report"]
    assert main(words) == 0
    _, _, table = capsys.readouterr().out.partition("Where the time went\n")
    names = [line.split("  ")[1].strip() for line in table.splitlines()]
    stages = {"exploring", "reducing", "pictures and reproduction rates", "suite", "everything else", "report"}
    assert stages <= set(names)
    works = {line.split(",")[0].strip() for line in table.splitlines() if "all devices together" in line}
    assert works == {"launches", "events", "pictures", "choosing events"}
    main([*words[:-1], "--json"])
    summary = json.loads(capsys.readouterr().out.splitlines()[-1])["summary"]
    assert sum(each["seconds"] for each in summary["stages"]) == pytest.approx(summary["seconds"], abs=0.1)
