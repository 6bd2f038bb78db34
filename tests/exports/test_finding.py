"""What a finding says of itself: names for classes and files, and where it came from."""

from __future__ import annotations

import re

import pytest
from exports.findings import CRASH, finding
from exports.test_quoting import hostile
from hypothesis import given

from fewtaps.exports.finding import rate_in_words
from fewtaps.model.crash import Crash, CrashKind, ExceptionInfo, Frame
from fewtaps.model.event import Key, Tap
from fewtaps.model.result import Reproduction


def crash_at(class_name: str, kind: CrashKind = CrashKind.EXCEPTION, exception: str = "a.b.SomeException") -> Crash:
    return Crash(kind, "main", (ExceptionInfo(exception, None, (Frame(class_name, "run"),)),))


@pytest.mark.parametrize(
    ("crash", "name"),
    [
        (CRASH, "ArithmeticExceptionInSplit"),
        (crash_at("dev.example.Main$1"), "SomeExceptionInMain"),
        (crash_at("android.view.View"), "SomeException"),
        (crash_at("dev.example.Main", CrashKind.ANR, "ANR"), "ANRInMain"),
        (crash_at("dev.example.Main", CrashKind.NATIVE), "NativeInMain"),
        (crash_at("dev.example.schön"), "SomeExceptionInSchN"),
        (crash_at("dev.example.1", exception="dev.example.Störung"), "StRung"),
        (Crash(CrashKind.EXIT, "main"), "Exit"),
    ],
)
def test_the_name_is_made_of_the_exception_and_the_apps_own_class(crash: Crash, name: str) -> None:
    assert finding(crash=crash).name == name


@given(hostile)
def test_a_name_is_always_fit_for_a_class_and_a_file(text: str) -> None:
    frame = Frame(f"dev.example.{text}", text, text, 1)
    crash = Crash(CrashKind.EXCEPTION, text, (ExceptionInfo(text, text, (frame,)),))
    name = finding(crash=crash).name
    assert re.fullmatch(r"[A-Za-z][A-Za-z0-9]*", name) and len(name) < 130


def test_the_top_is_the_innermost_frame_of_the_app_in_the_innermost_cause_that_has_one() -> None:
    outer = ExceptionInfo("a.Outer", None, (Frame("dev.example.A", "outer"),))
    inner = ExceptionInfo("a.Inner", None, (Frame("java.util.List", "get"), Frame("dev.example.B", "inner")))
    top = finding(crash=Crash(CrashKind.EXCEPTION, "main", (outer, inner))).top
    assert top is not None and (top.class_name, top.method) == ("dev.example.B", "inner")


def test_where_it_came_from_is_told_in_lines() -> None:
    assert finding(Tap(1, 2), Key("BACK")).provenance == (
        "java.lang.ArithmeticException: divide by zero",
        "at dev.example.Split.share(Split.java:7)",
        "dev.example 1.0",
        "2 steps after the launch; reproduction rate 19 of 20",
        "Found by fewtaps 1.2: crash 3f9a",
    )


@given(hostile)
def test_no_line_of_it_holds_a_line_end_or_an_unprintable_character(text: str) -> None:
    crash = Crash(CrashKind.EXCEPTION, text, (ExceptionInfo(text, text),), suspect=text)
    lines = finding(crash=crash).provenance
    assert all(line.isprintable() for line in lines)


def test_a_rate_is_told_with_its_bounds() -> None:
    assert rate_in_words(Reproduction(20, 20)) == "20 of 20 worlds (84% to 100%)"
    assert rate_in_words(Reproduction(19, 20), has_worlds=False).startswith("19 of 20 runs (")
    assert rate_in_words(None) == ""
