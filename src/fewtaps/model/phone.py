"""Phones that differ from the ordinary one: the settings that may differ, their values, and how they are told.

An ordinary phone has all neighbour apps, and permissions, network and language as the session was opened with. A run on
another phone begins with a `Launch` that names the differences, so that every trace carries them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

Differences: TypeAlias = tuple[tuple[str, str], ...]
"""Settings that differ from those of the ordinary phone: name and value, sorted by name."""

ORDINARY: Differences = ()
"""No differences."""
ORDINARY_NAME = "ordinary"
"""The ordinary phone in an option of the command line."""

_ABSENT = ("absent",)
_ZONE = r"[A-Za-z0-9_+/-]{1,40}"
_SCALE = r"0\.[5-9]|[1-3](\.[0-9]{1,2})?"
_PIXELS = r"(2[4-9][0-9]|[3-9][0-9]{2}|[1-3][0-9]{3})"
_DISPLAY = rf"{_PIXELS}x{_PIXELS}@[1-6][0-9]{{2}}"
_DATE = r"(19[7-9]|20[0-9])[0-9]-[01][0-9]-[0-3][0-9]"


_LONG_MONTHS = (1, 3, 5, 7, 8, 10, 12)
_FEBRUARY = 2


def _is_date(text: str) -> bool:
    """Whether the calendar has this day, which is written as `_DATE` says. 2000 is the only century in between."""
    year, month, day = map(int, text.split("-"))
    last = (28 if year % 4 else 29) if month == _FEBRUARY else 31 if month in _LONG_MONTHS else 30
    return 1 <= month <= 12 and 1 <= day <= last


@dataclass(frozen=True, slots=True)
class PhoneSetting:
    """A setting in which phones differ.

    Its values are `values`, and others that match `pattern`. `words` tell a phone with the value, after "a phone ":
    "without a browser". In `words`, `{}` stands for the value.
    """

    name: str
    values: tuple[str, ...]
    words: str
    pattern: str = ""
    values_words: tuple[tuple[str, str], ...] = ()
    """Other words for some of the values."""
    need: str = ""
    """What a crash needs that happens with the value only, after "only ": "in split screen"; empty: "on phones " and
    the words."""
    told: Callable[[str], str] = str
    """How a value is told within the words."""
    exists: Callable[[str], bool] = bool
    """Whether a value that matches `pattern` is really one."""
    group: str = ""
    """The name of several settings together, for `--vary`; empty if the setting's own name is used."""
    least_api: int = 1
    """The first API level of Android that has the setting."""

    def allows(self, value: str) -> bool:
        """Whether the setting can have this value."""
        return value in self.values or (bool(self.pattern and re.fullmatch(self.pattern, value)) and self.exists(value))

    def say(self, value: str) -> str:
        """The words for a phone with this value."""
        return dict(self.values_words).get(value, self.words).format(self.told(value))

    def say_need(self, value: str) -> str:
        """What a crash needs that happens with this value only, in words after "only "."""
        return self.need.format(self.told(value)) if self.need else f"on phones {self.say(value)}"


def _neighbour(name: str, words: str) -> PhoneSetting:
    return PhoneSetting(name, _ABSENT, f"without {words}", group="neighbours")


_ASKED_SINCE = 23
"""Before Android 6, an app has all permissions from its installation on."""

_ANDROIDS = {28: "9", 29: "10", 30: "11", 31: "12", 33: "13", 34: "14", 35: "15", 36: "16"}
ANDROID_LEVELS: tuple[int, ...] = tuple(_ANDROIDS)
"""The API levels that a phone can have, lowest first."""
AND_LATER = "+"
"""Ends the value of a phone's Android: every level tried from this one on showed the same."""


def _android_words(value: str) -> str:
    level = value.rstrip(AND_LATER)
    words = f"Android {_ANDROIDS.get(int(level), f'of API level {level}')}"
    return f"{words} and later" if value.endswith(AND_LATER) and level != str(ANDROID_LEVELS[-1]) else words


SETTINGS: dict[str, PhoneSetting] = {
    each.name: each
    for each in (
        _neighbour("browser", "a browser"),
        _neighbour("calendar", "a calendar"),
        _neighbour("camera", "a camera app"),
        _neighbour("clock", "an alarm clock"),
        _neighbour("contacts", "a contacts app"),
        _neighbour("dialler", "a dialler"),
        _neighbour("files", "a file picker"),
        _neighbour("gallery", "a gallery"),
        _neighbour("keys", "a chooser of certificates"),
        _neighbour("mail", "a mail app"),
        _neighbour("maps", "a map app"),
        _neighbour("market", "an app store"),
        _neighbour("music", "a music player"),
        _neighbour("recorder", "a sound recorder"),
        _neighbour("sms", "a messaging app"),
        _neighbour("speech", "voice input"),
        PhoneSetting("permissions", ("denied", "asked", "granted"), "with permissions {}", least_api=_ASKED_SINCE),
        PhoneSetting(
            "network",
            ("online", "slow", "failing", "offline"),
            "with a {} network",
            "faked",
            (("offline", "that is offline"), ("online", "that is online")),
        ),
        PhoneSetting("content", ("empty",), "without contacts, pictures and files"),
        PhoneSetting("locale", ("ar-EG", "de-DE", "fa-IR", "tr-TR"), "in the language {}", r"[a-z]{2,3}(-[A-Z]{2})?"),
        PhoneSetting("time_zone", ("Asia/Kathmandu",), "in the time zone {}", _ZONE, need="in the time zone {}"),
        PhoneSetting("date", ("2028-02-29",), "on the date {}", _DATE, exists=_is_date, need="on the date {}"),
        PhoneSetting("font_scale", ("1.3", "2.0"), "with texts scaled by {}", _SCALE),
        PhoneSetting("theme", ("dark",), "with the {} theme"),
        PhoneSetting(
            "display",
            ("tablet", "small"),
            "with a display of {}",
            _DISPLAY,
            (("tablet", "with the display of a tablet"), ("small", "with a small display")),
        ),
        PhoneSetting("split_screen", ("yes",), "with the app in split screen", need="in split screen", least_api=24),
        PhoneSetting("storage", ("full",), "with a full storage", need="while the storage is full"),
        PhoneSetting("accessibility", ("on",), "with a screen reader", need="while a screen reader is on"),
        PhoneSetting("keep_activities", ("no",), "that does not keep activities"),
        PhoneSetting(
            "android",
            (str(ANDROID_LEVELS[-1]),),
            "with {}",
            rf"({'|'.join(map(str, ANDROID_LEVELS))})\{AND_LATER}?",
            need="on {}",
            told=_android_words,
        ),
    )
}


