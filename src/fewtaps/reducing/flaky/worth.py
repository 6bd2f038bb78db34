"""How promising a candidate is after what was seen of it."""

from __future__ import annotations

import math

from fewtaps.reducing.flaky.parameters import Nd3minParameters
from fewtaps.reducing.flaky.prior import Prior
from fewtaps.reducing.flaky.tally import Tally


def worth(prior: Prior, parameters: Nd3minParameters, tally: Tally) -> float:
    """How probably a candidate of which this is known would pass, were it run to the end."""
    if tally.passes(parameters):
        return 1.0
    if tally.fails(parameters):
        return 0.0
    left = parameters.runs - tally.runs
    believed = prior.posterior(*tally)
    missing = parameters.needed - tally.met
    return math.fsum(
        weight * math.comb(left, met) * rate**met * (1 - rate) ** (left - met)
        for rate, weight in zip(believed.rates, believed.weights, strict=True)
        for met in range(missing, left + 1)
    )
