"""The states of the decision process, numbered without gaps (section 4.3, "reduced states").

A candidate that is open is a symbol, one for each tally (s, f); all failed candidates are one more symbol, the last. A
state is a multiset of `candidates` symbols, written in rising order: the order of candidates does not matter. Multisets
are numbered in the order of their largest symbol, then of the second largest, and so on.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from fewtaps.reducing.nd3min.parameters import Nd3minParameters
from fewtaps.reducing.nd3min.tally import Tally


class States:
    """Numbers the states that a schedule can meet that always fills all devices.

    While no candidate has failed, the number of runs is a multiple of `devices`. Once one has, its own runs are
    forgotten and the rest may have any number.
    """

    def __init__(self, parameters: Nd3minParameters) -> None:
        self.parameters = parameters
        self.size = parameters.candidates
        self.tallies = tuple(
            Tally(met, missed) for met in range(parameters.needed) for missed in range(parameters.spare + 1)
        )
        self.failed = len(self.tallies)
        self._whole = self._count_by_runs()
        self.without_failed = self._whole[self.size][self.failed][0]
        self.with_failed = math.comb(self.failed + self.size - 1, self.size - 1)

    def __len__(self) -> int:
        """How many states there are, the one where all have failed included."""
        return self.without_failed + self.with_failed

    def symbols(self, tallies: Sequence[Tally]) -> list[int] | None:
        """The symbol of each candidate; None if there are too many, or one has passed or cannot be met."""
        parameters = self.parameters
        if len(tallies) > self.size or any(tally.passes(parameters) for tally in tallies):
            return None
        return [
            self.failed if tally.fails(parameters) else tally.met * (parameters.spare + 1) + tally.missed
            for tally in tallies
        ]

    def number(self, state: Sequence[int]) -> int | None:
        """The number of a state, given as symbols in rising order; None if it cannot be met."""
        if state[-1] == self.failed:
            return self.without_failed + sum(math.comb(symbol + at, at + 1) for at, symbol in enumerate(state[:-1]))
        devices = self.parameters.devices
        wanted = 0
        number = 0
        for at in range(self.size - 1, -1, -1):
            number += self._whole[at + 1][state[at]][wanted]
            wanted = (wanted - self.tallies[state[at]].runs) % devices
        return number if wanted == 0 else None

    def _count_by_runs(self) -> list[list[list[int]]]:
        """How many multisets of k open symbols, all below a given one, have runs that leave a given rest."""
        devices = self.parameters.devices
        counts = [[[int(size == rest == 0) for rest in range(devices)]] for size in range(self.size + 1)]
        for size in range(self.size + 1):
            for symbol, tally in enumerate(self.tallies):
                below = counts[size][symbol]
                # Either the symbol is not in it, or it is, and the others are not above it.
                with_it = counts[size - 1][symbol + 1] if size else [0] * devices
                counts[size].append([below[rest] + with_it[(rest - tally.runs) % devices] for rest in range(devices)])
        return counts

    def memory_needed(self) -> int:
        """About how many bytes it takes to solve the process: the tables of `mdp`, counted before they are made."""
        size, failed = self.size, self.failed
        states = math.comb(failed + size, size)
        rests = math.comb(failed + size - 2, size - 1)
        failed_rests = math.comb(failed + size - 2, size - 2)
        half = size // 2
        joined = math.comb(failed + half, half) * math.comb(failed + size - 1 - half, size - 1 - half)
        # Values, plans, and while they are sorted, level and order of each state.
        per_state = 8 + 4 + 8
        per_rest = 8 * failed
        return (
            states * per_state + rests * per_rest + failed_rests * per_rest * (self.parameters.devices + 1) + 8 * joined
        )
