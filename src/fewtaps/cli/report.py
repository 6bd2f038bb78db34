"""`fewtaps report`: builds the report of a project."""

from __future__ import annotations

from pathlib import Path

from fewtaps.cli.terminal import Terminal
from fewtaps.model.event import printable
from fewtaps.pipeline.reporting import write_report


def run_report(folder: Path, output: Path | None, as_json: bool) -> None:
    """Builds the report and prints its path."""
    terminal = Terminal(as_json)
    terminal.busy("building the report")
    page = write_report(folder, output)
    terminal.line(("Report: ", "bold"), printable(str(page), 300))
    terminal.document({"report": str(page)})
