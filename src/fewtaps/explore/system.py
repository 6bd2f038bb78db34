"""Events that come from the system or from other apps, chosen from what the app says it listens to.

TimeMachine (section 4) takes them from Stoat: phone calls, airplane mode, connectivity and the like. Every broadcast
has the extras that a phone sends with it: without them apps would crash that never crash on a phone. Text messages are
missing, because their content is a binary PDU, which an event cannot carry.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from random import Random

from fewtaps.explore.actions import weighted_choice
from fewtaps.explore.frontier_parameters import SYSTEM_DEFAULTS, SystemParameters
from fewtaps.model.app import App, Component
from fewtaps.model.event import Event, ExtraValue, StartIntent, SystemEvent

Arguments = tuple[tuple[str, str], ...]

PROCESS_DEATH = SystemEvent("process_death")
"""The app's process ends in the background, and the user comes back to the app."""

_ANDROID = "android.intent.action."

NAMED: dict[str, tuple[tuple[str, Arguments], ...]] = {
    _ANDROID + "AIRPLANE_MODE": (("airplane_mode", (("state", "true"),)), ("airplane_mode", (("state", "false"),))),
    _ANDROID + "BATTERY_LOW": (("battery_low", ()),),
    _ANDROID + "BATTERY_OKAY": (("battery_okay", ()),),
    _ANDROID + "BOOT_COMPLETED": (("boot_completed", ()),),
    "android.net.conn.CONNECTIVITY_CHANGE": (
        ("connectivity", (("noConnectivity", "true"),)),
        ("connectivity", ()),
    ),
    _ANDROID + "DATE_CHANGED": (("date_changed", ()),),
    _ANDROID + "HEADSET_PLUG": tuple(
        ("headset", (("state", state), ("name", "h2w"), ("microphone", "1"))) for state in ("1", "0")
    ),
    _ANDROID + "MEDIA_MOUNTED": (("media_mounted", ()),),
    _ANDROID + "ACTION_POWER_CONNECTED": (("power_connected", ()),),
    _ANDROID + "ACTION_POWER_DISCONNECTED": (("power_disconnected", ()),),
    _ANDROID + "SCREEN_OFF": (("screen_off", ()),),
    _ANDROID + "SCREEN_ON": (("screen_on", ()),),
    _ANDROID + "TIME_SET": (("time_changed", ()),),
    _ANDROID + "TIMEZONE_CHANGED": (("timezone_changed", (("time-zone", "Asia/Tokyo"),)),),
    _ANDROID + "USER_PRESENT": (("user_present", ()),),
    _ANDROID + "LOCALE_CHANGED": (("locale", (("to", "de-DE"),)),),
}
"""Broadcasts that devices know by a name of their own, by action: the name and its arguments."""

