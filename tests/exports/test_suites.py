"""Whole suites: every tool asserts what a step expects, in its own way, and tells the rest."""

from __future__ import annotations

import ast
import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from exports.fake_appium import AppiumServer
from exports.findings import APP
from exports.suites import BUTTON, TOTAL, a_suite, crashing, expecting, suite_test, whole
from exports.test_dialects import bare
from exports.test_maestro import read_flow
from exports.test_pytests import FAKE, LOG, lend_client, run_exported
from exports.test_quoting import hostile
from hypothesis import given

from fewtaps.exports.assertions import ANY_APP, NO_NAME, NO_PICTURE, NO_STATE, NO_TOAST, NOT_EMPTY
from fewtaps.exports.registry import EXPORTS, SUITE_EXPORTS
from fewtaps.exports.suites import SuiteToExport, method_names
from fewtaps.model.app import AppRef
from fewtaps.model.ending import Ending
from fewtaps.model.event import Key, Selector, Tap, Wait
from fewtaps.model.expectation import Expectation, ExpectedWidget
from fewtaps.model.phone import phone_from_text
from fewtaps.model.suite import Suite

every_export = pytest.mark.parametrize("name", SUITE_EXPORTS)
CLASSES = ("robolectric-java", "robolectric-kotlin", "espresso-java", "espresso-kotlin")


def only_text(name: str, suite: SuiteToExport) -> str:
    (file,) = SUITE_EXPORTS[name](suite).files
    return file.text


def calls(name: str, suite: SuiteToExport) -> list[str]:
    """What the tests do, without comments: each call's name, indented ones too."""
    text = only_text(name, suite)
    start = text.index("@Test") if name in CLASSES else text.index("def test_")
    end = text.index("// What follows") if name in CLASSES else text.index("@pytest.fixture")
    found = re.findall(r"^ +(?:with )?(?:phone\.)?(\w+)\(", text[start:end], re.MULTILINE)
    return found


def test_suites_are_written_under_the_names_of_the_exports_of_crashes() -> None:
    assert set(SUITE_EXPORTS) <= set(EXPORTS)


@every_export
def test_an_exported_suite_says_where_it_came_from(name: str) -> None:
    for file in SUITE_EXPORTS[name](a_suite()).files:
        for part in ("dev.example 1.0", "3 tests with 4 steps", "fewtaps 1.2: suite suite"):
            assert part in file.text
        assert "«" not in file.text


@pytest.mark.parametrize("name", ["robolectric-java", "robolectric-kotlin"])
def test_robolectric_asserts_activity_texts_check_marks_and_a_known_crash(name: str) -> None:
    assert calls(name, a_suite()) == [
        *("launch", "expectActivity", "type", "tap", "expectText", "expectShown", "expectChecked"),
        *("launch", "expectActivity", "key"),
        *("launch", "expectActivity", "expectCrash", "tap"),
    ]


@pytest.mark.parametrize("name", ["espresso-java", "espresso-kotlin"])
def test_espresso_leaves_out_the_step_that_would_end_the_test_run(name: str) -> None:
    assert calls(name, a_suite()) == [
        *("launch", "expectActivity", "setText", "tap", "expectText", "expectShown", "expectChecked"),
        *("launch", "expectActivity", "key", "expectLeft"),
        *("launch", "expectActivity"),
    ]
    assert any(loss.startswith("divide (step 1): the app dies") for loss in SUITE_EXPORTS[name](a_suite()).losses)


def test_the_methods_of_a_class_are_named_after_the_tests() -> None:
    text = only_text("robolectric-java", a_suite())
    assert re.findall(r"public void (test\w+)\(\)", text) == ["testRoundUpSplit", "testBack", "testDivide"]
    assert "public class ExampleSuiteTest {" in text
    assert 'expectText(widget().id("dev.example:id/total"), "12.50");' in text
    assert 'expectChecked(widget().id("dev.example:id/round").text("Round up"), true);' in text
    assert 'expectCrash("java.lang.ArithmeticException", () -> {\n      tap(' in text


