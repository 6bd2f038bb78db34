"""Suites for the tests of the exports, in a few lines."""

from __future__ import annotations

from exports.findings import APP, SCREEN

from fewtaps.exports.suites import SuiteToExport
from fewtaps.model.app import AppRef
from fewtaps.model.ending import Ending
from fewtaps.model.event import Event, Key, Launch, Selector, Tap, Text
from fewtaps.model.expectation import Expectation, ExpectedWidget
from fewtaps.model.state import StateId
from fewtaps.model.suite import Suite, SuiteTest
from fewtaps.model.trace import Step, Trace

BUTTON = Selector(resource_id="dev.example:id/go", text="Go")
TOTAL = Selector(resource_id="dev.example:id/total", class_name="android.widget.TextView", path=(0, 1))
ROUND = Selector(resource_id="dev.example:id/round", text="Round up")
KNOWN = "java.lang.ArithmeticException at dev.example.Split.share"


def expecting(activity: str | None = None, *widgets: ExpectedWidget, state: str = "s1") -> Expectation:
    return Expectation(activity=activity, state=StateId(state), widgets=widgets)


def crashing(signature: str = KNOWN, ending: Ending = Ending.CRASHED) -> Expectation:
    return Expectation(ending, crash=signature)


def suite_test(name: str, *steps: tuple[Event, Expectation | None], app: AppRef = APP) -> SuiteTest:
    """A test with these steps after a launch that expects the main activity."""
    first = Step(Launch(), expect=expecting("dev.example.MainActivity"))
    return SuiteTest(name, Trace(app, (first, *(Step(event, expect=each) for event, each in steps)), screen=SCREEN))


def whole(*tests: SuiteTest, app: AppRef = APP) -> SuiteToExport:
    return SuiteToExport(Suite(app, "page", tests), "suite", "fewtaps 1.2")


def a_suite() -> SuiteToExport:
    """Three tests that expect everything which can be expected: texts, a check mark, the app left, a crash."""
    marked = expecting(
        None,
        ExpectedWidget(TOTAL, "12.50"),
        ExpectedWidget(Selector(class_name="android.widget.TextView", path=(0, 3)), "Each pays"),
        ExpectedWidget(ROUND, checked=True),
    )
    typed = Text("25", selector=Selector("dev.example:id/bill"))
    return whole(
        suite_test("round-up-split", (typed, None), (Tap(1, 2, BUTTON), marked)),
        suite_test("back", (Key("BACK"), Expectation(Ending.LEFT, package="android"))),
        suite_test("divide", (Tap(1, 2, BUTTON), crashing())),
    )
