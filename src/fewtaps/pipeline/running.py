"""The whole way from an app to a report: explores, reduces each crash as it appears, replays it for its rate.

One store and one pool of devices serve all stages. They take turns: exploring pauses between two episodes when a crash
is found, the crash is worked on with all devices, and exploring goes on as if nothing had happened. Everything is in
the store as soon as it is known, so a run that was killed goes on when it is begun again, and does nothing twice.

Two stages are still to come: the slice of a crash, after its replays in `casework`, and a regression suite of what was
explored, after the last crash.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from fewtaps.config import RunSettings
from fewtaps.device.pool import SessionPool, open_pool
from fewtaps.errors import DeviceError, FewtapsError, StoreError
from fewtaps.model.episode import Episode
from fewtaps.model.exploration_end import EndKind, ExplorationEnd
from fewtaps.model.result import ReductionProgress as RunProgress
from fewtaps.model.trace import Ending
from fewtaps.pipeline.cases import Case
from fewtaps.pipeline.crash_queue import CaseWatcher, CrashQueue
from fewtaps.pipeline.exploring import TRIES, ExplorationDriver, ExplorationProgress, Explored, Watcher
from fewtaps.pipeline.opening import OnDownload, Plan, open_session, plan_app
from fewtaps.pipeline.resuming import ResumedExploration, open_next_part
from fewtaps.pipeline.stall import StallDetector
from fewtaps.pipeline.time_shares import TimeShares
from fewtaps.pipeline.usage_log import UsageLog
from fewtaps.store.database import Store

TIME_IS_UP = ExplorationEnd(EndKind.TIME_UP)
INTERRUPTED = ExplorationEnd(EndKind.INTERRUPTED)


class RunWatcher(Watcher, CaseWatcher):
    """Hears of a run as it goes on; every method may be left as it is."""

    def opening(self) -> None:
        """The first device is opened; the time has not begun."""

    def exploring(self, shares: TimeShares) -> None:
        """Exploring begins or goes on."""


@dataclass(frozen=True, slots=True)
class Ran:
    """A run at its end: why exploring ended, and what has become of each crash. `seconds` is what all of it took.

    `spent` is the part of them that counts: without the start of the first device.

    `failure` is what ended it early: a device that could not be replaced. `is_interrupted` says that somebody did.
    """

    explored: Explored
    cases: tuple[Case, ...]
    seconds: float
    spent: float
    is_interrupted: bool = False
    failure: FewtapsError | None = None

    @property
    def folder(self) -> Path:
        """The project."""
        return self.explored.folder


def run_app(
    name: str, settings: RunSettings, watcher: RunWatcher | None = None, progress: OnDownload | None = None
) -> Ran:
    """Explores, reduces and replays until all is done or the time is up, and goes on from what the folder holds.

    Raises UsageError for a folder that belongs to another app, and what the devices raise if nothing could be played.
    """
    plan = plan_app(name, settings.device)
    with open_next_part(plan, settings.exploring) as (store, resumed):
        held = resumed.settings
        plan = plan if held.device == plan.device else plan_app(name, held.device)
        run = _Run(plan, settings, store, resumed, watcher or RunWatcher())
        with open_pool(lambda: open_session(plan, progress), size=held.jobs or 1, tries=TRIES) as pool:
            return run.run(pool)


class _Ears(Watcher):
    """Passes on what exploring tells, and hears of each episode itself."""

    def __init__(self, watcher: Watcher, hear: Callable[[Episode, ExplorationProgress], None]) -> None:
        self._hear = hear
        self.begun = watcher.begun  # type: ignore[method-assign]
        self.step = watcher.step  # type: ignore[method-assign]
        self.crash = watcher.crash  # type: ignore[method-assign]
        self.trouble = watcher.trouble  # type: ignore[method-assign]
        self._tell = watcher.episode

    def episode(self, episode: Episode, progress: ExplorationProgress) -> None:
        """Heard here before it is passed on."""
        self._hear(episode, progress)
        self._tell(episode, progress)


class _CaseEars(CaseWatcher):
    """Passes on what the work on crashes tells, and hears itself that something was played."""

    def __init__(self, watcher: CaseWatcher, hear: Callable[[], None]) -> None:
        self._hear = hear
        self._tell_run, self._tell_replaying = watcher.run, watcher.replaying
        for name in dir(CaseWatcher):
            if not name.startswith("_") and name not in vars(_CaseEars):
                setattr(self, name, getattr(watcher, name))

    def run(self, progress: RunProgress) -> None:
        """Heard here before it is passed on."""
        self._hear()
        self._tell_run(progress)

    def replaying(self, case: Case, met: int, runs: int, worlds: int) -> None:
        """Heard here before it is passed on."""
        self._hear()
        self._tell_replaying(case, met, runs, worlds)


class _Run:
    """One run: from where the store is to the end of the time, or of what there is to do."""

    def __init__(
        self, plan: Plan, settings: RunSettings, store: Store, resumed: ResumedExploration, watcher: RunWatcher
    ) -> None:
        self._watcher = watcher
        self._shares = TimeShares(settings.minutes * 60)
        self._part = ExplorationDriver(plan, resumed, store, _Ears(watcher, self._hear))
        self._time = UsageLog(store, resumed.run, self._shares)
        ears = _CaseEars(watcher, self._time.note)
        self._cases = CrashQueue(plan, settings, store, ears, resumed.settings.jobs or 1)
        # Without coverage there is no telling whether an app still shows something new.
        self._stall = StallDetector(0 if plan.session.coverage == "off" else settings.patience)
        growth = store.runs.growth()
        self._stall.remember(growth)
        self._events_elsewhere = (growth[-1].events if growth else 0) - self._part.progress.events

    def run(self, pool: SessionPool) -> Ran:
        """All stages, until there is nothing left to do, or no time."""
        began = time.monotonic()
        reason, is_interrupted, failure = INTERRUPTED, False, None
        try:
            reason = self._explore(pool)
            self._part.finish(reason)
            self._work_off(pool, keep=False)
        except KeyboardInterrupt:
            is_interrupted = True
        except DeviceError as error:
            if self._part.progress.episodes == 0:
                raise
            failure = error
        seconds = time.monotonic() - began
        # How long it took is no reason to lose what was found.
        with suppress(StoreError):
            self._time.note_now()
        spent = self._shares.spent
        return Ran(self._part.explored(reason), self._cases.read(), seconds, spent, is_interrupted, failure)

    def _hear(self, episode: Episode, progress: ExplorationProgress) -> None:
        self._time.note()
        found = progress.crashes + progress.suspects
        self._stall.note(self._events_elsewhere + progress.events, progress.lines, progress.branches, found)
        for step in episode.trace.steps:
            if step.crash is not None and step.ending is not Ending.LOST:
                self._cases.notice(step.crash)

    def _explore(self, pool: SessionPool) -> ExplorationEnd:
        """Explores, with breaks for crashes; gives the reason why there is no more of it."""
        while (reason := self._part.reason) is None:
            if not self._pause():
                self._open(pool)
                self._watcher.exploring(self._shares)
                reason = self._part.go_on(pool, self._pause, lambda: self._shares.is_late)
                if reason is not None:
                    return reason
            if self._cases.urgent:
                for case in self._cases.take_urgent():
                    self._work_on(pool, case, self._shares.for_new_crash())
            elif self._stall.is_over:
                return ExplorationEnd(EndKind.NOTHING_NEW, self._stall.quiet_events)
            elif not self._work_off(pool, keep=True) or not self._shares.may_explore(self._cases.waiting):
                return TIME_IS_UP
        return reason

    def _pause(self) -> bool:
        """Whether exploring has to wait, or to end."""
        if self._stall.is_over or not self._shares.may_explore(self._cases.waiting):
            return True
        return bool(self._cases.urgent) and self._shares.may_interrupt

    def _work_off(self, pool: SessionPool, *, keep: bool) -> bool:
        """Works on the crashes that wait, those that are suspect last; False if there were none.

        Each gets its part of the time that is left; with `keep`, not of that which is kept for the end.
        """
        waiting = self._cases.in_order()
        for number, case in enumerate(waiting):
            self._work_on(pool, case, self._shares.for_waiting(len(waiting) - number, keep=keep), is_last=not keep)
        return bool(waiting)

    def _work_on(self, pool: SessionPool, case: Case, seconds: float, *, is_last: bool = False) -> None:
        if seconds <= (self._shares.least_for_slow if case.row.crash.is_slow else 0):
            return
        self._open(pool)
        before = self._shares.spent
        self._cases.work_on(pool, case, seconds, is_last=is_last)
        self._shares.spend_on_crash(self._shares.spent - before)
        self._time.note()

    def _open(self, pool: SessionPool) -> None:
        """Opens a device if none is, and lets the clock run: what starting one takes is not taken from the app.

        The first launch is part of it: only then is the app's code loaded. If it fails, exploring finds out why.
        """
        if not self._shares.is_started:
            self._watcher.opening()
            with suppress(DeviceError):
                pool.map(lambda session, _: session.launch(), [None])
            self._shares.start()
