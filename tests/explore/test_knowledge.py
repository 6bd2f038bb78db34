"""What is learned from a trace: interesting states, visits, transitions, ways; and that a way back teaches nothing."""

from __future__ import annotations

from dataclasses import replace

from builders import OpenProgram, screen, widget
from mazes import ring

from fewtaps.device.simulated.program import Phone, Program, View, button
from fewtaps.explore.knowledge import EpisodeTracker, Knowledge
from fewtaps.explore.strategy import NoMemory
from fewtaps.model.coverage import Coverage, ProbeSet
from fewtaps.model.ending import Ending
from fewtaps.model.event import Event, Key, Launch, Tap
from fewtaps.model.graph import Way
from fewtaps.model.screen import Screen
from fewtaps.model.state import StateId, page_state
from fewtaps.model.trace import Step

PACKAGE = "com.example.app"
MAIN, SECOND, THIRD = (screen(widget(name)) for name in ("Main", "Second", "Third"))
HOME = replace(screen(widget("Home")), package="com.android.launcher")
BACK = Key("BACK")


def covering(*numbers: int) -> Coverage:
    return Coverage(lines=ProbeSet.of(numbers))


def step(shown: Screen, *covered: int, event: Event = BACK, ending: Ending = Ending.RUNNING) -> Step:
    return Step(event, after=shown, covered=covering(*covered), ending=ending)


def learn(knowledge: Knowledge, *steps: Step, number: int = 0, known: int = 0, world: int = 0) -> EpisodeTracker:
    tracker = EpisodeTracker(knowledge, number=number, world=world, known=known)
    tracker.launch(replace(steps[0], event=Launch()))
    for each in steps[1:]:
        tracker.step(each)
    return tracker


def interesting(knowledge: Knowledge) -> list[StateId]:
    return list(knowledge.graph.interesting)


def test_the_launch_state_is_interesting() -> None:
    knowledge = Knowledge(PACKAGE)
    learn(knowledge, step(MAIN))
    assert interesting(knowledge) == [page_state(MAIN)]
    assert knowledge.graph[page_state(MAIN)].ways == (Way(0, ()),)


def test_a_new_state_that_ran_new_code_is_interesting_and_no_other() -> None:
    knowledge = Knowledge(PACKAGE)
    learn(knowledge, step(MAIN, 1), step(SECOND, 2), step(THIRD, 1))
    assert interesting(knowledge) == [page_state(MAIN), page_state(SECOND)]
    assert page_state(THIRD) in knowledge.graph


def test_code_that_an_earlier_episode_ran_is_not_new() -> None:
    knowledge = Knowledge(PACKAGE)
    learn(knowledge, step(MAIN, 1), step(MAIN, 2))
    learn(knowledge, step(MAIN, 1), step(SECOND, 2), number=1)
    assert interesting(knowledge) == [page_state(MAIN)]


def test_a_state_that_runs_new_code_only_later_does_not_become_interesting() -> None:
    knowledge = Knowledge(PACKAGE)
    learn(knowledge, step(MAIN, 1), step(SECOND), step(MAIN), step(SECOND, 2))
    assert interesting(knowledge) == [page_state(MAIN)]


def test_without_coverage_every_new_state_is_interesting() -> None:
    knowledge = Knowledge(PACKAGE, has_coverage=False)
    learn(knowledge, step(MAIN), step(SECOND))
    assert interesting(knowledge) == [page_state(MAIN), page_state(SECOND)]


def test_counts_visits_transitions_and_what_a_state_generated() -> None:
    knowledge = Knowledge(PACKAGE)
    learn(knowledge, step(MAIN, 1), step(SECOND, 2), step(SECOND), step(MAIN), step(THIRD, 3), step(MAIN))
    graph = knowledge.graph
    main, second = graph[page_state(MAIN)], graph[page_state(SECOND)]
    assert (main.visits, main.generated) == (3, 2)
    assert (second.visits, second.generated) == (1, 0), "to stay is no further visit"
    assert graph.transitions(page_state(MAIN))[page_state(SECOND)].events == (BACK,)
    assert page_state(SECOND) not in graph.transitions(page_state(SECOND))
    assert second.first_seen == (0, 1)


def test_remembers_the_ways_to_interesting_states() -> None:
    knowledge = Knowledge(PACKAGE, loop_free_paths=False)
    first, second = Tap(1, 1), Tap(2, 2)
    learn(knowledge, step(MAIN, 1), step(MAIN, event=first), step(SECOND, 2, event=second), world=4)
    assert knowledge.graph[page_state(SECOND)].ways == (Way(4, (first, second)),)
    learn(knowledge, step(MAIN, 1), step(SECOND, 2, event=second), number=1, world=5)
    assert knowledge.graph[page_state(SECOND)].ways == (Way(5, (second,)), Way(4, (first, second)))


def test_guesses_a_loop_free_path_and_knows_it_for_one_that_was_gone_once_it_has_led_there() -> None:
    knowledge = Knowledge(PACKAGE)
    first, second = Tap(1, 1), Tap(2, 2)
    learn(knowledge, step(MAIN, 1), step(MAIN, event=first), step(SECOND, 2, event=second))
    info = knowledge.graph[page_state(SECOND)]
    assert info.loop_free_paths == (Way(0, (second,)),)
    assert info.shortest_way == Way(0, (second,))
    learn(knowledge, step(MAIN, 1), step(SECOND, 2, event=second), number=1, known=1)
    info = knowledge.graph[page_state(SECOND)]
    assert info.ways == (Way(0, (second,)), Way(0, (first, second)))
    assert info.loop_free_paths == ()


