"""Random events aimed at what is on the screen, from a seed: material for measuring how repeatable a device is."""

from __future__ import annotations

from random import Random

from fewtaps.device.session import Session
from fewtaps.model.ending import Ending
from fewtaps.model.event import Event, Key, Launch, LongPress, Rotate, Swipe, Tap, Text, Wait
from fewtaps.model.screen import Located, Screen, WidgetFlags
from fewtaps.model.trace import Step

WORDS = ("7", "0", "-1", "4200", "demo", "Müller", "", "a b c", "99999999999")
KEYS = ("BACK", "BACK", "BACK", "MENU", "HOME", "ENTER", "VOLUME_UP", "DPAD_DOWN")


def play_random(session: Session, random: Random, count: int, world: int) -> tuple[Step, ...]:
    """Launches and performs up to so many random events; fewer if the app comes to its end."""
    steps = [session.launch(world)]
    while len(steps) <= count and not steps[-1].ending.is_final:
        steps.append(session.perform(choose_event(steps[-1], random)))
    return tuple(steps)


def choose_event(last: Step, random: Random) -> Event:
    """What a restless user might do next."""
    if last.ending is Ending.LEFT:
        return Launch()
    screen = last.after
    chance = random.random()
    if chance < 0.10:
        return Key(random.choice(KEYS))
    if chance < 0.14:
        return Rotate("landscape" if screen.rotation == 0 else "portrait")
    if chance < 0.18:
        return _swipe(screen, random)
    if chance < 0.20:
        return Wait(random.choice((100, 1000, 5000)))
    if chance < 0.35 and any(located.widget.flags & WidgetFlags.FOCUSED for located in _fields(screen)):
        return Text(random.choice(WORDS), replace=random.random() < 0.5)
    point = _point(screen, random)
    return LongPress(*point) if chance > 0.94 else Tap(*point)


def _point(screen: Screen, random: Random) -> tuple[int, int]:
    """The middle of something to tap, or now and then any point at all."""
    targets = [each.widget for each in screen.iter_touchable() if each.widget.is_target]
    if not targets or random.random() < 0.05:
        return random.randrange(screen.width or 1), random.randrange(screen.height or 1)
    return random.choice(targets).bounds.centre


def _swipe(screen: Screen, random: Random) -> Swipe:
    middle, quarter = (screen.width // 2, screen.height // 2), (screen.width // 4, screen.height // 4)
    across, down = random.choice(((0, 1), (0, -1), (1, 0), (-1, 0)))
    return Swipe(
        middle[0] + across * quarter[0],
        middle[1] + down * quarter[1],
        middle[0] - across * quarter[0],
        middle[1] - down * quarter[1],
    )


def _fields(screen: Screen) -> list[Located]:
    return [each for each in screen.iter_touchable() if each.widget.flags & WidgetFlags.EDITABLE]
