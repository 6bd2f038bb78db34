"""Phones that differ from the ordinary one."""

from __future__ import annotations

import pytest
from builders import trace

from fewtaps.device.twin.jars import android_apis
from fewtaps.model.event import Key, Launch, describe, event_from_json, event_to_json
from fewtaps.model.phone import (
    ANDROID_LEVELS,
    ORDINARY,
    SETTINGS,
    android_level,
    describe_need,
    describe_phone,
    differences,
    phone_from_text,
    require_api,
    smaller,
    with_android,
)

ARABIC = ("locale", "ar-EG")
NO_BROWSER = ("browser", "absent")
DARK = ("theme", "dark")


def test_differences_have_one_order() -> None:
    assert differences([ARABIC, NO_BROWSER]) == differences([NO_BROWSER, ARABIC]) == (NO_BROWSER, ARABIC)


def test_a_phone_is_written_in_one_word() -> None:
    assert phone_from_text("locale=ar-EG,browser=absent") == (NO_BROWSER, ARABIC)
    assert phone_from_text("") == phone_from_text("ordinary") == ORDINARY


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("colour=red", "colour: phones have no such setting"),
        ("browser=maybe", "browser: not 'maybe'; for instance absent"),
        ("browser", "browser: written as NAME=VALUE"),
        ("theme=dark,theme=dark", "theme: given twice"),
        ("font_scale=40", "font_scale: not '40'"),
        ("time_zone=../../etc", "time_zone: not"),
        ("date=2027-02-29", "date: not '2027-02-29'"),
        ("date=1812-01-01", "date: not"),
        ("display=99999x99999@320", "display: not"),
        ("android=27", "android: not '27'"),
        ("storage=half", "storage: not"),
        ("locale=" + "a" * 5000, "locale: not"),
        ("a" * 5000, "a: written as|^a+: written as"),
    ],
)
def test_what_no_phone_can_be_is_refused_by_name_in_a_short_line(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message) as refused:
        phone_from_text(text)
    assert len(str(refused.value)) < 400


def test_phones_with_fewer_differences_begin_with_the_ordinary_one() -> None:
    assert list(smaller(ORDINARY)) == []
    assert list(smaller((DARK,))) == [ORDINARY]
    assert list(smaller((NO_BROWSER, ARABIC))) == [ORDINARY, (ARABIC,), (NO_BROWSER,)]


def test_every_setting_has_words() -> None:
    for name, setting in SETTINGS.items():
        assert all(setting.allows(value) for value in setting.values)
        assert "{" not in describe_phone(((name, setting.values[0]),))


def test_a_launch_carries_its_phone_and_says_it() -> None:
    launch = Launch((NO_BROWSER, ARABIC))
    record = {"kind": "launch", "phone": {"browser": "absent", "locale": "ar-EG"}}
    assert event_to_json(launch) == record
    assert event_from_json(record) == launch
    assert event_to_json(Launch()) == {"kind": "launch"}
    assert describe(launch) == "Launch on a phone without a browser and in the language ar-EG"


@pytest.mark.parametrize(
    ("phone", "message"),
    [
        (["browser"], "phone: not an object"),
        ({"browser": 1}, r"phone\.browser: not a text"),
        ({"x": "y"}, r"phone\.x:"),
    ],
)
def test_a_phone_that_was_edited_wrongly_is_named(phone: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        event_from_json({"kind": "launch", "phone": phone})


def test_a_trace_can_be_moved_to_another_phone() -> None:
    original = trace(Key("BACK"))
    moved = original.on_phone((DARK,))
    assert moved.phone == (DARK,)
    assert moved.events == (Launch((DARK,)), Key("BACK"))
    assert moved.events_digest != original.events_digest
    assert moved.on_phone(ORDINARY) == original


@pytest.mark.parametrize(
    ("phone", "need"),
    [
        ("android=34+", "only on Android 14 and later"),
        ("android=36+", "only on Android 16"),
        ("android=33", "only on Android 13"),
        ("date=2028-02-29", "only on the date 2028-02-29"),
        ("display=tablet", "only on phones with the display of a tablet"),
        ("split_screen=yes,storage=full", "only in split screen and while the storage is full"),
        ("accessibility=on,locale=tr-TR", "only while a screen reader is on and in Turkish"),
        ("time_zone=Asia/Kathmandu", "only in the time zone Asia/Kathmandu"),
        ("network=failing,sms=absent", "only while servers fail and on phones without a messaging app"),
        ("content=empty", "only on phones without contacts, pictures and files"),
    ],
)
def test_what_a_crash_needs_is_told_in_words(phone: str, need: str) -> None:
    assert describe_need(phone_from_text(phone)) == need


def test_the_android_of_a_phone_is_one_that_the_twin_has() -> None:
    assert android_apis() == ANDROID_LEVELS
    phone = phone_from_text("android=36,theme=dark")
    assert (android_level(phone), android_level((DARK,))) == (36, None)
    assert with_android(phone, 34, and_later=True) == phone_from_text("android=34+,theme=dark")
    require_api(phone, 36)
    with pytest.raises(ValueError, match="android=36 of the phone"):
        require_api(phone, 34)
