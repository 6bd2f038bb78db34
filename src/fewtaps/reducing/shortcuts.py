"""Shorter paths through the recorded states: our own passes, in none of the papers.

Where a trace comes back to a state, the events in between may be needless. The shortest path that skips all such loops
often meets the goal in the first run. If it does not, the app stores something that its states do not show. Then the
path is made to stop at more and more of the recorded events, those with the most informative effects first. These
candidates are short, so that their runs are cheap: they grow until one meets the goal, while delta debugging starts
with the longest ones.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import chain
from typing import TypeVar

from fewtaps.reducing.ddmin import ddmin_units, without
from fewtaps.reducing.problem import Candidate, Effect, Problem, Trait

T = TypeVar("T")

LONGEST_WITH_DETOURS = 40
"""Most items of a sequence whose detours are tried one by one: a longer one has too many."""


def shortcuts(problem: Problem[T]) -> None:
    """Tries the shortest paths through the recorded states, then paths that stop at events that may be needed."""
    current, traits = problem.best, problem.traits()
    layers = [_Paths(current, problem.states(layer)) for layer in range(problem.layers)]
    plans = [(layers[layer], stops) for layer, stops in _plans(traits, len(layers))]
    found = problem.first(paths.through(stops) for paths, stops in plans)
    if found is not None:
        _leave_out_stops(problem, *plans[found.index], traits)


class _Paths:
    """Candidates by the positions they must stop at."""

    def __init__(self, items: Candidate, states: Sequence[Hashable]) -> None:
        self._items = items
        self._states = states

    def through(self, stops: Iterable[int]) -> Candidate:
        """The shortest path through the stops, to the last item."""
        return tuple([self._items[position] for position in path_through(self._states, stops)])

    def through_groups(self, groups: Iterable[Sequence[int]]) -> Candidate:
        """The shortest path through all stops of the groups."""
        return self.through(sorted(chain.from_iterable(groups)))


def _leave_out_stops(problem: Problem[T], paths: _Paths, stops: Sequence[int], traits: Sequence[Trait]) -> None:
    """Finds the stops that are needed: first all stops of one action together, then each alone."""
    groups: dict[Hashable, list[int]] = {}
    for stop in reversed(stops):
        groups.setdefault(traits[stop].action, []).append(stop)
    # Delta debugging tries the last part first, so that the actions that were done last belong there.
    left = ddmin_units(problem, list(groups.values())[::-1], paths.through_groups)
    ddmin_units(problem, sorted(chain.from_iterable(left)), paths.through)


def _plans(traits: Sequence[Trait], layers: int) -> Iterator[tuple[int, list[int]]]:
    """Layers, and the positions to stop at: first none, then those with the most informative effects, then all touches.

    Of actions without a visible effect the last occurrence is tried first, then the last two, four and so on: it is not
    known which of them are needed, but few are.
    """
    every = range(layers)
    moves = every[min(1, layers - 1) : layers]
    informative = (Effect.HIDDEN, Effect.MOVED)
    yield from ((layer, []) for layer in every)
    yield from _distinct(every, (_stops(traits, informative[:count]) for count in (1, 2)))
    yield from _distinct(moves[:1], _last_touches(traits))
    shown = (*informative, Effect.SHOWN)
    yield from _distinct(every, [_stops(traits, shown)])
    yield from _distinct(moves, [_stops(traits, (*shown, Effect.TOUCHED))])


def _distinct(layers: Sequence[int], choices: Iterable[list[int]]) -> Iterator[tuple[int, list[int]]]:
    """Each layer with each choice that has any stops."""
    return ((layer, stops) for stops in choices if stops for layer in layers)


def _stops(traits: Sequence[Trait], effects: Sequence[Effect]) -> list[int]:
    return [position for position, trait in enumerate(traits) if trait.effect in effects]


def _last_touches(traits: Sequence[Trait]) -> Iterator[list[int]]:
    """The last 1, 2, 4 … positions of each action that may have a hidden effect."""
    places: dict[Hashable, list[int]] = {}
    for position, trait in enumerate(traits):
        if trait.effect in (Effect.HIDDEN, Effect.TOUCHED):
            places.setdefault(trait.action, []).append(position)
    most = max(map(len, places.values()), default=0)
    count = 1
    while count <= most:
        yield sorted(chain.from_iterable(times[-count:] for times in places.values()))
        count *= 2


def path_through(states: Sequence[Hashable], stops: Iterable[int]) -> list[int]:
    """The shortest path that stops at these positions, in order, and ends at the last one."""
    path: list[int] = []
    start = 0
    for stop in (*stops, len(states) - 1):
        if start <= stop:
            path += [start + position for position in shortest_path(states[start : stop + 1])]
            start = stop + 1
    return path


def shortest_path(states: Sequence[Hashable]) -> list[int]:
    """The fewest positions, in order, that lead from the first state to the last item if only states matter.

    After an item, the path goes on at any later position whose state is the one that followed the item. Of two equally
    short paths, the one closer to the end is taken.
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
    path = [nearest[states[0]]]
    while path[-1] != last:
        path.append(onward[path[-1]])
    return path


def cut_detours(problem: Problem[T]) -> None:
    """Leaves out whole detours, the longest first: items that lead away from a state and back to it.

    Leaving out single items does not find them, because the step away is needed for the step back.
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
