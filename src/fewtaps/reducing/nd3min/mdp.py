"""Solves the Markov decision process of section 4.3 exactly: which runs make `get_passing` end in the fewest steps.

States come in an order in which every action leads to later ones, so that one pass is enough: first those with one open
candidate, then with two, and so on, each by falling number of runs. Needs NumPy and Numba.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterator
from itertools import product

import numpy as np

from fewtaps.reducing.nd3min import kernel
from fewtaps.reducing.nd3min.kernel import Array
from fewtaps.reducing.nd3min.parameters import Nd3minParameters
from fewtaps.reducing.nd3min.policy import ALL, SchedulePolicy
from fewtaps.reducing.nd3min.prior import Prior
from fewtaps.reducing.nd3min.states import States


def solve(
    parameters: Nd3minParameters, prior: Prior, progress: Callable[[float], None] | None = None
) -> SchedulePolicy:
    """The best policy for up to `parameters.candidates` candidates; `progress` is given the share of states done."""
    solver = _Solver(parameters, prior)
    for share in solver.run():
        if progress is not None:
            progress(share)
    return solver.policy()


class _Solver:
    """All tables, and the passes over them. States are numbered as multisets here, with gaps that are never met."""

    def __init__(self, parameters: Nd3minParameters, prior: Prior) -> None:
        self._parameters = parameters
        self._prior = prior
        self._states = States(parameters)
        self._size = parameters.candidates
        self._failed = self._states.failed
        self._runs = np.array([tally.runs for tally in self._states.tallies], np.int64)
        self._rooms = np.array([*(tally.room(parameters) for tally in self._states.tallies), 0], np.int64)
        self._limits = np.minimum(self._rooms, parameters.devices)
        self._tables = (self._binomials(), *self._outcomes())
        half = self._size // 2
        self._left = self._half_plans(half)
        self._right = self._half_plans(self._size - 1 - half)
        self._halves = np.empty((self._multisets(half), self._multisets(self._size - 1 - half)), np.int64)
        kernel.join_halves(half, self._size - 1 - half, self._tables[0], self._halves)
        self._values = np.zeros(self._multisets(self._size))
        self._plans = np.zeros(len(self._values), np.uint32)
        self._runs_of, self._open_in = self._classify(self._size, parameters.devices)
        _, open_in_rests = self._classify(self._size - 2, 1)
        self._rests = [np.flatnonzero(open_in_rests == count) for count in range(self._size - 1)]
        open_rests = math.comb(self._failed + self._size - 2, self._size - 1)
        failed_rests = self._multisets(self._size - 2)
        self._with_open = np.zeros((self._failed, open_rests))
        self._with_failed = np.zeros((self._failed, parameters.devices + 1, failed_rests))

    def run(self) -> Iterator[float]:
        """Solves level after level, and tells which share of the states is done."""
        done = 0
        for count, level, states in self._levels():
            if count:
                # A step leads to this level. It may lack states without a failed candidate, but has some with fewer.
                self._look_ahead(count, level + self._parameters.devices)
                self._solve(states)
            if level == 0 < count < self._size:
                for below in range(self._parameters.devices):
                    self._look_ahead(count, below)
            done += len(states)
            yield done / len(self._states)

    def _levels(self) -> list[tuple[int, int, Array]]:
        """All states that can be met, by rising number of open candidates, then by falling number of runs."""
        met = np.flatnonzero(self._runs_of >= 0)
        order = met[np.lexsort((-self._runs_of[met], self._open_in[met]))]
        keys = np.stack((self._open_in[order], self._runs_of[order]), axis=1)
        ends = np.flatnonzero(np.any(keys[1:] != keys[:-1], axis=1)) + 1
        firsts = keys[[0, *ends]].tolist()
        return [(count, runs, states) for (count, runs), states in zip(firsts, np.split(order, ends), strict=True)]

    def policy(self) -> SchedulePolicy:
        """The plans of all states that can be met, and the expected steps from fresh candidates."""
        expected = tuple(float(self._values[self._fresh(count)]) for count in range(1, self._size + 1))
        plans = array("I", self._plans[self._runs_of >= 0].tobytes())
        return SchedulePolicy(self._parameters, self._prior, expected, plans, self._states)

    def _fresh(self, count: int) -> int:
        symbols = np.array([0] * count + [self._failed] * (self._size - count), np.int64)
        return int(kernel.rank(symbols, self._size, self._tables[0]))

    def _solve(self, states: Array) -> None:
        actions = np.zeros((len(states), self._size), np.int64)
        kernel.solve_states(
            states,
            self._size,
            self._parameters.devices,
            self._rooms,
            self._limits,
            self._tables,
            self._left,
            self._right,
            self._halves,
            self._with_open,
            self._with_failed,
            self._values,
            actions,
        )
        sums = np.cumsum(actions[:, :-1], axis=1)
        numbers = sum(self._tables[0][sums[:, at] + at, at + 1] for at in range(self._size - 1))
        self._plans[states] = np.where(actions[:, 0] < 0, ALL, numbers)

    def _look_ahead(self, count: int, level: int) -> None:
        """Prepares, for the states from which this level can be reached, the sums over one of their candidates."""
        shared = (level, self._size, self._runs, self._limits, self._values, self._tables)
        if count == self._size:
            kernel.fill_level(*shared, self._with_open)
        else:
            kernel.fill_failed(*shared, self._rests[count - 1], self._with_failed)

    def _classify(self, size: int, devices: int) -> tuple[Array, Array]:
        """For every multiset how many runs it stands for, -1 if it is never met, and how many of it are open."""
        runs = np.empty(self._multisets(size), np.int32)
        opens = np.empty(len(runs), np.int8)
        kernel.classify(size, self._failed, self._runs, devices, self._tables[0], runs, opens)
        return runs, opens

    def _multisets(self, size: int) -> int:
        return math.comb(self._failed + size, size)

    def _binomials(self) -> Array:
        rows = max(self._failed, self._parameters.devices) + self._size + 1
        return np.array([[math.comb(row, column) for column in range(self._size + 1)] for row in range(rows)], np.int64)

    def _half_plans(self, size: int) -> tuple[Array, Array]:
        """All ways to give at most all devices to `size` candidates, and the devices that each way uses."""
        devices = self._parameters.devices
        plans = [each for each in product(range(devices + 1), repeat=size) if sum(each) <= devices]
        return np.array(plans, np.int64).reshape(len(plans), size), np.array([sum(each) for each in plans], np.int64)

    def _outcomes(self) -> tuple[Array, Array, Array]:
        """For each tally and number of runs: the tallies short of passing that may follow, and their probabilities."""
        devices = self._parameters.devices
        shape = (self._failed + 1, devices + 1)
        counts = np.zeros(shape, np.int64)
        targets = np.zeros((*shape, self._parameters.spare + 2), np.int64)
        chances = np.zeros(targets.shape)
        counts[self._failed, 0], targets[self._failed, 0, 0], chances[self._failed, 0, 0] = 1, self._failed, 1.0
        for symbol in range(self._failed):
            for runs, outcomes in enumerate(self._chain(symbol)):
                counts[symbol, runs] = len(outcomes)
                for which, (target, chance) in enumerate(sorted(outcomes.items())):
                    targets[symbol, runs, which] = target
                    chances[symbol, runs, which] = chance
        return counts, targets, chances

    def _chain(self, symbol: int) -> Iterator[dict[int, float]]:
        """The outcomes after 0, 1, 2, ... runs, each list made from the one before: runs are exchangeable."""
        outcomes = {symbol: 1.0}
        yield outcomes
        for _ in range(int(self._limits[symbol])):
            after: dict[int, float] = {}
            for at, chance in outcomes.items():
                for target, share in self._one_run(at):
                    after[target] = after.get(target, 0.0) + chance * share
            outcomes = after
            yield outcomes

    def _one_run(self, symbol: int) -> Iterator[tuple[int, float]]:
        if symbol == self._failed:
            yield symbol, 1.0
            return
        tally = self._states.tallies[symbol]
        met = self._prior.predictive(*tally)
        for is_met, share in ((True, met), (False, 1 - met)):
            after = tally.plus(is_met)
            if not after.passes(self._parameters):
                yield (self._states.symbols([after]) or [self._failed])[0], share
