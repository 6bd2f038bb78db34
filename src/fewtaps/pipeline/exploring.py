"""Explores an app: devices, strategy and store together, one episode at a time.

Every episode is kept in one transaction before the next is learned from, so whatever ends the program loses at most the
episodes that are under way. What was kept is all that is needed to go on: an exploration that was interrupted and
resumed learns the same from the same episodes.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from fewtaps.config import ExploreSettings
from fewtaps.device.pool import SessionPool, lead_of, open_pool
from fewtaps.device.session import Capability, Session
from fewtaps.errors import BridgeError, DeviceLost, DeviceTimeout
from fewtaps.explore.episode_plan import EpisodePlan
from fewtaps.explore.loop import run_episode
from fewtaps.model import words
from fewtaps.model.app import AppRef
from fewtaps.model.coverage import ProbeMap, ProbeTotals
from fewtaps.model.crash import Crash
from fewtaps.model.episode import Episode, EpisodeEnd
from fewtaps.model.event import Launch
from fewtaps.model.exploration_end import EndKind, ExplorationEnd
from fewtaps.model.trace import Ending, Step, Trace
from fewtaps.pipeline.opening import OnDownload, Plan, open_session, plan_app
from fewtaps.pipeline.resuming import ResumedExploration, open_exploration
from fewtaps.replay import aim
from fewtaps.store.database import Store

TRIES = 3
FAILURES_IN_A_ROW = 5
ENOUGH_EVENTS = 60
"""New events that are worth a way back, when there are few left to be shared."""


@dataclass(frozen=True, slots=True)
class ExplorationProgress:
    """How far an exploration is. `events` and `episodes` count those of earlier parts too, `seconds` only this part."""

    seconds: float
    events: int
    events_now: int
    episodes: int
    states: int
    activities: int
    activities_declared: int
    branches: int
    lines: int
    totals: ProbeTotals | None
    crashes: int
    suspects: int

    @property
    def events_per_second(self) -> float:
        """Events of this part by its time."""
        return self.events_now / self.seconds if self.seconds > 0 else 0.0


class Watcher:
    """Hears of an exploration as it goes on; every method may be left as it is.

    `begun` and `step` are called from the threads of the devices, the others from the thread that explores.
    """

    def begun(self, notes: tuple[str, ...], progress: ExplorationProgress) -> None:
        """The app is open; the progress is that of earlier parts."""

    def step(self, step: Step) -> None:
        """Something happened on some device."""

    def episode(self, episode: Episode, progress: ExplorationProgress) -> None:
        """An episode has been kept."""

    def crash(self, crash: Crash, episode: Episode) -> None:
        """A crash was seen for the first time in this project."""

    def trouble(self, words: str) -> None:
        """A device failed, or the prelude does not fit; exploration goes on."""


@dataclass(frozen=True, slots=True)
class Explored:
    """An exploration at its end: why it ended, and how far it came; `new` are the crashes that this part found."""

    folder: Path
    app: AppRef
    end: ExplorationEnd
    progress: ExplorationProgress
    new: tuple[Crash, ...]

    @property
    def package(self) -> str:
        """The app's name."""
        return self.app.package


def explore_app(
    name: str, settings: ExploreSettings, watcher: Watcher | None = None, progress: OnDownload | None = None
) -> Explored:
    """Explores until a limit is reached or nothing is left to find out, and keeps every episode in the folder's store.

    Raises UsageError for a folder that belongs to another app, and what the devices raise when none of them works.
    """
    plan = plan_app(name, settings.device)
    with open_exploration(plan, settings) as (store, resumed):
        device = resumed.settings.device
        plan = plan if device == plan.device else plan_app(name, device)
        part = ExplorationDriver(plan, resumed, store, watcher or Watcher())
        with open_pool(lambda: open_session(plan, progress), size=resumed.settings.jobs or 1, tries=TRIES) as pool:
            return part.explore(pool)


def never() -> bool:
    """No pause is wanted."""
    return False


