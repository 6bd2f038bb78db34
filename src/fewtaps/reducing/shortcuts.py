"""Ways through the recorded states that are shorter than the trace.

This is not in the papers. Where a trace comes back to a state, what happened in between may have been for nothing; the
shortest way that skips all such loops is often the answer in one run, and a cheap question where it is not.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeVar

from fewtaps.reducing.problem import Problem

T = TypeVar("T")


def shortcuts(problem: Problem[T]) -> None:
    """Tries the shortest way through the states, under each abstraction from coarse to fine, until one works."""
    for layer in range(problem.layers):
        current = problem.best
        way = shortest_way(problem.states(layer))
        if len(way) == len(current) or problem.first([tuple(current[position] for position in way)]) is not None:
            return


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
