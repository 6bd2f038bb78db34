"""Which phones the episodes of an exploration are played on: mostly the ordinary one, some others in between.

The phone of an episode depends on the seed and on the number of the episode alone, so that a resumed exploration goes
on with the same phones. What differs is drawn by weight: settings that the app shows to care about come sooner.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from random import Random

from fewtaps.explore.frontier_parameters import VARY_DEFAULTS, VaryParameters
from fewtaps.model.app import App
from fewtaps.model.episode import Episode
from fewtaps.model.event import Event
from fewtaps.model.phone import ANDROID_LEVELS, ORDINARY, SETTINGS, Differences, differences

_NEIGHBOURS = frozenset(each.name for each in SETTINGS.values() if each.group == "neighbours")
_DANGEROUS = ("CAMERA", "RECORD_AUDIO", "READ_", "WRITE_", "ACCESS_", "CALL_", "SEND_SMS", "POST_", "BLUETOOTH_")
_INTERNET = "android.permission.INTERNET"


def conditions(
    app: App,
    settings: Collection[str],
    base: Collection[tuple[str, str]] = (),
    *,
    has_manifest: bool = True,
    api: int | None = None,
) -> tuple[tuple[str, str], ...]:
    """The single differences that can be tried on an app, in a fixed order.

    `settings` are those that may differ, `base` the values that the ordinary phone of the exploration has already.
    Permissions differ only for an app that needs some, the network only for an app that may use it, as far as it has a
    manifest that tells. `api` is the API level, if it is known.
    """
    taken = set(base)
    found: list[tuple[str, str]] = []
    for name, setting in SETTINGS.items():
        if name not in settings or (api is not None and api < setting.least_api):
            continue
        if name == "permissions" and has_manifest and not _needs_permissions(app):
            continue
        if name == "android" and (api is not None or app.min_sdk >= ANDROID_LEVELS[-1]):
            continue
        if name == "network" and has_manifest and _INTERNET not in app.permissions:
            continue
        found.extend((name, value) for value in setting.values if (name, value) not in taken)
    return tuple(found)


def _needs_permissions(app: App) -> bool:
    names = (each.rpartition("android.permission.")[2] for each in app.permissions)
    return any(name.startswith(_DANGEROUS) for name in names)


class PhoneSchedule:
    """The phone of each episode by its number.

    `cared` names the settings that the app shows to care about; None says that nothing is known about it.
    """

    def __init__(
        self,
        conditions: Collection[tuple[str, str]],
        *,
        seed: int = 0,
        cared: Collection[str] | None = None,
        numbers: VaryParameters = VARY_DEFAULTS,
    ) -> None:
        self._first = numbers.after
        self._numbers = numbers
        self._weights = {each: self._weight(each, cared) for each in conditions if each[0] != "android"}
        self._androids = tuple((each,) for each in conditions if each[0] == "android" and numbers.android)
        varies = numbers.share and (self._weights or self._androids)
        self._every = round(1 / numbers.share) if varies else 0
        self._phones = self._drawn(Random(f"{seed}/phones"))
        self._known: list[Differences] = []

    def phone(self, number: int) -> Differences:
        """In what the phone of this episode differs from the ordinary one: always the same for the same number."""
        if not self._every or number < self._first or (number - self._first) % self._every:
            return ORDINARY
        turn = (number - self._first) // self._every
        if self._androids and self._is_of_android(turn):
            return self._androids[0]
        while len(self._known) <= turn:
            self._known.append(next(self._phones))
        return self._known[turn]

    def _is_of_android(self, turn: int) -> bool:
        every = self._numbers.android
        return not self._weights or turn % every == every // 3

    def _weight(self, condition: tuple[str, str], cared: Collection[str] | None) -> float:
        name = condition[0]
        if condition == ("network", "online"):
            return self._numbers.network
        if name == "network" or cared is None or name in cared:
            return self._numbers.cared
        return self._numbers.neighbour if name in _NEIGHBOURS else 1.0

    def _drawn(self, random: Random) -> Iterator[Differences]:
        """Phones without end. A condition gets its turn as often as its weight says, none twice before its time."""
        credit = dict.fromkeys(self._weights, 0.0)
        total, uneven = sum(self._weights.values()), self._numbers.uneven
        while True:
            for each, weight in self._weights.items():
                credit[each] += weight * random.uniform(1 - uneven, 1 + uneven)
            chosen = max(credit, key=credit.__getitem__)
            credit[chosen] -= total
            pair = {chosen[0]: chosen[1]}
            others = [each for each in credit if each[0] != chosen[0]]
            if others and random.random() < self._numbers.two:
                second = max(others, key=credit.__getitem__)
                credit[second] -= total
                pair[second[0]] = second[1]
            yield differences(pair.items())


ALWAYS_ORDINARY = PhoneSchedule(())
"""Every episode on the phone that the session was opened with."""


class GoodWalks:
    """Events of ordinary episodes that ran new code, to be played on other phones first.

    Earlier episodes ran more new code than later ones.
    """

    def __init__(self, numbers: VaryParameters = VARY_DEFAULTS) -> None:
        self._numbers = numbers
        self._walks: list[tuple[Event, ...]] = []
        self._played: dict[Differences, set[int]] = {}

    def add(self, episode: Episode, useful: int, prelude: int) -> None:
        """Keeps the events up to the last useful step, without the prelude and without a step that ended the app."""
        steps = episode.trace.steps[: useful + 1]
        while steps and steps[-1].ending.is_final:
            steps = steps[:-1]
        events = tuple(step.event for step in steps[1 + prelude :])[: self._numbers.way]
        if events and len(self._walks) < self._numbers.episodes:
            self._walks.append(events)

    def choose(self, phone: Differences, random: Random) -> tuple[Event, ...]:
        """A walk that was not chosen for this phone yet, one of the earlier half of them; empty if there is none."""
        played = self._played.setdefault(phone, set())
        fresh = [each for each in range(len(self._walks)) if each not in played]
        if not fresh:
            return ()
        chosen = random.choice(fresh[: max(1, (len(fresh) + 1) // 2)])
        played.add(chosen)
        return self._walks[chosen]
