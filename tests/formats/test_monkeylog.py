"""Logs of `monkey -v -v`."""

from __future__ import annotations

from pathlib import Path

import pytest
from formats.files import events, write

from fewtaps.errors import UsageError
from fewtaps.formats.monkeylog import read_monkey_log
from fewtaps.formats.recording import Recording
from fewtaps.model.crash import CrashKind
from fewtaps.model.ending import Ending
from fewtaps.model.event import Event, Key, Launch, Pinch, Rotate, Swipe, Tap

HEAD = """\
:Monkey: seed=1 count=500
:AllowPackage: com.example.app
:IncludeCategory: android.intent.category.LAUNCHER
// Event percentages:
//   0: 15.0%
:Switch: #Intent;action=android.intent.action.MAIN;launchFlags=0x10200000;component=com.example.app/.Main;end
    // Allowing start of Intent { act=android.intent.action.MAIN cmp=com.example.app/.Main } in package com.example.app
Sleeping for 0 milliseconds
"""
CRASH = """\
// CRASH: com.example.app (pid 4711)
// Short Msg: java.lang.ArithmeticException
// Long Msg: divide by zero
// Build Label: generic/sdk:6.0
// Build Changelist: 123
// Build Time: 1450000000000
// java.lang.ArithmeticException: divide by zero
// \tat com.example.app.Main.split(Main.java:12)
// \tat android.view.View.performClick(View.java:5204)
//
** Monkey aborted due to error.
Events injected: 3
"""


def log(folder: Path, *lines: str) -> Recording:
    return read_monkey_log(write(folder, HEAD + "\n".join(lines) + "\n"))


@pytest.mark.parametrize(
    ("lines", "event"),
    [
        ([":Sending Touch (ACTION_DOWN): 0:(10.0,20.0)", ":Sending Touch (ACTION_UP): 0:(14.5,28.0)"], Tap(10, 20)),
        (
            [
                ":Sending Touch (ACTION_DOWN): 0:(10.0,20.0)",
                ":Sending Touch (ACTION_MOVE): 0:(60.0,20.0)",
                ":Sending Touch (ACTION_MOVE): 0:(110.0,20.0)",
                ":Sending Touch (ACTION_UP): 0:(115.0,20.0)",
            ],
            Swipe(10, 20, 110, 20, duration_ms=16),
        ),
        (
            [
                ":Sending Touch (ACTION_DOWN): 0:(100.0,100.0)",
                ":Sending Touch (ACTION_POINTER_DOWN 1): 0:(100.0,100.0) 1:(300.0,100.0)",
                ":Sending Touch (ACTION_MOVE): 0:(50.0,100.0) 1:(350.0,100.0)",
                ":Sending Touch (ACTION_POINTER_UP 1): 0:(0.0,100.0) 1:(400.0,100.0)",
                ":Sending Touch (ACTION_UP): 0:(0.0,100.0)",
            ],
            Pinch(200, 100, from_span=200, to_span=400),
        ),
        (
            [":Sending Key (ACTION_DOWN): 82    // KEYCODE_MENU", ":Sending Key (ACTION_UP): 82    // KEYCODE_MENU"],
            Key("MENU"),
        ),
        ([":Sending rotation degree=1, persist=false"], Rotate("landscape")),
        ([":Switch: #Intent;component=com.example.app/.Main;end"], Launch()),
        ([":Sending Pointer ACTION_DOWN x=47.0 y=122.0", ":Sending Pointer ACTION_UP x=29.0 y=129.0"], Tap(47, 122)),
        (
            [":Sending Trackball (ACTION_DOWN): 0:(0.0,0.0)", ":Sending Trackball (ACTION_UP): 0:(0.0,0.0)"],
            Key("DPAD_CENTER"),
        ),
    ],
)
def test_what_was_sent_becomes_an_event(tmp_path: Path, lines: list[str], event: Event) -> None:
    recording = log(tmp_path, *lines)
    assert recording.package == "com.example.app"
    assert events(recording) == [event]
    assert recording.losses == ()


def test_what_a_trace_cannot_say_is_told(tmp_path: Path) -> None:
    flips = [":Sending Flip keyboardOpen=true", ":Sending Trackball (ACTION_MOVE): 0:(-5.0,3.0)"] * 12
    recording = log(tmp_path, *flips, ":Sending rotation degree=0, persist=true")
    assert events(recording) == [Rotate("portrait")]
    assert [line.partition(": ")[2] for line in recording.losses] == [
        "opening or closing a hardware keyboard cannot be said in a trace",
        "a move of a trackball cannot be said in a trace",
    ]
    assert recording.losses[0].startswith("lines 9, 11, 13, 15, 17, 19, 21, 23 and 4 more: ")


TAP = [":Sending Touch (ACTION_DOWN): 0:(1.0,2.0)", ":Sending Touch (ACTION_UP): 0:(1.0,2.0)"]


def test_the_crash_is_that_of_the_last_step(tmp_path: Path) -> None:
    recording = log(tmp_path, *TAP, CRASH)
    crash = recording.steps[-1].crash
    assert crash is not None
    assert crash.signature == "java.lang.ArithmeticException at com.example.app.Main.split"
    assert crash.summary == "java.lang.ArithmeticException: divide by zero"
    assert recording.steps[-1].ending is Ending.CRASHED


def test_a_trace_ends_at_the_first_crash_and_the_rest_is_told(tmp_path: Path) -> None:
    recording = log(tmp_path, *TAP, CRASH, *TAP, *TAP)
    assert events(recording) == [Tap(1, 2)]
    assert "2 events after it are left out" in recording.losses[-1]


def test_a_crash_of_another_app_ends_nothing(tmp_path: Path) -> None:
    recording = log(tmp_path, *TAP, CRASH.replace("com.example.app (pid", "com.other (pid"), *TAP)
    assert len(events(recording)) == 2
    assert "another app, com.other" in recording.losses[0]


def test_an_app_that_does_not_answer_is_an_anr(tmp_path: Path) -> None:
    recording = log(tmp_path, *TAP, "// NOT RESPONDING: com.example.app (pid 12)", "ANR in com.example.app")
    crash = recording.steps[-1].crash
    assert crash is not None and crash.kind is CrashKind.ANR
    assert recording.steps[-1].ending is Ending.ANR


def test_a_log_with_one_v_is_told_to_be_poor(tmp_path: Path) -> None:
    text = HEAD.replace("Sleeping for 0 milliseconds\n", "") + "\n".join(TAP)
    assert "one -v" in read_monkey_log(write(tmp_path, text)).losses[0]


@pytest.mark.timeout(20)
def test_a_long_line_without_an_activity_ends(tmp_path: Path) -> None:
    for piece in ("component=", "component=a/"):
        with pytest.raises(UsageError, match=r"line 9: .*not named"):
            log(tmp_path, ":Switch: " + piece * (900_000 // len(piece)))


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (":Sending Touch (ACTION_DOWN): 0:(10.0", "not a motion event"),
        (":Sending Touch (ACTION_DOWN): 0:(ten,20.0)", "not a number"),
        (":Sending Pigeons", "not an event"),
        (":Switch: #Intent;end", "not named"),
    ],
)
def test_a_broken_line_is_named(tmp_path: Path, line: str, what: str) -> None:
    with pytest.raises(UsageError, match=f"line 9: .*{what}"):
        log(tmp_path, line)
