"""`fewtaps play` on the simulated device."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fewtaps.cli.main import main
from fewtaps.cli.play import folded
from fewtaps.model.crash import Crash, CrashKind, ExceptionInfo, Frame

HEADER = '{"fewtaps":"trace","version":1,"app":{"package":"com.example.%s"},"world":0,"profile":"default"}'
LAUNCH = '{"event":{"kind":"launch"}}'


def tap_on(text: str) -> str:
    return json.dumps({"event": {"kind": "tap", "x": 0, "y": 0, "selector": {"text": text}}})


@pytest.fixture
def crash(tmp_path: Path) -> str:
    """A bill split among zero people."""
    path = tmp_path / "crash.jsonl"
    path.write_text("\n".join([HEADER % "bill", LAUNCH, tap_on("Split")]) + "\n")
    return str(path)


@pytest.fixture
def flaky(tmp_path: Path) -> str:
    """Opens the lock that fails in half of the worlds."""
    path = tmp_path / "flaky.jsonl"
    taps = [tap_on(f"Button {number}") for number in (2, 7, 1)]
    path.write_text("\n".join([HEADER % "flakylock", LAUNCH, *taps]) + "\n")
    return str(path)


def lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_shows_numbered_steps_the_crash_and_the_coverage(crash: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", "sim:bill", crash]) == 0
    out = capsys.readouterr().out
    assert "   0  Launch  → Main" in out
    assert "   1  Tap 'Split'" in out
    assert "java.lang.ArithmeticException" in out
    assert "Coverage: " in out


def test_a_crash_can_be_a_failure(crash: str) -> None:
    assert main(["play", "sim:bill", crash, "--fail-on-crash"]) == 1


def test_no_crash_is_no_failure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "calm.jsonl"
    path.write_text("\n".join([HEADER % "bill", LAUNCH]) + "\n")
    assert main(["play", "sim:bill", str(path), "--fail-on-crash"]) == 0
    assert "No crash." in capsys.readouterr().out


def test_gives_the_rate_over_worlds_with_its_interval(flaky: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", "sim:flakylock", flaky, "--worlds", "40"]) == 0
    out = capsys.readouterr().out
    assert "of 40 worlds (" in out
    assert "95% interval" in out


def test_json_is_a_line_per_step_and_a_summary(flaky: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", "sim:flakylock", flaky, "--world", "5", "--worlds", "30", "--json"]) == 0
    *steps, last = lines(capsys)
    summary = last["summary"]
    assert [world["world"] for world in summary["worlds"]] == list(range(5, 35))
    assert len(steps) == sum(world["steps"] for world in summary["worlds"])
    crashed = sum(world["signature"] is not None for world in summary["worlds"])
    assert 0 < crashed == summary["reproduction"]["met"] < 30
    low, high = summary["reproduction"]["low"], summary["reproduction"]["high"]
    assert low < crashed / 30 < high


def test_the_same_call_gives_the_same_bytes(flaky: str, capsys: pytest.CaptureFixture[str]) -> None:
    outputs = set()
    for _ in range(2):
        main(["play", "sim:flakylock", flaky, "--worlds", "5", "--json"])
        outputs.add(capsys.readouterr().out)
    assert len(outputs) == 1


def test_a_remembered_crash_that_stays_away_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    crash = {"kind": "exception", "thread": "main", "exceptions": [{"type": "a.B", "message": "\x1b[1m", "frames": []}]}
    path = tmp_path / "old.jsonl"
    step = json.dumps({"event": {"kind": "launch"}, "crash": crash, "ending": "crashed"})
    path.write_text("\n".join([HEADER % "bill", step]) + "\n")
    assert main(["play", "sim:bill", str(path)]) == 0
    out = capsys.readouterr().out
    assert "did not come back" in out
    assert "\x1b" not in out


def test_writes_a_picture_of_each_step(crash: str, tmp_path: Path) -> None:
    assert main(["play", "sim:bill", crash, "--screenshots", str(tmp_path / "shots")]) == 0
    pictures = sorted((tmp_path / "shots").iterdir())
    assert [picture.name for picture in pictures] == ["000.png"]
    assert pictures[0].read_bytes().startswith(b"\x89PNG")


def test_pictures_of_several_worlds_lie_apart(crash: str, tmp_path: Path) -> None:
    main(["play", "sim:bill", crash, "--worlds", "2", "--screenshots", str(tmp_path / "shots")])
    assert sorted(each.name for each in (tmp_path / "shots").iterdir()) == ["world-0", "world-1"]


def test_a_folder_that_cannot_be_made_is_named(crash: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    assert main(["play", "sim:bill", crash, "--screenshots", str(tmp_path / "file" / "shots")]) == 2
    assert "cannot be made" in capsys.readouterr().err


def test_refuses_jacoco_without_coverage(crash: str, tmp_path: Path) -> None:
    arguments = ["play", "sim:bill", crash, "--jacoco", str(tmp_path / "j.xml"), "--coverage", "off"]
    assert main(arguments) == 2


def test_an_apk_does_not_run_on_the_simulated_device(crash: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", "app.apk", crash, "--device", "simulated"]) == 2
    assert main(["play", "sim:bill", crash, "--device", "twin"]) == 2
    assert main(["play", "sim:nonsense", crash]) == 2
    assert "there are: bill" in capsys.readouterr().err


def test_says_that_another_version_made_the_trace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    header = json.loads(HEADER % "bill")
    header["app"]["version"] = "0.1"
    path = tmp_path / "old.jsonl"
    path.write_text(f"{json.dumps(header)}\n{LAUNCH}\n")
    assert main(["play", "sim:bill", str(path)]) == 0
    assert "version 0.1, this is 1.0" in capsys.readouterr().out


def test_a_long_run_of_platform_frames_is_cut_and_a_message_that_looks_like_one_is_not() -> None:
    message = "\n".join(["broken", *("\tat android.os.Looper.loop(Looper.java:1)" for _ in range(9))])
    platform = tuple(Frame("android.os.Looper", "loop", "Looper.java", number) for number in range(6))
    app = Frame("com.example.Main", "a\x07b", "Main.java", 1)
    info = ExceptionInfo("java.lang.Error", message, (app, *platform))
    assert list(folded(Crash(CrashKind.EXCEPTION, "main", (info,)))) == [
        "FATAL EXCEPTION: main",
        *f"java.lang.Error: {message}".split("\n"),
        "\tat com.example.Main.a\\u0007b(Main.java:1)",
        "\tat android.os.Looper.loop(Looper.java:0)",
        "\tat android.os.Looper.loop(Looper.java:1)",
        "\t… 4 more frames that are not the app's (all with --json)",
    ]
