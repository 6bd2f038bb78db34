"""Reads files of other tools by numbered lines, with limits, because they may be huge, binary or cut short."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from fewtaps.errors import UsageError
from fewtaps.files import open_regular

MAX_FILE_BYTES = 512 << 20
MAX_LINE_BYTES = 1 << 20
MAX_EVENTS = 1_000_000
"""All three limits keep a wrong file from filling the memory; real recordings are far smaller."""


def broken(name: str | Path, line: int, what: str) -> UsageError:
    """The error for a damaged line; `what` describes the damage."""
    return UsageError(f"{name}, line {line}: {what}")


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a text file, from 1. Raises UsageError if it cannot be read, is too large or is not text."""
    read = 0
    number = 0
    try:
        with path.open("rb") as file:
            while line := file.readline(MAX_LINE_BYTES + 1):
                number += 1
                read += len(line)
                if len(line) > MAX_LINE_BYTES:
                    raise broken(path, number, f"longer than {MAX_LINE_BYTES >> 20} MB")
                if read > MAX_FILE_BYTES:
                    raise broken(path, number, f"the file is larger than {MAX_FILE_BYTES >> 20} MB")
                if b"\0" in line:
                    raise broken(path, number, "not text")
                # Logs contain texts of apps in any encoding; the parts that are parsed are ASCII.
                yield number, line.decode("utf-8", "replace").rstrip("\r\n")
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror or error}") from error


def read_whole(path: Path, limit: int) -> bytes:
    """The content of a file of at most `limit` bytes in a folder that the user named. Raises UsageError."""
    try:
        with open(path, "rb", opener=open_regular) as file:
            content = file.read(limit + 1)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror or error}") from error
    if len(content) > limit:
        raise UsageError(f"{path}: larger than {limit >> 20} MB")
    return content
