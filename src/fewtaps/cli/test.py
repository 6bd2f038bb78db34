"""`fewtaps test`: runs the tests of a suite and prints what became of each."""

from __future__ import annotations

import sys
from contextlib import suppress
from dataclasses import replace
from difflib import unified_diff
from pathlib import Path
from typing import Any

from fewtaps.cli.options import SuiteOutputOptions, is_ci
from fewtaps.cli.play import crash_json, run_word
from fewtaps.cli.terminal import StatusLine, Terminal, counted, show_download
from fewtaps.config import SuiteRunSettings
from fewtaps.device.registry import owner_of
from fewtaps.errors import UsageError
from fewtaps.model import words
from fewtaps.model.event import Selector, describe, printable, quoted, selector_to_json
from fewtaps.model.suite import NamedCoverage
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
    SuiteTestUpdate,
)
from fewtaps.pipeline.news import DeviceOpening, News, SuiteRunStarted, SuiteTestDone
from fewtaps.pipeline.news_log import logged
from fewtaps.pipeline.suite_reports import require_outputs, write_suite_report
from fewtaps.pipeline.testing import run_suite
from fewtaps.pipeline.updating_tests import apply_updates, lines_of

FAILED, NOT_HERE = 1, 3
LONGEST_LINE = 20_000
"""Characters of a line of a diff at most."""
MOST_NAMED = 8
"""Names of classes at most in one line."""

STYLES = {
    SuiteTestStatus.PASSED: "good",
    SuiteTestStatus.HEALED: "warn",
    SuiteTestStatus.FAILED: "bad",
    SuiteTestStatus.BROKEN: "bad",
    SuiteTestStatus.CRASHED: "bad",
    SuiteTestStatus.FLAKY: "warn",
    SuiteTestStatus.QUARANTINED: "warn",
    SuiteTestStatus.NOT_RUN: "dim",
}


def run_test(
    apk: str | None,
    settings: SuiteRunSettings,
    as_json: bool,
    outputs: SuiteOutputOptions,
    without_asking: bool = False,
) -> int:
    """Runs a suite and prints the results; 1 if a test failed, broke or crashed, 3 if a device was lost, else 0."""
    if settings.updated is not None:
        require_update_allowed(as_json, without_asking)
    terminal = Terminal(as_json)
    require_outputs(outputs.output, outputs.junit)
    with SuiteView(terminal) as view:
        result = run_suite(apk, settings, logged(view), show_download)
    view.finish(result)
    page = write_suite_report(result, outputs.output, outputs.junit)
    if page is not None:
        terminal.line(("Report: ", "bold"), printable(str(page), 300))
    if settings.updated is not None:
        return update_suite(terminal, settings, result, without_asking)
    return exit_code_of(result)


def update_suite(terminal: Terminal, settings: SuiteRunSettings, result: SuiteResult, without_asking: bool) -> int:
    """Shows how the files of tests would change, asks, and writes them; 1 if a test stays that does not pass."""
    if not result.updates:
        terminal.line("no test is to be updated")
        terminal.document({"updated": []})
        return exit_code_of(result)
    for update in result.updates:
        for line in diff_lines(settings.folder, update):
            terminal.line((line, {"+": "good", "-": "bad"}.get(line[0], "dim")))
        for name, _ in update.pictures:
            terminal.line(("new picture: ", "good"), printable(str(settings.folder / name), 300))
    if not without_asking and not _confirmed(terminal, len(result.updates)):
        terminal.line("nothing was written")
        return exit_code_of(result)
    apply_updates(settings.folder, result.updates)
    names = [update.after.name for update in result.updates]
    terminal.line((f"updated {counted(len(names), 'test')}", "good"))
    terminal.document({"updated": names})
    left = [each for each in result.results if each.status.is_failure and each.name not in names]
    return FAILED if left else 0


def require_update_allowed(as_json: bool, without_asking: bool) -> None:
    """Raises UsageError where expectations must not be rewritten, or the input is no terminal to ask."""
    if is_ci():
        raise UsageError("--update: not where CI is set, because a person has to see what changes")
    if not without_asking and (as_json or not sys.stdin.isatty()):
        raise UsageError("--update asks before it writes, and the input here is no terminal: give --yes too")


