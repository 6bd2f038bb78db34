"""The strategies against each other, in counts, with fixed seeds: what time travel is for."""

from __future__ import annotations

import pytest
from builders import OpenProgram
from mazes import one_way_doors

from fewtaps.device.simulated.device import SimulatedSession
from fewtaps.device.simulated.program import Program
from fewtaps.device.simulated.samples import wizard
from fewtaps.explore.exploration import Exploration
from fewtaps.explore.knowledge import Knowledge
from fewtaps.explore.loop import run_episode
from fewtaps.explore.parameters import DEFAULT_PARAMETERS, ExploreParameters
from fewtaps.explore.returning import fittest_return, way_to
from fewtaps.explore.strategies import STRATEGIES
from fewtaps.model.event import Key
from fewtaps.model.graph import StateInfo, Way
from fewtaps.model.state import StateId

EVENTS = 5000
A, B = StateId("A"), StateId("B")


def explored(
    session: SimulatedSession,
    program: Program,
    strategy: str,
    seed: int,
    parameters: ExploreParameters = DEFAULT_PARAMETERS,
) -> tuple[Knowledge, int]:
    """What is known after so many events, replayed ones included, and how often the app crashed."""
    made = Exploration(program.app, STRATEGIES[strategy](program.app, parameters, tuple), seed=seed)
    events = crashes = 0
    for episode_plan in made.episode_plans():
        episode = run_episode(session, episode_plan, lambda: False)
        made.absorb(episode)
        events += episode.events
        crashes += episode.trace.crash is not None
        if events >= EVENTS:
            break
    return made.knowledge, crashes


def doors_opened(open_program: OpenProgram, strategy: str) -> int:
    program = one_way_doors(8)
    session = open_program(program)
    # Every pit costs as many events as it takes to notice it; fewer of them make the test quick.
    found = [explored(session, program, strategy, seed, ExploreParameters(max_no_progress=40))[0] for seed in range(4)]
    return sum(len(knowledge.covered.branches) for knowledge in found)


@pytest.mark.slow
def test_time_travel_beats_ms_and_mr_where_doors_lead_one_way(open_program: OpenProgram) -> None:
    """Eight rooms, in each one door and many traps; four seeds, and the same number of events for all."""
    opened = {name: doors_opened(open_program, name) for name in ("ms", "mr", "timemachine")}
    assert opened == {"ms": 5, "mr": 12, "timemachine": 29}, "of 32"


@pytest.mark.slow
def test_time_travel_finishes_a_guarded_path_more_often_than_ms(open_program: OpenProgram) -> None:
    """A wizard of eight pages, each to be accepted before 'Next'; the last 'Finish' crashes."""
    session = open_program(wizard(8))
    crashes = {
        name: sum(explored(session, wizard(8), name, seed)[1] for seed in range(3)) for name in ("ms", "timemachine")
    }
    assert crashes == {"ms": 2, "timemachine": 10}


def knowledge_of(**states: StateInfo) -> Knowledge:
    knowledge = Knowledge("com.example.app")
    for name, info in states.items():
        state = StateId(name)
        knowledge.graph.visit(state, None, (0, 0), is_interesting=info.is_interesting)
        for way in info.ways:
            knowledge.graph.add_way(state, way)
        for _ in range(info.visits - 1):
            knowledge.graph.visit(state, None, (0, 0))
        for _ in range(info.idle_returns):
            knowledge.graph.came_back(state, new_code=False)
    return knowledge


def state(visits: int = 1, *, ways: int = 1, idle: int = 0) -> StateInfo:
    made = tuple(Way(0, (Key("A"),) * (length + 1)) for length in range(ways))
    return StateInfo(None, (0, 0), True, visits, ways=made, idle_returns=idle)


@pytest.mark.parametrize(
    ("states", "chosen"),
    [
        ({"A": state(3), "B": state(2)}, "B"),
        ({"A": state(2), "B": state(2)}, "A"),
        ({"A": state(3), "B": state(2, ways=0)}, "A"),
        ({"A": state(3), "B": state(2, idle=10)}, "A"),
        ({"A": state(3), "B": state(2, idle=9)}, "B"),
    ],
    ids=["fitter", "first", "no way", "left for good", "nearly left"],
)
def test_goes_back_to_the_fittest_state_that_is_open(states: dict[str, StateInfo], chosen: str) -> None:
    plan = fittest_return(knowledge_of(**states), DEFAULT_PARAMETERS)
    assert plan is not None
    assert plan.state == chosen
    assert plan.way == states[chosen].ways[0] or states[chosen].idle_returns


def test_without_an_open_state_it_starts_at_the_launch() -> None:
    assert fittest_return(knowledge_of(A=state(ways=0), B=state(idle=10)), DEFAULT_PARAMETERS) is None
    assert fittest_return(knowledge_of(), DEFAULT_PARAMETERS) is None


def test_turns_take_the_next_fittest() -> None:
    knowledge = knowledge_of(A=state(3), B=state(2))
    plans = [fittest_return(knowledge, DEFAULT_PARAMETERS, turn) for turn in range(3)]
    assert [plan.state for plan in plans if plan] == [B, A, B]


def test_takes_the_shortest_way_and_every_other_idle_time_the_longest() -> None:
    short, middle, long = (Way(0, (Key("A"),) * length) for length in (1, 2, 3))
    info = StateInfo(None, (0, 0), True, ways=(middle, long), loop_free_paths=(short,))
    assert way_to(info) == short
    assert way_to(StateInfo(None, (0, 0), True, ways=(middle, long), loop_free_paths=(short,), idle_returns=1)) == long
    assert way_to(StateInfo(None, (0, 0), True, ways=(middle,), idle_returns=2)) == middle
    assert way_to(StateInfo(None, (0, 0), True)) is None
