"""Phones that differ in date, language, display, storage and the like: each defect of a sample shows on one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from integration.conftest import SAMPLES
from integration.player import Player

from fewtaps.device.twin.device import TwinDevice, TwinSession
from fewtaps.device.twin.jars import JarStore
from fewtaps.errors import UsageError
from fewtaps.model.app import App
from fewtaps.model.event import SystemEvent, event_to_json
from fewtaps.model.phone import ORDINARY, phone_from_text
from fewtaps.replay import play
from fewtaps.tracefile import read_trace

pytestmark = pytest.mark.jvm

TRACES = sorted(path.stem for path in (SAMPLES / "almanac").glob("*.jsonl"))
NOTES = (SAMPLES / "almanac" / "NOTES.md").read_text(encoding="utf-8")
NEWER = "34"


@pytest.fixture(scope="module")
def session(twin: TwinDevice, sample: Callable[[str], App]) -> Iterator[TwinSession]:
    with twin.open(sample("almanac")) as opened:
        yield opened


@pytest.mark.parametrize("name", [name for name in TRACES if name != "crash-android"])
def test_a_defect_shows_on_its_phone_and_on_no_ordinary_one(session: TwinSession, name: str) -> None:
    trace = read_trace(SAMPLES / "almanac" / f"{name}.jsonl")
    crash = play(session, trace.events).crash
    assert crash is not None and crash.root is not None and crash.suspect is None
    own = next(frame for frame in crash.root.frames if "almanac" in frame.class_name and frame.line != 1)
    assert f"`{own.file}:{own.line}`" in NOTES
    if trace.phone:
        assert play(session, trace.on_phone(ORDINARY).events).crash is None
    else:
        kept = tuple(event for event in trace.events if not isinstance(event, SystemEvent))
        assert play(session, kept).crash is None


@pytest.mark.skipif(
    bool(JarStore().missing(f"android-{NEWER}")), reason=f"the Android of API level {NEWER} has not been downloaded"
)
def test_the_android_of_a_launch_is_that_of_its_phone(session: TwinSession) -> None:
    trace = read_trace(SAMPLES / "almanac" / "crash-android.jsonl")
    crash = play(session, trace.events).crash
    assert crash is not None and crash.root is not None
    assert crash.root.type == "java.lang.ArrayIndexOutOfBoundsException"
    assert play(session, trace.on_phone(ORDINARY).events).crash is None


def test_a_taken_back_permission_ends_the_process_and_the_user_comes_back(session: TwinSession) -> None:
    player = Player(session).tap("Start the watch")
    withdrawn = (("name", "android.permission.READ_CONTACTS"), ("to", "denied"))
    player.do(SystemEvent("permission", withdrawn))
    assert player.step.crash is None and player.activity == "MainActivity"
    # The field that held the start of the watch is gone with the process; a second time there is nothing to take back.
    assert player.tap("Minutes").screen.shows("0 minutes")
    assert player.tap("All name days").activity == "MainActivity"
    assert player.do(SystemEvent("permission", withdrawn)).screen.shows("0 minutes")


def test_a_clock_that_is_set_wrongly_is_refused(session: TwinSession) -> None:
    player = Player(session)
    with pytest.raises(UsageError, match="by_seconds"):
        player.do(SystemEvent("time_changed", (("by_seconds", "soon"),)))


@pytest.mark.parametrize(
    ("phone", "width", "height"),
    [("display=tablet", 1200, 1920), ("display=600x1000@160", 600, 1000), ("split_screen=yes", 720, 640)],
)
def test_a_display_has_the_size_of_the_phone(session: TwinSession, phone: str, width: int, height: int) -> None:
    player = Player(session, phone=phone_from_text(phone))
    assert (player.screen.width, player.screen.height) == (width, height)
    assert event_to_json(player.step.event)["phone"] == dict(phone_from_text(phone))
