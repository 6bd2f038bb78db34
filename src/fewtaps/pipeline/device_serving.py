"""Shows an app to adb as one device or several, and writes a trace of each run."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from fewtaps.adbd.announcing import ADB_SERVER_PORT, announce
from fewtaps.adbd.console import ConsoleConnection
from fewtaps.adbd.host import HostConnection
from fewtaps.adbd.keys import AdbKey, read_keys
from fewtaps.adbd.phone import OtherApp, Pace, PhoneSettings, RunEnded, ServedPhone
from fewtaps.adbd.server import AdbConnection, DeviceServer
from fewtaps.apk.reader import read_apk
from fewtaps.config import DeviceSettings, ServeSettings
from fewtaps.device.registry import parse_device
from fewtaps.errors import FewtapsError, UsageError
from fewtaps.explore.monkey import Monkey
from fewtaps.files import read_named_text, refusal, write_inside
from fewtaps.model.app import App
from fewtaps.model.crash import Crash
from fewtaps.pipeline.opening import OnDownload, Plan, open_session, plan_app, require_worlds
from fewtaps.pipeline.opening_ahead import SessionAhead
from fewtaps.temporary import temporary_folder
from fewtaps.tracefile import write_trace

EMULATOR_PORTS = range(5555, 5587, 2)
"""Ports on which adb finds emulators by itself."""
OLDEST_API = 21
MOST_INSTALLED = 20
LARGEST_KEYS = 1 << 20
"""Files of apps that clients have installed, in one folder of recordings."""


@dataclass(frozen=True, slots=True)
class RunKept:
    """A run that was written to a file: its device, its number, its steps, and its crash if it had one."""

    serial: str
    number: int
    steps: int
    path: Path
    crash: Crash | None
    apk: str
    """The app's name, as commands take it."""


@dataclass(frozen=True, slots=True)
class ServedDevices:
    """Devices that clients can connect to, whose sessions may still be being opened, and the server."""

    app: App
    server: DeviceServer
    phones: tuple[ServedPhone, ...]
    ports: tuple[int, ...]
    sessions: tuple[SessionAhead, ...]
    adb_server: int | None = None

    @property
    def serials(self) -> tuple[str, ...]:
        return tuple(phone.settings.serial for phone in self.phones)

    def serve(self) -> None:
        """Serves until the server is told to stop.

        The app is launched when it is asked for, or when all sessions are open and a second has passed.
        """

        def begin() -> bool:
            if not all(session.is_done for session in self.sessions):
                return False
            for phone in self.phones:
                phone.begin()
            return True

        self.server.serve(begin)

    @property
    def notes(self) -> tuple[str, ...]:
        """What clients asked for and the device does not have."""
        return tuple(note for phone in self.phones for note in phone.notes())


@contextmanager
def open_devices(
    name: str,
    settings: ServeSettings,
    on_run: Callable[[RunKept], None],
    progress: OnDownload | None = None,
) -> Iterator[ServedDevices]:
    """Opens the app on so many devices, each with a port of its own. Raises UsageError for a port that is taken.

    Raises at the end what kept a session from being opened or a run from being written, which also stops the server.
    """
    keys = _keys(settings.auth)
    if settings.record.exists() and not settings.record.is_dir():
        raise UsageError(f"--record {settings.record}: not a folder")
    with ExitStack() as stack:
        server = DeviceServer()
        stack.callback(server.close)
        # The ports are taken first: what is wrong with them is told before a device is started.
        phones: dict[int, ServedPhone] = {}
        wanted = [settings.port + 2 * number if settings.port else 0 for number in range(settings.count)]
        ports = [server.listen(port, _connections(phones, place, keys)) for place, port in enumerate(wanted)]
        for place, port in enumerate(ports):
            # A console asks for no key.
            if port in EMULATOR_PORTS and not keys:
                server.listen(port - 1, _consoles(phones, place, server), "--port")
        adb_server = None
        if settings.adb_server is not None:
            adb_server = server.listen(
                settings.adb_server, lambda: HostConnection(tuple(phones.values()), server), "--adb-server"
            )
        plan = plan_app(name, settings.device)
        require_worlds(plan.capabilities, settings.world or (1 if settings.each_world else None))
        keepers: list[_Keeper] = []
        sessions: list[SessionAhead] = []

        def stop_serving() -> None:
            server.is_stopping = True

        api = plan.session.api or parse_device(plan.backend).backend.usual_api(plan.app)
        for place, port in enumerate(ports):
            opened = stack.enter_context(ExitStack())
            session = SessionAhead(plan, progress, stop_serving)
            opened.callback(session.close)
            sessions.append(session)
            phone_settings = PhoneSettings(
                serial=serial_of(port),
                world=settings.world,
                each_world=settings.each_world,
                api=api or max(OLDEST_API, plan.app.target_sdk),
                pace=Pace(settings.factor),
            )
            keep = _Keeper(
                serial_of(port), settings.record, place if settings.count > 1 else None, on_run, server, name
            )
            keepers.append(keep)
            others = _Others(replace(settings.device, api=api), settings.record, opened, keep)
            phones[place] = ServedPhone(
                plan.app,
                plan.session,
                session.session,
                phone_settings,
                Monkey().event,
                keep,
                load_apk=_loader(plan),
                apk_bytes=_size(plan),
                read_package=read_package,
                # Without the jail, the code of any app that a client sends would run unconfined.
                open_other=others.open if settings.device.jail else None,
            )
            server.watch(phones[place])
            stack.callback(others.close)
            stack.callback(phones[place].stop)
            # Clients can connect while the device starts and the first launch is still to come.
            phones[place].launch_soon()
        for port in ports:
            if port in EMULATOR_PORTS:
                announce(port, _adb_server_port())
        yield ServedDevices(plan.app, server, tuple(phones.values()), tuple(ports), tuple(sessions), adb_server)
        for phone in phones.values():
            phone.stop()
        for session in sessions:
            session.raise_failure()
        for keep in keepers:
            keep.raise_failure()


