"""Candidates that meet the goal by chance, for the tests of flaky reductions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from random import Random

import pytest

from fewtaps.model.result import Verdict

Rate = Callable[[tuple[int, ...]], float]

needs_solver = pytest.mark.skipif(find_spec("numba") is None, reason="solving needs pip install 'fewtaps[solver]'")


class Coins:
    """Runs candidates, sequences of numbers, each of which meets the goal with the rate that a function gives it."""

    def __init__(self, rate: Rate, seed: int = 0, *, needs: Sequence[int] = ()) -> None:
        self._rate = rate
        self._random = Random(seed)
        self._last = max(needs, default=-1)
        self.batches: list[list[tuple[tuple[int, ...], int]]] = []

    def __call__(self, asked: Sequence[tuple[tuple[int, ...], int]]) -> list[list[Verdict]]:
        """One list of verdicts for each candidate; a run that meets the goal has met it at the last needed item."""
        self.batches.append(list(asked))
        return [[self._run(candidate) for _ in range(count)] for candidate, count in asked]

    def _run(self, candidate: tuple[int, ...]) -> Verdict:
        met = self._random.random() < self._rate(candidate)
        length = sum(item <= self._last for item in candidate) if met else len(candidate)
        return Verdict(met=met, length=length, events=length + 1)


def needing(*needed: int, rate: float = 1.0) -> Rate:
    """Meets the goal at this rate if all that is needed is there, and never otherwise."""
    return lambda candidate: rate if set(needed) <= set(candidate) else 0.0
