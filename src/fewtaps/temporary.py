"""Temporary folders, and the removal of those whose owner was killed before it removed them.

Each folder holds a file that its owner keeps locked. The operating system releases the lock when the owner ends, even
if it is killed, so a folder whose file can be locked has no owner any more. A folder without that file belongs to the
process whose number is in its name: it was killed between the making of the two if there is no such process.
"""

from __future__ import annotations

import atexit
import fcntl
import logging
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from fewtaps.files import refusal

log = logging.getLogger(__name__)

PREFIX = "fewtaps-"
_OWNER = "owner"
_UNLOCKED = ".owner"
_MAKER = re.compile(rf"{PREFIX}(\d+)-")
_handles: dict[Path, int] = {}


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A temporary folder of this process, removed with the `with` block; raises as `make_folder`."""
    folder = make_folder()
    try:
        yield folder
    finally:
        remove_folder(folder)


def make_folder() -> Path:
    """A new temporary folder of this process; the first call also removes those of killed processes.

    Raises StoreError if the disk is full, UsageError if the file system refuses it for another reason.
    """
    _sweep_once()
    try:
        folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-"))
    except OSError as error:
        raise refusal(Path(tempfile.gettempdir()), error) from error
    try:
        # Locked before it gets its name, so that no other process can see the folder without an owner.
        part = folder / _UNLOCKED
        handle = os.open(part, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600)
        _handles[folder] = handle
        fcntl.flock(handle, fcntl.LOCK_EX)
        os.rename(part, folder / _OWNER)
    except OSError as error:
        remove_folder(folder)
        raise refusal(folder, error) from error
    return folder


def remove_folder(folder: Path) -> None:
    """Removes a folder with its content; a second call does nothing."""
    shutil.rmtree(folder, ignore_errors=True)
    handle = _handles.pop(folder, None)
    if handle is not None:
        os.close(handle)


def _remove_own() -> None:
    """Removes what is left of this process: Ctrl-C may come between the making of a folder and its `with` block."""
    for folder in [each for each in _handles if each.name.startswith(f"{PREFIX}{os.getpid()}-")]:
        remove_folder(folder)


def sweep(parent: Path) -> int:
    """Removes the folders of this user's killed processes below `parent`, and returns their number."""
    try:
        found = sorted(parent.glob(f"{PREFIX}*"))
    except OSError:
        return 0
    removed = sum(_remove_if_left(folder) for folder in found)
    if removed:
        log.debug("removed %d folders of processes that were killed", removed)
    return removed


def _remove_if_left(folder: Path) -> bool:
    """Removes the folder if it is one of ours without an owner; whether it did."""
    try:
        about = folder.lstat()
        if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.getuid():
            return False
        handle = os.open(folder / _OWNER, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return _is_maker_gone(folder) and _removed_empty(folder)
    except OSError:
        # Not one of ours.
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return _removed(folder)
    except OSError:
        return False
    finally:
        os.close(handle)


def _removed(folder: Path) -> bool:
    shutil.rmtree(folder, ignore_errors=True)
    return not folder.exists()


def _removed_empty(folder: Path) -> bool:
    """Removes the folder if nothing is in it but the file that was not locked yet: others may have such a name."""
    try:
        if os.listdir(folder) == [_UNLOCKED]:
            (folder / _UNLOCKED).unlink()
        folder.rmdir()
    except OSError:
        return False
    return True


def _is_maker_gone(folder: Path) -> bool:
    """Whether the name of the folder has the number of a process, and there is no such process."""
    found = _MAKER.match(folder.name)
    if found is None:
        return False
    try:
        os.kill(int(found[1]), 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return False


@cache
def _sweep_once() -> None:
    sweep(Path(tempfile.gettempdir()))


atexit.register(_remove_own)
# A forked process has folders of its own, at another place perhaps: its first call sweeps again.
os.register_at_fork(after_in_child=_sweep_once.cache_clear)
