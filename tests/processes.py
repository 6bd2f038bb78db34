"""Child processes of tests."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager


@contextmanager
def started(
    command: Sequence[str], *, env: Mapping[str, str] | None = None, stdin: int | None = None
) -> Iterator[subprocess.Popen[str]]:
    """A process with its output in pipes; it is killed if it still runs at the end of the context.

    It reacts to SIGINT even where the test run was started with SIGINT ignored, as `nohup` and background jobs of
    scripts are: an ignored signal is inherited, one with a handler is reset.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        process = subprocess.Popen(
            command, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env
        )
    finally:
        signal.signal(signal.SIGINT, before)
    with process:
        try:
            yield process
        finally:
            process.kill()
