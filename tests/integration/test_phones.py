"""A run on the twin can be on a phone that differs from an ordinary one; the next run is on an ordinary one again."""

from __future__ import annotations

import pytest
from integration.conftest import SAMPLES, OpenSample
from integration.player import Player

from fewtaps.device.session import SessionSettings
from fewtaps.model.crash import Crash
from fewtaps.model.event import Launch
from fewtaps.model.phone import ORDINARY, Differences, phone_from_text
from fewtaps.replay import play
from fewtaps.tracefile import read_trace

pytestmark = pytest.mark.jvm


def zone_crash(session: object, phone: Differences) -> Crash | None:
    trace = read_trace(SAMPLES / "zones" / "crash.jsonl").on_phone(phone)
    return play(session, trace.events).crash  # type: ignore[arg-type]


def test_a_neighbour_is_absent_by_itself_and_for_one_run(open_sample: OpenSample) -> None:
    session = open_sample("zones")
    crash = zone_crash(session, phone_from_text("maps=absent"))
    assert crash is not None
    assert crash.root is not None
    assert crash.root.type == "android.content.ActivityNotFoundException"
    assert zone_crash(session, phone_from_text("browser=absent,mail=absent,market=absent")) is None
    assert zone_crash(session, ORDINARY) is None


def test_language_time_zone_and_size_of_texts_are_those_of_the_phone(open_sample: OpenSample) -> None:
    phone = phone_from_text("locale=de-DE,time_zone=Asia/Kathmandu,font_scale=2.0")
    session = open_sample("lab", SessionSettings(phone=phone))
    german = Player(session)
    assert german.step.event == Launch(phone)
    assert "locale de_DE zone Asia/Kathmandu" in german.open("ResetActivity").said
    assert german.back().open("SystemActivity").tap("Locale").said == ["locale de_DE cancel = Abbrechen"]
    tall = german.widget("Locale").bounds
    ordinary = Player(session, phone=ORDINARY).open("SystemActivity")
    assert ordinary.tap("Locale").said == ["locale en_US cancel = Cancel"]
    low = ordinary.widget("Locale").bounds
    assert tall.bottom - tall.top > low.bottom - low.top


def test_permissions_are_those_of_the_phone(open_sample: OpenSample) -> None:
    session = open_sample("lab")
    denied = Player(session, phone=phone_from_text("permissions=denied")).open("PermissionActivity").said
    granted = Player(session).open("PermissionActivity").said
    assert (denied, granted) == (["camera denied"], ["camera granted"])
