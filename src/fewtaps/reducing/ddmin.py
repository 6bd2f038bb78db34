"""Classic delta debugging over any sequence, and the deletion of items one by one.

The partition is the one of SimplyDroid's example (section II.C): parts of one size, the earlier ones larger by one
where that does not come out even.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Generic, TypeVar

from fewtaps.reducing.problem import AcceptedCandidate, Candidate, Problem

T = TypeVar("T")
Part = TypeVar("Part")


def ddmin(problem: Problem[T]) -> None:
    """Zeller's and Hildebrandt's ddmin: parts, then complements, then parts half as large.

    Parts come last first, as in SimplyDroid, because a crash happens at the end. The result is 1-minimal, except that
    a single item is never left out.
    """
    count = 2
    while len(problem.best) >= 2:
        current = problem.best
        tried = _Round(current, count)
        found = problem.first(map(tuple, tried))
        if found is None and count >= len(current):
            return
        count = min(tried.next_count(found), max(len(problem.best), 2))


def ddmin_units(problem: Problem[T], units: Sequence[Part], build: Callable[[Sequence[Part]], Candidate]) -> list[Part]:
    """As `ddmin`, over units that a candidate is built from; returns those that are left."""
    left, count = list(units), 2
    while len(left) >= 2:
        tried = _Round(left, count)
        found = problem.first(map(build, tried))
        if found is not None:
            left = list(tried.option(found.index))
        elif count >= len(left):
            break
        count = min(tried.next_count(found), max(len(left), 2))
    return left


class _Round(Generic[Part]):
    """The candidates of ddmin at one granularity: each part, the last one first, then everything but one part.

    A candidate is built when it is asked for: all together would take memory with the square of the length.
    """

    def __init__(self, units: Sequence[Part], count: int) -> None:
        self._count = count
        self._parts = partition(units, count)

    def __iter__(self) -> Iterator[tuple[Part, ...]]:
        # Of two parts, each is the complement of the other.
        return map(self.option, range(self._count if self._count == 2 else 2 * self._count))

    def option(self, index: int) -> tuple[Part, ...]:
        """The candidate with this number."""
        if index < self._count:
            return self._parts[self._count - 1 - index]
        return complement(self._parts, left_out(index - self._count, self._count))

    def next_count(self, found: AcceptedCandidate | None) -> int:
        """The granularity after this one: finer after a failure, coarse again after a part, kept after a complement."""
        if found is None:
            return 2 * self._count
        return 2 if found.index < self._count else max(self._count - 1, 2)


def delete_one_by_one(problem: Problem[T]) -> None:
    """Leaves out each item, last first, until leaving out any one is known to fail: the result is 1-minimal."""
    position = len(problem.best) - 1
    while problem.best:
        current = problem.best
        # The items after this position were needed when they were tried, and probably still are: they come last.
        order = [(position - offset) % len(current) for offset in range(len(current))]
        found = problem.first(without(current, left_out, left_out + 1) for left_out in order)
        if found is None:
            return
        position = min(order[found.index], len(problem.best)) - 1


def partition(items: Sequence[Part], count: int) -> list[tuple[Part, ...]]:
    """Cuts items into `count` parts of one size; the earlier ones are larger by one if the length does not divide."""
    size, larger = divmod(len(items), count)
    parts: list[tuple[Part, ...]] = []
    start = 0
    for number in range(count):
        end = start + size + (number < larger)
        parts.append(tuple(items[start:end]))
        start = end
    return parts


def left_out(number: int, count: int) -> int:
    """The part that is missing in a complement: the last but one first, then those before it, the last one last.

    The last part holds the crash, so that leaving it out is the least promising.
    """
    return (count - 2 - number) % count


def complement(parts: Sequence[Sequence[Part]], missing: int) -> tuple[Part, ...]:
    """The units of all parts but the one at index `missing`."""
    return tuple([unit for index, part in enumerate(parts) if index != missing for unit in part])


def without(candidate: Candidate, start: int, end: int) -> Candidate:
    """The candidate without the items from start up to end."""
    return candidate[:start] + candidate[end:]
