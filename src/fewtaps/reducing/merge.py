"""After deletion: one event in the place of several that can only be left out together.

The first of two rotations may be needed only to make the second one a change. Events that come back to the screen they
began on may be needed only for the time they took.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import islice, permutations

from fewtaps.model.event import ORIENTATIONS, Event, Rotate, Wait
from fewtaps.reducing.ddmin import without
from fewtaps.reducing.problem import Candidate, Problem

MOST_PAUSES = 20
"""Stretches of events that are tried as pauses, the longest first."""
SECOND_MS = 1000


def merge(problem: Problem[Event]) -> None:
    """Tries one rotation for two, and a pause for events that come back to their screen, until neither is shorter."""
    size = None
    while size != len(problem.best):
        size = len(problem.best)
        problem.first(_with_fewer_rotations(problem))
        problem.first(_with_pauses(problem))


def _with_fewer_rotations(problem: Problem[Event]) -> Iterator[Candidate]:
    """The best without one rotation and with another one to a different orientation."""
    best = problem.best
    places = [place for place, number in enumerate(best) if isinstance(problem.item(number), Rotate)]
    for kept, left_out in permutations(reversed(places), 2):
        for orientation in ORIENTATIONS:
            if Rotate(orientation) != problem.item(best[kept]):
                changed = (*best[:kept], problem.add(Rotate(orientation)), *best[kept + 1 :])
                yield without(changed, left_out, left_out + 1)


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Events from start up to end that end in the kind of screen they began in, and how long they took."""

    start: int
    end: int
    ms: int


def _with_pauses(problem: Problem[Event]) -> Iterator[Candidate]:
    """The best with a stretch of events replaced by a pause of as many whole seconds as they took."""
    best = problem.best
    for stretch in islice(_stretches(problem), MOST_PAUSES):
        pause = problem.add(Wait(-(-max(stretch.ms, 1) // SECOND_MS) * SECOND_MS))
        yield (*best[: stretch.start], pause, *best[stretch.end :])


def _stretches(problem: Problem[Event]) -> Iterator[_Stretch]:
    """The stretches between two visits of a state, longest first; none without a trace or with one layer."""
    if problem.trace is None or problem.layers < 2:
        return
    steps = problem.trace.steps
    for start, end in longest_returns(problem.states(1)):
        yield _Stretch(start, end, steps[end].clock_ms - steps[start].clock_ms)


def longest_returns(states: Sequence[Hashable]) -> Iterator[tuple[int, int]]:
    """All pairs of places, at least two apart, with the same state; those furthest apart first, of equals the first.

    A long trace has too many pairs to sort them. Each state offers its widest pair, and a narrower one after that was
    taken.
    """
    places: dict[Hashable, list[int]] = {}
    for place, state in enumerate(states):
        places.setdefault(state, []).append(place)
    offers = [(same[0] - same[-1], same[0], 0, len(same) - 1, same) for same in places.values()]
    heapify(offers)
    while offers:
        width, start, first, last, same = heappop(offers)
        if width > -2:
            return
        yield start, same[last]
        if first == 0:
            heappush(offers, (same[0] - same[last - 1], same[0], 0, last - 1, same))
        heappush(offers, (same[first + 1] - same[last], same[first + 1], first + 1, last, same))
