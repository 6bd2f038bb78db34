"""The graph of states: what it counts, what it keeps, what it forgets, and that forks do not disturb each other."""

from __future__ import annotations

import pytest
from builders import transition_count
from hypothesis import given
from hypothesis import strategies as st

from fewtaps.model.event import Event, Key, Tap
from fewtaps.model.graph import MAX_EVENTS, MAX_WAYS, StateGraph, Way
from fewtaps.model.state import StateId

A, B, C, D = (StateId(name) for name in "ABCD")
BACK = Key("BACK")


def graph_of(*visits: StateId, interesting: tuple[StateId, ...] = ()) -> StateGraph:
    graph = StateGraph()
    for number, state in enumerate(visits):
        graph.visit(state, "Main", (0, number), is_interesting=state in interesting)
    return graph


def way(length: int, world: int = 0) -> Way:
    return Way(world, tuple(Tap(number, length) for number in range(length)))


def test_counts_visits_and_keeps_what_was_known_first() -> None:
    graph = graph_of(A, B, A, interesting=(A,))
    graph.visit(B, "Other", (5, 5), is_interesting=True)
    assert graph[A].visits == 2
    assert graph[B].visits == 2
    assert graph[B].first_seen == (0, 1)
    assert graph[B].activity == "Main"
    assert not graph[B].is_interesting, "interest is decided at the first visit"
    assert list(graph.interesting) == [A]


def test_counts_transitions_and_keeps_some_of_their_events() -> None:
    graph = graph_of(A, B)
    events: list[Event] = [BACK, BACK, *(Tap(number, 0) for number in range(MAX_EVENTS + 2))]
    for event in events:
        graph.move(A, B, event)
    assert graph.transitions(A)[B].count == len(events)
    assert graph.transitions(A)[B].events == (BACK, Tap(0, 0), Tap(1, 0))
    assert not graph.transitions(B)
    assert transition_count(graph) == 1


def test_keeps_the_shortest_ways_and_only_to_interesting_states() -> None:
    graph = graph_of(A, B, interesting=(A,))
    assert not graph.wants_way(B, 0)
    for length in (9, 4, 7, 12, 5):
        if graph.wants_way(A, length):
            graph.add_way(A, way(length))
    assert [len(each.events) for each in graph[A].ways] == [4, 5, 7]
    assert len(graph[A].ways) == MAX_WAYS
    assert not graph.wants_way(A, 7)
    assert graph.wants_way(A, 6)


def test_keeps_a_way_once() -> None:
    graph = graph_of(A, interesting=(A,))
    graph.add_way(A, way(2))
    graph.add_way(A, way(2))
    graph.add_way(A, way(2, world=1))
    assert graph[A].ways == (way(2), way(2, world=1))


def test_a_way_that_led_elsewhere_is_forgotten_and_no_other() -> None:
    graph = graph_of(A, B, interesting=(A, B))
    longer = Way(0, (*way(2).events, BACK))
    graph.add_way(A, way(2))
    graph.add_way(A, longer)
    graph.add_way(B, way(2, world=1))
    graph.drop_ways(0, way(2).events, cut_short=False)
    assert graph[A].ways == (longer,)
    assert graph[B].ways == (way(2, world=1),)
    assert (graph[A].idle_returns, graph[B].idle_returns) == (1, 0)


def test_a_way_that_was_cut_short_takes_all_with_it_that_begin_like_it() -> None:
    graph = graph_of(A, B, interesting=(A, B))
    longer = Way(0, (*way(2).events, BACK))
    graph.add_way(A, longer)
    graph.add_way(B, way(3))
    graph.drop_ways(0, way(2).events, cut_short=True)
    assert graph[A].ways == ()
    assert graph[B].ways == (way(3),)