_OTHERS: dict[str, tuple[Arguments, ...]] = {
    "android.intent.action.PHONE_STATE": (
        (("state", "RINGING"), ("incoming_number", "+15550100")),
        (("state", "OFFHOOK"), ("incoming_number", "+15550100")),
        (("state", "IDLE"),),
    ),
    _ANDROID + "NEW_OUTGOING_CALL": ((("android.intent.extra.PHONE_NUMBER", "+15550100"),),),
    _ANDROID + "BATTERY_CHANGED": (
        (("level", "4"), ("scale", "100"), ("status", "3"), ("plugged", "0"), ("health", "2"), ("temperature", "310")),
        (
            ("level", "100"),
            ("scale", "100"),
            ("status", "5"),
            ("plugged", "1"),
            ("health", "2"),
            ("temperature", "290"),
        ),
    ),
    _ANDROID + "DEVICE_STORAGE_LOW": ((),),
    _ANDROID + "DEVICE_STORAGE_OK": ((),),
    _ANDROID + "TIME_TICK": ((),),
    _ANDROID + "CLOSE_SYSTEM_DIALOGS": ((("reason", "homekey"),),),
    _ANDROID + "MY_PACKAGE_REPLACED": ((),),
    _ANDROID + "CAMERA_BUTTON": ((),),
    _ANDROID + "WALLPAPER_CHANGED": ((),),
    "android.media.AUDIO_BECOMING_NOISY": ((),),
    "android.media.RINGER_MODE_CHANGED": ((("android.media.EXTRA_RINGER_MODE", "0"),),),
    "android.media.VOLUME_CHANGED_ACTION": (
        (("android.media.EXTRA_VOLUME_STREAM_TYPE", "3"), ("android.media.EXTRA_VOLUME_STREAM_VALUE", "5")),
    ),
    "android.net.wifi.WIFI_STATE_CHANGED": ((("wifi_state", "1"),), (("wifi_state", "3"),)),
    "android.bluetooth.adapter.action.STATE_CHANGED": (
        (("android.bluetooth.adapter.extra.STATE", "10"), ("android.bluetooth.adapter.extra.PREVIOUS_STATE", "12")),
    ),
    "android.location.PROVIDERS_CHANGED": ((),),
    "android.os.action.POWER_SAVE_MODE_CHANGED": ((),),
}
"""Other broadcasts of the system, by action, each with the extras it comes with."""


def _without_receiver(numbers: SystemParameters) -> tuple[tuple[float, SystemEvent], ...]:
    """Events that reach every app through configuration, callbacks and settings, with their weights."""
    return (
        # Rare: in another language every label is new, and nothing else is.
        (numbers.other_language, SystemEvent("locale", (("to", "ar-EG"),))),
        (numbers.other_language, SystemEvent("locale", (("to", "de-DE"),))),
        (numbers.own_language, SystemEvent("locale", (("to", "en-US"),))),
        (numbers.low_memory, SystemEvent("low_memory")),
        (numbers.no_connection, SystemEvent("connectivity", (("noConnectivity", "true"),))),
        (numbers.airplane_on, SystemEvent("airplane_mode", (("state", "true"),))),
        (numbers.airplane_off, SystemEvent("airplane_mode", (("state", "false"),))),
        (numbers.screen, SystemEvent("screen_off")),
        (numbers.screen, SystemEvent("screen_on")),
        (numbers.time_changed, SystemEvent("time_changed")),
        (numbers.clock_set / 2, SystemEvent("time_changed", (("by_seconds", "-3600"),))),
        (numbers.clock_set / 2, SystemEvent("time_changed", (("by_seconds", "86400"),))),
    )


# Before Android 6 a permission, once granted, cannot be taken back.
_ASKS_FOR_PERMISSIONS = 23
_DANGEROUS = (
    "CAMERA",
    "RECORD_AUDIO",
    "READ_",
    "WRITE_EXTERNAL",
    "ACCESS_FINE",
    "ACCESS_COARSE",
    "CALL_PHONE",
    "SEND_SMS",
)

_PROTECTED_PREFIXES = ("android.", "com.android.", "com.google.", "android.appwidget.")
_MAIN = _ANDROID + "MAIN"
_ODD_DATA = (
    *("https://example.org/", "https://example.org/a?b=%F0%9F%98%80", "content://nobody/1", "file:///sdcard/none.txt"),
    *("geo:0,0?q=", "tel:5550100", "mailto:ada@example.org", "", "not a uri", "market://details?id="),
)
_ODD_EXTRAS: tuple[tuple[str, ExtraValue], ...] = (
    ("android.intent.extra.TEXT", "Hello from another app"),
    ("android.intent.extra.TEXT", ""),
    ("android.intent.extra.SUBJECT", "Subject"),
    ("android.intent.extra.STREAM", "content://nobody/1"),
    ("android.intent.extra.TITLE", "Title"),
    ("query", "test"),
    ("id", -1),
    ("position", 99999),
)
_MIMES = ("text/plain", "image/png", "*/*", "application/pdf")


