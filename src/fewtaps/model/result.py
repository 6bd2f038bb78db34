"""What the later stages conclude from many runs."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reproduction:
    """In how many worlds a goal was met, and the bounds of the true rate with 95 % confidence (Wilson's interval)."""

    met: int
    runs: int

    @property
    def rate(self) -> float:
        """The share of runs that met the goal; 0 if there were none."""
        return self.met / self.runs if self.runs else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The lower and upper bound of the rate; everything is possible as long as nothing was tried."""
        return wilson_interval(self.met, self.runs)

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.met} of {self.runs} ({low:.0%} to {high:.0%})"


def wilson_interval(met: int, runs: int, z: float = 1.959963984540054) -> tuple[float, float]:
    """Wilson's score interval for `met` in `runs`; the default z gives 95 %. Raises ValueError if it is no share."""
    if not 0 <= met <= runs:
        raise ValueError(f"{met} of {runs} is not a share")
    if runs == 0:
        return 0.0, 1.0
    share = met / runs
    scale = 1 + z * z / runs
    middle = (share + z * z / (2 * runs)) / scale
    reach = z * math.sqrt(share * (1 - share) / runs + z * z / (4 * runs * runs)) / scale
    # Rounding must not make a certain thing uncertain: the bounds of none and of all are exact.
    low = 0.0 if met == 0 else max(0.0, middle - reach)
    high = 1.0 if met == runs else min(1.0, middle + reach)
    return low, high
