"""`fewtaps run`: from an app to a report, and whether what was found is a failure."""

from __future__ import annotations

import re
import shlex
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from fewtaps.cli.crashes import ID_LETTERS, OUTSIDE, what_text, where_text
from fewtaps.cli.explore import NEW_CRASHES, Judging, fails
from fewtaps.cli.live import clock, figures_text, kept_text, progress_json, run_view, steps_text
from fewtaps.cli.play import crash_json
from fewtaps.cli.suite import made_json
from fewtaps.cli.terminal import Terminal, counted, show_download, warn
from fewtaps.config import RunSettings
from fewtaps.errors import FewtapsError, StoreError
from fewtaps.model import words
from fewtaps.model.crash import Crash
from fewtaps.model.event import printable
from fewtaps.pipeline.cases import Case
from fewtaps.pipeline.findings import Baseline, CrashFinding, by_weight, write_junit
from fewtaps.pipeline.news_log import logged
from fewtaps.pipeline.reporting import write_report
from fewtaps.pipeline.run_suites import SuiteOfRun
from fewtaps.pipeline.running import Ran, run_app
from fewtaps.pipeline.time_spent import RunStage, StageTime, Work

EXIT_INTERRUPTED = 130
HEADING, HEADINGS = "crash", ("steps", "reproduction rate", "suspect")
FEWEST_LETTERS = 20
"""So many of what a crash is are shown, however narrow the terminal."""


def run_run(apk: str, settings: RunSettings, judging: Judging, as_json: bool, *, tells_times: bool = False) -> int:
    """Does everything and prints what happens; 1 if there are crashes of the kind that is to be a failure, else 0.

    With `tells_times` the seconds of every stage are printed too.
    """
    terminal = Terminal(as_json)
    known = judging.prepare(settings.folder)
    terminal.busy(f"opening {printable(apk, 200)}")
    with run_view(terminal) as view:
        ran = run_app(apk, settings, logged(view), show_download)
    findings = [case.finding(known, ran.slices.get(case.row.fingerprint)) for case in ran.cases]
    terminal.busy("writing the report")
    began = time.monotonic()
    report, failure = _report(ran.folder)
    seconds = time.monotonic() - began
    ran = replace(ran, seconds=ran.seconds + seconds, stages=(*ran.stages, StageTime(RunStage.REPORT, seconds, 1)))
    _print_end(terminal, ran, apk, known, report)
    if tells_times:
        print_stages(terminal, ran.stages)
    failures = [finding for finding in findings if fails(finding, judging.fail_on)]
    terminal.document({"summary": _summary(ran, findings, len(failures), report)})
    if judging.junit is not None:
        events = ran.explored.progress.events
        write_junit(judging.junit, ran.explored.package, findings, events=events, seconds=ran.seconds)
    if ran.failure is not None:
        raise ran.failure
    if failure is not None:
        raise failure
    if ran.is_interrupted:
        warn(kept_text(ran.folder))
        return EXIT_INTERRUPTED
    return NEW_CRASHES if failures else 0


def _report(folder: Path) -> tuple[Path | None, StoreError | None]:
    """The first page of the report; without one there are still the table and the store.

    If the disk is full, that is the second value, to be raised after the table.
    """
    try:
        return write_report(folder), None
    except FewtapsError as error:
        if isinstance(error, StoreError) and error.no_room:
            return None, error
        warn(f"no report: {printable(str(error), 500)}")
        return None, None


def _print_end(terminal: Terminal, ran: Ran, apk: str, known: Baseline, report: Path | None) -> None:
    progress = ran.explored.progress
    terminal.line()
    terminal.line(("Explored: ", "bold"), f"{counted(progress.events, 'event')}, {figures_text(progress)}")
    terminal.line(("Ended: ", "bold"), printable(words.exploration_end(ran.explored.end), 200))
    start = sum(each.seconds for each in ran.stages if each.stage is RunStage.STARTING)
    terminal.line(("Time: ", "bold"), clock(ran.seconds), f", {clock(start)} of it to start" if start >= 1 else "")
    terminal.line()
    case_table(terminal, ran.cases, known)
    if ran.suite is not None:
        terminal.line(("Suite: ", "bold"), *suite_text(ran.suite, apk))
    if any(case.needs_work(1) for case in ran.cases):
        terminal.line("Not all crashes could be reduced and replayed in the time; the same command goes on.")
    if report is not None:
        terminal.line(("Report: ", "bold"), printable(str(report), 200))


def print_stages(terminal: Terminal, stages: Sequence[StageTime]) -> None:
    """A row for each stage: its seconds, its share, how often it was begun; below it, the work of its devices."""
    whole = sum(each.seconds for each in stages) or 1.0
    terminal.line()
    terminal.line(("Where the time went", "bold"))
    for each in stages:
        often = f"  {counted(each.times, 'time')}" if each.stage is not RunStage.REST else ""
        terminal.line(f"  {_STAGES[each.stage]:32}{each.seconds:8.1f} s  {each.seconds / whole:4.0%}", (often, "dim"))
        for work in each.works:
            words = f"{_WORKS[work.work]}, all devices together"
            terminal.line((f"    {words:41}{work.seconds:6.1f} s  {counted(work.times, 'time')}", "dim"))


