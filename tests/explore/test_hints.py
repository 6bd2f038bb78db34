"""Tests of reading what a screen asks for."""

from __future__ import annotations

import pytest
from builders import screen, widget

from fewtaps.explore.actions import ActionKind
from fewtaps.explore.hints import candidate_words, mentioned_kinds, mentioned_sequences, readable_lines, words_after
from fewtaps.explore.ids import ActionName
from fewtaps.explore.screen_actions import ScreenActions
from fewtaps.model.screen import WidgetFlags

READ_ONLY = WidgetFlags.ENABLED


@pytest.mark.parametrize(
    ("names", "line", "words"),
    [
        (["User"], "The user is demo, and so is the password", ["demo"]),
        (["Password"], "The user is demo, and so is the password", []),
        (["user name"], "User: ada / Password: lovelace", ["ada"]),
        (["Password"], "User: ada / Password: lovelace", ["lovelace"]),
        (["PIN"], 'Your PIN is "4711".', ["4711"]),
        (["City"], "Nothing is said of it", []),
        (["initials"], "Sign with your initials: two letters or three", ["ab"]),
    ],
)
def test_words_behind_the_name_of_a_field_are_meant_for_it(names: list[str], line: str, words: list[str]) -> None:
    assert words_after(names, [line]) == words


def test_of_the_other_words_quoted_ones_and_those_with_digits_come_first_and_small_ones_last() -> None:
    words = candidate_words(["Code"], ["Please enter the code 'sesame' or a7b9 below"])
    assert words[:2] == ["sesame", "a7b9"]
    assert words.index("below") < words.index("the") and words.index("below") < words.index("code")


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("Type your initials: two letters", "ab"),
        ("A PIN of 4-6 digits", "1234"),
        ("Passwords have at least eight characters", "abcdefgh"),
        ("Enter the five-digit number", "12345"),
    ],
)
def test_a_word_of_the_length_a_line_asks_for_comes_first(line: str, word: str) -> None:
    assert candidate_words((), [line])[0] == word


def test_buttons_are_pressed_in_the_order_in_which_a_sentence_names_them() -> None:
    labels = {str(digit): ActionName(f"key {digit}") for digit in range(10)} | {"start": ActionName("start")}
    assert mentioned_sequences(["Repeat the number on your receipt: 3 1 4"], labels) == [("key 3", "key 1", "key 4")]
    assert mentioned_sequences(["Your code is 4711, keep it"], labels) == [("key 4", "key 7", "key 1", "key 1")]
    assert mentioned_sequences(["Press Start when you are ready"], labels) == [("start",)]


def test_an_echo_of_what_was_pressed_asks_for_nothing() -> None:
    assert mentioned_sequences(["31", "3 1"], {digit: ActionName(f"key {digit}") for digit in "31"}) == []


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("Hold the button to promise", ActionKind.LONG_PRESS),
        ("Choose a way to pay in the menu", ActionKind.MENU),
        ("Read the conditions to the end", ActionKind.SCROLL),
        ("Rotate your phone", ActionKind.ROTATE),
    ],
)
def test_ways_of_touching_are_asked_for_in_words(line: str, kind: ActionKind) -> None:
    assert kind in mentioned_kinds([line])
    assert not mentioned_kinds(["Welcome to the shop"])


def test_buttons_and_fields_tell_nothing() -> None:
    field = widget("typed", class_name="android.widget.EditText", flags=READ_ONLY | WidgetFlags.EDITABLE)
    shown = screen(widget("Press me"), widget("Read me", flags=READ_ONLY), field)
    assert readable_lines(shown) == ["Read me"]


def test_hints_are_actions_of_the_screen() -> None:
    shown = screen(widget("Tap Save and then Send", flags=READ_ONLY), widget("Send"), widget("Save"))
    offers = ScreenActions(shown)
    ((first, second),) = offers.hinted
    assert [name.rpartition("=")[2] for name in (first, second)] == ["Save", "Send"]
    assert offers.named(first) is not None and offers.named(second) is not None
