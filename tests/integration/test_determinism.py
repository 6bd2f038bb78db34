"""Same app, same events, same world: the same steps, in one process and in another."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from integration.conftest import SAMPLES as SAMPLES_FOLDER
from integration.conftest import OpenSample

from fewtaps.device.twin.device import TwinDevice, TwinSession
from fewtaps.model.app import App, AppRef
from fewtaps.model.ending import Ending
from fewtaps.model.event import DoubleTap, Event, Key, Launch, LongPress, Rotate, StartIntent, Swipe, Tap, Text, Wait
from fewtaps.model.screen import Screen, WidgetFlags
from fewtaps.model.trace import Step, Trace
from fewtaps.tracefile import trace_to_bytes

pytestmark = pytest.mark.jvm

EVENTS = 40
WORLD = 3
SAMPLES = sorted(path.stem for path in SAMPLES_FOLDER.glob("*.apk") if path.stem not in {"hostile", "misbehave"})
"""All but the app that must not run without a jail and the one that loops for ever, which real time ends somewhere."""

SEEDS = (1, 2)


def random_event(dice: random.Random, screen: Screen, ending: Ending) -> Event:
    """Something a restless user does: mostly taps on what can be tapped."""
    if ending is Ending.LEFT:
        return Launch()
    targets = [located.widget for located in screen.iter_touchable() if located.widget.is_target]
    roll = dice.random()
    if targets and roll < 0.7:
        widget = dice.choice(targets)
        x, y = widget.bounds.centre
        if WidgetFlags.EDITABLE in widget.flags and roll < 0.3:
            return Text(dice.choice(["demo", "7", "Ada", ""]), replace=True, selector=screen.selector_for(widget))
        touches: list[Event] = [*[Tap(x, y)] * 4, LongPress(x, y), DoubleTap(x, y)]
        return dice.choice(touches)
    if roll < 0.8:
        return Key("BACK")
    x, y = dice.randrange(screen.width or 720), dice.randrange(screen.height or 1280)
    others: list[Event] = [
        Swipe(x, y, x, max(0, y - 500)),
        Rotate("landscape"),
        Rotate("portrait"),
        Wait(1500),
        Key("MENU"),
        Tap(x, y),
    ]
    return dice.choice(others)


def explore(session: TwinSession, seed: int) -> tuple[list[Event], list[Step]]:
    """Plays random events, chosen by what is on the screen, and keeps them for replay."""
    dice = random.Random(seed)
    events: list[Event] = []
    steps = [session.launch(WORLD)]
    while len(events) < EVENTS and not steps[-1].ending.is_final:
        events.append(random_event(dice, steps[-1].after, steps[-1].ending))
        steps.append(session.perform(events[-1]))
    return events, steps


def replay(session: TwinSession, events: list[Event]) -> list[Step]:
    return [session.launch(WORLD), *(session.perform(event) for event in events)]


def assert_same(name: str, first: list[Step], second: list[Step]) -> None:
    """Byte for byte: as they are written to a file. What differs is named, for a person to read."""
    for number, (one, other) in enumerate(zip(first, second, strict=True)):
        for field in ("event", "ending", "crash", "log", "notes", "clock_ms", "covered", "after"):
            assert getattr(one, field) == getattr(other, field), f"{name}: step {number} differs in its {field}"
    assert written(first) == written(second), name


def written(steps: list[Step]) -> bytes:
    return trace_to_bytes(Trace(AppRef("app"), tuple(steps), WORLD))


@pytest.mark.timeout(900)
def test_replays_are_identical(open_sample: OpenSample, sample: Callable[[str], App], twin: TwinDevice) -> None:
    played: dict[str, list[tuple[list[Event], list[Step]]]] = {}
    for name in SAMPLES:
        session = open_sample(name)
        played[name] = [explore(session, seed) for seed in SEEDS]
        for events, steps in played[name]:
            assert_same(name, steps, replay(session, events))
    with TwinDevice(jail=twin.jail) as other:
        for name, runs in played.items():
            with other.open(sample(name)) as session:
                for events, steps in runs:
                    assert_same(name, steps, replay(session, events))


def test_another_world_differs(open_sample: OpenSample) -> None:
    session = open_sample("lab")
    texts = set()
    for world in (0, 1):
        session.launch(world)
        texts.add(session.perform(StartIntent(component="dev.fewtaps.samples.lab/.RandomActivity")).log)
    assert len(texts) == 2


def test_a_screen_that_comes_again_is_the_same_object(open_sample: OpenSample) -> None:
    """So that whoever works something out about a screen does it once."""
    session = open_sample("zones")
    first, other = session.launch(WORLD).after, session.perform(Rotate("landscape")).after
    assert first != other
    again = session.perform(Rotate("portrait")).after
    assert again is first
    assert session.launch(WORLD + 1).after is first
