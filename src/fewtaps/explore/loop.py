"""Carries a plan out: launch, the way back, then choose and perform until there is a reason to stop."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from fewtaps.device.jobs import OnPicture, OnWork, Work, ignore_picture, ignore_work
from fewtaps.device.session import (
    Capability,
    Session,
    execution_recorder,
    moment_keeper,
    screenshot_taker,
    unusual,
    world_for,
)
from fewtaps.errors import BridgeError, DeviceError, DeviceLost, DeviceTimeout, TimeUp, Unsupported
from fewtaps.explore.episode_plan import EpisodePlan
from fewtaps.explore.knowledge import EpisodeTracker, has_window
from fewtaps.explore.strategy import Situation
from fewtaps.explore.system import PROCESS_DEATH
from fewtaps.model.ending import Ending
from fewtaps.model.episode import ENDS_OF_APP, Episode, EpisodeEnd
from fewtaps.model.event import Event, Key, Launch, Wait
from fewtaps.model.screen import Screen
from fewtaps.model.state import StateId
from fewtaps.model.trace import Step, Trace

log = logging.getLogger(__name__)

MAX_PICTURES = 50
"""Most pictures of one episode: some apps have no end of new states."""
_BACK = Key("BACK")
_LAUNCH = Launch()


def run_episode(
    session: Session,
    episode_plan: EpisodePlan,
    should_stop: Callable[[], bool],
    on_step: Callable[[Step], None] | None = None,
    on_work: OnWork = ignore_work,
    on_picture: OnPicture = ignore_picture,
) -> Episode:
    """One episode. Changes nothing but the session, so several can run at once, each on its own session.

    `should_stop` is called before every event but the launch, `on_step` after each step, `on_work` after each piece of
    work, `on_picture` after each picture. Raises all errors of the launch, and DeviceLost: then nothing was learned,
    and the same plan can be carried out on another session. After the launch a DeviceTimeout or a BridgeError ends the
    episode as `EpisodeEnd.DEVICE_FAILED`. The same event would most likely fail again, so the steps are kept, the
    failed one too.
    """
    return _EpisodeRun(session, episode_plan, should_stop, on_step, on_work, on_picture).episode()


class _EpisodeRun:
    """The state of an episode under way."""

    def __init__(
        self,
        session: Session,
        episode_plan: EpisodePlan,
        should_stop: Callable[[], bool],
        on_step: Callable[[Step], None] | None,
        on_work: OnWork,
        on_picture: OnPicture,
    ) -> None:
        self._on_work = on_work
        self._on_picture = on_picture
        self._session = session
        self._episode_plan = episode_plan
        self._should_stop = should_stop
        self._on_step = on_step
        self._random = episode_plan.random()
        self._knowledge = episode_plan.knowledge.fork()
        self._tracker = EpisodeTracker(
            self._knowledge, number=episode_plan.number, world=episode_plan.world, known=len(episode_plan.way)
        )
        self._policy = episode_plan.strategy.begin(self._knowledge, self._random, episode_plan.target)
        self._screenshots = screenshot_taker(session) if episode_plan.pictures else None
        # Where runs repeat exactly, so do coordinates; elsewhere the widget is looked for by its selector.
        self._aims = episode_plan.target is None or Capability.WORLDS not in session.capabilities
        self._moments = moment_keeper(session) if not episode_plan.phone else None
        self._steps: list[Step] = []
        self._pictures: list[tuple[int, bytes]] = []
        self._reached = True
        self._away = 0
        self._under_way: Event | None = None

    def episode(self) -> Episode:
        """From launch to the reason to stop."""
        if not self._load_moment():
            plan = self._episode_plan
            with self._timed(Work.LAUNCHES):
                step = self._session.launch(world_for(self._session, plan.world), plan.phone or None)
            self._tracker.launch(step)
            self._keep(step)
        end, detail = self._play()
        return Episode(
            number=self._episode_plan.number,
            trace=self._trace(),
            replayed=min(len(self._steps) - 1, len(self._episode_plan.way)),
            reached=self._reached,
            end=end,
            detail=detail,
            pictures=tuple(self._pictures),
            execution=self._execution(),
        )

    @contextmanager
    def _timed(self, work: Work) -> Iterator[None]:
        began = time.monotonic()
        yield
        self._on_work(work, time.monotonic() - began)

    def _play(self) -> tuple[EpisodeEnd, str]:
        """From the launch to the end; why it ended, and the error of a device that failed."""
        try:
            return self._go_back() or self._explore(), ""
        except TimeUp:
            self._reached = len(self._steps) > len(self._episode_plan.way)
            return EpisodeEnd.STOPPED, ""
        except (DeviceTimeout, BridgeError) as error:
            self._keep_failure(error)
            return EpisodeEnd.DEVICE_FAILED, str(error)

    def _keep_failure(self, error: DeviceError) -> None:
        """Adds the event whose answer is missing as a step after which nothing is known."""
        log.info("episode %d ends with a failure of the device", self._episode_plan.number, exc_info=error)
        if len(self._steps) <= len(self._episode_plan.way):
            self._reached = False
        if self._under_way is not None:
            before = self._steps[-1].after
            step = Step(self._under_way, before=before, ending=Ending.LOST, notes=(str(error),))
            self._tracker.step(step)
            self._steps.append(step)

    def _go_back(self) -> EpisodeEnd | None:
        """Plays the way; why the episode ends already, or None."""
        end = self._play_way()
        target = self._episode_plan.target
        if end is None and target is not None and self._tracker.state != target:
            end = EpisodeEnd.RETURN_FAILED
        self._reached = end is None
        self._save_moment()
        return end

    def _load_moment(self) -> bool:
        """Goes to the end of a long way at once, where the device can; the steps are those that led there before."""
        way = self._episode_plan.way
        if self._moments is None or len(way) <= self._episode_plan.parameters.long_way:
            return False
        steps = self._moments.load_moment(way)
        if steps is None:
            return False
        self._tracker.launch(steps[0])
        for step in steps[1:]:
            self._tracker.step(step)
        self._steps += steps
        return True

    def _save_moment(self) -> None:
        way = self._episode_plan.way
        is_long = len(way) > self._episode_plan.parameters.long_way
        if self._moments is not None and is_long and self._reached:
            self._moments.save_moment(way, tuple(self._steps))

    def _play_way(self) -> EpisodeEnd | None:
        for event in self._episode_plan.way[len(self._steps) - 1 :]:
            last = self._steps[-1]
            if last.ending.is_final:
                return ENDS_OF_APP[last.ending]
            if self._should_stop():
                return EpisodeEnd.STOPPED
            self._perform(*self._aimed(event, last.after))
        return ENDS_OF_APP.get(self._steps[-1].ending)

    def _aimed(self, event: Event, screen: Screen) -> tuple[Event, tuple[str, ...]]:
        if self._episode_plan.aim is None or not self._aims:
            return event, ()
        return self._episode_plan.aim(event, screen)

    def _explore(self) -> EpisodeEnd:
        for _ in range(self._episode_plan.max_events):
            if self._should_stop():
                return EpisodeEnd.STOPPED
            with self._timed(Work.CHOICES):
                event = self._next_event()
            if isinstance(event, EpisodeEnd):
                return event
            step = self._perform(event)
            if step.ending.is_final:
                return ENDS_OF_APP[step.ending]
            if self._tracker.state is not None:
                end = self._policy.should_stop(self._situation(self._tracker.state))
                if end is not None:
                    return end
        return EpisodeEnd.EVENT_LIMIT

    def _next_event(self) -> Event | EpisodeEnd:
        """The next event, or why the episode ends."""
        state = self._tracker.state
        if state is None or self._episode_plan.block.blocks(self._steps[-1].after):
            return self._come_back(self._steps[-1])
        self._away = 0
        return self._choose(self._situation(state))

    def _come_back(self, last: Step) -> Event | EpisodeEnd:
        """For a blocked activity, or an app that is not in front: an event that may help, or why the episode ends."""
        self._away += 1
        is_over = self._away > self._episode_plan.parameters.max_away
        if last.ending is Ending.LEFT:
            return EpisodeEnd.APP_LEFT if is_over else _LAUNCH
        # Back may close the other app; if it does not, the app's icon may help.
        turn = _BACK if self._away % 2 else _LAUNCH
        if last.after.package != self._knowledge.package:
            return EpisodeEnd.OTHER_APP if is_over else turn
        if not has_window(last.after):
            # A window may appear later.
            return (
                EpisodeEnd.NO_WINDOW
                if is_over
                else Wait(self._episode_plan.parameters.pause_ms)
                if self._away % 2
                else _LAUNCH
            )
        return EpisodeEnd.BLOCKED_ACTIVITY if is_over else turn

    def _choose(self, situation: Situation) -> Event:
        block = self._episode_plan.block
        for _ in range(self._episode_plan.parameters.max_refusals):
            event = self._policy.draw(situation)
            if not block.forbids(event, situation.screen) and self._is_possible(event):
                return event
        return _BACK

    def _is_possible(self, event: Event) -> bool:
        return event != PROCESS_DEATH or Capability.PROCESS_DEATH in self._session.capabilities

    def _situation(self, state: StateId) -> Situation:
        return Situation(self._steps[-1].after, state, self._knowledge, self._random, self._session.listening)

    def _perform(self, event: Event, notes: tuple[str, ...] = ()) -> Step:
        self._under_way = event
        with self._timed(Work.EVENTS):
            step = self._session.perform(event)
        self._under_way = None
        if notes:
            step = replace(step, notes=notes + step.notes)
        self._tracker.step(step)
        self._keep(step)
        return step

    def _keep(self, step: Step) -> None:
        self._steps.append(step)
        if self._on_step is not None:
            self._on_step(step)
        self._take_picture()

    def _take_picture(self) -> None:
        if self._screenshots is None or not self._tracker.is_discovery or len(self._pictures) == MAX_PICTURES:
            return
        try:
            with self._timed(Work.PICTURES):
                picture = self._screenshots.screenshot()
        except (Unsupported, BridgeError, TimeUp):
            # The episode goes on without the picture.
            return
        self._pictures.append((len(self._steps) - 1, picture))
        self._on_picture(picture)

    def _execution(self) -> bytes | None:
        recorder = execution_recorder(self._session)
        if recorder is None or self._steps[-1].ending is Ending.LOST:
            return None
        if self._knowledge.covered == self._episode_plan.knowledge.covered:
            return None
        try:
            return recorder.execution_data()
        except (Unsupported, DeviceLost, TimeUp):
            # The steps are complete; the next use of the session raises DeviceLost.
            return None

    def _trace(self) -> Trace:
        profile = self._session.settings.profile
        return Trace(
            app=self._session.app.ref,
            steps=tuple(self._steps),
            world=world_for(self._session, self._episode_plan.world),
            profile=profile.name,
            screen=profile.screen,
            session=unusual(self._session.settings),
        )
