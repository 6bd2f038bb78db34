"""Phones that differ from the ordinary one: the settings that may differ, their values, and how they are told.

An ordinary phone has all neighbour apps, and permissions, network and language as the session was opened with. A run on
another phone begins with a `Launch` that names the differences, so that every trace carries them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
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
    group: str = ""
    """The name of several settings together, for `--vary`; empty if the setting's own name is used."""
    least_api: int = 1
    """The first API level of Android that has the setting."""

    def allows(self, value: str) -> bool:
        """Whether the setting can have this value."""
        return value in self.values or bool(self.pattern and re.fullmatch(self.pattern, value))


def _neighbour(name: str, words: str) -> PhoneSetting:
    return PhoneSetting(name, _ABSENT, f"without {words}", group="neighbours")


_ASKED_SINCE = 23
"""Before Android 6, an app has all permissions from its installation on."""

SETTINGS: dict[str, PhoneSetting] = {
    each.name: each
    for each in (
        _neighbour("browser", "a browser"),
        _neighbour("calendar", "a calendar"),
        _neighbour("camera", "a camera app"),
        _neighbour("clock", "an alarm clock"),
        _neighbour("dialler", "a dialler"),
        _neighbour("files", "a file picker"),
        _neighbour("gallery", "a gallery"),
        _neighbour("mail", "a mail app"),
        _neighbour("maps", "a map app"),
        _neighbour("market", "an app store"),
        PhoneSetting("permissions", ("denied", "asked", "granted"), "with permissions {}", least_api=_ASKED_SINCE),
        PhoneSetting("network", ("faked", "offline"), "with network {}"),
        PhoneSetting("locale", ("ar-EG", "de-DE"), "in the language {}", r"[a-z]{2,3}(-[A-Z]{2})?"),
        PhoneSetting("time_zone", ("Asia/Kathmandu",), "in the time zone {}", _ZONE),
        PhoneSetting("font_scale", ("1.3", "2.0"), "with texts scaled by {}", _SCALE),
        PhoneSetting("theme", ("dark",), "with the {} theme"),
        PhoneSetting("keep_activities", ("no",), "that does not keep activities"),
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
    """Raises ValueError if an Android of this API level does not have one of the settings."""
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
    return " and ".join(SETTINGS[name].words.format(value) for name, value in phone)


_LANGUAGES = {"ar": "Arabic", "de": "German"}
_PERMISSIONS = {
    "denied": "if permissions are denied",
    "asked": "if permissions are asked for",
    "granted": "if permissions are granted",
}


def describe_need(phone: Differences) -> str:
    """What a crash needs that was reduced to this phone: "only in Arabic"; empty for an ordinary one."""
    return "only " + " and ".join(map(_need, phone)) if phone else ""


def _need(difference: tuple[str, str]) -> str:
    match difference:
        case ("permissions", value):
            return _PERMISSIONS[value]
        case ("locale", value):
            return f"in {_LANGUAGES.get(value.partition('-')[0], f'the language {value}')}"
    return f"on phones {describe_phone((difference,))}"
