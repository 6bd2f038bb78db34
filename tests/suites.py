"""Suites of the simulated bill splitter on disk, for tests that run them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from fewtaps.device.session import DEFAULT_SETTINGS
from fewtaps.device.simulated.device import SimulatedSession
from fewtaps.device.simulated.samples import bill
from fewtaps.model.event import Event, Launch, Selector, Tap
from fewtaps.model.expectation import ExpectedWidget
from fewtaps.model.suite import Suite, SuiteTest
from fewtaps.replay import play
from fewtaps.suite.expecting import with_expectations
from fewtaps.suitefile import write_suite

MORE, SPLIT, ABOUT = (Tap(0, 0, Selector(text=text)) for text in ("More people", "Split", "About"))


def bill_test(name: str, *events: Event) -> SuiteTest:
    """A test with the expectations that the app meets today."""
    trace = play(SimulatedSession(bill(), DEFAULT_SETTINGS), (Launch(), *events))
    return SuiteTest(name, with_expectations([trace], "page"), 0.1 * len(events))


def wrong(test: SuiteTest, text: str) -> SuiteTest:
    """The test, expecting another text of the first widget that its last step changes."""
    last = test.trace.steps[-1]
    assert last.expect is not None
    first, *others = last.expect.widgets
    widgets = (ExpectedWidget(first.selector, text), *others)
    steps = (*test.trace.steps[:-1], replace(last, expect=replace(last.expect, widgets=widgets)))
    return replace(test, trace=replace(test.trace, steps=steps))


def bill_suite(folder: Path, tests: Sequence[SuiteTest] = ()) -> Path:
    """A suite of three tests, one of which ends in the known crash."""
    chosen = tests or (bill_test("more-split", MORE, SPLIT), bill_test("about", ABOUT), bill_test("split-crash", SPLIT))
    write_suite(folder, Suite(chosen[0].trace.app, "page", tuple(chosen)))
    return folder


def failing_suite(folder: Path) -> Path:
    """The suite with a fourth test whose expected text is wrong, and a fifth whose widget is not there."""
    failing = wrong(bill_test("wrong-share", MORE, SPLIT), "101 each")
    gone = bill_test("no-button", ABOUT)
    lost = Tap(0, 0, Selector(text="Divide"))
    broken = replace(
        gone, trace=replace(gone.trace, steps=(gone.trace.steps[0], replace(gone.trace.steps[1], event=lost)))
    )
    return bill_suite(folder, (bill_test("more-split", MORE, SPLIT), failing, broken))
