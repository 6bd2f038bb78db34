"""How the time of a run is shared between exploring, reducing, replaying and the making of a suite.

Exploring has most of the time. A crash is worked on as soon as it is found, because a run may be ended at any moment. A
share is kept for the end, so that crashes found late are reduced and replayed too. The last share is for the suite.
"""

from __future__ import annotations

import time
from collections.abc import Callable

EXPLORE_SHARE = 0.6
"""With crashes that still wait for their reduction, exploring ends at this share of the time."""

LAST_SHARE = 0.1
"""Share of the time that is kept for the end: for what was found late, and for the report."""

REPORT_SHARE = 0.05
"""Share of the time that is kept for the report."""

MOST_REPORT_SECONDS = 6.0
"""Most seconds that are kept for the report of a long run."""

MOST_LAST_SECONDS = 60.0
"""Most seconds that are kept for the end of a long run."""

SLICES_SHARE = 0.1
"""Most that is kept for slices, as a share of the time."""

SLICE_SECONDS = 4.0
"""Seconds that are kept for each slice: a recorded run and the replay for its values."""

SUITE_SHARE = 0.15
"""Share of the time that is kept for the suite, which is made last."""

LARGEST_SUITE_SHARE = 0.3
"""Share of a short run that is kept for the suite, if the start of its devices takes most of the usual share."""

MOST_SUITE_SECONDS = 600.0
"""Most seconds that are kept for the suite of a long run."""

LEAST_SUITE_SECONDS = 3.0
"""With fewer seconds for the work, after a device has started for it, no suite is begun."""

CRASH_SHARE = 1 / 8
"""Share of the whole that one crash may take at once; if it is not done then, it waits until exploring has ended."""


class TimeShares:
    """The time of one run, from the moment at which this object is made.

    `gone` are seconds of it that have passed by then. `whole` is all of it, `seconds` the time without what is kept for
    the report. With `makes_suite`, a share is kept for a suite.
    """

    def __init__(
        self,
        seconds: float,
        clock: Callable[[], float] = time.monotonic,
        *,
        makes_suite: bool = False,
        gone: float = 0.0,
    ) -> None:
        self.whole = seconds
        self.seconds = seconds - min(seconds * REPORT_SHARE, MOST_REPORT_SECONDS)
        self._clock = clock
        self._began = clock() - gone
        self._is_started = False
        self._on_crashes = 0.0
        self._makes_suite = makes_suite
        self.unsliced = 0
        """How many crashes have no slice yet."""
        self._device_seconds = 0.0

    def start(self, device_seconds: float = 0.0) -> None:
        """Notes that the first device is there, and how long it took to start; harmless if it was there before."""
        if not self._is_started:
            self._is_started = True
            self._device_seconds = device_seconds

    @property
    def is_started(self) -> bool:
        return self._is_started

    @property
    def spent(self) -> float:
        """Seconds since the beginning."""
        return self._clock() - self._began

    @property
    def left(self) -> float:
        """Seconds until the end, or until the share of the suite; not less than none."""
        return max(0.0, self.seconds - self.kept_for_suite - self.spent)

    @property
    def kept(self) -> float:
        """Seconds that are kept for the end: a share, and some for each slice that is made then."""
        slices = min(self.seconds * SLICES_SHARE, self.unsliced * SLICE_SECONDS)
        return min(self.seconds * LAST_SHARE, MOST_LAST_SECONDS) + slices

    @property
    def kept_for_suite(self) -> float:
        """Seconds that are kept for the suite; none if they are too few to make one."""
        usual = min(self.seconds * SUITE_SHARE, MOST_SUITE_SECONDS)
        share = max(usual, min(self.seconds * LARGEST_SUITE_SHARE, 2 * self.least_for_suite))
        return share if self._makes_suite and share >= self.least_for_suite else 0.0

    @property
    def least_for_suite(self) -> float:
        """With fewer seconds than this no suite is begun: the devices for it have to start first."""
        return self._device_seconds + LEAST_SUITE_SECONDS

    @property
    def for_suite(self) -> float:
        """Seconds for the suite: all that are left; none if they are too few."""
        left = self.seconds - self.spent
        return left if left >= self.least_for_suite else 0.0

    def may_explore(self, waiting: int) -> bool:
        """Whether there is time to explore, while so many crashes wait for their reduction."""
        until = self.seconds * EXPLORE_SHARE if waiting else self.seconds - self.kept_for_suite - self.kept
        return self.spent < until

    @property
    def is_late(self) -> bool:
        """Whether only the time that is kept for the end is left."""
        return self.left <= self.kept

    @property
    def may_interrupt(self) -> bool:
        """Whether a crash may be worked on now: until now, crashes took no more than half of the time that is spent."""
        return not self.is_late and self._on_crashes <= self.spent / 2

    @property
    def for_exploring(self) -> float:
        """Seconds until no event of an exploration is waited for any more: a hang may be under way when it ends."""
        return max(0.0, self.left - self.kept / 2)

    def for_new_crash(self) -> float:
        """Seconds for a crash that was just found."""
        return max(0.0, min(self.seconds * CRASH_SHARE, self.left - self.kept))

    def for_waiting(self, waiting: int, *, keep: bool) -> float:
        """Seconds for the next of so many crashes that wait; with `keep`, what is kept for the end is left alone."""
        return max(0.0, self.left - (self.kept if keep else 0.0)) / max(waiting, 1)

    @property
    def least_for_slow(self) -> float:
        """With no more seconds than this no hang is begun with: one replay of it may take as long."""
        return self.kept / 2

    def spend_on_crash(self, seconds: float) -> None:
        """Notes what the work on a crash took."""
        self._on_crashes += seconds
