"""Folders of bridge processes, and what is left of them when their owner is killed before it can remove them.

Each folder holds a file that its owner keeps locked. The system takes the lock back when the owner ends, however that
comes: a folder whose file can be locked belongs to nobody any more.
"""

from __future__ import annotations

import fcntl
import logging
import os
import shutil
import stat
import tempfile
from functools import cache
from pathlib import Path

log = logging.getLogger(__name__)

PREFIX = "fewtaps-"
_OWNER = "owner"
_handles: dict[Path, int] = {}


def make_folder() -> Path:
    """A new temporary folder of this process; the first time, those of processes that were killed are removed."""
    _sweep_once()
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    # Locked before it has its name, so that nobody finds it without an owner.
    part = folder / ".owner"
    handle = os.open(part, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600)
    fcntl.flock(handle, fcntl.LOCK_EX)
    os.rename(part, folder / _OWNER)
    _handles[folder] = handle
    return folder


def remove_folder(folder: Path) -> None:
    """Remove a folder with all that is in it; harmless if called twice."""
    shutil.rmtree(folder, ignore_errors=True)
    handle = _handles.pop(folder, None)
    if handle is not None:
        os.close(handle)


def sweep(parent: Path) -> int:
    """Remove what this user's killed processes have left here, and return how many folders that were."""
    try:
        found = sorted(parent.glob(f"{PREFIX}*"))
    except OSError:
        return 0
    removed = sum(_remove_if_left(folder) for folder in found)
    if removed:
        log.debug("removed %d folders of processes that were killed", removed)
    return removed


def _remove_if_left(folder: Path) -> bool:
    """Whether the folder was one of ours without an owner, and is gone now."""
    try:
        about = folder.lstat()
        if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.getuid():
            return False
        handle = os.open(folder / _OWNER, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        # Not made by us, or just being made or removed.
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)
    except OSError:
        return False
    finally:
        os.close(handle)
    return not folder.exists()


@cache
def _sweep_once() -> None:
    sweep(Path(tempfile.gettempdir()))
