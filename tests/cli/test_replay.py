"""`fewtaps replay` on the simulated device."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fewtaps.cli.main import main

Capture = pytest.CaptureFixture[str]
HEADER = '{"fewtaps":"trace","version":1,"app":{"package":"com.example.%s"},"world":%d,"profile":"default"}'
LAUNCH = '{"event":{"kind":"launch"}}'


def tap_on(text: str) -> str:
    return json.dumps({"event": {"kind": "tap", "x": 0, "y": 0, "selector": {"text": text}}})


def write(path: Path, app: str, *texts: str, world: int = 0) -> Path:
    path.write_text("\n".join([HEADER % (app, world), LAUNCH, *map(tap_on, texts)]) + "\n")
    return path


@pytest.fixture
def crash(tmp_path: Path) -> Path:
    """A bill split among zero people."""
    return write(tmp_path / "crash.jsonl", "bill", "Split")


@pytest.fixture
def flaky(tmp_path: Path) -> Path:
    """Opens the lock that fails in half of the worlds."""
    return write(tmp_path / "flaky.jsonl", "flakylock", "Button 2", "Button 7", "Button 1", world=3)


def replay(trace: Path | str, folder: Path, *options: str, app: str = "sim:bill") -> int:
    return main(["replay", app, str(trace), "--dir", str(folder / "p"), *options])


def summary_of(capsys: Capture) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(capsys.readouterr().out.splitlines()[-1])["summary"]
    return data


def test_tells_the_steps_the_crash_and_the_rate(crash: Path, tmp_path: Path, capsys: Capture) -> None:
    assert replay(crash, tmp_path) == 0
    out = capsys.readouterr().out
    assert "   1. Tap 'Split'\n" in out
    assert "java.lang.ArithmeticException" in out
    assert "Reproduction rate: 20 of 20 worlds (100%, 95% interval 84%–100%)" in out


def test_a_crash_that_comes_and_goes_is_told_with_the_worlds_and_the_way_to_reduce_it(
    flaky: Path, tmp_path: Path, capsys: Capture
) -> None:
    assert replay(flaky, tmp_path, app="sim:flakylock") == 0
    out = capsys.readouterr().out
    assert "no crash in worlds " in out
    assert "of 20 worlds: fewtaps reduce --flaky reduces it by its rate" in out


def test_begins_with_the_world_of_the_trace_unless_told_otherwise(flaky: Path, tmp_path: Path, capsys: Capture) -> None:
    assert replay(flaky, tmp_path, "--worlds", "4", "--json", app="sim:flakylock") == 0
    assert [each["world"] for each in summary_of(capsys)["worlds"]] == [3, 4, 5, 6]
    assert replay(flaky, tmp_path, "--worlds", "2", "--world", "9", "--json", app="sim:flakylock") == 0
    assert [each["world"] for each in summary_of(capsys)["worlds"]] == [9, 10]


def test_several_devices_say_the_same_as_one(flaky: Path, tmp_path: Path, capsys: Capture) -> None:
    outputs = set()
    for jobs in ("1", "4"):
        assert replay(flaky, tmp_path, "--json", "-j", jobs, app="sim:flakylock") == 0
        outputs.add(capsys.readouterr().out)
    assert len(outputs) == 1


def test_play_and_replay_count_alike(flaky: Path, tmp_path: Path, capsys: Capture) -> None:
    assert main(["play", "sim:flakylock", str(flaky), "--worlds", "20", "--json"]) == 0
    played = summary_of(capsys)
    assert replay(flaky, tmp_path, "--json", app="sim:flakylock") == 0
    replayed = summary_of(capsys)
    assert 0 < replayed["reproduction"]["met"] < 20
    assert played["reproduction"].items() <= replayed["reproduction"].items()


def test_a_picture_shows_the_screen_that_a_step_is_done_on(flaky: Path, tmp_path: Path, capsys: Capture) -> None:
    shots = tmp_path / "shots"
    assert replay(flaky, tmp_path, "--json", "--screenshots", str(shots), app="sim:flakylock") == 0
    steps = summary_of(capsys)["steps"]
    assert [step["picture"] for step in steps] == [str(shots / f"{number:03}.png") for number in (1, 2, 3)]
    assert all(Path(step["picture"]).read_bytes().startswith(b"\x89PNG") for step in steps)


def test_a_crash_of_the_project_is_named_by_its_id(tmp_path: Path, capsys: Capture) -> None:
    main(["explore", "sim:bill", "-o", str(tmp_path / "p"), "--events", "300", "--strategy", "timemachine"])
    main(["crashes", str(tmp_path / "p"), "--json"])
    found = json.loads(capsys.readouterr().out.splitlines()[-1])["crashes"][0]
    assert replay(found["id"][:6], tmp_path, "--json") == 0
    assert summary_of(capsys)["reproduction"]["met"] == 20
    assert replay("ffff", tmp_path) == 2
    assert "ffff: neither a file nor a crash" in capsys.readouterr().err


def test_a_recording_of_another_tool_is_replayed_as_it_is(tmp_path: Path, capsys: Capture) -> None:
    script = tmp_path / "script"
    script.write_text("type= raw events\ncount= 2\nspeed= 1.0\nstart data >>\nLaunchActivity(com.example.bill,Main)\n")
    assert replay(script, tmp_path, "--worlds", "2") == 0
    assert "No crash in 2 worlds." in capsys.readouterr().out


def test_other_goals_than_crashes(tmp_path: Path, capsys: Capture) -> None:
    walk = write(tmp_path / "walk.jsonl", "bill", "About")
    assert replay(walk, tmp_path, "--shows", "Splits bills.", "--worlds", "3") == 0
    assert "Reproduction rate: 3 of 3 worlds" in capsys.readouterr().out


def test_what_happened_is_told_step_by_step_if_the_crash_stays_away(tmp_path: Path, capsys: Capture) -> None:
    crash = {"kind": "exception", "thread": "main", "exceptions": [{"type": "a.B", "message": "", "frames": []}]}
    first = {"event": {"kind": "launch"}, "after": {"package": "p", "activity": "p.Elsewhere", "windows": []}}
    last = {**json.loads(tap_on("About")), "crash": crash, "ending": "crashed"}
    path = tmp_path / "old.jsonl"
    path.write_text("\n".join([HEADER % ("bill", 0), json.dumps(first), json.dumps(last)]) + "\n")
    assert replay(path, tmp_path, "--worlds", "2") == 0
    out = capsys.readouterr().out
    assert "   1. Tap 'About'" in out
    assert "here it went another way: the recording shows Elsewhere" in out
    assert "Reproduction rate: 0 of 2 worlds" in out


def test_a_crash_that_comes_back_can_be_a_failure(crash: Path, tmp_path: Path) -> None:
    assert replay(crash, tmp_path, "--worlds", "1", "--fail-on-crash") == 1
    calm = write(tmp_path / "calm.jsonl", "bill", "About")
    assert replay(calm, tmp_path, "--worlds", "1", "--fail-on-crash") == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--worlds", "0"), "--worlds: between 1 and"),
        (("-j", "0"), "-j: between 1 and 64"),
        (("--by", "luck"), "'luck' is none of"),
        (("--reaches", "a", "--state", "b"), "one goal at a time"),
    ],
)
def test_a_bad_option_is_one_line(
    crash: Path, tmp_path: Path, capsys: Capture, options: tuple[str, ...], words: str
) -> None:
    assert replay(crash, tmp_path, *options) == 2
    error = capsys.readouterr().err
    assert words in error and len(error.splitlines()) == 1
