"""Candidates of a trace in worlds, and in which worlds a trace does what it should."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from fewtaps.model.event import Event
from fewtaps.model.goal import Goal
from fewtaps.model.result import Reproduction
from fewtaps.model.trace import Trace
from fewtaps.model.trial import Trial
from fewtaps.reducing.doubtful import Run
from fewtaps.reducing.oracle import Events, TraceOracle

PlayInWorlds: TypeAlias = Callable[[Sequence[tuple[Events, int | None]]], Sequence[tuple[Trace, str]]]
"""Plays events, the launch first, each in its world; gives the traces and the names of the devices, in their order."""


class TracePlayer(TraceOracle):
    """Runs candidates of a trace, each in a world of its own or, where there are no worlds, as it comes."""

    def __init__(self, original: Trace, goal: Goal, play: PlayInWorlds) -> None:
        super().__init__(
            original, goal, lambda candidates: [trace for trace, _ in play([(c, None) for c in candidates])]
        )
        self._launch = original.steps[0].event
        self._play_in = play

    def run(self, tasks: Sequence[tuple[tuple[Event, ...], int | None]]) -> Sequence[Run]:
        """Plays each candidate once."""
        played = self._play_in([((self._launch, *items), world) for items, world in tasks])
        return [Run(self._seen(trace), device) for trace, device in played]


@dataclass(frozen=True, slots=True)
class WorldReport:
    """In which worlds a trace did what it should, and in which it did not."""

    met: tuple[int, ...]
    missed: tuple[int, ...]

    @property
    def reproduction(self) -> Reproduction:
        """The rate over these worlds."""
        return Reproduction(len(self.met), len(self.met) + len(self.missed))

    @property
    def is_flaky(self) -> bool:
        """Whether the world makes a difference."""
        return bool(self.met) and bool(self.missed)

    def words(self, verb: str = "crashes") -> str:
        """As one would say it: "crashes in 37 of 100 worlds; world 12 always"."""
        rate = self.reproduction
        told = f"{verb} in {rate.met} of {rate.runs} world{'' if rate.runs == 1 else 's'}"
        return f"{told}; world {self.met[0]} always" if self.is_flaky else told


def world_report(trials: Iterable[Trial]) -> WorldReport:
    """What trials say of worlds; those without a world say nothing."""
    outcomes = {trial.world: trial.met for trial in trials if trial.world is not None}
    return WorldReport(
        tuple(sorted(world for world, met in outcomes.items() if met)),
        tuple(sorted(world for world, met in outcomes.items() if not met)),
    )
