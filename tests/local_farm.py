"""A farm of processes on this machine: a hub, and workers with simulated devices."""

from __future__ import annotations

import hashlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from fewtaps.farm.address import parse_address
from fewtaps.farm.hub_line import HubLine
from fewtaps.store.database import open_store
from fewtaps.tracefile import trace_to_bytes

DEADLINE_SECONDS = 90
LISTENS = "0A"
"""A socket's state in /proc/net/tcp."""


def until(is_true: Callable[[], bool], what: str, seconds: float = DEADLINE_SECONDS) -> None:
    """Waits for a condition; fails after a deadline."""
    end = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < end, f"waited {seconds:g} s for {what}"
        time.sleep(0.05)


def children(pid: int) -> list[int]:
    """The processes that a process has started, on any of its threads."""
    try:
        threads = list(Path(f"/proc/{pid}/task").iterdir())
        return [int(each) for thread in threads for each in (thread / "children").read_text("utf-8").split()]
    except (FileNotFoundError, ProcessLookupError):
        return []


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and was not waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def listening(pid: int) -> set[str]:
    """The addresses on which a process listens."""
    own = set()
    for handle in Path(f"/proc/{pid}/fd").iterdir():
        try:
            own.add(os.readlink(handle))
        except FileNotFoundError:
            continue
    found = set()
    for table, family in (("tcp", socket.AF_INET), ("tcp6", socket.AF_INET6)):
        for line in Path(f"/proc/{pid}/net/{table}").read_text("utf-8").splitlines()[1:]:
            fields = line.split()
            if fields[3] == LISTENS and f"socket:[{fields[9]}]" in own:
                words = bytes.fromhex(fields[1].partition(":")[0])
                # Words of four bytes, each in the machine's own order.
                packed = b"".join(words[at : at + 4][::-1] for at in range(0, len(words), 4))
                found.add(socket.inet_ntop(family, packed))
    return found


def digest_of(folder: Path) -> str:
    """A digest over all episodes of an exploration, with their pictures."""
    digest = hashlib.sha256()
    with open_store(folder) as store:
        run = store.runs.latest("explore")
        assert run is not None
        for episode in store.runs.iter_episodes(run.run_id):
            digest.update(trace_to_bytes(episode.trace))
            told = (episode.number, episode.replayed, episode.reached, episode.end.value, episode.detail)
            digest.update(repr(told).encode())
            digest.update(repr(store.runs.picture_names(run.run_id, episode.number)).encode())
    return digest.hexdigest()


class LocalFarm:
    """A hub and its workers, each a process of `fewtaps farm`."""

    def __init__(self, folder: Path, certs: Path | None = None) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.address = f"{'tcp' if certs is None else 'tls'}://127.0.0.1:{port}"
        self.certs = certs
        self.folder = folder
        self._log = (folder / "farm.log").open("wb")
        self._environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        self.workers: list[subprocess.Popen[bytes]] = []
        self.hub = self.start_hub()
        self._connection: HubLine | None = None

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen[bytes]:
        """Starts `fewtaps farm` with these arguments."""
        certs = () if self.certs is None else ("--certs", str(self.certs))
        return subprocess.Popen(
            [sys.executable, "-m", "fewtaps", "farm", *arguments, *certs],
            stdout=self._log,
            stderr=self._log,
            env={**self._environment, **environment},
        )

    def start_hub(self) -> subprocess.Popen[bytes]:
        """Starts the hub and waits until it listens."""
        hub = self.start("hub", "--listen", self.address)
        host, port = self.address.rpartition("/")[2].split(":")

        def listens() -> bool:
            with socket.socket() as line:
                return line.connect_ex((host, int(port))) == 0

        until(listens, "the hub")
        return hub

    def add_worker(self, count: int, device: Sequence[str] = ("--device", "simulated")) -> subprocess.Popen[bytes]:
        """Starts a worker and waits until its slots have joined."""
        # A worker that was killed may still be listed, and be gone before the new one is there.
        before = self._slot_addresses()
        worker = self.start("worker", self.address, *device, "--count", str(count))
        self.workers.append(worker)
        until(lambda: len(self._slot_addresses() - before) >= count, "the slots of a worker")
        return worker

    def _slot_addresses(self) -> set[str]:
        return {slot["address"] for slot in self.status()["slots"]}

    def status(self) -> dict[str, Any]:
        """What `farm status` would show."""
        if self._connection is None:
            self._connection = HubLine(parse_address(self.address, self.certs))
        status: dict[str, Any] = self._connection.ask("status")
        return status

    def log_lines(self) -> list[str]:
        """What the hub and the workers printed."""
        return (self.folder / "farm.log").read_text("utf-8", "replace").splitlines()

    def slot_processes(self) -> list[int]:
        """The processes of all slots."""
        return [pid for worker in self.workers for pid in children(worker.pid)]

    def kill_slot(self, number: int = 0) -> None:
        """Kills the process of a slot, which its worker starts again."""
        pids = self.slot_processes()
        if number < len(pids):
            os.kill(pids[number], signal.SIGKILL)

    def remove_workers(self) -> None:
        """Ends all workers, and waits until the hub knows it."""
        for worker in self.workers:
            worker.terminate()
        for worker in self.workers:
            worker.wait(30)
        self.workers = []
        until(lambda: not self.status()["slots"], "the hub to forget the slots")

    def close(self) -> None:
        """Ends everything."""
        if self._connection is not None:
            self._connection.close()
        processes = [*self.workers, self.hub]
        for process in processes:
            process.terminate()
        for process in processes:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._log.close()
