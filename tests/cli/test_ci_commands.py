"""No text of an app is a command for the CI system in whose log it is printed."""

from __future__ import annotations

import json
import logging
import re
from dataclasses import replace
from pathlib import Path

import pytest
from suites import ABOUT, SPLIT, bill_suite, bill_test

from fewtaps.cli.main import main
from fewtaps.cli.terminal import Terminal, warn
from fewtaps.device.simulated import faults
from fewtaps.model.ci_commands import without_commands

HOSTILE = (
    "::error::a\n  ::stop-commands::b\r::set-output name=c::d\n##[error]e\n###[group]f ##vso[task.setvariable"
    " variable=g]h ####teamcity[buildProblem description='i']"
)
COMMAND = re.compile(r"^\s*::|##", re.MULTILINE)
"""What GitHub, Azure Pipelines and TeamCity begin a command with."""
HEADER = '{"fewtaps":"trace","version":1,"app":{"package":"com.example.bill"},"world":0,"profile":"default"}'
TAP_ON_SPLIT = '{"event":{"kind":"tap","x":0,"y":0,"selector":{"text":"Split"}}}'


@pytest.fixture
def hostile(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A trace of a crash whose message has commands for all CI systems."""
    monkeypatch.setattr(faults, "_message", lambda error: HOSTILE)
    path = tmp_path / "crash.jsonl"
    path.write_text("\n".join([HEADER, '{"event":{"kind":"launch"}}', TAP_ON_SPLIT]) + "\n")
    return path


@pytest.fixture(autouse=True)
def in_a_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Commands make project folders where they are run."""
    monkeypatch.chdir(tmp_path)


def printed(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """What a command prints, which has no command for a CI system but what the app's message says."""
    main([str(each) for each in arguments])
    shown = capsys.readouterr()
    for stream in (shown.out, shown.err):
        # A carriage return begins a line of a log as well.
        assert not COMMAND.search(stream.replace("\r", "\n")), stream
    return shown.out + shown.err


def test_a_crash_with_commands_is_shown_by_play_replay_and_convert_without_them(
    hostile: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert ": :stop-commands::b" in printed(capsys, "play", "sim:bill", hostile)
    assert ": :stop-commands::b" in printed(capsys, "-v", "play", "sim:bill", hostile, "--worlds", 2)
    printed(capsys, "replay", "sim:bill", hostile)
    assert main(["play", "sim:bill", str(hostile), "--json"]) == 0
    capsys.readouterr()
    printed(capsys, "reduce", "sim:bill", hostile, "-o", tmp_path / "short.jsonl")
    assert "# #[error]e" in printed(capsys, "convert", tmp_path / "short.jsonl", tmp_path / "out.monkey")


def test_a_crash_with_commands_is_shown_by_run_and_crashes_without_them(
    hostile: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    project = tmp_path / "project"
    run = printed(capsys, "run", "sim:bill", "-o", project, "--events", 60, "--worlds", 2, "-j", 1)
    assert "# #[error]e" in run
    listed = printed(capsys, "crashes", project)
    assert "::error::a" in listed
    main(["crashes", str(project), "--json"])
    document = capsys.readouterr().out
    assert not COMMAND.search(document)
    assert json.dumps(HOSTILE) in json.dumps(json.loads(document.splitlines()[0]))
    (name,) = re.findall(r"^ *([0-9a-f]{8})", listed, re.MULTILINE)[:1]
    assert ": :stop-commands::b" in printed(capsys, "crashes", project, "--show", name)
    printed(capsys, "report", project)


def test_a_crash_with_commands_is_shown_by_test_without_them(
    hostile: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    about = bill_test("about", ABOUT)
    launch, tap = about.trace.steps
    unexpected = replace(about, trace=replace(about.trace, steps=(launch, replace(tap, event=SPLIT))))
    bill_suite(tmp_path / "suite", [unexpected])
    assert "# #[error]e" in printed(capsys, "test", tmp_path / "suite", "sim:bill")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("::error::a", ": :error::a"),
        ("a ::error::", "a ::error::"),
        ("  \u00a0::error::a\n\t::b", "  \u00a0: :error::a\n\t: :b"),
        ("a::b ## c", "a::b # # c"),
        ("###[a]####vso[b]", "# # #[a]# # # #vso[b]"),
        ("::::", ": :::"),
    ],
)
def test_a_command_gets_a_space_and_nothing_else_changes(text: str, shown: str) -> None:
    assert without_commands(text) == shown
    assert not COMMAND.search(without_commands(text))


def test_a_text_of_line_ends_or_spaces_alone_takes_no_longer_than_another() -> None:
    # With the square of their number the deadline of a test would be over.
    for text in ("\n" * 500_000, " " * 500_000, "\n " * 250_000):
        assert without_commands(text) == text


def test_a_command_that_begins_in_one_part_of_a_line_and_goes_on_in_the_next_is_broken(
    capsys: pytest.CaptureFixture[str],
) -> None:
    terminal = Terminal()
    terminal.line("  ", (":", "bad"), ":error::", "#", ("#[group]", "dim"), "")
    terminal.line("a", ("##", "bold"), "vso[")
    terminal.lines("::a\n::b")
    assert capsys.readouterr().out == "  : :error::# #[group]\na# #vso[\n: :a\n: :b\n"


def test_the_error_stream_and_the_log_have_no_commands(capsys: pytest.CaptureFixture[str]) -> None:
    warn("a\n::error::b ##vso[c]")
    assert capsys.readouterr().err == "fewtaps: a\n: :error::b # #vso[c]\n"
    main(["-v", "show", "##vso[a]\n::error::b.apk"])
    logging.getLogger("fewtaps").warning("::error:: ##[b]")
    assert not COMMAND.search(capsys.readouterr().err)


def test_a_json_document_has_the_exact_text_and_no_commands(capsys: pytest.CaptureFixture[str]) -> None:
    Terminal(as_json=True).document({"##vso[a]": "###[b] ####"})
    out = capsys.readouterr().out
    assert "##" not in out
    assert json.loads(out) == {"##vso[a]": "###[b] ####"}
