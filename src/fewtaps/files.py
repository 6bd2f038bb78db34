"""Writes a file whole or not at all, and says beforehand whether it can be written."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from fewtaps.errors import UsageError


def write_whole(path: Path, content: bytes) -> None:
    """Writes the content; a file that was there before stays as it was if anything goes wrong. Raises UsageError."""
    part = _part(path)
    try:
        part.write_bytes(content)
        part.replace(path)
    except OSError as error:
        with suppress(OSError):
            part.unlink()
        raise UsageError(f"{path}: cannot be written ({error.strerror or error})") from error


def require_writable(path: Path) -> None:
    """Raises UsageError if a file cannot be written there; one that is there already stays as it is."""
    try:
        if not path.name or path.is_dir():
            raise UsageError(f"{path}: cannot be written (it is a folder)")
        # Asking for permissions is not enough: a full or read-only disk shows only when something is written.
        _part(path).write_bytes(b"")
        _part(path).unlink()
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror or error})") from error


def _part(path: Path) -> Path:
    return path.with_name(f".{path.name}.part")
