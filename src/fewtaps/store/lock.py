"""The lock of a project folder: one writer at a time, whatever becomes of it."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fewtaps.errors import StoreError
from fewtaps.store.connection import translated_os

LOCK = ".lock"


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


def _take(handle: int, folder: Path) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise StoreError(f"another exploration is writing to {folder} (process {_holder(handle)})") from error
    except OSError as error:
        raise translated_os(folder / LOCK, error) from error
    try:
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
    except OSError as error:
        raise translated_os(folder / LOCK, error) from error


def _holder(handle: int) -> str:
    text = os.pread(handle, 20, 0).decode("ascii", "replace").strip()
    return text if text.isdigit() else "unknown"
