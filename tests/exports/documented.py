"""The finding whose exports docs/exports.md shows: the crash of the sample app TipSplit."""

from __future__ import annotations

from pathlib import Path

from fewtaps.exports.finding import Finding
from fewtaps.model.crash import Crash, CrashKind, ExceptionInfo, Frame
from fewtaps.tracefile import read_trace

TRACE = Path(__file__).resolve().parents[2] / "samples" / "tipsplit" / "crash.jsonl"
PACKAGE = "dev.fewtaps.samples.tipsplit"
FRAMES = (
    Frame(f"{PACKAGE}.Bill", "share", "Bill.java", 19),
    Frame(f"{PACKAGE}.MainActivity", "split", "MainActivity.java", 98),
    Frame("android.view.View", "performClick", "View.java", 6597),
)


def documented() -> Finding:
    """The shortest steps to that crash, as `fewtaps run` finds them."""
    crash = Crash(
        CrashKind.EXCEPTION, "main", (ExceptionInfo("java.lang.ArithmeticException", "divide by zero", FRAMES),)
    )
    trace = read_trace(TRACE)
    origin = f"crash {crash.fingerprint} of fewtaps-tipsplit"
    return Finding(trace.app, crash, trace, "20 of 20 worlds (84% to 100%)", origin, "fewtaps 0.1.0")