def test_names_that_differ_in_signs_or_case_only_become_different_methods() -> None:
    tests = [suite_test(name) for name in ("a-b", "a_b", "A.B", "é", "ü", "new", "1")]
    names = [name for _, name in method_names(tests)]
    assert names == ["AB", "AB2", "AB3", "Unnamed", "Unnamed2", "New", "1"]


def test_maestro_writes_a_flow_per_test() -> None:
    files = {file.name: read_flow(file.text)[1] for file in SUITE_EXPORTS["maestro"](a_suite()).files}
    assert set(files) == {"round-up-split.yaml", "back.yaml", "divide.yaml"}
    assert files["round-up-split.yaml"][4:] == [
        ("assertVisible", {"id": "dev.example:id/total", "text": "12\\.50"}),
        ("assertVisible", {"text": "Each pays"}),
        ("assertVisible", {"id": "dev.example:id/round", "text": "Round up", "checked": True}),
        ("assertNotVisible", {"id": "android:id/aerr_.*"}),
        ("assertVisible", {"id": "dev.example:id/.*"}),
    ]
    gone = ("assertNotVisible", {"id": "dev.example:id/.*"})
    assert files["back.yaml"][1:] == [("back", None), gone]
    assert files["divide.yaml"][2:] == [gone]


@every_export
def test_a_test_on_another_phone_is_told(name: str) -> None:
    ordinary = suite_test("usual", (Tap(1, 2, BUTTON), expecting(None)))
    arabic = replace(ordinary, name="arabic", trace=ordinary.trace.on_phone(phone_from_text("locale=ar")))
    told = [loss for loss in SUITE_EXPORTS[name](whole(ordinary, arabic)).losses if "phone up" in loss]
    assert told == ["arabic (step 0): the test does not set the phone up: it has to be one in the language ar"]


@every_export
def test_what_a_tool_cannot_assert_is_told_once_with_its_places(name: str) -> None:
    losses = SUITE_EXPORTS[name](a_suite()).losses
    assert NO_STATE in losses, "of nearly every step: without places"
    assert any(loss.startswith("back (step 1): ") for loss in losses if loss.endswith(ANY_APP))
    assert len(set(losses)) == len(losses)


def test_many_places_of_one_loss_are_counted() -> None:
    left = (Key("BACK"), Expectation(Ending.LEFT, package="android"))
    many = whole(*(suite_test(f"t{number}", left, left) for number in range(9)))
    (found,) = (loss for loss in SUITE_EXPORTS["appium"](many).losses if loss.endswith(ANY_APP))
    assert found.startswith("t0 (steps 1, 2), t1") and "t4 (steps 1, 2) and 4 more: " in found and "t5" not in found


def test_a_toast_is_asserted_by_robolectric_and_told_by_tools_on_phones() -> None:
    toast = ExpectedWidget(Selector(class_name="android.widget.TextView", path=(0,)), "Enter the bill first")
    suite = whole(suite_test("t", (Tap(1, 2, BUTTON), expecting(None, toast))))
    assert calls("robolectric-kotlin", suite)[-1] == "expectToast"
    for name in SUITE_EXPORTS:
        told = any(loss.endswith(NO_TOAST) for loss in SUITE_EXPORTS[name](suite).losses)
        assert told == (not name.startswith("robolectric"))


def test_rows_of_one_id_are_told_apart_by_their_texts() -> None:
    row = Selector("android:id/text1", "android.widget.CheckedTextView", path=(0, 2))
    suite = whole(suite_test("t", (Tap(1, 2, BUTTON), expecting(None, ExpectedWidget(row, "10 %", checked=True)))))
    text = only_text("robolectric-java", suite)
    assert 'expectChecked(widget().id("android:id/text1").text("10 %"), true);' in text


