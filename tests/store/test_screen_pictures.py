"""A screen is shown by a picture of its own, else by one of its state."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from builders import screen, trace, widget

from fewtaps.model.app import App
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
        assert store.screen_pictures.find(moved) == store.screen_pictures.find(HOME)
        assert store.screen_pictures.has(HOME) and not store.screen_pictures.has(moved)
        store.screen_pictures.save(moved, b"replayed")
        assert store.pictures.load(store.screen_pictures.find(moved) or "") == b"replayed"
        assert store.pictures.load(store.screen_pictures.find(HOME) or "") == b"explored"


def test_a_state_without_any_picture_has_none(tmp_path: Path) -> None:
    with open_store(tmp_path, create=True) as store:
        store.screen_pictures.save(HOME, b"png")
        assert store.screen_pictures.find(OTHER) is None