def test_a_guess_is_kept_only_while_it_is_shorter_than_what_was_gone() -> None:
    graph = graph_of(A, B, interesting=(A,))
    assert not graph.wants_loop_free_path(B, 0)
    graph.add_way(A, way(9))
    assert not graph.wants_loop_free_path(A, 9)
    for length in (5, 8, 3):
        assert graph.wants_loop_free_path(A, length)
        graph.add_loop_free_path(A, way(length))
    assert graph[A].loop_free_paths == (way(3), way(5)), "no more than two"
    assert graph[A].shortest_way == way(3)
    graph.add_way(A, way(4))
    assert graph[A].loop_free_paths == (way(3),)
    graph.add_way(A, way(3))
    assert graph[A].loop_free_paths == ()
    assert graph[A].shortest_way == way(3)


def test_no_more_guesses_are_kept_after_some_have_led_elsewhere() -> None:
    graph = graph_of(A, interesting=(A,))
    graph.add_way(A, way(9))
    graph.add_loop_free_path(A, way(3))
    graph.add_loop_free_path(A, way(5))
    graph.drop_ways(0, way(3).events, cut_short=False)
    assert graph[A].shortest_way == way(5)
    assert graph.wants_loop_free_path(A, 4)
    graph.drop_ways(0, way(5).events, cut_short=False)
    assert graph[A].shortest_way == way(9)
    assert not graph.wants_loop_free_path(A, 4)


def test_a_state_without_ways_has_no_shortest() -> None:
    graph = graph_of(A, interesting=(A,))
    assert graph[A].shortest_way is None


def test_returns_without_news_count_until_there_are_news() -> None:
    graph = graph_of(A, interesting=(A,))
    graph.came_back(A, new_code=False)
    graph.came_back(A, new_code=False)
    assert (graph[A].returns, graph[A].idle_returns) == (2, 2)
    graph.came_back(A, new_code=True)
    assert (graph[A].returns, graph[A].idle_returns) == (3, 0)


def test_frequent_states_are_a_share_of_all_however_ties_are_broken() -> None:
    five = graph_of(A, A, A, B, B, C, D, StateId("E"))
    assert five.frequent_visits(0.2) == 3, "one of five states"
    assert five.frequent_visits(0.4) == 2, "two of five"
    assert five.frequent_visits(0.8) == 2, "the three others are equal: either all of them are frequent or none"
    assert five.frequent_visits(1.0) == 1
    assert graph_of(A, B, C, D).frequent_visits(0.2) == float("inf"), "a fifth of four states is none"
    assert StateGraph().frequent_visits(0.2) == float("inf")


def test_a_fork_and_its_origin_do_not_see_each_other_change() -> None:
    origin = graph_of(A, B, interesting=(A,))
    origin.move(A, B, BACK)
    fork = origin.fork()
    fork.visit(C, "Main", (1, 1))
    fork.move(A, B, BACK)
    fork.move(B, C, BACK)
    fork.add_way(A, way(1))
    assert C not in origin
    assert origin.transitions(A)[B].count == 1
    assert not origin.transitions(B)
    assert origin[A].ways == ()
    origin.move(A, B, BACK)
    origin.move(A, B, BACK)
    assert origin.transitions(A)[B].count == 3
    assert fork.transitions(A)[B].count == 2


def test_a_fork_of_a_fork_shares_nothing_that_changes() -> None:
    origin = graph_of(A, B)
    origin.move(A, B, BACK)
    middle = origin.fork()
    middle.move(A, B, BACK)
    last = middle.fork()
    middle.move(A, B, BACK)
    last.move(B, A, BACK)
    assert [graph.transitions(A)[B].count for graph in (origin, middle, last)] == [1, 3, 2]
    assert not middle.transitions(B)


def numbered(number: int) -> StateId:
    return StateId(str(number))


def test_forgets_what_was_not_seen_for_longest_but_never_what_is_interesting_nor_the_newest() -> None:
    graph = StateGraph(max_states=8)
    graph.visit(A, None, (0, 0), is_interesting=True)
    for number in range(50):
        graph.visit(B, None, (number, 0))
        graph.visit(numbered(number), None, (number, 1))
        graph.move(B, numbered(number), BACK)
        assert numbered(number) in graph
        assert len(graph) <= 8
    assert A in graph
    assert B in graph, "every episode has seen it"
    assert {numbered(45), numbered(46), numbered(47), numbered(48)} <= set(graph.states)
    assert set(graph.transitions(B)) <= set(graph.states)
    assert transition_count(graph) == len(graph.transitions(B))


