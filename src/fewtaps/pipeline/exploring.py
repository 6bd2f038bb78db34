"""Explores an app: plans become jobs, jobs become outcomes, outcomes go into the store and are learned from.

Every episode is kept in one transaction before the next is planned, so a program that is killed loses at most the
episodes under way. The episodes that were kept are all that is needed to go on: an exploration that was interrupted and
resumed learns the same from the same episodes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from fewtaps.budget import CutOff
from fewtaps.config import ExploreSettings
from fewtaps.device.jobs import InspectApp, JobContext, StopSignal, never
from fewtaps.device.pool import SessionPool
from fewtaps.device.session import unusual
from fewtaps.errors import DeviceLost
from fewtaps.explore.episode_plan import EpisodePlan
from fewtaps.explore.jobs import EpisodeOutcome, RunEpisode
from fewtaps.model.app import AppRef
from fewtaps.model.coverage import ProbeTotals
from fewtaps.model.crash import Crash
from fewtaps.model.ending import Ending
from fewtaps.model.episode import Episode, EpisodeEnd
from fewtaps.model.event import Launch
from fewtaps.model.exploration_end import EndKind, ExplorationEnd
from fewtaps.model.trace import Step, Trace
from fewtaps.pipeline.news import (
    AppOpened,
    CrashFound,
    EpisodeFailed,
    EpisodeKept,
    ExplorationProgress,
    PictureTaken,
    PreludeMissed,
    StepSeen,
    Tell,
    ignore,
)
from fewtaps.pipeline.opening import OnDownload, Plan, plan_app
from fewtaps.pipeline.plan_pools import open_plan_pool
from fewtaps.pipeline.resuming import ResumedExploration, open_exploration
from fewtaps.replay import aim
from fewtaps.store.database import Store

MOST_LATE_SECONDS = 2.0
"""Seconds after the limit in which the event that is under way may still end."""

FAILURES_IN_A_ROW = 5
"""Failed episodes after which the exploration ends with an error."""


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
        """The package of the app that was explored."""
        return self.app.package


def explore_app(
    name: str, settings: ExploreSettings, tell: Tell = ignore, progress: OnDownload | None = None
) -> Explored:
    """Explores until a limit is reached or nothing is left to find out, and keeps every episode in the folder's store.

    Raises UsageError for a folder that belongs to another app, and what the devices raise when none of them works.
    """
    plan = plan_app(name, settings.device)
    with open_exploration(plan, settings) as (store, resumed):
        device = resumed.settings.device
        plan = plan if device == plan.device else plan_app(name, device)
        driver = ExplorationDriver(plan, resumed, store, tell)
        held = resumed.settings
        size, width, cut_off = held.jobs or 1, held.episodes_ahead, CutOff()
        with open_plan_pool(plan, size=size, width=width, progress=progress, cut_off=cut_off) as pool:
            return driver.explore(pool, cut_off)


class ExplorationDriver:
    """One part of an exploration: from where the store is to a limit. It can pause between two episodes."""

    def __init__(self, plan: Plan, resumed: ResumedExploration, store: Store, tell: Tell = ignore) -> None:
        self._plan = plan
        self._settings = resumed.settings
        self._width = resumed.settings.episodes_ahead
        self._notes = resumed.notes
        self._store = store
        self._run = run = resumed.run
        self._exploration = resumed.exploration
        self._tell = tell
        self._worked = 0.0
        self._began: float | None = None
        self._is_open = False
        self._known = {row.crash.signature for row in store.runs.crashes()}
        self._found = {row.crash.signature: row.crash for row in store.runs.crashes(run)}
        self._new: list[Crash] = []
        spent = store.runs.totals(run)
        self._seconds_before = spent.seconds
        self._episodes = spent.episodes
        self._events_before = self._events = spent.events
        self._plans = self._exploration.episode_plans()
        self._put_off: list[EpisodePlan] = []
        self._next = store.runs.next_number(run)
        self._played: dict[int, EpisodeOutcome] = {}
        """Outcomes that wait for those of earlier episodes, by number."""
        self._is_pausing = False
        self._reserved = 0
        self._under_way = 0
        self._failures_in_a_row = 0
        kept = store.runs.load_probe_map(plan.app.ref, plan.session.coverage)
        self._totals: ProbeTotals | None = None if kept is None else kept.totals
        self._has_kept_probes = kept is not None
        self._has_said_misfit = False

    def explore(self, pool: SessionPool, cut_off: CutOff) -> Explored:
        """Episode after episode, until there is a reason to stop. The time begins when the first device is there."""
        self._open(pool)
        if self._settings.limits.seconds is not None:
            cut_off.set(time.monotonic() + self._settings.limits.seconds + MOST_LATE_SECONDS)
        with closing(self.outcomes(pool)) as outcomes:
            for outcome in outcomes:
                self._tell(self.keep(outcome))
        end = self.end
        assert end is not None, "no pause was asked for"
        return self.finish(end)

    def outcomes(
        self, pool: SessionPool, pause: Callable[[], bool] = never, hurry: StopSignal = never
    ) -> Generator[EpisodeOutcome, None, None]:
        """Plays episode after episode and yields each outcome, which is to be kept before the next is asked for.

        Ends when there is a reason to stop, or when `pause` says so. `pause` is asked before each plan; the episodes
        begun by then are played to their end. Those planned and not begun are played first after the pause, so that the
        exploration goes on as if there had been none. After a reason to stop it cannot. `hurry` is asked before each
        event, by the threads of the devices too, and ends episodes where they are.
        """
        self._open(pool)
        self._began = time.monotonic()
        context = JobContext(
            should_stop=lambda: hurry() or self._is_time_up,
            is_paused=lambda: self._is_pausing,
            on_step=lambda step: self._tell(StepSeen(step)),
            on_picture=lambda png: self._tell(PictureTaken(png)),
        )
        self._is_pausing = False
        try:
            while self.end is None and not pause():
                # Events that episodes under way may still need are set aside; if they end earlier, others get them.
                with closing(pool.stream(self._jobs(pause), width=self._width, context=context)) as answers:
                    for outcome in answers:
                        if outcome.put_off is not None:
                            self._put_off_plan(outcome.put_off, outcome.allowed)
                            continue
                        self._played[outcome.number] = outcome
                        yield from self._in_turn()
                        if self.end is not None:
                            return
                        # Also asked here: no plan may be drawn any more while planned episodes still wait.
                        self._must_pause(pause)
        finally:
            self._worked = self.seconds
            self._began = None

    def _in_turn(self) -> Iterator[EpisodeOutcome]:
        """The outcomes that can be kept: those without a gap before them.

        A device that is just being opened may put its episode off while another plays the next one.
        """
        while self._next in self._played:
            self._next += 1
            yield self._played.pop(self._next - 1)
            if self.end is not None:
                return

    def finish(self, end: ExplorationEnd) -> Explored:
        """Says in the store that the exploration has ended, and why."""
        self._store.runs.finish(self._run, end)
        return self.explored(end)

    def explored(self, end: ExplorationEnd) -> Explored:
        """What there is so far, and why there is no more."""
        self._exploration.learn_the_rest()
        return Explored(self._settings.folder, self._plan.app.ref, end, self.progress, tuple(self._new))

    @property
    def seconds(self) -> float:
        """How long this part has been at work, pauses left out."""
        return self._worked + (0.0 if self._began is None else time.monotonic() - self._began)

    @property
    def _is_time_up(self) -> bool:
        seconds = self._settings.limits.seconds
        return seconds is not None and self.seconds >= seconds

    def _jobs(self, pause: Callable[[], bool]) -> Iterator[RunEpisode]:
        """The next episodes and how many events each may take, as long as there are events left.

        An episode may take all that its plan and the limit allow after every episode before it. Where that is not known
        yet, because episodes under way may need the same events, the plan waits until they have ended. So the limit
        changes nothing but where an exploration ends.
        """
        limit = self._settings.limits.events
        while not self._must_pause(pause):
            left = None if limit is None else limit - self._events - self._reserved
            plan = self._next_plan() if left is None or left > 0 else None
            if plan is None:
                return
            most = 1 + len(plan.way) + plan.max_events
            if left is not None and left < most and self._under_way:
                self._put_off.append(plan)
                return
            allowed = None if left is None else min(left, most)
            self._reserved += allowed or 0
            self._under_way += 1
            yield RunEpisode(plan, allowed)

    def _must_pause(self, pause: Callable[[], bool]) -> bool:
        """Asks `pause`; after a yes, the devices begin no episode of those that are planned."""
        self._is_pausing = self._is_pausing or pause()
        return self._is_pausing

    def _put_off_plan(self, plan: EpisodePlan, allowed: int | None) -> None:
        """Takes the plan of an episode back that was not begun."""
        self._reserved -= allowed or 0
        self._under_way -= 1
        self._put_off.append(plan)

    def _next_plan(self) -> EpisodePlan | None:
        """The plan with the lowest number among those that were put off, else a new one."""
        if not self._put_off:
            return next(self._plans, None)
        self._put_off.sort(key=lambda plan: plan.number, reverse=True)
        return self._put_off.pop()

    def _open(self, pool: SessionPool) -> None:
        """Asks the first session what the app is like, once."""
        if self._is_open:
            return
        facts = pool.ask(InspectApp())
        self._is_open = True
        if facts.probes is not None:
            self._totals = facts.probes.totals
            if not self._has_kept_probes:
                self._store.runs.save_probe_map(self._plan.app.ref, self._plan.session.coverage, facts.probes)
                self._has_kept_probes = True
        self._tell(AppOpened((*self._notes, *facts.notes), self.progress))

    def keep(self, outcome: EpisodeOutcome) -> EpisodeKept:
        """Puts an outcome into the store, learns from it, and tells of new crashes and failures."""
        self._reserved -= outcome.allowed or 0
        self._under_way -= 1
        episode = outcome.episode or self._failed(outcome)
        self._store.runs.add_episode(self._run, episode, seconds=self._seconds_before + self.seconds)
        self._exploration.absorb(episode)
        self._episodes += 1
        self._events += episode.events
        self._note_crashes(episode)
        self._note_failure(outcome)
        self._note_prelude(episode)
        return EpisodeKept(episode, self.progress)

    def _failed(self, outcome: EpisodeOutcome) -> Episode:
        """Stands for an episode that no device could carry out, so that no number is missing."""
        step = Step(Launch(outcome.phone), ending=Ending.LOST, notes=(outcome.error,))
        profile = self._plan.session.profile
        session = unusual(self._plan.session)
        trace = Trace(self._plan.app.ref, (step,), outcome.world, profile.name, profile.screen, session)
        return Episode(outcome.number, trace, reached=False, end=EpisodeEnd.DEVICE_FAILED, detail=outcome.error)

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
                self._tell(CrashFound(step.crash, episode))

    def _note_failure(self, outcome: EpisodeOutcome) -> None:
        if outcome.error:
            self._tell(EpisodeFailed(outcome.number, outcome.error))
        if outcome.episode is not None:
            self._failures_in_a_row = 0
            return
        self._failures_in_a_row += 1
        if self._failures_in_a_row >= FAILURES_IN_A_ROW:
            raise DeviceLost(f"{FAILURES_IN_A_ROW} episodes in a row failed, the last one so: {outcome.error}")

    def _note_prelude(self, episode: Episode) -> None:
        """Says once that the prelude does not fit the app: everything after it would be explored in the wrong place."""
        if self._has_said_misfit:
            return
        played = self._exploration.prelude[: episode.replayed]
        for number, (event, before) in enumerate(zip(played, episode.trace.steps, strict=False), 1):
            _, missed = aim(event, before.after)
            if missed:
                self._has_said_misfit = True
                self._tell(PreludeMissed(number, missed[0]))
                return

    @property
    def end(self) -> ExplorationEnd | None:
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
        """What was seen so far, earlier parts of the exploration included."""
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
