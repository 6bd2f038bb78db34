"""Finds texts that tell surviving mutants from the app without a fault, and adds them to the expectations of tests."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from fewtaps.model.expectation import ExpectedWidget
from fewtaps.model.screen import Located, Screen, Widget, WidgetFlags, selector_of
from fewtaps.model.suite import SuiteTest
from fewtaps.model.trace import Step, Trace
from fewtaps.suite.expecting import LONGEST_TEXT


@dataclass(frozen=True, slots=True, order=True)
class TellingText:
    """A text that the app shows without a fault, and another one with it: test, step, path of the widget, text."""

    test: str
    step: int
    path: tuple[int, ...]
    text: str


def telling_texts(test: SuiteTest, runs: Sequence[Trace], mutated: Trace) -> Iterator[TellingText]:
    """The texts that are the same in all runs without the fault and differ in the run with it.

    The first run is compared, step by step, up to the end of the shorter one. Steps without expectation are left out,
    because a person took it away or the runs do not agree there.
    """
    first, others = runs[0], runs[1:]
    for number, (seen, changed) in enumerate(zip(first.steps, mutated.steps, strict=False)):
        if number >= len(test.trace.steps) or test.trace.steps[number].expect is None:
            continue
        for located in _readable(seen.after):
            text = located.widget.text or ""
            if _text_at(changed, located) == text or not _can_be_expected(located.widget):
                continue
            if all(number < len(run.steps) and _text_at(run.steps[number], located) == text for run in others):
                yield TellingText(test.name, number, located.path, text)


def fewest_texts(told: Mapping[str, Iterable[TellingText]]) -> tuple[TellingText, ...]:
    """Texts that together tell all mutants for which there are any, by the keys of the mutants.

    Greedily the text that tells the most of the rest; of equals the earliest step of the first test.
    """
    by_text: dict[TellingText, set[str]] = defaultdict(set)
    for mutant, texts in told.items():
        for text in texts:
            by_text[text].add(mutant)
    left = {mutant for mutants in by_text.values() for mutant in mutants}
    chosen: list[TellingText] = []
    while left:
        best = min(by_text, key=lambda text: (-len(by_text[text] & left), text))
        chosen.append(best)
        left -= by_text[best]
    return tuple(sorted(chosen))


def with_texts(test: SuiteTest, run: Trace, texts: Iterable[TellingText]) -> SuiteTest:
    """The test that expects these texts too; `run` shows the widgets. Everything else of the test stays as it is."""
    steps = list(test.trace.steps)
    for text in texts:
        if text.test != test.name:
            continue
        step = steps[text.step]
        widget = run.steps[text.step].after.widget(text.path)
        if step.expect is None or widget is None:
            continue
        selector = replace(selector_of(Located(widget, text.path)), text=None, path=text.path)
        expected = ExpectedWidget(selector, text.text)
        expect = replace(step.expect, widgets=(*step.expect.widgets, expected))
        steps[text.step] = replace(step, expect=expect)
    return replace(test, trace=replace(test.trace, steps=tuple(steps)))


def _text_at(step: Step, located: Located) -> str | None:
    """The text at the place of a widget; None if another widget is there or none."""
    widget = step.after.widget(located.path)
    if widget is None or widget.class_name != located.widget.class_name:
        return None
    return widget.text or ""


def _can_be_expected(widget: Widget) -> bool:
    text = widget.text or ""
    return bool(text.strip()) and len(text) <= LONGEST_TEXT and not widget.flags & WidgetFlags.PASSWORD


def _readable(screen: Screen) -> Iterator[Located]:
    """The widgets whose texts belong to the app: not those inside a web view."""
    stack = [Located(window.root, (number,)) for number, window in enumerate(screen.windows)]
    while stack:
        located = stack.pop()
        yield located
        if not located.widget.flags & WidgetFlags.WEB:
            stack.extend(Located(child, (*located.path, index)) for index, child in enumerate(located.widget.children))
