"""What a phone may do to a session: forbid touches, freeze, restart, go offline, be locked, be used by another tool.

The faults are those of a served device whose agent and shell commands a test replaces, through a real adb server. Each
ends in one line that says what to do, or in DeviceLost, never in a crash of the app.
"""

from __future__ import annotations

import hashlib
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from adb_backend.rig import PhoneRig, opened, served_simulation
from adbd.rig import ADB

from fewtaps.adbd.agent_methods import METHODS, AgentCall, AgentError
from fewtaps.adbd.channel import Pause
from fewtaps.adbd.services import COMMANDS
from fewtaps.adbd.shell import CommandCall, Running
from fewtaps.agentserver.catalogue import TOOLS
from fewtaps.agentserver.folders import AllowedFolders
from fewtaps.agentserver.tool import CallWork
from fewtaps.agentserver.workbench import Workbench
from fewtaps.config import DeviceSettings
from fewtaps.device.adb import agent as agent_module
from fewtaps.device.adb import device as device_module
from fewtaps.device.adb.agent import PhoneAgent
from fewtaps.device.adb.device import AdbDevice, AdbSession
from fewtaps.device.adb.wire import AdbServer
from fewtaps.device.jobs import Job, JobContext
from fewtaps.device.pool import open_pool
from fewtaps.device.session import Session
from fewtaps.errors import DeviceLost, DeviceUnavailable, UsageError
from fewtaps.model.ending import Ending
from fewtaps.model.event import Tap, Wait
from fewtaps.pipeline.live_app import LiveApp
from fewtaps.pipeline.opening import OpenedApp

pytestmark = [pytest.mark.skipif(ADB is None, reason="there is no adb on this machine"), pytest.mark.slow]


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PhoneRig]:
    with served_simulation(tmp_path_factory.mktemp("rig")) as opened:
        yield opened


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FEWTAPS_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("ANDROID_SERIAL", raising=False)


def is_usable(rig: PhoneRig) -> bool:
    """Whether the next session works."""
    with opened(rig) as session:
        return session.launch().ending is Ending.RUNNING


def fails(message: str) -> Callable[[AgentCall], Any]:
    def fail(call: AgentCall) -> Any:
        raise AgentError(message)

    return fail


def freeze(call: object) -> Running:
    while True:
        yield Pause(until=float("inf"))


def test_forbidden_touches_name_the_developer_option(rig: PhoneRig, monkeypatch: pytest.MonkeyPatch) -> None:
    refusal = fails(
        "java.lang.SecurityException: Injecting input events requires the caller (or the source of the "
        "instrumentation, if any) to have the INJECT_EVENTS permission."
    )
    with opened(rig) as session:
        session.launch()
        monkeypatch.setitem(METHODS, "click", refusal)
        with pytest.raises(DeviceUnavailable, match=r"turn on 'USB debugging \(Security settings\)'") as caught:
            session.perform(Tap(300, 900))
        assert "\n" not in str(caught.value) and rig.serial in str(caught.value)


