from __future__ import annotations

import json
from dataclasses import replace

import pytest
from builders import crash, crashes, frame
from hypothesis import given

from fewtaps.model.crash import (
    NATIVE,
    SIGNATURE_FRAMES,
    Crash,
    CrashKind,
    ExceptionInfo,
    Frame,
    crash_from_json,
    crash_to_json,
)

LOOPER = ("android.view.View.performClick", "android.os.Handler.dispatchMessage", "android.os.Looper.loop")


@given(crashes)
def test_every_crash_survives_json(value: Crash) -> None:
    assert crash_from_json(json.loads(json.dumps(crash_to_json(value)))) == value


@given(crashes)
def test_every_crash_has_a_signature_and_can_be_shown(value: Crash) -> None:
    assert value.signature
    assert len(value.fingerprint) == 12
    assert all(char.isprintable() or char in "\n\t" for char in value.render())


def test_the_signature_is_the_type_and_the_app_frames() -> None:
    value = crash("java.lang.Integer.parseInt", "com.a.Main.split", "com.a.Main$1.onClick", *LOOPER)
    assert value.signature == "java.lang.IllegalStateException at com.a.Main.split < com.a.Main$1.onClick"


def test_messages_lines_and_threads_do_not_count() -> None:
    def at(line: int, message: str, thread: str) -> Crash:
        info = ExceptionInfo("java.lang.NullPointerException", message, (Frame("a.B", "m", "B.java", line),))
        return Crash(CrashKind.EXCEPTION, thread, (info,))

    assert at(1, "x", "main").signature == at(2, "y", "pool-1-thread-7").signature


def test_the_platform_around_the_app_does_not_count() -> None:
    old = crash("java.util.ArrayList.get", "a.B.m", "android.view.View.performClick")
    new = crash(
        "java.util.ArrayList.rangeCheck",
        "java.util.ArrayList.get",
        "a.B.m",
        "androidx.core.view.ViewCompat.click",
        "android.view.View.performClickInternal",
    )
    assert old.signature == new.signature


def test_type_and_place_do_count() -> None:
    value = crash("a.B.m")
    assert value.signature != crash("a.B.m", type="java.lang.NullPointerException").signature
    assert value.signature != crash("a.B.n").signature


def test_obfuscated_names_are_kept() -> None:
    assert crash("a.a.b.c.a", "a.a.b.d.onClick").signature.endswith("at a.a.b.c.a < a.a.b.d.onClick")


def test_an_app_of_the_android_project_is_an_app() -> None:
    value = crash("com.android.internal.util.Preconditions.check", "com.android.calculator2.Logic.evaluate", *LOOPER)
    assert value.signature.endswith("at com.android.calculator2.Logic.evaluate")


def test_two_listeners_are_two_crashes() -> None:
    assert crash("a.Main$1.onClick").signature != crash("a.Main$2.onClick").signature


@pytest.mark.parametrize(
    "made_by_a_compiler",
    [
        "a.Main.access$000",
        "a.Main.access$getPeople$p",
        "a.Main.-$$Nest$msplit",
        "a.Main$$ExternalSyntheticLambda0.onClick",
        "a.-$$Lambda$Main$XyZ123.onClick",
        "a.Main.$r8$lambda$Ab12Cd",
        "a.Main.-wrap0",
        "a.Main$$Lambda$14.onClick",
        "a.Main$$Lambda/0x000071.run",
    ],
)
def test_what_only_a_compiler_wrote_does_not_count(made_by_a_compiler: str) -> None:
    assert (
        crash("a.Main.split", made_by_a_compiler, "a.Main.tap").signature
        == crash("a.Main.split", "a.Main.tap").signature
    )


def test_numbers_of_lambdas_do_not_count() -> None:
    first, second = crash("a.Main.lambda$onCreate$0"), crash("a.Main.lambda$onCreate$12")
    assert first.signature == second.signature
    assert first.signature.endswith("a.Main.lambda$onCreate")
    assert crash("a.Main.lambda$onCreate$0$a-Main").signature == first.signature
    assert crash("a.Main.lambda$onCreate$4f3a$1").signature == first.signature
    assert crash("a.Main.lambda$onStart$0").signature != first.signature


def test_a_kotlin_default_method_is_the_method() -> None:
    assert (
        crash("a.Main.show", "a.Main.show$default", "a.Main.tap").signature
        == crash("a.Main.show", "a.Main.tap").signature
    )


def chain(*links: tuple[str, tuple[str, ...]]) -> Crash:
    infos = tuple(ExceptionInfo(type_, None, tuple(frame(name) for name in names)) for type_, names in links)
    return Crash(CrashKind.EXCEPTION, "main", infos)


def test_the_root_cause_decides_not_its_wrapping() -> None:
    wrapped = chain(
        ("java.lang.RuntimeException", ("android.app.ActivityThread.performLaunchActivity", *LOOPER)),
        ("java.lang.NullPointerException", ("a.Main.onCreate", "android.app.Activity.performCreate", *LOOPER)),
    )
    bare = chain(("java.lang.NullPointerException", ("a.Main.onCreate", *LOOPER)))
    assert wrapped.signature == bare.signature == "java.lang.NullPointerException at a.Main.onCreate"


def test_a_root_cause_without_app_code_is_placed_by_its_wrapper() -> None:
    value = chain(
        ("a.LoadFailed", ("a.Loader.load", "a.Main.onClick", *LOOPER)),
        ("java.io.IOException", ("libcore.io.IoBridge.open", "java.io.FileInputStream.<init>")),
    )
    assert value.signature == "java.io.IOException at a.Loader.load < a.Main.onClick"


