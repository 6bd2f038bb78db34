"""Shorter ways through the recorded states: our own passes, in none of the papers.

Where a trace comes back to a state, what happened in between may have been for nothing. The shortest way that skips
all such loops is often the answer in one run. Where it is not, the app remembers something that its states do not
show; then the way is led through more and more of what was done, the most telling first. All these candidates are
short, and so cost little: they grow until one meets the goal, while delta debugging begins with the longest.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import chain
from typing import TypeVar

from fewtaps.reducing.ddmin import ddmin_units, without
from fewtaps.reducing.problem import Candidate, Effect, Problem, Trait

T = TypeVar("T")

LONGEST_WITH_DETOURS = 40
"""In longer sequences the detours are too many to be tried one by one."""


def shortcuts(problem: Problem[T]) -> None:
    """FrontierMemory the shortest ways through the recorded states, then ways through what might have mattered."""
    current, traits = problem.best, problem.traits()
    layers = [_Ways(current, problem.states(layer)) for layer in range(problem.layers)]
    plans = [(layers[layer], stops) for layer, stops in _plans(traits, len(layers))]
    found = problem.first(ways.through(stops) for ways, stops in plans)
    if found is not None:
        _leave_out_stops(problem, *plans[found.index], traits)


class _Ways:
    """Candidates by the positions they must stop at."""

    def __init__(self, items: Candidate, states: Sequence[Hashable]) -> None:
        self._items = items
        self._states = states

    def through(self, stops: Iterable[int]) -> Candidate:
        """The shortest way through the stops, to the last item."""
        return tuple([self._items[position] for position in way_through(self._states, stops)])

    def through_groups(self, groups: Iterable[Sequence[int]]) -> Candidate:
        """The shortest way through all stops of the groups."""
        return self.through(sorted(chain.from_iterable(groups)))


def _leave_out_stops(problem: Problem[T], ways: _Ways, stops: Sequence[int], traits: Sequence[Trait]) -> None:
    """Finds the stops that are needed: first all stops of one action together, then each for itself."""
    groups: dict[Hashable, list[int]] = {}
    for stop in reversed(stops):
        groups.setdefault(traits[stop].action, []).append(stop)
    # Of delta debugging's parts the last one is tried first: there belong the actions that were done last.
    left = ddmin_units(problem, list(groups.values())[::-1], ways.through_groups)
    ddmin_units(problem, sorted(chain.from_iterable(left)), ways.through)


def _plans(traits: Sequence[Trait], layers: int) -> Iterator[tuple[int, list[int]]]:
    """Layers, and the positions to stop at: first none, then the most telling, in the end all that touched something.

    Of actions that never showed anything, and ran no new code either, the last time of each is enough to begin with,
    then the last two, four and so on: it is not known which of them matter, but there are few that do.
    """
    every = range(layers)
    moves = every[min(1, layers - 1) : layers]
    telling = (Effect.HIDDEN, Effect.MOVED)
    yield from ((layer, []) for layer in every)
    yield from _distinct(every, (_stops(traits, telling[:count]) for count in (1, 2)))
    yield from _distinct(moves[:1], _last_touches(traits))
    shown = (*telling, Effect.SHOWN)
    yield from _distinct(every, [_stops(traits, shown)])
    yield from _distinct(moves, [_stops(traits, (*shown, Effect.TOUCHED))])


def _distinct(layers: Sequence[int], choices: Iterable[list[int]]) -> Iterator[tuple[int, list[int]]]:
    """Each layer with each choice that has any stops."""
    return ((layer, stops) for stops in choices if stops for layer in layers)


def _stops(traits: Sequence[Trait], effects: Sequence[Effect]) -> list[int]:
    return [position for position, trait in enumerate(traits) if trait.effect in effects]


def _last_touches(traits: Sequence[Trait]) -> Iterator[list[int]]:
    """The last 1, 2, 4 … times of each action that may have changed something unseen."""
    places: dict[Hashable, list[int]] = {}
    for position, trait in enumerate(traits):
        if trait.effect in (Effect.HIDDEN, Effect.TOUCHED):
            places.setdefault(trait.action, []).append(position)
    most = max(map(len, places.values()), default=0)
    count = 1
    while count <= most:
        yield sorted(chain.from_iterable(times[-count:] for times in places.values()))
        count *= 2


def way_through(states: Sequence[Hashable], stops: Iterable[int]) -> list[int]:
    """The shortest way that stops at these positions, in order, and ends at the last one."""
    way: list[int] = []
    start = 0
    for stop in (*stops, len(states) - 1):
        if start <= stop:
            way += [start + position for position in shortest_way(states[start : stop + 1])]
            start = stop + 1
    return way


def shortest_way(states: Sequence[Hashable]) -> list[int]:
    """The fewest positions, in order, that lead from the first state to the last item if only states mattered.

    After an item, the way goes on at any later position that has the state which followed it. Of two equally short
    ways, the one closer to the end is taken.
    """
    if not states:
        return []
    last = len(states) - 1
    lengths = [0] * len(states)
    onward = [last] * len(states)
    nearest: dict[Hashable, int] = {}
    for position in range(last, -1, -1):
        if position < last:
            onward[position] = nearest[states[position + 1]]
            lengths[position] = lengths[onward[position]] + 1
        known = nearest.get(states[position])
        if known is None or lengths[position] < lengths[known]:
            nearest[states[position]] = position
    way = [nearest[states[0]]]
    while way[-1] != last:
        way.append(onward[way[-1]])
    return way


def cut_detours(problem: Problem[T]) -> None:
    """Leaves out whole detours, the longest first: what led away from a state and back to it.

    A step away and the step back can only go together, which is why leaving out single items does not find them.
    """
    while problem.layers and len(problem.best) <= LONGEST_WITH_DETOURS:
        current, states = problem.best, problem.states()
        detours = [
            (start, end)
            for start in range(len(states))
            for end in range(start + 2, len(states))
            if states[start] == states[end] and any(state != states[start] for state in states[start:end])
        ]
        detours.sort(key=lambda detour: detour[0] - detour[1])
        if problem.first(without(current, *detour) for detour in detours) is None:
            return
