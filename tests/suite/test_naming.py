"""Names of tests: by what they do, safe as file names, and independent of other tests."""

from __future__ import annotations

import re

from builders import crash, events, trace
from hypothesis import given
from hypothesis import strategies as st

from fewtaps.model.ending import Ending
from fewtaps.model.event import Event, Key, Rotate, Selector, Tap, Text
from fewtaps.model.trace import Step
from fewtaps.suite.naming import name_test
from fewtaps.suitefile import require_test_name


def tapped(text: str | None, identifier: str | None = None, class_name: str | None = None) -> Tap:
    return Tap(1, 1, Selector(identifier, class_name, text))


def test_a_test_is_named_by_the_labels_of_its_widgets() -> None:
    assert name_test(trace(tapped("Settings"), tapped("Round up"), tapped("Split"))) == "settings-round-up-split"


def test_a_widget_without_a_label_is_named_by_its_id_or_its_class() -> None:
    steps = trace(tapped(None, "app:id/more_people"), tapped(None, None, "a.b.RatingBar"))
    assert name_test(steps) == "more-people-ratingbar"


def test_a_text_box_is_named_by_its_id_and_not_by_what_is_in_it() -> None:
    assert name_test(trace(Text("4200", selector=Selector("app:id/bill", text="17")))) == "bill"


def test_keys_name_a_test_that_touches_nothing() -> None:
    assert name_test(trace(Key("BACK"), Key("MENU"))) == "back-menu"
    assert name_test(trace(Key("BACK"), tapped("About"))) == "about"
    assert name_test(trace(Rotate("landscape"), tapped("About"))) == "rotate-about"


def test_a_test_that_does_nothing_is_a_launch() -> None:
    assert name_test(trace()) == "launch"


def test_a_test_that_ends_in_a_crash_says_so() -> None:
    assert name_test(trace(Step(tapped("Split"), crash=crash("a.B.c"), ending=Ending.CRASHED))) == "split-crash"


def test_a_long_test_is_named_by_its_first_and_last_steps() -> None:
    many = [tapped(f"Button {letter}") for letter in "abcdefgh"]
    assert name_test(trace(*many)) == "button-a-button-f-button-g-button-h"


def test_texts_that_no_file_name_can_hold_are_replaced() -> None:
    assert name_test(trace(tapped("../../etc/passwd"))) == "etc-passwd"
    assert name_test(trace(tapped("\x1b[31m\u202eÜber"))) == "31muber"
    assert name_test(trace(tapped("設定", "app:id/settings"))) == "settings"


def test_a_name_that_is_taken_gets_a_number() -> None:
    steps = trace(tapped("About"))
    assert name_test(steps, {"about"}) == "about-2"
    assert name_test(steps, {"About", "about-2"}) == "about-3"


@given(st.lists(events, max_size=8))
def test_every_name_is_a_safe_file_name(steps: list[Event]) -> None:
    name = name_test(trace(*steps))
    require_test_name(name)
    assert re.fullmatch(r"[a-z0-9-]+", name)
