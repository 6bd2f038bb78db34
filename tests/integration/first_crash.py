"""How soon the default exploration comes to a crash that the note of a sample knows."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from fewtaps.apk.strings import read_strings
from fewtaps.config import ExploreSettings
from fewtaps.device.session import Session
from fewtaps.explore.exploration import Exploration
from fewtaps.explore.loop import run_episode
from fewtaps.explore.parameters import DEFAULT_PARAMETERS
from fewtaps.explore.strategies import STRATEGIES
from fewtaps.model.episode import Episode

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
PLACE = re.compile(r"^- `(\w+\.java:\d+)`", re.MULTILINE)


def events_to_known_crash(session: Session, sample: str, seed: int, most: int) -> int | None:
    """Events until a crash passes through a line that the note names; None if so many do not suffice.

    With the defaults of `fewtaps explore`; events that only go back count too.
    """
    known = set(PLACE.findall((SAMPLES / sample / "NOTES.md").read_text("utf-8")))
    assert known, f"the note of {sample} names no line"
    defaults = ExploreSettings(Path())
    words = lambda: read_strings(SAMPLES / f"{sample}.apk")  # noqa: E731
    strategy = STRATEGIES[defaults.strategy](session.app, DEFAULT_PARAMETERS, words)
    exploration = Exploration(session.app, strategy, seed=seed, worlds=defaults.worlds, width=defaults.episodes_ahead)
    spent = 0
    for episode_plan in exploration.episode_plans():
        episode = run_episode(session, episode_plan, stopper(most - spent))
        exploration.absorb(episode)
        spent += episode.events
        if places_of(episode) & known:
            return spent
        if spent >= most:
            break
    return None


def stopper(events: int) -> Callable[[], bool]:
    """Asked before every event but the launch: whether so many have been used."""
    used = iter(range(1, events))
    return lambda: next(used, None) is None


def places_of(episode: Episode) -> set[str]:
    """The lines in the app's own files that a crash passed through."""
    crash = episode.trace.crash
    frames = [str(frame) for each in crash.exceptions for frame in each.frames] if crash is not None else []
    return {frame.rpartition("(")[2].rstrip(")") for frame in frames}
