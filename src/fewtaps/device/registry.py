"""Backend names to classes, imported only when asked for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, cast

from fewtaps.device.session import Device
from fewtaps.errors import DeviceUnavailable, UsageError

BACKENDS: dict[str, str] = {
    "twin": "fewtaps.device.twin.device:TwinDevice",
    "simulated": "fewtaps.device.simulated.device:SimulatedDevice",
    "adb": "fewtaps.device.adb.device:AdbDevice",
}
"""Where each backend's class is; the first is the default."""

_NOT_YET = {"adb": "phones and emulators cannot be used yet; the embedded Android can: --device twin"}

DEFAULT_BACKEND = next(iter(BACKENDS))


def make_device(name: str = DEFAULT_BACKEND, **options: Any) -> Device:
    """A device of that backend; the options go to its class.

    Raises UsageError for a name that is none, DeviceUnavailable for a backend that is not there.
    """
    place = BACKENDS.get(name)
    if place is None:
        raise UsageError(f"no device is called {name!r}; there are: {', '.join(BACKENDS)}")
    if name in _NOT_YET:
        raise DeviceUnavailable(_NOT_YET[name])
    module, _, class_name = place.partition(":")
    return cast("Device", getattr(import_module(module), class_name)(**options))


@contextmanager
def open_device(name: str = DEFAULT_BACKEND, **options: Any) -> Iterator[Device]:
    """A device of that backend, closed at the end of the `with` block; raises as `make_device`."""
    device = make_device(name, **options)
    try:
        yield device
    finally:
        device.close()