def test_a_crash_without_app_code_is_placed_in_the_platform_up_to_the_message_loop() -> None:
    value = crash("android.view.ViewRootImpl.setView", "android.app.Dialog.show", *LOOPER[1:])
    assert value.signature.endswith("at android.view.ViewRootImpl.setView < android.app.Dialog.show")


def test_only_the_innermost_frames_count() -> None:
    inner = [f"a.B.m{number}" for number in range(SIGNATURE_FRAMES)]
    assert crash(*inner, "a.B.tap").signature == crash(*inner, "a.B.key").signature


def test_the_depth_of_a_recursion_does_not_count() -> None:
    assert crash(*["a.B.walk"] * 3, "a.B.tap").signature == crash(*["a.B.walk"] * 9, "a.B.tap").signature


def test_an_endless_recursion_is_its_circle_wherever_the_stack_was_full() -> None:
    circle = ["a.B.even", "a.B.odd"]
    one = crash("a.B.isZero", *circle * 40, type="java.lang.StackOverflowError")
    other = crash(*circle[1:], *circle * 40, type="java.lang.StackOverflowError")
    assert one.signature == other.signature == "java.lang.StackOverflowError at a.B.even < a.B.odd"


def test_a_hang_is_the_callback_it_happened_in_wherever_it_was_noticed() -> None:
    def hang(*names: str) -> Crash:
        return crash(*names, *LOOPER, type="ANR", kind=CrashKind.ANR)

    assert hang("a.B.spin", "a.Main.onClick").signature == "ANR at a.Main.onClick"
    assert hang("java.lang.Math.sin", "a.B.spin", "a.Main.onClick").signature == hang("a.Main.onClick").signature
    assert hang("a.Main.onClick").signature != hang("a.Other.onClick").signature


def test_a_full_heap_is_the_callback_it_happened_in() -> None:
    thrown = crash("a.B.fill", "a.Main.onClick", type="java.lang.OutOfMemoryError")
    again = crash("a.B.grow", "a.B.fill", "a.Main.onClick", type="java.lang.OutOfMemoryError")
    assert thrown.signature == again.signature


def test_deaths_without_a_stack_have_a_signature_too() -> None:
    signatures = {Crash(kind, "main").signature for kind in CrashKind}
    assert len(signatures) == len(CrashKind)


def test_a_suspicion_does_not_change_which_crash_it_is() -> None:
    value = crash("a.B.m")
    assert replace(value, suspect="native code").signature == value.signature


def test_a_crash_is_shown_as_in_the_log_of_a_phone() -> None:
    tail = (Frame("android.os.Looper", "loop", "Looper.java", 193),)
    value = Crash(
        CrashKind.EXCEPTION,
        "main",
        (
            ExceptionInfo(
                "java.lang.RuntimeException", "Unable to start", (Frame("android.app.A", "b", "A.java", 1), *tail)
            ),
            ExceptionInfo("java.lang.ArithmeticException", None, (Frame("a.Main", "m"), *tail)),
        ),
        suspect="no native code here",
    )
    assert value.render() == (
        "FATAL EXCEPTION: main\n"
        "java.lang.RuntimeException: Unable to start\n"
        "\tat android.app.A.b(A.java:1)\n"
        "\tat android.os.Looper.loop(Looper.java:193)\n"
        "Caused by: java.lang.ArithmeticException\n"
        "\tat a.Main.m(Unknown Source)\n"
        "\t... 1 more\n"
        "Suspect: no native code here"
    )


def test_a_message_cannot_command_the_terminal() -> None:
    info = ExceptionInfo("a.E", "\x1b[31mred")
    assert "\x1b" not in replace(crash(), exceptions=(info,)).render()


@pytest.mark.parametrize(
    ("record", "field"),
    [
        (None, "crash"),
        ({"kind": "sneeze"}, "kind"),
        ({"kind": "exception", "thread": 1}, "thread"),
        ({"kind": "exception", "exceptions": {}}, "exceptions"),
        ({"kind": "exception", "exceptions": [{"type": "a", "frames": [["a"]]}]}, "frames"),
        ({"kind": "exception", "exceptions": [{"type": "a", "frames": [["a", "b", None, "1"]]}]}, "frames"),
    ],
)
def test_a_bad_field_is_named(record: object, field: str) -> None:
    with pytest.raises(ValueError, match=rf"^{field}: "):
        crash_from_json(record)


def test_lambdas_without_a_name_and_classes_that_d8_made_do_not_tell_crashes_apart() -> None:
    def crash(number: int) -> Crash:
        frames = (
            Frame("a.Feed", f"lambda${number}$a-Feed", "Feed.java", 72),
            Frame(f"a.Feed${number}", "run", "D8$$SyntheticClass", 0),
        )
        return Crash(CrashKind.EXCEPTION, "main", (ExceptionInfo("java.lang.NullPointerException", None, frames),))

    assert crash(3).signature == crash(7).signature


def test_a_line_that_java_does_not_know_is_no_line() -> None:
    data = {"kind": "exception", "thread": "main", "suspect": None}
    exceptions = [{"type": "a.E", "message": None, "frames": [["a.B", "c", "B.java", -1]]}]
    (exception,) = crash_from_json(data | {"exceptions": exceptions}).exceptions
    assert str(exception.frames[0]) == "a.B.c(B.java)"


def test_a_native_frame_is_shown_as_a_phone_shows_it() -> None:
    assert str(Frame("java.lang.reflect.Method", "invoke", None, NATIVE)) == (
        "java.lang.reflect.Method.invoke(Native Method)"
    )
    assert str(Frame("a.B", "c", "B.java", None)) == "a.B.c(B.java)"
