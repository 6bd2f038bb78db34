"""When to stop exploring an app that has nothing more to show."""

from __future__ import annotations

from collections.abc import Iterable

from fewtaps.store.rows import Growth

AS_LONG_AGAIN = 2
"""What comes last is hardest to find: so many times the events up to the last news there may be none."""


class StallDetector:
    """Is over after so many events without anything new, and not before twice as many as it took to find all there is.

    News are lines and branches that were not covered before, and crashes. An app that needed long to show what it has
    is so given long to show more. With 0 events patience never ends.
    """

    def __init__(self, events: int) -> None:
        self._stall = events
        self._best: tuple[int, ...] = ()
        self._last_news = 0
        self._events = 0

    def note(self, events: int, *found: int) -> None:
        """So many events were played up to now, and so much was found by them, always counted in the same ways."""
        self._events = events
        if not self._best or any(new > old for new, old in zip(found, self._best, strict=True)):
            self._best = found
            self._last_news = events

    def remember(self, growth: Iterable[Growth]) -> None:
        """Hears of what earlier parts of the exploration found."""
        for each in growth:
            self.note(each.events, each.lines, each.branches, each.crashes)

    @property
    def quiet_events(self) -> int:
        """How many events there were since the last news."""
        return self._events - self._last_news

    @property
    def is_over(self) -> bool:
        """Whether there was nothing new for long enough."""
        return self._stall > 0 and self.quiet_events >= max(self._stall, AS_LONG_AGAIN * self._last_news)
