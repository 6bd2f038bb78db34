"""EpisodePlan: the plan of one episode, with all it needs to know, so that it can be carried out on any thread."""

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
from fewtaps.model.screen import Screen
from fewtaps.model.state import StateId

Aim: TypeAlias = Callable[[Event, Screen], tuple[Event, tuple[str, ...]]]
"""Gives an event the coordinates of the widget that its selector names on a screen, and notes of what was not found."""


@dataclass(frozen=True, slots=True)
class EpisodePlan:
    """One episode to be: launch in `world`, play `way`, and then whatever the strategy's policy thinks of.

    `way` holds events without the launch. It ends in `target`, or, if that is None, it is the prelude of a fresh
    start. Nothing in here changes when the plan is carried out, so a device that dies can be followed by another.
    """

    number: int
    world: int
    way: tuple[Event, ...]
    target: StateId | None
    strategy: Strategy
    knowledge: Knowledge
    """A fork of its own, to be forked again by whoever carries the plan out."""
    seed: str
    max_events: int
    """So many events at most after the way."""
    parameters: ExploreParameters = DEFAULT_PARAMETERS
    block: Blocklist = NOTHING_BLOCKED
    aim: Aim | None = None
    pictures: bool = False

    def random(self) -> Random:
        """The chance of this episode, from the beginning."""
        return Random(self.seed)
