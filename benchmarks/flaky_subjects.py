"""Pretend apps that reach a goal only sometimes: 500 events, sizes of the paper's tables, rates from its prior.

A subject has so many *kinds* of useful event. A candidate that lacks a kind meets the goal at a lower rate; the factor
is drawn from the prior, below the rate that passes. With all kinds, the rate is drawn from the prior above it. So what
is 1-minimal is known: one event of each kind.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from fewtaps.model.result import Verdict
from fewtaps.reducing.nd3min.parameters import Nd3minParameters
from fewtaps.reducing.nd3min.prior import Prior

LENGTH = 500

# How many events the heuristic left: tables 1 and 2, in their order.
SIZES = {
    "gplay": (0, 0, 3, 5, 0, 2, 2, 19, 25, 2, 0, 3, 8, 0, 1, 7, 15, 5, 2, 1, 1, 1, 1, 8, 6, 5, 3, 3),
    "fdroid": (0, 2, 3, 10, 0, 2, 3, 3, 0, 0, 2, 4, 0, 3, 5, 2, 6, 3, 0, 3, 13),
}

# Of so many taps of a random trace one does what some event of the minimal trace does. The paper does not tell; with
# this number the heuristic needs about as many steps as in its tables, and all else is compared at that.
TAPS_PER_HIT = 4


@dataclass(slots=True)
class Subject:
    """One trace, whose events are numbers, and how often any part of it meets the goal."""

    name: str
    kinds: tuple[int, ...]
    rate: float
    factors: tuple[float, ...]
    _reached: dict[tuple[int, ...], tuple[list[float], list[int]]] = field(default_factory=dict, repr=False)

    @property
    def events(self) -> tuple[int, ...]:
        """The whole trace."""
        return tuple(range(len(self.kinds)))

    @property
    def size(self) -> int:
        """How many events a minimal trace has."""
        return len(self.factors)

    def rate_of(self, candidate: tuple[int, ...]) -> float:
        """The true rate of a candidate."""
        return self._growing(candidate)[0][-1]

    def run(self, candidate: tuple[int, ...], chance: Random) -> Verdict:
        """One run: the goal is met as soon as what was done so far is enough for this run's luck."""
        rates, lengths = self._growing(candidate)
        at = bisect_right(rates, chance.random())
        met = at < len(rates)
        return Verdict(met=met, length=lengths[at] if met else len(candidate), events=len(candidate) + 1)

    def is_minimal(self, candidate: tuple[int, ...], parameters: Nd3minParameters) -> bool:
        """Whether truly no event can be left out at the rate that passes."""
        rests = (candidate[:at] + candidate[at + 1 :] for at in range(len(candidate)))
        return all(self.rate_of(rest) < parameters.rate - 1e-9 for rest in rests)

    def _growing(self, candidate: tuple[int, ...]) -> tuple[list[float], list[int]]:
        """The rate after each event that raises it, and how many events that takes."""
        known = self._reached.get(candidate)
        if known is None:
            known = self._reached[candidate] = self._grow(candidate)
        return known

    def _grow(self, candidate: tuple[int, ...]) -> tuple[list[float], list[int]]:
        missing = set(range(self.size))
        rates, lengths = [self._rate_without(missing)], [0]
        for length, event in enumerate(candidate, 1):
            if self.kinds[event] in missing:
                missing.discard(self.kinds[event])
                rates.append(self._rate_without(missing))
                lengths.append(length)
        return rates, lengths

    def _rate_without(self, missing: set[int]) -> float:
        rate = self.rate
        for kind in missing:
            rate *= self.factors[kind]
        return rate


class Bench:
    """Runs a subject's candidates, as often as asked."""

    def __init__(self, subject: Subject, seed: str) -> None:
        self._subject = subject
        self._chance = Random(seed)
        self.seed = seed

    def __call__(self, asked: Sequence[tuple[tuple[int, ...], int]]) -> list[list[Verdict]]:
        """All runs of one step."""
        return [[self._subject.run(candidate, self._chance) for _ in range(count)] for candidate, count in asked]


def subjects(group: str, seed: int, prior: Prior, parameters: Nd3minParameters) -> list[Subject]:
    """One subject for each line of the paper's table."""
    return [
        make_subject(f"{group} {number}", size, Random(f"{group}/{number}/{seed}"), prior, parameters)
        for number, size in enumerate(SIZES[group], 1)
    ]


def make_subject(name: str, size: int, chance: Random, prior: Prior, parameters: Nd3minParameters) -> Subject:
    """A random trace in which one passage has an event of each kind, in a row; there are more of them elsewhere."""
    kinds = [chance.randrange(size * TAPS_PER_HIT) if size else -1 for _ in range(LENGTH)]
    kinds = [kind if kind < size else -1 for kind in kinds]
    # The trace reached its goal somewhere: there the user's way is whole, one event after the other.
    start = chance.randrange(LENGTH - size)
    kinds[start : start + size] = range(size)
    high = [(rate, weight) for rate, weight in _pairs(prior) if rate >= parameters.rate - 1e-9]
    low = [(rate, weight) for rate, weight in _pairs(prior) if rate < parameters.rate - 1e-9]
    # A kind whose lack hardly shows would not be part of a minimal trace: its factor keeps any rate below the bound.
    factors = tuple(_draw(low, chance) for _ in range(size))
    return Subject(name, tuple(kinds), _draw(high, chance), factors)


def _pairs(prior: Prior) -> list[tuple[float, float]]:
    return list(zip(prior.rates, prior.weights, strict=True))


def _draw(pairs: Sequence[tuple[float, float]], chance: Random) -> float:
    return chance.choices([rate for rate, _ in pairs], [weight for _, weight in pairs])[0]