class SystemEvents:
    """System events for one app, weighted by how likely they are to matter to it."""

    def __init__(self, app: App, numbers: SystemParameters = SYSTEM_DEFAULTS) -> None:
        self._app = app
        self._numbers = numbers
        self._declared = frozenset(action for receiver in app.receivers for action in receiver.actions)
        self._starts = tuple(each for each in app.activities if each.exported and each.name != app.launcher)
        self._known: dict[frozenset[str], tuple[tuple[SystemEvent, ...], tuple[float, ...]]] = {}

    def __getstate__(self) -> dict[str, object]:
        """Without the cache of choices."""
        return {**self.__dict__, "_known": {}}

    def draw(self, random: Random, listening: frozenset[str] = frozenset()) -> Event:
        """One event; `listening` are the broadcast actions for which running code has registered."""
        if self._starts and random.random() < self._numbers.intent:
            return odd_intent(self._app.package, random.choice(self._starts), random, self._numbers)
        events, weights = self._choices(listening)
        return weighted_choice(events, weights, random)

    def _choices(self, listening: frozenset[str]) -> tuple[tuple[SystemEvent, ...], tuple[float, ...]]:
        # Threads share this cache: another one may clear it between any two lines, so nothing is looked up twice.
        known = self._known.get(listening)
        if known is None:
            weighted = tuple(self._weighted(listening))
            known = tuple(each for _, each in weighted), tuple(weight for weight, _ in weighted)
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[listening] = known
        return known

    def candidates(self, listening: frozenset[str] = frozenset()) -> tuple[SystemEvent, ...]:
        """Every system event that may be drawn, whatever its chance; intents are not among them."""
        return tuple(event for _, event in self._weighted(listening))

    def _weighted(self, listening: frozenset[str]) -> Iterator[tuple[float, SystemEvent]]:
        for action in sorted(self._declared | listening):
            events = tuple(broadcasts(action))
            # Several forms of one broadcast share its weight.
            yield from ((self._numbers.received / len(events), event) for event in events)
        yield from _without_receiver(self._numbers)
        if self._app.target_sdk >= _ASKS_FOR_PERMISSIONS:
            yield from ((self._numbers.permission, event) for event in _withdrawn(self._app.permissions))


_MOST_KNOWN = 100
"""Sets of broadcasts whose events are cached."""


def broadcasts(action: str) -> Iterator[SystemEvent]:
    """The forms in which a device can send a broadcast; none for broadcasts that only a real phone can send in full."""
    if action in NAMED:
        yield from (SystemEvent(name, arguments) for name, arguments in NAMED[action])
    elif action in _OTHERS:
        yield from (SystemEvent("broadcast", (("action", action), *extras)) for extras in _OTHERS[action])
    elif not action.startswith(_PROTECTED_PREFIXES):
        # The app's own broadcasts: another app, or an older version of this one, may send them bare.
        yield SystemEvent("broadcast", (("action", action),))


def odd_intent(
    package: str, activity: Component, random: Random, numbers: SystemParameters = SYSTEM_DEFAULTS
) -> StartIntent:
    """An intent of another app to an exported activity, with declared, missing or odd action, data and extras."""
    actions: Sequence[str | None] = [action for action in activity.actions if action != _MAIN] or [None]
    action = random.choice(actions) if random.random() < numbers.intent_action else None
    extras = dict(random.sample(_ODD_EXTRAS, random.choice(numbers.intent_extras)))
    return StartIntent(
        action=action,
        data=random.choice(_ODD_DATA) if random.random() < numbers.intent_data else None,
        component=f"{package}/{activity.name}",
        extras=tuple(extras.items()),
        mime=random.choice(_MIMES) if random.random() < numbers.intent_mime else None,
    )


def _withdrawn(permissions: Iterable[str]) -> Iterator[SystemEvent]:
    for permission in permissions:
        name = permission.removeprefix("android.permission.")
        if name != permission and name.startswith(_DANGEROUS):
            yield SystemEvent("permission", (("name", permission), ("to", "denied")))
