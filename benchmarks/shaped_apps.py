"""Simulated apps shaped like published recordings, and crash traces on them: material for measuring reducers.

The shapes (activities, depth of the crash, events per visit, lengths of the traces) are those of SimplyDroid's
recordings of four apps, without the one trace below 30 events. What makes the apps crash is ours: five kinds of
defects, from one that needs only the way to it to those that remember what no screen shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

from fewtaps.device.session import DEFAULT_SETTINGS, Session, SessionSettings
from fewtaps.device.simulated.device import SimulatedDevice, SimulatedSession
from fewtaps.device.simulated.program import Handler, Item, Phone, Program, Throw, View, button, checkbox, label
from fewtaps.model.ending import Ending
from fewtaps.model.event import Event, Key, Launch, Tap
from fewtaps.model.trace import Step, Trace
from fewtaps.replay import play


@dataclass(frozen=True, slots=True)
class Shape:
    """A recorded app: how many activities, how deep the crash is, how many events a visit has, how long traces are."""

    name: str
    activities: int
    depth: int
    stay: float
    leaves: bool
    lengths: tuple[int, ...]


SHAPES = (
    Shape("explorer", 13, 2, 9.0, False, (36, 75, 117, 265, 294, 307, 397, 404, 950, 1354, 1500)),
    Shape("chart", 8, 3, 25.0, True, (46, 220, 239, 448, 514, 521, 765)),
    Shape("tipper", 3, 2, 25.0, False, (31, 46, 70, 76, 88, 99, 102, 129, 162)),
    Shape("dice", 2, 1, 50.0, False, (100, 101, 107, 110, 111, 121, 123, 126, 128, 131, 134, 153, 168, 196, 214)),
)

SHORTEST, LONGEST = 30, 1500
WALKS = 300
DEFECTS = ("way", "count", "setting", "order", "leak")


@dataclass(frozen=True, slots=True)
class Subject:
    """A crash trace, and the app it was recorded on."""

    name: str
    program: Program
    trace: Trace

    @property
    def shows_all(self) -> bool:
        """Whether the defect depends only on the way to it and on what was done there last."""
        return "-way-" in self.name or "-count-" in self.name

    def open(self, *, coverage: bool = True) -> SimulatedSession:
        """A session that plays candidates."""
        return SimulatedSession(self.program, DEFAULT_SETTINGS if coverage else SessionSettings(coverage="off"))


def subjects(per_trace: int = 3) -> Iterator[Subject]:
    """For every recorded length so many traces, each with another defect; the same ones at every call."""
    number = 0
    for shape in SHAPES:
        for length in shape.lengths:
            for _ in range(per_trace):
                defect = DEFECTS[number % len(DEFECTS)]
                yield record(shape, defect, length, number)
                number += 1


def record(shape: Shape, defect: str, length: int, number: int) -> Subject:
    """A trace of about this length: the monkey is made more or less eager until it crashes at the right time."""
    random = Random(f"{shape.name}/{length}/{number}")
    program = build(shape, defect, random)
    name = f"{shape.name}-{defect}-{length}-{number}"
    eager = 0.05
    nearest: Trace | None = None
    with SimulatedDevice([program]).open(program.app) as session:
        for _ in range(WALKS):
            trace = walk(session, shape, random, eager, min(4 * length, LONGEST))
            size = len(trace.steps)
            if trace.crash is not None and size >= SHORTEST:
                if nearest is None or abs(size - length) < abs(len(nearest.steps) - length):
                    nearest = trace
                if 0.75 * length <= size <= 1.25 * length:
                    break
            eager = min(max(eager * (1.1 if trace.crash is None or size > length else 0.9), 1e-4), 0.9)
    if nearest is None:
        raise SystemExit(f"{name}: no crash in {WALKS} walks")
    return Subject(name, program, nearest)


def walk(session: Session, shape: Shape, random: Random, eager: float, limit: int) -> Trace:
    """A monkey that stays a while on each screen, and presses what matters as often as it is eager."""
    events: list[Event] = [Launch()]
    steps = [session.launch(0)]
    while len(steps) < limit and not steps[-1].ending.is_final:
        events.append(_next_event(steps[-1], shape, random, eager))
        steps.append(session.perform(events[-1]))
    return play(session, events)


def _next_event(last: Step, shape: Shape, random: Random, eager: float) -> Event:
    if last.ending is Ending.LEFT:
        return Launch() if random.random() < 0.1 else Tap(random.randrange(400), random.randrange(100, 700))
    if random.random() < 1 / shape.stay:
        if shape.leaves and random.random() < 0.2:
            return Key("HOME")
        wanted: tuple[str, ...] = ("Go", "Up")
    elif random.random() < eager:
        wanted = ("Key",)
    else:
        wanted = ("Noise",)
    targets = [each.widget for each in last.after.iter_touchable() if (each.widget.text or "").startswith(wanted)]
    if not targets:
        return Tap(random.randrange(400), random.randrange(100, 700))
    x, y = random.choice(targets).bounds.centre
    return Tap(x + random.randrange(-9, 10), y + random.randrange(-9, 10))


def build(shape: Shape, defect: str, random: Random) -> Program:
    """An app of this shape with this defect. Its activities are a tree; the crash is at the end of the longest way."""
    parents = [-1, *range(shape.depth)]
    parents += [random.randrange(len(parents)) for _ in range(shape.activities - len(parents))]
    extra = _DEFECTS[defect](shape, random)
    views = []
    for number in range(len(parents)):
        items: list[Item] = [label(f"Activity {number}")]
        if number:
            items.append(button("Up", lambda phone: phone.back()))
        items += [_go(child) for child, parent in enumerate(parents) if parent == number]
        items += extra.get(number, [])
        items += _noise(number, random)
        views.append(View(f"A{number}", items, on_open=_opened(number)))
    return Program(f"com.example.{shape.name}", views, state={"visits": {}, "taps": 0, "flags": ()})


def _go(child: int) -> Item:
    return button(f"Go {child}", lambda phone: phone.go(f"A{child}"))


def _noise(number: int, random: Random) -> list[Item]:
    name = f"noise{number}"

    def count(phone: Phone) -> None:
        phone.state[name] = phone.state.get(name, 0) + 1

    shown = button(lambda state: f"Noise {state.get(name, 0) % 7}", count, name=f"counter{number}")
    plain = [button(f"Noise {letter}", name=f"plain{number}{letter}") for letter in "abcdefg"[: random.randrange(2, 6)]]
    return [shown, checkbox(f"check{number}", "Noise mark"), *plain]


def _opened(number: int) -> Handler:
    def opened(phone: Phone) -> None:
        visits = dict(phone.state["visits"])
        visits[number] = visits.get(number, 0) + 1
        # A new activity has new fields; what is static, as the count of visits, stays.
        phone.state.update(visits=visits, taps=0)

    return opened


def _crash_if(holds: Callable[[Phone], bool]) -> Item:
    def press(phone: Phone) -> None:
        if holds(phone):
            raise Throw("java.lang.ArithmeticException", "divide by zero")

    return button("Key press", press)


def _sets(flag: str, needs: str | None = None) -> Item:
    def press(phone: Phone) -> None:
        if needs is None or needs in phone.state["flags"]:
            phone.state["flags"] = (*phone.state["flags"], flag)

    return button(f"Key {flag}", press)


def _clears() -> Item:
    return button("Noise clear", lambda phone: phone.state.update(flags=()), name="clear")


def _way(shape: Shape, random: Random) -> dict[int, list[Item]]:
    return {shape.depth: [_crash_if(lambda phone: True)]}


def _count(shape: Shape, random: Random) -> dict[int, list[Item]]:
    wanted = random.randrange(2, 6)

    def roll(phone: Phone) -> None:
        phone.state["taps"] += 1

    return {
        shape.depth: [_crash_if(lambda phone: phone.state["taps"] >= wanted), button("Key roll", roll, name="roll")]
    }


def _setting(shape: Shape, random: Random) -> dict[int, list[Item]]:
    place = random.randrange(shape.activities)
    items = {shape.depth: [_crash_if(lambda phone: "a" in phone.state["flags"])]}
    items.setdefault(place, []).append(_sets("a"))
    return items


def _order(shape: Shape, random: Random) -> dict[int, list[Item]]:
    first, second, third = (random.randrange(shape.activities) for _ in range(3))
    items = {shape.depth: [_crash_if(lambda phone: "b" in phone.state["flags"])]}
    items.setdefault(first, []).append(_sets("a"))
    items.setdefault(second, []).append(_sets("b", needs="a"))
    items.setdefault(third, []).append(_clears())
    return items


def _leak(shape: Shape, random: Random) -> dict[int, list[Item]]:
    wanted = random.randrange(2, 4)
    return {shape.depth: [_crash_if(lambda phone: phone.state["visits"].get(shape.depth, 0) >= wanted)]}


_DEFECTS: dict[str, Callable[[Shape, Random], dict[int, list[Item]]]] = {
    "way": _way,
    "count": _count,
    "setting": _setting,
    "order": _order,
    "leak": _leak,
}
