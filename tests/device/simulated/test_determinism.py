"""Same program, events and world: same steps, in any session, process and order."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fewtaps.device.simulated.device import SimulatedDevice
from fewtaps.device.simulated.program import Program
from fewtaps.device.simulated.samples import SAMPLES
from fewtaps.model.event import Event, Key, LongPress, Rotate, Swipe, Tap, Text, Wait
from fewtaps.model.trace import Trace
from fewtaps.replay import play

points = (st.integers(0, 719), st.integers(0, 1279))
user_events: st.SearchStrategy[Event] = st.one_of(
    st.builds(Tap, *points),
    st.builds(LongPress, *points),
    st.builds(Swipe, *points, *points),
    st.builds(Text, st.text("0123456789ab", max_size=3)),
    st.builds(Key, st.sampled_from(["BACK", "HOME", "MENU"])),
    st.builds(Rotate, st.sampled_from(["portrait", "landscape"])),
    st.builds(Wait, st.integers(0, 5000)),
)


def played(program: Program, events: list[Event], world: int) -> Trace:
    with SimulatedDevice([program]).open(program.app) as session:
        return play(session, events, world=world)


@pytest.mark.slow
@pytest.mark.parametrize("program", SAMPLES, ids=lambda program: program.package)
@given(events=st.lists(user_events, max_size=30), world=st.integers(0, 99))
def test_a_run_is_decided_by_its_events_and_world(program: Program, events: list[Event], world: int) -> None:
    assert played(program, events, world) == played(program, events, world)


@pytest.mark.slow
@given(events=st.lists(user_events, max_size=30), other=st.lists(user_events, max_size=10))
def test_a_run_does_not_depend_on_the_one_before(events: list[Event], other: list[Event]) -> None:
    for program in SAMPLES:
        with SimulatedDevice([program]).open(program.app) as session:
            first = play(session, events, world=1)
            play(session, other, world=2)
            assert play(session, events, world=1) == first


PROGRAM = """
from random import Random
from fewtaps.device.simulated.device import SimulatedDevice
from fewtaps.device.simulated.samples import SAMPLES
from fewtaps.model.event import Tap
from fewtaps.replay import play
random = Random(3)
events = [Tap(random.randrange(720), random.randrange(700)) for _ in range(40)]
for program in SAMPLES:
    with SimulatedDevice([program]).open(program.app) as session:
        for world in range(5):
            trace = play(session, events, world=world)
            print([step.after.digest() for step in trace.steps], trace.crash, trace.coverage)
"""


@pytest.mark.slow
def test_a_run_is_the_same_in_every_process() -> None:
    outputs = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
    assert "Exception" in outputs.pop()
