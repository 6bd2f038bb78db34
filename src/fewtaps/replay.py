"""Plays known events from launch and returns the trace; counts in how many worlds a goal is met.

An event with a selector is aimed at the widget that the selector names on the current screen. Where the selector finds
nothing, the event's own coordinates are used and the step gets a note, unless the run ends at the first step that is
not as expected.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from fewtaps.device.jobs import Job, JobContext, StopSignal, Work, never
from fewtaps.device.ongoing import OngoingSession
from fewtaps.device.recorded import RecordedSession
from fewtaps.device.session import Session, decision_teller, screenshot_taker, unusual, world_for
from fewtaps.errors import BridgeError, UsageError
from fewtaps.model.decision import Decision
from fewtaps.model.ending import Ending
from fewtaps.model.event import (
    AimedEvent,
    DoubleTap,
    Event,
    Launch,
    LongPress,
    Pinch,
    Selector,
    Swipe,
    Tap,
    Text,
    printable,
)
from fewtaps.model.goal import Goal
from fewtaps.model.phone import Differences
from fewtaps.model.result import Reproduction
from fewtaps.model.run_record import RECORD_ALL, RecordedRun, RecordWish
from fewtaps.model.screen import Bounds, Screen
from fewtaps.model.seen_values import seen_values
from fewtaps.model.state import ABSTRACTIONS, StateId
from fewtaps.model.step_state import step_state
from fewtaps.model.target import selector_anew, target_of_selector
from fewtaps.model.trace import Aim, Step, Trace

OnNumberedStep: TypeAlias = Callable[[int, Step], None]

STOP_ASKED_EVERY = 8
"""Events of a run between two questions whether it should stop: a shorter run is always played to its end.

