"""Writes a file whole or not at all."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from fewtaps.errors import UsageError


def write_whole(path: Path, content: bytes) -> None:
    """Writes the content; a file that was there before stays as it was if anything goes wrong. Raises UsageError."""
    part = path.with_name(f".{path.name}.part")
    try:
        part.write_bytes(content)
        part.replace(path)
    except OSError as error:
        with suppress(OSError):
            part.unlink()
        raise UsageError(f"{path}: cannot be written ({error.strerror or error})") from error
