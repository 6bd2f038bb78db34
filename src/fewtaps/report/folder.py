"""Replaces a folder at once: the new one is built beside it, and the old one stays until the new one is complete."""

from __future__ import annotations

import fcntl
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from fewtaps.errors import StoreError, UsageError
from fewtaps.files import refusal

MARK = "fewtaps-report.json"
"""The file that marks a folder as a report; a folder with other content is never replaced."""
WAIT_SECONDS = 60.0
"""How long a writer waits for another one of the same report, which takes seconds."""


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """An empty folder to build in, which takes the place of `target` at the end of the block.

    If the block fails, the target is unchanged. Raises UsageError if the target holds something that is not a report or
    if the file system refuses it; StoreError if the disk is full, because another target would not help then.
    """
    require_replaceable(target)
    part, old = _beside(target, "part"), _beside(target, "old")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with _only_writer(target):
            try:
                _recover(target, part, old)
                part.mkdir()
                yield part
                _swap(part, target, old)
            finally:
                shutil.rmtree(part, ignore_errors=True)
    except OSError as error:
        raise refusal(target, error, "; the earlier report stays" if target.exists() else "") from error


@contextmanager
def _only_writer(target: Path) -> Iterator[None]:
    """Holds a lock on the folder around the target: two writers of one report take turns.

    The kernel releases the lock when its holder ends. Raises StoreError if another writer has it for too long.
    """
    handle = os.open(target.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        deadline = time.monotonic() + WAIT_SECONDS
        while not _try_lock(handle):
            if time.monotonic() > deadline:
                raise StoreError(f"{target}: another command has been writing it for {WAIT_SECONDS:.0f} s")
            time.sleep(0.02)
        yield
    finally:
        os.close(handle)


def _try_lock(handle: int) -> bool:
    """Takes the lock; False if another process has it. A file system without locks is treated as if it were free."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


def _beside(target: Path, kind: str) -> Path:
    return target.with_name(f".{target.name}.{kind}")


def require_replaceable(target: Path) -> None:
    """Raises UsageError if the target holds something that is not a report."""
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise UsageError(f"{target}: not a folder")
    if target.is_dir() and any(target.iterdir()) and not (target / MARK).is_file():
        raise UsageError(f"{target}: holds something that is no report; choose another folder with -o")


def _recover(target: Path, part: Path, old: Path) -> None:
    """Removes the folders of a killed writer; if it was killed between its two renames, restores the old report."""
    shutil.rmtree(part, ignore_errors=True)
    if old.is_dir() and not target.exists():
        old.rename(target)
    shutil.rmtree(old, ignore_errors=True)


def _swap(part: Path, target: Path, old: Path) -> None:
    if target.exists():
        target.rename(old)
    try:
        part.rename(target)
    except OSError:
        with suppress(OSError):
            old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)
