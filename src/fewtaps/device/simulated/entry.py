"""The entry of the simulated device, and the apps that only it can run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from fewtaps.device.backend import Backend, Description, HealthCheck
from fewtaps.device.capability import Capability
from fewtaps.errors import UsageError
from fewtaps.model.app import App

if TYPE_CHECKING:
    from fewtaps.device.session import Device

APP_PREFIX = "sim:"


def simulated_app(name: str) -> App:
    """The simulated app behind `sim:NAME`, NAME being its package or the last part of it."""
    from fewtaps.device.simulated.device import SimulatedDevice

    if not name.startswith(APP_PREFIX):
        raise UsageError(f"{name}: --device simulated runs {APP_PREFIX}NAME apps only, not APK files")
    wanted = name.removeprefix(APP_PREFIX)
    apps = SimulatedDevice().apps
    for app in apps:
        if wanted in (app.package, app.package.rpartition(".")[2]):
            return app
    known = ", ".join(sorted(app.package.rpartition(".")[2] for app in apps))
    raise UsageError(f"{name}: no such simulated app; there are: {known}")


def _describe(name: str) -> Description:
    kind = "simulated: a small Python program, runs on --device simulated"
    return Description(simulated_app(name), kind=kind)


def _read_app(name: str, anyway: bool) -> App:
    return simulated_app(name)


def _make(argument: str = "", **options: Any) -> Device:
    from fewtaps.device.simulated.device import SimulatedDevice

    return SimulatedDevice(**options)


def _check_machine() -> Iterator[HealthCheck]:
    """Python is all it needs."""
    yield from ()


SIMULATED = Backend(
    name="simulated",
    capabilities=frozenset(Capability)
    - {Capability.JACOCO, Capability.RECORDING, Capability.INSTRUMENTING, Capability.MOMENTS},
    options=frozenset({"profile", "coverage", "phone"}),
    describe=_describe,
    read_app=_read_app,
    make=_make,
    check_machine=_check_machine,
    app_prefix=APP_PREFIX,
)
