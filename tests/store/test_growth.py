"""The growth of coverage is counted over all runs of one build."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from builders import trace

from fewtaps.model.app import App
from fewtaps.model.coverage import Coverage, ProbeSet
from fewtaps.model.episode import Episode
from fewtaps.model.event import Tap
from fewtaps.model.trace import Step
from fewtaps.store.database import Store, open_store


def explored(store: Store, *episodes: Episode) -> None:
    run = store.runs.start(App("com.example.app"), "explore", {})
    for number, episode in enumerate(episodes):
        store.runs.add_episode(run, replace(episode, number=number), seconds=number + 1.0)


def test_coverage_grows_with_each_episode_and_over_runs(tmp_path: Path) -> None:
    def covering(*lines: int) -> Episode:
        return Episode(0, trace(Step(Tap(1, 1), covered=Coverage(lines=ProbeSet.of(lines)))))

    with open_store(tmp_path, create=True) as store:
        explored(store, covering(1, 2), covering(2))
        explored(store, covering(2, 3))
        grown = [(each.seconds, each.events, each.lines) for each in store.runs.growth()]
        assert grown == [(1.0, 2, 2), (2.0, 4, 2), (3.0, 6, 3)]
