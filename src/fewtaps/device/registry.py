"""The table of backends, and how a device is chosen from it by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from fewtaps.device.adb.entry import ADB
from fewtaps.device.backend import Backend
from fewtaps.device.simulated.entry import SIMULATED
from fewtaps.device.twin.entry import TWIN
from fewtaps.errors import DeviceUnavailable, UsageError
from fewtaps.model.app import App

if TYPE_CHECKING:
    from fewtaps.device.session import Device

BACKENDS: Mapping[str, Backend] = MappingProxyType({entry.name: entry for entry in (TWIN, SIMULATED, ADB)})
"""Every backend by its name; the first is the default."""

DEFAULT_BACKEND = next(iter(BACKENDS))


@dataclass(frozen=True, slots=True)
class DeviceChoice:
    """A backend and the argument that was given with it: `adb:emulator-5554` chooses one phone of several."""

    backend: Backend
    argument: str = ""


def usable() -> tuple[Backend, ...]:
    """The backends that can be used, the default one first."""
    return tuple(entry for entry in BACKENDS.values() if not entry.not_yet)


def parse_device(text: str) -> DeviceChoice:
    """What `name` or `name:argument` means.

    Raises UsageError for a name that is none, for an argument that the backend does not take, and for a backend that
    cannot be used yet.
    """
    name, colon, argument = text.partition(":")
    entry = BACKENDS.get(name)
    if entry is None:
        raise UsageError(f"'{text}' is none of {', '.join(each.written for each in usable())}")
    if entry.not_yet:
        raise UsageError(f"'{text}': {entry.not_yet}")
    if colon and not (entry.argument and argument):
        raise UsageError(f"'{text}': write it as {entry.written}")
    return DeviceChoice(entry, argument)


def attached_device(argument: str) -> str:
    """The name of a device that exists already and has a name of its own: `adb:SERIAL` for a phone."""
    backend = next(each for each in BACKENDS.values() if each.argument)
    return f"{backend.name}:{argument}"


def device_for(name: str, wanted: str | None = None) -> DeviceChoice:
    """On what an app runs: the device that is wanted, else the one that its name asks for.

    Raises UsageError as `parse_device`, and for an app that only another backend can run.
    """
    owner = owner_of(name)
    if wanted is None:
        return DeviceChoice(owner or BACKENDS[DEFAULT_BACKEND])
    choice = parse_device(wanted)
    if owner is not None and choice.backend is not owner:
        raise UsageError(f"{name}: a {owner.name} app runs on --device {owner.name} only")
    return choice


def owner_of(name: str) -> Backend | None:
    """The only backend that can run an app of this name; None if the name is that of an APK file."""
    return next((each for each in BACKENDS.values() if each.app_prefix and name.startswith(each.app_prefix)), None)


def short_name(name: str) -> str | None:
    """The part of an app's name behind the prefix of its backend; None if the name is that of an APK file."""
    owner = owner_of(name)
    return None if owner is None else name.removeprefix(owner.app_prefix)


def has_apk(app: App) -> bool:
    """Whether the app's path is that of an APK file; a backend's own programs have another kind of path."""
    return bool(app.path) and owner_of(app.path) is None


def make_device(device: str = DEFAULT_BACKEND, **options: Any) -> Device:
    """A device, named as in `parse_device`; the options go to its class.

    Raises UsageError as `parse_device`, DeviceUnavailable for a backend that cannot be used yet.
    """
    entry = BACKENDS.get(device.partition(":")[0])
    if entry is not None and entry.not_yet:
        raise DeviceUnavailable(entry.not_yet)
    choice = parse_device(device)
    return choice.backend.make(choice.argument, **options)


@contextmanager
def open_device(device: str = DEFAULT_BACKEND, **options: Any) -> Iterator[Device]:
    """A device, closed at the end of the `with` block; raises as `make_device`."""
    made = make_device(device, **options)
    try:
        yield made
    finally:
        made.close()
