"""`fewtaps export`: from a project and from a trace file, to the standard output, a file or a folder."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from exports.suites import a_suite
from projects import make_project

from fewtaps.cli.main import main
from fewtaps.config import EXPORTED
from fewtaps.device.session import DEFAULT_SETTINGS
from fewtaps.device.simulated.device import SimulatedSession
from fewtaps.device.simulated.samples import bill
from fewtaps.model.event import Launch, Selector, Tap
from fewtaps.model.suite import Suite
from fewtaps.replay import play
from fewtaps.suitefile import write_suite
from fewtaps.tracefile import write_trace

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def crash(tmp_path: Path) -> Path:
    """A trace that remembers its crash."""
    session = SimulatedSession(bill(), DEFAULT_SETTINGS)
    trace = play(session, (Launch(), Tap(0, 0, Selector(text="Split"))))
    path = tmp_path / "crash.jsonl"
    write_trace(path, trace)
    return path


def export(*arguments: object) -> int:
    return main(["export", *map(str, arguments)])


def test_a_trace_becomes_a_test_on_the_standard_output(crash: Path, capsys: Capture) -> None:
    assert export("maestro", "sim:bill", crash) == 0
    output = capsys.readouterr().out
    assert "trace crash.jsonl" in output and "- tapOn:" in output


def test_all_of_them_go_into_a_folder(crash: Path, tmp_path: Path, capsys: Capture) -> None:
    target = tmp_path / "new" / "exports"
    assert export("all", "sim:bill", crash, "-o", target) == 0
    assert len(list(target.iterdir())) == len(EXPORTED)
    capsys.readouterr()
    assert export("all", "sim:bill", crash) == 2
    assert "-o DIR" in capsys.readouterr().err


def test_a_file_is_written_where_it_is_wanted_and_in_a_folder_under_its_own_name(crash: Path, tmp_path: Path) -> None:
    assert export("adb", "sim:bill", crash, "-o", tmp_path / "x.sh") == 0
    assert (tmp_path / "x.sh").read_text("utf-8").startswith("#!/bin/sh")
    (tmp_path / "folder").mkdir()
    assert export("robolectric-java", "sim:bill", crash, "-o", tmp_path / "folder") == 0
    (file,) = (tmp_path / "folder").iterdir()
    assert f"public class {file.stem} " in file.read_text("utf-8")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_no_room_is_not_the_users_mistake(crash: Path, capsys: Capture) -> None:
    assert export("adb", "sim:bill", crash, "-o", "/dev/full") == 3
    assert capsys.readouterr().err == "fewtaps: /dev/full: the disk is full\n"


def test_a_program_gets_text_and_losses(crash: Path, capsys: Capture) -> None:
    assert export("all", "sim:bill", crash, "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert [each["name"] for each in document["exports"]] == list(EXPORTED)
    assert all(each["text"] and each["path"] is None for each in document["exports"])
    assert any(each["losses"] for each in document["exports"])


def test_what_a_format_cannot_say_is_told_beside_the_output(crash: Path, capsys: Capture) -> None:
    assert export("monkey", "sim:bill", crash) == 0
    captured = capsys.readouterr()
    assert "by name is not possible" in captured.err and "by name is not possible" not in captured.out


def test_a_crash_of_a_project_is_exported_with_its_reduced_steps_and_its_rate(tmp_path: Path, capsys: Capture) -> None:
    folder = tmp_path / "project"
    assert main(["explore", "sim:bill", "-o", str(folder), "--events", "200", "--until-crashes", "1"]) == 0
    capsys.readouterr()
    assert main(["crashes", str(folder), "--json"]) == 0
    name = json.loads(capsys.readouterr().out)["crashes"][0]["id"]
    assert main(["reduce", "sim:bill", name, "--dir", str(folder), "--worlds", "5", "--json"]) == 0
    *_, last = capsys.readouterr().out.splitlines()
    steps = json.loads(last)["summary"]["steps"]
    assert export("issue", folder, name[:6]) == 0
    text = capsys.readouterr().out
    assert f"crash {name} of project" in text
    assert "5 of 5 worlds" in text
    pictures = re.findall(r'<img src="([^"]+)"', text)
    assert pictures and all(Path(path).is_file() for path in pictures)
    assert len(re.findall(r"^\d+\. ", text, re.MULTILINE)) == len(steps)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nothing", "nosuch", "ffff"), "the format 'nothing' is none of"),
        (("maestro", "nosuch", "ffff"), "fewtaps: nosuch: there is no such project folder"),
        (("maestro", "nosuch.apk", "ffff"), "fewtaps: fewtaps-nosuch: there is no such project folder"),
        (("maestro", "nosuch.apk", "ffff", "--dir", "other"), "fewtaps: other: there is no such project folder"),
        (("maestro", "EMPTY", "ffff"), "fewtaps: EMPTY: nothing has been explored here"),
        (("maestro", "EMPTY", "ffff", "--dir", "PROJECT"), "EMPTY and --dir PROJECT: one project at a time"),
        (("maestro", "PROJECT", "ffff"), "PROJECT: no crash 'ffff'; there are: "),
        (("maestro", "sim:bill", "SILENT"), "remembers no crash"),
        (("maestro", "sim:bill", "CRASH", "-o", "MISSING/x/y.yaml"), "cannot be written"),
    ],
)
def test_bad_input_is_told_in_one_line(
    arguments: tuple[str, ...],
    words: str,
    crash: Path,
    tmp_path: Path,
    capsys: Capture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "EMPTY").mkdir()
    make_project(tmp_path / "PROJECT")
    header = {"fewtaps": "trace", "version": 1, "app": {"package": "com.example.bill"}, "world": 0}
    (tmp_path / "SILENT").write_text(json.dumps(header) + '\n{"event":{"kind":"launch"}}\n', "utf-8")
    crash.rename(tmp_path / "CRASH")
    assert export(*arguments) == 2
    error = capsys.readouterr().err
    assert words in error and error.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize("command", ["report", "crashes", "states", "coverage"])
@pytest.mark.parametrize(
    "how", [["fewtaps-app"], ["--dir", "fewtaps-app"], ["app.apk"], ["app.apk", "--dir", "fewtaps-app"]]
)
def test_a_project_is_named_by_its_folder_by_an_option_or_by_its_app(
    command: str, how: list[str], tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    make_project(tmp_path / "fewtaps-app")
    assert main([command, *how]) == 0
    assert capsys.readouterr().err == ""


def test_a_file_that_is_no_app_is_no_project(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "file").write_text("")
    assert main(["report", str(tmp_path / "file")]) == 2
    assert f"{tmp_path / 'file'}: not a folder" in capsys.readouterr().err


def test_a_command_without_a_project_asks_for_one(capsys: Capture) -> None:
    assert main(["report"]) == 2
    assert "say which project" in capsys.readouterr().err


def test_a_suite_is_written_into_a_folder_with_its_losses(tmp_path: Path, capsys: Capture) -> None:
    write_suite(tmp_path / "suite", a_suite().suite)
    assert export("maestro", tmp_path / "suite", "-o", tmp_path / "flows") == 0
    assert sorted(path.name for path in (tmp_path / "flows").iterdir()) == [
        *("back.yaml", "divide.yaml", "round-up-split.yaml"),
    ]
    out = capsys.readouterr().out
    assert "Maestro flow" in out and "of a crash, Maestro sees only that the app is gone" in out


def test_all_tools_get_a_suite_side_by_side_and_as_json(tmp_path: Path, capsys: Capture) -> None:
    write_suite(tmp_path / "suite", a_suite().suite)
    assert export("all", tmp_path / "suite", "-o", tmp_path / "out") == 0
    assert len(list((tmp_path / "out").iterdir())) == 6 + 3
    capsys.readouterr()
    assert export("all", tmp_path / "suite", "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["tests"] == ["round-up-split", "back", "divide"]
    texts = {each["name"]: [file["text"] for file in each["files"]] for each in document["exports"]}
    (written,) = (tmp_path / "out").glob("*SuiteTest.java")
    assert texts["robolectric-java"] == [written.read_text("utf-8")]


def test_what_is_no_suite_or_cannot_hold_one_is_refused_in_one_line(tmp_path: Path, capsys: Capture) -> None:
    suite = tmp_path / "suite"
    write_suite(suite, a_suite().suite)
    write_suite(tmp_path / "empty", Suite(a_suite().suite.app, "page"))
    for arguments, reason in (
        (("adb", suite, "-o", tmp_path), "cannot hold a suite"),
        (("maestro", suite), "say where the files go"),
        (("maestro", suite, "3f9a", "-o", tmp_path), "a suite is exported as a whole"),
        (("maestro", tmp_path, "-o", tmp_path), "no suite"),
        (("maestro", tmp_path / "empty", "-o", tmp_path), "the suite has no tests"),
        (("maestro", suite, "-o", suite / "suite.json"), "cannot be made"),
    ):
        assert export(*arguments) == 2
        err = capsys.readouterr().err
        assert reason in err and err.count("\n") == 1, err
