"""`fewtaps report`: builds the report of a project, or joins the results of a suite's shards."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fewtaps.cli.terminal import Terminal
from fewtaps.cli.test import exit_code_of, print_result, print_summary, summary_json
from fewtaps.errors import UsageError
from fewtaps.model.event import printable
from fewtaps.model.suite_result import SuiteTestStatus
from fewtaps.pipeline.reporting import write_report
from fewtaps.pipeline.suite_reports import merge_shards, write_suite_report


def run_report(folder: Path, output: Path | None, pictures: bool, as_json: bool) -> None:
    """Builds the report and prints its path, and what it holds."""
    terminal = Terminal(as_json)
    terminal.busy("building the report")
    page = write_report(folder, output, pictures=pictures)
    terminal.line(("Report: ", "bold"), printable(str(page), 300))
    held = "texts and pictures of the app" if pictures else "texts of the app, no pictures"
    terminal.line((f"It holds {held}.", "dim"))
    terminal.document({"report": str(page), "pictures": pictures})


def run_merge(first: str | None, others: Sequence[Path], output: Path | None, junit: Path | None, as_json: bool) -> int:
    """Joins the results of shards, prints those that did not pass, and returns the exit code of `fewtaps test`."""
    if first is None:
        raise UsageError("--merge: name the folders of the shards")
    if output is None and junit is None and not as_json:
        raise UsageError("--merge: say where the results go, with -o DIR or --junit FILE")
    result = merge_shards([Path(first), *others])
    page = write_suite_report(result, output, junit)
    terminal = Terminal(as_json)
    for note in result.notes:
        terminal.line(("note: ", "warn"), printable(note, 300))
    for each in result.results:
        if each.status is not SuiteTestStatus.PASSED:
            print_result(terminal, each)
    print_summary(terminal, result)
    terminal.document({"summary": summary_json(result)})
    if page is not None:
        terminal.line(("Report: ", "bold"), printable(str(page), 300))
    return exit_code_of(result)
