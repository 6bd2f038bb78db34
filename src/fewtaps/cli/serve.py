"""`fewtaps serve`: shows the report in a browser while a run goes on."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fewtaps.cli.terminal import Terminal
from fewtaps.model.event import printable
from fewtaps.pipeline.serving import open_server


def run_serve(folder: Path, port: int, as_json: bool) -> None:
    """Serves until Ctrl-C, which is not an error here."""
    terminal = Terminal(as_json)
    terminal.busy("building the report")
    with _one_interrupt(), open_server(folder, port) as server:
        terminal.line(("Open: ", "bold"), server.address)
        terminal.line(("Only this machine can, and only with that address. ", "dim"), "Ctrl-C ends it.")
        terminal.document({"address": server.address, "folder": str(folder)})
        try:
            server.serve_forever(poll_interval=0.2)
        except KeyboardInterrupt:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            terminal.line(("Ended. The project is in ", "dim"), printable(str(folder), 200))


@contextmanager
def _one_interrupt() -> Iterator[None]:
    """Ignores further Ctrl-C after the first, so that the removal of temporary files is not interrupted."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
