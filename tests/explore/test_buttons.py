"""Tests of guessing what a button is for."""

from __future__ import annotations

import pytest
from builders import screen, widget

from fewtaps.explore.buttons import is_box, is_button, submit_chances, submits
from fewtaps.explore.offers import Offers
from fewtaps.model.screen import WidgetFlags

BOX = WidgetFlags.CLICKABLE | WidgetFlags.ENABLED | WidgetFlags.CHECKABLE


@pytest.mark.parametrize("text", ["OK", "Next", "Log in", "Sign up", "Save", "Continue", "Weiter", "Add"])
def test_such_words_send_a_form(text: str) -> None:
    (tap,) = Offers(screen(widget(text))).taps
    assert submits(tap)


@pytest.mark.parametrize("text", ["Cancel", "Settings", "Google", "Address", "Nothing", "Okapi", ""])
def test_others_do_not(text: str) -> None:
    (tap,) = Offers(screen(widget(text))).taps
    assert not submits(tap)


def test_a_box_is_no_button() -> None:
    box, button = Offers(screen(widget("Accept all", flags=BOX), widget("Accept all"))).taps
    assert is_box(box) and not is_button(box) and not submits(box)
    assert is_button(button) and not is_box(button) and submits(button)


def test_what_says_so_and_stands_below_the_fields_is_pressed_most() -> None:
    taps = Offers(screen(widget("More"), widget("Cancel"), widget("Send"))).taps
    more, cancel, send = submit_chances(taps)
    assert send > 4 * more > 4 * cancel
    assert taps[1].located is not None
    above, field, below = submit_chances(taps, taps[1].located.path)
    assert above < more and field < cancel and below == send
