"""Who watches a reduction, and the playing that can be watched and ended in the middle of a long run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from fewtaps.budget import Budget
from fewtaps.device.pool import SessionPool
from fewtaps.device.session import Session
from fewtaps.model.event import Event
from fewtaps.model.result import Reduction, ReductionProgress
from fewtaps.model.trace import Step, Trace
from fewtaps.replay import Aim, play

LOOK_UP_EVERY = 256
"""After so many events of a run somebody looks whether it is still wanted."""


class Spectator:
    """Hears of a reduction as it goes on; every method may be left as it is."""

    def remark(self, words: str) -> None:
        """Something about the trace that a person should know."""

    def resumed(self, before: int, after: int, runs: int) -> None:
        """An earlier reduction goes on, which came from so many events to so many in so many runs."""

    def original(self, reduction: Reduction) -> None:
        """The original was played and meets the goal."""

    def checking(self, worlds: int) -> None:
        """The original does not meet the goal, and is now played in so many other worlds."""

    def solving(self, share: float) -> None:
        """The optimal schedule of a flaky reduction has to be solved first; so much of it is done."""

    def playing(self, number: int, events: int) -> None:
        """A long run is at this one of so many events; with several devices, one of the runs."""

    def run(self, progress: ReductionProgress) -> None:
        """One more run."""

    def better(self, reduction: Reduction) -> None:
        """A shorter trace was found, and has been kept."""

    def saved(self, output: Path) -> None:
        """The best so far was written; more may come, or the reduction was ended early."""


class Unwanted(Exception):
    """Nobody waits for this run any more."""


class WatchedPlay:
    """Plays candidates on sessions of a pool. With a budget, a run ends when the time is up, with BudgetSpent."""

    def __init__(
        self, pool: SessionPool, aim: Aim, on_event: Callable[[int, int], None], budget: Budget | None = None
    ) -> None:
        self._pool = pool
        self._aim = aim
        self._on_event = on_event
        self._budget = budget

    def __call__(self, session: Session, events: Sequence[Event], world: int | None) -> Trace:
        """One run, from launch."""

        def look_up(number: int, step: Step) -> None:
            if number % LOOK_UP_EVERY or not number:
                return
            if self._pool.is_stopping:
                raise Unwanted
            self._on_event(number, len(events))
            if self._budget is not None:
                self._budget.check()

        return play(session, events, by=self._aim, world=world, on_step=look_up)
