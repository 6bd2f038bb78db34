"""The folders that the tools may read and write: all paths of a client go through here."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from fewtaps.device.registry import owner_of
from fewtaps.errors import UsageError
from fewtaps.files import real_path, require_inside
from fewtaps.model.event import printable

LONGEST_PATH = 1000
"""Characters of a path at most."""


class AllowedFolders:
    """The folders that were named when the server was started; the first is the one for new projects.

    A path is resolved before it is compared, so that neither `..` nor a symbolic link leads out. Relative paths are
    relative to the first folder.
    """

    def __init__(self, folders: Sequence[Path]) -> None:
        """Raises UsageError for a folder that does not exist."""
        for folder in folders:
            if not folder.is_dir():
                raise UsageError(f"--allow {printable(str(folder), 300)}: no such folder")
        if not folders:
            raise UsageError("--allow: at least one folder")
        self.folders = tuple(real_path(folder) for folder in folders)

    @property
    def first(self) -> Path:
        """The folder for new projects."""
        return self.folders[0]

    def path(self, text: str) -> Path:
        """The resolved path, whether or not there is such a file. Raises UsageError if it is outside."""
        if not text or "\0" in text or len(text) > LONGEST_PATH:
            raise UsageError("a path is 1 to 1000 characters without a null character")
        try:
            path = real_path(self.first / text)
        except (OSError, RuntimeError) as error:
            raise UsageError(f"{printable(text, 300)}: cannot be resolved") from error
        if not any(path == folder or folder in path.parents for folder in self.folders):
            raise UsageError(f"{printable(text, 300)}: outside of the folders that `fewtaps mcp --allow` names")
        return path

    def existing(self, text: str) -> Path:
        """The resolved path of a file or folder that is there. Raises UsageError."""
        path = self.path(text)
        if not path.exists():
            raise UsageError(f"{printable(text, 300)}: no such file or folder")
        return path

    def whole(self, text: str) -> Path:
        """As `existing`; raises UsageError also if a link anywhere in the folder leads out of it."""
        path = self.existing(text)
        for place, folders, files in os.walk(path):
            require_inside(path, *(os.path.relpath(os.path.join(place, each), path) for each in (*folders, *files)))
        return path

    def new_file(self, text: str, *, overwrite: bool) -> Path:
        """The resolved path of a file to write. Raises UsageError if it is there and must not be overwritten."""
        path = self.path(text)
        if path.is_dir():
            raise UsageError(f"{printable(text, 300)}: a folder; name a file")
        if path.exists() and not overwrite:
            raise UsageError(f"{printable(text, 300)}: exists; name another file, or set overwrite")
        if not path.parent.is_dir():
            raise UsageError(f"{printable(text, 300)}: there is no folder {printable(str(path.parent), 300)}")
        return path

    def app(self, text: str) -> str:
        """The name of an app: resolved paths of APK files, or the name of an app that a backend brings along."""
        if owner_of(text) is not None:
            return text
        return os.pathsep.join(str(self._piece(piece)) for piece in text.split(os.pathsep))

    def _piece(self, text: str) -> Path:
        path = self.existing(text)
        if path.is_dir():
            require_inside(path, *(each.name for each in path.glob("*.apk")))
        return path
