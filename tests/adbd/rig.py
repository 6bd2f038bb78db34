"""Served devices in this process, and real adb clients that talk to them."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from fewtaps.adbd.channel import Channel, Service
from fewtaps.adbd.phone import Pace, PhoneSettings, RunEnded, ServedPhone
from fewtaps.adbd.server import AdbConnection, DeviceServer
from fewtaps.adbd.services import open_service
from fewtaps.adbd.shell_services import MAX_FRAME
from fewtaps.device.session import Session, SessionSettings
from fewtaps.device.simulated.device import SimulatedDevice
from fewtaps.explore.monkey import Monkey
from fewtaps.pipeline.device_serving import read_package

ADB = shutil.which("adb")
ADB34 = os.environ.get("ADB34")
"""A program that starts adb 34, for the tests that are run with both."""
PORTS = range(5655, 5985, 2)
"""Where tests serve devices: adb looks at none of these ports by itself."""


@dataclass(eq=False)
class Clock:
    """A clock that a test sets."""

    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


@contextmanager
def simulated_phone(
    name: str = "com.example.bill", *, factor: float | None = None, world: int = 0, clock: Clock | None = None
) -> Iterator[tuple[ServedPhone, list[RunEnded]]]:
    """A device that serves a simulated app, and the list of its runs."""
    device = SimulatedDevice()
    app = next(each for each in device.apps if each.package == name)
    with device.open(app, SessionSettings()) as session:
        runs: list[RunEnded] = []
        yield phone_of(session, runs, factor=factor, world=world, clock=clock), runs


def phone_of(
    session: Session,
    runs: list[RunEnded],
    *,
    factor: float | None = None,
    world: int = 0,
    clock: Clock | None = None,
    api: int = 33,
) -> ServedPhone:
    settings = PhoneSettings("test-serial", world=world, api=api, pace=Pace(factor))
    return ServedPhone(
        session.app,
        session.settings,
        lambda: session,
        settings,
        Monkey().event,
        runs.append,
        clock or time.monotonic,
        started_ms=1_700_000_000_000,
        read_package=read_package,
    )


@dataclass(frozen=True)
class Answer:
    """What a client's call ended with."""

    status: int
    out: bytes
    err: bytes = b""

    @property
    def text(self) -> str:
        return self.out.decode()


def finish(service: Service, channel: Channel, phone: ServedPhone, turns: int = 20_000) -> bytes:
    """Drives a service to its end; the bytes it wrote."""
    written = bytearray()
    for _ in range(turns):
        try:
            pause = next(service)
        except StopIteration:
            return bytes(written + channel.outgoing)
        written += channel.outgoing
        channel.outgoing.clear()
        if not channel.is_met(pause, phone.clock()):
            if isinstance(phone.clock, Clock) and pause.until is not None:
                phone.clock.now = max(phone.clock.now, pause.until)
            else:
                assert pause.until is not None, f"waits for ever: {pause}"
                time.sleep(0.001)
    raise AssertionError("the service does not end")


def shell(phone: ServedPhone, line: str, stdin: bytes = b"") -> Answer:
    """Runs a line in a shell of the newer protocol, without any connection."""
    channel = Channel()
    channel.incoming += b"\0" + len(stdin).to_bytes(4, "little") + stdin + b"\x04\0\0\0\0"
    service = open_service(f"shell,v2,raw:{line}", channel, phone)
    assert service is not None
    return frames(finish(service, channel, phone))


def frames(data: bytes) -> Answer:
    """The streams in packets of the shell protocol."""
    streams = {1: b"", 2: b"", 3: b""}
    while data:
        kind, length = data[0], int.from_bytes(data[1:5], "little")
        assert length <= MAX_FRAME
        streams[kind] += data[5 : 5 + length]
        data = data[5 + length :]
    return Answer(streams[3][0], streams[1], streams[2])


@dataclass(eq=False)
class Rig:
    """A server in this process, which is served while a client of its own process runs."""

    server: DeviceServer
    phone: ServedPhone
    port: int
    folder: Path
    runs: list[RunEnded]
    adb_port: int = 0
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def serial(self) -> str:
        return f"127.0.0.1:{self.port}"

    def serve_while(self, process: subprocess.Popen[bytes], seconds: float = 60) -> None:
        """Serves until a process ends."""
        deadline = time.monotonic() + seconds
        while process.poll() is None:
            assert time.monotonic() < deadline, "the client does not end"
            self.server.turn(0.01)

    def run(self, command: Sequence[str], stdin: bytes = b"", seconds: float = 60) -> Answer:
        """Runs a client and serves it."""
        with (
            tempfile.TemporaryFile(dir=self.folder) as out,
            tempfile.TemporaryFile(dir=self.folder) as err,
            tempfile.TemporaryFile(dir=self.folder) as given,
        ):
            given.write(stdin)
            given.seek(0)
            with subprocess.Popen(command, stdin=given, stdout=out, stderr=err, env=self.environment) as process:
                try:
                    self.serve_while(process, seconds)
                finally:
                    process.kill()
            out.seek(0)
            err.seek(0)
            return Answer(process.returncode, out.read(), err.read())

    def adb(self, *words: str, stdin: bytes = b"", seconds: float = 60) -> Answer:
        """Runs adb on this device."""
        assert ADB is not None
        return self.run([ADB, "-P", str(self.adb_port), "-s", self.serial, *words], stdin, seconds)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def open_rig(folder: Path, package: str = "com.example.bill", *, with_adb: bool = True) -> Iterator[Rig]:
    """A served simulated app; with an adb server of its own that is connected to it."""
    with simulated_phone(package) as (phone, runs):
        server = DeviceServer()
        try:
            port = server.listen(0, lambda: AdbConnection(phone))
            server.watch(phone)
            rig = Rig(server, phone, port, folder, runs)
            # The keys and the log of adb stay in the test's folder, and its server never looks for devices by itself.
            rig.environment = {
                **{name: value for name, value in os.environ.items() if not name.startswith("ANDROID_")},
                "HOME": str(folder),
                "TMPDIR": str(folder),
                "ADB_MDNS": "0",
                "ADB_LOCAL_TRANSPORT_MAX_PORT": "5553",
            }
            if not with_adb:
                yield rig
                return
            assert ADB is not None
            rig.adb_port = free_port()
            rig.environment["ANDROID_ADB_SERVER_PORT"] = str(rig.adb_port)
            try:
                connected = rig.run([ADB, "-P", str(rig.adb_port), "connect", rig.serial])
                assert b"connected to" in connected.out, connected
                rig.adb("wait-for-device")
                yield rig
            finally:
                subprocess.run([ADB, "-P", str(rig.adb_port), "kill-server"], env=rig.environment, check=False)
        finally:
            phone.stop()
            server.close()
