"""`fewtaps run`: from an app to a report, and whether what was found is a failure."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fewtaps.cli.crashes import ID_LETTERS, what_text, where_text
from fewtaps.cli.explore import NEW_CRASHES, Judging, fails
from fewtaps.cli.live import clock, figures_text, standing_json
from fewtaps.cli.play import crash_json
from fewtaps.cli.runlive import kept_text, steps_text, watch_run
from fewtaps.cli.terminal import Terminal, counted, show_download, warn
from fewtaps.config import RunSettings
from fewtaps.errors import FewtapsError
from fewtaps.model.event import printable
from fewtaps.pipeline.cases import Case
from fewtaps.pipeline.findings import Finding, write_junit
from fewtaps.pipeline.reporting import write_report
from fewtaps.pipeline.running import Ran, run_app

INTERRUPTED = 130


def run_run(apk: str, settings: RunSettings, judging: Judging, as_json: bool) -> int:
    """Does everything and prints what happens; 1 if there are crashes of the kind that is to be a failure, else 0."""
    terminal = Terminal(as_json)
    known = judging.prepare(settings.folder)
    terminal.busy(f"opening {printable(apk, 200)}")
    watcher = watch_run(terminal)
    with watcher:
        ran = run_app(apk, settings, watcher, show_download)
    findings = [case.finding(known) for case in ran.cases]
    terminal.busy("writing the report")
    report = _report(ran.folder)
    _print_end(terminal, ran, known, report)
    failures = [finding for finding in findings if fails(finding, judging.fail_on)]
    terminal.document({"summary": _summary(ran, findings, len(failures), report)})
    if judging.junit is not None:
        write_junit(judging.junit, ran.explored, findings)
    if ran.failure is not None:
        raise ran.failure
    if ran.is_interrupted:
        warn(kept_text(ran.folder))
        return INTERRUPTED
    return NEW_CRASHES if failures else 0


def _report(folder: Path) -> Path | None:
    """The first page of the report; without one there are still the table, the store and the exit code."""
    try:
        return write_report(folder)
    except FewtapsError as error:
        warn(f"no report: {printable(str(error), 500)}")
        return None


def _print_end(terminal: Terminal, ran: Ran, known: frozenset[str], report: Path | None) -> None:
    standing = ran.explored.standing
    terminal.line()
    terminal.line(("Explored: ", "bold"), f"{counted(standing.events, 'event')}, {figures_text(standing)}")
    terminal.line(("Ended: ", "bold"), printable(ran.explored.reason, 200))
    terminal.line(("Time: ", "bold"), clock(ran.seconds))
    terminal.line()
    case_table(terminal, ran.cases, known)
    if any(case.needs_work(1) for case in ran.cases):
        terminal.line("Not all crashes could be reduced and replayed in the time; the same command goes on.")
    if report is not None:
        terminal.line(("Report: ", "bold"), printable(str(report), 200))


def case_table(terminal: Terminal, cases: Sequence[Case], known: frozenset[str]) -> None:
    """One crash after the other: its id, what it is, the steps before and after, how often they replay; and where."""
    if not cases:
        terminal.line(("No crash was found.", "good"))
        terminal.line()
        return
    rows = [(what_text(case.row.crash), steps_text(case), _rate_text(case)) for case in cases]
    widths = [max(map(len, column)) for column in zip(("crash", "steps", ""), *rows, strict=True)]
    gap = " " * (ID_LETTERS + 2)
    terminal.line((f"{'crash':{ID_LETTERS + 2 + widths[0]}}  {'steps':{widths[1]}}  reproduction rate", "dim"))
    for case, (what, steps, rate) in zip(cases, rows, strict=True):
        remark = " (known)" if case.row.fingerprint in known else ""
        terminal.line(
            (case.row.fingerprint[:ID_LETTERS], "bold"),
            "  ",
            (f"{what:{widths[0]}}", "warn" if case.is_suspect else "bad"),
            f"  {steps:{widths[1]}}  {rate}{remark}",
        )
        terminal.line(gap, (f"at {where_text(case.row.crash)}", "dim"))
        if case.row.suspect is not None:
            terminal.line(gap, (f"suspect: {printable(case.row.suspect, 160)}", "warn"))
    terminal.line()


def _rate_text(case: Case) -> str:
    rate = case.reproduction
    if case.is_lost:
        return "did not replay"
    if rate is None:
        return "not replayed"
    low, high = rate.interval
    share = "" if rate.met == rate.runs else f" ({low:.0%}–{high:.0%})"
    return f"{rate.met} of {rate.runs} worlds{share}"


def _summary(ran: Ran, findings: Sequence[Finding], failures: int, report: Path | None) -> dict[str, Any]:
    explored = ran.explored
    return {
        "package": explored.package,
        "folder": str(explored.folder),
        "reason": explored.reason,
        "seconds": round(ran.seconds, 3),
        "interrupted": ran.is_interrupted,
        "standing": standing_json(explored.standing),
        "new_crashes": [crash_json(crash) for crash in explored.new],
        "crashes": [{**f.to_json(), **c.to_json()} for f, c in zip(findings, ran.cases, strict=True)],
        "failures": failures,
        "report": None if report is None else str(report),
    }