def diff_lines(folder: Path, update: SuiteTestUpdate) -> list[str]:
    """The lines of a test's file that would change, safe to print."""
    path = str(folder / f"{update.before.name}.jsonl")
    old, new = lines_of(update.before), lines_of(update.after)
    lines = unified_diff(old, new, path, path, lineterm="", n=0)
    return [printable(line, LONGEST_LINE) for line in lines]


def _confirmed(terminal: Terminal, count: int) -> bool:
    with suppress(EOFError):
        return input(f"Write {counted(count, 'file')}? [y/N] ").strip().lower() in ("y", "yes")
    terminal.line()
    return False


def app_and_names(
    apk: str | None, names: tuple[str, ...], update: bool, without_asking: bool
) -> tuple[str | None, tuple[str, ...] | None]:
    """The app, and the names of tests to be updated: empty for all, None without `--update`.

    With `--update` the first word is a name if it is no app and no file. Raises UsageError for names without it.
    """
    if not update:
        if names:
            raise UsageError(f"{names[0]}: names of tests are for --update; -k NAME runs only those tests")
        if without_asking:
            raise UsageError("--yes is for --update: give that too, or leave it out")
        return apk, None
    if apk is not None and owner_of(apk) is None and not apk.lower().endswith(".apk") and not Path(apk).exists():
        return None, (apk, *names)
    return apk, names


def exit_code_of(result: SuiteResult) -> int:
    """1 if a test failed, broke or crashed; 3 if a test could not be run because devices were lost; else 0."""
    if result.is_failure:
        return FAILED
    return NOT_HERE if any(each.reason is Reason.DEVICE_LOST for each in result.results) else 0


class SuiteView(StatusLine):
    """Prints each test as it is done: as a line, on a terminal with a counter below, or as JSON for a program."""

    def __init__(self, terminal: Terminal) -> None:
        super().__init__(terminal, "opening a device")
        self._counts: dict[SuiteTestStatus, int] = {}
        self._said: set[str] = set()

    def __call__(self, news: News) -> None:
        """Shows the news, or passes over them."""
        match news:
            case DeviceOpening():
                self._terminal.busy("opening a device")
            case SuiteRunStarted(tests, worlds, notes):
                self._notes(notes)
                many = f" in {worlds} worlds each" if worlds > 1 else ""
                self._terminal.line(f"{counted(tests, 'test')}{many}")
            case SuiteTestDone(result, done, tests):
                self._counts[result.status] = self._counts.get(result.status, 0) + 1
                self._terminal.document({"test": result_json(result)})
                print_result(self._terminal, result)
                counts = ", ".join(f"{count} {status.value}" for status, count in self._counts.items())
                self.update(f"{done} of {tests} tests: {counts}")

    def finish(self, result: SuiteResult) -> None:
        """Prints what all tests together showed."""
        self._notes(result.notes)
        print_summary(self._terminal, result)
        self._terminal.document({"summary": summary_json(result)})

    def _notes(self, notes: tuple[str, ...]) -> None:
        for note in notes:
            if note not in self._said:
                self._said.add(note)
                self._terminal.line(("note: ", "warn"), printable(note, 300))


def print_result(terminal: Terminal, result: SuiteTestResult) -> None:
    """One line for a test, and below it what was not as expected."""
    status = result.status
    terminal.line((f"{status.value:11}", STYLES[status]), f" {printable(result.name, 100)}", (_rate(result), "dim"))
    run = result.shown
    if run is None:
        return
    if run.step is not None:
        _print_step(terminal, result, run)
    for line in healing_lines(run.healings):
        terminal.line("    ", (line, "warn"))
    if run.is_crash_renamed and run.crash is not None:
        terminal.line("    ", (f"{renamed_words(run)}: {printable(run.crash.signature, 300)}", "warn"))
    if run.moved and status.is_pass:
        moved = f"the widgets of the state are in other places at {words.steps(run.moved)}"
        terminal.line("    ", (moved, "dim"))


