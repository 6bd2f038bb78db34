"""Schedules decide which candidates run next, on how many devices each; here are the two naive ones (section 4.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from fewtaps.reducing.nd3min.parameters import Nd3minParameters
from fewtaps.reducing.nd3min.tally import Tally


class Schedule(Protocol):
    """Chooses the runs of one step.

    Promises: as many numbers as tallies, none negative, not more than `devices` in all, none for a candidate that is
    decided, none beyond `Nd3minParameters.runs`, and at least one run while a candidate is open.
    """

    def __call__(self, tallies: Sequence[Tally], devices: int) -> tuple[int, ...]:
        """How often to run each candidate now, at most `devices` runs together."""
        ...


class Greedy:
    """All runs of the first candidate, then all of the second, and so on: naive greedy."""

    def __init__(self, parameters: Nd3minParameters) -> None:
        self._parameters = parameters

    def __call__(self, tallies: Sequence[Tally], devices: int) -> tuple[int, ...]:
        """Fills the devices from the first candidate on."""
        planned: list[int] = []
        for tally in tallies:
            planned.append(min(tally.room(self._parameters), devices - sum(planned)))
        return tuple(planned)


class RoundRobin:
    """One run for each candidate in turn, until the devices are full: naive round-robin, the paper's baseline."""

    def __init__(self, parameters: Nd3minParameters) -> None:
        self._parameters = parameters

    def __call__(self, tallies: Sequence[Tally], devices: int) -> tuple[int, ...]:
        """Goes round the candidates that are open."""
        planned = [0] * len(tallies)
        deal([tally.room(self._parameters) for tally in tallies], range(len(tallies)), devices, planned)
        return tuple(planned)


def deal(rooms: Sequence[int], order: Sequence[int], devices: int, planned: list[int]) -> None:
    """Adds runs to `planned`, one for each candidate of `order` in turn, until the devices or the rooms are full."""
    free = devices - sum(planned)
    while free > 0:
        willing = [number for number in order if planned[number] < rooms[number]][:free]
        if not willing:
            return
        for number in willing:
            planned[number] += 1
        free -= len(willing)
