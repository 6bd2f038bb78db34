"""`fewtaps reduce` on the simulated device."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fewtaps.cli.main import main
from fewtaps.model.event import Tap
from fewtaps.tracefile import read_trace

Capture = pytest.CaptureFixture[str]
HEADER = '{"fewtaps":"trace","version":1,"app":{"package":"com.example.%s"},"world":0,"profile":"default"}'
LAUNCH = '{"event":{"kind":"launch"}}'


def tap_on(text: str) -> str:
    return json.dumps({"event": {"kind": "tap", "x": 0, "y": 0, "selector": {"text": text}}})


WAIT = '{"event":{"kind":"wait","ms":20}}'


def write(path: Path, app: str, *texts: str) -> Path:
    """A trace that taps on the texts; an empty one is a pause."""
    path.write_text("\n".join([HEADER % app, LAUNCH, *(tap_on(text) if text else WAIT for text in texts)]) + "\n")
    return path


@pytest.fixture
def long(tmp_path: Path) -> Path:
    """A bill is split among nobody, after some hesitation."""
    return write(tmp_path / "long.jsonl", "bill", *[""] * 40, "Split")


def reduce(trace: Path | str, folder: Path, *options: str, app: str = "sim:bill") -> int:
    return main(["reduce", app, str(trace), "--dir", str(folder), *options])


def documents(capsys: Capture) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_only_the_step_that_matters_is_left(long: Path, tmp_path: Path, capsys: Capture) -> None:
    assert reduce(long, tmp_path / "p") == 0
    out = capsys.readouterr().out
    assert "   1. Tap 'Split'" in out
    assert "41 → 1 steps (no single step can be left out)" in out
    events = read_trace(tmp_path / "long.reduced.jsonl").events
    assert len(events) == 2 and isinstance(events[1], Tap)


@pytest.mark.parametrize("strategy", ["auto", "ddmin", "hdd", "bhdd", "lhdd", "lhdd-nopre", "segments"])
def test_every_strategy_ends_in_a_trace_that_crashes(strategy: str, long: Path, tmp_path: Path) -> None:
    out = tmp_path / "short.jsonl"
    assert reduce(long, tmp_path / "p", "--strategy", strategy, "-o", str(out)) == 0
    assert main(["play", "sim:bill", str(out), "--fail-on-crash"]) == 1


def test_a_second_time_nothing_is_played_but_the_original_and_the_result(
    long: Path, tmp_path: Path, capsys: Capture
) -> None:
    assert reduce(long, tmp_path / "p", "--json") == 0
    first = documents(capsys)[-1]["summary"]
    assert reduce(long, tmp_path / "p", "--json") == 0
    second = documents(capsys)[-1]["summary"]
    assert second["trace"] == first["trace"]
    assert first["runs"] > 2 >= second["runs"]


def test_a_crash_of_the_project_is_named_by_its_id(tmp_path: Path, capsys: Capture) -> None:
    folder = tmp_path / "p"
    main(["explore", "sim:bill", "-o", str(folder), "--events", "300", "--strategy", "timemachine"])
    main(["crashes", str(folder), "--json"])
    found = documents_of_last_line(capsys)["crashes"][0]
    assert reduce(found["id"][:6], folder, "--json") == 0
    assert documents(capsys)[-1]["summary"]["after"] == 1


def documents_of_last_line(capsys: Capture) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(capsys.readouterr().out.splitlines()[-1])
    return data


def test_the_result_is_the_same_with_several_devices(long: Path, tmp_path: Path, capsys: Capture) -> None:
    summaries = []
    for jobs in ("1", "4"):
        assert reduce(long, tmp_path / jobs, "-j", jobs, "--json") == 0
        summaries.append(documents(capsys)[-1]["summary"])
    assert summaries[0] | {"output": ""} == summaries[1] | {"output": ""}


def test_another_goal_than_a_crash(tmp_path: Path, capsys: Capture) -> None:
    walk = write(tmp_path / "walk.jsonl", "bill", "More people", "About", "Close", "About")
    assert reduce(walk, tmp_path / "p", "--shows", "Splits bills.", "--json") == 0
    assert documents(capsys)[-1]["summary"]["steps"] == ["Launch", "Tap 'About'"]


def test_a_program_can_be_the_judge(tmp_path: Path, capsys: Capture) -> None:
    walk = write(tmp_path / "walk.jsonl", "bill", "More people", "About", "Close", "More people")
    assert reduce(walk, tmp_path / "p", "--test", "grep -q 'Splits bills'", "--json") == 0
    assert documents(capsys)[-1]["summary"]["steps"] == ["Launch", "Tap 'About'"]


def test_a_goal_that_the_launch_meets_is_no_goal(tmp_path: Path, capsys: Capture) -> None:
    walk = write(tmp_path / "walk.jsonl", "bill", "About", "Close")
    assert reduce(walk, tmp_path / "p", "--shows", "Split") == 2
    assert "already the launch meets the goal" in capsys.readouterr().err
    assert reduce(walk, tmp_path / "p", "--shows", "Split", "--trivial") == 0


def test_what_happened_instead_is_told(tmp_path: Path, capsys: Capture) -> None:
    walk = write(tmp_path / "walk.jsonl", "bill", "About")
    assert reduce(walk, tmp_path / "p", "--shows", "no such text") == 3
    captured = capsys.readouterr()
    assert "What happened instead:" in captured.out and "Tap 'About'" in captured.out
    assert "does not meet the goal" in captured.err


def test_a_limit_keeps_the_best_so_far(long: Path, tmp_path: Path, capsys: Capture) -> None:
    assert reduce(long, tmp_path / "p", "--runs", "2", "--json") == 0
    summary = documents(capsys)[-1]["summary"]
    assert summary["stopped"] == "all 2 runs are used"
    assert summary["runs"] == 2
    assert reduce(long, tmp_path / "p", "--json") == 0
    assert documents(capsys)[-1]["summary"]["after"] == 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--strategy", "magic"), "'magic' is none of auto"),
        (("--runs", "0"), "--runs: more than nothing"),
        (("-j", "0"), "-j: between 1 and 64"),
        (("--shows", "a", "--reaches", "b"), "one goal at a time"),
        (("--covers", "nowhere"), "not FILE:LINE"),
        (("--covers", "Nothing.java:1"), "no such line"),
        (("--test", "no-such-program"), "no-such-program"),
        (("--test", "'"), "--test"),
        (("--shows", ""), "--shows: says nothing"),
    ],
)
def test_a_bad_option_is_one_line(
    long: Path, tmp_path: Path, capsys: Capture, options: tuple[str, ...], words: str
) -> None:
    assert reduce(long, tmp_path / "p", *options) == 2
    error = capsys.readouterr().err
    assert words in error and len(error.splitlines()) == 1


def test_a_trace_that_does_not_crash_needs_a_goal(tmp_path: Path, capsys: Capture) -> None:
    walk = write(tmp_path / "walk.jsonl", "bill", "About")
    assert reduce(walk, tmp_path / "p") == 2
    assert "--reaches, --state, --shows, --covers or --test" in capsys.readouterr().err


def test_neither_a_file_nor_a_crash(long: Path, tmp_path: Path, capsys: Capture) -> None:
    assert reduce(long, tmp_path / "p") == 0
    capsys.readouterr()
    assert reduce("abcd", tmp_path / "p") == 2
    assert "abcd: neither a file nor a crash" in capsys.readouterr().err
    assert reduce("abcd", tmp_path / "q") == 2


def test_a_trace_of_another_app_is_refused(long: Path, tmp_path: Path, capsys: Capture) -> None:
    assert reduce(long, tmp_path / "p", app="sim:flakylock") == 2
    assert "the trace is for com.example.bill" in capsys.readouterr().err
