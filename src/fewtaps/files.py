"""Writes a file whole or not at all, and says beforehand whether it can be written."""

from __future__ import annotations

import errno
import secrets
from contextlib import suppress
from pathlib import Path

from fewtaps.errors import FewtapsError, StoreError, UsageError

FULL = "the disk is full"


def write_whole(path: Path, content: bytes) -> None:
    """Writes the content; a file that was there before stays as it was if anything goes wrong.

    Raises UsageError for what the file system refuses, and StoreError for a full disk, where another name is no better.
    A link stays one, and what it leads to is written. What is no file, such as `/dev/stdout` or a pipe, is written
    into: it must never be replaced.
    """
    target = _target(path)
    try:
        if target.exists() and not target.is_file():
            target.write_bytes(content)
            return
        part = _part(target)
        try:
            part.write_bytes(content)
            part.replace(target)
        except OSError:
            with suppress(OSError):
                part.unlink()
            raise
    except OSError as error:
        raise refusal(path, error) from error


def require_writable(path: Path) -> None:
    """Raises as `write_whole` if a file cannot be written there; one that is there already stays as it is."""
    target = _target(path)
    try:
        if target.exists() and not target.is_file():
            return
        # Asking for permissions is not enough: a full or read-only disk shows only when something is written.
        part = _part(target)
        part.write_bytes(b"")
        part.unlink()
    except OSError as error:
        raise refusal(path, error) from error


def _target(path: Path) -> Path:
    """The file that is meant, behind all links."""
    try:
        target = path.resolve()
        if not path.name or target.is_dir():
            raise UsageError(f"{path}: cannot be written (it is a folder)")
    except (OSError, RuntimeError, ValueError) as error:  # Links that lead in a circle; a name with a zero byte.
        raise UsageError(f"{path}: cannot be written ({error})") from error
    return target


def _part(path: Path) -> Path:
    # Not named after the file: a name may already be as long as names can be.
    return path.with_name(f".fewtaps-{secrets.token_hex(6)}.part")


def refusal(path: Path, error: OSError, more: str = "") -> FewtapsError:
    """Our error for one of the file system's while writing."""
    if is_full(error):
        return StoreError(f"{path}: {FULL}{more}")
    return UsageError(f"{path}: cannot be written ({error.strerror or error}){more}")


def is_full(error: OSError) -> bool:
    """Whether there is no room left, on the disk or in what this user may have of it."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT)
