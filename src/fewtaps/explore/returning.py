"""Returns to a known state: which one, and by which way."""

from __future__ import annotations

from functools import partial

from fewtaps.explore.knowledge import Knowledge
from fewtaps.explore.parameters import ExploreParameters
from fewtaps.explore.strategy import Return
from fewtaps.explore.timetravel import fitness, fittest_states
from fewtaps.model.graph import Fitness, StateInfo, Way
from fewtaps.model.state import StateId


def fittest_return(knowledge: Knowledge, parameters: ExploreParameters, turn: int = 0) -> Return | None:
    """A return to the fittest state; None if there is none.

    States without a way that led there on its last try are left out, and states after too many returns in a row
    without new code.
    """
    graph = knowledge.graph
    fitness_of_info = fitness_with(parameters)

    def fitness_of(state: StateId) -> float:
        return fitness_of_info(graph[state])

    open_states = [
        state
        for state in graph.interesting
        if graph[state].shortest_way and graph[state].idle_returns < parameters.max_idle_returns
    ]
    ranking = fittest_states(open_states, graph, fitness_of, path_length=parameters.path_length)
    if not ranking:
        return None
    state = ranking[turn % len(ranking)]
    way = way_to(graph[state])
    return Return(state, way) if way is not None else None


def fitness_with(parameters: ExploreParameters) -> Fitness:
    """The fitness of states with these parameters."""
    return partial(
        fitness,
        reward=parameters.reward,
        penalty=parameters.penalty,
        interesting_factor=parameters.interesting_factor,
    )


def way_to(info: StateInfo) -> Way | None:
    """The way to take next: the shortest or, every other time after a return without new code, the longest.

    Hidden state may differ: the longest way is most likely to restore the state as it was when it was found.
    """
    return info.ways[-1] if info.ways and info.idle_returns % 2 else info.shortest_way
