"""A log file of bounded size that only its user can read."""

from __future__ import annotations

import fcntl
import io
import logging
import os
from logging.handlers import RotatingFileHandler
from pathlib import Path

FILE_BYTES = 1_000_000
"""A log file of about this size is renamed and a new one begun."""
OLD_FILES = 2
"""So many renamed files are kept."""


class PrivateFile(RotatingFileHandler):
    """A log file of bounded size that only the user can read, and that only one process writes to.

    Raises OSError when it is made and cannot be opened, or another process has it. Later failures set `is_broken`.
    """

    def __init__(self, path: Path) -> None:
        self.is_broken = False
        super().__init__(path, maxBytes=FILE_BYTES, backupCount=OLD_FILES, encoding="utf-8", errors="backslashreplace")

    def _open(self) -> io.TextIOWrapper:
        handle = open_private(self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(handle)
            raise
        return os.fdopen(handle, "a", encoding=self.encoding, errors=self.errors)

    def handleError(self, record: logging.LogRecord) -> None:
        """Called for a record that could not be written, because the disk is full for instance."""
        self.is_broken = True


def open_private(path: str, flags: int) -> int:
    """Opens a file that only its owner may read. Refuses a link, and a pipe without a reader."""
    return os.open(path, flags | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
