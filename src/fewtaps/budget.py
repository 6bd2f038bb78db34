"""Limits on time, events and runs, checked before each step, so that algorithms need no clock."""

from __future__ import annotations

import time
from collections.abc import Callable

from fewtaps.errors import BudgetSpent, UsageError


class Budget:
    """Limits on seconds, events and runs; None means no limit. The clock starts when the budget is made."""

    def __init__(
        self,
        *,
        seconds: float | None = None,
        events: int | None = None,
        runs: int | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        for name, limit in (("seconds", seconds), ("events", events), ("runs", runs)):
            if limit is not None and limit < 0:
                raise UsageError(f"a budget of {limit} {name} is less than nothing")
        self._seconds = seconds
        self._events = events
        self._runs = runs
        self._clock = clock
        self._started = clock()
        self.events_spent = 0
        self.runs_spent = 0

    @property
    def seconds_spent(self) -> float:
        return self._clock() - self._started

    def spend(self, *, events: int = 0, runs: int = 0) -> None:
        self.events_spent += events
        self.runs_spent += runs

    @property
    def exhausted(self) -> str | None:
        """A sentence that names the limit that is reached; None while no limit is."""
        if self._runs is not None and self.runs_spent >= self._runs:
            return f"all {self._runs} runs are used"
        if self._events is not None and self.events_spent >= self._events:
            return f"all {self._events} events are used"
        if self._seconds is not None and self.seconds_spent >= self._seconds:
            return f"all {self._seconds:g} seconds are used"
        return None

    def check(self, best: object = None) -> None:
        """Raises BudgetSpent, carrying the best result so far, once a limit is reached."""
        reason = self.exhausted
        if reason is not None:
            raise BudgetSpent(reason, best)
