"""What two machines have to have in common to give the same results, and how they differ."""

from __future__ import annotations

import hashlib
import logging
import platform
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from fewtaps.device.backend import Health
from fewtaps.device.registry import parse_device
from fewtaps.errors import DeviceUnavailable
from fewtaps.farm.tasks import SlotRefused

log = logging.getLogger(__name__)


@cache
def code_digest() -> str:
    """A digest of all modules and data files of this installation of Fewtaps; of a checkout, with the bridge."""
    package = Path(__file__).parent.parent
    digest = hashlib.sha256()
    for folder in (package, package.parent.parent / "bridge" / "src" / "main"):
        for path in sorted(folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                digest.update(str(path.relative_to(folder)).encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def facts_of(device: str = "") -> dict[str, str]:
    """Versions of this machine: Fewtaps and Python and, with a device, of the parts that it runs on."""
    facts = {"fewtaps": code_digest(), "python": platform.python_version()}
    if device:
        facts |= parse_device(device).backend.versions()
    return facts


def difference(here: Mapping[str, str], there: Mapping[str, str]) -> str:
    """What is not the same, of the facts that both know; empty if all is."""
    names = [name for name in here if name in there and here[name] != there[name]]
    return ", ".join(f"{name} is {there[name]} and should be {here[name]}" for name in names)


def group_of(device: str) -> str:
    """The devices that are alike: model and API level of a phone, empty for a device that is made when it is needed.

    Raises DeviceUnavailable if the phone cannot be used now.
    """
    choice = parse_device(device)
    if not choice.argument:
        return ""
    listed = choice.backend.list_devices()
    found = next((each for each in listed if each.name == choice.argument), None)
    if found is None:
        return ""
    if found.advice:
        raise DeviceUnavailable(f"{found.name} is {found.state}: {found.advice}")
    return f"{found.model or 'a device'}, API level {found.api}"


def lent_devices(device: str) -> tuple[str, ...]:
    """The devices that a machine lends by a name: all that can be used if it stands for any of them.

    A name of one device gives that; a name without an argument the device that is meant without one.

    Raises DeviceUnavailable if there is none, or if several could be meant.
    """
    choice = parse_device(device)
    if not choice.argument:
        # Two slots that name no device would share one.
        usual = choice.backend.usual_device()
        return (f"{choice.backend.name}:{usual}" if usual else device,)
    if choice.backend.most_devices(choice.argument) is not None:
        return (device,)
    listed = choice.backend.list_devices()
    usable = tuple(f"{choice.backend.name}:{each.name}" for each in listed if not each.advice)
    if not usable:
        reasons = "; ".join(f"{each.name} is {each.state}: {each.advice}" for each in listed)
        raise DeviceUnavailable(f"{device}: no device can be used ({reasons or 'none is there'})")
    return usable


def is_local_name(device: str) -> bool:
    """Whether a name means another device on each machine: emulators and addresses of the machine itself."""
    choice = parse_device(device)
    return choice.backend.is_local_name(choice.argument)


def require_machine(device: str) -> None:
    """Raises SlotRefused if this machine lacks what a device needs and no option replaces.

    Such a machine must not join: if it is the first one, the others would be compared with it.
    """
    for check in parse_device(device).backend.check_machine():
        if check.health is not Health.BAD:
            continue
        words = f"{check.name}: {check.found}; {check.advice}"
        if not check.way_out:
            raise SlotRefused(f"this machine cannot lend {device}: {words}")
        log.warning("%s is lent, but only for runs with %s (%s)", device, check.way_out, words)
