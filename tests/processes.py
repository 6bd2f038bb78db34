"""Child processes of tests."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType


def _handler(number: int, frame: FrameType | None) -> None:
    """Ends the test run, as it would without a handler."""
    raise KeyboardInterrupt


@contextmanager
def started(
    command: Sequence[str], *, env: Mapping[str, str] | None = None, stdin: int | None = None
) -> Iterator[subprocess.Popen[str]]:
    """A process with its output in pipes; it is killed if it still runs at the end of the context.

    It reacts to SIGINT and SIGHUP even where the test run was started with them ignored, as by `nohup` and as a
    background job of a script: an ignored signal is inherited, one with a handler is reset.
    """
    before = {number: signal.signal(number, _handler) for number in (signal.SIGINT, signal.SIGHUP)}
    try:
        process = subprocess.Popen(
            command, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env
        )
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    with process:
        try:
            yield process
        finally:
            process.kill()
