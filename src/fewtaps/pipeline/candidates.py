"""Plays the candidates of a reduction on the devices of a pool."""

from __future__ import annotations

from collections.abc import Sequence

from fewtaps.budget import Budget
from fewtaps.device.jobs import JobContext, never
from fewtaps.device.pool import SessionPool
from fewtaps.errors import TimeUp
from fewtaps.model.event import Event
from fewtaps.model.trace import Aim
from fewtaps.pipeline.news import LongRunAdvanced, Tell
from fewtaps.replay import Played, PlayEvents


class CandidatePlayer:
    """Plays sequences of events, the launch first, each in its world or, with None, in that of the session.

    With a budget, a long run is ended when the budget is spent, and BudgetSpent is raised.
    """

    def __init__(self, pool: SessionPool, aim: Aim, tell: Tell, budget: Budget | None = None) -> None:
        self._pool = pool
        self._aim = aim
        self._budget = budget
        should_stop = never if budget is None else lambda: budget.exhausted is not None
        self._context = JobContext(
            should_stop=should_stop, on_progress=lambda number, events: tell(LongRunAdvanced(number, events))
        )

    def play(self, tasks: Sequence[tuple[Sequence[Event], int | None]]) -> list[Played]:
        """One run of each, in their order."""
        jobs = [PlayEvents(tuple(events), world, self._aim) for events, world in tasks]
        try:
            played = self._pool.map(jobs, self._context)
        except TimeUp:
            if self._budget is not None:
                self._budget.check()
            raise
        if self._budget is not None and any(each.is_stopped for each in played):
            self._budget.check()
        return played