def test_of_states_that_one_episode_saw_the_rarest_are_forgotten() -> None:
    graph = StateGraph(max_states=8)
    for _ in range(2):
        graph.visit(B, None, (0, 0))
    for number in range(50):
        graph.visit(numbered(number), None, (0, number))
    assert B in graph


def test_a_state_that_comes_back_is_not_counted_again() -> None:
    graph = StateGraph(max_states=8)
    for number in range(60):
        graph.visit(numbered(number % 20), None, (number, 0))
        assert len(graph) <= 8
    assert graph.seen == 20
    fork = graph.fork()
    fork.visit(numbered(3), None, (61, 0))
    fork.visit(A, None, (61, 1))
    assert (fork.seen, graph.seen) == (21, 20)


def test_of_too_many_interesting_states_the_least_fit_are_forgotten() -> None:
    graph = StateGraph(max_interesting=8, fitness=lambda info: info.generated)
    graph.visit(A, None, (0, 0), is_interesting=True)
    graph.add_way(A, way(0))
    graph.visit(B, None, (0, 1), is_interesting=True)
    graph.add_way(B, way(1))
    graph.generate(B)
    for number in range(50):
        graph.visit(numbered(number), None, (0, number), is_interesting=True)
        graph.add_way(numbered(number), way(2, world=number))
        graph.move(B, numbered(number), BACK)
        assert numbered(number) in graph
        assert len(graph) == len(list(graph.interesting)) <= 8
        assert transition_count(graph) <= 8
    assert B in graph, "it is the fittest"
    assert A in graph, "where every episode begins"
    assert graph.seen == 52


def test_an_interesting_state_that_nothing_leads_back_to_is_forgotten_first() -> None:
    graph = StateGraph(max_interesting=8, fitness=lambda info: info.generated)
    for number in range(8):
        graph.visit(numbered(number), None, (0, number), is_interesting=True)
        graph.add_way(numbered(number), way(2, world=number))
    graph.generate(numbered(3))
    graph.drop_ways(3, way(2).events, cut_short=False)
    graph.visit(A, None, (1, 0), is_interesting=True)
    assert numbered(3) not in graph
    assert numbered(7) in graph


def test_forgets_the_rarest_transitions() -> None:
    graph = StateGraph(max_transitions=20)
    states = [StateId(str(number)) for number in range(30)]
    for state in states:
        graph.visit(state, None, (0, 0))
    for _ in range(5):
        graph.move(states[0], states[1], BACK)
    for target in states[2:]:
        graph.move(states[0], target, BACK)
        graph.move(states[1], target, BACK)
        assert transition_count(graph) <= 20
    assert graph.transitions(states[0])[states[1]].count == 5
    assert graph.transitions(states[1])[states[-1]].count == 1
    assert transition_count(graph) == len(graph.transitions(states[0])) + len(graph.transitions(states[1]))


def test_what_is_forgotten_does_no_harm() -> None:
    graph = graph_of(A)
    graph.move(A, B, BACK)
    graph.move(B, A, BACK)
    graph.generate(B)
    graph.came_back(B, new_code=True)
    assert list(graph.states) == [A]
    assert transition_count(graph) == 0
    with pytest.raises(KeyError):
        graph[B]


@given(st.lists(st.sampled_from([A, B, C, D]), max_size=40), st.floats(0, 1))
def test_the_bound_of_frequent_states_is_that_of_the_definition(visits: list[StateId], share: float) -> None:
    graph = graph_of(*visits)
    bound = graph.frequent_visits(share)
    counts = [info.visits for info in graph.states.values()]
    assert sum(count >= bound for count in counts) <= share * len(counts)
    lower = [count for count in counts if count < bound]
    if lower:
        assert sum(count >= max(lower) for count in counts) > share * len(counts)
