"""The memory of an exploration is bounded, however long it goes on and whatever the app shows."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from itertools import islice
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType

import pytest
from builders import OpenProgram
from mazes import endless

from fewtaps.device.simulated.device import SimulatedSession
from fewtaps.device.simulated.program import Program
from fewtaps.explore.exploration import Exploration
from fewtaps.explore.frontier_parameters import GraphParameters, PlaceParameters
from fewtaps.explore.loop import run_episode
from fewtaps.explore.memory import FrontierMemory
from fewtaps.explore.parameters import ExploreParameters
from fewtaps.explore.strategies import STRATEGIES
from fewtaps.model.episode import Episode

SHARED = (type, ModuleType, FunctionType, BuiltinFunctionType, MethodType)


PLACES = PlaceParameters(max_places=20, max_names=60, max_names_of_shape=20, max_cached_screens=8)
"""Bounds that a short exploration reaches many times."""
PARAMETERS = ExploreParameters(places=PLACES, graph=GraphParameters(20, 40, 10))


def exploration(program: Program, strategy: str, **settings: object) -> Exploration:
    recipe = STRATEGIES[strategy](program.app, PARAMETERS, tuple)
    return Exploration(
        program.app,
        recipe,
        seed=1,
        worlds=2,
        events_per_episode=30,
        parameters=PARAMETERS,
        **settings,  # type: ignore[arg-type]
    )


def episodes(session: SimulatedSession, made: Exploration) -> Iterator[Episode]:
    for episode_plan in made.episode_plans():
        episode = run_episode(session, episode_plan, lambda: False)
        made.absorb(episode)
        yield episode


def objects_of(root: object) -> int:
    """How many objects it keeps alive, itself and code not counted."""
    met: set[int] = set()
    layer = [root]
    while layer:
        following = [each for each in gc.get_referents(*layer) if not isinstance(each, SHARED)]
        layer = []
        for each in following:
            if id(each) not in met:
                met.add(id(each))
                layer.append(each)
    return len(met)


@pytest.mark.slow
@pytest.mark.parametrize("has_coverage", [True, False])
@pytest.mark.parametrize("strategy", ["frontier", "widget"])
def test_the_number_of_objects_that_are_kept_is_bounded(
    open_program: OpenProgram, strategy: str, has_coverage: bool
) -> None:
    program = endless()
    made = exploration(program, strategy, has_coverage=has_coverage)
    going_on = episodes(open_program(program), made)
    most: list[int] = []
    for seen in (80, 160, 240):
        while made.knowledge.graph.seen < seen:
            next(going_on)
        # From one episode to the next it goes up and down, with the lengths of ways and texts.
        most.append(max(objects_of(made) for _ in islice(going_on, 3)))
    assert len(made.knowledge.graph) <= 20
    assert most[2] <= 1.5 * max(most[:2]), f"it grows with the number of states: {most}"


@pytest.mark.slow
@pytest.mark.parametrize(("strategy", "has_coverage"), [("frontier", True), ("widget", False)])
def test_a_resumed_exploration_has_forgotten_the_same(
    open_program: OpenProgram, strategy: str, has_coverage: bool
) -> None:
    program = endless()
    through = episodes(open_program(program), exploration(program, strategy, has_coverage=has_coverage))
    whole = [next(through) for _ in range(24)]
    resumed = exploration(program, strategy, has_coverage=has_coverage)
    for episode in whole[:14]:
        resumed.absorb(episode)
    assert len(resumed.knowledge.graph) < resumed.knowledge.graph.seen, "there is something to forget"
    rest = episodes(open_program(program), resumed)
    assert [next(rest) for _ in range(10)] == whole[14:]


@pytest.mark.slow
def test_the_memory_of_the_frontier_keeps_to_its_bounds(open_program: OpenProgram) -> None:
    made = exploration(endless(), "frontier")
    memory = made.knowledge.memory
    assert isinstance(memory, FrontierMemory)
    for _ in islice(episodes(open_program(endless()), made), 20):
        places, forms = memory.places, memory.forms
        assert len(places.offered) <= PLACES.max_places
        assert len(places.of_state) <= 2 * PLACES.max_places
        tables = (memory.scores.by_name, memory.scores.by_group, forms.typed, forms.submitted, forms.accepted)
        for table in (*tables, places.events_on_page):
            assert len(table) <= PLACES.max_names


@pytest.mark.slow
def test_cached_exits_are_those_of_the_tries(open_program: OpenProgram) -> None:
    made = exploration(endless(), "frontier")
    memory = made.knowledge.memory
    assert isinstance(memory, FrontierMemory)
    for _ in islice(episodes(open_program(endless()), made), 12):
        places = memory.places
        remembered = {place: dict(places.exits(place)) for place in places.offered}
        places._exits.clear()
        assert remembered == {place: dict(places.exits(place)) for place in places.offered}
    assert any(remembered.values())
