"""The lock of a project folder, which allows one writer at a time. The kernel releases it when its holder ends."""

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
LOCK_TIMEOUT_SECONDS = 0.5
"""How long a writer waits for the lock. `is_held` takes it for a moment, so the first try may fail."""


@contextmanager
def locked(folder: Path, holder: str = "exploration") -> Iterator[None]:
    """Holds the lock during the `with` block; raises `StoreError`, naming the process, if another writer has it.

    `holder` is what the other one is called.

    The kernel releases the lock when its holder ends, even by `kill -9`; the file itself stays.
    """
    path = folder / LOCK
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
    except OSError as error:
        raise translated_os(path, error) from error
    try:
        _lock(handle, folder, holder)
        yield
    finally:
        os.close(handle)


def is_held(folder: Path) -> bool:
    """Whether a process has the folder open for writing now."""
    try:
        handle = os.open(folder / LOCK, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        return not _try_lock(handle, fcntl.LOCK_SH)
    except OSError:
        return False
    finally:
        os.close(handle)


def _lock(handle: int, folder: Path, holder: str) -> None:
    deadline = time.monotonic() + LOCK_TIMEOUT_SECONDS
    try:
        while not _try_lock(handle, fcntl.LOCK_EX):
            if time.monotonic() > deadline:
                raise StoreError(f"another {holder} is writing to {folder} (process {_holder(handle)})")
            time.sleep(0.01)
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
    except OSError as error:
        raise translated_os(folder / LOCK, error) from error


def _try_lock(handle: int, kind: int) -> bool:
    """Takes the lock; False if another process has it."""
    try:
        fcntl.flock(handle, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _holder(handle: int) -> str:
    text = os.pread(handle, 20, 0).decode("ascii", "replace").strip()
    return text if text.isdigit() else "unknown"
