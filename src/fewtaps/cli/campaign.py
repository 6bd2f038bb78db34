"""`fewtaps campaign`: many apps, each with a run, a project folder and a row of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from fewtaps.cli.terminal import Terminal, counted
from fewtaps.errors import UsageError
from fewtaps.model.event import printable
from fewtaps.pipeline.campaign import ENDED, TABLE, CampaignRow, read_apps, run_campaign

MOST_AT_ONCE = 64


def run_campaigns(listed: Path, output: Path, options: Sequence[str], at_once: int, as_json: bool) -> int:
    """Runs them and prints a row for each; 3 if the run of some app did not come to its end."""
    if not 1 <= at_once <= MOST_AT_ONCE:
        raise UsageError(f"--at-once: between 1 and {MOST_AT_ONCE} apps, not {at_once}")
    terminal = Terminal(as_json)

    def tell(row: CampaignRow) -> None:
        terminal.document({"app": asdict(row)})
        name = f"{printable(row.app, 80):40}"
        if row.code not in ENDED:
            terminal.line(name, (f"  ended with {row.code}: {printable(row.message, 200)}", "bad"))
            return
        figures = f"{row.events:>8} events  {counted(row.crashes, 'crash', 'crashes'):>10}  {row.seconds:>7.0f} s"
        terminal.line(name, figures, f"  {printable(row.folder, 100)}")

    rows = run_campaign(read_apps(listed), output, options, at_once=at_once, on_row=tell)
    terminal.line(("Table: ", "bold"), printable(str(output / TABLE), 200))
    return 0 if all(row.code in ENDED for row in rows) else 3
