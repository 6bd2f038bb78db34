"""A signal that ends the waits of a thread, as Ctrl-C ends those of the main thread.

Python raises KeyboardInterrupt in the main thread alone. Work in another thread that can be called off is surrounded by
`stopped_by`; what may wait long asks `check_stop` again and again meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar


def _never() -> bool:
    return False


_signal: ContextVar[Callable[[], bool]] = ContextVar("stop signal", default=_never)


@contextmanager
def stopped_by(signal: Callable[[], bool]) -> Iterator[None]:
    """Within the block, in this thread, waits end when the signal says so."""
    before = _signal.set(signal)
    try:
        yield
    finally:
        _signal.reset(before)


def check_stop() -> None:
    """Raises KeyboardInterrupt if the work of this thread was called off."""
    if _signal.get()():
        raise KeyboardInterrupt
