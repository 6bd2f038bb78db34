"""The file browser of Figure 1 of the DetReduce paper: its examples 2.1 to 2.3 through `fewtaps suite`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fewtaps.cli.main import main
from fewtaps.device.session import DEFAULT_SETTINGS
from fewtaps.device.simulated.device import SimulatedSession
from fewtaps.device.simulated.program import Program
from fewtaps.device.simulated.samples import file_browser
from fewtaps.model.event import Event, Launch, Selector, Tap
from fewtaps.replay import play
from fewtaps.suitefile import read_suite
from fewtaps.tracefile import write_trace

Capture = pytest.CaptureFixture[str]
APP = "sim:filebrowser"
DEVIATING = 1
"""The world in which the memory card is missing."""
ORDERS = pytest.mark.parametrize("order", [(), ("--as-paper",)], ids=["ours", "paper"])


def tap(text: str) -> Event:
    return Tap(0, 0, Selector(text=text))


def recorded(folder: Path, program: Program, *texts: str) -> str:
    """A trace file of taps on these texts, in world 0."""
    path = folder / "trace.jsonl"
    session = SimulatedSession(program, DEFAULT_SETTINGS)
    write_trace(path, play(session, (Launch(), *map(tap, texts))))
    return str(path)


def made(folder: Path, trace: str, capsys: Capture, *options: str) -> tuple[list[list[str]], dict[str, Any]]:
    """The taps of each test of the suite that the command makes, and its summary."""
    output = folder / "suite"
    command = ["suite", trace, APP, "--dir", str(folder / "work"), "-o", str(output), "--launch-cost", "20", "--json"]
    capsys.readouterr()
    assert main([*command, *options]) == 0
    summary: dict[str, Any] = json.loads(capsys.readouterr().out.splitlines()[-1])["summary"]
    tests = []
    for test in read_suite(output).tests:
        selectors = [getattr(step.event, "selector", None) for step in test.trace.steps[1:]]
        tests.append([each.text or "" for each in selectors if each is not None])
    return tests, summary


@ORDERS
def test_opening_the_menu_three_times_is_as_good_as_once(
    tmp_path: Path, capsys: Capture, order: tuple[str, ...]
) -> None:
    trace = recorded(tmp_path, file_browser(), "Menu", "Menu", "Menu", "Option")
    tests, summary = made(tmp_path, trace, capsys, *order)
    assert tests == [["Menu", "Option"]]
    assert summary["covered"]["branches"] == 1 and not any(summary["missing"].values())


@ORDERS
def test_a_menu_with_handlers_is_opened_and_closed(
    tmp_path: Path, capsys: Capture, order: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    program = file_browser(handles_menu=True)
    monkeypatch.setattr("fewtaps.device.simulated.samples.SAMPLES", (program,))
    trace = recorded(tmp_path, program, "Menu", "Menu", "Menu", "Option")
    tests, summary = made(tmp_path, trace, capsys, *order)
    assert tests == [["Menu", "Menu", "Menu", "Option"]]
    assert summary["covered"]["branches"] == 3


@ORDERS
def test_folders_that_look_the_same_are_all_opened(tmp_path: Path, capsys: Capture, order: tuple[str, ...]) -> None:
    trace = recorded(tmp_path, file_browser(), "foo", "foo", "foo")
    tests, summary = made(tmp_path, trace, capsys, "--worlds", "1", *order)
    assert tests == [["foo", "foo", "foo"]]
    assert summary["covered"]["branches"] == 2


@ORDERS
def test_a_folder_that_one_world_does_not_show_is_flaky_and_not_in_the_suite(
    tmp_path: Path, capsys: Capture, order: tuple[str, ...]
) -> None:
    trace = recorded(tmp_path, file_browser(), "foo", "foo", "foo")
    tests, summary = made(tmp_path, trace, capsys, "--worlds", "10", *order)
    assert tests == [["foo"]]
    assert summary["covered"]["branches"] == 1
    assert summary["flaky"] == {"branches": 1, "screens": 1, "crashes": 0, "lists": 0}


def test_one_world_of_ten_deviates() -> None:
    session = SimulatedSession(file_browser(), DEFAULT_SETTINGS)
    shown = {}
    for world in range(10):
        last = play(session, (Launch(), *[tap("foo")] * 3), world=world).steps[-1]
        shown[world] = last.after.activity
    assert [world for world, activity in shown.items() if activity != "com.example.filebrowser.Pictures"] == [DEVIATING]


def test_what_one_world_shows_otherwise_is_not_expected(tmp_path: Path, capsys: Capture) -> None:
    trace = recorded(tmp_path, file_browser(), "foo", "foo", "foo")
    made(tmp_path, trace, capsys, "--worlds", "1")
    (test,) = read_suite(tmp_path / "suite").tests
    expected = [step.expect.state is not None for step in test.trace.steps if step.expect is not None]
    assert expected == [True, True, True, False]
    capsys.readouterr()
    assert main(["test", str(tmp_path / "suite"), APP, "--worlds", "10", "--strict", "--json"]) == 0
    (result,) = json.loads(capsys.readouterr().out.splitlines()[-1])["summary"]["tests"]
    assert (result["status"], result["passed"], result["runs"]) == ("passed", 10, 10)
