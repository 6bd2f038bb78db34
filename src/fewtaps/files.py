"""Writes a file atomically, and checks beforehand whether it can be written."""

from __future__ import annotations

import errno
import fcntl
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from fewtaps.errors import FewtapsError, StoreError, UsageError

FULL = "the disk is full"
LIMITED = "the file would be larger than this process may write (ulimit -f)"
LARGEST_INSIDE = 512 << 20
"""Bytes of a file of a folder that Fewtaps fills; it writes none as large."""


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
        _replace(target, content)
    except OSError as error:
        raise refusal(path, error) from error


def write_inside(path: Path, content: bytes) -> None:
    """Writes a file of a folder that Fewtaps fills, such as a project or a suite; raises as `write_whole`.

    The folder may come from elsewhere. A symbolic link in the place of the file is replaced, not followed.
    """
    try:
        if path.is_dir() and not path.is_symlink():
            raise UsageError(f"{path}: cannot be written (it is a folder)")
        _replace(path, content)
    except OSError as error:
        raise refusal(path, error) from error


def open_here(path: str, flags: int) -> int:
    """An opener for a file of a folder that Fewtaps fills: a symbolic link in its place is refused."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)


def open_regular(path: str, flags: int) -> int:
    """An opener for a file of a folder that may come from elsewhere: anything but a regular file is refused.

    A named pipe would let its reader wait for ever.
    """
    handle = os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC, 0o666)
    mode = os.fstat(handle).st_mode
    if stat.S_ISREG(mode):
        return handle
    os.close(handle)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    raise OSError(errno.EINVAL, "neither a file nor a folder", path)


def read_inside(path: Path, limit: int = LARGEST_INSIDE) -> bytes:
    """The content of a file of a folder that may come from elsewhere.

    Raises OSError unless it is a regular file of no more bytes than the limit.
    """
    with open(path, "rb", opener=open_regular) as stream:
        content = stream.read(limit + 1)
    if len(content) > limit:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
    return content


def read_named(path: Path, limit: int, what: str) -> bytes:
    """The content of a file that the user named, which may be a pipe or a device and never end.

    Raises UsageError, which names what it should have been, if it cannot be read or has more bytes than the limit.
    """
    try:
        with path.open("rb") as stream:
            content = stream.read(limit + 1)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror or error})") from error
    if len(content) > limit:
        raise UsageError(f"{path}: too large for {what}")
    return content


def read_named_text(path: Path, limit: int, what: str) -> str:
    """The same of a file of UTF-8 text."""
    try:
        return read_named(path, limit, what).decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not {what}: not UTF-8 text ({error.reason} at byte {error.start})") from error


def real_path(path: Path) -> Path:
    """The path without links; one whose links lead in a circle stays as it is."""
    # `Path.resolve` raises RuntimeError for such a circle.
    return Path(os.path.realpath(path))


def require_inside(folder: Path, *names: str) -> None:
    """Raises UsageError if one of these entries of a folder is a symbolic link that leads out of the folder.

    The folder itself may be a link: its user named it.
    """
    for name in names:
        path = folder / name
        if leads_out(folder, path):
            raise UsageError(f"{path}: a link that leads out of {folder}; remove it, or put what it leads to there")


def leads_out(folder: Path, path: Path) -> bool:
    """Whether a path below a folder is a symbolic link that leads out of the folder, or nowhere."""
    if not path.is_symlink():
        return False
    try:
        return not path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError):  # Links in a cycle.
        return True


def require_writable(path: Path) -> None:
    """Raises as `write_whole` if a file cannot be written there; an existing file is left unchanged."""
    target = _target(path)
    try:
        if target.exists() and not target.is_file():
            return
        # Permission bits do not reveal a full or read-only disk, so a file is created.
        with _part(target):
            pass
    except OSError as error:
        raise refusal(path, error) from error


def require_writable_inside(folder: Path) -> None:
    """Raises as `write_inside` if no file can be written into the folder."""
    try:
        with _part(folder / "file"):
            pass
    except OSError as error:
        raise refusal(folder, error) from error


def _target(path: Path) -> Path:
    """The file behind all symbolic links."""
    try:
        target = path.resolve()
        if not path.name or target.is_dir():
            raise UsageError(f"{path}: cannot be written (it is a folder)")
    except (OSError, RuntimeError, ValueError) as error:  # Links in a cycle; a name with a zero byte.
        raise UsageError(f"{path}: cannot be written ({error})") from error
    return target


def _replace(target: Path, content: bytes) -> None:
    """Puts a new file in the place of the target."""
    with _part(target) as (part, handle):
        with open(handle, "wb", closefd=False) as stream:
            stream.write(content)
        part.replace(target)


@contextmanager
def _part(target: Path) -> Iterator[tuple[Path, int]]:
    """A new file beside the target, open and locked, removed at the end of the block unless it was renamed.

    The kernel releases the lock when its holder ends. A file that is not locked belongs to a process that was killed,
    and is removed by the next one that writes into the folder.
    """
    for left in target.parent.glob(".fewtaps-*.part"):
        _remove_if_left(left)
    part, handle = target, -1
    try:
        # A signal may end us at any moment, also between making the file and locking it.
        while True:
            # Independent of the file's name, which may have the greatest length that the file system allows.
            part = target.with_name(f".fewtaps-{secrets.token_hex(6)}.part")
            handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
            with suppress(OSError):
                fcntl.flock(handle, fcntl.LOCK_EX)
            # Another process may have taken it for one that was left, before it was locked.
            if os.fstat(handle).st_nlink:
                break
            os.close(handle)
            handle = -1
        yield part, handle
    finally:
        if part != target:
            with suppress(OSError):
                part.unlink()
        if handle >= 0:
            os.close(handle)


def _remove_if_left(part: Path) -> None:
    """Removes the file unless its writer is still at work."""
    try:
        handle = os.open(part, os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        part.unlink(missing_ok=True)
    except OSError:
        pass
    finally:
        os.close(handle)


def refusal(path: Path, error: OSError, more: str = "") -> FewtapsError:
    """The error to raise for an OSError while writing `path`; `more` is appended to its message."""
    if lack := lack_of_room(error):
        return StoreError.of_no_room(f"{path}: {lack}{more}")
    return UsageError(f"{path}: cannot be written ({error.strerror or error}){more}")


def lack_of_room(error: OSError) -> str:
    """What is used up, if an error says that there is no room to write: another path may not help. Empty if not."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return FULL
    return LIMITED if error.errno == errno.EFBIG else ""
