"""Conclusions from a passed check and failed neighbours: section 3 with Lemma 1, and section 5.2."""

from __future__ import annotations

import math
from dataclasses import dataclass

from fewtaps.errors import UsageError
from fewtaps.reducing.nd3min.parameters import Nd3minParameters
from fewtaps.reducing.nd3min.prior import Prior
from fewtaps.reducing.nd3min.tally import Tally


def pass_probability(rate: float, parameters: Nd3minParameters) -> float:
    """How probably a candidate with this rate passes (equation 6)."""
    return math.fsum(
        math.comb(parameters.runs, met) * rate**met * (1 - rate) ** (parameters.runs - met)
        for met in range(parameters.needed, parameters.runs + 1)
    )


def rate_given_tally(prior: Prior, tally: Tally, at_least: float) -> float:
    """How probably the rate is as high as this after runs counted exactly: p1 of section 5.2."""
    return _conditioned(prior, at_least, prior.likelihoods(*tally))


def lemma1_bound(prior: Prior, parameters: Nd3minParameters, length: int) -> float:
    """How probably no trace with one event less has a rate of st/nr: p2, for a result of `length` events (Lemma 1)."""
    if length < 0:
        raise UsageError(f"a trace of {length} events does not exist")
    fails = [1 - pass_probability(rate, parameters) for rate in prior.rates]
    return (1 - _conditioned(prior, parameters.rate, fails)) ** length


def _conditioned(prior: Prior, at_least: float, likely: list[float]) -> float:
    joint = [weight * each for weight, each in zip(prior.weights, likely, strict=True)]
    total = math.fsum(joint)
    if total <= 0:
        return 0.0
    return Prior(prior.rates, tuple(each / total for each in joint)).at_least(at_least)


@dataclass(frozen=True, slots=True)
class FinalCheck:
    """The paper's triple c(p1/p2): successes of the final check, then how likely the rate and 1-minimality are."""

    tally: Tally
    rate_holds: float
    is_minimal: float

    def __str__(self) -> str:
        # Cut off, not rounded, as in the paper: a bound must not look better than it is.
        cut = (math.floor(each * 100 + 1e-9) / 100 for each in (self.rate_holds, self.is_minimal))
        return "{} ({:.2f}/{:.2f})".format(self.tally.met, *cut)


def judge(prior: Prior, parameters: Nd3minParameters, tally: Tally, length: int) -> FinalCheck:
    """The triple for a result of `length` events whose final check came out as this tally."""
    return FinalCheck(
        tally,
        rate_given_tally(prior, tally, parameters.trusted_rate),
        lemma1_bound(prior, parameters, length),
    )
