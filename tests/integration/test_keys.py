"""Keys on the twin: they move the focus and press what has it, but only after the first has left touch mode."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from integration.player import Player

from fewtaps.device.twin.device import TwinDevice, TwinSession
from fewtaps.model.app import App
from fewtaps.model.screen import WidgetFlags

pytestmark = pytest.mark.jvm


@pytest.fixture(scope="module")
def session(twin: TwinDevice, sample: Callable[[str], App]) -> Iterator[TwinSession]:
    with twin.open(sample("zones")) as opened:
        yield opened


def selected(player: Player) -> list[str | None]:
    """The rows that the keys have moved to."""
    return [widget.text for widget in player.screen.iter_widgets() if widget.flags & WidgetFlags.SELECTED]


def test_the_first_key_only_leaves_touch_mode_and_later_ones_move_on(session: TwinSession) -> None:
    player = Player(session)
    assert selected(player) == []
    assert [selected(player.key("DPAD_DOWN")) for _ in range(3)] == [["Build"], ["Locales"], ["System Properties"]]
    assert selected(player.key("DPAD_UP")) == ["Locales"]


def test_the_centre_key_opens_the_row_that_the_others_moved_to(session: TwinSession) -> None:
    player = Player(session)
    for _ in range(3):
        player.key("DPAD_DOWN")
    player.key("DPAD_CENTER")
    assert (player.activity, player.shows("path.separator = :")) == ("FactsActivity", True)


def test_the_centre_key_presses_nothing_in_touch_mode(session: TwinSession) -> None:
    player = Player(session).key("DPAD_CENTER")
    assert player.activity == "MainActivity"
    assert player.key("DPAD_CENTER").activity == "FactsActivity"


def test_a_launch_after_keys_is_as_fresh_as_the_first(session: TwinSession) -> None:
    first = Player(session).screen
    player = Player(session).key("DPAD_DOWN").key("DPAD_DOWN")
    assert player.screen != first
    again = Player(session)
    assert again.screen == first
    assert selected(again.key("DPAD_DOWN")) == ["Build"]


def test_a_tap_enters_touch_mode_again(session: TwinSession) -> None:
    player = Player(session).key("DPAD_DOWN").key("DPAD_DOWN")
    assert selected(player) == ["Locales"]
    player.tap("Screen").back()
    assert (player.activity, selected(player)) == ("MainActivity", [])
    player.key("DPAD_CENTER")
    assert player.activity == "MainActivity"


def test_another_key_leaves_touch_mode_alone(session: TwinSession) -> None:
    player = Player(session).key("VOLUME_DOWN").key("A")
    assert selected(player) == []
    assert player.key("DPAD_CENTER").activity == "MainActivity"


def test_the_keyboard_goes_with_the_screen_it_was_opened_on(session: TwinSession) -> None:
    player = Player(session).tap("Time Zones")
    player.tap("Filter")
    assert player.screen.keyboard
    player.tap("Africa/Cairo")
    assert (player.activity, player.screen.keyboard) == ("ZoneActivity", False)
    assert player.key("BACK").activity == "ZonesActivity"
