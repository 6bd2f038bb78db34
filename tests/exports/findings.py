"""Findings for the tests of the exports, in one line."""

from __future__ import annotations

from fewtaps.exports.finding import Finding
from fewtaps.model.app import AppRef
from fewtaps.model.crash import Crash, CrashKind, ExceptionInfo, Frame
from fewtaps.model.ending import Ending
from fewtaps.model.event import Event, Launch
from fewtaps.model.trace import Step, Trace

FRAMES = (
    Frame("dev.example.Split", "share", "Split.java", 7),
    Frame("android.view.View", "performClick", "View.java", 6597),
)
CRASH = Crash(CrashKind.EXCEPTION, "main", (ExceptionInfo("java.lang.ArithmeticException", "divide by zero", FRAMES),))
APP = AppRef("dev.example", "1.0", "ab" * 32)
SCREEN = (1080, 1920, 480)


def finding(*events: Event, crash: Crash = CRASH, app: AppRef = APP, **more: object) -> Finding:
    """The finding that these events lead to, after a launch."""
    steps = [Step(event) for event in (Launch(), *events)]
    steps[-1] = Step(steps[-1].event, crash=crash, ending=Ending.CRASHED)
    trace = Trace(app, tuple(steps), screen=SCREEN)
    return Finding(app, crash, trace, rate="19 of 20", origin="crash 3f9a", tool="fewtaps 1.2", **more)  # type: ignore[arg-type]
