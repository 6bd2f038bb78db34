"""The runs of one candidate: how many met the goal and how many missed it."""

from __future__ import annotations

from typing import NamedTuple

from fewtaps.reducing.nd3min.parameters import Nd3minParameters


class Tally(NamedTuple):
    """The pair (s, f) of section 4."""

    met: int = 0
    missed: int = 0

    @property
    def runs(self) -> int:
        """How often the candidate was run."""
        return self.met + self.missed

    @property
    def rate(self) -> float:
        """The share of runs that met the goal; 0 as long as there was none."""
        return self.met / self.runs if self.runs else 0.0

    def plus(self, met: bool) -> Tally:
        """A tally with one run more."""
        return Tally(self.met + 1, self.missed) if met else Tally(self.met, self.missed + 1)

    def passes(self, parameters: Nd3minParameters) -> bool:
        """Whether the candidate has met the goal often enough."""
        return self.met >= parameters.needed

    def fails(self, parameters: Nd3minParameters) -> bool:
        """Whether the candidate has missed the goal too often to pass."""
        return self.missed > parameters.spare

    def is_open(self, parameters: Nd3minParameters) -> bool:
        """Whether another run can change the answer."""
        return not self.passes(parameters) and not self.fails(parameters)

    def room(self, parameters: Nd3minParameters) -> int:
        """How many runs are left until `parameters.runs`; none once it is decided."""
        return parameters.runs - self.runs if self.is_open(parameters) else 0
