"""The inner loops of the solver, compiled by Numba: only `mdp` imports this module.

The value of an action is a sum over all outcomes of all candidates: more runs met or missed, failed, or passed. It is
not summed at once. One candidate of the state, the one with most outcomes, is taken out, and its sum is computed once
for every rest that can remain beside it (`fill_level`, `fill_failed`). The others are split into two halves that are
listed with their outcomes; a table of pairs of halves gives the number of the rest.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, prange

Array = np.ndarray[Any, Any]

EQUAL = 1e-12
"""Values that differ by less are equal. Of equal actions the first is taken, so that all machines choose alike."""


@njit(cache=True)
def rank(symbols: Array, size: int, choose: Array) -> int:
    """The number of a multiset, given in rising order."""
    number = 0
    for at in range(size):
        number += choose[symbols[at] + at, at + 1]
    return number


@njit(cache=True)
def unrank(number: int, size: int, choose: Array, symbols: Array) -> None:
    """Writes the multiset with this number."""
    top = choose.shape[0] - 1
    for at in range(size - 1, -1, -1):
        low, high = at, top
        while low < high:
            middle = (low + high + 1) // 2
            if choose[middle, at + 1] <= number:
                low = middle
            else:
                high = middle - 1
        symbols[at] = low - at
        number -= choose[low, at + 1]
        top = low


@njit(cache=True)
def rank_with(symbols: Array, size: int, more: int, choose: Array) -> int:
    """The number of a multiset with one more symbol."""
    number = 0
    placed = 0
    for at in range(size):
        if not placed and more < symbols[at]:
            number += choose[more + at, at + 1]
            placed = 1
        number += choose[symbols[at] + at + placed, at + 1 + placed]
    if not placed:
        number += choose[more + size, size + 1]
    return number


@njit(parallel=True, cache=True)
def classify(size: int, failed: int, runs: Array, devices: int, choose: Array, levels: Array, opens: Array) -> None:
    """For every state how many candidates are open and how many runs they had; -1 for those that are never met."""
    for number in prange(levels.shape[0]):
        symbols = np.empty(size, np.int64)
        unrank(number, size, choose, symbols)
        total = 0
        count = 0
        for at in range(size):
            if symbols[at] != failed:
                count += 1
                total += runs[symbols[at]]
        met = count < size or total % devices == 0
        levels[number] = total if met else -1
        opens[number] = count


@njit(parallel=True, cache=True)
def join_halves(left: int, right: int, choose: Array, table: Array) -> None:
    """Fills the table of pairs of multisets, `left` and `right` symbols large, with the number of their union."""
    for row in prange(table.shape[0]):
        first = np.empty(left, np.int64)
        second = np.empty(right, np.int64)
        both = np.empty(left + right, np.int64)
        unrank(row, left, choose, first)
        for column in range(table.shape[1]):
            unrank(column, right, choose, second)
            both[:left] = first
            both[left:] = second
            both.sort()
            table[row, column] = rank(both, left + right, choose)


@njit(cache=True)
def one_out(
    symbols: Array, size: int, mine: int, count: int, values: Array, tables: tuple[Array, Array, Array, Array]
) -> float:
    """The value that remains on average when a candidate is run `count` times beside these symbols."""
    choose, outcomes, targets, chances = tables
    total = 0.0
    for which in range(outcomes[mine, count]):
        number = rank_with(symbols, size, targets[mine, count, which], choose)
        total += chances[mine, count, which] * values[number]
    return total


@njit(parallel=True, cache=True)
def fill_level(
    level: int,
    size: int,
    runs: Array,
    limits: Array,
    values: Array,
    tables: tuple[Array, Array, Array, Array],
    out: Array,
) -> None:
    """`one_out` for every open candidate and all rests without a failed one, where the runs come to this level."""
    for rest in prange(out.shape[1]):
        symbols = np.empty(size - 1, np.int64)
        unrank(rest, size - 1, tables[0], symbols)
        before = 0
        for at in range(size - 1):
            before += runs[symbols[at]]
        for mine in range(out.shape[0]):
            count = level - before - runs[mine]
            if 0 <= count <= limits[mine]:
                out[mine, rest] = one_out(symbols, size - 1, mine, count, values, tables)


@njit(parallel=True, cache=True)
def fill_failed(
    level: int,
    size: int,
    runs: Array,
    limits: Array,
    values: Array,
    tables: tuple[Array, Array, Array, Array],
    rests: Array,
    out: Array,
) -> None:
    """The same for these rests, in which at least one candidate has failed, and for any number of runs."""
    failed = out.shape[0]
    for place in prange(rests.shape[0]):
        symbols = np.empty(size - 1, np.int64)
        unrank(rests[place], size - 2, tables[0], symbols)
        symbols[size - 2] = failed
        before = 0
        for at in range(size - 2):
            if symbols[at] != failed:
                before += runs[symbols[at]]
        for mine in range(failed):
            count = level - before - runs[mine]
            if 0 <= count <= limits[mine]:
                out[mine, count, rests[place]] = one_out(symbols, size - 1, mine, count, values, tables)


@njit(cache=True)
def list_half(
    symbols: Array,
    plans: Array,
    limits: Array,
    tables: tuple[Array, Array, Array, Array],
    lengths: Array,
    numbers: Array,
    weights: Array,
) -> None:
    """The outcomes of every plan of runs for half of the candidates; length -1 if a plan has too many runs."""
    choose, outcomes, targets, chances = tables
    size = symbols.shape[0]
    picked = np.empty(size, np.int64)
    sorted_symbols = np.empty(size, np.int64)
    for plan in range(plans.shape[0]):
        total = 1
        for at in range(size):
            if plans[plan, at] > limits[symbols[at]]:
                total = -1
                break
            total *= outcomes[symbols[at], plans[plan, at]]
        lengths[plan] = total
        for which in range(total):
            left = which
            chance = 1.0
            for at in range(size):
                mine, count = symbols[at], plans[plan, at]
                choice = left % outcomes[mine, count]
                left //= outcomes[mine, count]
                chance *= chances[mine, count, choice]
                picked[at] = targets[mine, count, choice]
            for at in range(size):
                place = at
                while place > 0 and sorted_symbols[place - 1] > picked[at]:
                    sorted_symbols[place] = sorted_symbols[place - 1]
                    place -= 1
                sorted_symbols[place] = picked[at]
            numbers[plan, which] = rank(sorted_symbols, size, choose)
            weights[plan, which] = chance


@njit(cache=True)
def take_out(symbols: Array, rooms: Array, others: Array) -> int:
    """Where the candidate stands that has most outcomes, which is the one with most room; writes the others."""
    best = 0
    for at in range(symbols.shape[0]):
        if rooms[symbols[at]] > rooms[symbols[best]]:
            best = at
    place = 0
    for at in range(symbols.shape[0]):
        if at != best:
            others[place] = symbols[at]
            place += 1
    return best


@njit(cache=True)
def best_plan(
    first: tuple[Array, Array, Array, Array],
    second: tuple[Array, Array, Array, Array],
    devices: int,
    limit: int,
    halves: Array,
    level_row: Array,
    failed_rows: Array,
) -> tuple[float, int, int]:
    """The least value that is left after a step, and the plans of the two halves that lead to it."""
    totals1, lengths1, numbers1, weights1 = first
    totals2, lengths2, numbers2, weights2 = second
    open_rests = level_row.shape[0]
    best = np.inf
    best1 = best2 = -1
    for plan1 in range(totals1.shape[0]):
        if lengths1[plan1] < 0:
            continue
        for plan2 in range(totals2.shape[0]):
            count = devices - totals1[plan1] - totals2[plan2]
            if lengths2[plan2] < 0 or count < 0 or count > limit:
                continue
            value = 0.0
            for which1 in range(lengths1[plan1]):
                row = halves[numbers1[plan1, which1]]
                part = 0.0
                for which2 in range(lengths2[plan2]):
                    rest = row[numbers2[plan2, which2]]
                    if rest < open_rests:
                        part += weights2[plan2, which2] * level_row[rest]
                    else:
                        part += weights2[plan2, which2] * failed_rows[count, rest - open_rests]
                value += weights1[plan1, which1] * part
                # No term is negative, so that a value that is too large stays too large.
                if value >= best - EQUAL:
                    break
            if value < best - EQUAL:
                best, best1, best2 = value, plan1, plan2
    return best, best1, best2


@njit(parallel=True, cache=True)
def solve_states(
    states: Array,
    size: int,
    devices: int,
    rooms: Array,
    limits: Array,
    tables: tuple[Array, Array, Array, Array],
    left: tuple[Array, Array],
    right: tuple[Array, Array],
    halves: Array,
    with_open: Array,
    with_failed: Array,
    values: Array,
    actions: Array,
) -> None:
    """Writes the value of each of these states, and its action: runs per symbol; -1 where all that is left is run."""
    half = left[0].shape[1]
    widest = tables[2].shape[2]
    for place in prange(states.shape[0]):
        symbols = np.empty(size, np.int64)
        others = np.empty(size - 1, np.int64)
        unrank(states[place], size, tables[0], symbols)
        room = 0
        for at in range(size):
            room += rooms[symbols[at]]
        if room <= devices:
            values[states[place]] = 1.0
            actions[place, 0] = -1
            continue
        out = take_out(symbols, rooms, others)
        mine = symbols[out]
        lengths1 = np.empty(left[0].shape[0], np.int64)
        numbers1 = np.empty((left[0].shape[0], widest**half), np.int64)
        weights1 = np.empty((left[0].shape[0], widest**half), np.float64)
        list_half(others[:half], left[0], limits, tables, lengths1, numbers1, weights1)
        lengths2 = np.empty(right[0].shape[0], np.int64)
        numbers2 = np.empty((right[0].shape[0], widest ** (size - 1 - half)), np.int64)
        weights2 = np.empty((right[0].shape[0], widest ** (size - 1 - half)), np.float64)
        list_half(others[half:], right[0], limits, tables, lengths2, numbers2, weights2)
        value, plan1, plan2 = best_plan(
            (left[1], lengths1, numbers1, weights1),
            (right[1], lengths2, numbers2, weights2),
            devices,
            limits[mine],
            halves,
            with_open[mine],
            with_failed[mine],
        )
        values[states[place]] = 1.0 + value
        actions[place, out] = devices - left[1][plan1] - right[1][plan2]
        for at in range(size - 1):
            count = left[0][plan1, at] if at < half else right[0][plan2, at - half]
            actions[place, at if at < out else at + 1] = count
