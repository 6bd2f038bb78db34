"""When to stop exploring an app that shows nothing new any more."""

from __future__ import annotations

from collections.abc import Iterable

from fewtaps.store.rows import Growth

LAST_NEWS_FACTOR = 2
"""Without anything new, exploring goes on for at least this many times the events up to the last news."""


class StallDetector:
    """Reports a stall after `events` events without anything new, and not before twice as many as the news took.

    News are lines and branches that were not covered before, and crashes. An app that showed its last news late gets
    accordingly long to show more. With 0 events there is never a stall.
    """

    def __init__(self, events: int) -> None:
        self._allowed = events
        self._best: tuple[int, ...] = ()
        self._last_news = 0
        self._events = 0

    def note(self, events: int, *found: int) -> None:
        """Notes how many events were played until now, and the counts of what they found, always in the same order."""
        self._events = events
        if not self._best or any(new > old for new, old in zip(found, self._best, strict=True)):
            self._best = found
            self._last_news = events

    def remember(self, growth: Iterable[Growth]) -> None:
        """Notes what earlier parts of the exploration found."""
        for each in growth:
            self.note(each.events, each.lines, each.branches, each.crashes)

    @property
    def quiet_events(self) -> int:
        """Events since the last news."""
        return self._events - self._last_news

    @property
    def is_stalled(self) -> bool:
        """Whether there was nothing new for long enough to stop."""
        return self._allowed > 0 and self.quiet_events >= max(self._allowed, LAST_NEWS_FACTOR * self._last_news)
