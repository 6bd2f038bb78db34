"""Steps of a trace are printed as numbered lines, and a replay with its first difference."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders import crash, screen, trace

from fewtaps.cli.steps import ENDS, LONGEST, first_difference, print_course, print_steps
from fewtaps.cli.terminal import Terminal
from fewtaps.model.ending import Ending
from fewtaps.model.event import Key, Tap
from fewtaps.model.screen import Screen
from fewtaps.model.trace import Step, Trace

Capture = pytest.CaptureFixture[str]


def on(name: str) -> Screen:
    return screen(activity=f"com.example.app.{name}")


def walk(*names: str) -> Trace:
    return trace(*(Step(Key("BACK"), after=on(name)) for name in names))


def lines(capsys: Capture) -> list[str]:
    return [line.rstrip() for line in capsys.readouterr().out.splitlines()]


def test_events_are_numbered_without_the_launch(capsys: Capture) -> None:
    print_steps(Terminal(False), trace(Tap(1, 2), Key("BACK")), [Path("one.png")])
    assert lines(capsys) == ["   1. Tap (1, 2)   one.png", "   2. Press Back"]


def test_a_trace_of_a_launch_alone_says_so(capsys: Capture) -> None:
    print_steps(Terminal(False), trace())
    assert lines(capsys) == ["      Launch the app."]


def test_of_a_long_trace_both_ends_are_printed_and_the_rest_is_counted(capsys: Capture) -> None:
    print_steps(Terminal(False), trace(*(Tap(number, 0) for number in range(1, LONGEST + 2))))
    printed = lines(capsys)
    assert len(printed) == 2 * ENDS + 1
    assert printed[ENDS - 1 : ENDS + 2] == [
        f"{ENDS:4}. Tap ({ENDS}, 0)",
        f"      … {LONGEST + 1 - 2 * ENDS} steps",
        f"{LONGEST + 2 - ENDS:4}. Tap ({LONGEST + 2 - ENDS}, 0)",
    ]


def test_a_trace_of_the_longest_length_is_printed_whole(capsys: Capture) -> None:
    print_steps(Terminal(False), trace(*(Tap(number, 0) for number in range(LONGEST))))
    assert len(lines(capsys)) == LONGEST


def test_the_first_difference_is_the_first_step_with_another_activity() -> None:
    recorded = walk("List", "Detail", "Edit")
    assert first_difference(walk("List", "Detail", "Edit"), recorded) is None
    assert first_difference(walk("List", "List", "Edit"), recorded) == 2
    assert first_difference(walk("List"), recorded) is None


def test_a_recording_without_activities_has_no_difference() -> None:
    assert first_difference(walk("List"), trace(Key("BACK"))) is None


def test_a_replay_marks_only_the_first_difference(capsys: Capture) -> None:
    print_course(Terminal(False), walk("List", "Other", "Other"), walk("List", "Detail", "Edit"))
    printed = lines(capsys)
    assert printed.count("      here it went another way: the recording shows Detail") == 1
    assert not any("shows Edit" in line for line in printed)


def test_around_a_difference_in_the_middle_of_a_long_replay_steps_are_printed(capsys: Capture) -> None:
    names = ["List"] * 100
    seen = walk(*names[:49], "Other", *names[50:])
    print_course(Terminal(False), seen, walk(*names))
    numbers = [int(line.split(".")[0]) for line in lines(capsys) if line.lstrip()[:1].isdigit()]
    assert numbers == [*range(ENDS), *range(48, 53), *range(101 - ENDS, 101)]


def test_steps_that_a_replay_did_not_reach_are_counted(capsys: Capture) -> None:
    died = trace(Step(Key("BACK"), after=on("List"), crash=crash("a.B.m"), ending=Ending.CRASHED))
    print_course(Terminal(False), died, walk("List", "Detail", "Edit"))
    printed = lines(capsys)
    assert "      … 2 more steps were not reached" in printed
    assert any("at a.B.m(" in line for line in printed)


def test_notes_of_a_step_are_printed_below_it(capsys: Capture) -> None:
    print_course(Terminal(False), trace(Step(Key("BACK"), notes=("no \x1b[31mcamera",))))
    assert lines(capsys)[-1] == "      note: no \\u001b[31mcamera"
