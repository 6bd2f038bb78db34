"""Tests of guessing what a button is for."""

from __future__ import annotations

import pytest
from builders import row_of, screen, widget

from fewtaps.explore.buttons import submit_weights, submits
from fewtaps.explore.screen_actions import ScreenActions
from fewtaps.model.screen import WidgetFlags, Window, WindowKind

BOX = WidgetFlags.CLICKABLE | WidgetFlags.ENABLED | WidgetFlags.CHECKABLE


@pytest.mark.parametrize("text", ["OK", "Next", "Log in", "Sign up", "Save", "Continue", "Weiter", "Add"])
def test_such_words_send_a_form(text: str) -> None:
    (tap,) = ScreenActions(screen(widget(text))).taps
    assert submits(tap)


@pytest.mark.parametrize("text", ["Cancel", "Settings", "Google", "Address", "Nothing", "Okapi", ""])
def test_others_do_not(text: str) -> None:
    (tap,) = ScreenActions(screen(widget(text))).taps
    assert not submits(tap)


def test_a_box_is_no_button() -> None:
    box, button = ScreenActions(screen(widget("Accept all", flags=BOX), widget("Accept all"))).taps
    assert box.is_box and not box.is_button and not submits(box)
    assert button.is_button and not button.is_box and submits(button)


def test_what_says_so_and_stands_below_the_fields_is_pressed_most() -> None:
    taps = ScreenActions(screen(widget("More"), widget("Cancel"), widget("Send"))).taps
    more, cancel, send = submit_weights(taps)
    assert send > 4 * more > 4 * cancel
    assert taps[1].located is not None
    above, field, below = submit_weights(taps, taps[1].located.path)
    assert above < more and field < cancel and below == send


def test_a_button_with_a_bracket_in_its_text_is_a_button() -> None:
    (tap,) = ScreenActions(screen(widget("Send [1]"))).taps
    assert tap.is_button and submits(tap)


def test_a_button_of_a_dialog_with_a_bracket_in_its_title_is_a_button() -> None:
    title = widget("Options [beta]", class_name="android.widget.TextView", flags=WidgetFlags.ENABLED)
    dialog = Window("", WindowKind.DIALOG, row_of(title, widget("OK")))
    (tap,) = ScreenActions(screen(widget("Behind"), above=[dialog])).taps
    assert tap.is_button and submits(tap)
