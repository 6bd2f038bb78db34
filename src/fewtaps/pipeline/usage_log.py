"""Keeps in the store, while a run goes on, how much of its time it has used: `serve` shows it."""

from __future__ import annotations

from fewtaps.pipeline.time_shares import TimeShares
from fewtaps.store.database import Store
from fewtaps.store.rows import RunId

PAUSE_SECONDS = 3.0
"""Least time between two notes. Each is a write to the store, after which `serve` builds its report again."""


class UsageLog:
    """Notes the seconds that the last part of a run has used, all stages together, beside what it was given."""

    def __init__(self, store: Store, run: RunId, shares: TimeShares) -> None:
        self._store = store
        self._run = run
        self._shares = shares
        self._noted = 0.0

    def note(self) -> None:
        """Keeps the time, unless that was done less than `PAUSE_SECONDS` ago; called after every piece of work."""
        if self._shares.spent - self._noted >= PAUSE_SECONDS:
            self.note_now()

    def note_now(self) -> None:
        """Keeps the time; of a run that has not opened a device there is none."""
        if not self._shares.is_started:
            return
        self._noted = self._shares.spent
        self._store.runs.set_used(self._run, round(self._noted, 1))
