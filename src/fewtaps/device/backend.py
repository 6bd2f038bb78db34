"""Backend: one kind of device as a value; what an entry of the table in `device/registry.py` has to say.

An entry is light: its functions import the modules of the backend when they are called.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from fewtaps.device.capability import Capabilities
from fewtaps.model.app import App

if TYPE_CHECKING:
    from fewtaps.device.session import Device

OnDownload = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]
"""Called with the name and size of a file to fetch; its context gives a function that is told of bytes received."""

VERSION_TIMEOUT_SECONDS = 20


class Health(Enum):
    """What a check of the machine found."""

    GOOD = "good"
    LATER = "later"
    """Not there yet; fetched or made when first needed."""
    OPTIONAL = "optional"
    """Not there, and only some commands miss it."""
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class HealthCheck:
    """One thing the machine should have: what was found, and what to do about it.

    `way_out` is the option with which the backend runs although this is missing, with its price; empty if none helps.
    """

    name: str
    health: Health
    found: str
    advice: str = ""
    way_out: str = ""


@dataclass(frozen=True, slots=True)
class Description:
    """An app and what a backend can do with it: `obstacles` stop it, `notes` say what will be missing.

    `api` is the API level the backend would choose for it, None if it has none that fits. `kind` says in one line what
    the app is if it is no APK file; it is empty for an APK file.
    """

    app: App
    obstacles: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    class_count: int = 0
    file_bytes: int = 0
    api: int | None = None
    kind: str = ""

    @property
    def is_apk(self) -> bool:
        """Whether it was read from an APK file."""
        return not self.kind

    @property
    def runs(self) -> bool:
        """Whether the backend can bring it up."""
        return not self.obstacles


@dataclass(frozen=True, slots=True)
class FoundDevice:
    """A device that a backend knows: its name, model, API level and state, and what to do if it cannot be used."""

    name: str
    model: str
    api: int
    state: str
    advice: str = ""


def no_devices() -> tuple[FoundDevice, ...]:
    """What a backend lists whose devices are made when they are needed."""
    return ()


def no_usual_device() -> str:
    """What a backend answers whose devices are made when they are needed."""
    return ""


def never_local(argument: str) -> bool:
    """What a backend answers whose names mean the same on every machine, or nothing."""
    return False


def no_level(app: App) -> int | None:
    """What a backend answers on which the API level is not chosen by the app."""
    return None


def any_number(argument: str) -> int | None:
    """What a backend answers that makes as many devices as are asked for."""
    return None


@dataclass(frozen=True, slots=True)
class Backend:
    """One kind of device.

    A user names it by `name` or, with an argument, by `name:argument`; `argument` is the placeholder of the argument,
    empty if there is none. `options` are the device settings that have an effect here, named as in `DeviceSettings`;
    the others are ignored. `app_prefix` marks the apps that only this backend can run: they are named
    `<app_prefix>NAME` instead of by an APK file, in `App.path` too. A backend without a prefix runs APK files.

    `describe` reads an app without running it. `read_app` reads it to be run; it raises UnsupportedApp if nothing of
    the app can come up here, unless its second argument, `anyway`, is true. `make` makes a device from the argument and
    the keyword options of the device's class; with `downloads` one of these is `progress`, an `OnDownload`, with
    `can_be_cut_off` one is `cut_off`, a `CutOff`.
    `check_machine` yields what the backend needs of the machine; it changes nothing, and only the default backend calls
    what is missing `Health.BAD`. `versions` tells which versions of its parts it would use, for a bug report.
    `capabilities` are those of its sessions with default settings. `list_devices` tells the devices that can be named
    as argument; it raises DeviceUnavailable. `most_devices` is how many an argument names, None without a limit.
    `usual_device` is the device that is meant without an argument, empty if it is made when it is needed; it raises
    DeviceUnavailable if there is none or if several could be meant. `is_local_name` tells whether an argument means
    another device on each machine. `usual_api` is the API level on which an app runs if none is asked for, None if the
    backend has none of its own.
    `not_yet` is the reason why the backend cannot be used at all, empty if it can.
    """

    name: str
    capabilities: Capabilities
    options: frozenset[str]
    describe: Callable[[str], Description]
    read_app: Callable[[str, bool], App]
    make: Callable[..., Device]
    check_machine: Callable[[], Iterator[HealthCheck]]
    argument: str = ""
    app_prefix: str = ""
    downloads: bool = False
    can_be_cut_off: bool = False
    not_yet: str = ""
    versions: Callable[[], Mapping[str, str]] = dict
    list_devices: Callable[[], tuple[FoundDevice, ...]] = no_devices
    most_devices: Callable[[str], int | None] = any_number
    usual_api: Callable[[App], int | None] = no_level
    usual_device: Callable[[], str] = no_usual_device
    is_local_name: Callable[[str], bool] = never_local

    @property
    def written(self) -> str:
        """How a user writes it: `name`, or `name:ARGUMENT`."""
        return f"{self.name}:{self.argument}" if self.argument else self.name


def first_line(program: str, argument: str) -> str | None:
    """The first line that a program prints with this argument; None if the program is not there or fails."""
    path = shutil.which(program)
    if path is None:
        return None
    try:
        done = subprocess.run([path, argument], capture_output=True, text=True, timeout=VERSION_TIMEOUT_SECONDS)
    except (OSError, subprocess.SubprocessError):
        return None
    return next(iter(done.stdout.strip().splitlines()), None) if done.returncode == 0 else None
