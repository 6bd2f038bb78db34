"""A session that remembers its run under way: more events go on from there, with the steps of a run from launch."""

from __future__ import annotations

import pytest
from builders import OpenProgram

from fewtaps.device.jobs import JobContext
from fewtaps.device.ongoing import OngoingSession
from fewtaps.device.simulated.device import SimulatedSession
from fewtaps.device.simulated.samples import wizard
from fewtaps.model.event import Event, Key, Launch, Rotate, Wait
from fewtaps.model.phone import Differences
from fewtaps.model.trace import Step
from fewtaps.replay import Played, PlayEvents

EVENTS: tuple[Event, ...] = (Launch(), Rotate("landscape"), Key("BACK"), Launch(), Wait(1000))


class CountedLaunches(OngoingSession):
    """Counts the launches."""

    launches = 0

    def launch(self, world: int = 0, phone: Differences | None = None) -> Step:
        self.launches += 1
        return super().launch(world, phone)


@pytest.fixture
def session(open_program: OpenProgram) -> CountedLaunches:
    return CountedLaunches(open_simulated(open_program))


def open_simulated(open_program: OpenProgram) -> SimulatedSession:
    return open_program(wizard())


def played(session: OngoingSession, events: int, world: int = 0, *, goes_on: bool = True) -> Played:
    job = PlayEvents(EVENTS[:events], world, stops_at_deviation=True, goes_on=goes_on)
    return job.run(session, JobContext())


def test_a_run_goes_on_without_a_launch_and_shows_what_a_new_one_does(
    session: CountedLaunches, open_program: OpenProgram
) -> None:
    played(session, 2)
    longer = played(session, 5)
    assert session.launches == 1
    assert longer.seconds[:2] == (0.0, 0.0)
    assert longer == PlayEvents(EVENTS, 0, stops_at_deviation=True).run(open_simulated(open_program), JobContext())


def test_a_run_begins_anew_in_another_world_and_after_other_events(session: CountedLaunches) -> None:
    played(session, 3)
    played(session, 4, world=1)
    played(session, 2, world=1)
    assert session.launches == 3


def test_a_run_begins_anew_after_an_event_that_nobody_kept(session: CountedLaunches) -> None:
    first = played(session, 2)
    session.perform(Key("BACK"))
    assert played(session, 2) == first
    assert session.launches == 2


def test_a_run_begins_anew_unless_it_is_asked_to_go_on(session: CountedLaunches) -> None:
    played(session, 2)
    played(session, 3, goes_on=False)
    assert session.launches == 2