A slow app plays three events per second, so the end of a limit is noticed within three seconds."""

PROGRESS_TOLD_EVERY = 256
"""Events of a long run between two reports of its progress."""


def play(
    session: Session,
    events: Iterable[Event],
    *,
    by: Aim = Aim.SELECTOR,
    world: int | None = None,
    on_step: OnNumberedStep | None = None,
    should_stop: StopSignal = never,
) -> Trace:
    """Launches the app and performs the events in order, until the last event or until the app ends.

    A leading `Launch` is not performed twice, so a trace's events may be passed unchanged. Without a world, the
    settings' one is used; on a device without worlds none is chosen, and the trace names world 0. The trace holds the
    events as given, not as aimed, so that it can be played again by selector. `on_step` is called after each step, with
    its number. `should_stop` is asked after every `STOP_ASKED_EVERY` events; if it says yes, the trace ends there.
    """
    launch, wanted = _launch_and_rest(events)
    steps: list[Step] = []
    for number, played in enumerate(play_steps(session, wanted, by=by, world=world, phone=_phone(launch))):
        steps.append(played.step)
        if on_step is not None:
            on_step(number, played.step)
        if _asks_to_stop(number, should_stop):
            break
    return _trace(session, steps, world)


@dataclass(frozen=True, slots=True)
class StepPlayed:
    """A step of a run as it was played: `seconds` is the real time it took.

    `is_found` says that the event needed no selector or that its selector found a widget.
    """

    step: Step
    seconds: float
    is_found: bool = True


def play_steps(
    session: Session,
    events: Iterable[Event],
    *,
    by: Aim = Aim.SELECTOR,
    world: int | None = None,
    phone: Differences | None = None,
    needs_widgets: bool = False,
    goes_on: bool = False,
    keeps_failures: bool = False,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[StepPlayed]:
    """The steps of one run, each played when it is asked for: first a launch, then the events, which have none before.

    The steps end with the events or with the app. With `needs_widgets` they also end before an event whose selector
    finds nothing, which is not performed. Then a widget has to be the one that `target_of_selector` names: another
    widget in the same place does not do. With `goes_on` too, a run that the session has under way and that begins in
    the same way is not begun anew: its steps are given as they were. With `keeps_failures` an event that the bridge
    could not describe is the last step, with `Ending.LOST`, instead of a BridgeError.
    """
    if not isinstance(by, Aim):
        raise UsageError(f"events are aimed by selector or by coordinates, not by {by!r}")
    ongoing = session if isinstance(session, OngoingSession) and needs_widgets and by is Aim.SELECTOR else None
    wanted = tuple(events)
    begun = tuple(ongoing.begun(_world(session, world))) if ongoing is not None and goes_on else ()
    launch = Launch(session.settings.phone if phone is None else phone)
    if begun and (launch, *wanted[: len(begun) - 1]) == tuple(step.event for step in begun):
        for step in begun:
            yield StepPlayed(step, 0.0)
        last = begun[-1]
        wanted = wanted[len(begun) - 1 :]
    else:
        began = clock()
        last = session.launch(_world(session, world), phone)
        if ongoing is not None:
            ongoing.keep(last)
        yield StepPlayed(last, clock() - began)
    for event in wanted:
        if last.ending.is_final:
            return
        aimed, notes = aim(event, last.after) if by is Aim.SELECTOR else (event, ())
        if needs_widgets and (notes or _is_another(event, last.after)):
            return
        began = clock()
        try:
            last = session.perform(aimed)
        except BridgeError as error:
            if not keeps_failures:
                raise
            last = Step(aimed, before=last.after, ending=Ending.LOST, notes=(str(error),))
        seconds = clock() - began
        if aimed is not event or notes:
            last = replace(last, event=event, notes=notes + last.notes)
        if ongoing is not None:
            ongoing.keep(last)
        yield StepPlayed(last, seconds, is_found=not notes)


def _world(session: Session, world: int | None) -> int:
    return world_for(session, session.settings.world if world is None else world)


def _launch_and_rest(events: Iterable[Event]) -> tuple[Launch | None, Sequence[Event]]:
    """The launch that the events begin with, None if they do not, and the events after it."""
    wanted = tuple(events)
    first = wanted[0] if wanted else None
    return (first, wanted[1:]) if isinstance(first, Launch) else (None, wanted)


def _phone(launch: Launch | None) -> Differences | None:
    return None if launch is None else launch.phone


def _asks_to_stop(number: int, should_stop: StopSignal) -> bool:
    return number > 0 and number % STOP_ASKED_EVERY == 0 and should_stop()


def _trace(session: Session, steps: Sequence[Step], world: int | None) -> Trace:
    profile = session.settings.profile
    return Trace(
        app=session.app.ref,
        steps=tuple(steps),
        world=_world(session, world),
        profile=profile.name,
        screen=profile.screen,
        session=unusual(session.settings),
    )


def aim(event: Event, screen: Screen) -> tuple[Event, tuple[str, ...]]:
    """The event with coordinates for this screen, and notes if its selector finds nothing here.

    An event that is already inside the widget keeps its coordinates, because the exact point of a touch may matter.
    """
    selector = getattr(event, "selector", None)
    if selector is None or selector.is_empty:
        return event, ()
    located = screen.find(selector)
    if located is None:
        if isinstance(event, Text):
            return replace(event, selector=None), (f"not found: {_named(selector)}; typed into the focused field",)
        return event, (f"not found: {_named(selector)}; used the coordinates",)
    return _moved(event, located.widget.bounds), ()


def aimed_anew(trace: Trace) -> Trace:
    """The same steps, with the selectors and the points that they had in this run.

    An event may come from a longer trace, in which its widget was in another place or showed another text. A selector
    keeps the fields that it has. An event whose new selector would find another widget here stays as it is.
    """
    return replace(trace, steps=tuple(replace(step, event=_anew(step.event, step.before)) for step in trace.steps))


def _anew(event: Event, screen: Screen) -> Event:
    if not isinstance(event, AimedEvent) or event.selector is None or event.selector.is_empty:
        return event
    located = screen.find(event.selector)
    if located is None:
        return event
    selector = selector_anew(event.selector, located)
    found = None if selector.is_empty else screen.find(selector)
    if found is None or found.path != located.path:
        return event
    return _moved(replace(event, selector=selector), located.widget.bounds)


def finds_widget(event: Event, screen: Screen) -> bool:
    """Whether `aim` finds the widget that the event's selector means; an event without a selector needs none."""
    return not aim(event, screen)[1]


def _is_another(event: Event, screen: Screen) -> bool:
    """Whether the widget that the event's selector means is not on the screen, as a test of a suite judges it."""
    selector = getattr(event, "selector", None)
    return selector is not None and not selector.is_empty and target_of_selector(selector, screen) is None


