"""What is believed before and after runs."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from fewtaps.errors import UsageError
from fewtaps.reducing.nd3min.prior import Prior


@pytest.mark.parametrize(
    ("rates", "weights", "words"),
    [
        ((0.0, 1.0), (0.5, 0.4), "must sum to one, not 0.9"),
        ((0.0, 1.0), (1.0,), "needs as many weights"),
        ((), (), "a prior of 0 rates"),
        ((0.5, 0.5), (0.5, 0.5), "must increase"),
        ((0.0, 1.5), (0.5, 0.5), "at most 1"),
        ((0.0, 1.0), (1.5, -0.5), "negative"),
        ((0.0, 1.0), (float("nan"), 1.0), "not a number"),
    ],
)
def test_what_is_no_distribution_is_refused(rates: tuple[float, ...], weights: tuple[float, ...], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        Prior(rates, weights)


@pytest.mark.parametrize("data", [{}, {"rates": [0, 1]}, {"rates": 3, "weights": 4}, {"rates": ["x"], "weights": [1]}])
def test_json_that_is_no_prior_is_refused(data: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        Prior.from_json(data)


def test_json_brings_a_prior_back() -> None:
    assert Prior.from_json(Prior.paper().to_json()) == Prior.paper()


def test_runs_move_belief_as_bayes_says() -> None:
    prior = Prior((0.0, 0.5, 1.0), (0.25, 0.5, 0.25))
    assert prior.predictive(0, 0) == pytest.approx(0.5)
    assert prior.posterior(1, 0).weights == pytest.approx((0.0, 0.5, 0.5))
    assert prior.predictive(1, 1) == 0.5
    assert prior.posterior(2, 0).at_least(1.0) == pytest.approx(2 / 3)


def test_what_cannot_happen_is_said_to_be_impossible() -> None:
    with pytest.raises(UsageError, match="cannot happen"):
        Prior((0.0, 1.0), (0.5, 0.5)).posterior(1, 1)


@pytest.mark.parametrize(
    ("prior", "runs"),
    [(Prior((1.0,), (1.0,)), (12, 8)), (Prior((0.01,), (1.0,)), (12, 8)), (Prior((0.0, 0.99), (0.5, 0.5)), (600, 400))],
)
def test_a_prior_that_what_was_seen_makes_impossible_is_refused(prior: Prior, runs: tuple[int, int]) -> None:
    with pytest.raises(UsageError, match=f"{runs[0]} runs with and {runs[1]} without success cannot happen"):
        prior.require_possible(*runs)


@pytest.mark.parametrize("runs", [(0, 0), (20, 0), (12, 8), (0, 20), (9750, 250)])
def test_the_default_allows_whatever_is_seen(runs: tuple[int, int]) -> None:
    Prior.paper().require_possible(*runs)
    Prior((1.0,), (1.0,)).require_possible(20, 0)


def test_two_priors_have_two_names() -> None:
    assert Prior.paper().digest != Prior((0.0, 1.0), (0.5, 0.5)).digest
    assert Prior.paper().digest == Prior.from_json(Prior.paper().to_json()).digest


def test_learning_from_nothing_leaves_the_default() -> None:
    assert Prior.learned([]).weights == pytest.approx(Prior.paper().weights)
    assert Prior.learned([(0, 0)] * 1000).weights == pytest.approx(Prior.paper().weights)


def test_learning_finds_the_rates_of_many_candidates() -> None:
    chance = Random(1)
    rates = [0.0] * 300 + [0.6] * 100 + [1.0] * 200
    counts = []
    for rate in rates:
        met = sum(chance.random() < rate for _ in range(20))
        counts.append((met, 20 - met))
    learned = Prior.learned(counts)
    assert learned.weights[0] == pytest.approx(0.5, abs=0.03)
    assert learned.weights[-1] == pytest.approx(1 / 3, abs=0.03)
    assert sum(learned.weights[9:16]) == pytest.approx(1 / 6, abs=0.03)
    assert all(weight > 0 for weight in learned.weights)


def test_thousands_of_runs_are_no_trouble() -> None:
    assert Prior.paper().predictive(5000, 5000) == pytest.approx(0.5)
    assert Prior.learned([(5000, 5000)] * 1000).weights[10] > 0.9


def test_less_than_no_runs_teach_nothing() -> None:
    with pytest.raises(UsageError, match="less than 0 times"):
        Prior.learned([(1, -1)])
