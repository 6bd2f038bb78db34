"""The process dies in the background, and activities are not kept: what is saved comes back, the rest is gone."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from integration.player import Player

from fewtaps.device.twin.device import TwinDevice, TwinSession
from fewtaps.model.app import App
from fewtaps.model.ending import Ending
from fewtaps.model.event import Key, Launch, Rotate, SystemEvent, Text
from fewtaps.model.phone import Differences

pytestmark = pytest.mark.jvm

DEATH = SystemEvent("process_death")
NOT_KEPT: Differences = (("keep_activities", "no"),)


@pytest.fixture(scope="module")
def session(twin: TwinDevice, sample: Callable[[str], App]) -> Iterator[TwinSession]:
    with twin.open(sample("luggage")) as opened:
        yield opened


def crash_of(player: Player) -> tuple[str, str]:
    """The type of the innermost exception, and the class and method that threw it."""
    crash = player.step.crash
    assert crash is not None and crash.suspect is None and crash.root is not None
    frame = crash.root.frames[0]
    return crash.root.type, f"{frame.class_name.rpartition('.')[2]}.{frame.method}"


def test_saved_state_and_files_outlive_the_process_but_static_fields_do_not(session: TwinSession) -> None:
    player = Player(session).tap("Counter").tap("One more").tap("One more").tap("field").do(Text("socks"))
    clock = player.step.clock_ms
    step = player.do(DEATH).step
    assert step.ending is Ending.RUNNING
    assert step.after.shows("saved 2, static 0, file 2")
    assert step.after.shows("socks")
    assert clock is not None and step.clock_ms is not None and step.clock_ms > clock
    # The activity below was not made yet; it is when the user returns to it.
    assert player.do(Key("BACK")).step.after.shows("Traveller")
    assert player.tap("Counter").step.after.shows("saved 0, static 0, file 2")


def test_a_turned_phone_stays_turned(session: TwinSession) -> None:
    turned = Player(session).tap("Counter").do(Rotate("landscape")).step.after
    after = session.perform(DEATH).after
    assert (after.width, after.height, after.rotation) == (turned.width, turned.height, turned.rotation)


@pytest.mark.parametrize(
    ("button", "exception", "place"),
    [
        ("Traveller", "java.lang.NullPointerException", "TravellerActivity.onCreate"),
        ("Items", "java.lang.NullPointerException", "ItemsFragment.onCreateView"),
        ("Weigh", "java.lang.NullPointerException", "WeightDialog.onCreateDialog"),
        ("Draft", "java.io.NotSerializableException", "ObjectOutputStream.writeObject0"),
    ],
)
def test_what_relies_on_the_process_crashes_with_it_alone(
    session: TwinSession, button: str, exception: str, place: str
) -> None:
    player = Player(session).tap(button).do(Rotate("landscape")).do(Rotate("portrait"))
    assert player.step.ending is Ending.RUNNING
    assert crash_of(player.do(DEATH)) == (exception, place)


def test_a_result_comes_to_an_activity_that_is_made_anew(session: TwinSession) -> None:
    null = ("java.lang.NullPointerException", "LabelActivity.onActivityResult")
    chosen = Player(session).tap("Label").tap("Choose a colour")
    assert chosen.tap("Red").step.after.shows("A label in red")
    chosen = Player(session).tap("Label").tap("Choose a colour").do(DEATH)
    assert crash_of(chosen.tap("Red")) == null
    chosen = Player(session, phone=NOT_KEPT).tap("Label").tap("Choose a colour")
    assert crash_of(chosen.tap("Red")) == null


def test_a_phone_that_keeps_no_activities_makes_them_anew_in_the_same_process(session: TwinSession) -> None:
    player = Player(session, phone=NOT_KEPT).tap("Counter").tap("One more").do(Key("HOME"))
    assert player.step.ending is Ending.LEFT
    assert player.do(Launch()).step.after.shows("saved 1, static 1, file 1")
    assert player.do(Key("BACK")).step.after.shows("Traveller")


def test_the_same_steps_show_the_same_after_the_process_died(session: TwinSession) -> None:
    def shown() -> list[object]:
        player = Player(session, world=3).tap("Counter").tap("One more")
        first = player.step
        return [first.after, *((each.after, each.covered, each.clock_ms) for each in (player.do(DEATH).step,))]

    assert shown() == shown()
