"""The entry of phones and emulators, and what they need of the machine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fewtaps.device.backend import Backend, Description, FoundDevice, Health, HealthCheck, first_line
from fewtaps.device.capability import Capabilities, Capability
from fewtaps.errors import DeviceError
from fewtaps.model.app import App

if TYPE_CHECKING:
    from fewtaps.device.session import Device

NAME = "adb"
ANY = "any"
"""The argument that takes any device which no other command uses."""
CAPABILITIES: Capabilities = frozenset({Capability.SCREENSHOTS, Capability.ROTATION})


def check_machine() -> Iterator[HealthCheck]:
    """Android's own program that speaks to phones, the agent's package, and the devices that are there."""
    from fewtaps.device.adb.wire import adb_program

    program = adb_program()
    found = None if program is None else first_line(program, "version")
    if found is None:
        advice = "not needed for the twin; for phones and emulators install Android's platform-tools"
        yield HealthCheck("adb", Health.OPTIONAL, "not found", advice)
        return
    yield HealthCheck("adb", Health.GOOD, found)
    yield _check_agent()
    yield _check_devices()


def _check_agent() -> HealthCheck:
    from fewtaps.device.adb.agent import agent_file

    try:
        agent_file()
    except DeviceError as error:
        return HealthCheck("agent", Health.OPTIONAL, "not found", str(error))
    return HealthCheck("agent", Health.GOOD, f"uiautomator2 {_version('uiautomator2')}")


def _check_devices() -> HealthCheck:
    from fewtaps.device.adb.attached import running_devices

    devices = running_devices()
    if not devices:
        return HealthCheck("devices", Health.OPTIONAL, "none", "plug in a phone, or start an emulator")
    listed = ", ".join(f"{each.serial} ({each.state})" for each in devices)
    advice = "; ".join(f"{each.serial}: {each.advice}" for each in devices if each.advice)
    return HealthCheck("devices", Health.GOOD if not advice else Health.OPTIONAL, listed, advice)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"


def _versions() -> Mapping[str, str]:
    return {name: _version(name) for name in ("adbutils", "uiautomator2")}


def _describe(name: str) -> Description:
    from fewtaps.apk.reader import inspect_apk

    inspection = inspect_apk(Path(name))
    return Description(inspection.app, class_count=inspection.class_count, file_bytes=inspection.file_bytes)


def _read_app(name: str, anyway: bool) -> App:
    from fewtaps.apk.instrumented import read_probe_table
    from fewtaps.apk.reader import inspect_apk

    app = inspect_apk(Path(name)).app
    table = read_probe_table(Path(name))
    # An instrumented copy counts as its original, whose numbers its coverage has.
    return app if table is None else replace(app, origin=table.origin)


def _make(argument: str = "", **options: Any) -> Device:
    from fewtaps.device.adb.device import AdbDevice

    return AdbDevice(argument, **options)


def _list_devices() -> tuple[FoundDevice, ...]:
    from fewtaps.device.adb.attached import attached_devices, described
    from fewtaps.device.adb.wire import AdbServer

    server = AdbServer()
    found = [described(server, device) for device in attached_devices(server)]
    return tuple(FoundDevice(each.serial, each.model, each.api, each.state, each.advice) for each in found)


def _usual_device() -> str:
    from fewtaps.device.adb.attached import attached_devices, candidates
    from fewtaps.device.adb.wire import AdbServer

    return candidates(attached_devices(AdbServer()), "")[0].serial


def _is_local_name(argument: str) -> bool:
    """Emulators, and addresses of the machine itself."""
    return argument.startswith(("emulator-", "127.0.0.1:", "localhost:"))


def _most_devices(argument: str) -> int | None:
    return None if argument == ANY else 1


ADB = Backend(
    name=NAME,
    argument="SERIAL",
    capabilities=CAPABILITIES,
    options=frozenset({"permissions", "coverage", "mapping", "anyway", "reinstall"}),
    describe=_describe,
    read_app=_read_app,
    make=_make,
    check_machine=check_machine,
    versions=_versions,
    list_devices=_list_devices,
    most_devices=_most_devices,
    usual_device=_usual_device,
    is_local_name=_is_local_name,
)
