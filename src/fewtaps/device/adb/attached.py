"""Devices that the adb server knows: their list, what to do about those that do not answer, and which one is meant."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass

from fewtaps.device.adb.entry import ANY
from fewtaps.device.adb.wire import AdbServer, AdbWire
from fewtaps.errors import DeviceLost, DeviceUnavailable
from fewtaps.model.event import printable
from fewtaps.model.numerals import whole_number

OLDEST_API = 21
READY = "device"
ADVICE = {
    "unauthorized": "unlock the phone and allow USB debugging for this computer",
    "authorizing": "unlock the phone and allow USB debugging for this computer",
    "offline": "unplug it and plug it in again, or: adb reconnect offline",
    "no permissions": "adb may not open the USB device: add a udev rule for it, or run adb kill-server and try again",
    "recovery": "start Android on it: adb reboot",
    "sideload": "start Android on it: adb reboot",
    "bootloader": "start Android on it: fastboot reboot",
    "connecting": "wait until it is connected",
}
"""What to do about a device by its state."""
NONE_THERE = "no device: plug in a phone with USB debugging on, or start an emulator"


@dataclass(frozen=True, slots=True)
class AttachedDevice:
    """A line of `adb devices`; model and API level are empty and 0 until the device was asked."""

    serial: str
    state: str
    model: str = ""
    api: int = 0

    @property
    def is_ready(self) -> bool:
        return self.state == READY

    @property
    def advice(self) -> str:
        """What to do so that it can be used; empty if it can."""
        if self.is_ready:
            too_old = 0 < self.api < OLDEST_API
            return f"API level {self.api} is too old, {OLDEST_API} is the oldest that works" if too_old else ""
        return ADVICE.get(self.state, "wait until it has started, then plug it in again")


def parse_devices(text: str) -> tuple[AttachedDevice, ...]:
    """The devices in the answer to `devices-l`."""
    found: list[AttachedDevice] = []
    for line in text.splitlines():
        serial, _, rest = line.strip().partition(" ") if "\t" not in line else line.strip().partition("\t")
        if not serial or serial.startswith("*"):
            continue
        rest = rest.strip()
        state = "no permissions" if rest.startswith("no permissions") else rest.partition(" ")[0]
        model = re.search(r"\bmodel:(\S+)", rest)
        found.append(AttachedDevice(serial, state or "offline", model[1].replace("_", " ") if model else ""))
    return tuple(found)


def attached_devices(server: AdbServer) -> tuple[AttachedDevice, ...]:
    """All devices that the server knows. Raises DeviceUnavailable."""
    return parse_devices(server.ask("host:devices-l"))


def described(server: AdbServer, device: AttachedDevice) -> AttachedDevice:
    """The same with the model and API level that the device tells, if it answers."""
    if not device.is_ready:
        return device
    try:
        answer = AdbWire(server, device.serial).shell("getprop ro.product.model; getprop ro.build.version.sdk", 5)
    except DeviceLost:
        return AttachedDevice(device.serial, "offline", device.model)
    model, _, api = answer.text.strip().partition("\n")
    return AttachedDevice(device.serial, device.state, model.strip(), whole_number(api.strip(), 3) or 0)


def candidates(devices: Sequence[AttachedDevice], argument: str) -> tuple[AttachedDevice, ...]:
    """The ready devices that an argument may mean, the preferred one first. Raises DeviceUnavailable if there is none.

    Without an argument it is the one of `ANDROID_SERIAL`, else the only one there is.
    """
    wanted = argument or os.environ.get("ANDROID_SERIAL", "")
    if wanted and wanted != ANY:
        device = next((each for each in devices if each.serial == wanted), None)
        if device is None:
            known = ", ".join(each.serial for each in devices) or "none"
            raise DeviceUnavailable(f"no device {printable(wanted)}; adb knows: {printable(known, 200)}")
        return (_ready(device),)
    if not devices:
        raise DeviceUnavailable(NONE_THERE)
    ready = tuple(each for each in devices if each.is_ready)
    if not ready:
        return (_ready(devices[0]),)
    if len(ready) > 1 and wanted != ANY:
        names = ", ".join(each.serial for each in ready)
        raise DeviceUnavailable(
            f"several devices ({printable(names, 200)}): name one by its serial, or write {ANY} for any of them"
        )
    return ready


def _ready(device: AttachedDevice) -> AttachedDevice:
    if not device.is_ready:
        raise DeviceUnavailable(f"{printable(device.serial)} is {printable(device.state)}: {device.advice}")
    return device


def running_devices() -> tuple[AttachedDevice, ...]:
    """The devices of a server that runs already, for a look that starts nothing."""
    server = AdbServer()
    return attached_devices(server) if server.is_running else ()