def test_an_empty_text_is_asserted_by_robolectric_and_told_by_tools_on_phones() -> None:
    empty = whole(suite_test("clear", (Tap(1, 2, BUTTON), expecting(None, ExpectedWidget(TOTAL, "")))))
    assert "expectText" in calls("robolectric-java", empty)
    for name in SUITE_EXPORTS:
        told = any(loss.endswith(NOT_EMPTY) for loss in SUITE_EXPORTS[name](empty).losses)
        assert told == (not name.startswith("robolectric"))


@every_export
def test_a_check_mark_without_a_name_and_a_picture_are_told(name: str) -> None:
    expected = Expectation(widgets=(ExpectedWidget(Selector(path=(0, 1)), checked=False),), picture="total.png")
    losses = SUITE_EXPORTS[name](whole(suite_test("t", (Tap(1, 2), expected)))).losses
    assert {NO_NAME, NO_PICTURE} <= {loss.removeprefix("t (step 1): ") for loss in losses}


@pytest.mark.parametrize("ending", [Ending.ANR, Ending.EXITED])
def test_robolectric_leaves_out_a_step_that_hangs_or_ends_the_process(ending: Ending) -> None:
    hanging = whole(suite_test("t", (Tap(1, 2), Expectation(ending, crash="ANR at dev.example.A.b"))))
    assert calls("robolectric-kotlin", hanging) == ["launch", "expectActivity"]
    assert any("the step is left out" in loss for loss in SUITE_EXPORTS["robolectric-kotlin"](hanging).losses)


def test_a_known_crash_without_a_handler_has_none_in_robolectric_either() -> None:
    lonely = crashing("android.content.ActivityNotFoundException at dev.example.A.go")
    text = only_text("robolectric-java", whole(suite_test("map", (Tap(1, 2), lonely)), suite_test("other")))
    assert text.count("checkActivities(true)") == 1


def test_the_settings_of_a_suite_are_told() -> None:
    suite = Suite(APP, "page", (suite_test("t"),), settings=(("permissions", "asked"),))
    assert any("permissions asked" in loss for loss in SUITE_EXPORTS["maestro"](SuiteToExport(suite)).losses)


@every_export
def test_nothing_stands_in_a_suite_that_its_tests_do_not_use(name: str) -> None:
    plain = "".join(file.text for file in SUITE_EXPORTS[name](whole(suite_test("t", (Wait(1), None)))).files)
    assert "checked" not in plain.lower() and "crash_expected" not in plain and "expectCrash" not in plain


WIDGETS: list[dict[str, Any]] = [
    {"resourceId": "dev.example:id/go", "text": "GO", "at": [50, 60]},
    {"resourceId": "dev.example:id/total", "text": "12.50", "at": [10, 100]},
    {"resourceId": "dev.example:id/round", "text": "ROUND UP", "at": [10, 200], "checked": True},
    {"text": "Each pays", "at": [10, 300]},
    {"resourceId": "dev.example:id/bill", "text": "", "at": [10, 400]},
]
HERE = {"package": "dev.example", "activity": ".MainActivity"}
AWAY = {"package": "com.android.launcher3", "activity": "com.android.launcher3.Launcher"}


def on_fake_phone(suite: SuiteToExport, folder: Path, **phone: Any) -> tuple[int, str]:
    shutil.copy(FAKE, folder / "uiautomator2.py")
    described = {"widgets": WIDGETS, "crash_after": None, "log": LOG, "current": HERE} | phone
    (folder / "phone.json").write_text(json.dumps(described), "utf-8")
    done = run_exported(only_text("uiautomator2", suite), folder)
    return done.returncode, done.stdout


def on_fake_appium(suite: SuiteToExport, folder: Path, **phone: Any) -> tuple[int, str]:
    lend_client(folder)
    described = {"widgets": WIDGETS, "crash_after": None, "log": LOG, "current": HERE} | phone
    with AppiumServer(**described) as server:
        done = run_exported(only_text("appium", suite), folder, APPIUM_SERVER=server.address)
    return done.returncode, done.stdout


