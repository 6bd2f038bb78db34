"""EpisodePlan: the plan of one episode, with all that is needed to carry it out on any thread or in another process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from fewtaps.explore.block import NOTHING_BLOCKED, Blocklist
from fewtaps.explore.knowledge import Knowledge
from fewtaps.explore.parameters import DEFAULT_PARAMETERS, ExploreParameters
from fewtaps.explore.strategy import Strategy
from fewtaps.model.event import Event
from fewtaps.model.phone import ORDINARY, Differences
from fewtaps.model.screen import Screen
from fewtaps.model.state import StateId

Aim: TypeAlias = Callable[[Event, Screen], tuple[Event, tuple[str, ...]]]
"""Gives an event the coordinates of the widget that its selector names on a screen, and notes of what was not found."""


@dataclass(frozen=True, slots=True)
class EpisodePlan:
    """Launch in `world` on `phone`, play `way`, and then perform the events that the strategy's policy chooses.

    `way` holds events without the launch. It ends in `target`, or, if that is None, it is the prelude of a fresh
    start. Carrying a plan out changes nothing in it, so it can be carried out again if a device dies. A plan can be
    pickled; unpickled, in any process, it gives the same episode.
    """

    number: int
    world: int
    way: tuple[Event, ...]
    target: StateId | None
    strategy: Strategy
    knowledge: Knowledge
    """A fork of its own, which is forked again when the plan is carried out."""
    seed: str
    max_events: int
    """Most events after the way."""
    parameters: ExploreParameters = DEFAULT_PARAMETERS
    block: Blocklist = NOTHING_BLOCKED
    aim: Aim | None = None
    pictures: bool = False
    phone: Differences = ORDINARY
    """The phone of a varied episode; ordinary stands for the phone that the session was opened with."""
    prelude: int = 0
    """How many events are played after every fresh launch."""

    def random(self) -> Random:
        """The random numbers of this episode, from the beginning."""
        return Random(self.seed)
