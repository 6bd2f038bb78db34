"""The distribution of a candidate's reproduction rate, before its runs and after them."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from fewtaps.errors import UsageError

STEPS = 20
"""The paper's grid: rates 0, 0.05, ... 1 (figure 4)."""

IMPOSSIBLE = 1e-6
"""If runs are by this factor less probable under the prior than under their own rate, the prior is refused."""

ROUNDING = 1e-6
"""By how much the weights may miss one: they are often written with few digits."""


@dataclass(frozen=True, slots=True)
class Prior:
    """A discrete distribution over the reproduction rate p of a candidate (section 3, after equation 6).

    `rates` are increasing, between 0 and 1; `weights` are their probabilities and sum to one.
    """

    rates: tuple[float, ...]
    weights: tuple[float, ...]

    def __post_init__(self) -> None:
        if not self.rates or len(self.rates) != len(self.weights):
            raise UsageError(f"a prior of {len(self.rates)} rates needs as many weights, not {len(self.weights)}")
        if not all(0 <= rate <= 1 for rate in self.rates) or list(self.rates) != sorted(set(self.rates)):
            raise UsageError("the rates of a prior must increase from 0 to at most 1")
        if not all(weight >= 0 for weight in self.weights):
            raise UsageError("a weight of a prior is negative or not a number")
        total = math.fsum(self.weights)
        if abs(total - 1) > ROUNDING:
            raise UsageError(f"the weights of a prior must sum to one, not {total:.6g}")

    @classmethod
    def paper(cls) -> Prior:
        """The paper's prior (figure 4), which is the default."""
        return PAPER

    @classmethod
    def learned(cls, counts: Iterable[tuple[int, int]], *, belief: float = 20.0) -> Prior:
        """The prior that fits candidates of one's own, each seen as (met, missed).

        The weights are those that make the counts most probable on the paper's grid, found by expectation maximisation.
        The default prior takes part as if it were `belief` candidates, so that no rate is ever impossible and a few
        counts change little.
        """
        seen = [(met, missed) for met, missed in counts]
        if any(met < 0 or missed < 0 for met, missed in seen):
            raise UsageError("a candidate cannot have met or missed its goal less than 0 times")
        return _maximise(Counter(pair for pair in seen if sum(pair)), belief)

    def posterior(self, met: int, missed: int) -> Prior:
        """The distribution after `met` runs that met the goal and `missed` runs that missed it."""
        likely = [weight * each for weight, each in zip(self.weights, self.likelihoods(met, missed), strict=True)]
        total = math.fsum(likely)
        if total <= 0:
            raise UsageError(f"by this prior, {met} runs with and {missed} without success cannot happen")
        return Prior(self.rates, tuple(each / total for each in likely))

    def require_possible(self, met: int, missed: int) -> None:
        """Raises UsageError if by this prior such runs are as good as impossible."""
        if not met + missed:
            return
        # The grid of rates is coarse, so that many runs count no more than as many as the grid has steps.
        share = min(1.0, STEPS / (met + missed))
        best = _log_likelihood(met / (met + missed), met, missed)
        for rate, weight in zip(self.rates, self.weights, strict=True):
            likely = _log_likelihood(rate, met, missed)
            if weight > 0 and math.log(weight) + share * (likely - best) >= math.log(IMPOSSIBLE):
                return
        raise UsageError(f"by this prior, {met} runs with and {missed} without success cannot happen")

    def likelihoods(self, met: int, missed: int) -> list[float]:
        """The probability of such runs under each rate, relative to the greatest: many runs must not underflow."""
        logs = [_log_likelihood(rate, met, missed) for rate in self.rates]
        greatest = max(logs)
        if greatest == -math.inf:
            return [0.0] * len(logs)
        return [0.0 if each == -math.inf else math.exp(each - greatest) for each in logs]

    def predictive(self, met: int, missed: int) -> float:
        """The probability that the next run meets the goal, after those seen."""
        return self.posterior(met, missed).mean

    @property
    def mean(self) -> float:
        """The mean of the rates by their weights."""
        return math.fsum(rate * weight for rate, weight in zip(self.rates, self.weights, strict=True))

    def at_least(self, rate: float) -> float:
        """The probability that the rate is as high as this."""
        # 0.9 - 0.05 is a little less than 0.85, and must not let in 0.80 nor keep out 0.85.
        return math.fsum(weight for each, weight in zip(self.rates, self.weights, strict=True) if each >= rate - 1e-9)

    @property
    def digest(self) -> str:
        """Names the prior by its content, the same on every machine."""
        text = ";".join(f"{rate:.9g}:{weight:.9g}" for rate, weight in zip(self.rates, self.weights, strict=True))
        return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()

    def to_json(self) -> dict[str, Any]:
        """Rates and weights as lists of numbers."""
        return {"rates": list(self.rates), "weights": list(self.weights)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Prior:
        """Reads a prior that `to_json` wrote; raises UsageError if it is no distribution."""
        try:
            return cls(tuple(map(float, data["rates"])), tuple(map(float, data["weights"])))
        except (KeyError, TypeError, ValueError) as error:
            if isinstance(error, UsageError):
                raise
            raise UsageError(f"not a prior: {error}") from error


def _log_likelihood(rate: float, met: int, missed: int) -> float:
    if (met and rate == 0) or (missed and rate == 1):
        return -math.inf
    return (met * math.log(rate) if met else 0.0) + (missed * math.log1p(-rate) if missed else 0.0)


def _maximise(seen: Counter[tuple[int, int]], belief: float) -> Prior:
    likely = {pair: PAPER.likelihoods(*pair) for pair in seen}
    weights = list(PAPER.weights)
    for _ in range(200):
        shares = [belief * each for each in PAPER.weights]
        for pair, times in seen.items():
            joint = [weight * each for weight, each in zip(weights, likely[pair], strict=True)]
            scale = times / math.fsum(joint)
            shares = [share + scale * each for share, each in zip(shares, joint, strict=True)]
        total = math.fsum(shares)
        weights = [share / total for share in shares]
    return Prior(PAPER.rates, tuple(weights))


# The paper prints its prior as a picture only. These weights give back every p1 and p2 of its tables 1 to 3, and
# Pr[P >= 0.85 | passes] > 0.95 of section 3, to the digits printed, but for one: 19 of 20 comes out as 0.88, not 0.94,
# which no prior on this grid allows beside the others. They are nearly the smoothest of all such weights.
PAPER = Prior(
    tuple(step / STEPS for step in range(STEPS + 1)),
    (0.4214, 0.0528, 0.004, 0.0047, 0.0055, 0.0062, 0.007, 0.0077, 0.0085, 0.0092, 0.01)
    + (0.0107, 0.0195, 0.0284, 0.0372, 0.046, 0.0348, 0.0235, 0.0297, 0.0358, 0.1974),
)
