"""`fewtaps explore`, `crashes`, `coverage` and `states` on the simulated device."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fewtaps.cli.main import main
from fewtaps.config import DeviceSettings
from fewtaps.pipeline.opening import Plan, plan_app

Capture = pytest.CaptureFixture[str]


def explore(folder: Path, *options: str, app: str = "sim:bill", events: int = 400) -> int:
    """Explores with a strategy that types nothing and therefore finds one crash only."""
    strategy = ("--strategy", "timemachine")
    return main(["explore", app, "-o", str(folder), "--events", str(events), *strategy, *options])


def documents(capsys: Capture) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.fixture
def project(tmp_path: Path, capsys: Capture) -> Path:
    """A folder in which the bill splitter was explored and has crashed."""
    folder = tmp_path / "project"
    assert explore(folder) == 0
    capsys.readouterr()
    return folder


def test_tells_of_the_crash_and_where_everything_is(tmp_path: Path, capsys: Capture) -> None:
    assert explore(tmp_path / "out") == 0
    out = capsys.readouterr().out
    assert "crash: java.lang.ArithmeticException" in out
    assert "Ended: all 400 events are used" in out
    assert "4 of 4 lines (100%)" in out
    assert f"fewtaps crashes {tmp_path / 'out'}" in out


def test_json_tells_of_every_episode_and_ends_with_a_summary(tmp_path: Path, capsys: Capture) -> None:
    assert explore(tmp_path / "out", "--json") == 0
    found = documents(capsys)
    episodes = [each["episode"] for each in found if "episode" in each and isinstance(each["episode"], dict)]
    summary = found[-1]["summary"]
    assert [each["number"] for each in episodes] == list(range(summary["progress"]["episodes"]))
    assert sum(each["events"] for each in episodes) == summary["progress"]["events"] == 400
    assert len(summary["new_crashes"]) == len(summary["crashes"]) == 1


@pytest.mark.slow
def test_without_a_strategy_texts_are_typed_too(tmp_path: Path, capsys: Capture) -> None:
    assert main(["explore", "sim:bill", "-o", str(tmp_path / "out"), "--events", "400"]) == 0
    out = capsys.readouterr().out
    assert "crash: java.lang.ArithmeticException" in out
    assert "crash: java.lang.NumberFormatException" in out


def test_a_crash_can_be_a_failure(tmp_path: Path) -> None:
    assert explore(tmp_path / "a", "--fail-on", "crash") == 1


@pytest.mark.slow
def test_a_crash_of_the_baseline_is_no_failure(project: Path, tmp_path: Path, capsys: Capture) -> None:
    assert main(["crashes", str(project), "--json"]) == 0
    known = tmp_path / "known.json"
    known.write_text(capsys.readouterr().out)
    assert explore(tmp_path / "b", "--fail-on", "new-crash", "--baseline", str(known)) == 0
    assert "(known)" in capsys.readouterr().out
    known.write_text("[]")
    assert explore(tmp_path / "c", "--fail-on", "new-crash", "--baseline", str(known)) == 1


@pytest.mark.slow
def test_junit_tells_what_is_new(project: Path, tmp_path: Path, capsys: Capture) -> None:
    main(["crashes", str(project), "--json"])
    known, report = tmp_path / "known.json", tmp_path / "junit.xml"
    known.write_text(capsys.readouterr().out)
    assert explore(tmp_path / "b", "--junit", str(report)) == 0
    assert [case.tag for case in ET.parse(report).iter("failure")] == ["failure"]
    assert explore(tmp_path / "c", "--junit", str(report), "--baseline", str(known)) == 0
    assert [case.tag for case in ET.parse(report).iter("skipped")] == ["skipped"]


@pytest.mark.parametrize(
    ("content", "words"),
    [("", "not JSON"), ("{}", "not a baseline"), ('[{"x": 1}]', "without an id"), ("[" * 100_000, "not JSON")],
)
def test_a_file_that_is_no_baseline_is_refused(tmp_path: Path, capsys: Capture, content: str, words: str) -> None:
    path = tmp_path / "known.json"
    path.write_text(content)
    assert explore(tmp_path / "out", "--baseline", str(path)) == 2
    assert words in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--strategy", "clever"), "'clever' is none of frontier"),
        (("--events", "0"), "--events: more than nothing and less than a billion, not 0"),
        (("--minutes", "-1"), "--minutes: more than nothing"),
        (("--minutes", "inf"), "less than a billion, not inf"),
        (("--until-covered", "101"), "--until-covered: a share in percent"),
        (("--until-covered", "50", "--coverage", "off"), "--until-covered needs coverage"),
        (("-j", "0"), "-j: between 1 and 64 devices"),
        (("--worlds", "0"), "--worlds: between 1 and 1000 worlds"),
        (("--set", "queue=1"), "queue"),
        (("--set", "queue_length=many"), "queue_length"),
        (("--set", "easy_share=2"), "easy_share"),
        (("--block", "colour:red"), "colour"),
        (("--fail-on", "bad-weather"), "'bad-weather' is none of"),
        (("--fail-on", "new-crash"), "needs --baseline"),
        (("--baseline", "no-such-file"), "no-such-file: cannot be read"),
        (("--baseline", "/dev/zero"), "/dev/zero: too large for a baseline"),
        (("--prelude", "no-such-file"), "no-such-file"),
        (("--resume",), "there is no such folder"),
    ],
)
def test_a_bad_option_is_one_line_and_exit_code_2(
    tmp_path: Path, capsys: Capture, options: tuple[str, ...], words: str
) -> None:
    assert main(["explore", "sim:bill", "-o", str(tmp_path / "out"), "--events", "9", *options]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert len(error.splitlines()) == 1


@pytest.mark.parametrize("command", ["explore", "run"])
@pytest.mark.parametrize("place", ["none/junit.xml", "file/junit.xml", "folder", "out", "x" * 300])
def test_a_junit_file_that_cannot_be_written_is_said_before_anything_is_done(
    tmp_path: Path, capsys: Capture, command: str, place: str
) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    junit = str(tmp_path / place)
    assert main([command, "sim:bill", "-o", str(tmp_path / "out"), "--events", "9", "--junit", junit]) == 2
    said = capsys.readouterr()
    assert f"{junit}: cannot be written" in said.err and len(said.err.splitlines()) == 1
    assert said.out == "" and not (tmp_path / "out").exists()


def test_a_junit_file_of_before_stays_until_there_is_a_new_one(tmp_path: Path, capsys: Capture) -> None:
    junit = tmp_path / "junit.xml"
    junit.write_text("before")
    assert explore(tmp_path / "out", "--junit", str(junit), "--prelude", "no-such-file") == 2
    assert junit.read_text() == "before" and list(tmp_path.iterdir()) == [junit]


@pytest.mark.slow
@pytest.mark.parametrize("command", ["explore", "run"])
def test_a_junit_file_may_lie_in_the_project_folder_to_be_made(tmp_path: Path, capsys: Capture, command: str) -> None:
    out = tmp_path / "out"
    assert main([command, "sim:bill", "-o", str(out), "--events", "9", "--junit", str(out / "junit.xml")]) == 0
    assert ET.parse(out / "junit.xml").getroot().tag == "testsuites"


def test_the_folder_is_named_after_the_app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["explore", "sim:bill", "--events", "5"]) == 0
    assert (tmp_path / "fewtaps-bill" / "fewtaps.db").is_file()


def test_a_folder_that_is_a_file_is_refused(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "out").write_text("")
    assert explore(tmp_path / "out") == 2
    assert "not a folder" in capsys.readouterr().err


@pytest.mark.slow
def test_blocked_widgets_are_left_alone(tmp_path: Path, capsys: Capture) -> None:
    assert explore(tmp_path / "out", "--block", "text:Split", events=2000) == 0
    assert "No crash was found." in capsys.readouterr().out


def test_crashes_lists_each_with_its_steps(project: Path, tmp_path: Path, capsys: Capture) -> None:
    assert main(["crashes", str(project)]) == 0
    line = capsys.readouterr().out.splitlines()[0]
    assert "ArithmeticException" in line and line.endswith("steps")
    trace = tmp_path / "crash.jsonl"
    assert main(["crashes", str(project), "--show", line[:4], "--save", str(trace)]) == 0
    assert "Shortest steps" in capsys.readouterr().out
    assert main(["play", "sim:bill", str(trace), "--fail-on-crash"]) == 1


def test_an_unknown_crash_is_said(project: Path, capsys: Capture) -> None:
    assert main(["crashes", str(project), "--show", "zzzz"]) == 2
    assert "no crash 'zzzz'" in capsys.readouterr().err


def test_saving_needs_a_crash_to_save(project: Path, capsys: Capture) -> None:
    assert main(["crashes", str(project), "--save", "x.jsonl"]) == 2
    assert "--show ID" in capsys.readouterr().err


def test_an_app_without_crashes_is_said_so(tmp_path: Path, capsys: Capture) -> None:
    explore(tmp_path / "out", events=1)
    capsys.readouterr()
    assert main(["crashes", str(tmp_path / "out")]) == 0
    assert "No crash was found." in capsys.readouterr().out


def test_coverage_is_summed_up(project: Path, capsys: Capture) -> None:
    assert main(["coverage", str(project)]) == 0
    out = capsys.readouterr().out
    assert "All" in out and "100%" in out
    assert main(["coverage", str(project), "--json"]) == 0
    assert documents(capsys)[0]["coverage"]["lines"]["covered"] == 4


def test_a_report_needs_what_jacoco_recorded(project: Path, tmp_path: Path, capsys: Capture) -> None:
    assert main(["coverage", str(project), "--xml", str(tmp_path / "j.xml")]) == 2
    assert "nothing that JaCoCo recorded" in capsys.readouterr().err


def test_states_are_listed_and_drawn(project: Path, tmp_path: Path, capsys: Capture) -> None:
    svg, graphml = tmp_path / "s.svg", tmp_path / "s.graphml"
    assert main(["states", str(project), "--svg", str(svg), "--graphml", str(graphml)]) == 0
    out = capsys.readouterr().out
    states = int(out.splitlines()[-3].split()[0])
    assert states >= 2
    assert len(list(ET.parse(graphml).iter("{http://graphml.graphdrawing.org/xmlns}node"))) == states
    assert ET.parse(svg).getroot().tag.endswith("svg")
    assert main(["states", str(project), "--json"]) == 0
    assert len(documents(capsys)[0]["states"]) == states


def test_there_are_as_many_states_as_the_exploration_said(tmp_path: Path, capsys: Capture) -> None:
    assert explore(tmp_path, "--json") == 0
    said = documents(capsys)[-1]["summary"]["progress"]["states"]
    assert main(["states", str(tmp_path), "--json"]) == 0
    (found,) = documents(capsys)
    assert len(found["states"]) == said
    assert all(state["activity"] for state in found["states"])
    ids = {state["id"] for state in found["states"]}
    assert {edge[end] for edge in found["transitions"] for end in ("source", "target")} <= ids
    assert any(state["crashes"] for state in found["states"])


def test_fewer_classes_than_none_are_refused(project: Path, capsys: Capture) -> None:
    assert main(["coverage", str(project), "--classes", "-1"]) == 2
    assert capsys.readouterr().err.splitlines() == ["fewtaps: --classes: 0 or more, not -1"]
    assert main(["coverage", str(project), "--classes", "0"]) == 0


def test_one_of_something_is_told_in_the_singular(tmp_path: Path, capsys: Capture) -> None:
    assert explore(tmp_path, events=1) == 0
    assert "\n1 event, 1 episode, " in (out := capsys.readouterr().out) and ", 1 state, " in out
    assert main(["states", str(tmp_path)]) == 0
    first, last = capsys.readouterr().out.splitlines()
    assert first.endswith("1 visit, 0 ways on") and last == "1 state, 0 transitions"


@pytest.mark.parametrize("command", ["crashes", "coverage", "states"])
def test_a_folder_without_a_store_is_said(tmp_path: Path, capsys: Capture, command: str) -> None:
    assert main([command, str(tmp_path)]) == 2
    assert "nothing has been explored here" in capsys.readouterr().err
    assert main([command, str(tmp_path / "none")]) == 2
    assert "no such folder" in capsys.readouterr().err


def test_a_crash_of_an_older_build_is_no_failure_of_a_newer_one(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def newer(name: str, device: DeviceSettings) -> Plan:
        plan = plan_app(name, device)
        return replace(plan, app=replace(plan.app, digest="cd" * 32))

    known, junit = tmp_path / "known.json", tmp_path / "junit.xml"
    known.write_text("[]")
    judged = ("--fail-on", "new-crash", "--baseline", str(known), "--junit", str(junit))
    out = str(tmp_path / "out")
    assert main(["explore", "sim:bill", "-o", out, "--until-crashes", "1", *judged]) == 1
    monkeypatch.setattr("fewtaps.pipeline.exploring.plan_app", newer)
    (found,) = re.findall(r"^[0-9a-f]{8}  \w+", capsys.readouterr().out, re.MULTILINE)
    assert main(["explore", "sim:bill", "-o", out, "--events", "2", *judged]) == 0
    assert "No crash was found." in capsys.readouterr().out
    assert 'failures="0"' in junit.read_text()
    assert main(["crashes", out]) == 0
    assert found in capsys.readouterr().out, "the project still knows it"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--seed", "1"), "--seed: the exploration was begun with 5, not with 1"),
        (("--strategy", "frontier"), "--strategy: the exploration was begun with ms, not with frontier"),
        (("--set", "queue_length=5"), "--set: the exploration was begun without it, not with queue_length=5"),
        (("--no-pictures",), "--no-pictures: the exploration was begun without it, not with it"),
        (("--coverage", "off"), "--coverage: the exploration was begun with app, not with off"),
    ],
)
def test_what_an_exploration_was_not_begun_with_is_refused_even_if_it_is_usual(
    tmp_path: Path, capsys: Capture, options: tuple[str, ...], words: str
) -> None:
    begin = ["explore", "sim:bill", "-o", str(tmp_path / "out"), "--events", "20"]
    assert main([*begin, "--seed", "5", "--strategy", "ms"]) == 0
    capsys.readouterr()
    assert main([*begin, "--resume", *options]) == 2
    assert words in capsys.readouterr().err
    assert main([*begin, "--resume", "--seed", "5", "--strategy", "ms"]) == 0


def test_a_prelude_that_does_not_fit_is_said_once(tmp_path: Path, capsys: Capture) -> None:
    prelude = tmp_path / "login.jsonl"
    prelude.write_text(
        '{"fewtaps":"trace","version":1,"app":{"package":"com.example.bill"},"world":0,"profile":"default"}\n'
        '{"event":{"kind":"launch"}}\n{"event":{"kind":"tap","x":0,"y":0,"selector":{"text":"Nowhere"}}}\n'
    )
    assert explore(tmp_path / "out", "--prelude", str(prelude), "--strategy", "mr") == 0
    (line,) = [line for line in capsys.readouterr().err.splitlines() if "prelude" in line]
    assert line == "fewtaps: the prelude does not fit, step 1: not found: Nowhere; used the coordinates"


@pytest.mark.parametrize("options", [("--svg", "."), ("--graphml", "/"), ("--svg", "")])
def test_a_graph_that_cannot_be_written_is_one_line(tmp_path: Path, capsys: Capture, options: tuple[str, ...]) -> None:
    assert explore(tmp_path / "out", "--events", "20") == 0
    capsys.readouterr()
    assert main(["states", str(tmp_path / "out"), *options]) == 2
    error = capsys.readouterr().err
    assert "cannot be written (it is a folder)" in error and len(error.splitlines()) == 1
