"""In which worlds a trace meets its goal."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fewtaps.model.result import Reproduction
from fewtaps.model.trial import Trial


@dataclass(frozen=True, slots=True)
class WorldReport:
    """In which worlds a trace met its goal, and in which it missed it."""

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
        """For a person: "crashes in 37 of 100 worlds; world 12 always"."""
        rate = self.reproduction
        words = f"{verb} in {rate.met} of {rate.runs} world{'' if rate.runs == 1 else 's'}"
        return f"{words}; world {self.met[0]} always" if self.is_flaky else words


def world_report(trials: Iterable[Trial]) -> WorldReport:
    """The outcome of each world in the trials; trials without a world are left out."""
    outcomes = {trial.world: trial.met for trial in trials if trial.world is not None}
    return WorldReport(
        tuple(sorted(world for world, met in outcomes.items() if met)),
        tuple(sorted(world for world, met in outcomes.items() if not met)),
    )
