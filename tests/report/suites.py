"""Results of a suite's run for the tests of its pages and documents, in a few lines."""

from __future__ import annotations

import io
from dataclasses import replace

from PIL import Image

from fewtaps.model.app import AppRef
from fewtaps.model.crash import Crash, CrashKind, ExceptionInfo, Frame
from fewtaps.model.ending import Ending
from fewtaps.model.event import Launch, Selector, Tap
from fewtaps.model.expectation import Expectation, ExpectedWidget
from fewtaps.model.screen import Bounds, Screen, Widget, WidgetFlags, Window, WindowKind
from fewtaps.model.state import StateId
from fewtaps.model.suite import NamedCoverage, Suite, SuiteTest
from fewtaps.model.suite_result import (
    CoverageNews,
    Difference,
    DifferenceKind,
    Healing,
    Reason,
    SuiteResult,
    SuiteTestResult,
    SuiteTestRun,
    SuiteTestStatus,
)
from fewtaps.model.trace import Step, Trace

APP = AppRef("dev.example", "2.0", "cd" * 32)
OLD = AppRef("dev.example", "1.0", "ab" * 32)
BUTTON = Selector("dev.example:id/split", "android.widget.Button", "Split", path=(0, 1))
TOTAL = Selector("dev.example:id/total", "android.widget.TextView", path=(0, 0))
CRASH = Crash(
    CrashKind.EXCEPTION,
    "main",
    (
        ExceptionInfo(
            "java.lang.ArithmeticException", "divide by zero", (Frame("dev.example.Bill", "share", "B.java", 7),)
        ),
    ),
)


def png(shade: int) -> bytes:
    """A grey picture."""
    content = io.BytesIO()
    Image.new("RGB", (36, 64), (shade, shade, shade)).save(content, "PNG")
    return content.getvalue()


def screen(total: str, label: str = "Split") -> Screen:
    text = Widget("android.widget.TextView", "dev.example:id/total", total, bounds=Bounds(20, 100, 340, 180))
    flags = WidgetFlags.CLICKABLE | WidgetFlags.ENABLED
    button = Widget(
        "android.widget.Button", "dev.example:id/split", label, bounds=Bounds(20, 300, 340, 380), flags=flags
    )
    root = Widget("android.widget.FrameLayout", bounds=Bounds(0, 0, 360, 640), children=(text, button))
    return Screen("dev.example", "dev.example.Main", 360, 640, windows=(Window("", WindowKind.ACTIVITY, root),))


def suite_test(name: str) -> SuiteTest:
    """A test that taps a button and expects a total."""
    shown = Expectation(activity="dev.example.Main", state=StateId("s"), widgets=(ExpectedWidget(TOTAL, "12.50"),))
    launch = Step(Launch(), expect=Expectation(activity="dev.example.Main"))
    return SuiteTest(name, Trace(OLD, (launch, Step(Tap(180, 340, BUTTON), expect=shown))), 1.5)


def run(
    status: SuiteTestStatus, total: str = "12.50", world: int = 0, app: AppRef = APP, shade: int = 200
) -> SuiteTestRun:
    """A run whose last step shows this total; a crash if the status says so."""
    test = suite_test("any").trace
    crashed = status is SuiteTestStatus.CRASHED
    last = Step(
        test.steps[1].event,
        screen(""),
        screen(total),
        crash=CRASH if crashed else None,
        ending=Ending.CRASHED if crashed else Ending.RUNNING,
        expect=test.steps[1].expect,
    )
    steps = (replace(test.steps[0], after=screen("")), last)
    pictures = ((0, png(shade)), (1, png(shade + 20)))
    made = SuiteTestRun(world, status, Trace(app, steps, world), pictures=pictures, seconds=0.5)
    match status:
        case SuiteTestStatus.PASSED:
            return made
        case SuiteTestStatus.HEALED:
            return replace(made, healings=(Healing(1, replace(BUTTON, resource_id="dev.example:id/old"), BUTTON),))
        case SuiteTestStatus.BROKEN:
            broken = replace(made, step=1, selector=replace(BUTTON, text="Divide"), nearest=(BUTTON,))
            return replace(broken, trace=Trace(app, steps[:1], world), pictures=((0, png(shade)),))
        case SuiteTestStatus.CRASHED:
            difference = Difference(DifferenceKind.ENDING, "running", "crashed")
            return replace(made, step=1, differences=(difference,), pictures=((0, png(shade)),))
    difference = Difference(DifferenceKind.TEXT, "12.50", total, TOTAL, (0, 0))
    return replace(made, step=1, differences=(difference,))


def outcome(name: str, status: SuiteTestStatus, *runs: SuiteTestRun, **more: object) -> SuiteTestResult:
    return SuiteTestResult(suite_test(name), status, runs or (run(status, "12.51"),), **more)  # type: ignore[arg-type]


def a_result(*results: SuiteTestResult, **more: object) -> SuiteResult:
    """The run of a suite; by default with a test of every status."""
    failed, passed = SuiteTestStatus.FAILED, SuiteTestStatus.PASSED
    flakes = (run(failed, "9", 1), run(failed, "9", 2))
    shown = results or (
        outcome("pays", passed, run(passed)),
        outcome("healed", SuiteTestStatus.HEALED),
        outcome("wrong-sum", failed, run(failed, "12.51"), reference=(run(passed, app=OLD, shade=90),)),
        outcome("no-button", SuiteTestStatus.BROKEN),
        outcome("nobody", SuiteTestStatus.CRASHED),
        outcome("sometimes", SuiteTestStatus.FLAKY, run(passed), *flakes, run(passed, world=3)),
        outcome("apart", SuiteTestStatus.QUARANTINED, run(failed, "8"), run(passed, world=1)),
        SuiteTestResult(suite_test("later"), SuiteTestStatus.NOT_RUN, reason=Reason.NO_TIME),
    )
    suite = Suite(OLD, "page", tuple(result.test for result in shown))
    made = SuiteResult(suite, APP, tuple(shown), seconds=12.5)
    return replace(made, **more)  # type: ignore[arg-type]


COVERAGE = CoverageNews(
    NamedCoverage(frozenset({("dev.example.Main", "onCreate()V", 0)})),
    NamedCoverage(frozenset({("dev.example.Bill", "share()V", 1)})),
    NamedCoverage(),
    ("dev.example.New",),
    ("dev.example.Later",),
    40,
)
