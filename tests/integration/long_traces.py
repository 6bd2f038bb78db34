"""Long traces that end in a known crash: random events first, then the crash's own steps, and all of it one trace."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from random import Random

from fewtaps.config import DeviceSettings, ReduceSettings
from fewtaps.device.pool import open_pool
from fewtaps.device.session import Session
from fewtaps.model.ending import Ending
from fewtaps.model.event import Event, Key, Launch, LongPress, Rotate, Swipe, Tap, Text, Wait
from fewtaps.model.goal import SameCrash
from fewtaps.model.result import Reduction
from fewtaps.model.screen import Screen, WidgetFlags
from fewtaps.model.trace import Step, Trace
from fewtaps.pipeline.opening import plan_app
from fewtaps.pipeline.reducing import reduce_with
from fewtaps.pipeline.reduction_job import ReductionContext, ReductionJob
from fewtaps.replay import play
from fewtaps.store.database import open_store

MOST_BACKS = 12
VISIT = 100
WORDS = ("7", "0", "-1", "demo", "Müller", "a b c")
IDLE: tuple[Event, ...] = (
    Key("VOLUME_UP"),
    Wait(10),
    Key("VOLUME_DOWN"),
    Tap(1, 1),
    Rotate("landscape"),
    Rotate("portrait"),
)
"""What hardly any app takes note of; a turn goes with the turn back."""


@dataclass(frozen=True, slots=True)
class LongTrace:
    """A trace that was played and ends in the crash; `how` says what was put before or between its steps."""

    trace: Trace
    how: str


def lengthened(
    session: Session, steps: Sequence[Event], world: int, events: int, *, noise: bool = True
) -> LongTrace | None:
    """A trace of at least so many events that ends in the crash of the steps; None if none was found.

    Without `noise` only idle events are used: for apps in which nothing that was done can be taken back.
    """
    short = play(session, steps, world=world)
    if short.crash is None:
        return None
    goal = SameCrash(short.crash.signature)
    for how, candidate in _candidates(session, steps[1:], world, events, noise):
        seen = play(session, [Launch(), *candidate], world=world)
        if goal.met_by(seen) and len(seen.steps) > events:
            return LongTrace(seen, how)
    return None


def reduced(session: Session, apk: Path, long: Trace, folder: Path, where: DeviceSettings) -> Reduction:
    """What `fewtaps reduce` makes of a trace, on a device that is open already."""
    settings = ReduceSettings(folder / "project", where, output=folder / "short.jsonl")
    with (
        open_store(settings.folder, create=True, write=True) as store,
        open_pool(lambda: nullcontext(session)) as pool,
    ):
        context = ReductionContext(plan_app(str(apk), where, trace=long), store, pool)
        return reduce_with(ReductionJob(str(apk), long, settings), context).reduction


def _candidates(
    session: Session, steps: Sequence[Event], world: int, events: int, noise: bool
) -> Iterator[tuple[str, list[Event]]]:
    if noise:
        yield "random events before", [*_noise(session, Random(1), world, events), *steps]
    yield "idle events between", _interleaved(steps, IDLE, events)
    yield "keys and pauses between", _interleaved(steps, IDLE[:3], events)
    # Where time matters, all of them come before the first step.
    yield "idle events before", [*islice(cycle(IDLE), -(-events // len(IDLE)) * len(IDLE)), *steps]


def _interleaved(steps: Sequence[Event], idle: Sequence[Event], events: int) -> list[Event]:
    """The steps with so many idle events before each; whole rounds of them, so that every turn is taken back."""
    rounds = -(-events // (len(steps) * len(idle)))
    return [event for step in steps for event in (*islice(cycle(idle), rounds * len(idle)), step)]


def _noise(session: Session, random: Random, world: int, events: int) -> list[Event]:
    """Random events that the app survives: several visits, each with its way out of the app and in again."""
    done: list[Event] = []
    while len(done) < events:
        done += _visit(session, random, world)
    return done


def _visit(session: Session, random: Random, world: int) -> list[Event]:
    """Some random events after a fresh launch; those before a crash, if there is one."""
    last, done = session.launch(world), list[Event]()
    while len(done) < VISIT and not last.ending.is_final:
        done.append(_choose(last, random))
        last = session.perform(done[-1])
    if last.ending.is_final:
        done.pop()
        play(session, [Launch(), *done], world=world)
    return [*done, *_way_out(session)]


def _way_out(session: Session) -> list[Event]:
    """Back until the app is left, then its icon; upright again, if it was turned."""
    way: list[Event] = [Rotate("portrait")]
    step = session.perform(way[0])
    while step.ending is Ending.RUNNING and len(way) < MOST_BACKS:
        way.append(Key("BACK"))
        step = session.perform(way[-1])
    return [*way, Launch()]


def _choose(last: Step, random: Random) -> Event:
    if last.ending is Ending.LEFT:
        return Launch()
    screen = last.after
    choices: list[tuple[float, Callable[[], Event]]] = [
        (0.10, lambda: Key(random.choice(("BACK", "BACK", "MENU", "VOLUME_UP")))),
        (0.04, lambda: Rotate("landscape" if screen.rotation == 0 else "portrait")),
        (0.04, lambda: _swipe(screen, random)),
        (0.02, lambda: Wait(random.choice((100, 1000)))),
        (0.10, lambda: Text(random.choice(WORDS)) if _has_focus(screen) else Tap(*_point(screen, random))),
        (0.06, lambda: LongPress(*_point(screen, random))),
        (0.64, lambda: Tap(*_point(screen, random))),
    ]
    return random.choices([make for _, make in choices], [share for share, _ in choices])[0]()


def _has_focus(screen: Screen) -> bool:
    wanted = WidgetFlags.EDITABLE | WidgetFlags.FOCUSED
    return any(each.widget.flags & wanted == wanted for each in screen.iter_touchable())


def _point(screen: Screen, random: Random) -> tuple[int, int]:
    targets = [each.widget for each in screen.iter_touchable() if each.widget.is_target]
    if not targets or random.random() < 0.05:
        return random.randrange(screen.width or 1), random.randrange(screen.height or 1)
    return random.choice(targets).bounds.centre


def _swipe(screen: Screen, random: Random) -> Swipe:
    x, top, bottom = screen.width // 2, screen.height // 4, 3 * screen.height // 4
    return Swipe(x, bottom, x, top) if random.random() < 0.5 else Swipe(x, top, x, bottom)
