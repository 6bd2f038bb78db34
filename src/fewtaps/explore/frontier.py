"""Frontier, the default strategy: starts episodes where most is left to try, and prefers actions with high scores.

It departs from TimeMachine in what it looks at: besides states, the actions that were tried in them and what came of
each. Its numbers are fields of `EpisodeParameters`; its parts that can be switched off are `IDEAS` of `parameters.py`.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from random import Random

from fewtaps.explore.actions import Action, ActionKind, weighted_choice
from fewtaps.explore.buttons import submit_weights, submits
from fewtaps.explore.forms import Form, PlannedAction, fill_in
from fewtaps.explore.gestures import event_of
from fewtaps.explore.ids import ActionName, PageId, PlaceId
from fewtaps.explore.knowledge import Knowledge
from fewtaps.explore.memory import FrontierMemory, name_without_action
from fewtaps.explore.parameters import DEFAULT_PARAMETERS, ExploreParameters
from fewtaps.explore.scores import NEVER
from fewtaps.explore.screen_actions import ScreenActions
from fewtaps.explore.strategy import Memory, Policy, Return, Situation
from fewtaps.explore.system import PROCESS_DEATH, SystemEvents
from fewtaps.explore.texts import Texts, Words, class_of
from fewtaps.model.app import App
from fewtaps.model.episode import EpisodeEnd
from fewtaps.model.event import Event, Text
from fewtaps.model.graph import Way
from fewtaps.model.screen import selector_of
from fewtaps.model.state import StateId

_ON_THINGS = (ActionKind.TAP, ActionKind.LONG_PRESS)
_REPEATED = frozenset(
    {
        *(ActionKind.TAP, ActionKind.SCROLL, ActionKind.LONG_PRESS),
        *(ActionKind.SLIDE, ActionKind.STROKE, ActionKind.POINT),
    }
)
_SMALLEST_WEIGHT = 1e-9
"""Added to weights that may all be 0."""


class FrontierPolicy:
    """Chooses the events of one episode."""

    def __init__(
        self,
        knowledge: Knowledge,
        random: Random,
        *,
        system: SystemEvents,
        texts: Texts,
        is_back: bool = False,
        parameters: ExploreParameters = DEFAULT_PARAMETERS,
    ) -> None:
        memory = knowledge.memory
        assert isinstance(memory, FrontierMemory)
        self._memory = memory
        self._system = system
        self._texts = texts
        self._parameters = parameters
        self._numbers = numbers = parameters.episode
        self._planned: list[PlannedAction] = []
        self._expected: Edge | None = None
        self._broken: set[Edge] = set()
        drawn = random.randrange(len(numbers.random_chances))
        self._random_chance = numbers.random_chances[drawn]
        self._is_random = drawn == len(numbers.random_chances) - 1
        patience = numbers.random_patience if self._is_random else numbers.patience
        self._max_stale = patience * luby(random.randrange(numbers.patience_range))
        # Of another stream of numbers, so that the other episodes are what they would be without such events.
        ends = Random(random.getstate()[1][0]).random() < numbers.process_death_episodes
        self._process_death = numbers.process_death if ends else 0.0
        self._stale = 0
        self._covered = knowledge.covered
        self._best_return = max((value for value, _, _ in returns(knowledge, memory, parameters)), default=0.0)
        self._last: Action | None = None
        self._last_place: PlaceId | None = None
        self._last_page = PageId("")
        self._last_activity = ""
        self._followed: set[tuple[ActionName, ...]] = set()
        self._done_to: dict[str, set[ActionName]] = {}
        """By the label of a row, the actions of this episode on it."""
        # An episode that returned to a state stays there: it was chosen for its own potential.
        self._is_setting_out = random.random() < numbers.set_out and not is_back
        self._detours = 0

    def draw(self, situation: Situation) -> Event:
        """The next planned action; without a plan, one is made."""
        random = situation.random
        shown = self._memory.cache(situation.screen)
        place = self._memory.place(situation.state, situation.screen)
        self._check_arrival(place)
        if self._is_setting_out:
            self._is_setting_out = False
            self._planned, _ = best_nearby(place, self._memory, self._broken, parameters=self._parameters)
        # Also on the way to another place.
        self._planned = self._submit_unchanged(place, shown, random) or self._planned
        event = self._next_planned(place, shown, situation)
        if event is None and self._ends_process(place, random):
            self._last = None
            return PROCESS_DEATH
        if event is None and random.random() < self._numbers.system:
            self._last = None
            return self._system.draw(random, situation.listening())
        if event is None:
            self._planned = self._plan(place, shown, situation)
            event = self._next_planned(place, shown, situation)
        self._last_place, self._last_page, self._last_activity = place, shown.page, shown.activity
        return event if event is not None else self._perform(self._by_weight(shown, random), situation)

    def should_stop(self, situation: Situation) -> EpisodeEnd | None:
        """When no new code ran for a number of events, or when starting elsewhere has more potential."""
        if situation.knowledge.covered is not self._covered:
            self._covered = situation.knowledge.covered
            self._stale = 0
            return None
        if self._planned:
            # On a path, or in the middle of a form.
            return None
        self._stale += 1
        if self._stale > self._max_stale:
            return EpisodeEnd.NOTHING_NEW
        numbers = self._numbers
        place = self._memory.place(situation.state, situation.screen)
        potential = self._memory.places.potential.get(place, 0.0)
        is_poor = place != self._last_place and potential * numbers.leave_at_once < self._best_return
        if is_poor or self._stale % numbers.leave_after == 0:
            wanted = self._best_return / (numbers.leave_factor_random if self._is_random else numbers.leave_factor)
            nearby = best_nearby(place, self._memory, self._broken, wanted=wanted, parameters=self._parameters)
            if nearby[1] < wanted:
                return EpisodeEnd.MORE_ELSEWHERE
        return None

    def _check_arrival(self, place: PlaceId) -> None:
        """Drops the plan if the last step of a path led elsewhere; another path may be looked for from here."""
        if self._expected is not None and self._expected[2] != place:
            self._broken.add(self._expected)
            self._detours += bool(self._planned)
            self._is_setting_out = bool(self._planned) and self._detours <= self._numbers.detours
            self._planned.clear()
        self._expected = None

    def _next_planned(self, place: PlaceId, shown: ScreenActions, situation: Situation) -> Event | None:
        if not self._planned:
            return None
        name, text, target = self._planned.pop(0)
        action = shown.named(name)
        if action is None:
            # The screen is not the one for which this was planned.
            self._planned.clear()
            return None
        if target is not None:
            if action.kind is ActionKind.TEXT and self._numbers.reuse_texts:
                action, text = self._text_on_path(place, action, target, shown)
            self._expected = (place, action.name, target)
        return self._perform(action, situation, text)

    def _text_on_path(
        self, place: PlaceId, action: Action, target: PlaceId, shown: ScreenActions
    ) -> tuple[Action, str | None]:
        """What to type on the path to a place: the value that led there before.

        A value of another class is typed only if typing that class is known to lead to the target. Otherwise the tries
        of this class would never be counted.
        """
        places = (target, *(each.target for each in self._planned if each.target is not None))
        text = self._memory.text_towards(action.field, places)
        if text is None:
            return action, None
        value_class = class_of(text, self._parameters.texts)
        if value_class.value == action.argument:
            return action, text
        other = shown.typing(action.field, value_class)
        known = self._memory.places.tried[place].get(other.name, NEVER).targets if other is not None else ()
        if other is not None and any(each.place == target for each in known):
            return other, text
        return action, None

    def _perform(self, action: Action, situation: Situation, text: str | None = None) -> Event:
        self._last = action
        if action.thing is not None:
            self._done_to.setdefault(action.thing, set()).add(action.name)
        if text is not None and action.located is not None:
            return Text(text, replace=True, selector=selector_of(action.located))
        return event_of(action, situation.screen, situation.random, self._texts, self._parameters.gestures)

    def _plan(self, place: PlaceId, shown: ScreenActions, situation: Situation) -> list[PlannedAction]:
        """One action, or several to be done in a row."""
        numbers, random = self._numbers, situation.random
        scores = self._memory.scores_in(place, shown.offered)
        best = max(score * each.chance for score, each in zip(scores, shown.offered, strict=True))
        factor = 1.0 if best < numbers.rich else numbers.rich_factor
        if random.random() < factor * self._random_chance:
            return [PlannedAction(self._by_weight(shown, random).name)]
        if random.random() < factor * numbers.burst:
            name = self._by_weight(shown, random).name
            return [PlannedAction(name)] * random.choice(numbers.burst_lengths)
        if self._last is not None and place != self._last_place and random.random() < factor * numbers.repeat:
            again = shown.named(self._last.name)
            if again is not None and again.kind in _REPEATED:
                return [PlannedAction(again.name)]
        for part in (self._follow_hint, self._rotate, self._confirm, self._same_thing):
            steps = part(place, shown, random)
            if steps:
                return steps
        if random.random() < self._form_chance(shown, place, best):
            steps = self._fill_in(shown, situation)
            if steps:
                return steps
        if best < numbers.walk_below:
            steps, _ = best_nearby(place, self._memory, self._broken, parameters=self._parameters)
            if steps:
                return steps
        return [PlannedAction(self._by_score(shown, scores, random))]

    def _by_weight(self, shown: ScreenActions, random: Random) -> Action:
        return weighted_choice(shown.actions, [action.chance for action in shown.offered], random)

    def _by_score(self, shown: ScreenActions, scores: list[float], random: Random) -> ActionName:
        """One of the actions by score and weight. Rare actions get a larger weight as long as they are untried."""
        greed, tried = self._numbers.greed, self._memory.scores.by_name
        if self._numbers.lift_untried:
            weights = [
                score**greed * (each.chance if each.name in tried else math.sqrt(each.chance))
                for score, each in zip(scores, shown.offered, strict=True)
            ]
        else:
            weights = [score**greed * each.chance for score, each in zip(scores, shown.offered, strict=True)]
        return weighted_choice(shown.offered, weights, random).name

    def _submit_unchanged(self, place: PlaceId, shown: ScreenActions, random: Random) -> list[PlannedAction]:
        """On arrival at a form of boxes without fields: a submitting button that was not pressed there yet."""
        if shown.page == self._last_page or shown.texts or not any(tap.is_box for tap in shown.taps):
            return []
        tried = self._memory.places.tried[place]
        buttons = [tap for tap in shown.taps if tap.name not in tried and submits(tap)]
        if not buttons or random.random() >= self._numbers.submit_unchanged:
            return []
        return [PlannedAction(random.choice(buttons).name)]

    def _follow_hint(self, place: PlaceId, shown: ScreenActions, random: Random) -> list[PlannedAction]:
        """An action that a text mentions and that was not done here yet, or a sequence of taps and then a button."""
        hinted = shown.hinted
        if shown.page != self._last_page:
            # A sequence may be followed once per visit of a page.
            self._followed.clear()
        chance = self._numbers.hint if shown.page == self._last_page else self._numbers.hint_on_arrival
        if not hinted or random.random() >= chance:
            return []
        tried = self._memory.places.tried[place]
        options = [
            names for names in hinted if (names not in self._followed if len(names) > 1 else names[0] not in tried)
        ]
        if not options:
            return []
        names = random.choice(options)
        steps = [PlannedAction(name) for name in names]
        if len(names) > 1:
            self._followed.add(names)
            buttons = [tap for tap in shown.taps if submits(tap) and tap.name not in names]
            steps.extend(self._one_of(buttons, self._submit_weights(buttons), random))
        return steps

    def _rotate(self, place: PlaceId, shown: ScreenActions, random: Random) -> list[PlannedAction]:
        """Rotates the screen and presses a button: an app that is created again must have kept its data."""
        rotate = next((each for each in shown.actions if each.kind is ActionKind.ROTATE), None)
        buttons = [tap for tap in shown.taps if tap.is_button]
        if rotate is None or not buttons:
            return []
        in_shape = self._memory.scores.in_shape[self._memory.places.shape(place)]
        numbers = self._numbers
        chance = numbers.rotate if rotate.name not in in_shape else numbers.rotate / numbers.rotate_again
        if random.random() >= chance:
            return []
        pressed = self._one_of(buttons, self._submit_weights(buttons), random)
        return [PlannedAction(rotate.name), *pressed]

    def _ends_process(self, place: PlaceId, random: Random) -> bool:
        """Whether the process should end here: an app that is created again must have kept its data."""
        numbers = self._numbers
        if not self._process_death or self._stale < numbers.process_death_stale:
            return False
        in_shape = self._memory.scores.in_shape[self._memory.places.shape(place)]
        again = numbers.process_death_again if name_without_action(PROCESS_DEATH) in in_shape else 1.0
        return random.random() < self._process_death / again

    def _confirm(self, place: PlaceId, shown: ScreenActions, random: Random) -> list[PlannedAction]:
        """After an action on the same activity: a button that was not tried in this place.

        On a page whose submitting button has not led on yet, tried buttons count too, and the place may be the same.
        """
        last = self._last
        if last is None or shown.activity != self._last_activity:
            return []
        tried = self._memory.places.tried[place]
        buttons = [tap for tap in shown.taps if tap.name != last.name and tap.is_button]
        is_closed = shown.page not in self._memory.forms.submitted and any(map(submits, buttons))
        if random.random() >= (self._numbers.confirm_closed if is_closed else self._numbers.confirm):
            return []
        if not is_closed:
            buttons = [tap for tap in buttons if place != self._last_place and tap.name not in tried]
        weights = [
            weight * self._memory.scores.open_end(tap.name)
            for tap, weight in zip(buttons, self._submit_weights(buttons), strict=True)
        ]
        return self._one_of(buttons, weights, random)

    def _same_thing(self, place: PlaceId, shown: ScreenActions, random: Random) -> list[PlannedAction]:
        """Another action on a row that this episode has acted on."""
        if not self._done_to:
            return []
        options = [
            action
            for action in shown.actions
            if action.kind in _ON_THINGS
            and action.thing in self._done_to
            and action.name not in self._done_to[action.thing]
        ]
        if not options or random.random() >= self._numbers.same_thing:
            return []
        return self._one_of(options, [each.chance for each in options], random)

    def _form_chance(self, shown: ScreenActions, place: PlaceId, best: float) -> float:
        """The chance of filling in a form: high at first, lower with each try, unless little else is left."""
        entries = shown.texts or [tap for tap in shown.taps if tap.is_box]
        if not entries:
            return 0.0
        numbers = self._numbers
        least = numbers.form_least if best > numbers.form_only_below or not shown.texts else numbers.form_only
        return max(least, numbers.form * self._memory.form_left(place, [entry.name for entry in entries]))

    def _fill_in(self, shown: ScreenActions, situation: Situation) -> list[PlannedAction]:
        forms = self._memory.forms
        lines = forms.lines.get(situation.screen.activity or "", ())
        form = Form(situation.screen, shown, lines, forms, self._parameters.hints)
        return fill_in(form, self._texts, situation.random)

    def _submit_weights(self, buttons: list[Action]) -> list[float]:
        return submit_weights(buttons, numbers=self._parameters.forms)

    def _one_of(self, actions: list[Action], weights: list[float], random: Random) -> list[PlannedAction]:
        """One of the actions, if there are any."""
        return [PlannedAction(weighted_choice(actions, weights, random).name)] if actions else []


Edge = tuple[PlaceId, ActionName, PlaceId]
"""A place, the name of an action, and the place it leads to."""


def best_nearby(
    place: PlaceId,
    memory: FrontierMemory,
    broken: Collection[Edge] = (),
    wanted: float = math.inf,
    *,
    parameters: ExploreParameters = DEFAULT_PARAMETERS,
) -> tuple[list[PlannedAction], float]:
    """The known path to the best place that can be reached from here, and the value of that place.

    The value is the potential, times the probability of the path, divided by its cost. The path is empty if this place
    is the best. `broken` are steps that led elsewhere lately. The search ends at a place whose value is at least
    `wanted`.
    """
    numbers = parameters.episode
    potential, exits = memory.places.potential, memory.places.exits
    path_cost, max_path = numbers.path_cost, numbers.max_path
    came: dict[PlaceId, tuple[PlaceId, ActionName] | None] = {}
    doubtful: dict[PlaceId, list[tuple[ActionName, PlaceId]]] = {}
    for source, name, target in broken:
        doubtful.setdefault(source, []).append((name, target))
    best, best_value, bar = place, -1.0, -1.0
    most = max(potential.values(), default=0.0)
    # The places by their distance, each with the probability of the path to it and its last step.
    rings: list[list[tuple[PlaceId, float, tuple[PlaceId, ActionName] | None]]] = [[] for _ in range(max_path + 1)]
    rings[0].append((place, 1.0, None))
    for distance, ring in enumerate(rings):
        cost = 1.0 + distance / path_cost
        if most / cost <= bar or best_value >= wanted or len(came) >= numbers.max_reached:
            # No place at this distance can be better, or none has to be, or the search has become too long.
            break
        for here, probability, step in ring:
            if here in came:
                continue
            came[here] = step
            value = probability * potential.get(here, 0.0) / cost
            if value > bar:
                best, best_value = here, value
                bar = value * numbers.stay_factor if step is None else value
                if value >= wanted:
                    break
            for target, (name, likely, steps) in exits(here, doubtful.get(here, ())).items():
                if target not in came and distance + steps <= max_path:
                    rings[distance + steps].append((target, probability * likely, (here, name)))
    path: list[PlannedAction] = []
    while (came_by := came[best]) is not None:
        path.append(PlannedAction(came_by[1], target=best))
        best = came_by[0]
    return path[::-1], best_value


def returns(
    knowledge: Knowledge, memory: FrontierMemory, parameters: ExploreParameters = DEFAULT_PARAMETERS
) -> list[tuple[float, StateId, Way]]:
    """The states that can be returned to, each with its potential, or that of its neighbours, per cost of the way."""
    numbers = parameters.episode
    found: list[tuple[float, StateId, Way]] = []
    graph, places = knowledge.graph, memory.places
    for state in graph.interesting:
        info = graph[state]
        way, place = info.shortest_way, places.of_state.get(state)
        if way is None or place is None or info.idle_returns >= parameters.max_idle_returns:
            continue
        value = places.potential.get(place, 0.0)
        for target, (_, probability, _) in places.exits(place).items():
            value = max(value, numbers.neighbour * probability * places.potential.get(target, 0.0))
        if not way.events:
            # The state after the launch: the episode can walk on from there.
            value = best_nearby(place, memory, parameters=parameters)[1]
        cost = 1.0 + (1 + len(way.events)) / numbers.path_cost
        found.append((value * numbers.idle_return**info.idle_returns / cost, state, way))
    return found


def luby(index: int) -> int:
    """The Luby sequence 1 1 2 1 1 2 4 …: restart lengths that are never much worse than the best fixed length."""
    size = 1
    while size < index + 1:
        size = 2 * size + 1
    while size - 1 != index:
        size //= 2
        index %= size
    return (size + 1) // 2


class Frontier:
    """The strategy: chooses the state at which each episode begins, and makes its policy."""

    def __init__(self, app: App, parameters: ExploreParameters, words: Words | None = None) -> None:
        self._parameters = parameters
        self._texts = Texts(words, parameters.texts)
        self._system = SystemEvents(app, parameters.system)

    @property
    def episode_events(self) -> int:
        """A limit that only episodes with much new code reach."""
        return self._parameters.episode.events

    def memory(self) -> Memory:
        """A new memory without observations."""
        return FrontierMemory(self._parameters)

    def plan(self, knowledge: Knowledge, random: Random, turn: int) -> Return | None:
        """A state, drawn by its potential per cost of the way there."""
        memory = knowledge.memory
        assert isinstance(memory, FrontierMemory)
        numbers = self._parameters.episode
        choices = returns(knowledge, memory, self._parameters)
        if not choices or random.random() < numbers.fresh:
            return None
        weights = [value**numbers.return_power + _SMALLEST_WEIGHT for value, _, _ in choices]
        _, state, way = weighted_choice(choices, weights, random)
        return Return(state, way) if way.events else None

    def begin(self, knowledge: Knowledge, random: Random, target: StateId | None = None) -> Policy:
        """A policy for one episode."""
        return FrontierPolicy(
            knowledge,
            random,
            system=self._system,
            texts=self._texts,
            is_back=target is not None,
            parameters=self._parameters,
        )
