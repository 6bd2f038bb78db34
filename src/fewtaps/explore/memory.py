"""What was tried and what came of it: per action wherever it was met, and per place.

A place is a state, how the phone is held and what kind of text its fields hold: none of that is part of a state, and
all of it changes what an action does. This is the memory of the frontier strategy. It learns from steps alone, so that
an exploration which is resumed from stored episodes remembers the same as one that was never interrupted.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from fewtaps.explore.actions import Action
from fewtaps.explore.buttons import submits, widget_of
from fewtaps.explore.hints import MOST_LINES, lines_told
from fewtaps.explore.offers import Offers, Repertoire
from fewtaps.explore.scores import NEVER, UNTRIED, Offer, Score, Target, Try, scores_of, sum_of
from fewtaps.explore.tables import Table, drop_oldest
from fewtaps.model.event import StartIntent, SystemEvent, Text
from fewtaps.model.screen import Screen
from fewtaps.model.state import StateId
from fewtaps.model.trace import Step

MOST_PLACES = 4_000
"""Places remembered with what was tried in them; those not seen for longest are forgotten first."""
MOST_NAMES = 10_000
MOST_ALIKE = 1_000
"""Names of actions that were tried in places of one shape: a list may have other rows every time."""
MOST_ACCEPTED = 6
MOST_TARGETS = 4
"""Where an action leads may depend on what cannot be seen."""
ONCE = 0.25
"""What was tried once is not as sure as what was tried often."""
NOWHERE = ""
"""Where an action led that left the app or ended it."""
LATELY = 0.5
"""How sure at least an action is to lead where it led the last time: what cannot be seen may have changed for good."""
NEW_PLACE = 0.25
"""What a new place counts for, next to new code: apps without end of states are no better than others."""
VISIT = 6
"""A visit has time for so many tries."""
SELDOM = 4.0
"""What is the worth of places where nobody has been for long: where all seems tried, few tries say least."""
WEARY = 50.0
"""After so many events without new code a page promises less: what is still hidden there is hidden well."""
BEHIND = 1.5
"""A door that nobody got through yet may have much behind it."""
REFRESHED = 3
"""After so many steps the promise of one more place is brought up to date."""


_COPIED = (
    *(
        "names",
        "keys",
        "offers",
        "shapes",
        "promise",
        "typed",
        "hints_seen",
        "accepted",
        "places",
        "where",
        "doors",
        "spent",
        "passed",
    ),
    *("_barren", "_led", "_met", "_news", "_of_shape", "_stayed", "_turn", "_exits"),
)
"""Plain tables of the memory, whose values never change."""


class KnownMove(NamedTuple):
    """An action that led to another place, and how sure it is to do so again, between 0 and 1."""

    name: str
    sure: float
    steps: int
    """Whoever is not sure of a step has to take it more than once."""


class Accepted(NamedTuple):
    """A value with which a form was left, and the shape of what came behind it: errors have pages of their own too."""

    text: str
    behind: str


class FrontierMemory:
    """Scores of actions by name and by key; tries, offers and promise by place; how often a text was typed where."""

    def __init__(self, repertoire: Repertoire | None = None) -> None:
        self.repertoire = repertoire or Repertoire()
        self.names: dict[str, Score] = {}
        self.keys: dict[str, Score] = {}
        self.shaped: Table[tuple[int, float]] = Table()
        """By the shape of places and the names of actions: how often it was tried there, how much news it brought."""
        self.tried: Table[Try] = Table()
        """By place and the names of actions."""
        self.offers: dict[str, tuple[Offer, ...]] = {}
        self.shapes: dict[str, str] = {}
        """The shape of each place."""
        self.where: dict[str, str] = {}
        """The page or dialog of each place."""
        self.doors: dict[str, None] = {}
        """Places with a button that says it leads on."""
        self.spent: dict[str, int] = {}
        """How many events were spent where."""
        self.passed: dict[str, int] = {}
        """How often a button that says it leads on did so, by where."""
        self.promise: dict[str, float] = {}
        """What a place promised to whoever goes there, when it was last looked at."""
        self.typed: dict[tuple[str, str], int] = {}
        self.hints_seen: dict[str, tuple[str, ...]] = {}
        """By activity, the lines it ever told its reader: hints go away when something else is to be said."""
        self.accepted: dict[str, tuple[Accepted, ...]] = {}
        """By field, the values with which a form was left, the last one first, one for all that lead to the same."""
        self.places: dict[StateId, str] = {}
        """The place in which a state was seen last."""
        self._exits: dict[str, dict[str, KnownMove]] = {}
        self._barren: dict[str, int] = {}
        self._led: dict[str, str | None] = {}
        self._met: dict[str, int] = {}
        self._news: dict[str, None] = {}
        self._of_shape: dict[str, int] = {}
        self._stayed: dict[str, int] = {}
        self._steps = 0
        self._turn: list[str] = []

    def fork(self) -> FrontierMemory:
        """A memory that knows the same and learns on its own."""
        fork = FrontierMemory(self.repertoire)
        for name in _COPIED:
            setattr(fork, name, getattr(self, name).copy())
        fork.shaped = self.shaped.fork()
        fork.tried = self.tried.fork()
        fork._steps = self._steps
        return fork

    def __getstate__(self) -> dict[str, object]:
        """Without the cache of exits, which is computed again from what was tried."""
        return {**self.__dict__, "_exits": {}}

    def exits(self, place: str, broken: Collection[tuple[str, str]] = ()) -> Mapping[str, KnownMove]:
        """The places that tries in this one led to, each with the surest action that did.

        `broken` are actions with the places that they do not lead to any more.
        """
        found = None if broken else self._exits.get(place)
        if found is None:
            surest: dict[str, tuple[float, str]] = {}
            for name, (times, targets, _) in self.tried[place].items():
                least = LATELY
                for target, led in targets:
                    sure = max(least, (led + 1.0) / (times + 1.0 + ONCE))
                    least = 0.0
                    known = surest.get(target)
                    if (known is None or sure > known[0]) and (name, target) not in broken:
                        surest[target] = (sure, name)
            surest.pop(place, None)
            surest.pop(NOWHERE, None)
            found = {target: KnownMove(name, sure, math.ceil(1.0 / sure)) for target, (sure, name) in surest.items()}
            if not broken:
                self._exits[place] = found
        return found

    def place(self, state: StateId, screen: Screen) -> str:
        """The place of a state that is on the screen."""
        return f"{state}{self.repertoire(screen).circumstances}"

    def observe(self, source: StateId | None, step: Step, target: StateId | None, news: bool) -> None:
        """Learns what an event did."""
        reached = None if target is None else self.place(target, step.after)
        if news and reached is not None and reached not in self.offers:
            self._news[reached] = None
        novelty = self._meet(target, reached, step.after) if target is not None and reached is not None else 0.0
        if source is None:
            return
        place = self.place(source, step.before)
        self._meet(source, place, step.before)
        offers = self.repertoire(step.before)
        action = offers.of(step.event)
        name, key = (sys.intern(action.name), sys.intern(action.key)) if action else _foreign(step)
        crashed = int(step.crash is not None)
        gain = 1.0 if news else NEW_PLACE * novelty
        led = self._led_to(offers, reached, step.after)
        idle, same = reached == place and not news, self._led.get(name) == led
        shape = self.shapes[place]
        self._stayed[shape] = self._stayed.pop(shape, 0) + 1
        shaped = self.shaped.to_change(shape)
        tries, so_far = shaped.get(name, (0, 0.0))
        shaped[name] = (tries + 1, so_far + gain)
        drop_oldest(shaped, MOST_ALIKE)
        exits = int(reached is None and not crashed)
        self._count(name, key, Score(1, gain, int(idle), exits, crashed, int(same), int(tries == 0)))
        self._led[name] = led
        if isinstance(step.event, Text):
            self._hear(action, step.event.text)
        elif action is not None and reached is not None and submits(action):
            self._judge(offers, self.repertoire(step.after))
        self.spent[offers.where] = self.spent.pop(offers.where, 0) + 1
        self._barren[offers.where] = 0 if news else self._barren.get(offers.where, 0) + 1
        tried = self.tried.to_change(place)
        times, targets, crashes = tried.get(name, NEVER)
        # What no screen offers, like a call from the system, is no way on foot.
        if action is not None:
            there = reached or NOWHERE
            before = next((target.times for target in targets if target.place == there), 0)
            others = (target for target in targets if target.place != there)
            targets = (Target(there, before + 1), *others)[:MOST_TARGETS]
            self._exits.pop(place, None)
        tried[name] = Try(times + 1, targets, crashes + crashed)
        self._look_at(place)
        self._refresh()

    def _led_to(self, offers: Offers, reached: str | None, after: Screen) -> str | None:
        """What an action led to, for whoever asks whether it does the same again.

        On its own page an action works on what the page holds, and every difference counts; a step to another page is
        the same step however that page looks in detail.
        """
        if reached is None:
            return None
        target = self.repertoire(after)
        return reached if target.where == offers.where else sys.intern(f"{target.where} {target.shape}")

    def _hear(self, action: Action | None, text: str) -> None:
        if action is not None:
            value = typed_key(action, text)
            self.typed[value] = self.typed.pop(value, 0) + 1

    def _judge(self, offers: Offers, after: Offers) -> None:
        """Remembers what stands in the fields of a form that let somebody through, and forgets what no longer does."""
        values = {_field(field.name): widget_of(field).text or "" for field in offers.texts}
        if offers.is_left_for(after):
            self.passed[offers.where] = self.passed.get(offers.where, 0) + 1
            for field, text in values.items() if any(values.values()) else ():
                others = (each for each in self.accepted.get(field, ()) if each.behind != after.shape)
                self.accepted[field] = (Accepted(text, sys.intern(after.shape)), *others)[:MOST_ACCEPTED]
        elif all(any(each.text == text for each in self.accepted.get(field, ())) for field, text in values.items()):
            for field, text in values.items():
                self.accepted[field] = tuple(each for each in self.accepted[field] if each.text != text)

    def text_towards(self, action: Action, places: Iterable[str]) -> str | None:
        """What to type in order to get to the first of these places that something was typed for; None if unknown."""
        known = self.accepted.get(typed_key(action)[0], ())
        by_shape = {each.behind: each.text for each in reversed(known)}
        shapes = (self.shapes.get(place, "") for place in places)
        return next((by_shape[shape] for shape in shapes if shape in by_shape), known[0].text if known else None)

    def scores_of(self, place: str, offers: Iterable[Offer]) -> list[float]:
        """What each of the actions promises in the place."""
        tried, shaped = self.tried[place], self.shaped[self.shapes.get(place, "")]
        return scores_of(offers, tried, shaped, self.names, self.keys, is_news=place in self._news)

    def form_left(self, place: str, entries: Sequence[str]) -> float:
        """How much of a form with these actions is still to be found out, between 0 and 1: less after each try."""
        shaped = self.shaped[self.shapes.get(place, "")]
        anywhere = sum(self.names.get(name, UNTRIED).tries for name in entries)
        tries = sum(shaped.get(name, (0, 0.0))[0] for name in entries) + 0.1 * anywhere
        return 1.0 / math.sqrt(1.0 + tries / (2.0 * len(entries)))

    def _count(self, name: str, key: str, change: Score) -> None:
        # Taken out and put in again, so that what was not tried for longest comes first, and is forgotten first.
        self.names[name] = sum_of(self.names.pop(name, UNTRIED), change)
        self.keys[key] = sum_of(self.keys.pop(key, UNTRIED), change)
        for oldest in drop_oldest(self.names, MOST_NAMES):
            self._led.pop(oldest, None)
        for oldest in drop_oldest(self.spent, MOST_NAMES):
            self.passed.pop(oldest, None)
            self._barren.pop(oldest, None)
        drop_oldest(self.keys, MOST_NAMES)
        drop_oldest(self._of_shape, MOST_NAMES)
        drop_oldest(self._stayed, MOST_NAMES)
        drop_oldest(self.typed, MOST_NAMES)
        drop_oldest(self.accepted, MOST_NAMES)

    def _meet(self, state: StateId, place: str, screen: Screen) -> float:
        """Remembers a place; how new it is: 1 if nothing of its shape was seen, less the more there is of it."""
        self.places[state] = place
        self._met[place] = self._steps
        if place in self.offers:
            return 0.0
        if len(self.offers) >= MOST_PLACES:
            self._forget()
        offers = self.repertoire(screen)
        self.offers[place] = self.repertoire.promising(screen)
        if offers.texts:
            self._listen(screen)
        self.where[place] = sys.intern(offers.where)
        if any(map(submits, offers.taps)):
            self.doors[place] = None
        shape = self.shapes[place] = sys.intern(offers.shape)
        self._of_shape[shape] = self._of_shape.pop(shape, 0) + 1
        self._look_at(place)
        return 1.0 / self._of_shape[shape]

    def _listen(self, screen: Screen) -> None:
        activity = screen.activity or ""
        lines = dict.fromkeys((*self.hints_seen.get(activity, ()), *lines_told(screen)))
        self.hints_seen[activity] = tuple(islice(lines, MOST_LINES))

    def _forget(self) -> None:
        """Forgets a quarter of the places: those that were not seen for longest."""
        for place in sorted(self.offers, key=self._met.__getitem__)[: -(-MOST_PLACES // 4)]:
            del self.offers[place], self.promise[place], self.shapes[place], self.where[place], self._met[place]
            self.doors.pop(place, None)
            self._news.pop(place, None)
            self.tried.drop(place)
        self._exits.clear()
        self.shaped.drop_oldest(MOST_PLACES)
        self.places = {state: place for state, place in self.places.items() if place in self.offers}

    def _look_at(self, place: str) -> None:
        """What the place promises: its best actions together, as many as there is time for."""
        offers = self.offers[place]
        values = [offer.chance * value for offer, value in zip(offers, self.scores_of(place, offers), strict=True)]
        values.sort(reverse=True)
        barren = self._barren.get(self.where[place], 0)
        seldom = 1.0 + SELDOM / math.sqrt(1.0 + self._stayed.get(self.shapes[place], 0))
        self.promise[place] = seldom * (sum(values[:VISIT]) + self._behind(place)) / (1.0 + barren / WEARY)

    def _behind(self, place: str) -> float:
        where = self.where[place]
        if place not in self.doors or where in self.passed:
            return 0.0
        return BEHIND / math.sqrt(1.0 + self.spent.get(where, 0) / 20.0)

    def _refresh(self) -> None:
        """Looks again at one of the other places now and then: what is known of actions has changed meanwhile."""
        self._steps += 1
        if self._steps % REFRESHED:
            return
        if not self._turn:
            self._turn = list(self.offers)
        place = self._turn.pop()
        if place in self.offers:
            self._look_at(place)


def typed_key(action: Action, text: str = "") -> tuple[str, str]:
    """A field, whatever the class of the value, and what was typed into it."""
    return _field(action.name), text[:80]


def _field(name: str) -> str:
    """The field of an action that types, whatever the class of its values."""
    return name.split(" ", 2)[2]


def _foreign(step: Step) -> tuple[str, str]:
    event = step.event
    kind = event.name if isinstance(event, SystemEvent) else event.kind
    return f"system {kind}", "intent" if isinstance(event, StartIntent) else "system"
