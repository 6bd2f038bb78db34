"""A phone's parts do something: cameras take pictures, the place moves, sensors speak, pages of the web are shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from integration.conftest import OpenSample
from integration.player import Player

from fewtaps.device.session import SessionSettings
from fewtaps.device.twin.device import TwinDevice, TwinSession
from fewtaps.model.app import App
from fewtaps.model.phone import phone_from_text
from fewtaps.model.screen import WidgetFlags

pytestmark = pytest.mark.jvm


@pytest.fixture(scope="module")
def gadgets(twin: TwinDevice, sample: Callable[[str], App]) -> Iterator[TwinSession]:
    with twin.open(sample("gadgets")) as session:
        yield session


def crash_of(player: Player) -> str:
    crash = player.step.crash
    assert crash is not None and crash.root is not None
    assert crash.suspect is None
    return f"{crash.root.type}: {crash.root.message}"


def test_the_old_camera_takes_a_picture_and_refuses_after_its_release(gadgets: TwinSession) -> None:
    player = Player(gadgets).tap("Camera", "Take")
    assert player.said == ["picture 640x480"]
    player.tap("Once more")
    assert crash_of(player) == ("java.lang.RuntimeException: Camera is being used after Camera.release() was called")
    assert Player(gadgets).tap("Camera", "Look").said == ["frame 460800"]


def test_the_newer_camera_puts_a_picture_into_a_reader(gadgets: TwinSession) -> None:
    player = Player(gadgets).tap("New camera", "Open")
    assert player.said == ["opened 0"]
    assert player.tap("Take").said == ["picture 640x480", "captured 2"]


def test_cameras_and_places_need_their_permissions(open_sample: OpenSample) -> None:
    session = open_sample("gadgets", SessionSettings(permissions="denied"))
    assert crash_of(Player(session).tap("Camera", "Take")) == (
        "java.lang.RuntimeException: Fail to connect to camera service"
    )
    assert crash_of(Player(session).tap("New camera", "Open")).startswith("java.lang.SecurityException: Lacking")
    assert crash_of(Player(session).tap("Place", "Follow")) == (
        'java.lang.SecurityException: "gps" location provider requires ACCESS_FINE_LOCATION permission.'
    )


def test_the_place_moves_with_the_owner(gadgets: TwinSession) -> None:
    player = Player(gadgets).tap("Place", "Where am I?")
    assert player.said == ["providers 3", "at 52.518 13.400"]
    player.tap("Follow").wait(2_500)
    assert player.heard[-2:] == ["leg of 1.4 m", "leg of 1.4 m"]
    player.wait(1_000)
    assert crash_of(player).startswith("java.lang.ArrayIndexOutOfBoundsException")


def test_some_worlds_have_no_reception_and_some_no_address(gadgets: TwinSession, open_sample: OpenSample) -> None:
    known = {Player(gadgets, world).tap("Place", "Where am I?").said[-1] for world in range(1, 30)}
    assert "unknown" in known and len(known) > 2
    assert Player(gadgets).tap("Place", "Address").wait(2_000).heard[-1] == "no address"
    online = Player(open_sample("gadgets", SessionSettings(network="online"))).tap("Place", "Address").wait(2_000)
    assert online.heard[-1].startswith("Example Street 12")


def test_the_sensors_tell_of_tilting_shaking_and_walking(gadgets: TwinSession) -> None:
    steps = Player(gadgets).tap("Sensor", "Steps").wait(10_000)
    assert steps.heard == ["listening true", "steps 1201", "steps 1202", "steps 1203", "steps 1204"]
    player = Player(gadgets).tap("Sensor", "Shake").wait(1_000)
    assert player.step.crash is None
    assert crash_of(player.wait(2_000)).startswith("java.lang.IndexOutOfBoundsException")


def test_devices_are_near_once_bluetooth_is_on(gadgets: TwinSession) -> None:
    player = Player(gadgets).tap("Near", "Paired", "Search", "Scan")
    assert player.heard == ["paired", "search false", "off"]
    assert player.tap("Turn on", "Paired").said == ["paired Kitchen speaker"]
    assert player.tap("Scan").wait(1_000).heard[-2:] == ["heard Watch 7 -60", "heard null -88"]
    assert player.tap("Tags").said == ["tags true"]
    assert "found WATCH 7" in player.tap("Search").heard
    assert crash_of(player.wait(1_000)).startswith("java.lang.NullPointerException")


def test_a_page_is_shown_as_texts_links_and_a_form(gadgets: TwinSession) -> None:
    player = Player(gadgets).tap("Page")
    help_page = "file:///android_asset/help.html"
    assert player.heard == [f"started {help_page}", "finished Help for gadgets"]
    assert any(WidgetFlags.WEB in widget.flags for widget in player.screen.iter_widgets())
    for text in ("Help", "Gadgets are small things & useful.", "More help", "A tip", "Your question", "Ask"):
        assert player.shows(text), text
    assert not player.shows("never seen")
    assert player.tap("More help").shows("There is no more.")
    assert player.tap("Back").said == ["back true"]
    assert player.back().said == [f"started {help_page}", "finished Help for gadgets"]
    player.type("why & how", into="Question").tap("Ask")
    assert player.said[0] == "started file:///android_asset/more.html?q=why+%26+how&quick=on&kind=a"
    assert player.shows("There is no more.")


def test_a_link_of_a_page_is_the_apps_to_follow(gadgets: TwinSession) -> None:
    assert crash_of(Player(gadgets).tap("Page", "A tip")) == (
        'java.lang.NumberFormatException: For input string: "two"'
    )


def test_pages_of_the_web_come_from_the_network_of_the_world(gadgets: TwinSession, open_sample: OpenSample) -> None:
    player = Player(gadgets).tap("Page", "On the web").wait(2_000)
    assert "error -2 net::ERR_INTERNET_DISCONNECTED" in player.heard
    assert player.shows("Webpage not available")
    online = Player(open_sample("gadgets", SessionSettings(network="online")))
    assert online.tap("Page", "On the web").wait(2_000).shows("Item 1")
    assert online.heard[-1] == "finished Example page"


def test_the_other_apps_of_the_phone_are_listed_and_can_be_started(
    gadgets: TwinSession, open_sample: OpenSample
) -> None:
    labels = "Gadgets Calendar Camera Chrome Contacts Clock Gallery Messages Settings"
    player = Player(gadgets).tap("Near", "Apps")
    assert player.said == [f"apps {labels}", "9 installed, clock true"]
    assert player.step.crash is None
    without = phone_from_text("clock=absent")
    assert Player(gadgets, phone=without).tap("Near", "Apps").said == [
        f"apps {labels.replace(' Clock', '')}",
        "8 installed, clock false",
    ]
    alone = Player(open_sample("gadgets", SessionSettings(neighbours="absent"))).tap("Near", "Apps")
    assert alone.said == ["apps Gadgets", "1 installed, clock false"]
