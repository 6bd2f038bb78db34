"""Equation 1 and algorithm 3 of TimeMachine: fitness, its average over a neighbourhood, the choice of a state."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fewtaps.explore.timetravel import fitness, fittest_states, neighbourhood_fitness
from fewtaps.model.event import Key
from fewtaps.model.graph import StateGraph, StateInfo
from fewtaps.model.state import StateId


def info(visits: int, generated: int = 0, *, is_interesting: bool = False) -> StateInfo:
    return StateInfo(None, (0, 0), is_interesting, visits, generated)


def graph_of(edges: Iterable[tuple[str, str]], states: str = "") -> StateGraph:
    edges = list(edges)
    graph = StateGraph()
    for name in dict.fromkeys([*states, *(name for edge in edges for name in edge)]):
        graph.visit(StateId(name), None, (0, 0))
    for source, target in edges:
        graph.move(StateId(source), StateId(target), Key("BACK"))
    return graph


def average(start: str, graph: StateGraph, values: Mapping[str, float], length: int) -> float:
    """Algorithm 3, lines 4 to 11, as it stands in the paper: lists all paths."""
    paths = [[start]]
    for _ in range(length):
        paths = [[*path, target] for path in paths for target in graph.transitions(StateId(path[-1])) or path[-1:]]
    return sum(values[state] for path in paths for state in path) / len(paths)


def test_fitness_follows_equation_1() -> None:
    assert fitness(info(1)) == pytest.approx(0.9)
    assert fitness(info(1, is_interesting=True)) == pytest.approx(5.4)
    assert fitness(info(5, 2, is_interesting=True)) == pytest.approx(6 * 1.1**2 * 0.9**3)
    assert fitness(info(4, 1), reward=0.5, penalty=0.2, interesting_factor=3) == pytest.approx(1.5 * 0.8**3)


def test_fitness_falls_with_each_visit_and_rises_with_each_discovery() -> None:
    assert fitness(info(3)) < fitness(info(2))
    assert fitness(info(3, 1)) > fitness(info(2, 0))


def test_fitness_is_a_number_however_long_an_exploration_takes() -> None:
    assert fitness(info(10_000_000)) == 0.0
    assert fitness(info(100_000, 100_000)) < float("inf")
    assert fitness(info(50_000, is_interesting=True)) == 0.0


def test_averages_over_the_paths_of_a_small_graph() -> None:
    # From A there are two paths of length 2: A B D and A C D.
    graph = graph_of([("A", "B"), ("A", "C"), ("B", "D"), ("C", "D")])
    values = {"A": 1.0, "B": 2.0, "C": 4.0, "D": 8.0}
    found = neighbourhood_fitness([StateId("A")], graph, lambda state: values[state], path_length=2)
    assert found == {"A": (1 + 2 + 8 + 1 + 4 + 8) / 2}


def test_a_path_stays_where_nothing_leads_on() -> None:
    graph = graph_of([("A", "B")], "C")
    values = {"A": 1.0, "B": 2.0, "C": 5.0}
    wanted = [StateId("A"), StateId("C")]
    found = neighbourhood_fitness(wanted, graph, lambda state: values[state], path_length=3)
    assert found == {"A": 1.0 + 2.0 + 2.0 + 2.0, "C": 20.0}


def test_chooses_the_state_with_the_fittest_neighbourhood_not_the_fittest_state() -> None:
    # A is fitter than B, but leads only into worn-out states.
    graph = graph_of([("A", "X"), ("X", "A"), ("B", "Y"), ("Y", "B")])
    values = {"A": 5.0, "X": 0.1, "B": 4.0, "Y": 4.0}
    assert fittest_states([StateId("A"), StateId("B")], graph, lambda state: values[state]) == ["B", "A"]


def test_of_equally_fit_states_the_first_is_chosen() -> None:
    graph = graph_of([], "AB")
    assert fittest_states([StateId("A"), StateId("B")], graph, lambda state: 1.0)[0] == "A"
    assert fittest_states([], graph, lambda state: 1.0) == []


def test_too_many_paths_to_list_are_averaged_all_the_same() -> None:
    names = [chr(0x100 + number) for number in range(30)]
    graph = graph_of((source, target) for source in names for target in names if source != target)
    found = neighbourhood_fitness([StateId(names[0])], graph, lambda state: 2.0, path_length=60)
    assert found[StateId(names[0])] == pytest.approx(2.0 * 61)


@given(
    st.lists(st.tuples(st.sampled_from("ABCDE"), st.sampled_from("ABCDE")), max_size=15),
    st.lists(st.floats(0, 6), min_size=5, max_size=5),
    st.integers(0, 4),
)
def test_gives_what_listing_all_paths_gives(edges: list[tuple[str, str]], fitnesses: list[float], length: int) -> None:
    graph = graph_of(edges, "ABCDE")
    values = dict(zip("ABCDE", fitnesses, strict=True))
    found = neighbourhood_fitness(map(StateId, "ABCDE"), graph, lambda state: values[state], path_length=length)
    for name in "ABCDE":
        assert found[StateId(name)] == pytest.approx(average(name, graph, values, length))
