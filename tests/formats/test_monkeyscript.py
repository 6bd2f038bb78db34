"""Monkey scripts: every command of Android's own format."""

from __future__ import annotations

from pathlib import Path

import pytest
from formats.files import events, script, write

from fewtaps.errors import UsageError
from fewtaps.formats.monkeyscript import read_monkey_script
from fewtaps.formats.recording import recording_to_trace
from fewtaps.model.event import Event, Key, Launch, LongPress, Pinch, Rotate, StartIntent, Swipe, Tap, Text, Wait


@pytest.mark.parametrize(
    ("command", "event"),
    [
        ("Tap(12.6, 40.0)", Tap(12, 40)),
        ("Tap(12, 40, 100)", Tap(12, 40)),
        ("Tap(12, 40, 800)", LongPress(12, 40)),
        ("Tap(-3.0, 40, 0)", Tap(0, 40)),
        ("PressAndHold(12, 40, 300)", LongPress(12, 40)),
        ("PressAndHold(12, 40, 10)", Tap(12, 40)),
        ("Drag(1.0, 2.0, 300.0, 4.0, 10)", Swipe(1, 2, 300, 4, duration_ms=16)),
        ("PinchZoom(100,100,50,100,200,100,250,100,5)", Pinch(150, 100, 100, 200)),
        ("DispatchPress(KEYCODE_BACK)", Key("BACK")),
        ("DispatchPress(4)", Key("BACK")),
        ("DispatchPress(KEYCODE_3)", Key("3")),
        ("LongPress()", Key("DPAD_CENTER")),
        ("DispatchString(hello%sworld)", Text("hello world")),
        ("RotateScreen(1, 0)", Rotate("landscape")),
        ("RotateScreen(3, 1)", Rotate("reverse_landscape")),
        ("UserWait(1500)", Wait(1500)),
        ("ProfileWait()", Wait(5000)),
        ("LaunchActivity(com.example.app, com.example.app.Main)", Launch()),
        (
            "LaunchActivity(com.example.app, .Other)",
            StartIntent(action="android.intent.action.MAIN", component="com.example.app/com.example.app.Other"),
        ),
        ("captureDispatchKey(5113146,5113146,0,20,0,0,0,0)", Key("DPAD_DOWN")),
    ],
)
def test_a_command_becomes_its_event(tmp_path: Path, command: str, event: Event) -> None:
    assert events(script(tmp_path, command)) == [event]


@pytest.mark.parametrize(
    "command",
    [
        "LaunchInstrumentation(com.example.test, com.example.Runner)",
        "PowerLog(AUTOTEST_SEQUENCE_BEGIN)",
        "WriteLog()",
        "RunCmd(svc wifi disable)",
        "DeviceWakeUp()",
        "DispatchFlip(true)",
        "StartCaptureFramerate()",
        "EndCaptureFramerate(scrolling)",
        "StartCaptureAppFramerate(com.example.app)",
        "EndCaptureAppFramerate(com.example.app, scrolling)",
        "LaunchActivity(com.other, .Main)",
        "Drag(1, 2, 3, 4, 0)",
    ],
)
def test_a_command_without_an_event_is_told_with_its_line(tmp_path: Path, command: str) -> None:
    recording = script(tmp_path, "Tap(1, 2)", command)
    assert events(recording) == [Tap(1, 2)]
    (told,) = recording.losses
    assert told.startswith("line 7: ")


def pointer(at: int, action: int, x: float, y: float, down: int = 1000) -> str:
    return f"DispatchPointer({down},{at},{action},{x},{y},0.2,0.06,0,0.0,0.0,65539,0)"


