"""What only a newer Android does otherwise; skipped where that Android is not at hand, for it is a long download."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from integration.player import Player
from integration.test_content import asked

from fewtaps.device.session import SessionSettings
from fewtaps.device.twin.device import TwinDevice, TwinSession
from fewtaps.device.twin.jars import JarStore
from fewtaps.model.app import App

API = 36
pytestmark = [
    pytest.mark.jvm,
    pytest.mark.skipif(
        bool(JarStore().missing(f"android-{API}")), reason=f"the Android of API level {API} has not been downloaded"
    ),
]


@pytest.fixture(scope="module")
def session(twin: TwinDevice, sample: Callable[[str], App]) -> Iterator[TwinSession]:
    settings = SessionSettings(launch_ms=500, api=API)
    with TwinDevice(jail=twin.jail) as device, device.open(sample("lab"), settings) as opened:
        yield opened


def test_it_is_the_android_that_was_asked_for(session: TwinSession) -> None:
    assert Player(session).open("SystemActivity").tap("Build").said[1] == "sdk 36 release 16"


def test_tabs_of_activities(session: TwinSession) -> None:
    player = Player(session).open("OldTabsActivity")
    assert player.shows("Short toast")
    assert player.tap("Clipboard").shows("Paste")


def test_a_texture_is_there_while_its_view_is(session: TwinSession) -> None:
    player = Player(session).open("TextureActivity")
    assert player.said == ["texture of 200x100"]
    assert player.tap("Wider").said == ["texture now of 300x100"]
    assert player.back().said == ["texture gone"]


def test_an_activity_is_created_once_and_the_way_it_wants_to_be_held(session: TwinSession) -> None:
    player = Player(session).open("SidewaysActivity")
    assert (player.said, player.screen.width) == (["creation 1 landscape"], 1280)


def test_the_media_store_tells_its_version(twin: TwinDevice, sample: Callable[[str], App]) -> None:
    with TwinDevice(jail=twin.jail) as device, device.open(sample("pocket"), SessionSettings(api=API)) as opened:
        assert asked(Player(opened), what="other")[-1] == "media version api1:1"
