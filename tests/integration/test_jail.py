"""The jail against an app that tries to get out: what it says it did, and what the machine says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fewtaps.device.twin.device import TwinDevice
from fewtaps.device.twin.jail import jail_problem
from fewtaps.model.app import App
from fewtaps.model.event import Selector, Tap
from fewtaps.model.trace import Ending

# Never without a jail: this app really writes where it says, on whatever machine it runs.
pytestmark = [pytest.mark.jvm, pytest.mark.skipif(jail_problem() is not None, reason=str(jail_problem()))]

CANARY = "fewtaps-hostile-canary"
OUTSIDE = ("/etc", "/root", "/usr/local", "/tmp", "/var/tmp", "/dev/shm", str(Path.home()), str(Path.cwd()))
ATTACKS = ("home", "write", "network", "processes", "environment", "system", "forge", "disk")


def canaries() -> set[str]:
    return {str(path) for folder in OUTSIDE for path in Path(folder).glob(f"{CANARY}*")}


@pytest.mark.parametrize("attack", ATTACKS)
def test_nothing_gets_out(attack: str, sample: Callable[[str], App]) -> None:
    before = canaries()
    with TwinDevice(jail=True) as device, device.open(sample("hostile")) as session:
        button = session.launch().after.find(Selector(resource_id=f"dev.fewtaps.samples.hostile:id/{attack}"))
        assert button is not None
        step = session.perform(Tap(*button.widget.bounds.centre))
    assert step.ending is Ending.RUNNING
    allowed = [line for line in step.log if "ALLOWED: " in line]
    assert not [line for line in allowed if "connect" in line or "exec" in line or "/etc/" in line]
    assert canaries() == before
