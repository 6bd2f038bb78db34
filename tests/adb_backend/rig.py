"""Served apps behind a real adb server, for tests of the backend that drives phones."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from adbd.rig import ADB, free_port, phone_of

from fewtaps.adbd.phone import RunEnded, ServedPhone
from fewtaps.adbd.server import AdbConnection, DeviceServer
from fewtaps.device.adb.device import AdbDevice, AdbSession
from fewtaps.device.adb.wire import AdbServer
from fewtaps.device.session import Session, SessionSettings
from fewtaps.device.simulated.device import SimulatedDevice


@dataclass(eq=False)
class PhoneRig:
    """A served device, its runs, and the adb server that knows it."""

    phone: ServedPhone
    runs: list[RunEnded]
    server: AdbServer
    serial: str
    serving: DeviceServer
    environment: dict[str, str]
    program: str = ""

    def adb(self, *words: str) -> str:
        """Runs adb on the device."""
        command = [self.program, "-P", str(self.server.port), "-s", self.serial, *words]
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=60).stdout


@contextmanager
def served(
    session: Session, folder: Path, *, factor: float | None = None, api: int = 33, program: str | None = ADB
) -> Iterator[PhoneRig]:
    """Serves a session on a thread, with an adb server of its own that is connected to it."""
    assert program is not None
    runs: list[RunEnded] = []
    phone = phone_of(session, runs, factor=factor, api=api)
    serving = DeviceServer()
    port = serving.listen(0, lambda: AdbConnection(phone))
    serving.watch(phone)
    adb_port = free_port()
    # The keys and the log of adb stay in the test's folder, and its server never looks for devices by itself.
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("ANDROID_")},
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "ADB_MDNS": "0",
        "ADB_LOCAL_TRANSPORT_MAX_PORT": "5553",
    }
    is_over = threading.Event()

    def serve() -> None:
        while not is_over.is_set():
            serving.turn(0.02)

    thread = threading.Thread(target=serve, name="served device")
    thread.start()
    rig = PhoneRig(phone, runs, AdbServer(adb_port), f"127.0.0.1:{port}", serving, environment, program)
    # In the foreground: a program that is started by a loader of its own cannot start itself in the background.
    adb_server = subprocess.Popen(
        [program, "-P", str(adb_port), "nodaemon", "server"],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + 20
        while not rig.server.is_running:
            assert time.monotonic() < deadline, "the adb server does not answer"
            time.sleep(0.02)
        told = rig.server.ask(f"host:connect:{rig.serial}")
        assert "connected to" in told, told
        rig.adb("wait-for-device")
        yield rig
    finally:
        # A test may have had it started again.
        subprocess.run([program, "-P", str(adb_port), "kill-server"], env=environment, check=False, capture_output=True)
        adb_server.terminate()
        adb_server.wait(20)
        is_over.set()
        thread.join(30)
        phone.stop()
        serving.close()


@contextmanager
def served_simulation(folder: Path, package: str = "com.example.notes") -> Iterator[PhoneRig]:
    """The same for an app of the simulated device, which needs no Java."""
    device = SimulatedDevice()
    app = next(each for each in device.apps if each.package == package)
    with device.open(app, SessionSettings()) as session, served(session, folder) as rig:
        yield rig


@contextmanager
def opened(rig: PhoneRig) -> Iterator[AdbSession]:
    """A session of the backend on the served device."""
    device = AdbDevice(rig.serial, rig.server)
    try:
        with device.open(rig.phone.app) as session:
            yield session
    finally:
        device.close()
