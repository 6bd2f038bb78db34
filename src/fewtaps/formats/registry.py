"""The importers and exporters by the name of their format, and the recognition of a file's format."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from fewtaps.errors import UsageError
from fewtaps.formats.adbwriter import write_adb_script
from fewtaps.formats.droidbot import looks_like_droidbot, read_droidbot
from fewtaps.formats.monkeylog import looks_like_monkey_log, read_monkey_log
from fewtaps.formats.monkeyscript import looks_like_monkey_script, read_monkey_script
from fewtaps.formats.monkeywriter import write_monkey_script
from fewtaps.formats.recording import Recording
from fewtaps.formats.simplydroid import EXECUTED, SCRIPT, looks_like_execute_log, read_simplydroid
from fewtaps.formats.uiautomator import looks_like_uiautomator, read_uiautomator
from fewtaps.model.trace import Trace

HEAD_BYTES = 64 << 10
"""The format of a file is recognised by its first bytes, at most this many."""


@dataclass(frozen=True, slots=True)
class Importer:
    """Reads recordings of one format; `recognises` decides by the first characters of a file."""

    read: Callable[[Path, str | None], Recording]
    recognises: Callable[[str], bool] = lambda head: False


def _read_script(path: Path, profile: str | None) -> Recording:
    recording = read_monkey_script(path)
    if path.name == SCRIPT and (path.parent / EXECUTED).is_file():
        loss = f"what the phone did, and its crash, are in {EXECUTED} beside it: convert the folder to have them"
        recording = replace(recording, losses=(*recording.losses, loss))
    return recording


IMPORTERS: dict[str, Importer] = {
    "monkey": Importer(_read_script, looks_like_monkey_script),
    "simplydroid": Importer(lambda path, profile: read_simplydroid(path), looks_like_execute_log),
    "monkey-log": Importer(lambda path, profile: read_monkey_log(path), looks_like_monkey_log),
    "droidbot": Importer(lambda path, profile: read_droidbot(path)),
    "uiautomator": Importer(read_uiautomator, looks_like_uiautomator),
}
"""The importers in the order in which recognition tries them."""

EXPORTERS: dict[str, Callable[[Trace], tuple[str, tuple[str, ...]]]] = {
    "monkey": write_monkey_script,
    "adb": write_adb_script,
}
"""The exporters; each returns the text and its losses."""

SUFFIXES = {".sh": "adb", ".monkey": "monkey", ".mks": "monkey"}
"""The format of a file to be written, by the suffix of its name."""


def recognise(path: Path) -> str | None:
    """The name of the format a file or folder is in; None if it is in none of them. Raises UsageError."""
    if path.is_dir():
        if (path / SCRIPT).is_file() and (path / EXECUTED).is_file():
            return "simplydroid"
        return "droidbot" if looks_like_droidbot(path) else None
    head = head_of(path)
    return next((name for name, importer in IMPORTERS.items() if importer.recognises(head)), None)


def head_of(path: Path) -> str:
    """The first characters of a file, up to the first that is not text. Raises UsageError."""
    try:
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror or error}") from error
    return head.partition(b"\0")[0].decode("utf-8", "replace")
