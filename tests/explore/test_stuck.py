"""isStuck (TimeMachine, algorithm 2): loops and dead ends are noticed, progress is not mistaken for them."""

from __future__ import annotations

from collections.abc import Iterable

from fewtaps.explore.stuck import StuckDetector, count_easy
from fewtaps.model.episode import EpisodeEnd
from fewtaps.model.graph import StateGraph
from fewtaps.model.state import StateId


def walk(names: Iterable[str], graph: StateGraph | None = None, **settings: float) -> list[EpisodeEnd | None]:
    """What the detector says after each state of a walk that is the first in its graph."""
    graph = graph or StateGraph()
    detector = StuckDetector(**settings)  # type: ignore[arg-type]
    said = []
    for number, name in enumerate(names):
        state = StateId(name)
        graph.visit(state, None, (0, number))
        said.append(detector.check(state, graph))
    return said


def test_more_than_200_events_in_one_state_are_a_dead_end() -> None:
    said = walk(["A"] * 202)
    assert said[200] is None, "the first event came here; 200 more are not yet more than 200"
    assert said[201] is EpisodeEnd.DEAD_END


def test_a_change_of_state_begins_the_count_anew() -> None:
    assert EpisodeEnd.DEAD_END not in walk(["A"] * 201 + ["B"] + ["A"] * 201)


def test_two_states_in_turn_are_a_loop_once_the_queue_is_full() -> None:
    said = walk("ABABABABAB")
    assert said[:9] == [None] * 9
    assert said[9] is EpisodeEnd.LOOP


def test_staying_does_not_fill_the_queue() -> None:
    assert not any(walk("AAAAABBBBBAAAAABBBBB"))


def test_new_states_all_the_way_are_no_loop() -> None:
    assert not any(walk("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))


def test_eight_easy_places_of_ten_are_not_yet_more_than_the_share() -> None:
    # A and B are there four times each. That is a share of 0.8, and beta asks for more.
    assert walk("ABABABABCD")[-1] is None
    assert walk("ABABABABAC")[-1] is EpisodeEnd.LOOP


def test_frequent_states_count_even_if_the_queue_holds_them_once() -> None:
    graph = StateGraph()
    for number in range(40):
        graph.visit(StateId(f"rare {number}"), None, (0, 0))
    for _ in range(5):
        for name in "ABCDEFGHI":
            graph.visit(StateId(name), None, (0, 0))
    # Nine of fifty states are among the most visited fifth; the tenth place of the queue is a new state.
    assert walk("ABCDEFGHIX", graph)[-1] is EpisodeEnd.LOOP


def test_a_place_is_counted_once_even_if_its_state_is_repeated_and_frequent() -> None:
    graph = StateGraph()
    for name in "AAAAAABCDE":
        graph.visit(StateId(name), None, (0, 0))
    queue = [StateId(name) for name in "ABACD"]
    assert count_easy(queue, graph, 0.2) == 2


def test_every_episode_begins_anew() -> None:
    graph = StateGraph()
    assert walk("ABABABAB", graph)[-1] is None
    assert walk("ABABABAB", graph)[-1] is None


def test_the_numbers_can_be_set() -> None:
    assert walk("AAAA", max_no_progress=2)[-1] is EpisodeEnd.DEAD_END
    assert walk("ABAB", queue_length=4)[-1] is EpisodeEnd.LOOP
    assert walk("ABABABABAB", easy_share=1.0)[-1] is None
