"""What did not happen, told by comparison with a run that passes, or with an earlier step."""

from __future__ import annotations

from slicing.assembler import Machine
from slicing.small_programs import crash_in, machine

from fewtaps.slicing.slicer import Slicer


def orders() -> Machine:
    """Work that reads a field, and work that writes it; in which order they run is for the world to say."""
    made = machine()
    made.method("Main.write(value) outside", "12 putfield this ticket value\n12 return")
    made.method(
        "Main.show(unused) outside",
        """
        20 hundred = const 100
        20 by = getfield this ticket
        20 share = math idiv hundred by
        20 return
        """,
    )
    made.method(
        "Main.guard(wanted) outside",
        """
        30 store w wanted
        30 now = load w
        30 if ifeq now end
        31 hundred = const 100
        31 by = getfield this ticket
        31 share = math idiv hundred by
        end:
        32 return
        """,
    )
    return made


def test_the_write_that_came_in_time_in_a_passing_world_is_told() -> None:
    passing = orders()
    this = passing.thing("Main")
    passing.event(1)
    passing.call("Main.write", this, 4)
    passing.event(2)
    passing.call("Main.show", this, 0)

    crashing = orders()
    this = crashing.thing("Main")
    crashing.event(1)
    crashing.event(2)
    crash = crash_in(crashing, "Main.show", this, 0, line=20)
    slicer = Slicer(crashing.record())
    criterion = slicer.criterion_of_crash(crash)
    found = slicer.slice(criterion, passing=Slicer(passing.record()).as_passing(3))
    (told,) = (each for each in found.omissions if each.place.line == 12)
    assert "in world 3, where it does not crash, this gives ticket in step 1, before it is read at Main.java:20" in (
        told.sentence
    )
    assert told.sentence.endswith("in this run it did not run")


def test_a_write_that_came_too_late_is_told_with_its_step() -> None:
    passing = orders()
    this = passing.thing("Main")
    passing.event(1)
    passing.call("Main.write", this, 4)
    passing.call("Main.show", this, 0)

    crashing = orders()
    this = crashing.thing("Main")
    crashing.event(1)
    crash = crash_in(crashing, "Main.show", this, 0, line=20)
    crashing.event(2)
    crashing.call("Main.write", this, 4)
    slicer = Slicer(crashing.record())
    found = slicer.slice(slicer.criterion_of_crash(crash), passing=Slicer(passing.record()).as_passing(3))
    (told,) = (each for each in found.omissions if each.place.line == 12)
    assert "in this run it came too late, in step 2" in told.sentence


def test_a_write_is_told_although_the_passing_world_had_not_read_it_yet() -> None:
    passing = orders()
    passing.event(1)
    passing.call("Main.write", passing.thing("Main"), 4)

    crashing = orders()
    crashing.event(1)
    crash = crash_in(crashing, "Main.show", crashing.thing("Main"), 0, line=20)
    slicer = Slicer(crashing.record())
    found = slicer.slice(slicer.criterion_of_crash(crash), passing=Slicer(passing.record()).as_passing(0))
    (told,) = (each for each in found.omissions if each.place.line == 12)
    assert "in world 0, where it does not crash, this writes ticket in step 1" in told.sentence


def test_the_decision_that_led_away_from_the_line_in_a_passing_world_is_told() -> None:
    passing = orders()
    passing.event(1)
    passing.call("Main.guard", passing.thing("Main"), 0)

    crashing = orders()
    crashing.event(1)
    crash = crash_in(crashing, "Main.guard", crashing.thing("Main"), 1, line=31)
    slicer = Slicer(crashing.record())
    found = slicer.slice(slicer.criterion_of_crash(crash), passing=Slicer(passing.record()).as_passing(5))
    (told,) = (each for each in found.omissions if each.place.line == 30)
    assert told.sentence == (
        "in world 5, where it does not crash, w == 0 held at Main.java:30 and decided against Main.java:31 in step 1"
    )


def test_runs_that_read_the_same_write_have_nothing_to_tell() -> None:
    passing, crashing = orders(), orders()
    for made in (passing, crashing):
        made.event(1)
    this = passing.thing("Main")
    passing.call("Main.write", this, 4)
    passing.call("Main.show", this, 0)
    other = crashing.thing("Main")
    crashing.call("Main.write", other, 0)
    crash = crash_in(crashing, "Main.show", other, 0, line=20)
    slicer = Slicer(crashing.record())
    found = slicer.slice(slicer.criterion_of_crash(crash), passing=Slicer(passing.record()).as_passing(3))
    assert not [each for each in found.omissions if "world 3" in each.sentence]


def test_an_earlier_step_that_passed_is_compared_with() -> None:
    made = orders()
    made.method("Main.reset(value) outside", "14 putfield this ticket value\n14 return")
    this = made.thing("Main")
    made.event(1)
    made.call("Main.write", this, 4)
    made.event(2)
    made.call("Main.show", this, 0)
    made.event(3)
    made.call("Main.reset", this, 0)
    made.event(4)
    crash = crash_in(made, "Main.show", this, 0, line=20)
    slicer = Slicer(made.record())
    (told,) = (
        each for each in slicer.slice(slicer.criterion_of_crash(crash)).omissions if "without a crash" in each.sentence
    )
    assert told.place.line == 12
    assert told.sentence == (
        "when Main.java:20 ran in step 2, without a crash, this had given ticket; now Main.java:14 has, in step 3"
    )