def _rate(result: SuiteTestResult) -> str:
    if result.reason is not None:
        return f"  ({result.reason.value})"
    seconds = f"  {result.seconds:.1f} s"
    if len(result.runs) <= 1:
        return seconds
    return f"  passed in {result.reproduction}{seconds}"


def _print_step(terminal: Terminal, result: SuiteTestResult, run: SuiteTestRun) -> None:
    number = run.step or 0
    steps = result.test.trace.steps
    what = describe(steps[number].event) if number < len(steps) else "the end"
    where = f"world {run.world}, " if len(result.runs) > 1 else ""
    terminal.line(f"    {where}step {number}: {what}")
    if run.selector is not None:
        terminal.line("      no widget ", (selector_text(run.selector), "bold"))
        for candidate in run.nearest:
            terminal.line("      nearest: ", selector_text(candidate))
    for difference in run.differences:
        terminal.line("      ", difference_text(difference))
    if run.crash is not None and run.status is SuiteTestStatus.CRASHED:
        terminal.line("      ", (printable(run.crash.summary, 300), "bad"))


def renamed_words(run: SuiteTestRun) -> str:
    """Why a crash with another signature passed."""
    steps = len(run.trace.steps) - 1 if run.trace is not None else 0
    return f"healed at step {steps}: the expected crash, in classes that have other names in this build"


def difference_text(difference: Difference) -> str:
    """One line: what was expected, and what was seen; safe to print."""
    expected, seen = printable(difference.expected, 200), printable(difference.seen, 200)
    if difference.kind in (DifferenceKind.TEXT, DifferenceKind.WIDGET):
        expected = quoted(difference.expected, 200)
        seen = seen if difference.kind is DifferenceKind.WIDGET else quoted(difference.seen, 200)
    where = f" of {selector_text(difference.selector)}" if difference.selector is not None else ""
    return f"{difference.kind.value}{where}: expected {expected}, seen {seen or 'nothing'}"


def healing_lines(healings: tuple[Healing, ...]) -> list[str]:
    """A line for each selector of a step that was healed, and one for each widget of expectations; safe to print."""
    targets: dict[str, list[int]] = {}
    expected: dict[str, list[int]] = {}
    for each in healings:
        if each.is_target:
            targets.setdefault(f"{selector_text(each.old)} is now {selector_text(each.new)}", []).append(each.step)
        else:
            change = f"{selector_text(replace(each.old, path=()))} is now {selector_text(replace(each.new, text=None))}"
            expected.setdefault(change, []).append(each.step)
    return [
        *(f"healed at {words.steps(numbers)}: {change}" for change, numbers in targets.items()),
        *(f"expected widget healed: {change} ({words.steps(numbers)})" for change, numbers in expected.items()),
    ]


def selector_text(selector: Selector) -> str:
    """All that a selector says, on one line that is safe to print."""
    parts = []
    if selector.resource_id:
        parts.append("#" + printable(selector.resource_id.rpartition("/")[2], 60))
    if selector.text:
        parts.append(quoted(selector.text))
    if selector.description:
        parts.append(f"description {quoted(selector.description)}")
    if selector.class_name:
        parts.append(printable(selector.class_name.rpartition(".")[2], 60))
    if selector.path:
        parts.append("at " + ".".join(map(str, selector.path)))
    return " ".join(parts) or "(nothing)"


def print_summary(terminal: Terminal, result: SuiteResult) -> None:
    """The counts, what the suite covers of this build, and which coverage was left out."""
    terminal.line()
    counts = [(status, len(result.with_status(status))) for status in SuiteTestStatus]
    words = ", ".join(f"{count} {status.value}" for status, count in counts if count) or "no tests"
    style = "bad" if result.is_failure else "good" if result.results else "warn"
    terminal.line((words, style), f" in {result.seconds:.1f} s")
    news = result.coverage
    if news is None:
        return
    for line in coverage_lines(news):
        terminal.line(line)


