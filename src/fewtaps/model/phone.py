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

    def allows(self, value: str) -> bool:
        """Whether the setting can have this value."""
        return value in self.values or bool(self.pattern and re.fullmatch(self.pattern, value))


SETTINGS: dict[str, PhoneSetting] = {
    each.name: each
    for each in (
        PhoneSetting("browser", _ABSENT, "without a browser"),
        PhoneSetting("calendar", _ABSENT, "without a calendar"),
        PhoneSetting("camera", _ABSENT, "without a camera app"),
        PhoneSetting("clock", _ABSENT, "without an alarm clock"),
        PhoneSetting("dialler", _ABSENT, "without a dialler"),
        PhoneSetting("files", _ABSENT, "without a file picker"),
        PhoneSetting("gallery", _ABSENT, "without a gallery"),
        PhoneSetting("mail", _ABSENT, "without a mail app"),
        PhoneSetting("maps", _ABSENT, "without a map app"),
        PhoneSetting("market", _ABSENT, "without an app store"),
        PhoneSetting("permissions", ("denied", "asked", "granted"), "with permissions {}"),
        PhoneSetting("network", ("faked", "offline"), "with network {}"),
        PhoneSetting("locale", ("ar-EG", "de-DE"), "in the language {}", r"[a-z]{2,3}(-[A-Z]{2})?"),
        PhoneSetting("time_zone", ("Asia/Kathmandu",), "in the time zone {}", _ZONE),
        PhoneSetting("font_scale", ("1.3", "2.0"), "with texts scaled by {}", _SCALE),
        PhoneSetting("theme", ("dark",), "with the {} theme"),
        PhoneSetting("keep_activities", ("no",), "that does not keep activities"),
    )
}


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