on_each = pytest.mark.parametrize("run", [on_fake_phone, on_fake_appium])


@pytest.mark.slow
@on_each
def test_on_a_phone_that_shows_what_is_expected_the_tests_pass(run: Any, tmp_path: Path) -> None:
    tests = a_suite().suite.tests
    assert run(whole(tests[0]), tmp_path)[0] == 0
    code, output = run(whole(suite_test("back", (Key("BACK"), Expectation(Ending.LEFT)))), tmp_path)
    assert code == 1 and "expected that the app is left" in output
    code, output = run(whole(tests[2]), tmp_path, crash_after=2, log=f"{LOG}java.lang.ArithmeticException: / by zero\n")
    assert code == 0, output


@pytest.mark.slow
@on_each
@pytest.mark.parametrize(
    ("widget", "change", "message"),
    [
        (1, {"text": "12.51"}, "expected '12.50' in {'id': 'dev.example:id/total'}, seen ['12.51']"),
        (2, {"checked": False}, "expected a check mark in {'id': 'dev.example:id/round'"),
        (3, {"text": "Each"}, "expected 'Each pays' on the screen"),
    ],
)
def test_what_a_phone_shows_instead_is_in_the_failure(
    run: Any, widget: int, change: dict[str, Any], message: str, tmp_path: Path
) -> None:
    changed = [each | (change if number == widget else {}) for number, each in enumerate(WIDGETS)]
    code, output = run(whole(a_suite().suite.tests[0]), tmp_path, widgets=changed)
    assert code == 1 and message in output, output


@pytest.mark.slow
@on_each
def test_another_activity_fails_and_so_does_a_crash_that_does_not_come_or_is_another(run: Any, tmp_path: Path) -> None:
    divide = whole(a_suite().suite.tests[2])
    code, output = run(divide, tmp_path, current=AWAY)
    assert code == 1 and "expected the activity dev.example.MainActivity" in output
    assert run(divide, tmp_path)[0] == 1
    assert run(divide, tmp_path, crash_after=2)[0] == 1, "the log names no ArithmeticException"


def hostile_suite(text: str) -> SuiteToExport:
    """An app that says this text wherever a suite can hold it."""
    app = AppRef(text, text)
    widgets = (
        ExpectedWidget(Selector(text or None), text),
        ExpectedWidget(Selector(description=text), text),
        ExpectedWidget(Selector(class_name=text), text),
        ExpectedWidget(Selector(text or None, None, text, text), checked=False),
    )
    shown = Expectation(activity=text, package=text, widgets=widgets)
    tests = (
        suite_test("one", (Tap(1, 2, Selector(text or None, text=text)), shown), app=app),
        suite_test("two", (Key("BACK"), Expectation(Ending.LEFT, package=text)), app=app),
        suite_test("three", (Tap(1, 2), crashing(f"{text} at x")), app=app),
    )
    return SuiteToExport(Suite(app, "page", tests, settings=((text, text),)), text, text)


@given(hostile)
def test_whatever_the_app_says_stays_a_text(text: str) -> None:
    suite = hostile_suite(text)
    for name in CLASSES:
        program = bare(only_text(name, suite))
        assert all(program.count(left) == program.count(right) for left, right in ("()", "{}", "[]"))
        assert program.count("@Test") == 3
    for name in ("uiautomator2", "appium"):
        tree = ast.parse(only_text(name, suite))
        tests = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
        assert len(tests) == 3
        shown = [
            call
            for call in ast.walk(tests[0])
            if isinstance(call, ast.Call) and ast.unparse(call.func) in ("phone.expect_text", "phone.expect_shown")
        ]
        assert all(ast.literal_eval(call.args[0]) == text for call in shown) and bool(shown) == bool(text)
    for file in SUITE_EXPORTS["maestro"](suite).files:
        read_flow(file.text)
