"""`fewtaps scrub`: removes pictures, texts and logs from a project."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

from fewtaps.cli.terminal import Terminal, counted
from fewtaps.config import ScrubSettings
from fewtaps.errors import UsageError
from fewtaps.model.event import printable
from fewtaps.pipeline.scrubbing import ScrubResult, scrub_project


def run_scrub(folder: Path, kinds: tuple[bool, bool, bool], matching: str | None, yes: bool, as_json: bool) -> None:
    """Says what would be removed, asks, and removes it. `kinds` are pictures, texts and logs; none of them is all."""
    if not yes and (as_json or not sys.stdin.isatty()):
        raise UsageError("scrub asks before it removes, and the input here is no terminal: give --yes too")
    pictures, texts, logs = kinds if any(kinds) else (True, True, True)
    settings = ScrubSettings(pictures, texts, logs, matching)
    terminal = Terminal(as_json)

    def allowed(result: ScrubResult) -> bool:
        for line in _lines(result):
            terminal.line(line)
        return yes or _confirmed(terminal)

    result = scrub_project(folder, settings, allowed)
    if result is None:
        terminal.line("nothing was removed")
        return
    if result.is_empty:
        terminal.line("there is nothing to remove")
    elif result.rebuilds_report:
        terminal.line("The report was built again.")
    if result.left_alone:
        names = ", ".join(printable(name, 60) for name in result.left_alone)
        terminal.line(("Not looked into: ", "warn"), names)
    terminal.document({"removed": _document(result)})


def _lines(result: ScrubResult) -> list[str]:
    store = result.store
    parts = [
        (result.pictures, counted(result.pictures, "picture")),
        (store.texts, f"{counted(store.texts, 'text')} of screens, events, crashes and notes"),
        (store.log_lines, f"{counted(store.log_lines, 'line')} that the app logged"),
        (store.slices, f"{counted(store.slices, 'slice')} with values of the app"),
        (len(result.traces), f"texts of {counted(len(result.traces), 'trace file')}"),
        (len(result.tests), f"{counted(len(result.tests), 'test')} of the suite"),
        (len(result.log_files), f"{counted(len(result.log_files), 'log file')}, or lines of them"),
    ]
    return ["To be removed:", *(f"  {words}" for number, words in parts if number)]


def _confirmed(terminal: Terminal) -> bool:
    with suppress(EOFError):
        return input("Remove it? It cannot be brought back. [y/N] ").strip().lower() in ("y", "yes")
    terminal.line()
    return False


def _document(result: ScrubResult) -> dict[str, object]:
    return {
        "pictures": result.pictures,
        "texts": result.store.texts,
        "log_lines": result.store.log_lines,
        "slices": result.store.slices,
        "traces": list(result.traces),
        "tests": list(result.tests),
        "log_files": list(result.log_files),
        "left_alone": list(result.left_alone),
    }
