"""The farm that a command uses: a hub and a worker with two simulated devices, each a process of `fewtaps farm`."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from faults.children import below

MEMBERS = ("device", "worker", "hub")
START_SECONDS = 120.0
END_SECONDS = 30.0


class Farm:
    """A farm on this machine. What was killed of it is started again by `complete`."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
        self._log = folder / "farm.log"
        self._parts: dict[str, subprocess.Popen[bytes]] = {}

    def complete(self) -> None:
        """Starts what does not run, and waits until it can be used."""
        if not self._runs("hub"):
            # A worker without its hub looks for it for a while, and ends.
            self._end("worker")
            self._start("hub", "hub", "--listen", self.address)
            host, port = self.address.rpartition("/")[2].split(":")
            deadline = time.monotonic() + START_SECONDS
            while not _listens(host, int(port)) and time.monotonic() < deadline:
                time.sleep(0.05)
        if not self._runs("worker"):
            self._start("worker", "worker", self.address, "--device", "simulated", "--count", "2")

    def processes(self) -> list[int]:
        """All processes of the farm."""
        parts = [part.pid for part in self._parts.values() if part.poll() is None]
        return [*parts, *(each for part in parts for each in below(part))]

    def kill(self, member: str) -> None:
        """Kills one of its parts."""
        part = self._parts["hub" if member == "hub" else "worker"]
        if member == "device":
            devices = below(part.pid)
            if devices:
                os.kill(devices[-1], signal.SIGKILL)
        else:
            part.kill()
            part.wait()

    def close(self) -> list[str]:
        """Asks all to end; which of them did not."""
        return [what for name in ("worker", "hub") if (what := self._end(name))]

    def _runs(self, name: str) -> bool:
        return name in self._parts and self._parts[name].poll() is None

    def _start(self, name: str, *words: str) -> None:
        with self._log.open("ab") as log:
            self._parts[name] = subprocess.Popen(
                [sys.executable, "-m", "fewtaps", "farm", *words], stdout=log, stderr=log, stdin=subprocess.DEVNULL
            )

    def _end(self, name: str) -> str:
        part = self._parts.pop(name, None)
        if part is None or part.poll() is not None:
            return ""
        part.terminate()
        try:
            part.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            part.kill()
            part.wait()
            return f"SIGTERM did not end the {name} of the farm"
        return ""


def _listens(host: str, port: int) -> bool:
    with socket.socket() as line:
        return line.connect_ex((host, port)) == 0
