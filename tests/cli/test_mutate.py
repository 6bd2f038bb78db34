"""`fewtaps mutate` on the simulated device, where a fault is a handler that does nothing."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from builders import OpenProgram

from fewtaps.cli.main import main
from fewtaps.device.simulated.samples import bill
from fewtaps.model.event import Event, Selector, Tap
from fewtaps.model.suite import Suite, SuiteTest
from fewtaps.replay import play
from fewtaps.suite.expecting import with_expectations
from fewtaps.suitefile import read_suite, write_suite

Capture = pytest.CaptureFixture[str]


def on(text: str) -> Event:
    return Tap(0, 0, Selector(class_name="android.widget.Button", text=text))


@pytest.fixture
def suite(open_program: OpenProgram, tmp_path: Path) -> Path:
    """One test splits a bill and sees a text, another one opens a dialog, a third one closes it."""
    session = open_program(bill())
    tests = [
        SuiteTest(name, with_expectations([play(session, [on(text) for text in texts])], "actionable"))
        for name, texts in (
            ("split", ("More people", "Split")),
            ("about", ("About",)),
            ("close", ("About", "Close")),
        )
    ]
    write_suite(tmp_path / "suite", Suite(bill().app.ref, "actionable", tuple(tests)))
    return tmp_path / "suite"


def mutate(suite: Path, *options: str, app: str = "sim:bill") -> int:
    return main(["mutate", str(suite), app, "-o", str(suite.parent / "out"), *options])


def edit(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Changes each line of a test's file."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines:
        change(line)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def documents(capsys: Capture) -> tuple[dict[str, dict[str, Any]], dict[str, Any]]:
    """The results by method, and the summary."""
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    return {each["mutant"]["method"]: each["mutant"] for each in lines[:-1]}, lines[-1]["summary"]


def test_each_fault_is_killed_by_a_test_that_reaches_it_at_the_right_step(suite: Path, capsys: Capture) -> None:
    assert mutate(suite, "--json", "--states") == 0
    results, summary = documents(capsys)
    assert set(results) == {"on_tap_more_people", "on_tap_split", "on_tap_about", "on_tap_close"}
    assert {each["status"] for each in results.values()} == {"KILLED"}
    assert (results["on_tap_more_people"]["test"], results["on_tap_more_people"]["step"]) == ("split", 1)
    assert (results["on_tap_split"]["test"], results["on_tap_split"]["step"]) == ("split", 2)
    assert results["on_tap_split"]["difference"] == "text"
    assert (results["on_tap_about"]["test"], results["on_tap_about"]["step"]) == ("about", 1)
    assert (results["on_tap_close"]["test"], results["on_tap_close"]["step"]) == ("close", 2)
    assert results["on_tap_split"]["by_states"] == "SURVIVED"
    assert results["on_tap_close"]["by_states"] == "KILLED"
    assert results["on_tap_more_people"]["by_states"] == "KILLED", "a bill is split among nobody"
    assert (summary["score"], summary["score_by_states"]) == (100.0, 75.0)


def test_what_no_expectation_sees_survives_and_is_told_with_its_line(suite: Path, capsys: Capture) -> None:
    (suite / "close.jsonl").unlink()
    edit(suite / "split.jsonl", lambda line: line.get("expect", {}).pop("widgets", None))
    assert mutate(suite, "--fail-under", "70") == 1
    out = capsys.readouterr().out
    assert "1 mutant survived:" in out
    assert "com.example.bill.Main.on_tap_split (Main.py:" in out
    assert "call on_tap_split" in out
    assert "Found: 66.7 % (2 of 3)" in out
    assert "No test reaches 1 further mutant" in out
    root = ElementTree.parse(suite.parent / "out" / "mutations.xml").getroot()
    assert sorted(each.get("status") or "" for each in root) == ["KILLED", "KILLED", "NO_COVERAGE", "SURVIVED"]
    page = (suite.parent / "out" / "report" / "index.html").read_text()
    assert "66.7 % of 3 faults found" in page
    assert "call on_tap_split" in page
    assert "com.example.bill.Main.on_tap_split" in page


@pytest.mark.slow
def test_the_report_of_a_project_links_the_page_of_its_mutants(suite: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    assert main(["explore", "sim:bill", "-o", str(project), "--events", "20"]) == 0
    shutil.copytree(suite, project / "suite")
    link = "../mutants/report/index.html"
    overview = project / "report" / "index.html"
    assert main(["report", str(project)]) == 0
    assert link not in overview.read_text(encoding="utf-8")
    assert main(["mutate", str(suite), "sim:bill", "-o", str(project / "mutants")]) == 0
    assert main(["report", str(project)]) == 0
    assert f'href="{link}"' in overview.read_text(encoding="utf-8")
    assert "faults found" in (overview.parent / link).resolve().read_text(encoding="utf-8")


def test_a_folder_with_other_things_is_not_replaced_by_the_report(suite: Path, capsys: Capture) -> None:
    (suite.parent / "out" / "report").mkdir(parents=True)
    (suite.parent / "out" / "report" / "mine.txt").write_text("mine")
    assert mutate(suite) == 2
    assert "holds something that is no report" in capsys.readouterr().err


def test_what_was_played_is_not_played_again(suite: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    assert mutate(suite, "--json", "--mutants", "2") == 0
    first, summary = documents(capsys)
    assert (summary["sampled"], summary["covered"], summary["resumed"]) == (2, 4, 0)
    (log,) = (suite.parent / "out").glob("results-*.jsonl")
    with log.open("ab") as stream:
        stream.write(b'{"mutant": "cut off')
    assert mutate(suite, "--json") == 0
    second, summary = documents(capsys)
    assert (summary["sampled"], summary["resumed"]) == (4, 2)
    assert first.items() <= second.items()
    assert mutate(suite, "--json") == 0
    again, summary = documents(capsys)
    assert summary["resumed"] == 4
    assert again == second


def test_several_devices_give_the_same_results(suite: Path, capsys: Capture) -> None:
    assert mutate(suite, "--json") == 0
    one, _ = documents(capsys)
    shutil.rmtree(suite.parent / "out")
    assert mutate(suite, "--json", "-j", "3") == 0
    several, _ = documents(capsys)
    assert several == one


def test_a_test_that_fails_without_a_fault_is_left_out_and_named(suite: Path, capsys: Capture) -> None:

    def rename(line: dict[str, Any]) -> None:
        if line.get("event", {}).get("kind") == "tap":
            line["event"]["selector"]["text"] = "Nothing"

    edit(suite / "about.jsonl", rename)
    assert mutate(suite) == 0
    assert "about fails without a fault at step 1 (target): left out" in capsys.readouterr().out
    for name in ("split", "close"):
        (suite / f"{name}.jsonl").unlink()
    assert mutate(suite) == 2
    assert "no test passes on this build without a fault; about differs at step 1" in capsys.readouterr().err


def test_kills_are_kept_in_the_suite_only_where_asked_for(suite: Path, capsys: Capture) -> None:
    before = (suite / "suite.json").read_bytes()
    assert mutate(suite) == 0
    assert (suite / "suite.json").read_bytes() == before
    assert mutate(suite, "--keep-kills") == 0
    kills = {test.name: test.kills for test in read_suite(suite).tests}
    assert kills == {"split": 2, "about": 1, "close": 1}


def test_a_text_that_tells_a_survivor_apart_is_added_to_its_test(suite: Path, capsys: Capture) -> None:
    path = suite / "split.jsonl"
    edit(path, lambda line: line.get("expect", {}).pop("widgets", None))
    before = path.read_text().splitlines()
    assert mutate(suite, "--add-texts", "--json") == 0
    results, summary = documents(capsys)
    assert results["on_tap_split"]["status"] == "SURVIVED"
    assert summary["added_texts"] == [{"test": "split", "step": 2, "text": "100 each"}]
    after = path.read_text().splitlines()
    changed = [number for number, line in enumerate(after) if json.loads(line) != json.loads(before[number])]
    assert changed == [3], "the step's line and no other"
    assert mutate(suite, "--add-texts", "--json") == 0
    results, summary = documents(capsys)
    assert results["on_tap_split"]["status"] == "KILLED"
    assert summary["added_texts"] == []
    assert path.read_text().splitlines() == after


def test_a_suite_that_was_made_without_coverage_is_refused_unless_told_otherwise(suite: Path, capsys: Capture) -> None:
    write_suite(suite, replace(read_suite(suite), settings=(("coverage", "off"),)))
    assert mutate(suite) == 2
    assert "the suite was made without coverage" in capsys.readouterr().err
    assert mutate(suite, "--coverage", "app") == 0


def test_a_suite_of_another_app_and_a_folder_without_one_are_refused(suite: Path, capsys: Capture) -> None:
    assert mutate(suite, app="sim:notes") == 2
    assert "the suite is for com.example.bill" in capsys.readouterr().err
    assert mutate(suite.parent / "nothing") == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--mutants", "0"), "--mutants: between 1 and 1000000, not 0"),
        (("--operator", "PLUS"), "--operator"),
        (("-j", "0"), "-j: between 1 and 64 devices"),
        (("--minutes", "0"), "--minutes: more than nothing"),
        (("--coverage", "off"), "mutants need coverage"),
        (("--fail-under", "101"), "--fail-under: a share in percent"),
        (("--sources", "nowhere"), "--sources nowhere: no such folder"),
    ],
)
def test_wrong_options_are_one_line(suite: Path, capsys: Capture, options: tuple[str, ...], message: str) -> None:
    assert mutate(suite, *options) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_operators_that_a_program_lacks_give_no_mutants(suite: Path, capsys: Capture) -> None:
    assert mutate(suite, "--operator", "MATH", "--operator", "INLINE_CONSTS", "--json") == 0
    results, summary = documents(capsys)
    assert results == {}
    assert (summary["score"], summary["counted"], summary["covered"]) == (0.0, 0, 0)


def test_the_source_line_of_a_survivor_is_shown(suite: Path, capsys: Capture, tmp_path: Path) -> None:
    for name in ("split", "close"):
        (suite / f"{name}.jsonl").unlink()
    edit(suite / "about.jsonl", lambda line: line.pop("expect", None))
    folder = tmp_path / "sources" / "com" / "example" / "bill"
    folder.mkdir(parents=True)
    (folder / "Main.py").write_text("".join(f"the line {number}\n" for number in range(1, 500)))
    assert mutate(suite, "--json") == 0
    results, _ = documents(capsys)
    line = results["on_tap_about"]["line"]
    assert mutate(suite, "--sources", str(tmp_path / "sources")) == 0
    assert f"      the line {line}\n" in capsys.readouterr().out
