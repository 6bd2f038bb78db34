"""What was tried and what came of it: per action wherever it was met, and per place.

A place is a state, how the phone is held and what kind of text its fields hold: none of that is part of a state, and
all of it changes what an action does. This is the memory of the frontier strategy. It learns from steps alone, so that
an exploration which is resumed from stored outings remembers the same as one that was never interrupted.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Generic, NamedTuple, TypeVar

from fewtaps.explore.actions import Action
from fewtaps.explore.offers import Repertoire
from fewtaps.explore.texts import told_on
from fewtaps.model.event import StartIntent, SystemEvent, Text
from fewtaps.model.screen import Screen
from fewtaps.model.state import StateId
from fewtaps.model.trace import Step

MOST_PLACES = 4_000
"""Places remembered with what was tried in them; the oldest are forgotten first."""
MOST_NAMES = 20_000
MOST_WORDS = 60
MOST_TARGETS = 3
"""Where an action leads may depend on what cannot be seen."""
NEW_PLACE = 0.25
"""What a new place counts for, next to new code: apps without end of states are no better than others."""
LEAST_CHANCE = 0.1
"""What users do more rarely is no reason to go somewhere."""
LEAST = 0.02
"""The app may count in secret: nothing is ever worth nothing, and where all was tried chance decides, as for a user."""
TURNED = 0.4
"""Most of what can be done with a turned phone can be done with an upright one, and was."""
VISIT = 6
"""A visit has time for so many tries."""
REFRESHED = 3
"""After so many steps the promise of one more place is brought up to date."""


class Score(NamedTuple):
    """What came of the tries of an action: how often it reached new code or a new state, left the app, crashed it."""

    tries: int = 0
    news: float = 0.0
    idle: int = 0
    """How often nothing was seen to change."""
    exits: int = 0
    crashes: int = 0
    same: int = 0
    """How often it led to the same place as the time before."""


class Try(NamedTuple):
    """The tries of an action in one place: how many, to which other places they led, last first, how many crashed."""

    times: int = 0
    targets: tuple[str, ...] = ()
    crashes: int = 0


class Offer(NamedTuple):
    """An action that a place offers."""

    name: str
    key: str
    chance: float


UNTRIED = Score()
NEVER = Try()


Inner = TypeVar("Inner")

_COPIED = (
    *("names", "keys", "offers", "shapes", "promise", "typed", "told", "places"),
    *("_led", "_of_shape", "_turn"),
)
"""Plain tables of the memory, whose values never change."""


class Table(Generic[Inner]):
    """Tables by name, each shared with the forks of this one until somebody changes it."""

    def __init__(self) -> None:
        self._tables: dict[str, dict[str, Inner]] = {}
        self._own: set[str] = set()
        self._none: dict[str, Inner] = {}

    def fork(self) -> Table[Inner]:
        """The same tables, to be changed apart from these."""
        fork: Table[Inner] = Table()
        fork._tables = self._tables.copy()
        self._own = set()
        return fork

    def __getitem__(self, name: str) -> Mapping[str, Inner]:
        return self._tables.get(name, self._none)

    def to_change(self, name: str) -> dict[str, Inner]:
        """The table, which may now be changed."""
        if name not in self._own:
            self._tables[name] = dict(self._tables.get(name, self._none))
            self._own.add(name)
        return self._tables[name]

    def drop_oldest(self, kept: int) -> None:
        """Forgets all but so many tables."""
        for name in list(self._tables)[: max(0, len(self._tables) - kept)]:
            del self._tables[name]
            self._own.discard(name)


class Tries:
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
        self.promise: dict[str, float] = {}
        """What a place promised to whoever goes there, when it was last looked at."""
        self.typed: dict[tuple[str, str], int] = {}
        self.told: dict[str, tuple[str, ...]] = {}
        """By activity, the words it ever told its reader: hints go away when something else is to be said."""
        self.places: dict[StateId, str] = {}
        """The place in which a state was seen last."""
        self._led: dict[str, str | None] = {}
        self._of_shape: dict[str, int] = {}
        self._steps = 0
        self._turn: list[str] = []

    def fork(self) -> Tries:
        """A memory that knows the same and learns on its own."""
        fork = Tries(self.repertoire)
        for name in _COPIED:
            setattr(fork, name, getattr(self, name).copy())
        fork.shaped = self.shaped.fork()
        fork.tried = self.tried.fork()
        fork._steps = self._steps
        return fork

    def place(self, state: StateId, screen: Screen) -> str:
        """The place of a state that is on the screen."""
        return f"{state}{self.repertoire(screen).circumstances}"

    def observe(self, source: StateId | None, step: Step, target: StateId | None, news: bool) -> None:
        """Learns what an event did."""
        reached = None if target is None else self.place(target, step.after)
        novelty = self._meet(target, reached, step.after) if target is not None and reached is not None else 0.0
        if source is None:
            return
        place = self.place(source, step.before)
        self._meet(source, place, step.before)
        action = self.repertoire(step.before).of(step.event, step.before)
        name, key = (sys.intern(action.name), sys.intern(action.key)) if action else _foreign(step)
        crashed = int(step.crash is not None)
        gain = 1.0 if news else NEW_PLACE * novelty
        idle, same = reached == place and not news, self._led.get(name) == reached
        change = Score(1, gain, int(idle), int(reached is None and not crashed), crashed, int(same))
        self._count(name, key, change)
        self._led[name] = reached
        if isinstance(step.event, Text):
            self._hear(action, step.event.text)
        shaped = self.shaped.to_change(self.shapes[place])
        tries, so_far = shaped.get(name, (0, 0.0))
        shaped[name] = (tries + 1, so_far + gain)
        tried = self.tried.to_change(place)
        times, targets, crashes = tried.get(name, NEVER)
        if reached is not None and reached != place and targets[:1] != (reached,):
            targets = (reached, *(target for target in targets if target != reached))[:MOST_TARGETS]
        tried[name] = Try(times + 1, targets, crashes + crashed)
        self._look_at(place)
        self._refresh()

    def _hear(self, action: Action | None, text: str) -> None:
        if action is not None:
            value = typed_key(action, text)
            self.typed[value] = self.typed.get(value, 0) + 1

    def worths(self, place: str, offers: Iterable[Offer]) -> list[float]:
        """What each of the actions promises in the place."""
        tried, shaped = self.tried[place], self.shaped[self.shapes.get(place, "")]
        return [worth(offer, tried, shaped, self) for offer in offers]

    def _count(self, name: str, key: str, change: Score) -> None:
        self.names[name] = _sum(self.names.get(name, UNTRIED), change)
        self.keys[key] = _sum(self.keys.get(key, UNTRIED), change)
        if len(self.names) > MOST_NAMES:
            for oldest in list(self.names)[: MOST_NAMES // 4]:
                del self.names[oldest]
                self._led.pop(oldest, None)
        if len(self.typed) > MOST_NAMES:
            self.typed.clear()

    def _meet(self, state: StateId, place: str, screen: Screen) -> float:
        """Remembers a place; how new it is: 1 if nothing of its shape was seen, less the more there is of it."""
        self.places[state] = place
        if place in self.offers:
            return 0.0
        if len(self.offers) >= MOST_PLACES:
            self._forget()
        offers = self.repertoire(screen)
        upright = 1.0 if screen.rotation % 2 == 0 else TURNED
        self.offers[place] = tuple(_offer(each, upright) for each in offers.actions if each.chance >= LEAST_CHANCE)
        if offers.has_fields:
            self._listen(screen)
        shape = self.shapes[place] = sys.intern(offers.shape)
        self._of_shape[shape] = self._of_shape.get(shape, 0) + 1
        self._look_at(place)
        return 1.0 / self._of_shape[shape]

    def _listen(self, screen: Screen) -> None:
        activity = screen.activity or ""
        words = dict.fromkeys((*self.told.get(activity, ()), *told_on(screen)))
        self.told[activity] = tuple(islice(words, MOST_WORDS))

    def _forget(self) -> None:
        for place in list(self.offers)[: MOST_PLACES // 4]:
            del self.offers[place], self.promise[place], self.shapes[place]
        self.tried.drop_oldest(MOST_PLACES)
        self.shaped.drop_oldest(MOST_PLACES)
        self.places = {state: place for state, place in self.places.items() if place in self.offers}

    def _look_at(self, place: str) -> None:
        """What the place promises: its best actions together, as many as there is time for."""
        offers = self.offers[place]
        values = [offer.chance * value for offer, value in zip(offers, self.worths(place, offers), strict=True)]
        values.sort(reverse=True)
        self.promise[place] = sum(values[:VISIT])

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


def worth(offer: Offer, tried: Mapping[str, Try], shaped: Mapping[str, tuple[int, float]], memory: Tries) -> float:
    """What trying the action promises, between 0 and 1, given what came of it here, in like places and elsewhere."""
    name, key_name, _ = offer
    score = memory.names.get(name)
    if score is None:
        # Never tried anywhere: as good as others of its key turned out; a new key is as good as can be.
        key = memory.keys.get(key_name)
        return 1.0 if key is None else min(1.0, (key.news + 2.0) / (key.tries + 2.0))
    total, news, idle, exits, crashes, same = score
    rate = (news + 0.5) / (total + 1.0)
    # What does nothing, or always the same, will do so here too, most likely.
    open_ended = 1.0 - 0.8 * max(idle, same) / (total + 1.0)
    here = tried.get(name)
    if here is not None:
        # Tried here: a known crash is not worth repeating.
        promise = max(LEAST, 0.4 * rate / (1.0 + here.times))
    elif name in shaped:
        # Tried in like places: here it may meet other data.
        tries, gained = shaped[name]
        promise = open_ended * max(4 * LEAST, 0.4 * (gained + 0.5) / (0.6 * tries + 1.0))
    else:
        # Tried where things were different.
        promise = open_ended * (0.3 / (1.0 + 0.03 * total) + 0.5 * rate)
    if crashes:
        promise *= 0.05 if here is not None and here.crashes else (1.0 - crashes / (total + 0.3)) ** 2
    if exits:
        promise *= 1.0 - 0.9 * exits / (total + 1.0)
    return promise


def typed_key(action: Action, text: str) -> tuple[str, str]:
    """A field, whatever the class of the value, and what was typed into it."""
    return action.name.removeprefix(f"{action.kind.value} {action.argument} "), text[:80]


def _offer(action: Action, factor: float) -> Offer:
    # Interned, because thousands of places offer the same actions.
    return Offer(sys.intern(action.name), sys.intern(action.key), action.chance * factor)


def _foreign(step: Step) -> tuple[str, str]:
    event = step.event
    kind = event.name if isinstance(event, SystemEvent) else event.kind
    return f"system {kind}", "intent" if isinstance(event, StartIntent) else "system"


def _sum(score: Score, change: Score) -> Score:
    return Score(
        score.tries + change.tries,
        score.news + change.news,
        score.idle + change.idle,
        score.exits + change.exits,
        score.crashes + change.crashes,
        score.same + change.same,
    )
