"""The solver is exact: against brute force over all actions and all outcomes, and against chance."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from itertools import product
from random import Random

import pytest
from reducing.nd3min.coins import Coins, needs_solver

from fewtaps.reducing.nd3min.optimal import Optimal, solve_policy
from fewtaps.reducing.nd3min.parameters import Nd3minParameters
from fewtaps.reducing.nd3min.passing import get_passing
from fewtaps.reducing.nd3min.policy import SchedulePolicy, shipped_policy
from fewtaps.reducing.nd3min.prior import Prior
from fewtaps.reducing.nd3min.tally import Tally

PRIOR = Prior((0.0, 0.3, 0.6, 0.9, 1.0), (0.4, 0.1, 0.1, 0.2, 0.2))
SMALL = [
    (4, 3, 3, 2),
    (4, 3, 3, 3),
    (3, 3, 3, 2),
    (4, 2, 3, 4),
    (5, 4, 2, 3),
    (6, 5, 2, 9),
    (4, 3, 2, 1),
    (3, 2, 2, 12),
]

State = tuple[Tally, ...]


class BruteForce:
    """Expected steps, by trying every action, those that leave devices idle too, and adding up every outcome."""

    def __init__(self, parameters: Nd3minParameters, prior: Prior) -> None:
        self._parameters = parameters
        self._prior = prior
        self.steps = cache(self._steps)

    def after(self, state: State, plan: tuple[int, ...]) -> float:
        """Expected steps if this is run next."""
        return 1 + math.fsum(chance * self.steps(reached) for reached, chance in self._outcomes(state, plan))

    def _steps(self, state: State) -> float:
        if any(tally.passes(self._parameters) for tally in state):
            return 0.0
        state = tuple(sorted(tally for tally in state if not tally.fails(self._parameters)))
        if not state:
            return 0.0
        rooms = (range(tally.room(self._parameters) + 1) for tally in state)
        plans = (plan for plan in product(*rooms) if 0 < sum(plan) <= self._parameters.devices)
        return min(self.after(state, plan) for plan in plans)

    def _outcomes(self, state: State, plan: tuple[int, ...]) -> Iterator[tuple[State, float]]:
        each = (list(self._runs(tally, count)) for tally, count in zip(state, plan, strict=True))
        for outcome in product(*each):
            yield tuple(sorted(tally for tally, _ in outcome)), math.prod(chance for _, chance in outcome)

    def _runs(self, tally: Tally, count: int) -> Iterator[tuple[Tally, float]]:
        believed = self._prior.posterior(*tally)
        for met in range(count + 1):
            chances = (
                weight * rate**met * (1 - rate) ** (count - met)
                for rate, weight in zip(believed.rates, believed.weights, strict=True)
            )
            yield Tally(tally.met + met, tally.missed + count - met), math.comb(count, met) * math.fsum(chances)


@pytest.mark.slow
@needs_solver
@pytest.mark.parametrize("numbers", [*SMALL, pytest.param((4, 3, 4, 3), marks=pytest.mark.slow)])
def test_expected_steps_are_those_of_brute_force(numbers: tuple[int, int, int, int]) -> None:
    parameters = Nd3minParameters(*numbers, precheck=0)
    brute = BruteForce(parameters, PRIOR)
    policy = solve_policy(parameters, PRIOR)
    fresh = [brute.steps((Tally(),) * count) for count in range(1, parameters.candidates + 1)]
    assert policy.expected == pytest.approx(fresh, abs=1e-12)


@needs_solver
@pytest.mark.parametrize("numbers", [(4, 3, 3, 2), (5, 4, 2, 3)])
def test_every_plan_is_as_good_as_the_best(numbers: tuple[int, int, int, int]) -> None:
    parameters = Nd3minParameters(*numbers, precheck=0)
    brute = BruteForce(parameters, PRIOR)
    policy = solve_policy(parameters, PRIOR)
    open_tallies = policy.states.tallies
    asked = 0
    for state in product((*open_tallies, Tally(0, parameters.runs)), repeat=parameters.candidates):
        plan = policy.plan(state)
        if plan is not None:
            asked += 1
            kept = [(tally, count) for tally, count in zip(state, plan, strict=True) if tally.is_open(parameters)]
            tallies, counts = tuple(tally for tally, _ in kept), tuple(count for _, count in kept)
            assert sum(counts) == sum(plan)
            assert brute.after(tallies, counts) == pytest.approx(brute.steps(tuple(sorted(tallies))), abs=1e-12)
    assert asked >= len(policy.plans) - 1


@needs_solver
def test_progress_is_told_up_to_the_end() -> None:
    shares: list[float] = []
    solve_policy(Nd3minParameters(4, 3, 2, 2, precheck=0), PRIOR, progress=shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


@pytest.mark.slow
@needs_solver
def test_solving_the_shipped_process_for_three_gives_what_is_shipped() -> None:
    policy = solve_policy(Nd3minParameters(candidates=3, precheck=0), Prior.paper())
    assert policy.expected == pytest.approx(shipped_policy().expected[:3], abs=1e-9)


def simulated_steps(policy: SchedulePolicy, count: int, draws: int) -> float:
    parameters, prior, chance = policy.parameters, policy.prior, Random(7)
    total = 0
    for draw in range(draws):
        rates = chance.choices(prior.rates, prior.weights, k=count)
        coins = Coins(lambda candidate, rates=rates: rates[candidate[0]], seed=draw)  # type: ignore[misc]
        candidates = [(number,) for number in range(count)]
        total += get_passing(candidates, coins, Optimal(parameters, policy), parameters).steps
    return total / draws


@pytest.mark.slow
@pytest.mark.parametrize("count", [2, 5])
def test_expected_steps_are_those_that_chance_brings(count: int) -> None:
    policy = shipped_policy()
    # The standard error is about 0.015.
    assert simulated_steps(policy, count, 3000) == pytest.approx(policy.expected[count - 1], abs=0.06)
