"""`fewtaps export`: the steps of a crash, or a whole suite, as tests, flows and scripts of other tools."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from fewtaps.cli.terminal import Terminal, warn
from fewtaps.errors import UsageError
from fewtaps.model.event import printable
from fewtaps.pipeline.exporting import ALL, Written, find_steps, require_format, write_exports
from fewtaps.pipeline.suite_exports import (
    WrittenSuite,
    export_suite,
    is_suite,
    require_suite_format,
    suite_to_export,
)

MOST_FILES = 3
"""Of an exported suite with more files the terminal shows the folder and the number of files."""


def run_export(
    wanted: str,
    subject: str,
    project: Callable[[], Path],
    crash: str | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Writes the suite in the folder `subject` or, if a crash is named, that crash of the project."""
    require_format(wanted)
    if crash is not None:
        if is_suite(Path(subject)):
            raise UsageError(f"{subject}: a suite is exported as a whole; leave out '{printable(crash)}'")
        _export_crash(wanted, project(), crash, output, as_json)
        return
    if not is_suite(Path(subject)):
        raise UsageError(
            f"{printable(subject, 200)}: no suite; to export a crash, name it: fewtaps export FORMAT APK CRASH"
        )
    _export_suite(wanted, Path(subject), output, as_json)


def _export_crash(wanted: str, folder: Path, crash: str, output: Path | None, as_json: bool) -> None:
    """Writes one export, or all of them; without `output`, a single export goes to the standard output."""
    if wanted == ALL and output is None and not as_json:
        raise UsageError("all: say where the files go, with -o DIR")
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


def _export_suite(wanted: str, folder: Path, output: Path | None, as_json: bool) -> None:
    require_suite_format(wanted)
    if output is None and not as_json:
        raise UsageError("a suite: say where the files go, with -o DIR")
    source = suite_to_export(folder)
    written = export_suite(source, folder, wanted, output)
    terminal = Terminal(as_json)
    terminal.document(
        {
            "suite": str(folder),
            "tests": [test.name for test in source.suite.tests],
            "exports": [suite_to_json(each) for each in written],
        }
    )
    for note in source.notes:
        warn(printable(note, 300))
    for each in written:
        few = len(each.paths) <= MOST_FILES
        shown = ", ".join(map(str, each.paths)) if few else f"{len(each.paths)} files in {output}"
        terminal.line((each.title, "bold"), f": {printable(shown, 300)}")
        for loss in each.losses:
            terminal.line("  ", (printable(loss, 300), "warn"))


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


def suite_to_json(written: WrittenSuite) -> dict[str, Any]:
    """A suite's export as JSON data; the texts of its files only if they were not written."""
    paths: tuple[Path | None, ...] = written.paths or (None,) * len(written.files)
    return {
        "name": written.name,
        "title": written.title,
        "files": [
            {
                "name": file.name,
                "path": None if path is None else str(path),
                "text": file.text if path is None else None,
            }
            for file, path in zip(written.files, paths, strict=True)
        ],
        "losses": list(written.losses),
    }
