"""Tests of the values for text fields."""

from __future__ import annotations

from random import Random

import pytest
from builders import screen, widget

from fewtaps.explore.texts import Field, Texts, ValueClass, field_of, label_beside, limit_value, words_on
from fewtaps.model.screen import Widget, WidgetFlags

FLAGS = WidgetFlags.EDITABLE | WidgetFlags.CLICKABLE | WidgetFlags.ENABLED


def entry(input_type: int = 1, **fields: object) -> Widget:
    """A text field."""
    return widget(None, class_name="android.widget.EditText", flags=FLAGS, input_type=input_type, **fields)


@pytest.mark.parametrize(
    ("input_type", "field"),
    [
        *((0x2, Field.NUMBER), (0x1002, Field.SIGNED), (0x2002, Field.DECIMAL), (0x3, Field.PHONE)),
        *((0x21, Field.EMAIL), (0x11, Field.URL), (0x81, Field.PASSWORD), (0x61, Field.PERSON), (0x71, Field.ADDRESS)),
        *((0x14, Field.DATE), (0x24, Field.TIME), (0x1, Field.TEXT), (0x20001, Field.LINES), (0x12, Field.NUMBER)),
    ],
)
def test_the_declared_input_type_decides(input_type: int, field: Field) -> None:
    assert field_of(entry(input_type)) is field


@pytest.mark.parametrize(
    ("hint", "field"),
    [
        *(("E-mail address", Field.EMAIL), ("Your password", Field.PASSWORD), ("Phone", Field.PHONE)),
        *(
            ("Date of birth", Field.DATE),
            ("Server URL", Field.URL),
            ("Price", Field.DECIMAL),
            ("Zip code", Field.POSTCODE),
        ),
        *(
            ("First name", Field.PERSON),
            ("Street", Field.ADDRESS),
            ("Search…", Field.SEARCH),
            ("Start time", Field.TIME),
        ),
        *(("Passenger", Field.TEXT), ("Whatever", Field.TEXT)),
    ],
)
def test_a_plain_field_is_known_by_its_hint(hint: str, field: Field) -> None:
    assert field_of(entry(hint=hint)) is field


def test_id_description_and_the_label_before_it_count_too() -> None:
    assert field_of(entry(resource_id="com.example:id/etUserEmail")) is Field.EMAIL
    assert field_of(entry(resource_id="com.example:id/zip_code")) is Field.POSTCODE
    assert field_of(entry(description="Phone number")) is Field.PHONE
    shown = screen(widget("Birthday date"), entry())
    field = shown.windows[0].root.children[1]
    assert label_beside(field, shown) == "Birthday date"
    assert field_of(field, label_beside(field, shown)) is Field.DATE


def test_the_label_beside_a_field_is_found_on_an_equal_screen_too() -> None:
    shown, again = (screen(widget("Birthday date"), entry()) for _ in range(2))
    assert label_beside(again.windows[0].root.children[1], shown) == "Birthday date"


def test_a_numeric_field_stays_numeric_whatever_it_is_called() -> None:
    assert field_of(entry(0x2, hint="Postcode")) is Field.POSTCODE
    assert field_of(entry(0x2, hint="E-mail")) is Field.NUMBER


def test_fitting_values_fit() -> None:
    shown, random = screen(entry(0x2)), Random(1)
    field = shown.windows[0].root.children[0]
    assert all(Texts().draw(field, ValueClass.FITTING, shown, random).isdigit() for _ in range(50))


def test_limits_are_empty_long_negative_wide_and_turned_around() -> None:
    random = Random(2)
    drawn = {limit_value(Field.TEXT, random) for _ in range(3000)}
    assert {"", " ", "\n", "😀", "שלום עולם", "%s %d %n"} <= drawn
    assert {500, 10_000} <= {len(text) for text in drawn}
    numbers = {limit_value(Field.NUMBER, random) for _ in range(3000)}
    assert {"", "0", "-1", "2147483648", "0,5", "9" * 500} <= numbers


def test_very_long_values_are_rare() -> None:
    random = Random(3)
    assert sum(len(limit_value(Field.TEXT, random)) >= 10_000 for _ in range(2000)) < 60


def test_words_of_the_screen_and_of_the_app_are_typed() -> None:
    shown, random = screen(widget("The user is demo, and so is the password"), entry(), entry()), Random(4)
    field = shown.windows[0].root.children[1]
    drawn = [Texts(lambda: ["Xyzzy"]).draw(field, ValueClass.SEEN, shown, random) for _ in range(300)]
    assert drawn.count("demo") > 10
    assert "Xyzzy" in drawn


def test_what_stands_in_one_field_is_typed_into_the_other() -> None:
    filled = widget("s3cret", class_name="android.widget.EditText", flags=FLAGS)
    shown, random = screen(filled, entry(), widget("Log in now")), Random(5)
    field = shown.windows[0].root.children[1]
    drawn = [Texts().draw(field, ValueClass.SEEN, shown, random) for _ in range(100)]
    assert drawn.count("s3cret") > 20


def test_words_are_cut_out_of_sentences_and_bounded() -> None:
    assert words_on(screen(widget("Tap 'OK', then wait."))) == ["Tap 'OK', then wait", "Tap", "OK", "then", "wait"]
    assert len(words_on(screen(*(widget(f"word{number} other{number}") for number in range(500))))) < 300


def test_the_same_chance_gives_the_same_values() -> None:
    shown = screen(widget("a b c d e f"), entry())
    field = shown.windows[0].root.children[1]
    runs = [[Texts().draw(field, kind, shown, Random(7)) for kind in ValueClass] for _ in range(2)]
    assert runs[0] == runs[1]


def test_the_strings_of_an_app_are_read_when_the_first_one_is_typed_and_only_once() -> None:
    read: list[int] = []

    def own() -> list[str]:
        read.append(1)
        return ["Xyzzy"]

    texts, random = Texts(own), Random(1)
    field = entry(hint="Word")
    shown = screen(field)
    for _ in range(20):
        texts.draw(field, ValueClass.FITTING, shown, random)
    assert not read
    for _ in range(20):
        texts.draw(field, ValueClass.SEEN, shown, random)
    assert len(read) == 1


def test_fields_for_numbers_get_no_words() -> None:
    number = entry(input_type=2)
    shown = screen(widget("Room 42, second floor", flags=WidgetFlags.ENABLED), number)
    drawn = {Texts().draw(number, ValueClass.SEEN, shown, Random(seed)) for seed in range(50)}
    assert "42" in drawn and all(text[0].isdigit() for text in drawn)
