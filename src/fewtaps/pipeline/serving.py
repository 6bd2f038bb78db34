"""Serves the report of a growing project: it is built again, in a temporary folder, whenever the store has changed."""

from __future__ import annotations

import logging
import secrets
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fewtaps.errors import FewtapsError, UsageError
from fewtaps.pipeline.reporting import REPORT, write_report
from fewtaps.report.server import ReportServer
from fewtaps.store.database import FILE
from fewtaps.store.lock import is_held
from fewtaps.temporary import temporary_folder

PAUSE_SECONDS = 3.0
"""Shortest time between two builds."""

log = logging.getLogger(__name__)


class LiveReport:
    """A report that is built again at a request of its version, if the store has changed.

    Each build is a folder of its own in `place`, so that a page never mixes files of two builds.
    """

    def __init__(self, folder: Path, place: Path) -> None:
        self._folder = folder
        self._place = place
        self._shown: Path | None = None
        self._lock = threading.Lock()
        self._built: tuple[object, ...] | None = None
        self._built_at = 0.0
        self._version = 0
        self._is_closed = False
        self.refresh()

    def refresh(self) -> None:
        """Builds the report, if the store has changed and the last build is at least `PAUSE_SECONDS` ago."""
        with self._lock:
            if self._is_closed:
                return
            if self._built is not None and time.monotonic() - self._built_at < PAUSE_SECONDS:
                return
            seen = _store_version(self._folder)
            if seen == self._built:
                return
            target = self._place / f"{REPORT}-{self._version + 1}"
            write_report(self._folder, target, live=True, earlier=self._shown or self._folder / REPORT)
            self._built, self._built_at = seen, time.monotonic()
            self._version += 1
            # The previous build stays, because a browser may still be loading it.
            shutil.rmtree(self._place / f"{REPORT}-{self._version - 2}", ignore_errors=True)
            self._shown = target

    def close(self) -> None:
        """Waits for the current build and allows no other."""
        with self._lock:
            self._is_closed = True

    def folder(self) -> Path:
        """The folder of the newest build."""
        return self._shown or self._place

    def version(self) -> str:
        """A text that changes with the report. An error while building is logged, and the next call tries again."""
        try:
            self.refresh()
        except FewtapsError as error:
            log.warning("the report stays as it is: %s", error)
        return str(self._version)


@contextmanager
def open_server(folder: Path, port: int = 0) -> Iterator[ReportServer]:
    """A server for the project's report, ready to `serve_forever`; its temporary files are removed at the end.

    Raises as `write_report`, and UsageError for a port that is taken.
    """
    with temporary_folder() as place:
        live = LiveReport(folder, place)
        try:
            server = ReportServer(secrets.token_urlsafe(24), live.folder, live.version, port)
        except (OSError, OverflowError) as error:
            raise UsageError(f"--port {port}: cannot be used ({getattr(error, 'strerror', None) or error})") from error
        try:
            with server:
                yield server
        finally:
            live.close()


def _store_version(folder: Path) -> tuple[object, ...]:
    """A value that changes with the store: size and time of its files, and whether a run is working on it."""
    found: list[object] = [is_held(folder)]
    for name in (FILE, f"{FILE}-wal"):
        try:
            state = (folder / name).stat()
        except OSError:
            found.append(None)
        else:
            found.append((state.st_size, state.st_mtime_ns))
    return tuple(found)
