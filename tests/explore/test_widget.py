"""Tests of the widget-aware random strategy."""

from __future__ import annotations

from collections import Counter

from builders import OpenProgram

from fewtaps.device.simulated.samples import bill, notes_app
from fewtaps.explore.exploration import Exploration
from fewtaps.explore.loop import run_episode
from fewtaps.explore.parameters import ExploreParameters
from fewtaps.explore.widget import EPISODE_EVENTS, WidgetStrategy
from fewtaps.model.episode import Episode


def episodes(open_program: OpenProgram, seed: int, number: int) -> list[Episode]:
    program = notes_app()
    session = open_program(program)
    exploration = Exploration(program.app, WidgetStrategy(program.app, ExploreParameters()), seed=seed)
    found = []
    for episode_plan in exploration.episode_plans():
        found.append(run_episode(session, episode_plan, lambda: False))
        exploration.absorb(found[-1])
        if len(found) == number:
            break
    return found


def test_it_does_a_bit_of_everything_and_mostly_taps(open_program: OpenProgram) -> None:
    kinds = Counter(step.event.kind for episode in episodes(open_program, 1, 60) for step in episode.trace.steps[1:])
    assert {"tap", "text", "key", "swipe", "rotate", "wait", "system", "long_press"} <= kinds.keys()
    assert kinds.most_common(1)[0][0] == "tap"


def test_it_never_returns_and_starts_at_the_launch_now_and_then(open_program: OpenProgram) -> None:
    found = episodes(open_program, 2, 20)
    assert all(episode.replayed == 0 and episode.events <= EPISODE_EVENTS + 1 for episode in found)


def test_the_same_seed_gives_the_same_episodes(open_program: OpenProgram) -> None:
    assert episodes(open_program, 3, 8) == episodes(open_program, 3, 8)


def test_it_finds_a_shallow_crash_at_once(open_program: OpenProgram) -> None:
    session = open_program(bill())
    exploration = Exploration(bill().app, WidgetStrategy(bill().app, ExploreParameters()), seed=4)
    episode = run_episode(session, next(exploration.episode_plans()), lambda: False)
    assert episode.trace.crash is not None and episode.events < 100
