"""Limits on time, events and runs, checked before each step, so that algorithms need no clock."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from fewtaps.errors import BudgetLimit, BudgetSpent, BudgetUnit, TimeUp, UsageError


class CutOff:
    """The moment after which no device is waited for; there is none at first.

    The stage that shares out the time sets it before each of its tasks; the threads of the devices read it.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._at = math.inf

    def set(self, at: float) -> None:
        """Chooses the moment, by the clock of this object."""
        self._at = at

    @property
    def left(self) -> float:
        """Seconds until the moment; 0 after it, infinite if there is none."""
        return max(0.0, self._at - self._clock())

    def check(self) -> None:
        """Raises TimeUp after the moment."""
        if not self.left:
            raise TimeUp


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
    def exhausted(self) -> BudgetLimit | None:
        """The limit that is reached, the first of runs, events and seconds; None while none is."""
        if self._runs is not None and self.runs_spent >= self._runs:
            return BudgetLimit(BudgetUnit.RUNS, self._runs)
        if self._events is not None and self.events_spent >= self._events:
            return BudgetLimit(BudgetUnit.EVENTS, self._events)
        if self._seconds is not None and self.seconds_spent >= self._seconds:
            return BudgetLimit(BudgetUnit.SECONDS, self._seconds)
        return None

    def check(self, best: object = None) -> None:
        """Raises BudgetSpent, carrying the best result so far, once a limit is reached."""
        limit = self.exhausted
        if limit is not None:
            raise BudgetSpent(limit, best)
