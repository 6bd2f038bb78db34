"""A real twin for the tests marked `jvm`: one for all of them, because starting it takes seconds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from fewtaps.apk.reader import read_apk
from fewtaps.device.session import DEFAULT_SETTINGS, SessionSettings
from fewtaps.device.twin.device import TwinDevice, TwinSession
from fewtaps.device.twin.jail import jail_problem
from fewtaps.model.app import App

SAMPLES = Path(__file__).resolve().parents[2] / "samples"

OpenSample = Callable[..., TwinSession]


@pytest.fixture(scope="session")
def twin() -> Iterator[TwinDevice]:
    """The twin, in its jail where there can be one: the samples are our own."""
    with TwinDevice(jail=jail_problem() is None) as device:
        yield device


@pytest.fixture(scope="session")
def sample() -> Callable[[str], App]:
    """Reads a sample app by its name."""
    known: dict[str, App] = {}

    def read(name: str) -> App:
        if name not in known:
            known[name] = read_apk(SAMPLES / f"{name}.apk")
        return known[name]

    return read


@pytest.fixture
def open_sample(twin: TwinDevice, sample: Callable[[str], App]) -> Iterator[OpenSample]:
    """Opens sample apps on the twin by name; each is closed when the next is opened, and the last after the test."""
    with ExitStack() as stack:

        def opened(name: str, settings: SessionSettings = DEFAULT_SETTINGS) -> TwinSession:
            stack.close()
            return stack.enter_context(twin.open(sample(name), settings))

        yield opened
