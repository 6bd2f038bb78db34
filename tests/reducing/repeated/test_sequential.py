"""As few runs as make the answer clear, and how that compares with a fixed number of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest

from fewtaps.errors import UsageError
from fewtaps.reducing.nd3min.prior import PAPER
from fewtaps.reducing.repeated.sequential import (
    Answer,
    Evidence,
    SequentialTest,
)

TEST = SequentialTest(PAPER, 0.9)


def test_one_miss_is_enough_where_the_best_never_misses() -> None:
    assert TEST.answer(Evidence(), 1.0) is Answer.OPEN
    assert TEST.answer(Evidence(missed_alone=1), 1.0) is Answer.NO


def test_successes_convince_after_some_time_only() -> None:
    answers = [TEST.answer(Evidence(met_alone=met), 1.0) for met in range(15)]
    assert answers.index(Answer.YES) in range(6, 12)
    assert all(answer is Answer.OPEN for answer in answers[: answers.index(Answer.YES)])


def test_at_the_last_run_the_more_probable_answer_counts() -> None:
    assert TEST.answer(Evidence(met_alone=18, missed_alone=2), 1.0) is Answer.YES
    assert TEST.answer(Evidence(met_alone=14, missed_alone=6), 1.0) is Answer.NO


def test_a_best_that_does_it_in_half_of_the_runs_is_the_measure() -> None:
    test = replace(TEST, needed=0.4)
    assert test.answer(Evidence(missed_alone=1), 0.5) is Answer.OPEN
    assert test.answer(Evidence(met_alone=10, missed_alone=9), 0.5) is Answer.YES
    assert test.answer(Evidence(met_alone=1, missed_alone=19), 0.5) is Answer.NO


def test_worlds_in_which_the_best_succeeds_tell_more_than_others() -> None:
    test = replace(TEST, needed=0.4)
    in_its_worlds = test.belief(Evidence(missed_with=1), 0.5, paired=True)
    anywhere = test.belief(Evidence(missed_alone=1), 0.5, paired=True)
    assert in_its_worlds.good < anywhere.good
    assert test.belief(Evidence(missed_with=2), 0.5, paired=True).good < 0.15


def test_success_where_the_best_fails_shows_another_course_of_chance() -> None:
    test = replace(TEST, needed=0.4)
    belief = test.belief(Evidence(met_with=1, missed_with=1, met_without=2, missed_without=2), 0.5, paired=True)
    assert belief.coupled < 0.1
    assert belief.good > 0.5


def test_an_optimist_takes_the_first_run_at_its_word_until_another_contradicts() -> None:
    optimist = replace(TEST, optimistic=True)
    assert optimist.answer(Evidence(met_with=1), 1.0) is Answer.YES
    assert optimist.answer(Evidence(missed_with=1), 1.0) is Answer.NO
    assert optimist.answer(Evidence(met_alone=2, missed_alone=1), 1.0) is not Answer.YES


@dataclass(frozen=True, slots=True)
class Characteristic:
    """The probability that a test says yes for a candidate of a certain rate, and its mean number of runs."""

    yes: float
    runs: float


def characteristic(test: SequentialTest, rate: float, best_rate: float = 1.0) -> Characteristic:
    """Exact values, summed over all sequences of results; for runs without worlds."""
    yes = runs = 0.0
    for evidence, likely in _ends(test, rate, best_rate):
        yes += likely if test.answer(evidence, best_rate) is Answer.YES else 0.0
        runs += likely * evidence.runs
    return Characteristic(yes, runs)


def _ends(test: SequentialTest, rate: float, best_rate: float) -> Iterator[tuple[Evidence, float]]:
    """The evidence at which the test ends, with its probability."""
    layer = {0: 1.0}
    for runs in range(test.most + 1):
        following: dict[int, float] = {}
        for met, likely in layer.items():
            evidence = Evidence(met_alone=met, missed_alone=runs - met)
            if test.answer(evidence, best_rate) is not Answer.OPEN:
                yield evidence, likely
                continue
            following[met] = following.get(met, 0.0) + likely * (1 - rate)
            following[met + 1] = following.get(met + 1, 0.0) + likely * rate
        layer = following


def fixed_characteristic(runs: int, needed: int, rate: float) -> Characteristic:
    """The same for the paper's `passes` (nr, st), which stops as soon as the count is decided."""
    yes = spent = 0.0
    layer = {(0, 0): 1.0}
    while layer:
        following: dict[tuple[int, int], float] = {}
        for (met, missed), likely in layer.items():
            if met >= needed or missed > runs - needed:
                yes += likely if met >= needed else 0.0
                spent += likely * (met + missed)
                continue
            for after, chance in (((met + 1, missed), rate), ((met, missed + 1), 1 - rate)):
                following[after] = following.get(after, 0.0) + likely * chance
        layer = following
    return Characteristic(yes, spent)


def average(characteristic_of: object) -> tuple[float, float]:
    """Over the prior: how probably the answer is wrong, and the runs it takes."""
    assert callable(characteristic_of)
    wrong = runs = 0.0
    for rate, weight in zip(PAPER.rates, PAPER.weights, strict=True):
        one = characteristic_of(rate)
        wrong += weight * (one.yes if rate < 0.85 - 1e-9 else 1 - one.yes)
        runs += weight * one.runs
    return wrong, runs


def test_a_sequential_test_is_right_as_often_as_18_of_20_in_fewer_runs() -> None:
    fixed_wrong, fixed_runs = average(lambda rate: fixed_characteristic(20, 18, rate))
    wrong, runs = average(lambda rate: characteristic(replace(TEST, most=30), rate))
    assert wrong <= fixed_wrong * 1.05
    assert runs <= 0.85 * fixed_runs


def test_the_fixed_test_is_the_papers() -> None:
    assert fixed_characteristic(20, 18, 1.0).yes == 1.0
    assert fixed_characteristic(20, 18, 1.0).runs == 18
    assert fixed_characteristic(20, 18, 0.0).runs == 3
    assert fixed_characteristic(20, 18, 0.9).yes == pytest.approx(0.677, abs=0.001)


@pytest.mark.parametrize("needed", [0.0, -0.1, 1.1])
def test_a_rate_that_cannot_be_is_refused(needed: float) -> None:
    with pytest.raises(UsageError, match="rate that is needed"):
        SequentialTest(PAPER, needed)