_WORKS = {
    Work.LAUNCHES: "launches",
    Work.EVENTS: "events",
    Work.PICTURES: "pictures",
    Work.CHOICES: "choosing events",
}
_STAGES = {
    RunStage.STARTING: "first device and first launch",
    RunStage.EXPLORING: "exploring",
    RunStage.REDUCING: "reducing",
    RunStage.REPLAYING: "pictures and reproduction rates",
    RunStage.SLICING: "slices",
    RunStage.SUITE: "suite",
    RunStage.REPORT: "report",
    RunStage.REST: "everything else",
}


def suite_text(suite: SuiteOfRun, apk: str) -> list[str | tuple[str, str]]:
    """The suite in one line: its size, its folder and the command that runs it; or why there is none."""
    reason = printable(suite.reason, 300)
    if not suite.is_there:
        return [("none", "warn"), f", because {reason}" if reason else ""]
    folder = printable(str(suite.folder), 200)
    command = f"fewtaps test {shlex.quote(folder)} {shlex.quote(printable(apk, 200))}"
    size = f"{counted(suite.tests, 'test')}, {counted(suite.events, 'event')}, in {folder}; run: {command}"
    if reason:
        return [size, (f"; nothing was added, because {reason}", "warn")]
    is_whole = suite.made is None or suite.made.reduced.is_whole
    return [size, "" if is_whole else ("; the limits were reached, the same command goes on", "warn")]


def _suite_json(suite: SuiteOfRun | None) -> dict[str, Any] | None:
    if suite is None:
        return None
    return {
        "folder": str(suite.folder),
        "tests": suite.tests,
        "events": suite.events,
        "reason": suite.reason or None,
        "made": None if suite.made is None else made_json(suite.made),
    }


def case_table(terminal: Terminal, unsorted: Sequence[Case], known: Baseline) -> None:
    """One crash after the other: id and what it is, steps before and after, how often they replay, suspect or not.

    Below each, where it happens, and why it is suspect. What it is gets the room that the other columns leave.
    """
    cases = sorted(unsorted, key=by_weight)
    if not cases:
        terminal.line(("No crash was found.", "good"))
        terminal.line()
        return
    gap = " " * (ID_LETTERS + 2)
    rows = [(steps_text(case), _rate_text(case), _suspect_text(case, known)) for case in cases]
    widths = [max(map(len, column)) for column in zip(HEADINGS, *rows, strict=True)]
    wanted = max(len(HEADING), *(len(what_text(case.row.crash)) for case in cases))
    room = max(FEWEST_LETTERS, min(wanted, terminal.width - len(gap) - sum(widths) - 2 * len(widths)))
    terminal.line((f"{HEADING:{len(gap) + room}}{_columns(HEADINGS, widths)}", "dim"))
    for case, row in zip(cases, rows, strict=True):
        what = printable(what_text(case.row.crash), room)
        terminal.line(
            (case.row.fingerprint[:ID_LETTERS], "bold"),
            "  ",
            (f"{what:{room}}", "warn" if case.is_suspect else "bad"),
            _columns(row, widths),
        )
        terminal.line(gap, (f"at {_where_text(case.row.crash, terminal.width - len(gap) - 3)}", "dim"))
        if case.is_from_outside:
            terminal.line(gap, (OUTSIDE, "dim"))
        if case.trace.phone:
            terminal.line(gap, (case.finding().phone_words, "warn"))
        if case.row.suspect is not None:
            terminal.line(gap, (f"suspect: {printable(case.row.suspect, 160)}", "warn"))
    terminal.line()


def _where_text(crash: Crash, room: int) -> str:
    """Where it happened; without the package, if there is no room for it."""
    whole = where_text(crash)
    return whole if len(whole) <= room else re.sub(r"^(?:[\w$]+\.)+(?=[A-Z])", "…", whole)


def _columns(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "".join(f"  {cell:{width}}" for cell, width in zip(cells, widths, strict=True)).rstrip()


def _suspect_text(case: Case, known: Baseline) -> str:
    """Whether the device may be at fault; and whether the crash stands in the baseline."""
    suspect = "yes" if case.is_suspect else "no"
    return f"{suspect} (known)" if case.finding(known).is_known else suspect


def _rate_text(case: Case) -> str:
    rate = case.reproduction
    if case.is_lost:
        return "did not replay"
    if rate is None:
        return "not replayed"
    low, high = rate.interval
    share = "" if rate.met == rate.runs else f" ({low:.0%}–{high:.0%})"
    return f"{rate.met} of {rate.runs}{share}"


def _summary(ran: Ran, findings: Sequence[CrashFinding], failures: int, report: Path | None) -> dict[str, Any]:
    explored = ran.explored
    return {
        "package": explored.package,
        "folder": str(explored.folder),
        "reason": words.exploration_end(explored.end),
        "seconds": round(ran.seconds, 3),
        "stages": [
            {
                "stage": each.stage.value,
                "seconds": round(each.seconds, 3),
                "times": each.times,
                "works": [
                    {"work": work.work.value, "seconds": round(work.seconds, 3), "times": work.times}
                    for work in each.works
                ],
            }
            for each in ran.stages
        ],
        "interrupted": ran.is_interrupted,
        "progress": progress_json(explored.progress),
        "new_crashes": [crash_json(crash) for crash in explored.new],
        "crashes": [{**f.to_json(), **c.to_json()} for f, c in zip(findings, ran.cases, strict=True)],
        "failures": failures,
        "suite": _suite_json(ran.suite),
        "report": None if report is None else str(report),
    }
