"""Tests in Java and Kotlin, as far as one can judge without a compiler; the integration tests have one for Java."""

from __future__ import annotations

import re

import pytest
from exports.findings import finding
from exports.test_quoting import hostile
from hypothesis import given

from fewtaps.exports.espresso import espresso_java
from fewtaps.exports.registry import EXPORTS, Finding
from fewtaps.exports.robolectric import robolectric_java, robolectric_kotlin
from fewtaps.model.app import AppRef
from fewtaps.model.crash import Crash, CrashKind, ExceptionInfo, Frame
from fewtaps.model.event import (
    DoubleTap,
    Key,
    LongPress,
    Pinch,
    Rotate,
    Selector,
    StartIntent,
    Swipe,
    SystemEvent,
    Tap,
    Text,
    Wait,
)
from fewtaps.model.screen import Bounds, Screen, Widget, WidgetFlags, Window, WindowKind
from fewtaps.model.trace import Step, Trace

EVERY = ("robolectric-java", "robolectric-kotlin", "espresso-java", "espresso-kotlin")
every_test = pytest.mark.parametrize("name", EVERY)


def statements(name: str, found: Finding) -> list[str]:
    """What the test does, without comments."""
    text = EXPORTS[name].render(found).text
    body = text[text.index("@Test") :].partition("{\n")[2]
    lines = re.split(r"^ {2,4}}$", body, maxsplit=1, flags=re.MULTILINE)[0].splitlines()
    return [line.strip().removesuffix(";") for line in lines if line.strip() and not line.strip().startswith("//")]


def bare(text: str) -> str:
    """A program without its comments and literals; fails if a literal does not end on its line."""
    pattern = r"""//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'"""
    return re.sub(pattern, "", text, flags=re.DOTALL)


@every_test
def test_steps_are_calls_in_the_order_of_the_trace(name: str) -> None:
    events = (Tap(1, 2), LongPress(1, 2), DoubleTap(1, 2), Swipe(1, 2, 3, 4), Key("BACK"), Rotate("landscape"))
    calls = [line.partition("(")[0] for line in statements(name, finding(*events, StartIntent("a")))]
    assert calls == ["launch", "tap", "longPress", "doubleTap", "swipe", "key", "rotate", "start"]


def test_java_chains_names_and_kotlin_gives_them_as_arguments() -> None:
    found = finding(Tap(3, 4, Selector("android:id/text1", text="Two")))
    assert statements("robolectric-java", found)[1] == 'tap(widget().id("android:id/text1").text("Two").at(3, 4))'
    assert (
        statements("robolectric-kotlin", found)[1]
        == 'tap(Target(id = "android:id/text1", text = "Two", at = Place(3, 4)))'
    )


@every_test
def test_what_cannot_be_said_is_told(name: str) -> None:
    exported = EXPORTS[name].render(finding(Pinch(1, 2, 3, 4), SystemEvent("earthquake"), Wait(1)))
    assert [remark.partition(":")[0] for remark in exported.losses] == ["step 1", "step 2"]


@every_test
def test_the_class_is_named_as_its_file_and_the_method_claims_something(name: str) -> None:
    found = finding()
    text = EXPORTS[name].render(found).text
    file_name, _, suffix = EXPORTS[name].file_name(found).partition(".")
    assert suffix in ("java", "kt")
    assert re.search(rf"^(public )?class {file_name} \{{$", text, re.MULTILINE)
    assert "shareDoesNotThrowArithmeticException()" in text
    assert "package dev.example" in text


@pytest.mark.parametrize("name", [*EVERY, "uiautomator2", "appium"])
def test_nothing_stands_in_a_test_that_its_steps_do_not_use(name: str) -> None:
    short, long = (EXPORTS[name].render(finding(*events)).text for events in ((), (Swipe(1, 2, 3, 4), Key("BACK"))))
    assert "swipe(" not in short and "swipe(" in long
    assert "«" not in long and "KeyEvent" not in short


def test_the_screen_of_the_trace_becomes_robolectrics() -> None:
    assert '@Config(qualifiers = "w360dp-h640dp-xxhdpi", ' in robolectric_java(finding()).text
    unknown = finding()
    bare_trace = Trace(unknown.app, unknown.trace.steps)
    exported = robolectric_kotlin(Finding(unknown.app, unknown.crash, bare_trace))
    assert "qualifiers =" not in exported.text and any("screen is not known" in remark for remark in exported.losses)


def test_an_intent_without_a_handler_has_none_in_robolectric_either() -> None:
    info = ExceptionInfo("android.content.ActivityNotFoundException", None, (Frame("dev.example.A", "go"),))
    lonely = finding(crash=Crash(CrashKind.EXCEPTION, "main", (info,)))
    assert "checkActivities(true)" in robolectric_java(lonely).text
    assert "checkActivities(true)" not in robolectric_java(finding()).text


def test_events_of_the_system_that_robolectric_can_bring_about() -> None:
    broadcast = SystemEvent(
        "connectivity", (("noConnectivity", "true"), ("level", "3"), ("data", "x:y"), ("why", "no"))
    )
    lines = statements("robolectric-java", finding(broadcast, SystemEvent("locale"), SystemEvent("low_memory")))
    action = '"android.net.conn.CONNECTIVITY_CHANGE"'
    extras = '.putExtra("noConnectivity", true).putExtra("level", 3).putExtra("why", "no")'
    assert lines[1] == f'broadcast(new Intent({action}).setData(android.net.Uri.parse("x:y")){extras})'
    assert lines[2:] == ['locale("de-DE")', "lowMemory()"]
    air = statements("robolectric-kotlin", finding(SystemEvent("airplane_mode")))
    assert "AIRPLANE_MODE_ON, 1)" in air[1] and air[2].startswith("broadcast(")


def test_what_a_field_held_is_put_in_front_where_it_was_seen() -> None:
    field = Widget(
        "android.widget.EditText", "dev.example:id/f", "12", bounds=Bounds(0, 0, 9, 9), flags=WidgetFlags.EDITABLE
    )
    screen = Screen("dev.example", None, 9, 9, windows=(Window("", WindowKind.ACTIVITY, field),))
    typed = Text("34", selector=Selector("dev.example:id/f"))
    empty = finding(typed)
    steps = (empty.trace.steps[0], Step(typed, screen))
    seen = Finding(empty.app, empty.crash, Trace(empty.app, steps))
    assert statements("espresso-java", seen)[-1].endswith('"1234")') and not espresso_java(seen).losses
    assert statements("espresso-java", empty)[-1].endswith('"34")') and espresso_java(empty).losses


@given(hostile)
def test_whatever_the_app_says_the_test_does_the_same(text: str) -> None:
    frame = Frame(f"dev.example.{text}", text, text, 1)
    crash = Crash(CrashKind.EXCEPTION, text, (ExceptionInfo(text, text, (frame,)),))
    events = (
        Tap(1, 2, Selector(text or None, text, text, text)),
        Text(text.rstrip("\n"), selector=Selector(text="x")),
        StartIntent(text, text, text, (text,), ((text, text),), text),
        SystemEvent("broadcast", (("action", text or "a"), (text or "x", text))),
    )
    found = finding(*events, crash=crash, app=AppRef(text, text))
    for name in EVERY:
        program = bare(EXPORTS[name].render(found).text)
        assert all(program.count(left) == program.count(right) for left, right in ("()", "{}", "[]"))
        calls = [line.partition("(")[0] for line in statements(name, found)]
        assert calls == ["launch", "tap", "type" if name.startswith("robolectric") else "setText", "start", "broadcast"]
