"""The canary on simulated devices: the same on all of one kind, another one where the app behaves otherwise."""

from __future__ import annotations

import pytest

from fewtaps.device.jobs import JobContext
from fewtaps.device.session import SessionSettings
from fewtaps.device.simulated.device import SimulatedDevice
from fewtaps.farm.canary import EVENTS, CanaryAccount, PlayCanary, canary_difference


def played(name: str, settings: SessionSettings | None = None) -> CanaryAccount:
    device = SimulatedDevice()
    app = next(app for app in device.apps if app.package == f"com.example.{name}")
    with device.open(app, settings or SessionSettings()) as session:
        return PlayCanary().run(session, JobContext())


@pytest.mark.parametrize("name", ["bill", "feed", "notes"])
def test_every_device_plays_the_same_canary(name: str) -> None:
    account = played(name)
    assert len(account) == 1 + 1 + EVENTS, "a header, the launch and the events"
    assert canary_difference(account, played(name)) == ""


def test_an_app_that_behaves_otherwise_is_noticed_after_the_launch() -> None:
    one = played("bill")
    other = [*one[:3], {**one[3], "after": "another screen"}, *one[4:]]
    assert canary_difference(one, other) == "event 2 after the launch differs in after"
    assert canary_difference(one, played("feed")).startswith("the device differs in app")


def test_a_device_without_coverage_differs_in_that() -> None:
    assert "differs in covered" in canary_difference(played("bill"), played("bill", SessionSettings(coverage="off")))
