"""What a strategy is: it chooses where each episode begins, and makes a policy that chooses its events.

A strategy has no memory of its own and is shared by all episodes. What it remembers beyond the graph of states is in a
`Memory`, which is forked with the rest of the knowledge: each episode learns on its own copy, and the exploration
learns the same steps again when the episode is absorbed. Strategies and memories can be pickled.
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
    """What a policy may use to choose an event. The app is in front and shows a screen in a known state."""

    screen: Screen
    state: StateId
    knowledge: Knowledge
    random: Random
    listening: Callable[[], frozenset[str]]
    """The broadcasts that running code listens to. The call takes time on a real device."""


class EventSource(Protocol):
    def draw(self, situation: Situation) -> Event:
        """The next event to perform."""
        ...


class Policy(EventSource, Protocol):
    """Chooses the events of one episode."""

    def should_stop(self, situation: Situation) -> EpisodeEnd | None:
        """Why the episode should end here; None to go on. Asked once after each new step."""
        ...


class Memory(Protocol):
    """What a strategy remembers of all episodes, beyond the graph of states."""

    def observe(self, source: StateId | None, step: Step, target: StateId | None, new_code: bool) -> None:
        """Learns a new step from one state to another or the same; `new_code` says that it ran new code.

        None stands for no state of the app: it was not in front, or has ended. Steps of a way back are not observed.
        """
        ...

    def fork(self) -> Memory:
        """A copy that learns on its own from here on; cheap, because every episode has one."""
        ...


class NoMemory:
    """The memory of strategies that need none."""

    def observe(self, source: StateId | None, step: Step, target: StateId | None, new_code: bool) -> None:
        """Keeps nothing of the step."""

    def fork(self) -> NoMemory:
        """This object: there is nothing to copy."""
        return self


@dataclass(frozen=True, slots=True)
class Return:
    """Begin at a known state, by a way that once led there."""

    state: StateId
    way: Way


class Strategy(Protocol):
    """Decides where episodes begin and which events they perform. Must not change: several threads share it."""

    @property
    def episode_events(self) -> int:
        """Most new events of an episode, unless the exploration sets another limit."""
        ...

    def memory(self) -> Memory:
        """An empty memory, for the beginning of an exploration."""
        ...

    def plan(self, knowledge: Knowledge, random: Random, turn: int) -> Return | None:
        """Where the next episode begins; None for a fresh start.

        Episodes that are planned from one knowledge, because several devices are at work, get the turns 0, 1, 2 and so
        on, so that they can begin at different states.
        """
        ...

    def begin(self, knowledge: Knowledge, random: Random, target: StateId | None = None) -> Policy:
        """The policy of one episode, which begins at `target` if it returned to a state.

        The policy may keep the knowledge's memory, which is the episode's own copy.
        """
        ...
