"""Pictures beside the database: a PNG file for each different picture, named by the SHA-256 of its content."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from fewtaps.errors import NotFound, StoreError
from fewtaps.store.connection import translated_os
from fewtaps.store.content import Recent

FOLDER = "pictures"
_NAME = re.compile(r"[0-9a-f]{64}")


class Pictures:
    """The folder of pictures of a project."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / FOLDER
        self._known: Recent[str, bool] = Recent(4096)

    def path(self, name: str) -> Path:
        """Where the picture of this name lies. Raises ValueError for what is no name of a picture."""
        return self.folder / f"{checked_name(name)}.png"

    def save(self, picture: bytes) -> str:
        """Keeps a picture, whole or not at all, and gives its name; one that is there already costs nothing."""
        name = hashlib.sha256(picture).hexdigest()
        if self._known.get(name):
            return name
        path = self.path(name)
        part = path.with_name(f".{name}.part")
        try:
            if not _has(path, len(picture)):
                self.folder.mkdir(exist_ok=True)
                part.write_bytes(picture)
                part.replace(path)
        except OSError as error:
            with suppress(OSError):
                part.unlink()
            raise translated_os(path, error) from error
        self._known.put(name, True)
        return name

    def load(self, name: str) -> bytes:
        """The picture of this name. Raises `NotFound` if its file is gone, `StoreError` if it was changed."""
        path = self.path(name)
        try:
            picture = path.read_bytes()
        except FileNotFoundError as error:
            raise NotFound(f"{path}: the picture is missing") from error
        except OSError as error:
            raise translated_os(path, error) from error
        if hashlib.sha256(picture).hexdigest() != name:
            raise StoreError(f"{path}: the picture is damaged")
        return picture

    def sweep(self) -> None:
        """Removes what a killed writer left half-written; only for the one writer."""
        for path in _left_over(self.folder):
            with suppress(OSError):
                path.unlink()


def checked_name(name: object) -> str:
    """The name of a picture, if it is one; otherwise raises ValueError."""
    # Names come out of the database, which may come from anybody, and lead to files.
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError(f"not the name of a picture: {name!r:.80}")
    return name


def _has(path: Path, size: int) -> bool:
    """Whether the file is there with its size: a machine that lost power may have kept its name only."""
    try:
        return os.stat(path).st_size == size
    except FileNotFoundError:
        return False


def _left_over(folder: Path) -> Iterable[Path]:
    return folder.glob(".*.part") if folder.is_dir() else ()
