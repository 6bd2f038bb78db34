"""Carries an excursion out: launch, the way back, then choose and perform until there is a reason to stop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from fewtaps.device.session import Capability, Session
from fewtaps.errors import BridgeError, DeviceLost, Unsupported
from fewtaps.explore.excursion import Excursion
from fewtaps.explore.knowledge import Walk, has_window
from fewtaps.explore.strategy import Moment
from fewtaps.model.event import Event, Key, Launch, Wait
from fewtaps.model.outing import Outing
from fewtaps.model.screen import Screen
from fewtaps.model.state import StateId
from fewtaps.model.trace import Ending, Step, Trace

STOPPED = "stopped"
LIMIT = "limit of events"
WENT_ASTRAY = "the way back led elsewhere"
LEFT = "the app left"
OTHER_APP = "another app stayed in front"
NO_WINDOW = "no window"
SHUNNED = "no way out of a blocked activity"
ENDINGS: dict[Ending, str] = {
    Ending.CRASHED: "crash",
    Ending.ANR: "no answer",
    Ending.EXITED: "the app ended itself",
    Ending.LOST: "the device died",
}
"""Why an outing ended, if the app was gone for good."""

MAX_PICTURES = 50
"""Per outing; nobody looks at more, and some apps have no end of new states."""
_PAUSE_MS = 3000
_BACK = Key("BACK")
_LAUNCH = Launch()


def run_excursion(
    session: Session,
    excursion: Excursion,
    should_stop: Callable[[], bool],
    on_step: Callable[[Step], None] | None = None,
) -> Outing:
    """One outing. Touches nothing but the session, so several can go on at once, each with its own.

    `should_stop` is asked before every event but the launch; `on_step` hears of each step as it happens. Raises
    DeviceLost, like all errors of the session: then nothing was learned, and the same excursion can be carried out on
    another session.
    """
    return _Run(session, excursion, should_stop, on_step).outing()


class _Run:
    """The state of an outing under way."""

    def __init__(
        self,
        session: Session,
        excursion: Excursion,
        should_stop: Callable[[], bool],
        on_step: Callable[[Step], None] | None,
    ) -> None:
        self._session = session
        self._excursion = excursion
        self._should_stop = should_stop
        self._on_step = on_step
        self._random = excursion.random()
        self._knowledge = excursion.knowledge.fork()
        self._walk = Walk(self._knowledge, number=excursion.number, world=excursion.world, known=len(excursion.way))
        self._mind = excursion.strategy.begin(self._knowledge, self._random, excursion.target)
        self._takes_pictures = excursion.pictures and Capability.SCREENSHOTS in session.capabilities
        # Where runs repeat exactly, so do coordinates; elsewhere the widget that was meant is looked for.
        self._aims = excursion.target is None or Capability.WORLDS not in session.capabilities
        self._steps: list[Step] = []
        self._pictures: list[tuple[int, bytes]] = []
        self._reached = True
        self._away = 0

    def outing(self) -> Outing:
        """From launch to the reason to stop."""
        step = self._session.launch(self._excursion.world)
        self._walk.launch(step)
        self._keep(step)
        reason = self._go_back()
        replayed = len(self._steps) - 1
        if reason is None:
            reason = self._explore()
        return Outing(
            number=self._excursion.number,
            trace=self._trace(),
            replayed=replayed,
            reached=self._reached,
            reason=reason,
            pictures=tuple(self._pictures),
            execution=self._execution(),
        )

    def _go_back(self) -> str | None:
        """Plays the way; why the outing ends already, or None."""
        reason = self._play_way()
        target = self._excursion.target
        if reason is None and target is not None and self._walk.state != target:
            reason = WENT_ASTRAY
        self._reached = reason is None
        return reason

    def _play_way(self) -> str | None:
        for event in self._excursion.way:
            last = self._steps[-1]
            if last.ending.is_final:
                return ENDINGS[last.ending]
            if self._should_stop():
                return STOPPED
            self._perform(*self._aimed(event, last.after))
        return ENDINGS.get(self._steps[-1].ending)

    def _aimed(self, event: Event, screen: Screen) -> tuple[Event, tuple[str, ...]]:
        if self._excursion.aim is None or not self._aims:
            return event, ()
        return self._excursion.aim(event, screen)

    def _explore(self) -> str:
        for _ in range(self._excursion.max_events):
            if self._should_stop():
                return STOPPED
            event = self._next_event()
            if isinstance(event, str):
                return event
            step = self._perform(event)
            if step.ending.is_final:
                return ENDINGS[step.ending]
            if self._walk.state is not None:
                reason = self._mind.enough(self._moment(self._walk.state))
                if reason is not None:
                    return reason
        return LIMIT

    def _next_event(self) -> Event | str:
        """What to do now, or why there is nothing more to do."""
        state = self._walk.state
        if state is None or self._excursion.block.shuns(self._steps[-1].after):
            return self._come_back(self._steps[-1])
        self._away = 0
        return self._choose(self._moment(state))

    def _come_back(self, last: Step) -> Event | str:
        """The app is not where it should be: an event that may bring it back, or why no more is tried."""
        self._away += 1
        is_over = self._away > self._excursion.parameters.max_away
        if last.ending is Ending.LEFT:
            return LEFT if is_over else _LAUNCH
        # Whatever stands in front may go away with Back; if it does not, the app's icon may help.
        turn = _BACK if self._away % 2 else _LAUNCH
        if last.after.package != self._knowledge.package:
            return OTHER_APP if is_over else turn
        if not has_window(last.after):
            # A window may be on its way.
            return NO_WINDOW if is_over else Wait(_PAUSE_MS) if self._away % 2 else _LAUNCH
        return SHUNNED if is_over else turn

    def _choose(self, moment: Moment) -> Event:
        block = self._excursion.block
        for _ in range(self._excursion.parameters.max_refusals):
            event = self._mind.draw(moment)
            if not block.forbids(event, moment.screen):
                return event
        return _BACK

    def _moment(self, state: StateId) -> Moment:
        return Moment(self._steps[-1].after, state, self._knowledge, self._random, self._session.listening)

    def _perform(self, event: Event, notes: tuple[str, ...] = ()) -> Step:
        step = self._session.perform(event)
        if notes:
            step = replace(step, notes=notes + step.notes)
        self._walk.step(step)
        self._keep(step)
        return step

    def _keep(self, step: Step) -> None:
        self._steps.append(step)
        if self._on_step is not None:
            self._on_step(step)
        self._take_picture()

    def _take_picture(self) -> None:
        if not self._takes_pictures or not self._walk.is_discovery or len(self._pictures) == MAX_PICTURES:
            return
        try:
            picture = self._session.screenshot()
        except (Unsupported, BridgeError):
            # An outing is worth more than its pictures.
            return
        self._pictures.append((len(self._steps) - 1, picture))

    def _execution(self) -> bytes | None:
        if Capability.JACOCO not in self._session.capabilities or self._steps[-1].ending is Ending.LOST:
            return None
        if self._knowledge.covered == self._excursion.knowledge.covered:
            return None
        try:
            return self._session.execution_data()
        except (Unsupported, DeviceLost):
            # The steps are complete; who uses the session next will find out that it is dead.
            return None

    def _trace(self) -> Trace:
        profile = self._session.settings.profile
        return Trace(
            app=self._session.app.ref,
            steps=tuple(self._steps),
            world=self._excursion.world,
            profile=profile.name,
            screen=profile.screen,
        )
