"""Leaves out the items first that are probably needless: for sequences without states, and for expensive runs.

Each item has a probability of being needed, the same at first. The set that is left out next has the highest promise:
its size times the probability that none of it is needed, divided by the expected cost of the answer. A failure makes
all items of the set more probable, by Bayes; a success removes them. This is the idea of probabilistic delta debugging
(Wang, Shen, Chen, Xiong, Zhang: Probabilistic Delta Debugging, ESEC/FSE 2021). The cost of the answers is our addition:
a yes takes many runs and a no one or two, so that larger sets, which are refused more often, are worth a try.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from fewtaps.reducing.problem import Candidate, Problem

T = TypeVar("T")

EXPECTED_NEEDED = 4.0
"""Needed items of a sequence that are assumed at first."""

MOST = 0.5
"""The highest probability of being needed that an item has at first."""


def leave_out_the_needless(
    problem: Problem[T], needed: dict[int, float], *, yes_cost: float = 1.0, no_cost: float = 1.0
) -> None:
    """Leaves out sets of items until no further set is promising.

    `needed` are the probabilities by item, as far as they are known from before; they are updated. `yes_cost` and
    `no_cost` are the costs of the two answers. The result need not be 1-minimal.
    """
    first = min(MOST, EXPECTED_NEEDED / max(1, len(problem.best)))
    for number in problem.best:
        needed.setdefault(number, first)
    while True:
        chosen = _most_promising(problem.best, needed, yes_cost, no_cost)
        if not chosen:
            return
        left_out = set(chosen)
        candidate = tuple(number for number in problem.best if number not in left_out)
        if problem.first([candidate]) is None:
            one_is_needed(needed, chosen)


def _most_promising(best: Candidate, needed: dict[int, float], yes_cost: float, no_cost: float) -> Sequence[int]:
    """The set to leave out next: the least probable items, as many as have the highest promise."""
    # Of equally probable items the earlier ones first: the cause of a crash is near the end.
    order = sorted(best, key=lambda number: needed[number])
    chosen, most, none_needed = 0, 0.0, 1.0
    for count, number in enumerate(order, 1):
        if needed[number] >= 1.0:
            break
        none_needed *= 1 - needed[number]
        promise = count * none_needed / (none_needed * yes_cost + (1 - none_needed) * no_cost)
        if promise > most:
            chosen, most = count, promise
    return order[:chosen]


def one_is_needed(needed: dict[int, float], chosen: Sequence[int]) -> None:
    """Updates the probabilities after a set with at least one needed item was found."""
    none_needed = 1.0
    for number in chosen:
        needed.setdefault(number, MOST / len(chosen))
        none_needed *= 1 - needed[number]
    for number in chosen:
        needed[number] = min(1.0, needed[number] / (1 - none_needed)) if len(chosen) > 1 else 1.0
