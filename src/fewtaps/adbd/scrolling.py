"""Swipes inside a widget, as the agents of all tools make them."""

from __future__ import annotations

from fewtaps.adbd.hierarchy import Placed
from fewtaps.adbd.phone import ServedPhone
from fewtaps.model.event import Swipe
from fewtaps.model.screen import Bounds, Screen


def swipe_in(phone: ServedPhone, bounds: Bounds, across: int, down: int) -> None:
    """A swipe over most of a widget."""
    x, y = bounds.centre
    reach_x, reach_y = across * bounds.width * 2 // 5, down * bounds.height * 2 // 5
    phone.perform(Swipe(x - reach_x, y - reach_y, x + reach_x, y + reach_y))


def scroll(phone: ServedPhone, placed: Placed, is_forward: bool, is_vertical: bool) -> bool:
    """One swipe inside a list; whether anything moved."""
    before = phone.screen
    way = -1 if is_forward else 1
    swipe_in(phone, placed.widget.bounds, 0 if is_vertical else way, way if is_vertical else 0)
    return phone.is_running and not _is_same(before, phone.screen)


def _is_same(one: Screen, other: Screen) -> bool:
    return one.windows == other.windows
