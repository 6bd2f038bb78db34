"""selectFittestState: the state to return to (TimeMachine, section 3.3, equation 1, algorithm 3)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from fewtaps.model.graph import StateGraph, StateInfo
from fewtaps.model.state import StateId

_LARGEST_EXPONENT = 700.0
"""Just below the logarithm of the largest float."""


def fitness(info: StateInfo, *, reward: float = 0.1, penalty: float = 0.1, interesting_factor: float = 6.0) -> float:
    """Equation 1: f0 (1 + r)^w (1 - p)^(v - w), with f0 = 1 for states without interest.

    v are its visits, w the interesting states that were generated from it.
    """
    start = interesting_factor if info.is_interesting else 1.0
    exponent = info.generated * math.log1p(reward) + (info.visits - info.generated) * math.log1p(-penalty)
    return start * math.exp(min(exponent, _LARGEST_EXPONENT))


def neighbourhood_fitness(
    states: Iterable[StateId], graph: StateGraph, fitness_of: Callable[[StateId], float], *, path_length: int = 3
) -> dict[StateId, float]:
    """Algorithm 3, lines 4 to 11: per state, the sum of the fitness on a path of length k, averaged over all its paths.

    A path may pass a state more than once. A path that reaches a state without transitions stays there: otherwise new
    states would be less fit for having no neighbours yet.

    There can be too many paths to list, but their sums follow from those of the paths one shorter:
    paths(s, k) = Σ paths(t, k-1) and sum(s, k) = f(s) paths(s, k) + Σ sum(t, k-1), over the transitions from s to t.
    """
    wanted = list(states)
    layers: list[set[StateId]] = [set(wanted)]
    for _ in range(path_length):
        layers.append({target for state in layers[-1] for target in _targets(graph, state)})
    values = {state: fitness_of(state) for layer in layers for state in layer}
    sums: dict[StateId, tuple[int, float]] = {state: (1, values[state]) for state in layers[-1]}
    for layer in reversed(layers[:-1]):
        sums = {state: _joined(values[state], [sums[target] for target in _targets(graph, state)]) for state in layer}
    return {state: total / paths for state, (paths, total) in ((state, sums[state]) for state in wanted)}


def fittest_states(
    states: Iterable[StateId], graph: StateGraph, fitness_of: Callable[[StateId], float], *, path_length: int = 3
) -> list[StateId]:
    """Algorithm 3: the states, fittest first; those that are equally fit stay in their order.

    The algorithm takes the first of them. The others are for episodes that are planned at the same time.
    """
    wanted = list(states)
    found = neighbourhood_fitness(wanted, graph, fitness_of, path_length=path_length)
    return sorted(wanted, key=lambda state: -found[state])


def _targets(graph: StateGraph, state: StateId) -> Iterable[StateId]:
    return graph.transitions(state) or (state,)


def _joined(own: float, ahead: list[tuple[int, float]]) -> tuple[int, float]:
    paths = sum(count for count, _ in ahead)
    return paths, own * paths + sum(total for _, total in ahead)
