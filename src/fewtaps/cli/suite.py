"""`fewtaps suite`: traces become a small suite; prints how it goes on and what is left."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from fewtaps.cli.explore import default_folder
from fewtaps.cli.live import PHASES, clock
from fewtaps.cli.logs import current_log
from fewtaps.cli.terminal import StatusLine, Terminal, counted, show_download
from fewtaps.config import SuiteSettings
from fewtaps.model.event import printable
from fewtaps.pipeline.news import (
    DeviceOpening,
    LongRunAdvanced,
    News,
    SuiteAdvanced,
    SuiteStarted,
    TestRecorded,
    TestRefused,
)
from fewtaps.pipeline.news_log import logged
from fewtaps.pipeline.suite_inputs import SuiteSources, project_in, sort_sources
from fewtaps.pipeline.suites import MadeSuite, make_suite

LINE_SECONDS = 10.0
"""Seconds at least between two lines on the progress, where the output is no terminal."""
MOST_NAMED = 8
"""Names of tests at most in one line."""


def find_sources(names: Sequence[str], folder: Path | None) -> tuple[SuiteSources, Path]:
    """What the arguments name, and the project folder: the one among them, or the usual one of the app.

    An app alone stands for its usual project.
    """
    sources = sort_sources(names)
    if folder is not None:
        return SuiteSources(sources.app, sources.projects or project_in(folder), sources.traces), folder
    if sources.projects:
        return sources, sources.projects[0]
    usual = default_folder(sources.app) if sources.app is not None else Path("fewtaps-suite")
    return SuiteSources(sources.app, () if sources.traces else project_in(usual), sources.traces), usual


def run_make_suite(sources: SuiteSources, settings: SuiteSettings, as_json: bool) -> int:
    """Makes a suite and prints its course and its result."""
    terminal = Terminal(as_json)
    current_log().keep_in(settings.folder)
    with SuiteMakingView(terminal) as view:
        made = make_suite(sources, settings, logged(view), show_download)
    print_made(terminal, made)
    terminal.document({"summary": made_json(made)})
    return 0


class SuiteMakingView(StatusLine):
    """How far a suite is: on a terminal one line that changes, elsewhere a line now and then, or JSON."""

    def __init__(self, terminal: Terminal, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__(terminal, "opening a device")
        self._now = now
        self._last_line = now()
        self._phase = ""

    def __call__(self, news: News) -> None:
        """Shows the news, or passes over them."""
        terminal = self._terminal
        match news:
            case DeviceOpening():
                terminal.busy("opening a device")
            case SuiteStarted(traces, events, notes):
                for note in notes:
                    terminal.line(("note: ", "warn"), printable(note, 300))
                    terminal.document({"note": note})
                terminal.line(f"{counted(traces, 'trace')} with {counted(events, 'event')}")
                terminal.document({"started": {"traces": traces, "events": events}})
            case SuiteAdvanced():
                self._advance(news)
            case LongRunAdvanced(number, events):
                self._show(f"playing event {number:,} of {events:,}")
            case TestRecorded(name, done, tests):
                terminal.document({"recorded": name})
                self._show(f"recording test {done} of {tests}: {printable(name, 60)}")
            case TestRefused(reason):
                terminal.document({"refused": reason})
                self._show(f"another test is looked for: {printable(reason, 200)}")

    def _advance(self, news: SuiteAdvanced) -> None:
        now = news.progress
        share = f"{now.covered / now.wanted:.1%}" if now.wanted else "100%"
        words = (
            f"{clock(news.seconds)}   {PHASES[now.phase.value]}   {counted(now.runs, 'trace')},"
            f" {counted(now.transitions, 'event')}   {share} covered   {counted(now.played, 'run')} played,"
            f" {now.refused} refused"
        )
        if now.phase.value != self._phase:
            self._phase = now.phase.value
            self._last_line = 0.0
        self._terminal.document(
            {
                "progress": {
                    "phase": now.phase.value,
                    "traces": now.runs,
                    "events": now.transitions,
                    "covered": now.covered,
                    "wanted": now.wanted,
                    "played": now.played,
                    "played_events": now.played_transitions,
                    "refused": now.refused,
                    "seconds": round(news.seconds, 1),
                }
            }
        )
        self._show(words)

    def _show(self, words: str) -> None:
        if not self.update(words) and self._now() - self._last_line >= LINE_SECONDS:
            self._last_line = self._now()
            self._terminal.line((words, "dim"))


def print_made(terminal: Terminal, made: MadeSuite) -> None:
    """The tests, what they cover, and what they cost."""
    terminal.line()
    for test in made.suite.tests:
        steps = counted(len(test.trace.steps) - 1, "step")
        terminal.line(f"{printable(test.name, 100)}  ", (f"{steps}, adds {test.adds}", "dim"))
    terminal.line()
    before, after = made.before, made.after
    terminal.line(
        (f"{before.restarts} → {after.restarts} traces, {before.transitions} → {after.transitions} events", "good"),
        f", about {made.seconds_before:.1f} → {made.seconds:.1f} s",
    )
    terminal.line(f"Covered: {_counts(made.counts)}")
    if any(made.flaky_counts.values()):
        terminal.line(("Flaky, and not promised: ", "warn"), _counts(made.flaky_counts))
    if any(made.lost_counts.values()):
        reason = "not replayable" if made.reduced.is_whole else "not replayable, or not tried within the limits"
        terminal.line((f"Missing ({reason}): ", "warn"), _counts(made.lost_counts))
    for signature in made.flaky_crashes:
        terminal.line(f"  only some worlds show the crash {printable(signature, 200)}")
    for signature in made.lost_crashes:
        terminal.line(f"  no replay showed the crash {printable(signature, 200)}")
    for failure in made.failures:
        terminal.line(f"  {failure}")
    _print_work(terminal, made)
    for words, names in (
        ("Kept", made.kept),
        ("Added", made.added if made.kept or made.needless or made.broken else ()),
        ("Needless, and not deleted", made.needless),
        ("Does not replay any more", made.broken),
    ):
        if names:
            terminal.line(f"{words}: {_listed(names)}")
    terminal.line(f"Suite: {printable(str(made.folder), 200)}")


def _print_work(terminal: Terminal, made: MadeSuite) -> None:
    reduced = made.reduced
    for phase in reduced.phases:
        terminal.line(
            (
                f"  after {PHASES[phase.phase.value]}: {counted(phase.cost.restarts, 'trace')},"
                f" {counted(phase.cost.transitions, 'event')}; played so far {counted(phase.played.restarts, 'run')},"
                f" {counted(phase.played.transitions, 'event')}",
                "dim",
            )
        )
    gap = "" if reduced.gap is None else f"; at most {reduced.gap:.1%} above the cheapest choice of what was seen"
    terminal.line(
        f"Played: {counted(reduced.played.restarts, 'run')}, {counted(reduced.played.transitions, 'event')},"
        f" {reduced.refused} refused, in {clock(made.seconds_spent)}{gap}"
    )
    if not reduced.is_whole:
        terminal.line(("Stopped at a limit: this is the best so far.", "warn"))


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{number} {name}" for name, number in counts.items())


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(printable(name, 100) for name in names[:MOST_NAMED]) + more


def made_json(made: MadeSuite) -> dict[str, Any]:
    """The result for a program."""
    reduced = made.reduced
    return {
        "folder": str(made.folder),
        "tests": [
            {"name": test.name, "steps": len(test.trace.steps) - 1, "adds": test.adds, "seconds": test.seconds}
            for test in made.suite.tests
        ],
        "before": {"traces": made.before.restarts, "events": made.before.transitions},
        "after": {"traces": made.after.restarts, "events": made.after.transitions},
        "phases": [
            {
                "phase": phase.phase.value,
                "traces": phase.cost.restarts,
                "events": phase.cost.transitions,
                "played_runs": phase.played.restarts,
                "played_events": phase.played.transitions,
            }
            for phase in reduced.phases
        ],
        "covered": made.counts,
        "flaky": made.flaky_counts,
        "missing": made.lost_counts,
        "played_runs": reduced.played.restarts,
        "played_events": reduced.played.transitions,
        "refused": reduced.refused,
        "deviations_by_run": dict(reduced.deviations_by_run),
        "gap": reduced.gap,
        "complete": reduced.is_whole,
        "launch_cost": made.launch_cost,
        "seconds": round(made.seconds, 3),
        "seconds_before": round(made.seconds_before, 3),
        "seconds_spent": round(made.seconds_spent, 3),
        "kept": list(made.kept),
        "added": list(made.added),
        "needless": list(made.needless),
        "broken": list(made.broken),
        "flaky_crashes": list(made.flaky_crashes),
        "missing_crashes": list(made.lost_crashes),
        "failures": list(made.failures),
    }
