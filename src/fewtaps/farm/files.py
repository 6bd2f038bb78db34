"""APK files on the machines of a farm: each by its digest, in a folder with a limit."""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from fewtaps.cache import cache_dir
from fewtaps.errors import DeviceUnavailable

PIECE_BYTES = 4 * 2**20
"""Bytes of an APK in one message."""
CACHE_BYTES = 8 * 2**30
"""Bytes of APK files that a machine keeps; those not used for the longest time are removed first."""


def is_digest(text: str) -> bool:
    """Whether a text is the digest of a file: 64 hexadecimal digits, so that it can be a file's name."""
    return len(text) == 64 and all(letter in "0123456789abcdef" for letter in text)


def apk_folder(part: str) -> Path:
    """The folder of the hub's copies, or of the worker's. Raises DeviceUnavailable if it cannot be made."""
    folder = cache_dir() / "farm" / part
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DeviceUnavailable(f"{folder}: cannot be made ({error.strerror or error})") from error
    return folder


def keep_file(folder: Path, digest: str, pieces: Callable[[int], bytes]) -> Path:
    """The copy of a file, fetched if it is not there; `pieces` gives its bytes from an offset on, empty at the end.

    One process of the machine fetches, the others wait for it. Raises DeviceUnavailable if what came is not the file,
    or if the disk is full.
    """
    if not is_digest(digest):
        raise DeviceUnavailable("the farm named a file by something that is no digest")
    path = folder / f"{digest}.apk"
    with _locked(folder / f"{digest}.lock"):
        if path.exists():
            os.utime(path)
            return path
        part = path.with_suffix(".part")
        try:
            _write(part, pieces)
            with part.open("rb") as stream:
                if hashlib.file_digest(stream, "sha256").hexdigest() != digest:
                    raise DeviceUnavailable("the APK changed while it was sent; begin the run again")
            part.rename(path)
        except OSError as error:
            raise DeviceUnavailable(f"{folder}: the APK cannot be kept ({error.strerror or error})") from error
        finally:
            part.unlink(missing_ok=True)
    make_room(folder, path)
    return path


def make_room(folder: Path, kept: Path, limit: int = CACHE_BYTES) -> None:
    """Removes the copies that were not used for the longest time until the rest is within the limit."""
    files = sorted(folder.glob("*.apk"), key=lambda path: path.stat().st_mtime, reverse=True)
    total = 0
    for path in [kept, *(path for path in files if path != kept)]:
        total += path.stat().st_size
        if total > limit and path != kept:
            path.unlink(missing_ok=True)


def read_piece(path: Path, offset: int) -> bytes:
    """A piece of a file, empty at its end."""
    with path.open("rb") as stream:
        stream.seek(offset)
        return stream.read(PIECE_BYTES)


def _write(part: Path, pieces: Callable[[int], bytes]) -> None:
    with part.open("wb") as stream:
        while piece := pieces(stream.tell()):
            stream.write(piece)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    try:
        handle = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise DeviceUnavailable(f"{path}: cannot be made ({error.strerror or error})") from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
