"""What was tried and what came of it: per action wherever it was met, and per place.

A place is a state, how the phone is held and what kind of text its fields hold: none of that is part of a state, and
all of it changes what an action does. This is the memory of the frontier strategy. It learns from steps alone, so that
an exploration which is resumed from stored outings remembers the same as one that was never interrupted.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import NamedTuple

from fewtaps.explore.actions import Action, Repertoire
from fewtaps.model.event import StartIntent, SystemEvent, Text
from fewtaps.model.screen import Screen
from fewtaps.model.state import StateId
from fewtaps.model.trace import Step

MOST_PLACES = 4_000
"""Places remembered with what was tried in them; the oldest are forgotten first."""
MOST_NAMES = 20_000
NEW_PLACE = 0.25
"""What a new place counts for, next to new code: apps without end of states are no better than others."""
LEAST_CHANCE = 0.1
"""What users do more rarely is no reason to go somewhere."""
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


class Try(NamedTuple):
    """The tries of an action in one place: how many, where the last one led, how many ended in a crash."""

    times: int = 0
    target: str | None = None
    crashes: int = 0


class Offer(NamedTuple):
    """An action that a place offers."""

    name: str
    key: str
    chance: float


UNTRIED = Score()
NEVER = Try()
_NO_TRIES: dict[str, Try] = {}


class Tries:
    """Scores of actions by name and by key; tries, offers and promise by place; how often a text was typed where."""

    def __init__(self, repertoire: Repertoire | None = None) -> None:
        self.repertoire = repertoire or Repertoire()
        self.names: dict[str, Score] = {}
        self.keys: dict[str, Score] = {}
        self.offers: dict[str, tuple[Offer, ...]] = {}
        self.promise: dict[str, float] = {}
        """What a place promised to whoever goes there, when it was last looked at."""
        self.typed: dict[tuple[str, str], int] = {}
        self.places: dict[StateId, str] = {}
        """The place in which a state was seen last."""
        self._shapes: dict[int, int] = {}
        self._tried: dict[str, dict[str, Try]] = {}
        # The inner tables that no fork shares.
        self._own: set[str] = set()
        self._steps = 0
        self._turn: list[str] = []

    def fork(self) -> Tries:
        """A memory that knows the same and learns on its own; inner tables are copied when they change."""
        fork = Tries(self.repertoire)
        fork.names = self.names.copy()
        fork.keys = self.keys.copy()
        fork.offers = self.offers.copy()
        fork.promise = self.promise.copy()
        fork.typed = self.typed.copy()
        fork.places = self.places.copy()
        fork._shapes = self._shapes.copy()
        fork._tried = self._tried.copy()
        fork._steps = self._steps
        fork._turn = self._turn.copy()
        self._own = set()
        return fork

    def tried(self, place: str) -> Mapping[str, Try]:
        """The tries in a place, by the names of actions."""
        return self._tried.get(place, _NO_TRIES)

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
        change = Score(1, gain, int(reached == place and not news), int(reached is None and not crashed), crashed)
        self._count(name, key, change)
        if isinstance(step.event, Text):
            value = (name, step.event.text[:80])
            self.typed[value] = self.typed.get(value, 0) + 1
        tries = self._to_change(place)
        times, _, crashes = tries.get(name, NEVER)
        tries[name] = Try(times + 1, reached, crashes + crashed)
        self.promise[place] = promise_of(self.offers[place], tries, self)
        self._refresh()

    def _count(self, name: str, key: str, change: Score) -> None:
        self.names[name] = _sum(self.names.get(name, UNTRIED), change)
        self.keys[key] = _sum(self.keys.get(key, UNTRIED), change)
        if len(self.names) > MOST_NAMES:
            for oldest in list(self.names)[: MOST_NAMES // 4]:
                del self.names[oldest]
        if len(self.typed) > MOST_NAMES:
            self.typed.clear()

    def _meet(self, state: StateId, place: str, screen: Screen) -> float:
        """Remembers a place; how new it is: 1 if nothing like it was seen, less the more places offer the same."""
        self.places[state] = place
        if place in self.offers:
            return 0.0
        if len(self.offers) >= MOST_PLACES:
            self._forget()
        actions = self.repertoire(screen).actions
        upright = 1.0 if screen.rotation % 2 == 0 else TURNED
        offers = self.offers[place] = tuple(
            _offer(action, upright) for action in actions if action.chance >= LEAST_CHANCE
        )
        self.promise[place] = promise_of(offers, _NO_TRIES, self)
        shape = hash(frozenset(offer.name for offer in offers))
        self._shapes[shape] = self._shapes.get(shape, 0) + 1
        return 1.0 / self._shapes[shape]

    def _forget(self) -> None:
        for place in list(self.offers)[: MOST_PLACES // 4]:
            del self.offers[place], self.promise[place]
            self._tried.pop(place, None)
            self._own.discard(place)
        self.places = {state: place for state, place in self.places.items() if place in self.offers}

    def _to_change(self, place: str) -> dict[str, Try]:
        if place not in self._own:
            self._tried[place] = dict(self._tried.get(place, _NO_TRIES))
            self._own.add(place)
        return self._tried[place]

    def _refresh(self) -> None:
        """Looks again at one of the other places now and then: what is known of actions has changed meanwhile."""
        self._steps += 1
        if self._steps % REFRESHED:
            return
        if not self._turn:
            self._turn = list(self.offers)
        place = self._turn.pop()
        if place in self.offers:
            self.promise[place] = promise_of(self.offers[place], self.tried(place), self)


def worth(offer: Offer, tries: Mapping[str, Try], memory: Tries) -> float:
    """What trying the action in a place promises, between 0 and its chance."""
    name, key_name, chance = offer
    score = memory.names.get(name)
    if score is None:
        # Never tried anywhere: as good as others of its key turned out; a new key is as good as can be.
        key = memory.keys.get(key_name)
        return chance if key is None else chance * min(1.0, (key.news + 2.0) / (key.tries + 2.0))
    total, news, idle, exits, crashes = score
    rate = (news + 0.5) / (total + 1.0)
    here = tries.get(name)
    if here is None:
        # Tried elsewhere: here it may meet other data. Less so the more often it was tried, or if it never does
        # anything.
        promise = 0.8 * (news + 0.5) / (0.6 * total + 1.0) * (1.0 - 0.8 * idle / (total + 1.0))
    else:
        # Tried here: the app may count in secret, so never worth nothing. A known crash is not worth repeating.
        promise = (0.04 + 0.4 * rate) / (1.0 + here.times)
        if here.crashes:
            promise *= 0.02
    if crashes:
        promise *= (1.0 - crashes / (total + 0.3)) ** 2
    if exits:
        promise *= 1.0 - 0.9 * exits / (total + 1.0)
    return chance * promise


def promise_of(offers: tuple[Offer, ...], tries: Mapping[str, Try], memory: Tries) -> float:
    """What a place promises: its best actions together, as many as there is time for."""
    values = sorted([worth(offer, tries, memory) for offer in offers], reverse=True)
    return sum(values[:VISIT])


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
    )
