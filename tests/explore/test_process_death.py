"""The end of the process as an event of the default strategy."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fewtaps.device.session import Capability
from fewtaps.device.simulated.device import SimulatedDevice
from fewtaps.device.simulated.samples import luggage
from fewtaps.explore.exploration import Exploration
from fewtaps.explore.loop import run_episode
from fewtaps.explore.parameters import ExploreParameters, without
from fewtaps.explore.strategies import STRATEGIES
from fewtaps.explore.system import PROCESS_DEATH
from fewtaps.model.trace import Step


def explored(parameters: ExploreParameters, *, can_end: bool = True, episodes: int = 30) -> list[Step]:
    """The steps of an exploration of the app that forgets its traveller."""
    program = luggage()
    strategy = STRATEGIES["frontier"](program.app, parameters, lambda: ())
    exploration = Exploration(program.app, strategy, seed=5, parameters=parameters)
    steps: list[Step] = []
    with SimulatedDevice([program]).open(program.app) as session:
        if not can_end:
            session.capabilities = session.capabilities - {Capability.PROCESS_DEATH}
        for plan, _ in zip(exploration.episode_plans(), range(episodes), strict=False):
            episode = run_episode(session, plan, lambda: False)
            exploration.absorb(episode)
            steps.extend(episode.trace.steps)
    return steps


@pytest.mark.slow
def test_a_crash_that_needs_the_end_of_the_process_is_found() -> None:
    assert any(step.crash is not None for step in explored(ExploreParameters()))


@pytest.mark.slow
@pytest.mark.parametrize("can_end", [True, False])
def test_without_the_idea_or_the_capability_no_process_ends(can_end: bool) -> None:
    steps = explored(without("process-death") if can_end else ExploreParameters(), can_end=can_end)
    assert steps and all(step.event != PROCESS_DEATH and step.crash is None for step in steps)


@pytest.mark.slow
def test_it_is_rarer_where_the_process_has_ended_before() -> None:
    def ends(again: float) -> int:
        numbers = replace(ExploreParameters().episode, process_death=0.5, process_death_again=again)
        steps = explored(replace(ExploreParameters(), episode=numbers))
        return sum(step.event == PROCESS_DEATH for step in steps)

    assert ends(1000.0) * 4 < ends(1.0)
