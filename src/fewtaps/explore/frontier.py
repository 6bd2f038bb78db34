"""Frontier: goes where most is left to try, and tries there what promises most.

Departs from TimeMachine in what it looks at: not only states, but which actions were tried in them and what came of
each. Every number below stands for one sentence about apps, which stands beside it; none was made for one app.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from random import Random

from fewtaps.explore.actions import Action, Kind
from fewtaps.explore.buttons import is_box, is_button, submit_chances, submits
from fewtaps.explore.forms import Form, Intention, fill_in
from fewtaps.explore.gestures import event_of
from fewtaps.explore.knowledge import Knowledge
from fewtaps.explore.memory import FrontierMemory
from fewtaps.explore.naming import thing_of
from fewtaps.explore.offers import Offers
from fewtaps.explore.parameters import ExploreParameters
from fewtaps.explore.scores import NEVER, UNTRIED, open_end
from fewtaps.explore.strategy import Memory, Policy, Return, Situation
from fewtaps.explore.system import SystemEvents
from fewtaps.explore.texts import Texts, Words, class_of
from fewtaps.model.app import App
from fewtaps.model.episode import EpisodeEnd
from fewtaps.model.event import Event, Text
from fewtaps.model.graph import Way
from fewtaps.model.screen import selector_of
from fewtaps.model.state import StateId

EPISODE_EVENTS = 400
PATIENCE = 10
"""So many events without new code an episode bears, or a small multiple: what is hidden needs some in a row."""
CHANCES = (0.05, 0.05, 0.2, 0.6)
"""The share of events left to chance, one of these for each episode: hidden state is found by several in a row."""
WANDERING = 40
"""So much longer is the patience of whoever leaves most to chance: apps remember, and break on what they remember."""
AGAIN = 0.15
"""What changed something may do so again: counters, pages, lists."""
BURST = 0.03
"""What changes nothing that can be seen may count in secret."""
FORM = 0.4
"""Forms are made to be filled in as a whole."""
FORM_AT_LEAST, ONLY_FORM = 0.05, 0.35
"""Where little else is left, a form may be the only door."""
ASKED, ASKED_FIRST = 0.3, 0.6
"""Who reads what a screen asks for and does it gets on, best at once; not all that is written there is asked for."""
DISTURB = 0.05
"""An app that is made anew must remember what it was doing, which shows only when it is used afterwards."""
CONFIRM, CONFIRM_CLOSED = 0.25, 0.4
"""Where something was changed, what acts on it may act otherwise, most of all a button that never led on yet."""
AS_IT_IS = 0.15
"""Who is in a hurry sends a form without a tick. With fields, one that stays empty is a value like others."""
SAME = 0.1
"""What was done to one thing may not agree with what is done to the same thing next: put away, then opened."""
SYSTEM = 0.04
"""Few apps listen to the system, and those that do can be told in a few events."""
RICH, AT_WORK = 0.4, 0.3
"""Where an action like a tap was never tried, chance and repetition take so much less of the time."""
POOR = 0.25
"""With less than this to hope for it is worth a few steps to be elsewhere."""
GREED = 2.0
FRESH = 0.08
"""Other worlds and other beginnings need fresh starts."""
WAY = 25.0
"""A way of so many events costs as much as what is done at its end."""
MOST_DETOURS = 4
AT_ONCE = 0.8
"""Who sets out mostly goes to the best place at once; who does not may find something by the way."""
BETTER, MUCH_BETTER, CONSIDERED = 2.0, 8.0, 5
"""So much better another place has to look, after so many events without news: promises are guesses. Who wanders leaves
only dead ends, and everybody leaves those at once."""
AT_HOME = 1.3
"""So much better than here another place has to look, for somebody to go there."""
REACH, MOST_REACHED = 40, 1000
"""How far, and among how many places, the best one is looked for."""
_HANDLING = (Kind.TAP, Kind.LONG_PRESS)
_REPEATED = frozenset({Kind.TAP, Kind.SCROLL, Kind.LONG_PRESS, Kind.SLIDE, Kind.STROKE, Kind.POINT})


class FrontierPolicy:
    """Chooses the events of one episode."""

    def __init__(
        self, knowledge: Knowledge, random: Random, *, system: SystemEvents, texts: Texts, is_back: bool = False
    ) -> None:
        memory = knowledge.memory
        assert isinstance(memory, FrontierMemory)
        self._memory = memory
        self._system = system
        self._texts = texts
        self._intentions: list[Intention] = []
        self._expected: Edge | None = None
        self._broken: set[Edge] = set()
        self._chance = random.choice(CHANCES)
        self._wanders = self._chance == CHANCES[-1]
        self._stall = (WANDERING if self._wanders else PATIENCE) * luby(random.randrange(31))
        self._stale = 0
        self._covered = knowledge.covered
        self._best_return = max((value for value, _, _ in returns(knowledge, memory)), default=0.0)
        self._last: Action | None = None
        self._last_place: str | None = None
        self._last_where = ""
        self._followed: set[tuple[str, ...]] = set()
        self._handled: dict[str, set[str]] = {}
        # Who went back somewhere did so for what is there.
        self._setting_out = random.random() < AT_ONCE and not is_back
        self._detours = 0

    def draw(self, situation: Situation) -> Event:
        """What was intended, or what promises most, or now and then something by chance."""
        random = situation.random
        offers = self._memory.repertoire(situation.screen)
        place = self._memory.place(situation.state, situation.screen)
        self._check_arrival(place)
        if self._setting_out:
            self._setting_out = False
            self._intentions, _ = best_nearby(place, self._memory, self._broken)
        # Whoever passes by, on the way to somewhere else, is in a hurry too.
        self._intentions = self._as_it_is(place, offers, random) or self._intentions
        event = self._intended(place, offers, situation)
        if event is None and random.random() < SYSTEM:
            self._last = None
            return self._system.draw(random, situation.listening())
        if event is None:
            self._intentions = self._intend(place, offers, situation)
            event = self._intended(place, offers, situation)
        self._last_place, self._last_where = place, offers.where
        return event if event is not None else self._perform(self._by_chance(offers, random), situation)

    def should_stop(self, situation: Situation) -> EpisodeEnd | None:
        """When nothing new was seen for a while, or when elsewhere there is more to try for less."""
        if situation.knowledge.covered is not self._covered:
            self._covered = situation.knowledge.covered
            self._stale = 0
            return None
        if self._intentions:
            # On the way, or in the middle of a form.
            return None
        self._stale += 1
        if self._stale > self._stall:
            return EpisodeEnd.NOTHING_NEW
        place = self._memory.place(situation.state, situation.screen)
        is_poor = place != self._last_place and self._memory.promise.get(place, 0.0) * MUCH_BETTER < self._best_return
        if is_poor or self._stale % CONSIDERED == 0:
            better = MUCH_BETTER if self._wanders else BETTER
            wanted = self._best_return / better
            if best_nearby(place, self._memory, self._broken, wanted=wanted)[1] < wanted:
                return EpisodeEnd.MORE_ELSEWHERE
        return None

    def _check_arrival(self, place: str) -> None:
        """Gives up a way that has led elsewhere."""
        if self._expected is not None and self._expected[2] != place:
            self._broken.add(self._expected)
            # There may be another way from here.
            self._detours += bool(self._intentions)
            self._setting_out = bool(self._intentions) and self._detours <= MOST_DETOURS
            self._intentions.clear()
        self._expected = None

    def _intended(self, place: str, offers: Offers, situation: Situation) -> Event | None:
        if not self._intentions:
            return None
        name, text, target = self._intentions.pop(0)
        action = offers.named(name)
        if action is None:
            # The screen is not what it was when this was intended.
            self._intentions.clear()
            return None
        if target is not None:
            if action.kind is Kind.TEXT:
                action, text = self._passing(place, action, target, offers)
            self._expected = (place, action.name, target)
        return self._perform(action, situation, text)

    def _passing(self, place: str, action: Action, target: str, offers: Offers) -> tuple[Action, str | None]:
        """What to type on the way to a place: who only wants to get through types what was good enough before.

        But not if that is of another class that never led there: nobody would learn that this one does not either.
        """
        places = (target, *(each.target for each in self._intentions if each.target is not None))
        text = self._memory.text_towards(action, places)
        if text is None or class_of(text).value == action.argument:
            return action, text
        other = offers.named(action.name.replace(action.argument, class_of(text).value, 1))
        known = self._memory.tried[place].get(other.name, NEVER).targets if other is not None else ()
        if other is not None and any(each.place == target for each in known):
            return other, text
        return action, None

    def _perform(self, action: Action, situation: Situation, text: str | None = None) -> Event:
        self._last = action
        if (thing := thing_of(action)) is not None:
            self._handled.setdefault(thing, set()).add(action.name)
        if text is not None and action.located is not None:
            return Text(text, replace=True, selector=selector_of(action.located))
        return event_of(action, situation.screen, situation.random, self._texts)

    def _intend(self, place: str, offers: Offers, situation: Situation) -> list[Intention]:
        random = situation.random
        scores = self._memory.scores_of(place, offers.offers)
        best = max(value * each.chance for value, each in zip(scores, offers.offers, strict=True))
        # As long as there is something that nobody tried yet, the rest can wait.
        leisure = 1.0 if best < RICH else AT_WORK
        if random.random() < leisure * self._chance:
            return [Intention(self._by_chance(offers, random).name)]
        if random.random() < leisure * BURST:
            name = self._by_chance(offers, random).name
            return [Intention(name)] * random.choice((2, 3, 4, 6, 8))
        if self._last is not None and place != self._last_place and random.random() < leisure * AGAIN:
            again = offers.named(self._last.name)
            if again is not None and again.kind in _REPEATED:
                return [Intention(again.name)]
        for macro in (self._asked, self._disturb, self._confirm, self._same):
            steps = macro(place, offers, random)
            if steps:
                return steps
        if random.random() < self._form_chance(offers, place, best):
            told = self._memory.hints_seen.get(situation.screen.activity or "", ())
            form = Form(situation.screen, told, self._memory.typed, self._memory.accepted)
            steps = fill_in(offers, form, self._texts, random)
            if steps:
                return steps
        if best < POOR:
            steps, _ = best_nearby(place, self._memory, self._broken)
            if steps:
                return steps
        names = self._memory.names
        # What was never tried is tried soon, however rarely users do it.
        weights = [
            value**GREED * (each.chance if each.name in names else math.sqrt(each.chance))
            for value, each in zip(scores, offers.offers, strict=True)
        ]
        return [Intention(random.choices(offers.offers, weights)[0].name)]

    def _by_chance(self, offers: Offers, random: Random) -> Action:
        return random.choices(offers.actions, [action.chance for action in offers.offers])[0]

    def _as_it_is(self, place: str, offers: Offers, random: Random) -> list[Intention]:
        """On arrival at a form of boxes alone: the button that sends it, if nobody pressed it here yet."""
        if offers.where == self._last_where or offers.texts or not any(map(is_box, offers.taps)):
            return []
        tried = self._memory.tried[place]
        buttons = [tap for tap in offers.taps if tap.name not in tried and submits(tap)]
        if not buttons or random.random() >= AS_IT_IS:
            return []
        return [Intention(random.choice(buttons).name)]

    def _asked(self, place: str, offers: Offers, random: Random) -> list[Intention]:
        """What the texts on the screen speak of and nobody did here yet; a sequence once, with a button behind it."""
        asked = offers.asked
        if offers.where != self._last_where:
            # Each visit is a new beginning.
            self._followed.clear()
        if not asked or random.random() >= (ASKED if offers.where == self._last_where else ASKED_FIRST):
            return []
        tried = self._memory.tried[place]
        options = [
            names for names in asked if (names not in self._followed if len(names) > 1 else names[0] not in tried)
        ]
        if not options:
            return []
        names = random.choice(options)
        steps = [Intention(name) for name in names]
        if len(names) > 1:
            self._followed.add(names)
            buttons = [tap for tap in offers.taps if submits(tap) and tap.name not in names]
            steps.extend(Intention(tap.name) for tap in _drawn(buttons, submit_chances(buttons), random))
        return steps

    def _disturb(self, place: str, offers: Offers, random: Random) -> list[Intention]:
        """Turns the phone and presses a button, sooner where it was never turned in such a place."""
        turn = next((each for each in offers.actions if each.kind is Kind.ROTATE), None)
        buttons = [tap for tap in offers.taps if is_button(tap)]
        if turn is None or not buttons:
            return []
        shaped = self._memory.shaped[self._memory.shapes.get(place, "")]
        if random.random() >= (DISTURB if turn.name not in shaped else DISTURB / 4):
            return []
        pressed = _drawn(buttons, submit_chances(buttons), random)
        return [Intention(action.name) for action in (turn, *pressed)]

    def _confirm(self, place: str, offers: Offers, random: Random) -> list[Intention]:
        """After something was done on a page: a button that acts on it, and that was not tried since.

        Where no button has led on yet it need not be seen what was changed.
        """
        last = self._last
        if last is None or _page(offers.where) != _page(self._last_where):
            return []
        tried, names = self._memory.tried[place], self._memory.names
        buttons = [tap for tap in offers.taps if tap.name != last.name and is_button(tap)]
        is_closed = offers.where not in self._memory.passed and any(map(submits, buttons))
        if random.random() >= (CONFIRM_CLOSED if is_closed else CONFIRM):
            return []
        if not is_closed:
            buttons = [tap for tap in buttons if place != self._last_place and tap.name not in tried]
        weights = [
            chance * open_end(names.get(tap.name, UNTRIED))
            for tap, chance in zip(buttons, submit_chances(buttons), strict=True)
        ]
        return [Intention(tap.name) for tap in _drawn(buttons, weights, random)]

    def _same(self, place: str, offers: Offers, random: Random) -> list[Intention]:
        """Something else with a thing that this episode has already done something with."""
        if not self._handled:
            return []
        options = [
            action
            for action in offers.actions
            if action.kind in _HANDLING
            and (thing := thing_of(action)) in self._handled
            and action.name not in self._handled[thing]
        ]
        if not options or random.random() >= SAME:
            return []
        return [Intention(action.name) for action in _drawn(options, [each.chance for each in options], random)]

    def _form_chance(self, offers: Offers, place: str, best: float) -> float:
        """Often at first, less often the more was filled in where all else was alike, unless little else is left."""
        entries = offers.texts or [tap for tap in offers.taps if is_box(tap)]
        if not entries:
            return 0.0
        least = FORM_AT_LEAST if best > POOR or not offers.texts else ONLY_FORM
        return max(least, FORM * self._memory.form_left(place, [entry.name for entry in entries]))


def _page(where: str) -> str:
    """The activity, whatever stands in front of it."""
    return where.partition("/")[0]


def _drawn(actions: Sequence[Action], weights: Sequence[float], random: Random) -> list[Action]:
    """One of the actions, if there are any."""
    return random.choices(actions, weights) if actions else []


Edge = tuple[str, str, str]
"""A place, the name of an action, and the place it leads to."""


def best_nearby(
    place: str, memory: FrontierMemory, broken: Collection[Edge] = (), wanted: float = math.inf
) -> tuple[list[Intention], float]:
    """What leads, as far as is known, to the best place that can be reached from here, and what that promises.

    The way there, and how sure it is, are taken off the promise. Nothing is to be done if this place itself is the
    best. `broken` are steps that led elsewhere lately. A place that promises as much as is `wanted` need not be the
    best.
    """
    promise, exits = memory.promise, memory.exits
    came: dict[str, tuple[str, str] | None] = {}
    doubtful: dict[str, list[tuple[str, str]]] = {}
    for source, name, target in broken:
        doubtful.setdefault(source, []).append((name, target))
    best, best_value, bar = place, -1.0, -1.0
    most = max(promise.values(), default=0.0)
    # What can be come to, by how far away it is, with how sure that is and where from.
    rings: list[list[tuple[str, float, tuple[str, str] | None]]] = [[] for _ in range(REACH + 1)]
    rings[0].append((place, 1.0, None))
    for distance, ring in enumerate(rings):
        far = 1.0 + distance / WAY
        if most / far <= bar or best_value >= wanted or len(came) >= MOST_REACHED:
            # No place so far away can be better, or need be, or nobody looks so far.
            break
        for here, sure, step in ring:
            if here in came:
                continue
            came[here] = step
            value = sure * promise.get(here, 0.0) / far
            if value > bar:
                best, best_value = here, value
                bar = value * AT_HOME if step is None else value
                if value >= wanted:
                    break
            for target, (name, likely, steps) in exits(here, doubtful.get(here, ())).items():
                if target not in came and distance + steps <= REACH:
                    rings[distance + steps].append((target, sure * likely, (here, name)))
    way: list[Intention] = []
    while (came_by := came[best]) is not None:
        way.append(Intention(came_by[1], target=best))
        best = came_by[0]
    return way[::-1], best_value


def returns(knowledge: Knowledge, memory: FrontierMemory, *, most_idle: int = 10) -> list[tuple[float, StateId, Way]]:
    """The states that can be gone back to, each with what it or its neighbours promise per cost of the way."""
    found: list[tuple[float, StateId, Way]] = []
    graph = knowledge.graph
    for state in graph.interesting:
        info = graph[state]
        way, place = info.shortest_way, memory.places.get(state)
        if way is None or place is None or info.idle_returns >= most_idle:
            continue
        value = memory.promise.get(place, 0.0)
        for target, (_, sure, _) in memory.exits(place).items():
            value = max(value, 0.8 * sure * memory.promise.get(target, 0.0))
        if not way.events:
            # From where the app starts there is a way on foot.
            value = best_nearby(place, memory)[1]
        found.append((value * 0.8**info.idle_returns / (1.0 + (1 + len(way.events)) / WAY), state, way))
    return found


def luby(index: int) -> int:
    """1 1 2 1 1 2 4 …: how long to try when nobody knows how long it takes, never much worse than the best choice."""
    size = 1
    while size < index + 1:
        size = 2 * size + 1
    while size - 1 != index:
        size //= 2
        index %= size
    return (size + 1) // 2


class Frontier:
    """The strategy: which known state is worth the way back, and a policy for each episode."""

    def __init__(self, app: App, parameters: ExploreParameters, words: Words | None = None) -> None:
        self._parameters = parameters
        self._texts = Texts(words)
        self._system = SystemEvents(app)

    @property
    def episode_events(self) -> int:
        """Long enough for whoever finds something new all the time."""
        return EPISODE_EVENTS

    def memory(self) -> Memory:
        """What was tried."""
        return FrontierMemory()

    def plan(self, knowledge: Knowledge, random: Random, turn: int) -> Return | None:
        """The state that promises most per event of the way there, or, by chance, one that promises nearly as much."""
        memory = knowledge.memory
        assert isinstance(memory, FrontierMemory)
        choices = returns(knowledge, memory, most_idle=self._parameters.max_idle_returns)
        if not choices or random.random() < FRESH:
            return None
        _, state, way = random.choices(choices, [value**4 + 1e-9 for value, _, _ in choices])[0]
        return Return(state, way) if way.events else None

    def begin(self, knowledge: Knowledge, random: Random, target: StateId | None = None) -> Policy:
        """A policy for one episode."""
        return FrontierPolicy(knowledge, random, system=self._system, texts=self._texts, is_back=target is not None)
