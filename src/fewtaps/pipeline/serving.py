"""Shows the report of a project while it grows: built again, outside the project, whenever the store has changed."""

from __future__ import annotations

import logging
import secrets
import shutil
import tempfile
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

PAUSE_SECONDS = 3.0
"""So much time passes between two builds, at least."""

log = logging.getLogger(__name__)


class LiveReport:
    """A report that is built again when somebody asks for it and the store has changed.

    Each is a folder of its own in `place`, so that whoever reads one is never between two.
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
        """Builds the report, if there is something new and the last time is long enough ago."""
        with self._lock:
            if self._is_closed:
                return
            if self._built is not None and time.monotonic() - self._built_at < PAUSE_SECONDS:
                return
            seen = _look(self._folder)
            if seen == self._built:
                return
            target = self._place / f"{REPORT}-{self._version + 1}"
            write_report(self._folder, target, live=True, earlier=self._shown or self._folder / REPORT)
            self._built, self._built_at = seen, time.monotonic()
            self._version += 1
            # The one before stays: somebody may be in the middle of it.
            shutil.rmtree(self._place / f"{REPORT}-{self._version - 2}", ignore_errors=True)
            self._shown = target

    def close(self) -> None:
        """Waits for a build that is under way; there will be no other."""
        with self._lock:
            self._is_closed = True

    def folder(self) -> Path:
        """Where the newest report is."""
        return self._shown or self._place

    def version(self) -> str:
        """A text that changes with the report. What cannot be read now may be readable again the next time."""
        try:
            self.refresh()
        except FewtapsError as error:
            log.warning("the report stays as it is: %s", error)
        return str(self._version)


@contextmanager
def open_server(folder: Path, port: int = 0) -> Iterator[ReportServer]:
    """A server for the project's report, ready to `serve_forever`; everything it made is gone with the `with` block.

    Raises what `write_report` raises, and UsageError for a port that is taken.
    """
    with tempfile.TemporaryDirectory(prefix="fewtaps-serve-") as place:
        live = LiveReport(folder, Path(place))
        try:
            server = ReportServer(secrets.token_urlsafe(24), live.folder, live.version, port)
        except (OSError, OverflowError) as error:
            raise UsageError(f"--port {port}: cannot be used ({getattr(error, 'strerror', None) or error})") from error
        try:
            with server:
                yield server
        finally:
            live.close()


def _look(folder: Path) -> tuple[object, ...]:
    """What tells whether there is news: size and time of the store's files, and whether somebody is at work."""
    found: list[object] = [is_held(folder)]
    for name in (FILE, f"{FILE}-wal"):
        try:
            state = (folder / name).stat()
        except OSError:
            found.append(None)
        else:
            found.append((state.st_size, state.st_mtime_ns))
    return tuple(found)
