"""EpisodePlan: a value that gives the same episode wherever it is carried out."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fewtaps.device.simulated.device import SimulatedDevice
from fewtaps.device.simulated.samples import notes_app
from fewtaps.explore.block import Blocklist
from fewtaps.explore.episode_plan import EpisodePlan
from fewtaps.explore.exploration import Exploration
from fewtaps.explore.loop import run_episode
from fewtaps.explore.parameters import DEFAULT_PARAMETERS
from fewtaps.explore.strategies import STRATEGIES
from fewtaps.model.episode import Episode
from fewtaps.model.screen import Screen, Widget, Window, WindowKind
from fewtaps.pipeline.resuming import AppStrings
from fewtaps.replay import aim

IN_ANOTHER_PROCESS = """
import pickle, sys
from fewtaps.device.simulated.device import SimulatedDevice
from fewtaps.device.simulated.samples import notes_app
from fewtaps.explore.loop import run_episode

program = notes_app()
with open(sys.argv[1], "rb") as stream, SimulatedDevice([program]).open(program.app) as session:
    episodes = [run_episode(session, plan, lambda: False) for plan in pickle.load(stream)]
with open(sys.argv[2], "wb") as stream:
    pickle.dump(episodes, stream)
"""


def explored(strategy: str, episodes: int) -> Iterator[tuple[EpisodePlan, Episode]]:
    """Plans of one exploration, each with the episode that came of it."""
    program = notes_app()
    made = STRATEGIES[strategy](program.app, DEFAULT_PARAMETERS, AppStrings(program.app.path, program.app.digest))
    exploration = Exploration(program.app, made, seed=3, worlds=2, aim=aim, block=Blocklist(["text:Log out"]))
    with SimulatedDevice([program]).open(program.app) as session:
        for plan, _ in zip(exploration.episode_plans(), range(episodes), strict=False):
            sent = pickle.dumps(plan)
            episode = run_episode(session, plan, lambda: False)
            exploration.absorb(episode)
            yield pickle.loads(sent), episode


@pytest.mark.slow
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_pickled_plan_gives_the_same_episode(strategy: str) -> None:
    program = notes_app()
    with SimulatedDevice([program]).open(program.app) as session:
        for plan, episode in explored(strategy, 8):
            assert run_episode(session, plan, lambda: False) == episode


@pytest.mark.slow
def test_a_plan_gives_the_same_episode_in_another_process(tmp_path: Path) -> None:
    plans, episodes = map(list, zip(*explored("frontier", 12), strict=True))
    (tmp_path / "plans").write_bytes(pickle.dumps(plans))
    command = [sys.executable, "-c", IN_ANOTHER_PROCESS, str(tmp_path / "plans"), str(tmp_path / "episodes")]
    subprocess.run(command, check=True, timeout=60, env={**os.environ, "PYTHONHASHSEED": "12345"})
    assert pickle.loads((tmp_path / "episodes").read_bytes()) == episodes


@pytest.mark.slow
def test_a_pickled_plan_carries_no_cached_screens() -> None:
    plans = [plan for plan, _ in explored("frontier", 12)]
    assert b"fewtaps.model.screen" not in pickle.dumps(plans[-1])


def test_the_look_of_a_screen_stays_in_its_process() -> None:
    window = Window("Main", WindowKind.ACTIVITY, Widget("android.widget.TextView", text="hello"))
    screen = Screen("a", "a.Main", 10, 10, windows=(window,))
    screen.look()
    again = pickle.loads(pickle.dumps(screen))
    assert (again, again._look) == (screen, None)
