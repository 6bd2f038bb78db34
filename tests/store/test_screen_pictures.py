from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from builders import screen, trace, widget

from fewtaps.model.app import App
from fewtaps.model.coverage import Coverage, ProbeSet
from fewtaps.model.episode import Episode
from fewtaps.model.event import Tap
from fewtaps.model.trace import Step
from fewtaps.store.database import Store, open_store

HOME = screen(widget("Home"))
OTHER = screen(widget("Other"))


def explored(store: Store, *episodes: Episode) -> None:
    run = store.runs.start(App("com.example.app"), "explore", {})
    for number, episode in enumerate(episodes):
        store.runs.add_episode(run, replace(episode, number=number), seconds=number + 1.0)


def test_a_picture_of_exactly_that_screen_is_preferred(tmp_path: Path) -> None:
    moved = replace(HOME, keyboard=True)
    with open_store(tmp_path, create=True) as store:
        explored(store, Episode(0, trace(Step(Tap(1, 1), HOME, HOME)), pictures=((1, b"explored"),)))
        assert store.gallery.find(moved) == store.gallery.find(HOME)
        assert store.gallery.has(HOME) and not store.gallery.has(moved)
        store.gallery.save(moved, b"replayed")
        assert store.pictures.load(store.gallery.find(moved) or "") == b"replayed"
        assert store.pictures.load(store.gallery.find(HOME) or "") == b"explored"


def test_a_state_without_any_picture_has_none(tmp_path: Path) -> None:
    with open_store(tmp_path, create=True) as store:
        store.gallery.save(HOME, b"png")
        assert store.gallery.find(OTHER) is None


def test_coverage_grows_with_each_episode_and_over_runs(tmp_path: Path) -> None:
    def covering(*lines: int) -> Episode:
        return Episode(0, trace(Step(Tap(1, 1), covered=Coverage(lines=ProbeSet.of(lines)))))

    with open_store(tmp_path, create=True) as store:
        explored(store, covering(1, 2), covering(2))
        explored(store, covering(2, 3))
        grown = [(each.seconds, each.events, each.lines) for each in store.runs.growth()]
        assert grown == [(1.0, 2, 2), (2.0, 4, 2), (3.0, 6, 3)]
