"""Exported Java tests, compiled and run: against sample apps they fail with the very crash they are named after."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from exports.androidx import write_sources
from exports.findings import finding
from exports.java import SAMPLES, compile_java, convert_samples, run_test
from exports.test_quoting import HOSTILE
from exports.test_suites import hostile_suite

from fewtaps.exports.finding import Finding
from fewtaps.exports.registry import EXPORTS, SUITE_EXPORTS
from fewtaps.exports.suites import SuiteToExport
from fewtaps.model.app import AppRef
from fewtaps.model.crash import Crash, CrashKind, ExceptionInfo, Frame
from fewtaps.model.ending import Ending
from fewtaps.model.event import (
    DoubleTap,
    Event,
    Key,
    Launch,
    LongPress,
    Rotate,
    Selector,
    StartIntent,
    Swipe,
    SystemEvent,
    Tap,
    Text,
    Wait,
)
from fewtaps.model.expectation import Expectation, ExpectedWidget
from fewtaps.model.suite import Suite, SuiteTest
from fewtaps.model.trace import Step
from fewtaps.tracefile import read_trace

pytestmark = pytest.mark.jvm

# What the notes of each sample say: the exception, and the app's own code that throws it.
CRASHES = {
    "tipsplit": ("java.lang.ArithmeticException", "dev.fewtaps.samples.tipsplit.Bill.share"),
    "notes": ("java.lang.NullPointerException", "dev.fewtaps.samples.notes.RenameDialog.confirm"),
    "zones": ("android.content.ActivityNotFoundException", "dev.fewtaps.samples.zones.ZoneActivity.showMap"),
    "wizard": ("java.lang.NullPointerException", "dev.fewtaps.samples.wizard.SendActivity.label"),
}


def crash_of(sample: str) -> Crash:
    exception, place = CRASHES[sample]
    class_name, _, method = place.rpartition(".")
    return Crash(CrashKind.EXCEPTION, "main", (ExceptionInfo(exception, None, (Frame(class_name, method),)),))


def written(found: Finding, name: str, folder: Path) -> Path:
    """An export in a file, as whoever pastes it would have it."""
    export = EXPORTS[name]
    path = folder / export.file_name(found)
    path.write_text(export.render(found).text.encode("utf-8", "backslashreplace").decode("utf-8"), "utf-8")
    return path


@pytest.mark.timeout(900)
def test_a_robolectric_test_fails_with_the_crash_it_was_made_from(tmp_path: Path) -> None:
    jars = convert_samples(list(CRASHES), tmp_path)
    sources = {}
    for sample in CRASHES:
        trace = read_trace(SAMPLES / sample / "crash.jsonl")
        sources[sample] = written(Finding(trace.app, crash_of(sample), trace), "robolectric-java", tmp_path)
    classes = tmp_path / "classes"
    problems = compile_java(list(sources.values()), classes)
    assert not problems, problems
    for sample, source in sources.items():
        text, failure = run_test(f"dev.fewtaps.samples.{sample}.{source.stem}", classes, sample, jars[sample], tmp_path)
        assert failure is not None, text
        top = next((frame for frame in failure.frames if frame.startswith("dev.fewtaps.samples.")), None)
        assert (failure.exception, top) == CRASHES[sample], text


def hostile_events(text: str) -> tuple[Event, ...]:
    """Everything an app can say is this text, in every place where it can say something."""
    selector = Selector(text or None, None, text, text)
    return (
        Tap(1, 2, selector),
        LongPress(1, 2, Selector(text=text)),
        DoubleTap(1, 2, Selector(description=text)),
        Text(text, selector=selector),
        Text(text + "\n", replace=True),
        StartIntent(text, text, text, (text,), ((text, text), ("i", 1), ("l", 1 << 40), ("z", True), ("f", 0.5)), text),
        SystemEvent("broadcast", (("action", text), ("key", text))),
        SystemEvent("permission", (("name", text), ("to", "granted"))),
    )


PLAIN: tuple[Event, ...] = (
    Swipe(1, 2, 3, 4),
    Swipe(1, 2, 3, 4, hold_ms=600),
    Key("BACK"),
    Key("F24"),
    Rotate("reverse_landscape"),
    Wait(5),
    Launch(),
    StartIntent(extras=(("nan", float("nan")), ("inf", float("-inf")))),
    SystemEvent("low_memory"),
    SystemEvent("locale", (("to", "fr"),)),
    SystemEvent("airplane_mode", (("state", "false"),)),
    SystemEvent("screen_off"),
)


def hostile_finding(number: int, texts: Sequence[str]) -> Finding:
    """A finding of an app that says these texts wherever it can."""
    said = "".join(text[:20] for text in texts)
    frame = Frame(f"dev.example.Hostile{number}", said, said, 1)
    crash = Crash(CrashKind.EXCEPTION, said, (ExceptionInfo(f"dev.example.{said}", said, (frame,)),))
    events = [event for text in texts for event in hostile_events(text)]
    return finding(*events, *PLAIN, crash=crash, app=AppRef("dev.example", said, said))


def test_java_exports_compile_whatever_the_app_says(tmp_path: Path) -> None:
    sources = write_sources(tmp_path)
    for number in range(3):
        found = hostile_finding(number, HOSTILE[number::3])
        for name in ("robolectric-java", "espresso-java"):
            path = written(found, name, tmp_path)
            assert re.fullmatch(r"[A-Za-z0-9]+\.java", path.name)
            sources.append(path)
    for number, text in enumerate(HOSTILE):
        suite = hostile_suite(text)
        app = AppRef(f"dev.example.hostile{number}", text)
        for name in ("robolectric-java", "espresso-java"):
            (file,) = SUITE_EXPORTS[name](replace(suite, suite=replace(suite.suite, app=app))).files
            path = tmp_path / file.name
            path.write_bytes(file.text.encode("utf-8", "backslashreplace"))
            sources.append(path)
    problems = compile_java(sources, tmp_path / "classes")
    assert not problems, problems[:6000]


TIPSPLIT = "dev.fewtaps.samples.tipsplit"
KNOWN = f"java.lang.ArithmeticException at {TIPSPLIT}.Bill.share < {TIPSPLIT}.MainActivity.split"


def tipsplit_suite(share: str) -> Suite:
    """Two tests: one shows the share of a bill and its rounding, the other ends in the crash that is known."""
    trace = read_trace(SAMPLES / "tipsplit" / "crash.jsonl")
    people, result, rounding = (Selector(f"{TIPSPLIT}:id/{name}") for name in ("people", "result", "round_up"))
    launch, field, typed, fewer, _, split = trace.steps
    main = Expectation(activity=f"{TIPSPLIT}.MainActivity", widgets=(ExpectedWidget(people, "2"),))
    one = Expectation(activity=f"{TIPSPLIT}.MainActivity", widgets=(ExpectedWidget(people, "1"),))
    box = Step(Tap(0, 0, rounding), expect=Expectation(widgets=(ExpectedWidget(rounding, checked=True),)))
    shown = Expectation(widgets=(ExpectedWidget(result, share), ExpectedWidget(Selector(path=(0, 1)), share)))
    crash = Expectation(Ending.CRASHED, crash=KNOWN)
    begin = (replace(launch, expect=main), field, typed, replace(fewer, expect=one))
    rounded = replace(trace, steps=(*begin, box, replace(split, expect=shown)))
    divided = replace(trace, steps=(*begin, fewer, replace(split, expect=crash)))
    return Suite(trace.app, "page", (SuiteTest("rounded", rounded), SuiteTest("divided-by-nobody", divided)))


@pytest.mark.timeout(900)
def test_a_robolectric_suite_passes_and_fails_when_a_text_is_not_the_expected_one(tmp_path: Path) -> None:
    jars = convert_samples(["tipsplit"], tmp_path)
    for share, failed in (("Each pays 47.00", False), ("Each pays 46.20", True)):
        folder = tmp_path / str(failed)
        folder.mkdir()
        (file,) = SUITE_EXPORTS["robolectric-java"](SuiteToExport(tipsplit_suite(share))).files
        (folder / file.name).write_text(file.text, "utf-8")
        problems = compile_java([folder / file.name], folder / "classes")
        assert not problems, problems
        text, failure = run_test(
            f"{TIPSPLIT}.TipsplitSuiteTest", folder / "classes", "tipsplit", jars["tipsplit"], tmp_path
        )
        assert (failure is not None) == failed, text
        if failed:
            assert 'expected the text "Each pays 46.20" in' in text and "testRounded" in text
