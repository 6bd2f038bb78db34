"""PNG files in a folder beside the database: equal pictures are one file, named by the SHA-256 of its content."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from fewtaps.errors import NotFound, StoreError
from fewtaps.files import read_inside
from fewtaps.store.connection import translated_os
from fewtaps.store.content import LruCache

FOLDER = "pictures"
_NAME = re.compile(r"[0-9a-f]{64}")


class Pictures:
    """The folder of pictures of a project."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / FOLDER
        self._known: LruCache[str, bool] = LruCache(4096)

    def path(self, name: str) -> Path:
        """The path of the picture of this name. Raises ValueError if it is no name of a picture."""
        return self.folder / f"{checked_name(name)}.png"

    def save(self, picture: bytes) -> str:
        """Writes a picture, unless it exists, and gives its name. A failure leaves no incomplete file of that name."""
        name = hashlib.sha256(picture).hexdigest()
        if self._known.get(name):
            return name
        path = self.path(name)
        part = path.with_name(f".{name}.part")
        try:
            if not _has(path, len(picture)):
                self.folder.mkdir(exist_ok=True)
                try:
                    part.write_bytes(picture)
                    part.replace(path)
                except BaseException:
                    # Also where a signal ends the command.
                    with suppress(OSError):
                        part.unlink()
                    raise
        except OSError as error:
            raise translated_os(path, error) from error
        self._known.put(name, True)
        return name

    def load(self, name: str) -> bytes:
        """The picture of this name. Raises `NotFound` without its file, `StoreError` if its content changed."""
        path = self.path(name)
        try:
            picture = read_inside(path)
        except FileNotFoundError as error:
            raise NotFound(f"{path}: the picture is missing") from error
        except OSError as error:
            raise translated_os(path, error) from error
        if hashlib.sha256(picture).hexdigest() != name:
            raise StoreError(f"{path}: the picture is damaged")
        return picture

    def files(self) -> list[Path]:
        """The files that are named as pictures; none if the folder is a link."""
        if self.folder.is_symlink():
            return []
        return [path for path in sorted(self.folder.glob("*.png")) if _NAME.fullmatch(path.stem)]

    def remove_partial_files(self) -> None:
        """Removes incomplete files of a killed writer. Only the holder of the lock may call it."""
        for path in _partial_files(self.folder):
            with suppress(OSError):
                path.unlink()


def checked_name(name: object) -> str:
    """The name of a picture, if it is one; otherwise raises ValueError."""
    # The database may come from an untrusted source, and the name becomes part of a path.
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError(f"not the name of a picture: {name!r:.80}")
    return name


def _has(path: Path, size: int) -> bool:
    """Whether the file exists with this size. After a power failure a file may exist without content."""
    try:
        return os.stat(path).st_size == size
    except FileNotFoundError:
        return False


def _partial_files(folder: Path) -> Iterable[Path]:
    return folder.glob(".*.part") if folder.is_dir() else ()
