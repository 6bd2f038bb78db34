"""Classic delta debugging over any sequence, and the deletion of items one by one.

The partition is the one of SimplyDroid's example (section II.C): parts of one size, the earlier ones larger by one
where that does not come out even.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from fewtaps.reducing.problem import Candidate, Problem

T = TypeVar("T")
Part = TypeVar("Part")


def ddmin(problem: Problem[T]) -> None:
    """Zeller's and Hildebrandt's ddmin: parts, then complements, then parts half as large.

    Parts come last first, as in SimplyDroid, because a crash happens at the end. What it leaves is 1-minimal, except
    that a single item is never tried without.
    """
    parts = 2
    while len(problem.best) >= 2:
        current = problem.best
        pieces = partition(current, parts)
        if problem.first(reversed(pieces)) is not None:
            parts = 2
        elif problem.first(complements(pieces)) is not None:
            parts = max(parts - 1, 2)
        elif parts < len(current):
            parts = 2 * parts
        else:
            return
        parts = min(parts, max(len(problem.best), 2))


def delete_one_by_one(problem: Problem[T]) -> None:
    """Leaves out each item, last first, until leaving out any one is known to fail: the result is 1-minimal."""
    position = len(problem.best) - 1
    while problem.best:
        current = problem.best
        # Those tried before were needed then, and mostly are still: go on from here, and come round to them.
        order = [(position - offset) % len(current) for offset in range(len(current))]
        found = problem.first(without(current, left_out, left_out + 1) for left_out in order)
        if found is None:
            return
        position = min(order[found.index], len(problem.best)) - 1


def partition(items: Sequence[Part], count: int) -> list[tuple[Part, ...]]:
    """So many parts of one size, the earlier ones larger by one where needed."""
    size, larger = divmod(len(items), count)
    parts: list[tuple[Part, ...]] = []
    start = 0
    for number in range(count):
        end = start + size + (number < larger)
        parts.append(tuple(items[start:end]))
        start = end
    return parts


def complements(pieces: Sequence[Candidate]) -> Iterator[Candidate]:
    """Everything but one part, the part left out being the last but one first, and the last one last.

    The last part holds the crash: to leave it out is the least promising.
    """
    last = len(pieces) - 1
    for left_out in (*range(last - 1, -1, -1), last):
        yield tuple(number for index, piece in enumerate(pieces) if index != left_out for number in piece)


def without(candidate: Candidate, start: int, end: int) -> Candidate:
    """The candidate without the items from start up to end."""
    return candidate[:start] + candidate[end:]
