"""Leaves out first what is probably needless: for sequences of which nothing is known, and runs that are dear.

Each item has a probability of being needed, the same at first. What is left out next is the set that promises most:
its size times the probability that none of it is needed, for what the answer will cost. A failure makes all items of
the set more probable, by Bayes; a success settles them. This is the idea of probabilistic delta debugging (Wang, Shen,
Chen, Xiong, Zhang: Probabilistic Delta Debugging, ESEC/FSE 2021), with the cost of the two answers as our addition:
where a yes takes many runs to believe and a no one or two, it pays to ask what is likely to be refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from fewtaps.reducing.problem import Candidate, Problem

T = TypeVar("T")

EXPECTED_NEEDED = 4.0
"""How many items of a sequence are needed, at first guess."""

MOST = 0.5
"""No item is more probably needed than this before anything was seen."""


def leave_out_the_needless(
    problem: Problem[T], needed: dict[int, float], *, yes_cost: float = 1.0, no_cost: float = 1.0
) -> None:
    """Leaves out sets of items until each item that is left was seen to be needed alone, or is as good as sure to be.

    `needed` are the probabilities by item, as far as they are known from before; what is learned is noted there.
    `yes_cost` and `no_cost` are what the two answers cost. The result is not promised to be 1-minimal.
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
    """The set to leave out next: the least needed items, as many as promise most for their cost."""
    # Of equally probable items the earlier ones first: what led to a crash is near the end.
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
    """Learns that at least one of the chosen is needed."""
    none_needed = 1.0
    for number in chosen:
        needed.setdefault(number, MOST / len(chosen))
        none_needed *= 1 - needed[number]
    for number in chosen:
        needed[number] = min(1.0, needed[number] / (1 - none_needed)) if len(chosen) > 1 else 1.0
