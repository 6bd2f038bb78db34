"""Tests of the system events."""

from __future__ import annotations

from pathlib import Path
from random import Random

from fewtaps.explore.system import NAMED, SystemEvents, broadcasts, odd_intent
from fewtaps.model.app import App, Component
from fewtaps.model.event import StartIntent, SystemEvent

BOOT = "android.intent.action.BOOT_COMPLETED"
CALL = "android.intent.action.PHONE_STATE"
SMS = "android.provider.Telephony.SMS_RECEIVED"

# What docs/trace-format.md says a device knows.
KNOWN_NAMES = {
    *("locale", "permission", "low_memory", "airplane_mode", "broadcast", "battery_low", "battery_okay"),
    *("boot_completed", "connectivity", "date_changed", "headset", "media_mounted", "power_connected"),
    *("power_disconnected", "screen_off", "screen_on", "time_changed", "timezone_changed", "user_present"),
    "process_death",
}


def app(*actions: str, **fields: object) -> App:
    """An app with one receiver of these broadcasts."""
    values: dict[str, object] = {"receivers": (Component("com.example.app.Receiver", True, actions),), **fields}
    return App("com.example.app", **values)  # type: ignore[arg-type]


def drawn(source: SystemEvents, listening: frozenset[str] = frozenset(), times: int = 800) -> set[object]:
    random = Random(1)
    return {source.draw(random, listening) for _ in range(times)}


def test_only_names_that_devices_know_are_used() -> None:
    every = app(*NAMED, CALL, permissions=("android.permission.CAMERA",), target_sdk=30)
    assert {event.name for event in SystemEvents(every).candidates()} <= KNOWN_NAMES


def test_what_the_manifest_listens_to_is_sent() -> None:
    assert SystemEvent("boot_completed") in drawn(SystemEvents(app(BOOT)))
    assert SystemEvent("boot_completed") not in drawn(SystemEvents(app()))


def test_what_running_code_listens_to_is_sent() -> None:
    source = SystemEvents(app())
    assert SystemEvent("headset", (("state", "1"), ("name", "h2w"), ("microphone", "1"))) in drawn(
        source, frozenset({"android.intent.action.HEADSET_PLUG"})
    )
    assert not any(isinstance(event, SystemEvent) and event.name == "headset" for event in drawn(source))


def test_a_phone_call_comes_with_its_state_and_number() -> None:
    rings = [event for event in broadcasts(CALL) if ("state", "RINGING") in event.arguments]
    assert rings and dict(rings[0].arguments)["incoming_number"]


def test_what_only_a_real_phone_can_send_is_not_sent() -> None:
    assert not list(broadcasts(SMS))
    assert not list(broadcasts("android.intent.action.PACKAGE_ADDED"))


def test_the_documentation_says_that_text_messages_are_left_out() -> None:
    page = (Path(__file__).parents[2] / "docs" / "algorithms.md").read_text("utf-8")
    departures = page.partition("### Where we depart from it")[2].partition("\n## ")[0]
    assert "- **No text messages.**" in departures


def test_broadcasts_of_the_app_itself_are_sent_bare() -> None:
    assert list(broadcasts("com.example.app.TICK")) == [SystemEvent("broadcast", (("action", "com.example.app.TICK"),))]


def test_permissions_are_withdrawn_only_where_they_can_be() -> None:
    camera = SystemEvent("permission", (("name", "android.permission.CAMERA"), ("to", "denied")))
    permissions = ("android.permission.CAMERA", "android.permission.INTERNET")
    modern = SystemEvents(app(permissions=permissions, target_sdk=30)).candidates()
    assert camera in modern and "android.permission.INTERNET" not in str(modern)
    assert camera not in SystemEvents(app(permissions=permissions, target_sdk=22)).candidates()


def test_exported_activities_are_started_by_others_and_no_others() -> None:
    activities = (
        Component("com.example.app.Share", True, ("android.intent.action.SEND",)),
        Component("com.example.app.Own"),
    )
    events = drawn(SystemEvents(app(activities=activities)))
    components = {event.component for event in events if isinstance(event, StartIntent)}
    assert components == {"com.example.app/com.example.app.Share"}


def test_intents_come_with_and_without_what_they_need() -> None:
    share = Component("com.example.app.Share", True, ("android.intent.action.SEND",))
    random = Random(3)
    intents = [odd_intent("com.example.app", share, random) for _ in range(200)]
    assert {intent.action for intent in intents} == {"android.intent.action.SEND", None}
    assert any(intent.extras for intent in intents) and any(not intent.extras for intent in intents)
    assert any(intent.data for intent in intents) and any(intent.data is None for intent in intents)
    assert all(len(dict(intent.extras)) == len(intent.extras) for intent in intents)


class Forgetful(dict[frozenset[str], tuple[tuple[SystemEvent, ...], tuple[float, ...]]]):
    """As if another thread forgot everything as soon as it is known."""

    def __setitem__(self, *_: object) -> None:
        pass


def test_threads_that_share_it_may_forget_what_another_one_just_found_out() -> None:
    source = SystemEvents(app(BOOT))
    source._known = Forgetful()
    assert SystemEvent("boot_completed") in drawn(source)
