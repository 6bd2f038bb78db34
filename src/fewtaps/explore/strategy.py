"""What a strategy is: it says where each episode begins, and gives it a policy that chooses the events.

A strategy itself is a recipe without memory of its own, shared by all episodes. What it wants to remember beyond the
graph of states goes into a `Memory`, which is forked with the rest of the knowledge: each episode learns on its own
copy as it goes, and the exploration learns the same steps again when the episode is absorbed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Protocol

from fewtaps.model.episode import EpisodeEnd
from fewtaps.model.event import Event
from fewtaps.model.graph import Way
from fewtaps.model.screen import Screen
from fewtaps.model.state import StateId
from fewtaps.model.trace import Step

if TYPE_CHECKING:
    from fewtaps.explore.knowledge import Knowledge


@dataclass(frozen=True, slots=True)
class Situation:
    """All that a policy may look at when it chooses: the app is in front, and shows a screen in a known state."""

    screen: Screen
    state: StateId
    knowledge: Knowledge
    random: Random
    listening: Callable[[], frozenset[str]]
    """The broadcasts that running code listens to. Asking costs time on a real device: only when the answer is used."""


class EventSource(Protocol):
    """Draws events."""

    def draw(self, situation: Situation) -> Event:
        """The next event to perform."""
        ...


class Policy(EventSource, Protocol):
    """Chooses the events of one episode, from where it begins to its end."""

    def should_stop(self, situation: Situation) -> EpisodeEnd | None:
        """Why the episode should end here; None to go on. Asked once after each new step."""
        ...


class Memory(Protocol):
    """What a strategy remembers of all episodes, beyond the graph."""

    def observe(self, source: StateId | None, step: Step, target: StateId | None, news: bool) -> None:
        """Learns a new step that led from one state to another, the same one perhaps; `news` is: it reached new code.

        None stands for no state of the app: it was not in front, or has ended. Steps of a way back are not shown.
        """
        ...

    def fork(self) -> Memory:
        """A copy that learns on its own from here on; cheap, because every episode has one."""
        ...


class NoMemory:
    """The memory of those who need none."""

    def observe(self, source: StateId | None, step: Step, target: StateId | None, news: bool) -> None:
        """Forgets it."""

    def fork(self) -> NoMemory:
        """Itself: there is nothing to copy."""
        return self


@dataclass(frozen=True, slots=True)
class Return:
    """Begin at a known state, by a way that once led there."""

    state: StateId
    way: Way


class Strategy(Protocol):
    """Decides where episodes begin and what they try. Must not change: several threads share it."""

    @property
    def episode_events(self) -> int:
        """So many new events an episode has at most, unless the user says otherwise."""
        ...

    def memory(self) -> Memory:
        """An empty memory, for the beginning of an exploration."""
        ...

    def plan(self, knowledge: Knowledge, random: Random, turn: int) -> Return | None:
        """Where the next episode begins; None for a fresh start.

        Episodes that are planned from one knowledge, because several devices are at work, get the turns 0, 1, 2 and so
        on: they should not all go to the same place.
        """
        ...

    def begin(self, knowledge: Knowledge, random: Random, target: StateId | None = None) -> Policy:
        """The policy of one episode, which begins at the target if it went back to one.

        It may keep and change the knowledge's memory, which is the episode's own copy.
        """
        ...
