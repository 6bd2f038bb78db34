"""Runs of SimplyDroid: a Monkey script and the log of its execution become one trace."""

from __future__ import annotations

from pathlib import Path

import pytest
from formats.files import write

from fewtaps.errors import UsageError
from fewtaps.formats.registry import IMPORTERS, recognise
from fewtaps.formats.simplydroid import looks_like_execute_log, read_simplydroid
from fewtaps.model.ending import Ending
from fewtaps.model.event import Launch, Tap

SCRIPT = """type= user
count= 3
speed= 1.0
start data >>
LaunchActivity(com.example.app, .Main)
Tap(10, 20)
Tap(30, 40)
"""
LAUNCHER = "com.android.launcher;com.android.launcher.Home"
MAIN = "com.example.app;com.example.app.Main"
DETAIL = "com.example.app;com.example.app.Detail"
EXECUTED = f"""0;MonkeyActivityEvent;{LAUNCHER};1
1;MonkeyThrottleEvent;{LAUNCHER};1
2;MonkeyTouchEvent;{MAIN};1
3;MonkeyTouchEvent;{MAIN};1
4;MonkeyThrottleEvent;{MAIN};1
5;MonkeyTouchEvent;{DETAIL};1
6;MonkeyTouchEvent;{DETAIL};0
7;MonkeyThrottleEvent;{DETAIL};1
"""
CRASH = (
    "// CRASH: //java.lang.NullPointerException: gone$$ \tat com.example.app.Detail.show(Detail.java:7)"
    "$$ \tat android.view.View.performClick(View.java:1)\n"
)


def run(folder: Path, executed: str = EXECUTED + CRASH, script: str = SCRIPT) -> Path:
    write(folder, script, "script.log")
    write(folder, executed, "execute.log")
    return folder


def test_each_step_has_the_activities_before_and_after_it(tmp_path: Path) -> None:
    recording = read_simplydroid(run(tmp_path))
    assert [step.event for step in recording.steps] == [Launch(), Tap(10, 20), Tap(30, 40)]
    assert [step.after.activity for step in recording.steps] == [
        "com.example.app.Main",
        "com.example.app.Detail",
        "com.example.app.Detail",
    ]
    assert [step.before.activity for step in recording.steps[1:]] == ["com.example.app.Main", "com.example.app.Detail"]
    assert not recording.steps[0].before.is_seen


def test_the_crash_ends_the_last_step(tmp_path: Path) -> None:
    recording = read_simplydroid(run(tmp_path))
    crash = recording.steps[-1].crash
    assert crash is not None and crash.summary == "java.lang.NullPointerException: gone"
    assert [str(frame) for frame in crash.exceptions[0].frames] == [
        "com.example.app.Detail.show(Detail.java:7)",
        "android.view.View.performClick(View.java:1)",
    ]
    assert recording.steps[-1].ending is Ending.CRASHED
    assert recording.losses == ()


def test_a_run_without_a_crash_is_read_with_a_loss(tmp_path: Path) -> None:
    recording = read_simplydroid(run(tmp_path, EXECUTED))
    assert recording.steps[-1].crash is None
    assert recording.losses == ("execute.log tells of no crash",)


def test_an_event_that_the_phone_did_not_take_is_noted(tmp_path: Path) -> None:
    notes = [step.notes for step in read_simplydroid(run(tmp_path)).steps]
    assert notes == [(), (), ("the phone did not take all of this event",)]


def test_a_step_that_shows_another_app_has_left_this_one(tmp_path: Path) -> None:
    recording = read_simplydroid(run(tmp_path, EXECUTED.replace(DETAIL, "com.other;com.other.Share")))
    assert [step.ending for step in recording.steps] == [Ending.RUNNING, Ending.LEFT, Ending.LEFT]


def test_steps_without_a_line_in_the_log_stay_without_screens(tmp_path: Path) -> None:
    recording = read_simplydroid(run(tmp_path, script=SCRIPT + "Tap(50, 60)\n"))
    assert recording.losses[0].startswith("execute.log tells of 3 events, the script has 4")
    assert [step.after.is_seen for step in recording.steps] == [True, True, True, False]


@pytest.mark.parametrize(
    ("executed", "what"),
    [("1;MonkeyTouchEvent;a.b\n", "line 1: not a line of an execute.log"), ("\n", "line 1: nothing was recorded")],
)
def test_a_damaged_log_is_refused_by_its_line(tmp_path: Path, executed: str, what: str) -> None:
    with pytest.raises(UsageError, match=what):
        read_simplydroid(run(tmp_path, executed))


def test_a_log_without_its_script_is_refused(tmp_path: Path) -> None:
    log = write(tmp_path, EXECUTED, "execute.log")
    with pytest.raises(UsageError, match=r"script\.log: missing; execute\.log does not say where"):
        read_simplydroid(log)


def test_the_folder_and_its_log_are_recognised_and_read_alike(tmp_path: Path) -> None:
    folder = run(tmp_path)
    assert looks_like_execute_log(EXECUTED) and not looks_like_execute_log(SCRIPT)
    assert recognise(folder / "execute.log") == "simplydroid"
    assert read_simplydroid(folder / "execute.log") == read_simplydroid(folder)


def test_the_script_alone_points_to_the_log_beside_it(tmp_path: Path) -> None:
    folder = run(tmp_path)
    recording = IMPORTERS["monkey"].read(folder / "script.log", None)
    assert recording.steps[-1].crash is None
    assert recording.losses == (
        "what the phone did, and its crash, are in execute.log beside it: convert the folder to have them",
    )
