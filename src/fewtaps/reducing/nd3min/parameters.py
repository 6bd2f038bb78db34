"""How often a candidate is run, how often it has to succeed, and on how many devices."""

from __future__ import annotations

from dataclasses import dataclass

from fewtaps.errors import UsageError


@dataclass(frozen=True, slots=True)
class Nd3minParameters:
    """The settings of ND3MIN (section 3, section 5.1), with the paper's values.

    A candidate passes if it meets the goal in `needed` (st) of `runs` (nr) runs. A trace is first cut into `candidates`
    (n) parts. `devices` (m) runs can happen at once: together they are one step. The original has to meet the goal in
    `precheck` of `runs` runs before anything is reduced. What is kept is trusted to have a rate of `needed / runs` (pb)
    less `slack` (ε).
    """

    runs: int = 20
    needed: int = 18
    candidates: int = 5
    devices: int = 15
    precheck: int = 15
    slack: float = 0.05

    def __post_init__(self) -> None:
        if self.runs < 1:
            raise UsageError(f"runs is {self.runs}: a candidate needs at least one run")
        if not 1 <= self.needed <= self.runs:
            raise UsageError(f"needed is {self.needed}: it must be between 1 and runs ({self.runs})")
        if self.candidates < 2:
            raise UsageError(f"candidates is {self.candidates}: a trace is cut into at least 2 parts")
        if self.devices < 1:
            raise UsageError(f"devices is {self.devices}: at least one is needed")
        if not 0 <= self.precheck <= self.runs:
            raise UsageError(f"precheck is {self.precheck}: it must be between 0 and runs ({self.runs})")
        if not 0 <= self.slack < 1:
            raise UsageError(f"slack is {self.slack:g}: it must be at least 0 and less than 1")

    @property
    def spare(self) -> int:
        """How often a candidate may miss the goal and still pass."""
        return self.runs - self.needed

    @property
    def rate(self) -> float:
        """The reproduction rate that stands for passing (pb)."""
        return self.needed / self.runs

    @property
    def trusted_rate(self) -> float:
        """The rate that a kept trace is claimed to have (pb - ε)."""
        return self.rate - self.slack
