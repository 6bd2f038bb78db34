"""Exploration of sample apps on the twin: what is found, repeated, and not lost when a JVM dies."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from integration.conftest import SAMPLES, OpenSample
from integration.first_crash import events_to_known_crash
from kept import count_kept, episodes_in, wait_for_more

from fewtaps.config import DeviceSettings, ExploreLimits, ExploreSettings
from fewtaps.device.session import DEFAULT_SETTINGS, SessionSettings
from fewtaps.device.twin import device
from fewtaps.device.twin.jail import jail_problem
from fewtaps.device.twin.process import BridgeProcess, start_bridge
from fewtaps.model.ending import Ending
from fewtaps.model.episode import Episode
from fewtaps.model.exploration_end import EndKind, ExplorationEnd
from fewtaps.pipeline.exploring import explore_app
from fewtaps.pipeline.findings import read_coverage, read_findings, read_states
from fewtaps.pipeline.news import News, StepSeen, Tell, ignore

pytestmark = pytest.mark.jvm

CALC = SAMPLES / "calc.apk"
WHERE = DeviceSettings(jail=jail_problem() is None)


def explore(folder: Path, tell: Tell = ignore, *, events: int = 120, resume: bool = False) -> list[Episode]:
    settings = ExploreSettings(folder, device=WHERE, limits=ExploreLimits(events=events), resume=resume)
    explored = explore_app(str(CALC), settings, tell)
    assert explored.end == ExplorationEnd(EndKind.EVENTS_USED, events)
    return episodes_in(folder)


def test_a_known_crash_is_found_and_everything_can_be_looked_at(tmp_path: Path) -> None:
    explore(tmp_path)
    (finding,) = read_findings(tmp_path)
    assert finding.row.crash.root is not None and finding.row.crash.root.type == "java.lang.ArithmeticException"
    assert read_coverage(tmp_path).summary.counts.lines.covered > 10
    states = read_states(tmp_path)
    assert len(states.nodes) > 3 and any(node.picture and Path(node.picture).is_file() for node in states.nodes)


WITHOUT_MAPS = SessionSettings(neighbours="absent")
BUDGET = re.compile(r"\*\*Budget\.\*\* (\d+) events \(seed (\d+)\)")


@pytest.mark.parametrize(
    ("name", "where"),
    [
        *((name, DEFAULT_SETTINGS) for name in ("calc", "feed", "labels", "misbehave", "museum", "notes")),
        *((name, DEFAULT_SETTINGS) for name in ("orders", "shop", "timer", "tipsplit", "vault", "wizard")),
        ("zones", WITHOUT_MAPS),
    ],
    ids=lambda value: value if isinstance(value, str) else value.neighbours,
)
def test_a_known_crash_is_found_within_the_budget_of_the_notes(
    name: str, where: SessionSettings, open_sample: OpenSample
) -> None:
    """With the defaults of `fewtaps explore`."""
    notes = (SAMPLES / name / "NOTES.md").read_text("utf-8")
    budget = BUDGET.search(notes)
    assert budget is not None
    most, seed = map(int, budget.groups())
    assert events_to_known_crash(open_sample(name, where), name, seed, most) is not None, f"{most} events did not do"


KILLS = 3
DEADLINE_SECONDS = 900


@pytest.mark.timeout(900)
def test_killed_some_times_at_random_moments_it_loses_nothing_that_was_finished(tmp_path: Path) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    chance = random.Random(3)
    counts = [0]
    for _ in range(KILLS):
        child = start_exploring(broken, resumed=counts[-1] > 0)
        try:
            wait_for_more(broken, counts[-1], child, seconds=DEADLINE_SECONDS, pause=0.02)
            # In the middle of some later episode, or while one is being written.
            time.sleep(chance.random() * 0.5)
        finally:
            child.kill()
            child.wait()
        counts.append(count_kept(broken))
    assert counts == sorted(set(counts)), "every one of them came further than the one before"
    kept = episodes_in(broken)
    assert len(kept) == counts[-1]
    events = max(150, sum(each.events for each in kept) + 20)
    resumed = explore(broken, events=events, resume=True)
    assert resumed[: len(kept)] == kept
    assert resumed == explore(whole, events=events), "as if nobody had killed it"


def start_exploring(folder: Path, *, resumed: bool) -> subprocess.Popen[bytes]:
    """A process of its own that explores for as long as it lives."""
    options = [*(["--resume"] if resumed else []), *([] if WHERE.jail else ["--no-jail"])]
    return subprocess.Popen(
        [sys.executable, "-m", "fewtaps", "explore", str(CALC), "-o", str(folder), "--minutes", "60", *options],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def test_another_process_repeats_the_exploration_exactly(tmp_path: Path) -> None:
    assert explore(tmp_path / "one") == explore(tmp_path / "other")


class Killer:
    """Kills the JVM after some steps, three times over."""

    def __init__(self, victim: Callable[[], BridgeProcess]) -> None:
        self._victim = victim
        self._steps = 0

    def __call__(self, news: News) -> None:
        if not isinstance(news, StepSeen):
            return
        self._steps += 1
        if self._steps in (20, 45, 70):
            os.kill(self._victim().pid, signal.SIGKILL)


def test_a_jvm_that_is_killed_costs_the_episode_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[BridgeProcess] = []

    def watched(*arguments: object, **options: object) -> BridgeProcess:
        started.append(start_bridge(*arguments, **options))  # type: ignore[arg-type]
        return started[-1]

    monkeypatch.setattr(device, "start_bridge", watched)
    episodes = explore(tmp_path, Killer(lambda: started[-1]))
    assert len(started) == 4
    assert [episode.number for episode in episodes] == list(range(len(episodes)))
    assert sum(episode.trace.ending is Ending.LOST for episode in episodes) <= 3
    (finding,) = (each for each in read_findings(tmp_path) if not each.is_suspect)
    assert finding.row.crash.root is not None and finding.row.crash.root.type == "java.lang.ArithmeticException"
