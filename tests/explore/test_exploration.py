"""A whole exploration on the simulated device: repeats exactly, resumes exactly, ends when there is nothing to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice

import pytest
from builders import OpenProgram, transition_count
from mazes import (
    closing,
    crashing_at_launch,
    crowded,
    dead_end,
    hidden_counter,
    one_way_doors,
    ring,
    ticking,
)

from fewtaps.device.session import DEFAULT_SETTINGS
from fewtaps.device.simulated.device import SimulatedSession
from fewtaps.device.simulated.program import Program
from fewtaps.device.simulated.samples import SAMPLES, feed, notes_app
from fewtaps.errors import UsageError
from fewtaps.explore.exploration import Exploration, failed_start
from fewtaps.explore.knowledge import Knowledge
from fewtaps.explore.loop import run_episode
from fewtaps.explore.parameters import DEFAULT_PARAMETERS, ExploreParameters
from fewtaps.explore.strategies import STRATEGIES
from fewtaps.model.ending import Ending
from fewtaps.model.episode import Episode, EpisodeEnd
from fewtaps.model.event import Event, Key, Launch, Tap
from fewtaps.model.exploration_end import EndKind, ExplorationEnd
from fewtaps.model.graph import MAX_STATES, MAX_TRANSITIONS
from fewtaps.model.screen import Screen
from fewtaps.model.state import StateId, page_state
from fewtaps.model.trace import Step, Trace

NAMES = tuple(STRATEGIES)


def exploration(program: Program, strategy: str = "timemachine", **settings: object) -> Exploration:
    parameters = settings.get("parameters", DEFAULT_PARAMETERS)
    assert isinstance(parameters, ExploreParameters)
    made = STRATEGIES[strategy](program.app, parameters, tuple)
    return Exploration(program.app, made, **{"seed": 1, **settings})  # type: ignore[arg-type]


def episodes(
    session: SimulatedSession, explored: Exploration, *, should_stop: Callable[[], bool] = lambda: False
) -> Iterator[Episode]:
    """The episodes of an exploration on one session, each absorbed before the next is planned."""
    for episode_plan in explored.episode_plans():
        episode = run_episode(session, episode_plan, should_stop)
        explored.absorb(episode)
        yield episode


def explore(open_program: OpenProgram, program: Program, count: int, **settings: object) -> list[Episode]:
    return list(islice(episodes(open_program(program), exploration(program, **settings)), count))  # type: ignore[arg-type]


def summary(knowledge: Knowledge) -> object:
    graph = knowledge.graph
    return (
        dict(graph.states),
        {state: dict(graph.transitions(state)) for state in graph.states},
        knowledge.covered,
        knowledge.activities,
    )


@pytest.mark.slow
@pytest.mark.parametrize("strategy", NAMES)
def test_the_same_seed_repeats_the_exploration_exactly(open_program: OpenProgram, strategy: str) -> None:
    first = explore(open_program, notes_app(), 12, strategy=strategy, worlds=3, pictures=True)
    assert explore(open_program, notes_app(), 12, strategy=strategy, worlds=3, pictures=True) == first
    assert explore(open_program, notes_app(), 12, strategy=strategy, worlds=3, pictures=True, seed=2) != first


@pytest.mark.slow
@pytest.mark.parametrize("strategy", NAMES)
def test_a_resumed_exploration_equals_one_that_was_never_interrupted(open_program: OpenProgram, strategy: str) -> None:
    whole = exploration(one_way_doors(), strategy, events_per_episode=250)
    first = list(islice(episodes(open_program(one_way_doors()), whole), 12))
    for kept in (1, 5, 9):
        resumed = exploration(one_way_doors(), strategy, events_per_episode=250)
        for episode in first[:kept]:
            resumed.absorb(episode)
        assert list(islice(episodes(open_program(one_way_doors()), resumed), 12 - kept)) == first[kept:]
        assert summary(resumed.knowledge) == summary(whole.knowledge)


@pytest.mark.parametrize("kept", [2, 7])
def test_so_does_one_on_several_devices(open_program: OpenProgram, kept: int) -> None:
    """Devices get plans `width` ahead of what is learned, however fast they are."""
    session = open_program(one_way_doors())

    def explored(known: list[Episode], count: int) -> list[Episode]:
        made = exploration(one_way_doors(), width=4)
        for episode in known:
            made.absorb(episode)
        episode_plans = made.episode_plans()
        under_way = [next(episode_plans) for _ in range(4)]
        found = list(known)
        while len(found) < count:
            episode = run_episode(session, under_way.pop(0), lambda: False)
            made.absorb(episode)
            found.append(episode)
            under_way.append(next(episode_plans))
        return found

    whole = explored([], 12)
    assert [episode.number for episode in whole] == list(range(12))
    assert explored(whole[:kept], 12) == whole


def test_episode_plans_that_are_planned_at_once_go_to_different_places(open_program: OpenProgram) -> None:
    made = exploration(notes_app(), width=3)
    session = open_program(notes_app())
    episode_plans = made.episode_plans()
    for episode_plan in islice(episode_plans, 12):
        made.absorb(run_episode(session, episode_plan, lambda: False))
    targets = [episode_plan.target for episode_plan in islice(episode_plans, 3)]
    assert len(set(targets)) == 3


def test_what_the_episode_learned_and_what_the_exploration_learns_is_the_same(open_program: OpenProgram) -> None:
    made = exploration(notes_app())
    session = open_program(notes_app())
    for episode_plan in islice(made.episode_plans(), 8):
        forked = episode_plan.knowledge.fork()
        again = replace(episode_plan, knowledge=_Kept(forked))
        made.absorb(run_episode(session, again, lambda: False))
        assert {state: info.visits for state, info in forked.graph.states.items()} == {
            state: info.visits for state, info in made.knowledge.graph.states.items()
        }
        assert forked.covered == made.knowledge.covered


class _Kept(Knowledge):
    """Knowledge whose fork is known."""

    def __init__(self, kept: Knowledge) -> None:
        super().__init__(kept.package)
        self._kept = kept

    def fork(self) -> Knowledge:
        return self._kept


def test_episodes_have_to_come_in_order(open_program: OpenProgram) -> None:
    first, second = explore(open_program, ring(), 2)
    made = exploration(ring())
    with pytest.raises(UsageError, match="episode 0 was expected, not 1"):
        made.absorb(second)
    made.absorb(first)
    with pytest.raises(UsageError, match="episode 1 was expected, not 0"):
        made.absorb(first)


def test_fresh_starts_go_through_the_worlds(open_program: OpenProgram) -> None:
    found = explore(open_program, ring(), 6, strategy="mr", worlds=3, world=10)
    assert [episode.trace.world for episode in found] == [10, 11, 12, 10, 11, 12]


@pytest.mark.slow
def test_a_way_is_only_ever_replayed_in_its_own_world(open_program: OpenProgram) -> None:
    made = exploration(feed(), worlds=5)
    session = open_program(feed())
    returns = 0
    for episode_plan in islice(made.episode_plans(), 40):
        if episode_plan.target is not None:
            info = made.knowledge.graph[episode_plan.target]
            assert (episode_plan.world, episode_plan.way) in [
                (way.world, way.events) for way in info.ways + info.loop_free_paths
            ]
            returns += 1
        made.absorb(run_episode(session, episode_plan, lambda: False))
    assert returns > 3


@pytest.mark.slow
def test_returns_lead_where_they_should_on_a_repeatable_device(open_program: OpenProgram) -> None:
    found = explore(open_program, one_way_doors(), 60, parameters=ExploreParameters(loop_free_paths=0))
    returns = [episode for episode in found if episode.replayed]
    assert len(returns) > 20
    assert all(episode.reached for episode in returns)


def test_a_loop_free_path_that_fails_is_dropped_and_the_long_one_taken(open_program: OpenProgram) -> None:
    """The way Inside needs three taps of a button that shows nothing: the brief way lacks two of them."""
    count, open_up = Tap(100, 90), Tap(100, 186)
    session = open_program(hidden_counter())
    made = exploration(hidden_counter())
    events = [count, count, count, open_up]
    steps = (session.launch(), *(session.perform(event) for event in events))
    inside = page_state(steps[-1].after)
    made.absorb(Episode(0, Trace(session.app.ref, steps)))
    assert [way.events for way in made.knowledge.graph[inside].loop_free_paths] == [(count, open_up)]
    tried = [episode for episode in islice(episodes(session, made), 12) if episode.replayed]
    assert [episode.trace.events[1 : episode.replayed + 1] for episode in tried[:2]] == [
        (count, open_up),
        (count, count, count, open_up),
    ]
    assert [episode.reached for episode in tried[:2]] == [False, True]
    assert made.knowledge.graph[inside].failed_guesses <= 2


def test_a_state_that_cannot_be_reached_again_is_given_up() -> None:
    """On a device where nothing happens twice every way fails once, and then there is none left."""
    program = ring()
    made = exploration(program, has_coverage=False)
    pages = [_page(program, number) for number in range(4)]
    made.absorb(_walk(program, 0, [Launch(), Key("A"), Key("B")], pages[:3]))
    targets = []
    for episode_plan in islice(made.episode_plans(), 40):
        if episode_plan.target is None:
            made.absorb(_walk(program, episode_plan.number, [Launch()], pages[:1]))
            continue
        targets.append(episode_plan.target)
        elsewhere = [pages[3]] * (len(episode_plan.way) + 1)
        astray = _walk(program, episode_plan.number, [Launch(), *episode_plan.way], elsewhere)
        made.absorb(replace(astray, replayed=len(episode_plan.way), reached=False, end=EpisodeEnd.RETURN_FAILED))
    assert len(targets) == len(set(targets)) == 2


def _page(program: Program, number: int) -> Screen:
    session = SimulatedSession(program, DEFAULT_SETTINGS)
    shown = session.launch().after
    for _ in range(number):
        shown = session.perform(Tap(100, 90)).after
    return shown


def _walk(program: Program, number: int, events: list[Event], shown: list[Screen]) -> Episode:
    steps = tuple(Step(event, after=screen) for event, screen in zip(events, shown, strict=True))
    return Episode(number, Trace(program.app.ref, steps))


@pytest.mark.slow
def test_a_way_that_no_device_survives_is_not_taken_again_and_again(open_program: OpenProgram) -> None:
    def explored(known: list[Episode]) -> tuple[list[Episode], Counter[StateId]]:
        """As long as episodes are fresh starts they work; every return takes its device along before it can tell."""
        made = exploration(one_way_doors(), parameters=ExploreParameters(max_idle_returns=3))
        for episode in known:
            made.absorb(episode)
        session = open_program(one_way_doors())
        found, tried = list(known), Counter[StateId]()
        for episode_plan in islice(made.episode_plans(), 30 - len(known)):
            if episode_plan.target is None:
                episode = run_episode(session, episode_plan, lambda: False)
            else:
                tried[episode_plan.target] += 1
                step = Step(Launch(), ending=Ending.LOST)
                episode = Episode(
                    episode_plan.number, Trace(made.app.ref, (step,)), reached=False, end=EpisodeEnd.DEVICE_FAILED
                )
            made.absorb(episode)
            found.append(episode)
        return found, tried

    whole, tried = explored([])
    assert len(tried) > 1
    assert max(tried.values()) <= 3
    last_return = max(episode.number for episode in whole if episode.end is EpisodeEnd.DEVICE_FAILED)
    assert explored(whole[: last_return + 1])[0] == whole, "resuming knows which way it was"


@pytest.mark.slow
def test_a_dead_end_is_not_returned_to(open_program: OpenProgram) -> None:
    made = exploration(dead_end(), events_per_episode=250)
    found = list(islice(episodes(open_program(dead_end()), made), 60))
    cell = next(
        state for state, info in made.knowledge.graph.states.items() if info.activity == "com.example.deadend.Cell"
    )
    begins = [page_state(episode.trace.steps[episode.replayed].after) for episode in found]
    assert cell in made.knowledge.graph.interesting
    assert cell not in begins


@pytest.mark.slow
@pytest.mark.parametrize("strategy", NAMES)
def test_no_maze_holds_an_exploration_for_ever(open_program: OpenProgram, strategy: str) -> None:
    for program in (ring(), dead_end(), closing(), hidden_counter(), one_way_doors()):
        assert len(explore(open_program, program, 15, strategy=strategy, events_per_episode=100)) == 15


def test_an_app_that_crashes_at_launch_is_finished_after_three_worlds(open_program: OpenProgram) -> None:
    made = exploration(crashing_at_launch())
    found = list(episodes(open_program(crashing_at_launch()), made))
    assert [episode.trace.world for episode in found] == [0, 1, 2]
    assert all(episode.end is EpisodeEnd.CRASHED and episode.events == 1 for episode in found)
    assert made.finished == ExplorationEnd(EndKind.CRASHES_AT_LAUNCH)


def test_an_app_that_crashes_at_launch_in_some_worlds_is_explored(open_program: OpenProgram) -> None:
    made = exploration(crashing_at_launch(0.5), "mr", worlds=8)
    found = list(islice(episodes(open_program(crashing_at_launch(0.5)), made), 16))
    assert len(found) == 16
    assert made.finished is None
    assert {episode.end is EpisodeEnd.CRASHED for episode in found} == {True, False}


@pytest.mark.parametrize(
    ("last", "kind"),
    [
        (Step(Launch(), ending=Ending.CRASHED), EndKind.CRASHES_AT_LAUNCH),
        (Step(Launch(), ending=Ending.ANR), EndKind.NOT_RESPONDING_AT_LAUNCH),
        (Step(Launch(), ending=Ending.EXITED), EndKind.EXITS_AT_LAUNCH),
        (Step(Launch(), ending=Ending.LOST), EndKind.DEVICE_DIES_AT_LAUNCH),
        (Step(Launch(), after=Screen("com.example.ring", None, 100, 100)), EndKind.NEVER_A_WINDOW),
        (Step(Launch(), ending=Ending.LEFT), EndKind.NEVER_A_WINDOW),
    ],
)
def test_says_why_an_app_cannot_be_explored(last: Step, kind: EndKind) -> None:
    made = exploration(ring())
    for number in range(3):
        assert made.finished is None
        made.absorb(Episode(number, Trace(made.app.ref, (last,))))
    assert made.finished == ExplorationEnd(kind)
    assert next(made.episode_plans(), None) is None


def test_an_app_of_other_apps_only_is_not_explored(open_program: OpenProgram) -> None:
    shown = open_program(dead_end()).launch().after
    episode = Episode(0, Trace(ring().app.ref, (Step(Launch(), after=shown),)))
    assert failed_start(episode, "com.example.ring") is EndKind.ONLY_OTHER_APPS
    assert failed_start(episode, "com.example.deadend") is None


def test_an_episode_that_was_stopped_says_nothing_about_the_app() -> None:
    made = exploration(ring())
    for number in range(5):
        step = Step(Launch(), ending=Ending.LEFT)
        made.absorb(Episode(number, Trace(made.app.ref, (step,)), end=EpisodeEnd.STOPPED))
    assert made.finished is None


def test_the_prelude_comes_first_and_ways_hold_it(open_program: OpenProgram) -> None:
    prelude = (Launch(), Tap(100, 90), Tap(100, 90))
    made = exploration(ring(6), prelude=prelude)
    found = list(islice(episodes(open_program(ring(6)), made), 12))
    assert all(episode.trace.events[1:3] == prelude[1:] for episode in found)
    assert all(episode.replayed >= 2 for episode in found)
    start = page_state(found[0].trace.steps[2].after)
    assert next(made.knowledge.graph.interesting) == start
    assert page_state(found[0].trace.steps[0].after) != start


def test_a_fresh_start_with_a_prelude_goes_through_the_worlds_too(open_program: OpenProgram) -> None:
    found = explore(open_program, ring(), 8, strategy="timemachine", worlds=2, prelude=(Tap(100, 90),))
    fresh = [episode for episode in found if episode.replayed == 1]
    assert {episode.trace.world for episode in fresh} == {0, 1}


def test_episodes_have_as_many_events_as_allowed(open_program: OpenProgram) -> None:
    found = explore(open_program, ring(), 4, strategy="ms", events_per_episode=17)
    assert [episode.events for episode in found] == [18] * 4
    assert explore(open_program, ring(), 1, strategy="ms")[0].events == 1001


@pytest.mark.parametrize("wrong", [{"worlds": 0}, {"events_per_episode": 0}, {"width": 0}])
def test_refuses_settings_without_sense(wrong: dict[str, int]) -> None:
    with pytest.raises(UsageError):
        exploration(ring(), **wrong)  # type: ignore[arg-type]


@pytest.mark.slow
def test_what_is_known_stays_small_in_an_app_without_end(open_program: OpenProgram) -> None:
    made = exploration(ticking(), "monkey", events_per_episode=2000)
    made.knowledge.graph = type(made.knowledge.graph)(max_states=200, max_transitions=300)
    for episode in islice(episodes(open_program(ticking()), made), 5):
        graph = made.knowledge.graph
        assert len(graph) <= 200
        assert transition_count(graph) <= 300
        assert len(episode.trace.steps) == 2001
    assert graph.seen > 400
    assert MAX_STATES >= 1000
    assert MAX_TRANSITIONS >= 1000


def test_thousands_of_widgets_are_no_trouble(open_program: OpenProgram) -> None:
    found = explore(open_program, crowded(), 2, events_per_episode=50)
    assert sum(episode.events for episode in found) > 50


@pytest.mark.parametrize("program", SAMPLES, ids=lambda program: program.package)
@pytest.mark.parametrize("strategy", NAMES)
def test_every_strategy_explores_every_sample(open_program: OpenProgram, program: Program, strategy: str) -> None:
    found = explore(open_program, program, 10, strategy=strategy, events_per_episode=60)
    assert [episode.number for episode in found] == list(range(10))
    assert all(episode.end is not EpisodeEnd.UNKNOWN for episode in found)
