from __future__ import annotations

from builders import OpenProgram

from fewtaps.device.simulated.samples import feed, notes_app
from fewtaps.device.snapshots import SnapshotSession
from fewtaps.model.event import Key, Text, Wait
from fewtaps.model.trace import Ending


def test_a_saved_state_is_restored_by_its_path(open_program: OpenProgram) -> None:
    session = SnapshotSession(open_program(notes_app()))
    session.launch(5)
    opened = session.perform(Key("MENU"))
    snapshot = session.save()
    session.perform(Key("BACK"))
    session.perform(Key("BACK"))
    assert session.restore(snapshot)[-1] == opened
    assert session.save() == snapshot


def test_the_world_is_restored_too(open_program: OpenProgram) -> None:
    session = SnapshotSession(open_program(feed()))
    session.launch(9)
    session.perform(Wait(10))
    assert session.save().world == 9


def test_the_path_is_all_that_was_performed(open_program: OpenProgram) -> None:
    session = SnapshotSession(open_program(notes_app()))
    session.launch()
    session.perform(Text("x"))
    assert len(session.save().events) == 1
    steps = session.restore(session.save())
    assert [step.ending for step in steps] == [Ending.RUNNING] * 2
