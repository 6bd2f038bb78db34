"""The probabilities of sections 3 and 5.2, with the paper's own numbers."""

from __future__ import annotations

import math

import pytest

from fewtaps.errors import UsageError
from fewtaps.reducing.nd3min.bound import judge, lemma1_bound, pass_probability, rate_given_tally
from fewtaps.reducing.nd3min.parameters import Nd3minParameters
from fewtaps.reducing.nd3min.prior import Prior
from fewtaps.reducing.nd3min.tally import Tally

PAPER = Nd3minParameters()


def cut(probability: float) -> float:
    """As the tables print it: two digits, cut off."""
    return math.floor(probability * 100) / 100


def rate_given_pass(prior: Prior, parameters: Nd3minParameters, at_least: float) -> float:
    """The probability that a candidate that passed has at least this rate (equation 5)."""
    passed = [
        weight * pass_probability(rate, parameters) for rate, weight in zip(prior.rates, prior.weights, strict=True)
    ]
    return Prior(prior.rates, tuple(each / math.fsum(passed) for each in passed)).at_least(at_least)


@pytest.mark.parametrize(
    ("met", "printed"),
    [(20, 0.99), (18, 0.69), (17, 0.43), (16, 0.23), (15, 0.11), (14, 0.04), (12, 0.00), (11, 0.00), (7, 0.00)],
)
def test_p1_is_that_of_tables_1_to_3(met: int, printed: float) -> None:
    assert cut(rate_given_tally(Prior.paper(), Tally(met, 20 - met), 0.85)) == printed


def test_p1_of_19_is_the_one_that_no_prior_on_the_grid_gives_beside_the_others() -> None:
    # The tables print 0.94.
    assert cut(rate_given_tally(Prior.paper(), Tally(19, 1), 0.85)) == 0.88


@pytest.mark.parametrize(
    ("length", "printed"),
    [
        *((0, 1.0), (1, 0.98), (2, 0.96), (3, 0.95), (4, 0.93), (5, 0.91), (6, 0.90), (7, 0.88), (8, 0.87)),
        *((10, 0.84), (11, 0.82), (13, 0.80), (15, 0.77), (16, 0.76), (19, 0.72), (23, 0.67), (25, 0.65), (30, 0.59)),
    ],
)
def test_p2_is_that_of_tables_1_to_3(length: int, printed: float) -> None:
    assert cut(lemma1_bound(Prior.paper(), PAPER, length)) == printed


def test_a_candidate_that_passed_is_good_with_the_probability_of_section_3() -> None:
    passed = rate_given_pass(Prior.paper(), PAPER, 0.85)
    assert passed > 0.95
    # "After just 20 calls, the naive bound would become 0.95^20, about 0.36."
    assert passed**20 == pytest.approx(0.36, abs=0.02)


def test_passing_has_the_probability_of_equation_6() -> None:
    assert pass_probability(1.0, PAPER) == 1.0
    assert pass_probability(0.0, PAPER) == 0.0
    assert pass_probability(0.5, Nd3minParameters(runs=2, needed=1, precheck=1)) == 0.75


def test_the_triple_reads_as_in_the_paper() -> None:
    assert str(judge(Prior.paper(), PAPER, Tally(18, 2), 19)) == "18 (0.69/0.72)"
    assert str(judge(Prior.paper(), PAPER, Tally(20, 0), 0)) == "20 (0.99/1.00)"


def test_a_sure_prior_makes_a_sure_bound() -> None:
    never = Prior((0.0, 1.0), (1.0, 0.0))
    assert lemma1_bound(never, PAPER, 30) == 1.0
    # By this prior no candidate can fail: a failed one says nothing, and no rate is claimed for it.
    always = Prior((0.0, 1.0), (0.0, 1.0))
    assert lemma1_bound(always, PAPER, 1) == 1.0


def test_a_trace_of_less_than_nothing_has_no_bound() -> None:
    with pytest.raises(UsageError, match="does not exist"):
        lemma1_bound(Prior.paper(), PAPER, -1)