def _moved(event: Event, bounds: Bounds) -> Event:
    match event:
        case Tap() | LongPress() | DoubleTap() | Pinch():
            if bounds.holds(event.x, event.y):
                return event
            x, y = bounds.centre
            return replace(event, x=x, y=y)
        case Swipe():
            if bounds.holds(event.x1, event.y1):
                return event
            # A row that is further down is swiped from side to side as before: only what is outside is moved.
            x, y = bounds.centre
            x = event.x1 if bounds.left <= event.x1 < bounds.right else x
            y = event.y1 if bounds.top <= event.y1 < bounds.bottom else y
            return replace(event, x1=x, y1=y, x2=x + event.x2 - event.x1, y2=y + event.y2 - event.y1)
    return event


def _named(selector: Selector) -> str:
    parts = (selector.resource_id, selector.text, selector.description, selector.class_name)
    return printable(" ".join(part for part in parts if part) or f"path {'.'.join(map(str, selector.path))}", 80)


@dataclass(frozen=True, slots=True)
class Played:
    """The answer to `PlayEvents`.

    `device` is the number of the device in its pool. `is_stopped` says that the stop signal ended the run early, so
    that it is no evidence. `met` is whether the goal is met, None without one. `pictures` are PNGs by the number of the
    step after which they were taken.

    `deviation` is the number of the first step that was not as expected, None if all were: its state is not the
    expected one, its selector found nothing, or it was not played because the app had ended. In the last case, and for
    a selector in a run that stops at deviations, the trace ends before that step. `missing` are the numbers of all
    steps whose selector found nothing. A run whose ending is `Ending.LOST` is no evidence: it has no deviation but one
    before the device was lost. `seconds` is the real time of each step of the trace, the launch first; answers are
    compared without it.
    """

    trace: Trace
    device: int
    is_stopped: bool = False
    met: bool | None = None
    decisions: tuple[Decision, ...] = ()
    pictures: tuple[tuple[int, bytes], ...] = ()
    deviation: int | None = None
    missing: tuple[int, ...] = ()
    seconds: tuple[float, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class PlayEvents(Job[Played]):
    """Plays events from launch, as `play` does.

    With `retries_lost`, a run in which the device died is repeated once, and the second run counts. `keeps_decisions`
    adds the world's decisions to the answer. `takes_pictures` adds a picture after every step that does not end the
    app, on a device with that capability.

    `expected` are the states after the launch and after each event, as `step_state` tells them under the named
    abstraction. Of a step without one, or with None, any state is as expected. With `stops_at_deviation` the run ends
    at the first step that is not as expected, and an event whose selector finds nothing is not performed. What a
    selector finds is then judged as in the tests of a suite, by `target_of_selector`. With `goes_on` too, the run that
    an `OngoingSession` has under way goes on if it begins with the same events. The answer is the same, and its first
    steps took no time.
    """

    events: tuple[Event, ...]
    world: int | None = None
    by: Aim = Aim.SELECTOR
    goal: Goal | None = None
    retries_lost: bool = False
    keeps_decisions: bool = False
    takes_pictures: bool = False
    expected: tuple[StateId | None, ...] = ()
    abstraction: str = "actionable"
    stops_at_deviation: bool = False
    goes_on: bool = False

    def run(self, session: Session, context: JobContext) -> Played:
        """Plays them once, or twice if the device died. Raises UsageError for an unknown abstraction."""
        if self.abstraction not in ABSTRACTIONS:
            raise UsageError(f"no abstraction is named {self.abstraction!r:.60}; there are {', '.join(ABSTRACTIONS)}")
        played = self._play(session, context)
        if self.retries_lost and played.trace.ending is Ending.LOST:
            played = self._play(session, context)
        teller = decision_teller(session) if self.keeps_decisions else None
        return replace(
            played,
            met=None if self.goal is None else self.goal.met_by(played.trace),
            decisions=() if teller is None else teller.decisions(),
        )

    def _play(self, session: Session, context: JobContext) -> Played:
        """One run, without the goal's verdict and without the decisions."""
        launch, wanted = _launch_and_rest(self.events)
        taker = screenshot_taker(session) if self.takes_pictures else None
        steps: list[StepPlayed] = []
        pictures: list[tuple[int, bytes]] = []
        deviation: int | None = None
        is_stopped = False
        run = play_steps(
            session,
            wanted,
            by=self.by,
            world=self.world,
            phone=_phone(launch),
            needs_widgets=self.stops_at_deviation,
            goes_on=self.goes_on,
            keeps_failures=True,
        )
        for number, played in enumerate(run):
            steps.append(played)
            step = played.step
            context.on_work(Work.EVENTS if number else Work.LAUNCHES, played.seconds)
            context.on_step(step)
            if number and number % PROGRESS_TOLD_EVERY == 0:
                context.on_progress(number, len(self.events))
            if taker is not None and not step.ending.is_final:
                began = time.monotonic()
                pictures.append((number, taker.screenshot()))
                context.on_work(Work.PICTURES, time.monotonic() - began)
            if deviation is None and not self._is_expected(number, played):
                deviation = number
                if self.stops_at_deviation:
                    break
            if _asks_to_stop(number, context.should_stop):
                is_stopped = number < len(wanted) and not step.ending.is_final
                break
        trace = _trace(session, [played.step for played in steps], self.world)
        if deviation is None and not is_stopped and len(steps) <= len(wanted) and trace.ending is not Ending.LOST:
            deviation = len(steps)
        return Played(
            trace,
            context.device,
            is_stopped=is_stopped,
            pictures=tuple(pictures),
            deviation=deviation,
            missing=tuple(number for number, played in enumerate(steps) if not played.is_found),
            seconds=tuple(played.seconds for played in steps),
        )

    def _is_expected(self, number: int, played: StepPlayed) -> bool:
        """Whether the step is as expected; one in which the device was lost shows nothing to the contrary."""
        if played.step.ending is Ending.LOST:
            return True
        if not played.is_found:
            return False
        expected = self.expected[number] if number < len(self.expected) else None
        return expected is None or step_state(played.step, self.abstraction) == expected


@dataclass(frozen=True, slots=True)
class PlayRecorded(Job[RecordedRun]):
    """Plays events from launch, as `play` does, and records what the app's code does."""

    events: tuple[Event, ...]
    world: int | None = None
    by: Aim = Aim.SELECTOR
    wish: RecordWish = RECORD_ALL

    def run(self, session: Session, context: JobContext) -> RecordedRun:
        """Plays them. Raises Unsupported if the device cannot record, DeviceLost if the recording died with it."""
        recorded = RecordedSession(session, self.wish)
        trace = play(
            recorded,
            self.events,
            by=self.by,
            world=self.world,
            on_step=lambda number, step: context.on_step(step),
            should_stop=context.should_stop,
        )
        record = recorded.record()
        return RecordedRun(trace, record, () if self.wish.values is None else seen_values(record))


def play_recorded(
    session: Session,
    events: Sequence[Event],
    *,
    by: Aim = Aim.SELECTOR,
    world: int | None = None,
    wish: RecordWish = RECORD_ALL,
) -> RecordedRun:
    """Plays events from launch and records what the app's code does, for a `Slicer`.

    Raises Unsupported if the device cannot record, DeviceLost if the recording died with it.
    """
    return PlayRecorded(tuple(events), world, by, wish).run(session, JobContext())


def play_to_count(
    session: Session,
    events: Sequence[Event],
    *,
    by: Aim = Aim.SELECTOR,
    world: int | None = None,
    on_step: OnNumberedStep | None = None,
    should_stop: StopSignal = never,
) -> Trace:
    """As `play`, for a reproduction rate: a run that lost its device is repeated once, and the second run counts."""
    trace = play(session, events, by=by, world=world, on_step=on_step, should_stop=should_stop)
    if trace.ending is Ending.LOST:
        trace = play(session, events, by=by, world=world, on_step=on_step, should_stop=should_stop)
    return trace


def reproduce(
    session: Session,
    events: Sequence[Event],
    goal: Goal,
    worlds: Iterable[int],
    *,
    by: Aim = Aim.SELECTOR,
    on_trace: Callable[[Trace, bool], None] | None = None,
) -> Reproduction:
    """Plays the events in each world and counts how often the goal is met; `on_trace` is called after each run."""
    met = runs = 0
    for world in worlds:
        trace = play_to_count(session, events, by=by, world=world)
        verdict = goal.met_by(trace)
        met += verdict
        runs += 1
        if on_trace is not None:
            on_trace(trace, verdict)
    return Reproduction(met, runs)