def read_package(content: bytes) -> App:
    """What the manifest of a package says. Raises ApkError."""
    with temporary_folder() as folder:
        path = folder / "package.apk"
        path.write_bytes(content)
        return read_apk(path)


def _adb_server_port() -> int:
    """The port of the user's adb server, as adb itself reads it."""
    port = os.environ.get("ANDROID_ADB_SERVER_PORT", "")
    return int(port) if port.isascii() and port.isdigit() and 0 < int(port[:6]) < 65536 else ADB_SERVER_PORT


def serial_of(port: int) -> str:
    """The name by which adb lists a device on this port."""
    return f"emulator-{port - 1}" if port in EMULATOR_PORTS else f"127.0.0.1:{port}"


def _connections(phones: dict[int, ServedPhone], place: int, keys: tuple[AdbKey, ...]) -> Callable[[], AdbConnection]:
    return lambda: AdbConnection(phones[place], keys)


def _consoles(phones: dict[int, ServedPhone], place: int, server: DeviceServer) -> Callable[[], ConsoleConnection]:
    return lambda: ConsoleConnection(phones[place], server)


def _keys(path: Path | None) -> tuple[AdbKey, ...]:
    if path is None:
        return ()
    return read_keys(read_named_text(path, LARGEST_KEYS, "a file of keys"), str(path))


def _loader(plan: Plan) -> Callable[[], bytes] | None:
    path = Path(plan.app.path)
    return path.read_bytes if plan.app.digest and path.is_file() else None


def _size(plan: Plan) -> int:
    path = Path(plan.app.path)
    return path.stat().st_size if plan.app.digest and path.is_file() else 0


@dataclass(slots=True)
class _Others:
    """Opens the apps that clients install on one device, each in the place of the one before.

    Their files are kept beside the traces, which cannot be played without them. Any program of this machine can
    install: no name in a file of it becomes a path, and the number of files has a bound.
    """

    settings: DeviceSettings
    folder: Path
    opened: ExitStack
    keeper: _Keeper

    def open(self, content: bytes, app: App) -> OtherApp:
        path = self.folder / f"installed-{hashlib.sha256(content).hexdigest()[:16]}.apk"
        if not path.exists():
            if len(list(self.folder.glob("installed-*.apk"))) >= MOST_INSTALLED:
                raise UsageError(f"{self.folder}: holds {MOST_INSTALLED} apps that were installed; delete some")
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise refusal(self.folder, error) from error
            write_inside(path, content)
        plan = plan_app(str(path), self.settings)
        with ExitStack() as stack:
            session = stack.enter_context(open_session(plan))
            self.opened.close()
            self.opened = stack.pop_all()
        self.keeper.apk = str(path)
        return OtherApp(session, path.read_bytes, len(content))

    def close(self) -> None:
        self.opened.close()


@dataclass(slots=True)
class _Keeper:
    """Writes the runs of one device into a folder; runs of a launch alone are not kept, unless they crashed.

    A run ends in the middle of a client's command, to which an error would be an answer. So one is kept here, and the
    server is stopped.
    """

    serial: str
    folder: Path
    place: int | None
    tell: Callable[[RunKept], None]
    server: DeviceServer
    apk: str
    failure: FewtapsError | None = None

    def __call__(self, run: RunEnded) -> None:
        if len(run.trace.steps) < 2 and run.crash is None:
            return
        try:
            path = self._write(run)
        except FewtapsError as error:
            self.failure = self.failure or error
            self.server.is_stopping = True
            return
        self.tell(RunKept(self.serial, run.number, len(run.trace.steps), path, run.crash, self.apk))

    def raise_failure(self) -> None:
        """Raises the first error of writing, if there was one."""
        if self.failure is not None:
            raise self.failure

    def _write(self, run: RunEnded) -> Path:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise refusal(self.folder, error) from error
        path = self._free(run)
        write_trace(path, run.trace, keeps_link=False)
        return path

    def _free(self, run: RunEnded) -> Path:
        device = "" if self.place is None else f"device{self.place + 1}-"
        crash = f"-{run.crash.fingerprint}" if run.crash is not None else ""
        number = run.number
        while any(self.folder.glob(f"{device}run-{number:03}*.jsonl")):
            number += 1
        return self.folder / f"{device}run-{number:03}{crash}.jsonl"
