"""Going back: which known state, and by which way."""

from __future__ import annotations

from functools import partial

from fewtaps.explore.knowledge import Knowledge
from fewtaps.explore.parameters import ExploreParameters
from fewtaps.explore.strategy import Return
from fewtaps.explore.timetravel import fitness, fittest_states
from fewtaps.model.graph import Fitness, StateInfo, Way
from fewtaps.model.state import StateId


def fittest_return(knowledge: Knowledge, parameters: ExploreParameters, turn: int = 0) -> Return | None:
    """Back to the fittest state that can be returned to; None if there is none.

    A state cannot be returned to if no way has led there on the last try, and is left for good if too many returns
    in a row found nothing.
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
    """The fitness of states with the parameters of the moment."""
    return partial(
        fitness,
        reward=parameters.reward,
        penalty=parameters.penalty,
        interesting_factor=parameters.interesting_factor,
    )


def way_to(info: StateInfo) -> Way | None:
    """The way to take next: the shortest or, every other time that the last return found nothing, the longest gone.

    What cannot be seen may differ: the longest is most likely to lead to the state as it was when it was found.
    """
    return info.ways[-1] if info.ways and info.idle_returns % 2 else info.shortest_way
