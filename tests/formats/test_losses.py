"""Losses name each reason once, with the places it applies to."""

from __future__ import annotations

from fewtaps.formats.losses import MOST_PLACES, Losses


def test_reasons_come_in_the_order_they_were_first_added() -> None:
    losses = Losses("line")
    losses.add(3, "no pinch")
    losses.at(4)("no key")
    losses.at(7)("no pinch")
    assert losses.lines() == ("lines 3, 7: no pinch", "line 4: no key")


def test_places_beyond_the_limit_are_counted() -> None:
    losses = Losses("step")
    for number in range(MOST_PLACES + 3):
        losses.add(number, "no pinch")
    assert losses.lines() == ("steps 0, 1, 2, 3, 4, 5, 6, 7 and 3 more: no pinch",)


def test_a_file_without_losses_has_no_lines() -> None:
    assert Losses("line").lines() == ()
