"""A run on the twin can be on a phone that differs from an ordinary one; the next run is on an ordinary one again."""

from __future__ import annotations

import pytest
from integration.conftest import SAMPLES, OpenSample
from integration.player import Player

from fewtaps.device.session import SessionSettings
from fewtaps.device.twin.device import TwinSession
from fewtaps.model.crash import Crash
from fewtaps.model.event import Launch, StartIntent, SystemEvent
from fewtaps.model.phone import ORDINARY, Differences, describe_need, phone_from_text, settings_in
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


ERRANDS = {
    "Page": "browser",
    "Day": "calendar",
    "Film": "camera",
    "Alarm": "clock",
    "Person": "contacts",
    "Call": "dialler",
    "Paper": "files",
    "Album": "gallery",
    "Key": "keys",
    "Letter": "mail",
    "Way": "maps",
    "Stars": "market",
    "Song": "music",
    "Memo": "recorder",
    "Note": "sms",
    "Speech": "speech",
}


@pytest.mark.parametrize(("label", "kind"), ERRANDS.items())
def test_each_kind_of_neighbour_is_missed_by_the_intent_that_is_for_it(
    open_sample: OpenSample, label: str, kind: str
) -> None:
    session = open_sample("pocket")
    others = ",".join(f"{other}=absent" for other in ERRANDS.values() if other != kind)
    with_others = Player(session, phone=phone_from_text(others)).key("MENU").tap("Errands", label)
    assert with_others.step.crash is None
    phone = phone_from_text(f"{kind}=absent")
    crash = Player(session, phone=phone).key("MENU").tap("Errands", label).step.crash
    assert crash is not None and crash.root is not None
    assert crash.root.type == "android.content.ActivityNotFoundException"
    assert describe_need(phone).startswith("only on phones without ")


def test_every_kind_of_neighbour_has_an_errand() -> None:
    assert sorted(ERRANDS.values()) == sorted(settings_in(["neighbours"]))


@pytest.mark.parametrize(("label", "network"), [("Weather", "slow"), ("Ticker", "failing")])
def test_slow_and_failing_servers_are_met_on_phones_with_such_a_network(
    open_sample: OpenSample, label: str, network: str
) -> None:
    session = open_sample("pocket")

    def crash(on: str, world: int) -> Crash | None:
        player = Player(session, world, phone_from_text(f"network={on}")).key("MENU").tap("Errands", label)
        return player.wait(15_000).step.crash if player.step.crash is None else player.step.crash

    assert crash("online", 0) is None and crash("offline", 0) is None
    found = [crash(network, world) for world in range(3)]
    assert any(each is not None and "ErrandsActivity" in str(each.root) for each in found)


SCREENS = {
    "overlay": "android.settings.action.MANAGE_OVERLAY_PERMISSION",
    "settings": "android.settings.action.MANAGE_WRITE_SETTINGS",
    "usage": "android.settings.USAGE_ACCESS_SETTINGS",
    "listener": "android.settings.ACTION_NOTIFICATION_LISTENER_SETTINGS",
    "policy": "android.settings.NOTIFICATION_POLICY_ACCESS_SETTINGS",
    "battery": "android.settings.REQUEST_IGNORE_BATTERY_OPTIMIZATIONS",
    "sources": "android.settings.MANAGE_UNKNOWN_APP_SOURCES",
    "vpn": "vpn",
}


def test_the_settings_give_what_no_dialog_gives_and_a_denying_user_gives_nothing(open_sample: OpenSample) -> None:
    session = open_sample("pocket")
    component = f"{session.app.package}/.AccessActivity"

    def held_after_each_screen(phone: str) -> list[str]:
        player = Player(session, phone=phone_from_text(phone)).open("AccessActivity")
        for screen in SCREENS.values():
            player.do(StartIntent(component=component, extras=(("screen", screen),)))
        return player.heard

    denied = held_after_each_screen("permissions=denied")
    assert set(denied) == {"access"}
    granted = held_after_each_screen("ordinary")
    assert granted[0] == "access" and granted[-1] == " ".join(["access", *SCREENS])
    assert Player(session).open("AccessActivity").heard == ["access"]
    player = Player(session).open("AccessActivity")
    for _ in range(2):
        player.do(StartIntent(component=component, extras=(("screen", "vpn"),)))
    assert "access vpn" in player.heard and player.heard[-1] == "tunnel false"
    player.do(StartIntent(component=component, extras=(("screen", "sound"),)))
    assert "sound true" in player.heard, player.step
    player = Player(session).open("AccessActivity")
    player.do(StartIntent(component=component, extras=(("screen", SCREENS["overlay"]),)))
    assert player.do(SystemEvent("process_death")).heard[-1] == "access overlay"


def test_what_a_media_session_is_told_its_controllers_know(open_sample: OpenSample) -> None:
    assert answers(asked(open_sample("pocket"), "session")) == ["plays Song in state 2", "told of state 2"]


def test_a_phone_near_no_network_knows_none_and_reading_sound_takes_its_time(open_sample: OpenSample) -> None:
    session = open_sample("pocket")
    assert answers(asked(session, "near")) == ["near [] gateway 0"]
    assert answers(asked(session, "hear").wait(2000)) == ["heard for about half a second true"]


def test_a_connection_to_no_service_is_unbound_once(open_sample: OpenSample) -> None:
    player = asked(open_sample("pocket"), "bind")
    assert player.step.crash is None
    assert answers(player) == ["bound false", "undone once"]


def test_a_process_that_dies_gives_back_the_locks_of_its_databases(open_sample: OpenSample) -> None:
    player = asked(open_sample("pocket"), "lock")
    player.do(SystemEvent("process_death"))
    player.do(StartIntent(component=f"{player.session.app.package}/.AccessActivity", extras=(("screen", "lock"),)))
    assert player.step.crash is None
    assert answers(player) == ["rows 1", "rows 2"]


def asked(session: TwinSession, screen: str) -> Player:
    player = Player(session).open("AccessActivity")
    return player.do(StartIntent(component=f"{session.app.package}/.AccessActivity", extras=(("screen", screen),)))


def answers(player: Player) -> list[str]:
    return [line for line in player.heard if not line.startswith("access")]
