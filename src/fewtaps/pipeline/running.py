"""The whole way from an app to a report: explores, reduces, replays and slices each crash, makes a suite.

One store and one pool of devices serve all stages. They take turns: exploring pauses between two episodes when a crash
is found, the crash is worked on with all devices, and exploring goes on as if nothing had happened. Everything is in
the store as soon as it is known, so a run that was killed goes on when it is begun again, and does nothing twice.

The suite comes last. Its devices observe the code of each step, which exploring does not pay for, so they are opened
after those of the other stages are closed.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from fewtaps.budget import CutOff
from fewtaps.config import RunSettings
from fewtaps.device.jobs import LaunchApp
from fewtaps.device.pool import SessionPool
from fewtaps.errors import DeviceError, FewtapsError, StoreError, TimeUp
from fewtaps.model.exploration_end import EndKind, ExplorationEnd
from fewtaps.model.slice import Slice
from fewtaps.pipeline.cases import Case
from fewtaps.pipeline.crash_queue import MOST_LATE_SECONDS, CrashQueue
from fewtaps.pipeline.exploring import ExplorationDriver, Explored
from fewtaps.pipeline.news import DeviceOpening, ExplorationProgress, ExploringStarted, Tell, ignore
from fewtaps.pipeline.opening import OnDownload, Plan, plan_app
from fewtaps.pipeline.plan_pools import open_plan_pool
from fewtaps.pipeline.resuming import ResumedExploration, open_next_part
from fewtaps.pipeline.run_suites import RunSuites, SuiteOfRun
from fewtaps.pipeline.stall import StallDetector
from fewtaps.pipeline.time_shares import TimeShares
from fewtaps.pipeline.time_spent import RunStage, StageClock, StageTime
from fewtaps.pipeline.usage_log import UsageLog
from fewtaps.store.database import Store

log = logging.getLogger(__name__)

CLOSING_SECONDS = 2.0
"""Seconds in which the devices of the suite are closed after its time."""

TIME_IS_UP = ExplorationEnd(EndKind.TIME_UP)
INTERRUPTED = ExplorationEnd(EndKind.INTERRUPTED)


@dataclass(frozen=True, slots=True)
class Ran:
    """A run at its end: why exploring ended, and what has become of each crash. `seconds` is what all of it took.

    `stages` says where they went.

    `failure` is what ended it early: a device that could not be replaced. `is_interrupted` says that the user
    did. `suite` is None if none was asked for, or the run ended before its turn. `slices` are those of the crashes,
    by their fingerprints.
    """

    explored: Explored
    cases: tuple[Case, ...]
    seconds: float
    is_interrupted: bool = False
    failure: FewtapsError | None = None
    suite: SuiteOfRun | None = None
    slices: Mapping[str, Slice] = field(default_factory=dict, hash=False)
    stages: tuple[StageTime, ...] = ()

    @property
    def folder(self) -> Path:
        """The project's folder."""
        return self.explored.folder


def run_app(name: str, settings: RunSettings, tell: Tell = ignore, progress: OnDownload | None = None) -> Ran:
    """Explores, reduces, replays and makes a suite until all is done or the time is up.

    It goes on from what the folder holds.

    Raises UsageError for a folder that belongs to another app, and what the devices raise if nothing could be played.
    """
    began = time.monotonic()
    plan = plan_app(name, settings.device)
    with open_next_part(plan, settings.exploring) as (store, resumed):
        held = resumed.settings
        plan = plan if held.device == plan.device else plan_app(name, held.device)
        run = _AppRun(plan, settings, store, resumed, tell, began)
        size, width = held.jobs or 1, held.episodes_ahead
        with open_plan_pool(
            plan, size=size, width=width, progress=progress, cut_off=run.cut_off, on_work=run.stages.worked
        ) as pool:
            run.find_crashes(pool)
        if settings.makes_suite:
            run.make_suite(progress)
        return run.ended()


@dataclass(frozen=True, slots=True)
class _Explore:
    """Explore until a crash is urgent, or there is a reason to stop."""


@dataclass(frozen=True, slots=True)
class _WorkOn:
    """Work on a crash for so long at most; with `is_last`, there will be no more time for it."""

    case: Case
    seconds: float
    is_last: bool = False


_Task: TypeAlias = _Explore | _WorkOn


