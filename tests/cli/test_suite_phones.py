"""Suites of explorations on several kinds of phones: what only another phone covers gets a test on such a phone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fewtaps.cli.main import main
from fewtaps.device.session import DEFAULT_SETTINGS
from fewtaps.device.simulated.device import SimulatedSession
from fewtaps.device.simulated.program import Phone, Program, Throw, View, button, label
from fewtaps.model.event import Launch, Selector, Tap
from fewtaps.model.phone import Differences, phone_from_text
from fewtaps.replay import play
from fewtaps.suitefile import read_suite
from fewtaps.tracefile import write_trace

Capture = pytest.CaptureFixture[str]
ORDERS = pytest.mark.parametrize("order", [(), ("--as-paper",)], ids=["ours", "paper"])
ARABIC, ORDINARY = phone_from_text("locale=ar"), phone_from_text("")


def open_page(phone: Phone) -> None:
    phone.reach(0)
    if phone.differences.get("locale") == "ar":
        phone.reach(1)
        raise Throw("java.lang.IllegalArgumentException", "unknown language")
    phone.go("Page")


PROGRAM = Program(
    "com.example.reader",
    [View("Main", [button("Open", open_page), button("Help")]), View("Page", [label("Text")])],
    branches=2,
)


@pytest.fixture(autouse=True)
def reader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fewtaps.device.simulated.samples.SAMPLES", (PROGRAM,))


def recorded(folder: Path, name: str, phone: Differences, *texts: str) -> str:
    path = folder / f"{name}.jsonl"
    taps = [Tap(0, 0, Selector(text=text)) for text in texts]
    write_trace(path, play(SimulatedSession(PROGRAM, DEFAULT_SETTINGS), (Launch(phone), *taps)))
    return str(path)


def made(capsys: Capture, folder: Path, *arguments: str) -> dict[str, Any]:
    capsys.readouterr()
    words = ["suite", *arguments, "sim:reader", "--dir", str(folder / "work"), "--launch-cost", "20", "--json"]
    assert main(words) == 0
    summary: dict[str, Any] = json.loads(capsys.readouterr().out.splitlines()[-1])["summary"]
    return summary


def steps_by_phone(suite: Path) -> list[tuple[Differences, int]]:
    return [(test.trace.phone, len(test.trace.steps) - 1) for test in read_suite(suite).tests]


@ORDERS
def test_a_crash_of_another_phone_gets_a_test_on_that_phone(
    tmp_path: Path, capsys: Capture, order: tuple[str, ...]
) -> None:
    traces = [
        recorded(tmp_path, "ordinary", ORDINARY, "Help", "Open"),
        recorded(tmp_path, "arabic", ARABIC, "Help", "Help", "Open"),
        recorded(tmp_path, "dark", phone_from_text("theme=dark"), "Help", "Open"),
    ]
    suite = tmp_path / "suite"
    summary = made(capsys, tmp_path, *traces, "-o", str(suite), *order)
    assert steps_by_phone(suite) == [(ORDINARY, 1), (ARABIC, 1)], "what the dark phone covers is covered"
    assert summary["covered"] == {"branches": 2, "screens": 2, "crashes": 1, "lists": 0}
    assert not any(summary["missing"].values()) and not any(summary["flaky"].values())
    assert main(["test", str(suite), "sim:reader", "--worlds", "3", "--strict"]) == 0
    assert "2 passed" in capsys.readouterr().out


def test_tests_on_other_phones_stay_when_more_is_added(tmp_path: Path, capsys: Capture) -> None:
    suite = tmp_path / "suite"
    made(capsys, tmp_path, recorded(tmp_path, "arabic", ARABIC, "Open"), "-o", str(suite))
    (name,) = (test.name for test in read_suite(suite).tests)
    before = (suite / f"{name}.jsonl").read_bytes()
    summary = made(capsys, tmp_path, recorded(tmp_path, "other", ORDINARY, "Open"), "--onto", str(suite))
    assert steps_by_phone(suite) == [(ARABIC, 1), (ORDINARY, 1)]
    assert (suite / f"{name}.jsonl").read_bytes() == before and summary["kept"] == [name]
    assert not any(summary["missing"].values())


def test_an_exploration_of_another_phone_becomes_tests_on_it(tmp_path: Path, capsys: Capture) -> None:
    project = tmp_path / "project"
    assert main(["explore", "sim:reader", "-o", str(project), "--events", "40", "--phone", "locale=ar"]) == 0
    assert main(["suite", str(project), "sim:reader", "--launch-cost", "20"]) == 0
    assert {phone for phone, _ in steps_by_phone(project / "suite")} == {ARABIC}
    capsys.readouterr()
    assert main(["test", str(project / "suite"), "sim:reader"]) == 0


def test_explorations_of_other_phones_in_one_project_are_told(tmp_path: Path, capsys: Capture) -> None:
    project = tmp_path / "project"
    for options in (["--phone", "locale=ar"], []):
        assert main(["explore", "sim:reader", "-o", str(project), "--events", "40", "--no-vary", *options]) == 0
    capsys.readouterr()
    assert main(["suite", str(project), "sim:reader", "--launch-cost", "20"]) == 0
    assert "on other phones; what only those cover gets tests on such phones" in capsys.readouterr().out
    assert {phone for phone, _ in steps_by_phone(project / "suite")} == {ORDINARY, ARABIC}
    assert main(["test", str(project / "suite"), "sim:reader"]) == 0
