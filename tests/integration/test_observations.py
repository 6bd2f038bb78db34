"""What the twin shows of an app beside its steps: pictures, coverage, other phones."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import replace

import pytest
from integration.conftest import OpenSample
from integration.pictures import far_apart, pixels
from integration.player import Player

from fewtaps.device.session import SessionSettings
from fewtaps.device.twin.device import TwinDevice
from fewtaps.model.app import App
from fewtaps.model.profile import PROFILES
from fewtaps.model.screen import Bounds

pytestmark = pytest.mark.jvm


def measures(png: bytes) -> tuple[int, int]:
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", png[16:24])
    return width, height


def test_a_picture_shows_the_screen_and_changes_with_it(open_sample: OpenSample) -> None:
    session = open_sample("tipsplit")
    player = Player(session)
    first = session.screenshot()
    assert measures(first) == (720, 1280)
    assert session.screenshot() == first
    player.tap("more")
    assert session.screenshot() != first
    player.tap("fewer")
    player.rotate("landscape")
    assert measures(session.screenshot()) == (1280, 720)


@pytest.mark.parametrize("name", ["check", "left", "right"])
def test_a_picture_right_after_a_tap_shows_the_new_mark(open_sample: OpenSample, name: str) -> None:
    session = open_sample("lab")
    player = Player(session).open("WidgetsActivity")
    box = player.widget(name).bounds
    mark = Bounds(box.left, box.top, box.left + box.height, box.bottom)
    before = pixels(session.screenshot(), mark)
    player.tap(name)
    after = pixels(session.screenshot(), mark)
    player.wait(3000)
    settled = pixels(session.screenshot(), mark)
    assert far_apart(before, settled) > 100
    assert far_apart(after, settled) == 0


def test_the_same_run_gives_the_same_execution_data(open_sample: OpenSample) -> None:
    session = open_sample("tipsplit")
    Player(session).tap("more")
    first = session.execution_data()
    Player(session).tap("fewer", "fewer", "split")
    assert session.execution_data() != first
    Player(session).tap("more")
    assert session.execution_data() == first


def test_libraries_are_covered_on_request_only(open_sample: OpenSample) -> None:
    off = open_sample("tipsplit", SessionSettings(coverage="off"))
    assert not off.launch().covered
    app = open_sample("tipsplit").probe_map().totals
    everything = open_sample("tipsplit", SessionSettings(coverage="all")).probe_map().totals
    assert everything.lines >= app.lines > 0


@pytest.mark.parametrize("name", ["mi1", "tall"])
def test_a_profile_gives_screen_and_bars(twin: TwinDevice, sample: Callable[[str], App], name: str) -> None:
    profile = PROFILES[name]
    with twin.open(sample("lab"), SessionSettings(profile=profile, launch_ms=500)) as session:
        player = Player(session).open("SystemActivity")
        assert (player.screen.width, player.screen.height) == (profile.width, profile.height)
        assert profile.model in player.tap("Build").said[0]
        buttons = [widget.bounds for widget in player.screen.iter_widgets() if widget.is_target]
        assert min(bounds.top for bounds in buttons) >= profile.pixels(profile.status_bar_dp)
        assert max(bounds.bottom for bounds in buttons) <= profile.height - profile.pixels(profile.navigation_bar_dp)


def test_an_old_phone_draws_with_holo_and_has_a_menu_key(twin: TwinDevice, sample: Callable[[str], App]) -> None:
    """As on the Mi 1: an action bar of 48 dp instead of 56 and nothing in it to open the menu with."""
    heights, menus = [], []
    for profile in (PROFILES["mi1"], replace(PROFILES["mi1"], android="")):
        with twin.open(sample("lab"), SessionSettings(profile=profile, launch_ms=500)) as session:
            player = Player(session).open("PlainActivity")
            (bar,) = (each for each in player.screen.iter_widgets() if each.class_name.endswith("ActionBarContainer"))
            heights.append(bar.bounds.height)
            menus.append(any(each.description == "More options" for each in player.screen.iter_widgets()))
            assert player.key("MENU").shows("Help")
    assert heights == [PROFILES["mi1"].pixels(48), PROFILES["mi1"].pixels(56)]
    assert menus == [False, True]


def test_a_link_nobody_opens_was_a_crash_on_old_phones_only(twin: TwinDevice, sample: Callable[[str], App]) -> None:
    crashes = []
    for profile in (PROFILES["mi1"], PROFILES["mi5"]):
        with twin.open(sample("lab"), SessionSettings(profile=profile, neighbours="absent")) as session:
            crashes.append(Player(session).open("PlainActivity").tap("Somewhere in Accra").step.crash)
    old, newer = crashes
    assert newer is None
    assert old is not None and old.root is not None
    assert old.root.type == "android.content.ActivityNotFoundException"
