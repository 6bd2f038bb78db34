"""Simulated apps with more code than an exploration of some thousand events reaches, for benchmarks/width_coverage.py.

Each app is a tree of activities, and the button to most of them is shown only when a condition holds: of one kind for
each app. Every button and every opened activity is a line of code.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from fewtaps.device.simulated.program import Handler, Item, Phone, Program, State, View, button, label

ACTIVITIES = 120
OPEN_SHARE = 0.3
"""Probability that the button to an activity is always there."""
Gate = tuple[Callable[[State], bool], list[Item]]
"""When the button to an activity is shown, and the widgets of its parent that make it so."""


def programs() -> tuple[Program, ...]:
    """The five apps; the same ones at every call."""
    return tuple(_program(name, gate) for name, gate in _GATES.items())


def _program(name: str, gate: Callable[[int, Random], Gate]) -> Program:
    random = Random(name)
    parents = [-1]
    while len(parents) < ACTIVITIES:
        # Of the last activities, so that the tree is deep: some are twenty buttons away from the first.
        parents.append(random.randrange(max(0, len(parents) - 12), len(parents)))
    items: list[list[Item]] = [[label(f"Activity {number}")] for number in range(ACTIVITIES)]
    for number, parent in enumerate(parents[1:], 1):
        items[number].append(button("Up", lambda phone: phone.back(), name=f"up{number}"))
        if random.random() < OPEN_SHARE:
            items[parent].append(button(f"Go {number}", _go(number)))
            continue
        shown, needed = gate(number, random)
        items[parent] += [*needed, button(f"Go {number}", _go(number), shown=shown)]
    views = [View(f"A{number}", each, on_open=lambda phone: None) for number, each in enumerate(items)]
    return Program(f"com.example.{name}", views, state={"done": frozenset()})


def _go(number: int) -> Handler:
    return lambda phone: phone.go(f"A{number}")


def _adds(mark: str, needs: str = "") -> Handler:
    def press(phone: Phone) -> None:
        if not needs or needs in phone.state["done"]:
            phone.state["done"] |= {mark}

    return press


def _counts(number: int, random: Random) -> Gate:
    """Pressed so often, with nothing to see before."""
    name, wanted = f"count{number}", random.randrange(2, 9)

    def count(phone: Phone) -> None:
        phone.state[name] = phone.state.get(name, 0) + 1

    return lambda state: state.get(name, 0) >= wanted, [button("Press", count, name=name)]


def _holds(number: int, random: Random) -> Gate:
    """Held down instead of tapped, some times in a row."""
    name, wanted = f"hold{number}", random.randrange(1, 5)

    def hold(phone: Phone) -> None:
        phone.state[name] = phone.state.get(name, 0) + 1

    def tap(phone: Phone) -> None:
        if phone.state.get(name, 0) < wanted:
            phone.state[name] = 0

    return lambda state: state.get(name, 0) >= wanted, [button("Hold", tap, name=name, on_long_press=hold)]


def _orders(number: int, random: Random) -> Gate:
    """Buttons in one order, of which each works only after the one before."""
    length = random.randrange(2, 5)
    steps = [
        button(f"Step {place}", _adds(f"{number}-{place}", f"{number}-{place - 1}" if place else ""),
               name=f"step{number}-{place}")
        for place in range(length)
    ]  # fmt: skip
    random.shuffle(steps)
    return lambda state: f"{number}-{length - 1}" in state["done"], steps


def _keys(number: int, random: Random) -> Gate:
    """A lock of digits: a wrong one begins anew."""
    code = [random.randrange(4) for _ in range(random.randrange(2, 5))]
    name = f"lock{number}"

    def press(digit: int) -> Handler:
        def pressed(phone: Phone) -> None:
            typed = phone.state.get(name, 0)
            if typed < len(code):
                phone.state[name] = typed + 1 if code[typed] == digit else 0

        return pressed

    buttons = [button(f"Digit {digit}", press(digit), name=f"{name}-{digit}") for digit in range(4)]
    return lambda state: state.get(name, 0) >= len(code), buttons


def _pairs(number: int, random: Random) -> Gate:
    """Two counts at once: pressing the one too often begins both anew."""
    name, wanted = f"pair{number}", (random.randrange(1, 4), random.randrange(1, 4))

    def press(place: int) -> Handler:
        def pressed(phone: Phone) -> None:
            counts = list(phone.state.get(name, (0, 0)))
            counts[place] += 1
            if tuple(phone.state.get(name, ())) != wanted:
                phone.state[name] = tuple(counts) if counts[place] <= wanted[place] else (0, 0)

        return pressed

    buttons = [button(words, press(place), name=f"{name}-{place}") for place, words in enumerate(("Left", "Right"))]
    return lambda state: state.get(name) == wanted, buttons


_GATES: dict[str, Callable[[int, Random], Gate]] = {
    "counts": _counts,
    "holds": _holds,
    "orders": _orders,
    "keys": _keys,
    "pairs": _pairs,
}