GROUPS: tuple[str, ...] = tuple(dict.fromkeys(each.group or each.name for each in SETTINGS.values()))
"""The names by which `--vary` takes settings, each once."""


def settings_in(names: Iterable[str]) -> frozenset[str]:
    """The names of the settings in these groups; a setting's own name is taken too. Raises ValueError for another."""
    found: set[str] = set()
    for name in names:
        members = {each.name for each in SETTINGS.values() if name in (each.group, each.name)}
        if not members:
            raise ValueError(f"{name:.40}: phones have no such setting; there are {', '.join(GROUPS)}")
        found |= members
    return frozenset(found)


def require_api(phone: Differences, api: int) -> None:
    """Raises ValueError if an Android of this API level does not have one of the settings, or the phone has another."""
    level = android_level(phone)
    if level not in (None, api):
        raise ValueError(f"android={level} of the phone: one of them")
    for name, _ in phone:
        least = SETTINGS[name].least_api
        if api < least:
            raise ValueError(f"{name}: Android has it since API level {least}, and this is level {api}")


def differences(pairs: Iterable[tuple[str, str]]) -> Differences:
    """The differences in their one order. Raises ValueError for an unknown setting, a value it lacks, or a second one.

    The message begins with the name of the setting.
    """
    found: dict[str, str] = {}
    for name, value in pairs:
        setting = SETTINGS.get(name)
        if setting is None:
            raise ValueError(f"{name:.40}: phones have no such setting; there are {', '.join(SETTINGS)}")
        if not setting.allows(value):
            raise ValueError(f"{name}: not {value!r:.60}; for instance {', '.join(setting.values)}")
        if name in found:
            raise ValueError(f"{name}: given twice")
        found[name] = value
    return tuple(sorted(found.items()))


def android_level(phone: Differences) -> int | None:
    """The API level of a phone whose Android differs."""
    value = dict(phone).get("android")
    return None if value is None else int(value.rstrip(AND_LATER))


def with_android(phone: Differences, level: int, *, and_later: bool) -> Differences:
    """The phone with the Android of another level, on and after which the same was seen if it is `and_later`."""
    return differences({**dict(phone), "android": f"{level}{AND_LATER if and_later else ''}"}.items())


def phone_from_text(text: str) -> Differences:
    """The differences of "browser=absent,locale=ar-EG" or "ordinary". Raises ValueError."""
    if text == ORDINARY_NAME:
        return ORDINARY
    pairs: list[tuple[str, str]] = []
    for part in filter(None, map(str.strip, text.split(","))):
        name, equals, value = part.partition("=")
        name = name.strip().replace("-", "_")
        if not equals:
            raise ValueError(f"{part:.60}: written as NAME=VALUE, for instance browser=absent")
        pairs.append((name, value))
    return differences(pairs)


def smaller(phone: Differences) -> Iterator[Differences]:
    """The phones with fewer differences: the ordinary one first, then those with one difference less."""
    if phone:
        yield ORDINARY
    if len(phone) > 1:
        for position in range(len(phone)):
            yield phone[:position] + phone[position + 1 :]


def describe_phone(phone: Differences) -> str:
    """The differences in words, after "a phone "; empty for an ordinary one."""
    return " and ".join(SETTINGS[name].say(value) for name, value in phone)


_LANGUAGES = {"ar": "Arabic", "de": "German", "fa": "Persian", "tr": "Turkish"}
_PERMISSIONS = {
    "denied": "if permissions are denied",
    "asked": "if permissions are asked for",
    "granted": "if permissions are granted",
}

_NETWORKS = {
    "online": "while servers answer",
    "slow": "while servers answer slowly",
    "failing": "while servers fail",
    "offline": "without a network",
    "faked": "with a faked network",
}


def describe_need(phone: Differences) -> str:
    """What a crash needs that was reduced to this phone: "only in Arabic"; empty for an ordinary one."""
    return "only " + " and ".join(map(_need, phone)) if phone else ""


def _need(difference: tuple[str, str]) -> str:
    match difference:
        case ("permissions", value):
            return _PERMISSIONS[value]
        case ("network", value):
            return _NETWORKS[value]
        case ("locale", value):
            return f"in {_LANGUAGES.get(value.partition('-')[0], f'the language {value}')}"
    name, value = difference
    return SETTINGS[name].say_need(value)
