"""The jail against an app that tries to get out: what it says it did, and what the machine says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fewtaps.device.twin.device import TwinDevice, TwinSession
from fewtaps.device.twin.jail import jail_problem
from fewtaps.model.app import App
from fewtaps.model.ending import Ending
from fewtaps.model.event import Selector, Tap, Wait

# Never without a jail: this app really writes where it says, on whatever machine it runs.
pytestmark = [pytest.mark.jvm, pytest.mark.skipif(jail_problem() is not None, reason=str(jail_problem()))]

CANARY = "fewtaps-hostile-canary"
OUTSIDE = ("/etc", "/root", "/usr/local", "/tmp", "/var/tmp", "/dev/shm", str(Path.home()), str(Path.cwd()))

# For each attack: what may be ALLOWED because nothing gets out by it, and the notes that say what was tried.
ATTACKS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "home": ((), ("tried to list /root",)),
    # The memory card and the app's own cache folder are disks of the run.
    "write": (("write to /sdcard (", "/data/user/0/dev.fewtaps.samples.hostile/cache"), ("tried to write /etc/hosts",)),
    # A socket that listens does so on a network of one.
    "network": (("listen",), ("tried to open 8.8.8.8:53",)),
    "processes": (("see the parent (1)",), ("tried to start a process: /bin/sh",)),
    # What a phone has; none of these is the user's.
    "environment": (("read the environment", "variable PATH", "property java.class.path"), ()),
    "system": ((), ("tried to read /etc/shadow", "tried to read /proc/self/environ", "tried to list /proc")),
    # Whatever is printed, the reply to the next request is the bridge's own.
    "forge": (("forge through", "read requests"), ("tried to write /proc/self/fd/1",)),
    "disk": ((), ("tried to write more than the disk holds",)),
}


def canaries() -> set[str]:
    return {str(path) for folder in OUTSIDE for path in Path(folder).glob(f"{CANARY}*")}


@pytest.fixture(scope="module")
def session(sample: Callable[[str], App]) -> Iterator[TwinSession]:
    with TwinDevice(jail=True) as device, device.open(sample("hostile")) as opened:
        yield opened


@pytest.mark.parametrize("attack", ATTACKS)
def test_nothing_gets_out_and_what_was_tried_is_told(attack: str, session: TwinSession) -> None:
    harmless, told = ATTACKS[attack]
    before = canaries()
    launched = session.launch()
    button = launched.after.find(Selector(resource_id=f"dev.fewtaps.samples.hostile:id/{attack}"))
    assert button is not None
    # Some attacks are slow, on the clock of the app.
    steps = [session.perform(Tap(*button.widget.bounds.centre)), session.perform(Wait(20_000))]
    assert [step.ending for step in steps] == [Ending.RUNNING, Ending.RUNNING]
    outcomes = [line for step in steps for line in step.log if line.startswith("W/hostile: ")]
    assert outcomes
    allowed = [line for line in outcomes if "ALLOWED: " in line]
    assert [line for line in allowed if not any(part in line for part in harmless)] == []
    # A note is made once in a run, and the app begins to attack before its first screen.
    notes = [note for step in (launched, *steps) for note in step.notes]
    assert [part for part in told if not any(part in note for note in notes)] == []
    assert canaries() == before