class _AppRun:
    """One run: from where the store is to the end of the time, or of what there is to do."""

    def __init__(
        self,
        plan: Plan,
        settings: RunSettings,
        store: Store,
        resumed: ResumedExploration,
        tell: Tell,
        began: float,
    ) -> None:
        self._tell = tell
        gone = time.monotonic() - began
        self._shares = TimeShares(settings.minutes * 60, makes_suite=settings.makes_suite, gone=gone)
        self.cut_off = CutOff()
        self._usage = UsageLog(store, resumed.run, self._shares)
        self._driver = ExplorationDriver(plan, resumed, store, tell)
        self.stages = StageClock(gone=gone)
        jobs = resumed.settings.jobs or 1
        self._crashes = CrashQueue(plan, settings, store, jobs, self.stages, tell, self._usage.note)
        # Without coverage a stall cannot be told from progress.
        self._stall = StallDetector(0 if plan.session.coverage == "off" else settings.patience)
        growth = store.runs.growth()
        self._stall.remember(growth)
        self._events_elsewhere = (growth[-1].events if growth else 0) - self._driver.progress.events
        self._end = INTERRUPTED
        self._suites = RunSuites(plan, resumed.settings, store)
        self._suite: SuiteOfRun | None = None
        self._is_interrupted = False
        self._failure: DeviceError | StoreError | None = None

    def find_crashes(self, pool: SessionPool) -> None:
        """Does one task after the other until there is nothing left to do, or no time."""
        try:
            for task in self._tasks():
                self._do(task, pool)
        except KeyboardInterrupt:
            self._is_interrupted = True
        except DeviceError as error:
            if self._driver.progress.episodes == 0:
                raise
            self._failure = error

    def make_suite(self, progress: OnDownload | None) -> None:
        """Makes the suite in the time that is left, unless it is made or the run was ended."""
        if self._is_interrupted or self._failure is not None:
            return
        cases = self._crashes.read()
        if self._suites.is_made(cases):
            self._suite = self._suites.found()
            return
        self._shares.start()
        seconds = self._shares.for_suite
        if not seconds:
            self._suite = self._suites.found("the time is up")
            return
        try:
            with self.stages.during(RunStage.SUITE):
                until = time.monotonic() + seconds - CLOSING_SECONDS
                self._suite = self._suites.make(cases, until, self._tell, progress)
        except KeyboardInterrupt:
            self._is_interrupted = True
        except StoreError as error:
            self._failure = error

    def ended(self) -> Ran:
        """The run at its end."""
        # A store that cannot take the time must not hide what was found.
        with suppress(StoreError):
            self._usage.note_now()
        explored, cases = self._driver.explored(self._end), self._crashes.read()
        slices = self._crashes.slices(cases)
        seconds, stages = self._shares.spent, self.stages.times()
        return Ran(explored, cases, seconds, self._is_interrupted, self._failure, self._suite, slices, stages)

    def _tasks(self) -> Iterator[_Task]:
        """What to do next, decided by the store and the clock when it is asked for."""
        while (end := self._driver.end) is None:
            if not self._must_pause():
                yield _Explore()
            elif self._crashes.urgent:
                for case in self._crashes.take_urgent():
                    yield _WorkOn(case, self._shares.for_new_crash())
            elif self._stall.is_stalled:
                end = ExplorationEnd(EndKind.NOTHING_NEW, self._stall.quiet_events)
                break
            else:
                had_work = False
                for task in self._waiting(keep=True):
                    had_work = True
                    yield task
                if not had_work or not self._shares.may_explore(self._crashes.waiting):
                    end = TIME_IS_UP
                    break
        self._end = end
        self._driver.finish(end)
        yield from self._waiting(keep=False)

    def _must_pause(self) -> bool:
        """Whether exploring has to wait, or to end."""
        if self._stall.is_stalled or not self._shares.may_explore(self._crashes.waiting):
            return True
        return bool(self._crashes.urgent) and self._shares.may_interrupt

    def _waiting(self, *, keep: bool) -> Iterator[_WorkOn]:
        """The crashes that wait, those that are suspect last, each with its part of the time that is left.

        With `keep`, the time that is kept for the end is not shared out; without it, this is the end.
        """
        waiting = self._crashes.in_order(with_slices=not keep)
        for number, case in enumerate(waiting):
            seconds = self._shares.for_waiting(len(waiting) - number, keep=keep)
            yield _WorkOn(case, seconds, is_last=not keep)

    def _do(self, task: _Task, pool: SessionPool) -> None:
        try:
            match task:
                case _Explore():
                    self._open(pool)
                    self._wait_until(self._shares.for_exploring)
                    with self.stages.during(RunStage.EXPLORING):
                        self._explore(pool)
                case _WorkOn(case, seconds, is_last):
                    least = self._shares.least_for_slow if case.row.crash.is_slow else 0
                    if seconds > least:
                        self._open(pool)
                        self._wait_until(min(seconds + MOST_LATE_SECONDS, self._shares.left))
                        self._work_on(case, seconds, is_last, pool)
        except TimeUp:
            # What was under way is done by the next run.
            log.info("the time was up before a device answered")

    def _wait_until(self, seconds: float) -> None:
        """Chooses how long devices are waited for."""
        self.cut_off.set(time.monotonic() + seconds)

    def _explore(self, pool: SessionPool) -> None:
        """Episode after episode: played, kept, told; the queue takes the crashes."""
        self._tell(ExploringStarted(self._shares.spent, self._shares.whole))
        with closing(self._driver.outcomes(pool, self._must_pause, lambda: self._shares.is_late)) as outcomes:
            for outcome in outcomes:
                kept = self._driver.keep(outcome)
                self._usage.note()
                self._crashes.notice(kept.episode)
                if self._crashes.urgent:
                    self._shares.unsliced = self._crashes.unsliced
                self._note_growth(kept.progress)
                self._tell(kept)

    def _note_growth(self, progress: ExplorationProgress) -> None:
        events, found = self._events_elsewhere + progress.events, progress.crashes + progress.suspects
        self._stall.note(events, progress.lines, progress.branches, found)

    def _work_on(self, case: Case, seconds: float, is_last: bool, pool: SessionPool) -> None:
        before = self._shares.spent
        self._crashes.work_on(pool, case, seconds, is_last=is_last)
        self._shares.spend_on_crash(self._shares.spent - before)
        self._usage.note()

    def _open(self, pool: SessionPool) -> None:
        """Opens a device if none is, and notes how long that took.

        The first launch is part of it: only then is the app's code loaded. If it fails, exploring finds out why.
        """
        if not self._shares.is_started:
            self._wait_until(self._shares.left)
            self._tell(DeviceOpening())
            began = time.monotonic()
            with self.stages.during(RunStage.STARTING), suppress(DeviceError):
                pool.ask(LaunchApp())
            self._shares.start(time.monotonic() - began)
