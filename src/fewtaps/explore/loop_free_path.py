"""A way back without loops: leaves out the events between two equal screens.

A return by replay costs events, and most events of a Monkey do nothing. The events that are left out may have changed
hidden state, so the path is a guess: it is tried and, like every way, checked where it ends.
"""

from __future__ import annotations

from fewtaps.model.event import Event, Launch, StartIntent, SystemEvent, Text
from fewtaps.model.trace import Step

_NEVER_LEFT_OUT = (Text, StartIntent, SystemEvent)
"""They may change state that the screen does not show."""


class LoopFreePath:
    """Follows an episode from its launch and keeps the events that made a difference.

    When the screen is exactly as it was before, the events since then are left out, unless one of them ran code for
    the first time in this run, typed text or came from the system.
    """

    def __init__(self) -> None:
        self._events: list[Event] = []
        self._looks: list[int] = []
        self._places: dict[int, int] = {}
        self._needed = 0

    def __len__(self) -> int:
        return len(self._events)

    @property
    def events(self) -> tuple[Event, ...]:
        """The way so far, without the launch."""
        return tuple(self._events)

    def follow(self, step: Step) -> None:
        """One step further; the first one is the launch."""
        look = step.after.look()
        if self._looks:
            self._events.append(step.event)
        elif not isinstance(step.event, Launch):
            raise ValueError("a way starts with a launch")
        if step.covered or isinstance(step.event, _NEVER_LEFT_OUT):
            self._needed = len(self._events)
        place = self._places.get(look)
        if place is not None and place >= self._needed:
            self._cut(place)
        else:
            self._places[look] = len(self._events)
            self._looks.append(look)

    def _cut(self, place: int) -> None:
        del self._events[place:]
        for look in self._looks[place + 1 :]:
            del self._places[look]
        del self._looks[place + 1 :]
