"""What is remembered of places: what was tried there, where it led, and how much is left to find.

A place is a state, the rotation and the kind of text in each field: neither is part of a state, and both change the
effect of actions.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from fewtaps.explore.frontier_parameters import PLACE_DEFAULTS, PlaceParameters
from fewtaps.explore.ids import ActionName, PageId, PlaceId, ShapeId
from fewtaps.explore.scores import NEVER, OfferedAction, Target, Try
from fewtaps.explore.tables import Table, drop_oldest
from fewtaps.model.state import StateId

NOWHERE = PlaceId("")
"""The target of an action that left the app or ended it."""
_COPIED = (
    *("offered", "shapes", "pages", "with_submit", "potential", "of_state", "events_on_page"),
    *("_exits", "_stale", "_last_seen", "_with_new_code", "_of_shape", "_events_in_shape", "_to_refresh"),
)
"""Plain tables, whose values never change."""


class KnownMove(NamedTuple):
    """An action that led to another place, and the probability that it does so again."""

    name: ActionName
    probability: float
    steps: int
    """The expected number of tries until it leads there."""


class PlaceMemory:
    """Tries, offered actions and potential of places, and how many events were spent in them. Forks learn apart."""

    def __init__(self, numbers: PlaceParameters = PLACE_DEFAULTS) -> None:
        self.numbers = numbers
        self.tried: Table[PlaceId, ActionName, Try] = Table()
        self.offered: dict[PlaceId, tuple[OfferedAction, ...]] = {}
        self.shapes: dict[PlaceId, ShapeId] = {}
        self.pages: dict[PlaceId, PageId] = {}
        self.with_submit: dict[PlaceId, None] = {}
        """Places with a button whose words submit a form."""
        self.potential: dict[PlaceId, float] = {}
        """How much was left to find in a place when it was last evaluated."""
        self.of_state: dict[StateId, PlaceId] = {}
        """The place in which a state was seen last."""
        self.events_on_page: dict[PageId, int] = {}
        self._exits: dict[PlaceId, dict[PlaceId, KnownMove]] = {}
        self._stale: dict[PageId, int] = {}
        self._last_seen: dict[PlaceId, int] = {}
        self._with_new_code: dict[PlaceId, None] = {}
        self._of_shape: dict[ShapeId, int] = {}
        self._events_in_shape: dict[ShapeId, int] = {}
        self._steps = 0
        self._to_refresh: list[PlaceId] = []

    def fork(self) -> PlaceMemory:
        """A memory that is the same now and learns on its own."""
        fork = PlaceMemory(self.numbers)
        for name in _COPIED:
            setattr(fork, name, getattr(self, name).copy())
        fork.tried = self.tried.fork()
        fork._steps = self._steps
        return fork

    def __getstate__(self) -> dict[str, object]:
        """Without the cache of exits, which is computed again from the tries."""
        return {**self.__dict__, "_exits": {}}

    def shape(self, place: PlaceId) -> ShapeId:
        """The shape of a place; an empty one if the place is not remembered."""
        return self.shapes.get(place, ShapeId(""))

    def exits(self, place: PlaceId, broken: Collection[tuple[ActionName, PlaceId]] = ()) -> Mapping[PlaceId, KnownMove]:
        """The places that tries in this one led to, each with the action that most probably leads there.

        `broken` are actions with places that they are known not to lead to any more.
        """
        found = None if broken else self._exits.get(place)
        if found is None:
            numbers = self.numbers
            surest: dict[PlaceId, tuple[float, ActionName]] = {}
            for name, (times, targets, _) in self.tried[place].items():
                least = numbers.last_target
                for target, led in targets:
                    probability = max(least, (led + 1.0) / (times + 1.0 + numbers.prior_tries))
                    least = 0.0
                    known = surest.get(target)
                    if (known is None or probability > known[0]) and (name, target) not in broken:
                        surest[target] = (probability, name)
            surest.pop(place, None)
            surest.pop(NOWHERE, None)
            found = {target: KnownMove(name, sure, math.ceil(1.0 / sure)) for target, (sure, name) in surest.items()}
            if not broken:
                self._exits[place] = found
        return found

    def see(self, state: StateId, place: PlaceId) -> bool:
        """The state was seen in this place; whether the place is new."""
        self.of_state[state] = place
        self._last_seen[place] = self._steps
        return place not in self.offered

    def make_room(self) -> bool:
        """If the memory is full, drops a quarter of the places, those not seen for longest; whether it did."""
        most = self.numbers.max_places
        if len(self.offered) < most:
            return False
        for place in sorted(self.offered, key=self._last_seen.__getitem__)[: -(-most // 4)]:
            del self.offered[place], self.potential[place], self.shapes[place]
            del self.pages[place], self._last_seen[place]
            self.with_submit.pop(place, None)
            self._with_new_code.pop(place, None)
            self.tried.drop(place)
        self._exits.clear()
        self.of_state = {state: place for state, place in self.of_state.items() if place in self.offered}
        return True

    def add(
        self,
        place: PlaceId,
        offered: tuple[OfferedAction, ...],
        shape: ShapeId,
        page: PageId,
        *,
        has_submit: bool,
    ) -> float:
        """Remembers a new place; how new it is: 1 if no place of its shape was seen, less the more there are."""
        self.offered[place] = offered
        self.pages[place] = page
        if has_submit:
            self.with_submit[place] = None
        self.shapes[place] = shape
        self._of_shape[shape] = self._of_shape.pop(shape, 0) + 1
        return 1.0 / self._of_shape[shape]

    def ran_new_code(self, place: PlaceId) -> None:
        """New code ran when this place was reached for the first time."""
        if place not in self.offered:
            self._with_new_code[place] = None

    def has_new_code(self, place: PlaceId) -> bool:
        """Whether new code ran when the place was reached for the first time."""
        return place in self._with_new_code

    def spend(self, place: PlaceId) -> None:
        """One event was spent in a place of this shape."""
        shape = self.shapes[place]
        self._events_in_shape[shape] = self._events_in_shape.pop(shape, 0) + 1

    def spend_on_page(self, page: PageId, *, is_new_code: bool) -> None:
        """One event was spent on the page."""
        self.events_on_page[page] = self.events_on_page.pop(page, 0) + 1
        self._stale[page] = 0 if is_new_code else self._stale.get(page, 0) + 1

    def drop_old(self) -> Sequence[PageId]:
        """Drops the shapes and pages beyond the bound; the pages that were dropped."""
        most = self.numbers.max_names
        pages = drop_oldest(self.events_on_page, most)
        for page in pages:
            self._stale.pop(page, None)
        drop_oldest(self._of_shape, most)
        drop_oldest(self._events_in_shape, most)
        return pages

    def add_try(self, place: PlaceId, name: ActionName, target: PlaceId | None, crashes: int, *, is_step: bool) -> None:
        """An action was tried in the place. `is_step` says that it can be repeated as a step of a path."""
        tried = self.tried.to_change(place)
        times, targets, crashed = tried.get(name, NEVER)
        if is_step:
            there = target or NOWHERE
            before = next((each.times for each in targets if each.place == there), 0)
            others = (each for each in targets if each.place != there)
            targets = (Target(there, before + 1), *others)[: self.numbers.max_targets]
            self._exits.pop(place, None)
        tried[name] = Try(times + 1, targets, crashed + crashes)

    def evaluate(self, place: PlaceId, scores: Sequence[float], *, is_closed: bool) -> None:
        """Computes the potential of a place from the scores of its actions.

        `is_closed` says that no submitting button of its page has led on yet.
        """
        numbers = self.numbers
        values = [offer.chance * score for offer, score in zip(self.offered[place], scores, strict=True)]
        values.sort(reverse=True)
        page = self.pages[place]
        behind = 0.0
        if is_closed and place in self.with_submit:
            behind = numbers.behind / math.sqrt(1.0 + self.events_on_page.get(page, 0) / numbers.behind_events)
        seldom = 1.0 + numbers.seldom / math.sqrt(1.0 + self._events_in_shape.get(self.shapes[place], 0))
        stale = 1.0 + self._stale.get(page, 0) / numbers.stale_page
        self.potential[place] = seldom * (sum(values[: numbers.visit]) + behind) / stale

    def next_to_refresh(self) -> PlaceId | None:
        """Called once per event: now and then a place whose potential is to be computed again."""
        self._steps += 1
        if self._steps % self.numbers.refresh_every:
            return None
        if not self._to_refresh:
            self._to_refresh = list(self.offered)
        place = self._to_refresh.pop()
        return place if place in self.offered else None
