"""Texts that tell mutants apart."""

from __future__ import annotations

from dataclasses import replace

from builders import APP, screen, widget

from fewtaps.model.event import Launch, Wait
from fewtaps.model.expectation import Expectation
from fewtaps.model.screen import WidgetFlags
from fewtaps.model.suite import SuiteTest
from fewtaps.model.trace import Step, Trace
from fewtaps.suite.telling import TellingText, fewest_texts, telling_texts, with_texts


def run(*texts: str, flags: WidgetFlags = WidgetFlags.ENABLED) -> Trace:
    """A launch, and a step for each text that is shown."""
    steps = [Step(Wait(1), after=screen(widget(text, flags=flags))) for text in texts]
    return Trace(APP, (Step(Launch()), *steps))


def as_test(trace: Trace) -> SuiteTest:
    steps = tuple(replace(step, expect=Expectation()) for step in trace.steps)
    return SuiteTest("test", replace(trace, steps=steps))


def told(seen: Trace, mutated: Trace, *others: Trace) -> list[tuple[int, str]]:
    return [(each.step, each.text) for each in telling_texts(as_test(seen), [seen, *others], mutated)]


def test_a_text_that_only_the_fault_changes_tells() -> None:
    assert told(run("a", "b"), run("a", "c")) == [(2, "b")]
    assert told(run("a", "b"), run("a", "b")) == []
    assert told(run("a", "b"), run("x", "")) == [(1, "a"), (2, "b")]


def test_a_text_that_differs_between_worlds_tells_nothing() -> None:
    assert told(run("a", "b"), run("a", "c"), run("a", "d")) == []
    assert told(run("a", "b"), run("a", "c"), run("a")) == []


def test_passwords_empty_and_long_texts_are_never_expected() -> None:
    assert told(run("a", flags=WidgetFlags.PASSWORD), run("b", flags=WidgetFlags.PASSWORD)) == []
    assert told(run(""), run("b")) == []
    assert told(run("x" * 1000), run("b")) == []


def test_a_step_without_expectation_stays_without() -> None:
    seen = run("a", "b")
    test = as_test(seen)
    steps = (*test.trace.steps[:-1], replace(test.trace.steps[-1], expect=None))
    free = replace(test, trace=replace(test.trace, steps=steps))
    assert [each.step for each in telling_texts(free, [seen], run("x", "y"))] == [1]


def test_as_few_texts_as_tell_all_are_taken() -> None:
    one, two, three = (TellingText("test", step, (0,), "a") for step in (1, 2, 3))
    assert fewest_texts({"m1": [one, two], "m2": [two], "m3": [two, three], "m4": [three], "m5": []}) == (two, three)
    assert fewest_texts({"m1": [three, one]}) == (one,)
    assert fewest_texts({}) == ()


def test_an_added_text_is_expected_at_its_step_and_nothing_else_changes() -> None:
    seen = run("a", "b")
    test = as_test(seen)
    (text,) = telling_texts(test, [seen], run("a", "c"))
    changed = with_texts(test, seen, [text, replace(text, test="other")])
    assert changed.trace.steps[:-1] == test.trace.steps[:-1]
    expect = changed.trace.steps[-1].expect
    assert expect is not None
    (expected,) = expect.widgets
    assert (expected.text, expected.selector.text, expected.selector.path) == ("b", None, text.path)
