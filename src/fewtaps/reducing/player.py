"""Single runs as trials need them: of a candidate, in a world, with the device it was made on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from fewtaps.model.event import Event
from fewtaps.model.goal import Goal
from fewtaps.model.trace import Trace
from fewtaps.reducing.oracle import Events, TraceFacts, judge_trace
from fewtaps.reducing.problem import Item, ItemFacts, Seen

LOST_IN_A_ROW = 3
"""A run whose device died is made again, up to this many runs; then it counts as one that missed the goal."""

PlayInWorlds: TypeAlias = Callable[[Sequence[tuple[Events, int | None]]], Sequence[tuple[Trace, str]]]
"""Plays events, the launch first, each in its world; gives the traces and the names of the devices, in their order."""


@dataclass(frozen=True, slots=True)
class ObservedRun:
    """One run as it was seen, and the device it was made on."""

    seen: Seen
    device: str = ""


class Player(ItemFacts[Item], Protocol[Item]):
    """Runs candidates, any number of times each."""

    def run(self, tasks: Sequence[tuple[tuple[Item, ...], int | None]]) -> Sequence[ObservedRun]:
        """Runs each candidate once in its world, None on a device without worlds; several may be run at once."""
        ...


class TracePlayer(TraceFacts):
    """Runs candidates of a trace on devices."""

    def __init__(self, original: Trace, goal: Goal, play: PlayInWorlds) -> None:
        super().__init__(original)
        self._goal = goal
        self._play = play

    def run(self, tasks: Sequence[tuple[tuple[Event, ...], int | None]]) -> Sequence[ObservedRun]:
        """Plays each candidate once, after the launch, and judges it; answers come in the order of the tasks."""
        played = self._play([((self.launch, *items), world) for items, world in tasks])
        return [ObservedRun(judge_trace(self._goal, trace), device) for trace, device in played]
