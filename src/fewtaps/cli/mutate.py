"""`fewtaps mutate`: prints which faults a suite finds, and those it does not."""

from __future__ import annotations

from collections import Counter
from typing import Any

from fewtaps.cli.terminal import Terminal, counted, show_download
from fewtaps.config import MutateSettings
from fewtaps.errors import UsageError
from fewtaps.model.event import printable
from fewtaps.model.mutant import Mutant, MutantResult, MutantStatus, MutationScore
from fewtaps.pipeline.mutating import MutationProgress, MutationReport, mutate_suite

MOST_SURVIVORS = 30
"""Survivors at most that are printed; mutations.xml and --json have all of them."""
PROGRESS_EVERY = 50
"""Mutants between two lines of progress where lines cannot be drawn anew."""


def run_mutate(suite: str, apk: str, settings: MutateSettings, fail_under: float | None, as_json: bool) -> int:
    """Plays mutants and prints what the suite says of them; 1 if its score is below `fail_under`, else 0."""
    if fail_under is not None and not 0 <= fail_under <= 100:
        raise UsageError(f"--fail-under: a share in percent, not {fail_under:g}")
    terminal = Terminal(as_json)
    terminal.busy(f"opening {printable(apk, 200)}")

    def played(progress: MutationProgress) -> None:
        terminal.document({"mutant": result_json(progress.result)})
        if progress.number % PROGRESS_EVERY == 0:
            terminal.busy(f"{progress.number} of {counted(progress.total, 'mutant')}")

    report = mutate_suite(suite, apk, settings, played, show_download)
    _print(terminal, report)
    terminal.document({"summary": summary_json(report)})
    return 1 if fail_under is not None and report.score.percent < fail_under else 0


def _print(terminal: Terminal, report: MutationReport) -> None:
    for note in report.notes:
        terminal.line(("note: ", "warn"), printable(note, 300))
    for each in report.failing:
        name = printable(each.measured.test.name, 100)
        terminal.line(
            ("note: ", "warn"), f"{name} fails without a fault at step {each.failed_at} ({each.difference}): left out"
        )
    if report.survivors:
        terminal.line(f"{counted(len(report.survivors), 'mutant')} survived:")
        for result in report.survivors[:MOST_SURVIVORS]:
            terminal.line("  ", (_place(result.mutant), "bold"), f"  {printable(result.mutant.description, 160)}")
            terminal.line(("      " + _code(result.mutant, report), "dim"))
        if len(report.survivors) > MOST_SURVIVORS:
            terminal.line(("  " + counted(len(report.survivors) - MOST_SURVIVORS, "more survivor"), "dim"))
        terminal.line()
    counts = Counter(result.status for result in report.results)
    terminal.line(", ".join(f"{status.value} {counts[status]}" for status in MutantStatus if counts[status]))
    terminal.line(f"Found: {_score(report.score)} of {counted(len(report.results), 'mutant')} in code that tests reach")
    if report.score_by_states is not None and any(each.by_states is not each.status for each in report.results):
        terminal.line(f"By states and crashes alone: {_score(report.score_by_states)}")
    if report.remaining:
        terminal.line(f"No time for {counted(report.remaining, 'mutant')}; the same command goes on")
    if report.uncovered:
        terminal.line(f"No test reaches {counted(len(report.uncovered), 'further mutant')}")
    terminal.line(("Written: ", "dim"), f"{report.xml}, {report.page}")


def _score(score: MutationScore) -> str:
    return f"{score.percent:.1f} % ({score.detected} of {score.counted})"


def _place(mutant: Mutant) -> str:
    where = f"{mutant.file}:{mutant.line}" if mutant.file and mutant.line else "no line"
    return printable(f"{mutant.class_name}.{mutant.method} ({where}) {mutant.operator}", 240)


def _code(mutant: Mutant, report: MutationReport) -> str:
    return printable(report.lines.get(mutant.key, mutant.instruction), 200)


def result_json(result: MutantResult) -> dict[str, Any]:
    """A mutant and what the tests say of it."""
    mutant = result.mutant
    return {
        "class": mutant.class_name,
        "method": mutant.method,
        "descriptor": mutant.descriptor,
        "index": mutant.index,
        "operator": mutant.operator,
        "file": mutant.file,
        "line": mutant.line or None,
        "description": mutant.description,
        "instruction": mutant.instruction,
        "status": result.status.value,
        "test": result.test,
        "step": result.step,
        "difference": result.difference or None,
        "by_states": None if result.by_states is None else result.by_states.value,
        "tests_run": result.tests_run,
    }


def summary_json(report: MutationReport) -> dict[str, Any]:
    """The last line of a stream: scores and counts."""
    by_states = report.score_by_states
    return {
        "package": report.app.package,
        "statuses": dict(Counter(result.status.value for result in report.results)),
        "detected": report.score.detected,
        "counted": report.score.counted,
        "score": round(report.score.percent, 2),
        "score_by_states": None if by_states is None else round(by_states.percent, 2),
        "sampled": len(report.results),
        "covered": report.candidates,
        "uncovered": len(report.uncovered),
        "remaining": report.remaining,
        "resumed": report.resumed,
        "failing_tests": [each.measured.test.name for each in report.failing],
        "mutations_xml": None if report.xml is None else str(report.xml),
        "page": None if report.page is None else str(report.page),
        "seconds": round(report.seconds, 1),
    }
