"""The results of a suite's tests in words: why a test did not pass, and what it expected."""

from __future__ import annotations

from collections.abc import Iterator

from fewtaps.model.ending import Ending
from fewtaps.model.event import Selector, describe, describe_selector, printable, quoted
from fewtaps.model.expectation import Expectation
from fewtaps.model.suite_result import Difference, DifferenceKind, Healing, SuiteTestResult, SuiteTestRun

LONGEST_TEXT = 200
"""Characters of an expected or a seen text in a line."""

_SUBJECTS = {
    DifferenceKind.ENDING: "the app",
    DifferenceKind.CRASH: "the crash",
    DifferenceKind.PACKAGE: "the package",
    DifferenceKind.ACTIVITY: "the activity",
    DifferenceKind.STATE: "the state of the screen",
    DifferenceKind.TEXT: "the text",
    DifferenceKind.CHECKED: "the check mark",
    DifferenceKind.WIDGET: "the widget",
    DifferenceKind.PICTURE: "the picture",
}


def subject_words(difference: Difference) -> str:
    """The thing that differs: "the text of #total"."""
    subject = _SUBJECTS[difference.kind]
    return f"{subject} of {widget_words(difference.selector)}" if difference.selector is not None else subject


def difference_words(difference: Difference) -> str:
    """A difference in one line: "the text of #total: expected '12.50', seen '12.51'"."""
    shown = quoted if difference.kind is DifferenceKind.TEXT else printable
    expected, seen = (shown(text, LONGEST_TEXT) or "nothing" for text in (difference.expected, difference.seen))
    return f"{subject_words(difference)}: expected {expected}, seen {seen}"


def widget_words(selector: Selector) -> str:
    """A widget in words, by its id if it has one: "#total"."""
    if selector.resource_id:
        return "#" + printable(selector.resource_id.rpartition("/")[2])
    return describe_selector(selector) or "a widget"


def healing_words(healing: Healing) -> str:
    """A healed selector: "step 2: 'Split' (#split) was found as 'Split bill' (#split_bill)"."""
    return f"step {healing.step}: {selector_words(healing.old)} was found as {selector_words(healing.new)}"


def selector_words(selector: Selector) -> str:
    """All that a selector says: "'Split' (#split, Button)"."""
    name = describe_selector(selector) or "a widget"
    facts = []
    # Without text and description the name is the id.
    if selector.resource_id and (selector.text or selector.description):
        facts.append(widget_words(selector))
    if selector.class_name:
        facts.append(printable(selector.class_name.rpartition(".")[2]))
    return f"{name} ({', '.join(facts)})" if facts else name


def run_words(run: SuiteTestRun, result: SuiteTestResult) -> str:
    """Why a run did not pass, in one line; empty if it passed."""
    if run.status.is_pass or run.step is None:
        return ""
    steps = result.test.trace.steps
    where = f"step {run.step}"
    if run.step < len(steps):
        where += f", {describe(steps[run.step].event)}"
    if run.selector is not None:
        return f"{where}: {selector_words(run.selector)} is not there"
    crash = run.crash
    if crash is not None and not any(each.kind is DifferenceKind.CRASH for each in run.differences):
        return f"{where}: {printable(crash.summary, LONGEST_TEXT)}"
    return f"{where}: " + ("; ".join(map(difference_words, run.differences[:3])) or "not as expected")


def result_words(result: SuiteTestResult) -> str:
    """What became of a test, in one line; empty for one that passed."""
    if result.reason is not None:
        return result.reason.value
    shown = result.shown
    if shown is None:
        return ""
    if shown.status.is_pass:
        crash = shown.crash
        renamed = (
            [f"the known crash has other names here: {printable(crash.signature, LONGEST_TEXT)}"]
            if shown.is_crash_renamed and crash is not None
            else []
        )
        return "; ".join([*map(healing_words, shown.healings[:3]), *renamed])
    reason = run_words(shown, result)
    rate = result.reproduction
    if rate.runs > 1 and rate.met:
        low, high = rate.interval
        return f"passed in {rate.met} of {rate.runs} worlds ({low:.0%} to {high:.0%}); {reason}"
    return reason


def expectation_words(expected: Expectation | None) -> Iterator[str]:
    """What a step expects, a line for each part; the state is left out, because its id tells a reader nothing."""
    if expected is None:
        return
    if expected.crash is not None:
        yield f"the known crash {printable(expected.crash, LONGEST_TEXT)}"
    elif expected.ending is not Ending.RUNNING:
        shown = f"; {printable(expected.package, 80)} is shown" if expected.package else ""
        yield f"the app {expected.ending.value}{shown}"
    if expected.activity is not None:
        yield f"activity {printable(expected.activity.rpartition('.')[2], 80)}"
    for widget in expected.widgets:
        name = widget_words(widget.selector)
        if widget.text is not None:
            yield f"{name} shows {quoted(widget.text, LONGEST_TEXT)}"
        if widget.checked is not None:
            yield f"{name} is {'checked' if widget.checked else 'not checked'}"
