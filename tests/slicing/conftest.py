"""One twin for the tests here that record: starting it takes seconds."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from slicing.compared import SliceLab

from fewtaps.device.twin.device import TwinDevice
from fewtaps.device.twin.jail import jail_problem


@pytest.fixture(scope="session")
def slice_lab() -> Iterator[SliceLab]:
    """Records and slices crashes of the sample apps, each once."""
    with TwinDevice(jail=jail_problem() is None) as device, SliceLab(device) as lab:
        yield lab
