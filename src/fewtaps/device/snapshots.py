"""Gives any session save and restore, by replaying the path from launch.

A reset of the embedded Android takes tenths of a second, which is faster than an emulator's snapshot; and what is
restored so is a trace from launch on, which every later stage can play alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from fewtaps.device.session import Session
from fewtaps.model.event import Event
from fewtaps.model.trace import Step


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A way back: the world, and the events since launch."""

    world: int
    events: tuple[Event, ...]


class SnapshotSession:
    """Launches and performs like the session inside it, and remembers the path for `save` and `restore`."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._world = 0
        self._events: list[Event] = []

    def launch(self, world: int = 0) -> Step:
        """As the session's; the path starts anew."""
        self._world = world
        self._events = []
        return self.session.launch(world)

    def perform(self, event: Event) -> Step:
        """As the session's; the event joins the path."""
        step = self.session.perform(event)
        self._events.append(event)
        return step

    def save(self) -> Snapshot:
        """The way back to the present state."""
        return Snapshot(self._world, tuple(self._events))

    def restore(self, snapshot: Snapshot) -> tuple[Step, ...]:
        """Goes back to a saved state and returns the steps that led there; fewer if the app ended on the way."""
        steps = [self.launch(snapshot.world)]
        for event in snapshot.events:
            if steps[-1].ending.is_final:
                break
            steps.append(self.perform(event))
        return tuple(steps)