def test_another_tool_that_takes_the_uiautomation_loses_the_session(
    rig: PhoneRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(rig) as session, monkeypatch.context() as patch:
        session.launch()
        patch.setitem(METHODS, "waitForIdle", fails("java.lang.IllegalStateException: UiAutomation not connected!"))
        with pytest.raises(DeviceLost, match="another tool took the device's UiAutomation"):
            session.perform(Wait(0))
    assert is_usable(rig)


def test_a_uiautomation_that_another_tool_has_already_is_told(rig: PhoneRig, monkeypatch: pytest.MonkeyPatch) -> None:
    def taken(call: CommandCall) -> int:
        call.say(
            "java.lang.IllegalStateException: UiAutomationService android.accessibilityservice already registered!"
        )
        return 1

    with monkeypatch.context() as patch:
        patch.setitem(COMMANDS, "app_process", taken)
        patch.setattr(agent_module, "START_SECONDS", 0.5)
        with pytest.raises(DeviceLost, match="another tool uses the device's UiAutomation; end it first"), opened(rig):
            pass
    assert is_usable(rig)


@pytest.mark.parametrize("what", ["agent", "shell"])
def test_a_frozen_system_loses_the_session_in_time(rig: PhoneRig, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    with opened(rig) as session, monkeypatch.context() as patch:
        session.launch()
        if what == "agent":
            patch.setitem(METHODS, "dumpWindowHierarchy", freeze)
            patch.setattr(PhoneAgent.call, "__kwdefaults__", {"seconds": 0.5})
        else:
            patch.setitem(COMMANDS, "am", freeze)
            patch.setattr(device_module, "LAUNCH_SECONDS", 0.5)
        with pytest.raises(DeviceLost, match="no answer in time"):
            session.perform(Wait(0)) if what == "agent" else session.launch()
        # Closing the session asks the device once more, which has its own deadline.
        patch.undo()
    assert is_usable(rig)


def test_a_restart_loses_the_session_and_is_no_crash(tmp_path: Path) -> None:
    with served_simulation(tmp_path) as rig:
        with opened(rig) as session:
            session.launch()
            # All of the device's processes end, and its connection with them.
            rig.server.ask(f"host:disconnect:{rig.serial}")
            rig.phone.guests.agents.clear()
            rig.server.ask(f"host:connect:{rig.serial}")
            rig.adb("wait-for-device")
            with pytest.raises(DeviceLost):
                session.perform(Tap(300, 900))
        assert is_usable(rig)
        assert rig.runs and all(run.crash is None for run in rig.runs)


def test_an_adb_server_that_is_killed_loses_the_session(tmp_path: Path) -> None:
    with served_simulation(tmp_path) as rig:
        with opened(rig) as session:
            session.launch()
            rig.adb("kill-server")
            with pytest.raises(DeviceLost):
                session.perform(Tap(300, 900))
        # The server is started again; it knows phones on USB by itself, and has to be told of others.
        assert "connected to" in rig.server.ask(f"host:connect:{rig.serial}")
        rig.adb("wait-for-device")
        assert is_usable(rig)


@dataclass(frozen=True, slots=True)
class Look(Job[str]):
    """Launches the app, and tells on which device; the third job pulls the cable of its own device out first."""

    rig: PhoneRig
    number: int
    pulled: list[str]

    def run(self, session: Session, context: JobContext) -> str:
        assert isinstance(session, AdbSession)
        serial = session._wire.serial
        if self.number == 2 and not self.pulled:
            self.pulled.append(serial)
            self.rig.server.ask(f"host:disconnect:{serial}")
        session.launch()
        return serial


def test_a_pool_goes_on_with_the_other_phone(rig: PhoneRig, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    @contextmanager
    def open_session() -> Iterator[Session]:
        device = AdbDevice("any", rig.server)
        try:
            with device.open(rig.phone.app) as session:
                yield session
        finally:
            device.close()

    with served_simulation(tmp_path) as other:
        rig.server.ask(f"host:connect:{other.serial}")
        rig.adb("-s", other.serial, "wait-for-device")
        pulled: list[str] = []
        try:
            with open_pool(open_session, size=2) as pool:
                found = pool.map([Look(rig, number, pulled) for number in range(8)])
        finally:
            # Either of the two may be the one that was pulled.
            with suppress(DeviceUnavailable):
                rig.server.ask(f"host:disconnect:{other.serial}")
            rig.server.ask(f"host:connect:{rig.serial}")
            rig.adb("wait-for-device")
    (gone,) = pulled
    assert len(found) == 8 and found[2] != gone and found[-1] != gone
    assert "is not used any more, 1 left" in caplog.text


def test_a_coding_agent_is_told_that_the_phone_is_gone_and_goes_on_when_it_is_back(tmp_path: Path) -> None:
    with served_simulation(tmp_path) as rig:
        workbench = Workbench(AllowedFolders([tmp_path]), DeviceSettings())

        def call(name: str, **arguments: object) -> Any:
            return TOOLS[name].call(workbench, CallWork(lambda *_: None, lambda: False), arguments).answer

        with ExitStack() as stack:
            device = AdbDevice(rig.serial, rig.server)
            stack.callback(device.close)
            session = stack.enter_context(device.open(rig.phone.app))
            workbench.hold(LiveApp(OpenedApp(rig.phone.app, session, session.settings.profile, device), 0), stack)
        assert call("tap", number=1).step == 1
        rig.server.ask(f"host:disconnect:{rig.serial}")
        with pytest.raises(DeviceLost, match=rig.serial):
            call("tap", number=1)
        with pytest.raises(UsageError, match="call restart_app"):
            call("wait")
        with pytest.raises(DeviceLost, match="not found"):
            call("restart_app")
        rig.server.ask(f"host:connect:{rig.serial}")
        rig.adb("wait-for-device")
        assert call("restart_app").step == 0
        assert call("tap", number=1).step == 1
        workbench.close()


def test_a_locked_screen_is_refused(rig: PhoneRig, monkeypatch: pytest.MonkeyPatch) -> None:
    dumpsys = COMMANDS["dumpsys"]

    def locked(call: CommandCall) -> int | Running:
        if call.arguments != ["window", "policy"]:
            return dumpsys(call)
        call.say("    KeyguardServiceDelegate", "      showing=true", "      occluded=false")
        return 0

    with monkeypatch.context() as patch:
        patch.setitem(COMMANDS, "dumpsys", locked)
        with pytest.raises(DeviceUnavailable, match="its screen is locked: unlock it"), opened(rig):
            pass
    assert is_usable(rig)


class Listing:
    """An adb server that knows one device, whose state it tells; the last state stays."""

    def __init__(self, *states: str) -> None:
        self.states = list(states)
        self.asked: list[str] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.server = AdbServer(int(self._listener.getsockname()[1]), "127.0.0.1")
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection:
                request = connection.recv(int(connection.recv(4), 16)).decode()
                self.asked.append(request)
                answer = ""
                if request == "host:devices-l":
                    state = self.states.pop(0) if len(self.states) > 1 else self.states[0]
                    answer = f"R58M123ABC             {state} usb:1-1 model:SM_G973F transport_id:3\n"
                connection.sendall(f"OKAY{len(answer):04x}{answer}".encode())

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()


@pytest.mark.parametrize("states", [("offline", "device"), ("offline", "offline")], ids=["comes back", "stays away"])
def test_an_offline_device_is_reconnected_once(states: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fewtaps.device.adb.device.time.sleep", lambda seconds: None)
    adb = Listing(*states)
    device = AdbDevice("R58M123ABC", adb.server)
    try:
        if states[-1] == "device":
            assert device._take().serial == "R58M123ABC"
        else:
            with pytest.raises(DeviceUnavailable, match="R58M123ABC is offline: unplug it and plug it in again"):
                device._take()
    finally:
        device.close()
        adb.close()
    assert adb.asked == ["host:devices-l", "host:reconnect-offline", "host:devices-l"]


class Packages:
    """The package manager of a phone that has one app: another signature is no update of it."""

    def __init__(self, package: str, content: bytes) -> None:
        self.package = package
        self.files: dict[str, bytes] = {package: content}
        self.uninstalled: list[str] = []
        self._pm = COMMANDS["pm"]

    def __call__(self, call: CommandCall) -> int | Running:
        path = f"/data/app/{self.package}-1/base.apk"
        match call.arguments:
            case ["path", package] if package in self.files:
                call.phone.files.add_loaded(path, lambda: self.files[package], len(self.files[package]))
                call.say(f"package:{path}")
                return 0
            case ["path", _]:
                return 1
            case ["uninstall", package]:
                self.uninstalled.append(package)
                del self.files[package]
                call.say("Success")
                return 0
            case ["install", "-r", "-t", staged]:
                if self.package in self.files:
                    call.say(f"Failure [INSTALL_FAILED_UPDATE_INCOMPATIBLE: Existing package {self.package} "
                             "signatures do not match newer version; ignoring!]")  # fmt: skip
                    return 1
                self.files[self.package] = call.phone.files.read(call.path(staged))
                call.say("Success")
                return 0
        return self._pm(call)


def test_another_signature_is_refused_and_with_reinstall_the_app_is_replaced_once(
    rig: PhoneRig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    apk = tmp_path / "app.apk"
    apk.write_bytes(b"PK" + bytes(range(256)) * 4000)
    app = replace(rig.phone.app, path=str(apk), digest=hashlib.sha256(apk.read_bytes()).hexdigest())
    packages = Packages(app.package, b"another build")
    monkeypatch.setitem(COMMANDS, "pm", packages)

    def launched(*, reinstall: bool) -> Ending:
        device = AdbDevice(rig.serial, rig.server, reinstall=reinstall)
        try:
            with device.open(app) as session:
                return session.launch().ending
        finally:
            device.close()

    with pytest.raises(
        DeviceUnavailable, match="another signature is there; --reinstall removes that app first"
    ) as told:
        launched(reinstall=False)
    assert "\n" not in str(told.value) and packages.files == {app.package: b"another build"}
    for _ in range(2):
        assert launched(reinstall=True) is Ending.RUNNING
    assert packages.files == {app.package: apk.read_bytes()} and packages.uninstalled == [app.package]
    assert launched(reinstall=False) is Ending.RUNNING
