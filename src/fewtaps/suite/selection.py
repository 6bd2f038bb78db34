"""Chooses the cheapest set of runs that covers everything: greedily, or exactly by integer programming."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fewtaps.model.coverage import ProbeSet

MOST_COLUMNS = 5_000
"""Candidates that the exact selection weighs. Of more, those of the greedy choice and the best by gain per cost."""

MOST_NODES = 2_000
"""Nodes of the branch-and-bound search. A number, not a time: the result must not depend on the machine's speed."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The chosen candidates by number, their cost, and the relative distance to the least possible cost.

    `gap` is None if the choice was made greedily; 0 means that no cheaper choice exists among the candidates.
    """

    chosen: tuple[int, ...]
    cost: int
    gap: float | None = None


def choose_greedily(covers: Sequence[int], costs: Sequence[int], target: int) -> Choice:
    """Takes the candidate with most gain per cost again and again; drops those that turn out needless at the end."""
    rest = target
    chosen: list[int] = []
    left = [number for number in range(len(covers)) if covers[number] & target]
    # A gain never grows, so an old one is a bound: only candidates at the top are computed anew.
    gains = {number: (covers[number] & target).bit_count() for number in left}
    while rest:
        best, best_rate = -1, 0.0
        for number in left:
            if gains[number] / max(costs[number], 1) <= best_rate:
                continue
            gains[number] = (covers[number] & rest).bit_count()
            rate = gains[number] / max(costs[number], 1)
            if rate > best_rate:
                best, best_rate = number, rate
        if best < 0:
            break
        chosen.append(best)
        rest &= ~covers[best]
    kept = _without_needless(chosen, covers, costs, target & ~rest)
    return Choice(tuple(sorted(kept)), sum(costs[number] for number in kept))


def _without_needless(chosen: Sequence[int], covers: Sequence[int], costs: Sequence[int], target: int) -> list[int]:
    """The chosen ones without those whose coverage the others have, the dearest dropped first."""
    kept = list(chosen)
    for number in sorted(chosen, key=lambda each: (-costs[each], each)):
        others = 0
        for each in kept:
            if each != number:
                others |= covers[each]
        if target & ~others == 0:
            kept.remove(number)
    return kept


def choose_exactly(covers: Sequence[int], costs: Sequence[int], target: int) -> Choice:
    """The cheapest choice by SciPy's HiGHS; the greedy one where SciPy is missing. Never dearer than the greedy one."""
    greedy = choose_greedily(covers, costs, target)
    solver = _solver()
    if solver is None or not greedy.chosen:
        return greedy
    columns = _columns(covers, costs, target, greedy)
    rows = _rows([covers[number] for number in columns], target)
    if not rows:
        return Choice(greedy.chosen, greedy.cost, 0.0)
    solved = _solve(solver, [costs[number] for number in columns], rows)
    if solved is None:
        return greedy
    taken, bound = solved
    chosen = tuple(sorted(columns[each] for each in taken))
    cost = sum(costs[number] for number in chosen)
    reached = 0
    for number in chosen:
        reached |= covers[number]
    wanted = 0
    for number in greedy.chosen:
        wanted |= covers[number]
    if cost >= greedy.cost or target & wanted & ~reached:
        chosen, cost = greedy.chosen, greedy.cost
    return Choice(chosen, cost, max(0.0, (cost - bound) / cost) if cost else 0.0)


def _solver() -> Any:
    try:
        from scipy import optimize, sparse
    except ImportError:
        return None
    return optimize, sparse


def _columns(covers: Sequence[int], costs: Sequence[int], target: int, greedy: Choice) -> list[int]:
    """The candidates that may be part of a cheapest choice, in their order."""
    cheapest: dict[int, int] = {}
    for number in range(len(covers)):
        bits = covers[number] & target
        if bits and (bits not in cheapest or costs[number] < costs[cheapest[bits]]):
            cheapest[bits] = number
    rated = sorted(
        cheapest.values(), key=lambda each: (-(covers[each] & target).bit_count() / max(costs[each], 1), each)
    )
    return sorted({*rated[:MOST_COLUMNS], *greedy.chosen})


def _rows(covers: Sequence[int], target: int) -> list[list[int]]:
    """For each needed element the columns that cover it, without equal rows and rows that others imply."""
    by_element: dict[int, list[int]] = {}
    for column, bits in enumerate(covers):
        for element in ProbeSet(bits & target):
            by_element.setdefault(element, []).append(column)
    distinct = sorted({tuple(columns) for columns in by_element.values()}, key=lambda row: (len(row), row))
    rows: list[list[int]] = []
    sets: list[frozenset[int]] = []
    for row in distinct:
        # A row that contains a shorter one is met with it. Only short rows are compared: the test is quadratic.
        columns = frozenset(row)
        if any(each <= columns for each in sets[:500]):
            continue
        rows.append(list(row))
        sets.append(columns)
    return rows


def _solve(solver: Any, costs: Sequence[int], rows: list[list[int]]) -> tuple[list[int], float] | None:
    """The taken columns and a lower bound of the cost; None if no solution was found within the limits."""
    optimize, sparse = solver
    ones: list[float] = []
    row_numbers: list[int] = []
    columns: list[int] = []
    for number, row in enumerate(rows):
        ones.extend([1.0] * len(row))
        row_numbers.extend([number] * len(row))
        columns.extend(row)
    matrix = sparse.csr_matrix((ones, (row_numbers, columns)), shape=(len(rows), len(costs)))
    result = optimize.milp(
        c=[float(max(cost, 1)) for cost in costs],
        constraints=optimize.LinearConstraint(matrix, lb=1),
        integrality=[1] * len(costs),
        bounds=optimize.Bounds(0, 1),
        options={"node_limit": MOST_NODES},
    )
    if result.x is None:
        return None
    bound = result.mip_dual_bound if result.mip_dual_bound is not None else 0.0
    return [number for number, value in enumerate(result.x) if value > 0.5], float(bound)
