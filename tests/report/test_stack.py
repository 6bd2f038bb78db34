from __future__ import annotations

from builders import crash, crashes
from hypothesis import given
from projects import death

from fewtaps.model.crash import Crash, CrashKind, ExceptionInfo, Frame
from fewtaps.report.stack import MAX_FRAMES, exceptions_of, message_of, place_of, title_of, where_of


def test_the_root_cause_comes_first() -> None:
    assert [each.type for each in exceptions_of(death())] == [
        "java.lang.IllegalStateException",
        "java.lang.RuntimeException",
    ]


def test_frames_of_the_app_are_told_from_those_of_the_platform() -> None:
    root = exceptions_of(death())[0]
    assert [(group.is_app, len(group.frames)) for group in root.groups] == [(False, 1), (True, 1), (False, 1)]
    assert root.groups[1].frames[0].source == "Main.java:42"


def test_frames_that_a_compiler_made_are_left_out() -> None:
    made = Frame("com.example.app.Main$$ExternalSyntheticLambda0", "onClick", "D8$$SyntheticClass", 0)
    written = Frame("com.example.app.Main", "lambda$onCreate$0", "Main.java", 3)
    info = ExceptionInfo("java.lang.Error", None, (made, written))
    (view,) = exceptions_of(Crash(CrashKind.EXCEPTION, "main", (info,)))
    assert [frame.place for group in view.groups for frame in group.frames] == ["com.example.app.Main.lambda$onCreate"]


def test_the_place_is_the_innermost_line_of_the_app() -> None:
    assert place_of(death()) == "Main.onClick"
    assert where_of(death()) == "Main.onClick (Main.java:42)"
    for name in (place_of, where_of):
        assert name(Crash(CrashKind.NATIVE, "main")) == ""


def test_the_title_is_the_exception_without_its_package() -> None:
    assert title_of(death()) == "IllegalStateException"
    assert title_of(Crash(CrashKind.ANR, "main")) == "App not responding"


def test_an_endless_recursion_is_cut_short() -> None:
    endless = crash(*["com.example.app.A.b"] * 5000)
    assert sum(len(group.frames) for each in exceptions_of(endless) for group in each.groups) == MAX_FRAMES


@given(crashes)
def test_every_crash_can_be_told(found: Crash) -> None:
    assert isinstance(title_of(found) + message_of(found) + place_of(found), str)
    assert len(exceptions_of(found)) == len(found.exceptions)