def coverage_lines(news: CoverageNews) -> list[str]:
    """What the suite covers of this build, in sentences that are safe to print."""
    lines = []
    if news.total_branches:
        count = len(news.covered.branches)
        lines.append(f"covers {count} of {news.total_branches} branches ({count / news.total_branches:.0%})")
    if news.lost.branches or news.lost.methods:
        lines.append(f"coverage lost: {_amount(news.lost)} in {_named(sorted(news.lost.classes))}")
    if news.gone.branches or news.gone.methods:
        lines.append(f"no longer in the app: {_amount(news.gone)} in {_named(sorted(news.gone.classes))}")
    if news.new_classes:
        lines.append(f"new and not covered: {_named(news.new_classes)}")
    if news.left_out:
        lines.append(f"left out, because tests were not run: {_named(news.left_out)}")
    return lines


def _amount(coverage: NamedCoverage) -> str:
    parts = [counted(len(coverage.branches), "branch", "branches")] if coverage.branches else []
    parts += [counted(len(coverage.methods), "method")] if coverage.methods else []
    return " and ".join(parts)


def _named(classes: tuple[str, ...] | list[str]) -> str:
    more = f" and {len(classes) - MOST_NAMED} more" if len(classes) > MOST_NAMED else ""
    return ", ".join(printable(name, 120) for name in classes[:MOST_NAMED]) + more


def result_json(result: SuiteTestResult) -> dict[str, Any]:
    """One test as JSON data."""
    rate = result.reproduction
    low, high = rate.interval
    return {
        "name": result.name,
        "status": result.status.value,
        "reason": None if result.reason is None else result.reason.value,
        "seconds": round(result.seconds, 3),
        "passed": rate.met,
        "runs": rate.runs,
        "low": low,
        "high": high,
        "worlds": [_run_json(result, run) for run in result.runs],
    }


def _run_json(result: SuiteTestResult, run: SuiteTestRun) -> dict[str, Any]:
    steps = result.test.trace.steps
    return {
        "world": run.world,
        "status": run.status.value,
        "step": run.step,
        "event": describe(steps[run.step].event) if run.step is not None and run.step < len(steps) else None,
        "differences": [
            {
                "kind": each.kind.value,
                "expected": each.expected,
                "seen": each.seen,
                "selector": None if each.selector is None else selector_to_json(each.selector),
                "path": list(each.path),
            }
            for each in run.differences
        ],
        "selector": None if run.selector is None else selector_to_json(run.selector),
        "nearest": [selector_to_json(each) for each in run.nearest],
        "healings": [
            {
                "step": each.step,
                "old": selector_to_json(each.old),
                "new": selector_to_json(each.new),
                "target": each.is_target,
            }
            for each in run.healings
        ],
        "moved": list(run.moved),
        "crash_renamed": run.is_crash_renamed,
        "crash": crash_json(run.crash),
        "seconds": round(run.seconds, 3),
    }


def summary_json(result: SuiteResult) -> dict[str, Any]:
    """The last document of a stream: all tests together."""
    return {
        "package": result.app.package,
        "version": result.app.version,
        "digest": result.app.digest,
        "against": None if result.against is None else result.against.digest,
        "shard": None if result.shard is None else list(result.shard),
        "unit": run_word(result.has_worlds),
        "counts": {status.value: len(result.with_status(status)) for status in SuiteTestStatus},
        "tests": [result_json(each) for each in result.results],
        "coverage": None if result.coverage is None else _coverage_json(result.coverage),
        "seconds": round(result.seconds, 3),
        "notes": list(result.notes),
        "failed": result.is_failure,
    }


def _coverage_json(news: CoverageNews) -> dict[str, Any]:
    return {
        "branches": len(news.covered.branches),
        "total_branches": news.total_branches,
        "classes": sorted(news.covered.classes),
        "lost": [list(each) for each in sorted(news.lost.branches)],
        "gone": [list(each) for each in sorted(news.gone.branches)],
        "new_classes": list(news.new_classes),
        "left_out": list(news.left_out),
    }