def test_a_way_back_teaches_nothing_but_what_it_covers() -> None:
    knowledge = Knowledge(PACKAGE)
    learn(knowledge, step(MAIN, 1), step(SECOND, 2), step(THIRD, 3))
    tracker = learn(knowledge, step(MAIN, 1), step(SECOND, 9), step(THIRD, 3), number=1, known=2)
    graph = knowledge.graph
    assert graph[page_state(MAIN)].visits == 1
    assert graph[page_state(SECOND)].visits == 1
    assert graph[page_state(THIRD)].visits == 2, "where it leads is visited"
    assert graph.transitions(page_state(MAIN))[page_state(SECOND)].count == 1
    assert knowledge.covered == covering(1, 2, 3, 9)
    assert tracker.begin == page_state(THIRD)
    assert not tracker.new_code


def test_being_elsewhere_is_no_state_and_no_transition() -> None:
    knowledge = Knowledge(PACKAGE)
    tracker = learn(knowledge, step(MAIN, 1), step(HOME, 2, ending=Ending.LEFT), step(HOME), step(SECOND, 3))
    assert set(knowledge.graph.states) == {page_state(MAIN), page_state(SECOND)}
    assert not knowledge.graph.transitions(page_state(MAIN))
    assert interesting(knowledge) == [page_state(MAIN), page_state(SECOND)]
    assert tracker.state == page_state(SECOND)
    assert knowledge.graph[page_state(MAIN)].generated == 0


def test_a_crash_is_no_state_but_what_it_covered_counts() -> None:
    knowledge = Knowledge(PACKAGE)
    tracker = learn(knowledge, step(MAIN, 1), step(HOME, 2, ending=Ending.CRASHED))
    assert list(knowledge.graph.states) == [page_state(MAIN)]
    assert knowledge.covered == covering(1, 2)
    assert tracker.new_code


def test_says_when_it_discovers_something() -> None:
    knowledge = Knowledge(PACKAGE)
    tracker = EpisodeTracker(knowledge, number=0, world=0)
    tracker.launch(step(MAIN, 1, event=Launch()))
    found = [tracker.is_discovery]
    for each in (step(SECOND, 2), step(SECOND, 3), step(THIRD), step(MAIN, 4)):
        tracker.step(each)
        found.append(tracker.is_discovery)
    assert found == [True, True, False, False, False]


def test_knows_the_activities_of_the_app_and_of_no_other() -> None:
    knowledge = Knowledge(PACKAGE)
    learn(knowledge, step(MAIN), step(replace(SECOND, activity="com.example.app.Other")), step(HOME))
    assert knowledge.activities == {"com.example.app.Main", "com.example.app.Other"}


def test_shows_the_strategys_memory_every_new_step() -> None:
    seen: list[tuple[StateId | None, StateId | None, bool]] = []

    class Recorder(NoMemory):
        def observe(self, source: StateId | None, step: Step, target: StateId | None, new_code: bool) -> None:
            seen.append((source, target, new_code))

    knowledge = Knowledge(PACKAGE, Recorder())
    learn(
        knowledge,
        *(step(MAIN, 1), step(SECOND, 2), step(SECOND), step(THIRD, 3), step(HOME, ending=Ending.CRASHED)),
        known=1,
    )
    second, third = page_state(SECOND), page_state(THIRD)
    assert seen == [(second, second, False), (second, third, True), (third, None, False)]


def test_a_fork_learns_for_itself() -> None:
    knowledge = Knowledge(PACKAGE)
    learn(knowledge, step(MAIN, 1))
    fork = knowledge.fork()
    learn(fork, step(MAIN, 1), step(SECOND, 2), number=1)
    assert page_state(SECOND) not in knowledge.graph
    assert knowledge.covered == covering(1)
    assert fork.covered == covering(1, 2)


def test_text_in_boxes_makes_no_new_state(open_program: OpenProgram) -> None:
    from fewtaps.device.simulated.program import field
    from fewtaps.model.event import Text

    session = open_program(Program("com.example.form", [View("Main", [field("name")])]))
    knowledge = Knowledge("com.example.form")
    tracker = EpisodeTracker(knowledge, number=0, world=0)
    tracker.launch(session.launch())
    tracker.step(session.perform(Tap(100, 90)))
    tracker.step(session.perform(Text("Ada")))
    assert len(knowledge.graph) == 1


def test_check_marks_and_labels_make_new_states(open_program: OpenProgram) -> None:
    def count(phone: Phone) -> None:
        phone.state["count"] = phone.state["count"] + 1

    program = Program(
        "com.example.count",
        [View("Main", [button(lambda state: f"{state['count']}", count, name="count")])],
        state={"count": 0},
    )
    session = open_program(program)
    knowledge = Knowledge("com.example.count")
    tracker = EpisodeTracker(knowledge, number=0, world=0)
    tracker.launch(session.launch())
    tracker.step(session.perform(Tap(100, 90)))
    assert len(knowledge.graph) == 2


def test_a_ring_is_a_ring(open_program: OpenProgram) -> None:
    session = open_program(ring(3))
    knowledge = Knowledge("com.example.ring")
    tracker = EpisodeTracker(knowledge, number=0, world=0)
    tracker.launch(session.launch())
    for _ in range(6):
        tracker.step(session.perform(Tap(100, 90)))
    assert len(knowledge.graph) == 3
    assert [info.visits for info in knowledge.graph.states.values()] == [3, 2, 2]
    assert all(len(knowledge.graph.transitions(state)) == 1 for state in knowledge.graph.states)
