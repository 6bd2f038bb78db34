"""`fewtaps export`: the steps of a crash as tests, flows and scripts of other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fewtaps.cli.terminal import Terminal, warn
from fewtaps.errors import UsageError
from fewtaps.model.event import printable
from fewtaps.pipeline.exporting import ALL, Written, find_steps, require_format, write_exports


def run_export(wanted: str, folder: Path, crash: str, output: Path | None, as_json: bool) -> None:
    """Writes one export, or all of them; without `output`, a single export goes to the standard output."""
    if wanted == ALL and output is None and not as_json:
        raise UsageError("all: say where the files go, with -o DIR")
    require_format(wanted)
    found = find_steps(crash, folder)
    exports = write_exports(found, wanted, output)
    terminal = Terminal(as_json)
    terminal.document({"crash": found.finding.crash.fingerprint, "exports": [to_json(each) for each in exports]})
    for each in exports:
        if each.path is None:
            terminal.raw(each.text)
        else:
            terminal.line((each.export.title, "bold"), f": {printable(str(each.path), 200)}")
        for loss in each.losses:
            _print_loss(terminal, each, loss)


def _print_loss(terminal: Terminal, written: Written, loss: str) -> None:
    if written.path is not None:
        terminal.line("  ", (printable(loss, 300), "warn"))
    elif not terminal.as_json:
        # To the standard error, because the standard output is the export itself.
        warn(f"{written.export.name}: {printable(loss, 300)}")


def to_json(written: Written) -> dict[str, Any]:
    """One export as JSON data; its text only if it was not written to a file."""
    return {
        "name": written.export.name,
        "title": written.export.title,
        "language": written.export.language,
        "path": None if written.path is None else str(written.path),
        "text": written.text if written.path is None else None,
        "losses": list(written.losses),
    }
