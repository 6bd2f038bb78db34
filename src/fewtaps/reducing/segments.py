"""ESDroid's reduction (Algorithm 1): complements of segments, the last segment first."""

from __future__ import annotations

from typing import TypeVar

from fewtaps.reducing.problem import Candidate, Problem

T = TypeVar("T")


def segments(problem: Problem[T]) -> None:
    """Leaves out one segment after the other, the first one first, so that the end of the sequence is kept longest.

    With two segments this is divide and conquer, with more the complement strategy. A success goes on with one segment
    less but at least two, a round of failures with twice as many, until each is a single event.
    """
    count = 2
    while len(problem.best) >= 2:
        current = problem.best
        pieces = split_in_segments(current, count)
        found = problem.first(
            tuple(number for index, piece in enumerate(pieces) if index != left_out for number in piece)
            for left_out in range(count)
        )
        if found is not None:
            count = min(max(count - 1, 2), max(len(problem.best), 2))
        elif count == len(current):
            return
        else:
            count = min(2 * count, len(current))


def split_in_segments(items: Candidate, count: int) -> list[Candidate]:
    """Cuts items into `count` segments of one size; later ones have one more if the length does not divide (line 8)."""
    size, larger = divmod(len(items), count)
    pieces: list[Candidate] = []
    start = 0
    for number in range(count):
        end = start + size + (number >= count - larger)
        pieces.append(items[start:end])
        start = end
    return pieces
