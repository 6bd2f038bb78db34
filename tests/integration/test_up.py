"""The action bar's Up: it goes to the parent, which is made anew unless its launch mode or the intent keeps it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

import pytest
from integration.player import Player

from fewtaps.device.session import SessionSettings
from fewtaps.device.twin.device import TwinDevice, TwinSession
from fewtaps.device.twin.jars import JarStore
from fewtaps.model.app import App
from fewtaps.model.ending import Ending
from fewtaps.model.event import StartIntent

pytestmark = pytest.mark.jvm

NEWER = 36
OpenOn = Callable[[str], AbstractContextManager[TwinSession]]


@pytest.fixture(
    scope="module",
    params=[
        28,
        pytest.param(
            NEWER,
            marks=pytest.mark.skipif(
                bool(JarStore().missing(f"android-{NEWER}")),
                reason=f"the Android of API level {NEWER} has not been downloaded",
            ),
        ),
    ],
)
def open_on(request: pytest.FixtureRequest, twin: TwinDevice, sample: Callable[[str], App]) -> Iterator[OpenOn]:
    """Opens samples on one Android after the other."""
    settings = SessionSettings(api=request.param)
    with TwinDevice(jail=twin.jail) as device:
        yield lambda name: device.open(sample(name), settings)


def test_up_leads_to_the_parent(open_on: OpenOn) -> None:
    with open_on("vault") as session:
        player = Player(session).tap("hours")
        assert player.activity == "InfoActivity"
        assert player.tap("Navigate up").activity == "HallActivity"
        assert player.back().step.ending is Ending.LEFT


def test_up_leads_step_by_step_to_the_top(open_on: OpenOn) -> None:
    with open_on("zones") as session:
        player = Player(session).tap("Time Zones", "Africa/Cairo")
        assert player.activity == "ZoneActivity"
        assert player.tap("up").activity == "ZonesActivity"
        assert player.tap("up").activity == "MainActivity"
        assert player.back().step.ending is Ending.LEFT


def test_up_makes_the_parent_anew_where_back_keeps_it(open_on: OpenOn) -> None:
    with open_on("zones") as session:
        player = Player(session).tap("Time Zones").type("Africa", into="filter")
        if player.screen.keyboard:
            player.back()
        player.tap("Africa/Cairo")
        assert player.back().widget("filter").text == "Africa"
        player.tap("Africa/Cairo", "up")
        assert (player.activity, player.widget("filter").text) == ("ZonesActivity", None)


def test_up_keeps_a_parent_that_is_single_on_top(open_on: OpenOn) -> None:
    with open_on("shop") as session:
        player = Player(session).type("demo", into="user").type("demo", into="password").tap("log_in")
        player.tap("Offers", "Open the menu", "Cart")
        assert player.activity == "CartActivity"
        assert player.tap("Navigate up").activity == "ShopActivity"
        shown = {(widget.resource_id or "").rpartition("/")[2] for widget in player.screen.iter_widgets()}
        assert ("offers" in shown, "products" in shown) == (True, False)


def test_up_ends_all_that_lies_between(open_on: OpenOn) -> None:
    with open_on("zones") as session:
        player = Player(session)
        package = player.session.app.package
        player.tap("Time Zones", "Africa/Cairo").do(StartIntent(component=f"{package}/.FactsActivity"))
        assert player.activity == "FactsActivity"
        assert player.tap("up").activity == "MainActivity"
        assert player.back().step.ending is Ending.LEFT


def test_up_without_the_parent_below_only_ends_the_screen(open_on: OpenOn) -> None:
    with open_on("zones") as session:
        player = Player(session).tap("Build")
        package = player.session.app.package
        player.do(StartIntent(component=f"{package}/.ZoneActivity", extras=(("zone", "Africa/Cairo"),)))
        assert player.activity == "ZoneActivity"
        assert player.tap("up").activity == "FactsActivity"
