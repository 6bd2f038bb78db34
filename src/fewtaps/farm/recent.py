"""How often something happened lately."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

PARTS = 10
"""Counts that are kept of a span; the oldest one is dropped when a new one begins."""


class RecentCount:
    """Counts over the last seconds. One thread adds, others may ask."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._part = seconds / PARTS
        self._clock = clock
        self._began = clock()
        self._counts: deque[tuple[int, int]] = deque(maxlen=PARTS + 1)
        """The number of a part, and what was counted in it."""

    def add(self) -> None:
        """Counts one."""
        part = int((self._clock() - self._began) / self._part)
        if self._counts and self._counts[-1][0] == part:
            self._counts[-1] = (part, self._counts[-1][1] + 1)
        else:
            self._counts.append((part, 1))

    def per_second(self) -> float:
        """The rate over the last seconds, or since the beginning if that is shorter."""
        seconds = self._clock() - self._began
        now = int(seconds / self._part)
        counted = sum(count for part, count in tuple(self._counts) if part > now - PARTS)
        # The part that is under way counts for as long as it lasts.
        span = min(seconds, seconds - (now - PARTS + 1) * self._part)
        return counted / span if span > 0 else 0.0
