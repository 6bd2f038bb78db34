"""Opens a session in a thread of its own, so that what needs no app can be done meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from threading import Event

from fewtaps.device.session import Session
from fewtaps.pipeline.opening import OnDownload, Plan, open_session
from fewtaps.stopping import stopped_by


class SessionAhead:
    """A session that is being opened. `on_failure` is called, in that thread, if it cannot be opened.

    Not for use by several threads; `close` has to be called.
    """

    def __init__(self, plan: Plan, progress: OnDownload | None, on_failure: Callable[[], None]) -> None:
        self._plan = plan
        self._progress = progress
        self._stack = ExitStack()
        self._is_called_off = Event()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="opening")
        self._opening = self._thread.submit(self._open)
        self._opening.add_done_callback(lambda opening: on_failure() if self._has_failed else None)

    @property
    def is_done(self) -> bool:
        """Whether nothing is to be waited for any more."""
        return self._opening.done()

    def session(self) -> Session:
        """The session, awaited. Raises what opening it raised."""
        return self._opening.result()

    def raise_failure(self) -> None:
        """Raises why the session could not be opened, if that is known by now; nothing if it was called off."""
        if self._has_failed:
            self._opening.result()

    @property
    def _has_failed(self) -> bool:
        has_ended = self._opening.done() and not self._is_called_off.is_set()
        return has_ended and self._opening.exception() is not None

    def close(self) -> None:
        """Closes the session; one that is still being opened is called off."""
        self._is_called_off.set()
        self._thread.shutdown()
        self._stack.close()

    def _open(self) -> Session:
        with stopped_by(self._is_called_off.is_set):
            return self._stack.enter_context(open_session(self._plan, self._progress))
