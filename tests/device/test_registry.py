from __future__ import annotations

import pytest

from fewtaps.device.registry import BACKENDS, DEFAULT_BACKEND, make_device, open_device
from fewtaps.device.simulated.samples import bill
from fewtaps.errors import DeviceUnavailable, UsageError


def test_a_backend_is_made_by_its_name_and_with_its_options() -> None:
    with open_device("simulated", programs=[bill()]) as device:
        assert device.name == "simulated"
        with device.open(bill().app) as session:
            assert session.app.package == "com.example.bill"


def test_the_twin_is_the_default() -> None:
    assert DEFAULT_BACKEND == "twin"


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match=", ".join(BACKENDS)):
        make_device("iphone")


def test_phones_are_not_there_yet_and_it_is_said() -> None:
    with pytest.raises(DeviceUnavailable, match="--device twin"):
        make_device("adb")
