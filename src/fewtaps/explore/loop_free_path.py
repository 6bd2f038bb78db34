"""A way back without detours: leaves out the events after which everything looked as it had looked before.

A snapshot costs no events, a replay does, and of the events of a Monkey most do nothing. What a brief way leaves out
may have changed what cannot be seen, so it is a guess: it is tried and, like every way, checked where it ends.
"""

from __future__ import annotations

from fewtaps.model.event import Event, Launch, StartIntent, SystemEvent, Text
from fewtaps.model.trace import Step

_NEVER_LEFT_OUT = (Text, StartIntent, SystemEvent)
"""They change what the screen need not show."""


class LoopFreePath:
    """Follows an episode from its launch and keeps the events that made a difference.

    Whenever the screen is exactly as it was at an earlier moment, what was done since then is a detour, unless it ran
    code for the first time in this run or changed something on purpose.
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
