"""Tests of filling in forms."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from builders import screen, widget

from fewtaps.explore.actions import Kind
from fewtaps.explore.forms import Form, Intention, fill_in
from fewtaps.explore.offers import Offers
from fewtaps.explore.targets import actions_on
from fewtaps.explore.texts import Texts, told_on
from fewtaps.model.screen import Screen, WidgetFlags

FIELD = WidgetFlags.EDITABLE | WidgetFlags.CLICKABLE | WidgetFlags.ENABLED
BOX = WidgetFlags.CLICKABLE | WidgetFlags.ENABLED | WidgetFlags.CHECKABLE
_WIDGETS = (
    widget("Help"),
    widget(None, class_name="android.widget.EditText", hint="User", flags=FIELD),
    widget(None, class_name="android.widget.EditText", hint="Password", flags=FIELD),
    widget("Remember me", flags=BOX),
    widget("Log in"),
    widget("The user is demo", class_name="android.widget.TextView", flags=WidgetFlags.ENABLED),
)
LOGIN = replace(screen(*_WIDGETS), height=300)


def filled(shown: Screen, seed: int) -> list[Intention]:
    return fill_in(Offers(actions_on(shown)), Form(shown, told_on(shown), {}), Texts(), Random(seed))


def test_a_form_is_filled_in_from_the_first_field_to_a_button() -> None:
    offers = Offers(actions_on(LOGIN))
    for seed in range(50):
        actions = [offers.named(step.name) for step in filled(LOGIN, seed)]
        kinds = [action.kind for action in actions if action is not None]
        assert len(kinds) == len(actions) and kinds[-1] is Kind.TAP
        assert kinds.count(Kind.TEXT) in (0, 2)
        assert kinds[: kinds.count(Kind.TEXT)] == [Kind.TEXT] * kinds.count(Kind.TEXT)


def test_the_button_is_mostly_the_one_that_submits() -> None:
    offers = Offers(actions_on(LOGIN))
    pressed = [offers.named(filled(LOGIN, seed)[-1].name) for seed in range(100)]
    labels = [action.located.widget.text for action in pressed if action and action.located]
    assert labels.count("Log in") > 80 and "Help" in labels


def test_one_word_that_the_screen_tells_goes_into_every_field() -> None:
    words = [{step.text for step in filled(LOGIN, seed) if step.text is not None} for seed in range(300)]
    assert {"demo"} in words
    assert all(len(each) <= 1 for each in words)


def test_words_that_were_typed_already_come_last() -> None:
    offers, typed = Offers(actions_on(LOGIN)), {}
    field = "Main:EditText=User"
    for word in told_on(LOGIN):
        typed[field, word] = 0 if word == "demo" else 3
    form = Form(LOGIN, told_on(LOGIN), typed)
    told = [fill_in(offers, form, Texts(), Random(seed))[0].text for seed in range(200)]
    assert told.count("demo") > 30


def test_fields_are_also_left_as_they_are() -> None:
    assert any(all("text" not in step.name for step in filled(LOGIN, seed)) for seed in range(50))


def test_a_screen_without_fields_is_no_form() -> None:
    assert filled(screen(widget("OK")), 1) == []