@pytest.mark.parametrize(
    ("motions", "event"),
    [
        ([(1000, 0, 50, 60), (1080, 1, 50, 60)], Tap(50, 60)),
        ([(1000, 0, 50, 60), (1040, 2, 53, 61), (1080, 1, 53, 61)], Tap(50, 60)),
        ([(1000, 0, 50, 60), (1080, 1, 90, 60)], Tap(50, 60)),
        ([(1000, 0, 50, 60), (1700, 1, 50, 60)], LongPress(50, 60)),
        ([(1000, 0, 50, 60), (1100, 2, 150, 60), (1200, 1, 150, 60)], Swipe(50, 60, 150, 60, 200)),
        (
            [(1000, 0, 50, 60), (1600, 2, 150, 60), (1800, 2, 250, 60), (1900, 1, 250, 60)],
            Swipe(50, 60, 250, 60, duration_ms=300, hold_ms=600),
        ),
        (
            [(1000, 0, 100, 100), (1010, 261, 300, 100), (1050, 2, 50, 100), (1060, 262, 350, 100), (1070, 1, 50, 100)],
            Pinch(200, 100, from_span=200, to_span=300),
        ),
    ],
)
def test_raw_touches_are_put_together(tmp_path: Path, motions: list[tuple[int, ...]], event: Event) -> None:
    commands = [pointer(*motion) for motion in motions]
    recording = script(tmp_path, *commands, header="type= raw events\nspeed= 1.0\n")
    assert events(recording) == [event]
    assert recording.losses == ()


def test_a_long_pause_of_raw_events_is_kept_at_the_speed_of_the_script(tmp_path: Path) -> None:
    taps = [pointer(1000, 0, 1, 1), pointer(1010, 1, 1, 1), pointer(3010, 0, 2, 2), pointer(3020, 1, 2, 2)]
    assert events(script(tmp_path, *taps, header="speed= 0.5\n")) == [Tap(1, 1), Wait(1000), Tap(2, 2)]


def test_a_cancelled_touch_is_told(tmp_path: Path) -> None:
    recording = script(tmp_path, pointer(1000, 0, 1, 1), pointer(1010, 3, 1, 1), "UserWait(1)")
    assert events(recording) == [Wait(1)]
    assert "cancelled" in recording.losses[0]


def test_a_trackball_presses_and_its_moves_are_told_together(tmp_path: Path) -> None:
    balls = [f"DispatchTrackball(1,1,{action},1.0,2.0,0,0,0,0,0,0,0)" for action in (2, 2, 0, 1)]
    recording = script(tmp_path, *balls)
    assert events(recording) == [Key("DPAD_CENTER")]
    assert recording.losses == ("lines 6, 7: a move of a trackball cannot be said in a trace",)


def test_without_a_launch_one_is_put_in_front(tmp_path: Path) -> None:
    recording = read_monkey_script(write(tmp_path, "start data >>\nTap(1, 2)\n"))
    assert [step.event for step in recording.steps] == [Launch(), Tap(1, 2)]
    trace, told = recording_to_trace(recording)
    assert trace.app.package == ""
    assert any("--package" in line for line in told)
    assert recording_to_trace(recording, package="com.x")[0].app.package == "com.x"


def test_what_was_done_before_the_launch_is_told(tmp_path: Path) -> None:
    text = "start data >>\nDispatchPress(HOME)\nLaunchActivity(com.x, .Main)\nTap(1, 2)\n"
    recording = read_monkey_script(write(tmp_path, text))
    assert [step.event for step in recording.steps] == [Launch(), Tap(1, 2)]
    assert "left out" in recording.losses[0]


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("type= user\n", 1, "start data"),
        ("start data >>\nTap(1\n", 2, "not a command"),
        ("start data >>\nTap(1, x)\n", 2, "not a number"),
        ("start data >>\nTap(1, nan)\n", 2, "not a number"),
        ("start data >>\n\nTap(1)\n", 3, "2 or 3 values"),
        ("start data >>\nJump(1)\n", 2, "no command"),
        ("start data >>\nDispatchPress(KEYCODE_NOTHING)\n", 2, "no key"),
        ("start data >>\nRotateScreen(7, 1)\n", 2, "quarters"),
        ("start data >>\nUserWait(99999999999)\n", 2, "too large"),
        ("start data >>\n# nothing\n", 2, "nothing was recorded"),
        ("speed= fast\nstart data >>\n", 1, "not a number"),
    ],
)
def test_what_is_broken_is_named_by_its_line(tmp_path: Path, text: str, line: int, what: str) -> None:
    with pytest.raises(UsageError, match=f"line {line}: .*{what}"):
        read_monkey_script(write(tmp_path, text))


def test_the_screen_in_the_header_is_kept(tmp_path: Path) -> None:
    recording = script(tmp_path, "Tap(1, 2)", header="screen= 1080x1920 480\n")
    trace, told = recording_to_trace(recording)
    assert (trace.profile, trace.screen, told) == ("mi5", (1080, 1920, 480), ())