class ExplorationDriver:
    """One part of an exploration: from where the store is to a limit. It can pause between two episodes."""

    def __init__(self, plan: Plan, resumed: ResumedExploration, store: Store, watcher: Watcher) -> None:
        self._plan = plan
        self._settings = resumed.settings
        self._store = store
        self._run = run = resumed.run
        self._exploration = resumed.exploration
        self._watcher = watcher
        self._worked = 0.0
        self._began: float | None = None
        self._pause: Callable[[], bool] = never
        self._hurry: Callable[[], bool] = never
        self._known = {row.crash.signature for row in store.runs.crashes()}
        self._found = {row.crash.signature: row.crash for row in store.runs.crashes(run)}
        self._new: list[Crash] = []
        spent = store.runs.totals(run)
        self._seconds_before = spent.seconds
        self._episodes = spent.episodes
        self._events_before = self._events = spent.events
        self._reserved = 0
        self._under_way = 0
        self._failures: Counter[int] = Counter()
        self._failures_in_a_row = 0
        self._inspection = threading.Lock()
        self._notes: tuple[str, ...] | None = None
        self._probes: ProbeMap | None = None
        kept = store.runs.load_probe_map(plan.app.ref, plan.session.coverage)
        self._totals: ProbeTotals | None = None if kept is None else kept.totals
        self._has_kept_probes = kept is not None
        self._has_said_misfit = False

    def explore(self, pool: SessionPool) -> Explored:
        """Episode after episode, until there is a reason to stop. The time begins when the first device is there."""
        reason = self.go_on(pool)
        assert reason is not None, "nobody asked for a pause"
        return self.finish(reason)

    def go_on(
        self, pool: SessionPool, pause: Callable[[], bool] = never, hurry: Callable[[], bool] = never
    ) -> ExplorationEnd | None:
        """Episode after episode, until there is a reason to stop; None if a pause was asked for.

        `pause` is asked before each episode; those that are under way then are awaited and kept, so that the
        exploration can go on afterwards as if there had been no pause. After a reason to stop it cannot. `hurry` is
        asked before each event, by the threads of the devices too, and ends episodes where they are.
        """
        self._pause, self._hurry = pause, hurry
        self._began = None if self._notes is None else time.monotonic()
        try:
            while (reason := self.reason) is None and not pause():
                # What plans under way may still need is set aside; if they end earlier, there is room for more.
                for episode in pool.stream(self._work(pool), self._episode_plans()):
                    self._keep(episode)
                    if (reason := self.reason) is not None:
                        return reason
            return reason
        finally:
            self._worked = self.seconds
            self._began = None

    def finish(self, reason: ExplorationEnd) -> Explored:
        """Says in the store that the exploration has ended, and why."""
        self._store.runs.finish(self._run, reason)
        return self.explored(reason)

    def explored(self, reason: ExplorationEnd) -> Explored:
        """What there is so far, with a reason why there is no more."""
        self._exploration.learn_the_rest()
        return Explored(self._settings.folder, self._plan.app.ref, reason, self.progress, tuple(self._new))

    @property
    def seconds(self) -> float:
        """How long this part has been at work, pauses left out."""
        return self._worked + (0.0 if self._began is None else time.monotonic() - self._began)

    def _episode_plans(self) -> Iterator[tuple[EpisodePlan, int | None]]:
        """What to do next and how many events it may take, as long as there are events left."""
        limit = self._settings.limits.events
        episode_plans = self._exploration.episode_plans()
        while not self._pause() and (limit is None or self._events + self._reserved < limit):
            episode_plan = next(episode_plans, None)
            if episode_plan is None:
                return
            allowed = None
            if limit is not None:
                allowed = self._share_of(episode_plan, limit - self._events - self._reserved)
                self._reserved += allowed
            self._under_way += 1
            yield episode_plan, allowed

    def _share_of(self, episode_plan: EpisodePlan, left: int) -> int:
        """How many of the events that are left a plan may take: as many as others planned beside it, and enough.

        If the first of them could take all, the others would have to wait until it has ended.
        """
        others = max(lead_of(self._settings.jobs or 1) - self._under_way, 1)
        fair = max(left // others, 1 + len(episode_plan.way) + ENOUGH_EVENTS)
        return min(left, fair, 1 + len(episode_plan.way) + episode_plan.max_events)

    def _work(self, pool: SessionPool) -> Callable[[Session, tuple[EpisodePlan, int | None]], tuple[Episode, int]]:
        def work(session: Session, task: tuple[EpisodePlan, int | None]) -> tuple[Episode, int]:
            episode_plan, allowed = task
            self._inspect(session)
            stop = self._stopper(pool, allowed)
            try:
                return run_episode(session, episode_plan, stop, self._watcher.step), allowed or 0
            except (DeviceLost, DeviceTimeout, BridgeError) as error:
                # Whatever it was, a session that failed so is not to be trusted: the pool opens another.
                self._failures[episode_plan.number] += 1
                if self._failures[episode_plan.number] < TRIES:
                    raise DeviceLost(str(error)) from error
                return self._failed(episode_plan, error), allowed or 0

        return work

    def _stopper(self, pool: SessionPool, allowed: int | None) -> Callable[[], bool]:
        seconds = self._settings.limits.seconds
        spent = 0

        def should_stop() -> bool:
            # Asked before every event but the launch.
            nonlocal spent
            spent += 1
            if pool.is_stopping or (allowed is not None and spent >= allowed) or self._hurry():
                return True
            return seconds is not None and self.seconds >= seconds

        return should_stop

    def _failed(self, episode_plan: EpisodePlan, error: Exception) -> Episode:
        """Stands for an episode that no device could carry out, so that none is missing."""
        step = Step(Launch(), ending=Ending.LOST, notes=(str(error),))
        profile = self._plan.session.profile
        trace = Trace(self._plan.app.ref, (step,), episode_plan.world, profile.name, profile.screen)
        return Episode(episode_plan.number, trace, reached=False, end=EpisodeEnd.DEVICE_FAILED, detail=str(error))

    def _inspect(self, session: Session) -> None:
        """Asks the first session that is open what the app is like; from then on the time counts."""
        with self._inspection:
            if self._notes is None:
                if Capability.COVERAGE in session.capabilities:
                    self._probes = session.probe_map()
                self._notes = session.notes
                self._began = time.monotonic()
                if self._probes is not None:
                    self._totals = self._probes.totals
                self._watcher.begun(self._notes, self.progress)

    def _keep(self, answer: tuple[Episode, int]) -> None:
        episode, allowed = answer
        self._reserved -= allowed
        self._under_way -= 1
        if not self._has_kept_probes and self._probes is not None:
            self._store.runs.save_probe_map(self._plan.app.ref, self._plan.session.coverage, self._probes)
            self._has_kept_probes = True
        self._store.runs.add_episode(self._run, episode, seconds=self._seconds_before + self.seconds)
        self._exploration.absorb(episode)
        self._episodes += 1
        self._events += episode.events
        self._note_crashes(episode)
        self._note_failure(episode)
        self._note_prelude(episode)
        self._watcher.episode(episode, self.progress)

    def _note_crashes(self, episode: Episode) -> None:
        for step in episode.trace.steps:
            if step.crash is None or step.ending is Ending.LOST:
                continue
            signature = step.crash.signature
            if signature not in self._found or step.crash.suspect is None:
                self._found[signature] = step.crash
            if signature not in self._known:
                self._known.add(signature)
                self._new.append(step.crash)
                self._watcher.crash(step.crash, episode)

    def _note_failure(self, episode: Episode) -> None:
        if episode.end is not EpisodeEnd.DEVICE_FAILED:
            self._failures_in_a_row = 0
            return
        self._failures_in_a_row += 1
        told = words.episode_end(episode)
        self._watcher.trouble(told)
        if self._failures_in_a_row >= FAILURES_IN_A_ROW:
            raise DeviceLost(f"{FAILURES_IN_A_ROW} episodes in a row failed, the last one so: {told}")

    def _note_prelude(self, episode: Episode) -> None:
        """Says once that the prelude does not fit the app: everything after it would be explored in the wrong place."""
        if self._has_said_misfit:
            return
        played = self._exploration.prelude[: episode.replayed]
        for number, (event, before) in enumerate(zip(played, episode.trace.steps, strict=False), 1):
            _, missed = aim(event, before.after)
            if missed:
                self._has_said_misfit = True
                self._watcher.trouble(f"the prelude does not fit, step {number}: {missed[0]}")
                return

    @property
    def reason(self) -> ExplorationEnd | None:
        """Why to stop now; None to go on."""
        limits = self._settings.limits
        if self._exploration.finished is not None:
            return self._exploration.finished
        if limits.events is not None and self._events >= limits.events:
            return ExplorationEnd(EndKind.EVENTS_USED, limits.events)
        if limits.crashes is not None and self._crashes() >= limits.crashes:
            return ExplorationEnd(EndKind.CRASHES_FOUND, self._crashes())
        if limits.covered is not None and self._share() >= limits.covered:
            return ExplorationEnd(EndKind.COVERAGE_REACHED, self._share())
        if limits.seconds is not None and self.seconds >= limits.seconds:
            return ExplorationEnd(EndKind.TIME_UP)
        return None

    def _crashes(self) -> int:
        return sum(crash.suspect is None for crash in self._found.values())

    def _share(self) -> float:
        total = self._totals.lines if self._totals is not None else 0
        return 100 * len(self._exploration.knowledge.covered.lines) / total if total else 0.0

    @property
    def progress(self) -> ExplorationProgress:
        """How far it is."""
        seen = self._exploration.seen()
        crashes = self._crashes()
        return ExplorationProgress(
            seconds=self.seconds,
            events=self._events,
            events_now=self._events - self._events_before,
            episodes=self._episodes,
            states=seen.states,
            activities=seen.activities,
            activities_declared=len(self._plan.app.activities),
            branches=len(seen.covered.branches),
            lines=len(seen.covered.lines),
            totals=self._totals,
            crashes=crashes,
            suspects=len(self._found) - crashes,
        )
