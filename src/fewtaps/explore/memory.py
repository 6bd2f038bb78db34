"""The memory of the frontier strategy: scores of actions, places, and forms.

It learns from steps alone, so that an exploration which is resumed from stored episodes remembers the same as one that
was never interrupted.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from fewtaps.explore.buttons import submits
from fewtaps.explore.form_memory import FormMemory
from fewtaps.explore.hints import readable_lines
from fewtaps.explore.ids import ActionGroup, ActionName, FieldId, PageId, PlaceId, ShapeId
from fewtaps.explore.parameters import DEFAULT_PARAMETERS, ExploreParameters
from fewtaps.explore.places import PlaceMemory
from fewtaps.explore.scores import ActionScores, OfferedAction, Score
from fewtaps.explore.screen_actions import ActionCache, ScreenActions
from fewtaps.model.event import Event, StartIntent, SystemEvent, Text
from fewtaps.model.screen import Screen
from fewtaps.model.state import StateId
from fewtaps.model.trace import Step


class FrontierMemory:
    """What all episodes have shown: `scores` of actions, `places` and `forms`; `cache` has the actions of screens."""

    def __init__(self, parameters: ExploreParameters = DEFAULT_PARAMETERS, cache: ActionCache | None = None) -> None:
        self._parameters = parameters
        self.cache = cache or ActionCache(parameters)
        self.scores = ActionScores(parameters.scores, parameters.places)
        self.places = PlaceMemory(parameters.places)
        self.forms = FormMemory(parameters.forms)

    def fork(self) -> FrontierMemory:
        """A memory that is the same now and learns on its own; the cache is shared."""
        fork = FrontierMemory(self._parameters, self.cache)
        fork.scores = self.scores.fork()
        fork.places = self.places.fork()
        fork.forms = self.forms.fork()
        return fork

    def place(self, state: StateId, screen: Screen) -> PlaceId:
        """The place of a state that is on the screen."""
        return PlaceId(f"{state}{self.cache(screen).context}")

    def scores_in(self, place: PlaceId, offered: Iterable[OfferedAction]) -> list[float]:
        """The scores of actions in a place."""
        places = self.places
        return self.scores.scores(
            offered, places.tried[place], places.shape(place), is_new_code=places.has_new_code(place)
        )

    def form_left(self, place: PlaceId, entries: Sequence[ActionName]) -> float:
        """How much of a form with these actions is unknown in places of this shape, between 0 and 1."""
        return self.scores.form_left(self.places.shape(place), entries)

    def text_towards(self, field: FieldId | None, places: Iterable[PlaceId]) -> str | None:
        """The value for a field that leads to the first of these places for which one is known; None if none is."""
        if field is None:
            return None
        return self.forms.text_towards(field, map(self.places.shape, places))

    def observe(self, source: StateId | None, step: Step, target: StateId | None, new_code: bool) -> None:
        """Learns what an event did."""
        places = self.places
        reached = None if target is None else self.place(target, step.after)
        if new_code and reached is not None:
            places.ran_new_code(reached)
        novelty = self._see(target, reached, step.after) if target is not None and reached is not None else 0.0
        if source is None:
            return
        place = self.place(source, step.before)
        self._see(source, place, step.before)
        before = self.cache(step.before)
        action = before.action_of(step.event)
        if action is not None:
            name, group = ActionName(sys.intern(action.name)), ActionGroup(sys.intern(action.group))
        else:
            name = name_without_action(step.event)
            group = ActionGroup("intent" if isinstance(step.event, StartIntent) else "system")
        crashed = int(step.crash is not None)
        gain = 1.0 if new_code else places.numbers.new_place * novelty
        idle, exits = reached == place and not new_code, reached is None and not crashed
        places.spend(place)
        change = Score(1, gain, int(idle), int(exits), crashed)
        self.scores.count(name, group, places.shapes[place], change, self._result(before, reached, step.after))
        self.forms.drop_old(places.numbers.max_names, places.drop_old())
        if isinstance(step.event, Text):
            if action is not None and action.field is not None:
                self.forms.type(action.field, step.event.text)
        elif action is not None and reached is not None and submits(action):
            self.forms.submit(before, self.cache(step.after))
        places.spend_on_page(before.page, is_new_code=new_code)
        # An event that no screen offers, such as one of the system, is no step of a path.
        places.add_try(place, name, reached, crashed, is_step=action is not None)
        self.evaluate(place)
        other = places.next_to_refresh()
        if other is not None:
            self.evaluate(other)

    def evaluate(self, place: PlaceId) -> None:
        """Computes the potential of a place."""
        places = self.places
        scores = self.scores_in(place, places.offered[place])
        places.evaluate(place, scores, is_closed=places.pages[place] not in self.forms.submitted)

    def _see(self, state: StateId, place: PlaceId, screen: Screen) -> float:
        """Remembers a place; how new it is: 1 if no place of its shape was seen, 0 if the place itself was."""
        places = self.places
        if not places.see(state, place):
            return 0.0
        if places.make_room():
            self.scores.in_shape.drop_oldest(places.numbers.max_places)
        shown = self.cache(screen)
        if shown.texts:
            hints = self._parameters.hints
            self.forms.read(screen.activity or "", readable_lines(screen, numbers=hints), hints.max_lines)
        novelty = places.add(
            place,
            self.cache.valued(screen),
            ShapeId(sys.intern(shown.shape)),
            PageId(sys.intern(shown.page)),
            has_submit=any(map(submits, shown.taps)),
        )
        self.evaluate(place)
        return novelty

    def _result(self, before: ScreenActions, reached: PlaceId | None, after: Screen) -> str | None:
        """What an action led to, to be compared with its next result.

        On its own page an action works on the data of the page, so two places are two results. A step to another page
        has the same result whenever that page has the same shape.
        """
        if reached is None:
            return None
        shown = self.cache(after)
        return reached if shown.page == before.page else sys.intern(f"{shown.page} {shown.shape}")


def name_without_action(event: Event) -> ActionName:
    """The name under which an event is remembered that no screen offers."""
    return ActionName(f"system {event.name if isinstance(event, SystemEvent) else event.kind}")
