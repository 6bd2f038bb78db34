"""The lock of a project folder: one writer at a time, whatever becomes of it."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fewtaps.errors import StoreError
from fewtaps.store.connection import translated_os

LOCK = ".lock"
PATIENCE_SECONDS = 0.5
"""Whoever only asks whether the lock is held holds it for a moment."""


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Holds the folder against other writers; raises `StoreError`, naming the process, if one is there.

    The kernel gives the lock back when its holder ends, even by `kill -9`; the file itself stays.
    """
    path = folder / LOCK
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
    except OSError as error:
        raise translated_os(path, error) from error
    try:
        _take(handle, folder)
        yield
    finally:
        os.close(handle)


def is_held(folder: Path) -> bool:
    """Whether somebody is writing to the folder now."""
    try:
        handle = os.open(folder / LOCK, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        return not _is_given(handle, fcntl.LOCK_SH)
    except OSError:
        return False
    finally:
        os.close(handle)


def _take(handle: int, folder: Path) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    try:
        while not _is_given(handle, fcntl.LOCK_EX):
            if time.monotonic() > deadline:
                raise StoreError(f"another exploration is writing to {folder} (process {_holder(handle)})")
            time.sleep(0.01)
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
    except OSError as error:
        raise translated_os(folder / LOCK, error) from error


def _is_given(handle: int, kind: int) -> bool:
    """Takes the lock, if nobody else has it."""
    try:
        fcntl.flock(handle, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _holder(handle: int) -> str:
    text = os.pread(handle, 20, 0).decode("ascii", "replace").strip()
    return text if text.isdigit() else "unknown"
