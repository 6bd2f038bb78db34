"""Plays known events from launch and returns the trace; counts in how many worlds a goal is met.

An event with a selector is aimed at the widget that the selector names on the current screen. Where the selector finds
nothing, the event's own coordinates are used and the step gets a note.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from fewtaps.device.jobs import Job, JobContext, StopSignal, never
from fewtaps.device.session import Capability, Session, decision_teller, world_for
from fewtaps.errors import UsageError
from fewtaps.model.decision import Decision
from fewtaps.model.ending import Ending
from fewtaps.model.event import DoubleTap, Event, Launch, LongPress, Pinch, Selector, Swipe, Tap, Text, printable
from fewtaps.model.goal import Goal
from fewtaps.model.result import Reproduction
from fewtaps.model.screen import Bounds, Screen
from fewtaps.model.trace import Aim, Step, Trace

OnNumberedStep: TypeAlias = Callable[[int, Step], None]

STOP_ASKED_EVERY = 256
"""Events of a run between two questions whether it should stop: a shorter run is always played to its end."""


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
    if not isinstance(by, Aim):
        raise UsageError(f"events are aimed by selector or by coordinates, not by {by!r}")
    chosen = world_for(session, session.settings.world if world is None else world)
    wanted = list(events)
    if wanted and isinstance(wanted[0], Launch):
        del wanted[0]
    steps = [session.launch(chosen)]
    if on_step is not None:
        on_step(0, steps[0])
    for event in wanted:
        last = steps[-1]
        if last.ending.is_final:
            break
        aimed, notes = aim(event, last.after) if by is Aim.SELECTOR else (event, ())
        step = session.perform(aimed)
        if aimed is not event or notes:
            step = replace(step, event=event, notes=notes + step.notes)
        steps.append(step)
        if on_step is not None:
            on_step(len(steps) - 1, step)
        if (len(steps) - 1) % STOP_ASKED_EVERY == 0 and should_stop():
            break
    profile = session.settings.profile
    return Trace(
        app=session.app.ref,
        steps=tuple(steps),
        world=chosen,
        profile=profile.name,
        screen=profile.screen,
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
            x, y = bounds.centre
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
    """

    trace: Trace
    device: int
    is_stopped: bool = False
    met: bool | None = None
    decisions: tuple[Decision, ...] = ()
    pictures: tuple[tuple[int, bytes], ...] = ()


@dataclass(frozen=True, slots=True)
class PlayEvents(Job[Played]):
    """Plays events from launch, as `play` does.

    With `retries_lost`, a run in which the device died is repeated once, and the second run counts. `keeps_decisions`
    adds the world's decisions to the answer. `takes_pictures` adds a picture after every step that does not end the
    app, on a device with that capability.
    """

    events: tuple[Event, ...]
    world: int | None = None
    by: Aim = Aim.SELECTOR
    goal: Goal | None = None
    retries_lost: bool = False
    keeps_decisions: bool = False
    takes_pictures: bool = False

    def run(self, session: Session, context: JobContext) -> Played:
        """Plays them once, or twice if the device died."""
        pictures: list[tuple[int, bytes]] = []
        takes_pictures = self.takes_pictures and Capability.SCREENSHOTS in session.capabilities

        def seen(number: int, step: Step) -> None:
            if number == 0:
                # A second run takes its own pictures.
                pictures.clear()
            context.on_step(step)
            if number and number % STOP_ASKED_EVERY == 0:
                context.on_progress(number, len(self.events))
            if takes_pictures and not step.ending.is_final:
                pictures.append((number, session.screenshot()))

        player = play_to_count if self.retries_lost else play
        trace = player(
            session, self.events, by=self.by, world=self.world, on_step=seen, should_stop=context.should_stop
        )
        teller = decision_teller(session) if self.keeps_decisions else None
        planned = len(self.events) + (not (self.events and isinstance(self.events[0], Launch)))
        return Played(
            trace,
            context.device,
            is_stopped=len(trace.steps) < planned and not trace.ending.is_final,
            met=None if self.goal is None else self.goal.met_by(trace),
            decisions=() if teller is None else teller.decisions(),
            pictures=tuple(pictures),
        )


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
