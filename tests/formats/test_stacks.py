"""Java stacks out of a log."""

from __future__ import annotations

import pytest

from fewtaps.formats.stacks import crash_from_stack
from fewtaps.model.crash import NATIVE, Crash, CrashKind, ExceptionInfo, Frame

OUTER = (Frame("a.B", "run", "B.java", 7), Frame("a.C", "<init>", "C.java", 9), Frame("a.D", "main", None, NATIVE))
CRASH = Crash(
    CrashKind.EXCEPTION,
    "main",
    (
        ExceptionInfo("java.lang.RuntimeException", "Unable: a.B: no", OUTER),
        ExceptionInfo("a.B$Bad", None, (Frame("a.E$1", "on", "E.java", 3), *OUTER[1:])),
    ),
)


def test_a_rendered_crash_is_read_back_whole() -> None:
    lines = CRASH.render().splitlines()[1:]
    assert "\t... 2 more" in lines
    assert crash_from_stack(lines) == CRASH


def test_a_message_may_have_several_lines() -> None:
    crash = crash_from_stack(["a.Bad: one", "two", "\tat a.B.c(Unknown Source)", "\tat a.B.d(Unknown Source:12)"])
    assert crash is not None and crash.root is not None
    assert crash.root.message == "one\ntwo"
    assert crash.root.frames == (Frame("a.B", "c"), Frame("a.B", "d", None, 12))


def test_what_was_suppressed_is_no_part_of_the_chain() -> None:
    lines = ["a.Bad", "\tat a.B.c(B.java:1)", "\tSuppressed: a.Other", "\t\tat a.X.y(X.java:1)", "Caused by: a.Cause"]
    crash = crash_from_stack(lines)
    assert crash is not None
    assert [exception.type for exception in crash.exceptions] == ["a.Bad", "a.Cause"]
    assert len(crash.exceptions[0].frames) == 1


def test_no_exception_is_no_crash() -> None:
    assert crash_from_stack([]) is None
    assert crash_from_stack(["", "  "]) is None


@pytest.mark.parametrize("count", ["²", "7" * 5_000, "0", "-1"])
def test_a_count_that_is_no_number_takes_no_frames_over(count: str) -> None:
    crash = crash_from_stack(
        ["java.lang.Error: a", "\tat a.B.c(B.java:1)", "Caused by: java.lang.Error: b", f"\t... {count} more"]
    )
    assert crash is not None
    assert [len(each.frames) for each in crash.exceptions] == [1, 0]
