"""`fewtaps convert`, from the command line to the file."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from builders import crash, trace

from fewtaps.cli.main import BAD_INPUT, main
from fewtaps.config import READABLE, WRITABLE
from fewtaps.formats.registry import EXPORTERS, IMPORTERS
from fewtaps.formats.source import MAX_LINE_BYTES
from fewtaps.model.ending import Ending
from fewtaps.model.event import Pinch, Selector, Tap
from fewtaps.model.trace import Step
from fewtaps.tracefile import read_trace, write_trace

SCRIPT = "type= user\nscreen= 1080x1920 480\nstart data >>\nLaunchActivity(com.x, .Main)\nTap(10, 20)\n"


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "script.txt"
    path.write_text(SCRIPT)
    return path


def test_a_script_becomes_a_trace_on_its_own_screen(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = script.with_name("out.jsonl")
    assert main(["convert", str(script), str(out)]) == 0
    written = read_trace(out)
    assert (written.app.package, written.profile, written.screen) == ("com.x", "mi5", (1080, 1920, 480))
    assert len(written.steps) == 2
    assert "monkey to trace: 2 steps of com.x, profile mi5" in capsys.readouterr().out


def test_options_override_what_the_file_says(script: Path) -> None:
    out = script.with_name("out.jsonl")
    assert main(["convert", str(script), str(out), "--profile", "tall", "--package", "com.y", "--from", "monkey"]) == 0
    assert (read_trace(out).profile, read_trace(out).app.package) == ("tall", "com.y")


@pytest.mark.parametrize(
    ("name", "option", "begins"),
    [("a.sh", [], "#!/bin/sh"), ("a.monkey", [], "# Play"), ("a", ["--to", "adb"], "#!/bin/sh")],
)
def test_a_trace_becomes_a_script(tmp_path: Path, name: str, option: list[str], begins: str) -> None:
    source, out = tmp_path / "in.jsonl", tmp_path / name
    write_trace(source, trace(Tap(1, 2)))
    assert main(["convert", str(source), str(out), *option]) == 0
    assert out.read_text().startswith(begins)


def test_what_is_lost_is_told_to_persons_and_programs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, out = tmp_path / "in.jsonl", tmp_path / "out.sh"
    write_trace(source, trace(Tap(1, 2), Pinch(9, 9, 1, 2)))
    told = "step 2: a pinch cannot be said in an adb script"
    assert main(["convert", str(source), str(out)]) == 0
    assert told in capsys.readouterr().out.splitlines()
    assert main(["convert", str(source), str(out), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["losses"] == [told]
    assert (document["from"], document["to"], document["steps"]) == ("trace", "adb", 3)


@pytest.mark.parametrize("name", ["out.sh", "out.monkey"])
def test_what_a_trace_remembers_besides_its_events_is_told_if_a_script_drops_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    source, out = tmp_path / "in.jsonl", tmp_path / name
    crashing = Step(Tap(1, 2, Selector(text="Split")), ending=Ending.CRASHED, crash=crash())
    write_trace(source, replace(trace(crashing), world=7))
    assert main(["convert", str(source), str(out), "--json"]) == 0
    world, crashed, names = json.loads(capsys.readouterr().out)["losses"]
    assert world.startswith("the world 7 cannot be said in a script")
    assert crashed == f"the crash of the trace is not in a script: {crash().summary}"
    assert names.startswith("the names of widgets cannot be said in a script")
    assert main(["convert", str(source), str(tmp_path / "copy.jsonl"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["losses"] == []


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"\x7fELF\0\0\0", "line 1: not a recording that we know"),
        (b"", "line 1: not a recording that we know"),
        (b"hello\n", "line 1: not a recording that we know"),
        (b'{"fewtaps":"trace","version":1}\n', "line 1: app"),
        (b"start data >>\nTap(1\n", "line 2: not a command"),
        (b"start data >>\nTap(1, 2)\n\0\n", "line 3: not text"),
        (b"start data >>\n" + b"x" * (MAX_LINE_BYTES + 1), "line 2: longer than 1 MB"),
        (b'{"a":' + b"[" * 50_000, "line 1: not a recording that we know"),
        (b"1;MonkeyTouchEvent;a;b;1\n", "script.log: missing"),
    ],
)
def test_bad_input_is_one_line_and_leaves_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes, told: str
) -> None:
    source, out = tmp_path / "in", tmp_path / "out.jsonl"
    source.write_bytes(content)
    assert main(["convert", str(source), str(out)]) == BAD_INPUT
    said = capsys.readouterr().err
    assert told in said
    assert said.count("\n") == 1
    assert list(tmp_path.iterdir()) == [source]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nowhere", "out.jsonl"], "no such file"),
        (["in", "out.jsonl", "--from", "fax"], "--from: 'fax' is none of"),
        (["in", "out.jsonl", "--to", "fax"], "--to: 'fax' is none of"),
        (["in", "out.jsonl", "--profile", "nokia"], "--profile: 'nokia' is none of"),
        (["in", "."], "is a folder"),
        ([".", "out.jsonl"], "not a recording that we know"),
        (["in", "nowhere/out.jsonl"], "cannot be written"),
        (["in", "nowhere/out.sh"], "cannot be written"),
        (["in.jsonl", "out"], "--to names it"),
    ],
)
def test_bad_arguments_are_one_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    told: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("in").write_text(SCRIPT)
    write_trace("in.jsonl", trace(Tap(1, 2)))
    assert main(["convert", *arguments]) == BAD_INPUT
    said = capsys.readouterr().err
    assert told in said
    assert said.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "in.jsonl"]


def test_an_old_file_stays_when_the_new_one_cannot_be_made(script: Path) -> None:
    out = script.with_name("out.jsonl")
    out.write_text("precious")
    script.write_text(SCRIPT + "Jump(1)\n")
    assert main(["convert", str(script), str(out)]) == BAD_INPUT
    assert out.read_text() == "precious"


@pytest.mark.slow
def test_a_hundred_thousand_events_are_all_there(tmp_path: Path) -> None:
    source, out = tmp_path / "in", tmp_path / "out.jsonl"
    source.write_text(SCRIPT + "Tap(10, 20)\n" * 100_000)
    assert main(["convert", str(source), str(out)]) == 0
    with out.open("rb") as lines:
        assert sum(1 for _ in lines) == 1 + 2 + 100_000


def test_the_help_names_every_format() -> None:
    assert set(READABLE) == {"trace", *IMPORTERS}
    assert set(WRITABLE) == {"trace", *EXPORTERS}
