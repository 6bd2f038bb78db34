"""`fewtaps tap` with a script on its standard input, on the simulated device."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from fewtaps.cli.main import main
from fewtaps.errors import DeviceLost
from fewtaps.tracefile import read_trace

Tap = Callable[..., tuple[int, str, str]]


@pytest.fixture
def tap(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Tap:
    monkeypatch.chdir(tmp_path)

    def run(app: str, *lines: str, options: tuple[str, ...] = ()) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        code = main(["tap", app, *options])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def test_lists_what_can_be_touched(tap: Tap) -> None:
    code, out, _ = tap("sim:bill")
    assert code == 0
    assert "     4  button    'Split'" in out
    assert "'100' (Total)" in out


def test_a_number_taps(tap: Tap) -> None:
    code, out, _ = tap("sim:bill", "4")
    assert code == 0
    assert "1  Tap 'Split'" in out
    assert "java.lang.ArithmeticException" in out


def test_saves_a_trace_that_plays_again(tap: Tap, capsys: pytest.CaptureFixture[str]) -> None:
    assert tap("sim:bill", "text 2 3", "clear 2", "long 5", "4", "save out.jsonl")[0] == 0
    kinds = [event.kind for event in read_trace("out.jsonl").events]
    assert kinds[:4] == ["launch", "text", "text", "long_press"]
    assert main(["play", "sim:bill", "out.jsonl"]) == 0


def test_every_command_is_understood(tap: Tap) -> None:
    lines = ["help", "# a comment", "", "tap 3", "tap 10 10", "double 3", "swipe up", "swipe left 3", "menu", "rotate"]
    lines += ["rotate portrait", "wait 10", "wait", "key volume_up", "text 1 it's 5", "text more", "home", "launch"]
    lines += ["back", "launch", "screen", "log", "shot", "shot own.png", "restart", "quit", "nonsense after quit"]
    code, out, err = tap("sim:bill", *lines)
    assert (code, err) == (0, "")
    assert "Type 'it's 5' in '100'" in out
    assert Path("shot-1.png").read_bytes().startswith(b"\x89PNG")
    assert Path("own.png").exists()


def test_undo_goes_back_by_replay(tap: Tap) -> None:
    _, out, _ = tap("sim:bill", "3", "4", "undo", "undo", "save out.jsonl")
    assert len(read_trace("out.jsonl").events) == 1
    assert out.count("0  Launch") == 2


def test_undo_takes_back_a_crash(tap: Tap) -> None:
    code, out, _ = tap("sim:bill", "4", "undo", "3")
    assert code == 0
    assert "Tap 'More people'" in out


def test_after_a_crash_only_a_new_start_helps(tap: Tap) -> None:
    code, _, err = tap("sim:bill", "4", "back")
    assert code == 2
    assert "line 2: the app is gone; undo, restart, save or quit" in err


@pytest.mark.parametrize(
    "line",
    ["99", "0", "tap", "tap x", "tap 1 2 3", "tap a b", "swipe", "swipe sideways", "text", "key", "key :", "wait long",
     "rotate upwards", "undo", "save", "save a b", "save no/such/folder/t.jsonl", "shot \0", "save 'open", "fly",
     "tap 99999999999 1", "wait 99999999999999", "1" * 5000],
)  # fmt: skip
def test_a_wrong_line_ends_a_script_with_2(tap: Tap, line: str) -> None:
    code, _, err = tap("sim:bill", line, "save never.jsonl")
    assert code == 2
    assert err.startswith("fewtaps: line 1: ")
    assert err.count("\n") == 1
    assert not Path("never.jsonl").exists()


class Keyboard(io.StringIO):
    """A person's input."""

    def isatty(self) -> bool:
        return True


def test_a_person_can_go_on_after_the_device_failed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def fail(session: object) -> bytes:
        raise DeviceLost("it is gone")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("fewtaps.device.simulated.device.SimulatedSession.screenshot", fail)
    monkeypatch.setattr("sys.stdin", Keyboard("3\nshot\n3\nsave kept.jsonl\nrestart\n3\n"))
    assert main(["tap", "sim:bill"]) == 0
    out = capsys.readouterr().out
    assert "? it is gone" in out
    assert out.count("? the app is gone; undo, restart") == 1
    assert len(read_trace("kept.jsonl").steps) == 2


def test_a_script_ends_with_3_when_the_device_failed(
    tap: Tap, failure_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(session: object) -> bytes:
        raise DeviceLost("it is gone")

    monkeypatch.setattr("fewtaps.device.simulated.device.SimulatedSession.screenshot", fail)
    code, _, err = tap("sim:bill", "shot")
    assert (code, err) == (3, f"fewtaps: it is gone; details: {failure_folder / 'log' / 'last-failure.log'}\n")


def test_a_text_may_hold_anything(tap: Tap) -> None:
    _, out, _ = tap("sim:bill", "text 1 [bold]\x1b[31m'\"", "save out.jsonl")
    assert "\x1b" not in out
    assert "[bold]" in out
    assert "\\u001b" in Path("out.jsonl").read_text()


def test_json_is_one_object_per_answer(tap: Tap) -> None:
    code, out, _ = tap("sim:bill", "3", "help", "log", "shot", options=("--json",))
    assert code == 0
    first, second, *rest = [json.loads(line) for line in out.splitlines()]
    assert first["widgets"][3]["text"] == "Split"
    assert second["step"]["text"] == "Tap 'More people'"
    assert [next(iter(each)) for each in rest] == ["help", "log", "saved"]


def test_the_world_is_chosen_and_remembered(tap: Tap) -> None:
    tap("sim:bill", "save out.jsonl", options=("--world", "7"))
    assert read_trace("out.jsonl").world == 7
