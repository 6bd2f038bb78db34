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
    """Tries the shortest ways through the recorded states, then ways through what might have mattered."""
    current, traits = problem.best, problem.traits()
    layers = [_Ways(current, problem.states(layer)) for layer in range(problem.layers)]
    plans = [(ways, stops) for stops in _stops(traits, len(current)) for ways in layers]
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


def _stops(traits: Sequence[Trait], count: int) -> Iterator[list[int]]:
    """The positions to stop at: none, then all whose action is known to have done something, by what it did."""
    yield []
    known = 0
    for most in (Effect.HIDDEN, Effect.MOVED, Effect.SHOWN):
        stops = [position for position, trait in enumerate(traits) if trait.effect <= most]
        if known < len(stops) < count:
            known = len(stops)
            yield stops


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
