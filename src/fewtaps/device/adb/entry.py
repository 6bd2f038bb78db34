"""The entry of phones and emulators, which cannot be used yet."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from fewtaps.device.backend import Backend, Description, Health, HealthCheck, first_line
from fewtaps.errors import DeviceUnavailable
from fewtaps.model.app import App

if TYPE_CHECKING:
    from fewtaps.device.session import Device

NOT_YET = "phones and emulators cannot be used yet; the embedded Android can: --device twin"


def check_machine() -> Iterator[HealthCheck]:
    """Android's own program that speaks to phones."""
    version = first_line("adb", "version")
    if version is None:
        yield HealthCheck(
            "adb",
            Health.OPTIONAL,
            "not found",
            "not needed for the twin; for a phone of your own install Android's platform-tools",
        )
    else:
        yield HealthCheck("adb", Health.GOOD, version)


def _describe(name: str) -> Description:
    raise DeviceUnavailable(NOT_YET)


def _read_app(name: str, anyway: bool) -> App:
    raise DeviceUnavailable(NOT_YET)


def _make(argument: str = "", **options: Any) -> Device:
    raise DeviceUnavailable(NOT_YET)


ADB = Backend(
    name="adb",
    argument="SERIAL",
    capabilities=frozenset(),
    options=frozenset(),
    describe=_describe,
    read_app=_read_app,
    make=_make,
    check_machine=check_machine,
    not_yet=NOT_YET,
)
