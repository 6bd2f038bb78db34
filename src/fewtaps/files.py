"""Writes a file atomically, and checks beforehand whether it can be written."""

from __future__ import annotations

import errno
import secrets
from contextlib import suppress
from pathlib import Path

from fewtaps.errors import FewtapsError, StoreError, UsageError

FULL = "the disk is full"


def write_whole(path: Path, content: bytes) -> None:
    """Writes the content; on failure an existing file keeps its old content.

    Raises UsageError if the file system refuses the path, and StoreError if the disk is full, because another path
    would not help then. A symbolic link is kept, and its target is written. Devices and pipes, such as `/dev/stdout`,
    are written into and never replaced.
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
    """Raises as `write_whole` if a file cannot be written there; an existing file is left unchanged."""
    target = _target(path)
    try:
        if target.exists() and not target.is_file():
            return
        # Permission bits do not reveal a full or read-only disk, so a file is created.
        part = _part(target)
        part.write_bytes(b"")
        part.unlink()
    except OSError as error:
        raise refusal(path, error) from error


def _target(path: Path) -> Path:
    """The file behind all symbolic links."""
    try:
        target = path.resolve()
        if not path.name or target.is_dir():
            raise UsageError(f"{path}: cannot be written (it is a folder)")
    except (OSError, RuntimeError, ValueError) as error:  # Links in a cycle; a name with a zero byte.
        raise UsageError(f"{path}: cannot be written ({error})") from error
    return target


def _part(path: Path) -> Path:
    # Independent of the file's name, which may have the greatest length that the file system allows.
    return path.with_name(f".fewtaps-{secrets.token_hex(6)}.part")


def refusal(path: Path, error: OSError, more: str = "") -> FewtapsError:
    """The error to raise for an OSError while writing `path`; `more` is appended to its message."""
    if is_full(error):
        return StoreError(f"{path}: {FULL}{more}")
    return UsageError(f"{path}: cannot be written ({error.strerror or error}){more}")


def is_full(error: OSError) -> bool:
    """Whether the disk is full or the user's quota is used up."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT)
