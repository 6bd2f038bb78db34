"""Simulated apps in which exploration can go astray: loops, dead ends, one-way doors, hidden state, endless states."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from fewtaps.device.simulated.program import (
    AppExit,
    Handler,
    Item,
    Phone,
    Program,
    Throw,
    View,
    button,
    checkbox,
    field,
    label,
)
from fewtaps.model.screen import WindowKind


def goes(view: str) -> Handler:
    """A handler that opens a view."""
    return lambda phone: phone.go(view)


def nothing(phone: Phone) -> None:
    """A handler that does nothing: not even leave."""


def ring(length: int = 4) -> Program:
    """Pages in a circle, each with one large button to the next: following the buttons is a loop."""
    pages = [View(f"Page{number}", [button("Next", goes(f"Page{(number + 1) % length}"))]) for number in range(length)]
    return Program("com.example.ring", pages)


def dead_end() -> Program:
    """A door into a cell without a way out: not even Back leads away."""
    hall = View("Hall", [button("Enter the cell", goes("Cell")), button("Look around", nothing)])
    return Program("com.example.deadend", [hall, View("Cell", [label("No way out")], on_back=nothing)])


def one_way_doors(rooms: int = 6, traps: int = 4) -> Program:
    """A row of rooms. In each, one door leads on and several into a pit, and none of them leads back.

    A pit has no way out, so an episode that falls into one is over. The last door crashes. The directional pad works
    too: up is the door, all other directions are traps.
    """

    def crash(phone: Phone) -> None:
        raise Throw("java.lang.IllegalStateException", "the end of the row")

    def room(number: int) -> View:
        def walk_on(phone: Phone) -> None:
            phone.reach(number)
            if number + 1 == rooms:
                crash(phone)
            phone.go(f"Room{number + 1}")

        doors: list[Item] = [button(f"Trap {trap}", goes("Pit")) for trap in range(traps)]
        doors.insert(traps // 2, button("Door", walk_on))
        keys = {"DPAD_UP": walk_on, **dict.fromkeys(("DPAD_DOWN", "DPAD_LEFT", "DPAD_RIGHT"), goes("Pit"))}
        return View(f"Room{number}", [label(f"Room {number}"), *doors], on_back=nothing, keys=keys)

    pit = View("Pit", [label("A pit")], on_back=nothing)
    return Program("com.example.doors", [*map(room, range(rooms)), pit], branches=rooms)


def survey(questions: int = 6) -> Program:
    """A survey of checkboxes, each of which makes another state; sending it without any checked crashes."""

    def send(phone: Phone) -> None:
        if not any(phone.state[f"q{number}"] for number in range(questions)):
            raise Throw("java.lang.ArithmeticException", "divide by zero")
        phone.go("Thanks")

    boxes = [checkbox(f"q{number}", f"Question {number}") for number in range(questions)]
    asked = View("Survey", [*boxes, button("Send", send)])
    return Program("com.example.survey", [View("Hall", [button("Survey", goes("Survey"))]), asked, View("Thanks")])


def library(books: int = 6) -> Program:
    """A shelf whose books can be taken along or, by a long press, thrown away. The counter misses what is both."""

    def pick(number: int, view: str) -> Handler:
        def handle(phone: Phone) -> None:
            phone.state["picked"] = number
            phone.go(view)

        return handle

    def put(pile: str) -> Handler:
        def handle(phone: Phone) -> None:
            phone.state[pile] = {*phone.state[pile], phone.state["picked"]}

        return handle

    def count(phone: Phone) -> None:
        if phone.state["taken"] & phone.state["thrown"]:
            raise Throw("java.lang.IllegalStateException", "no such book")

    rows = [button(f"Book {n}", pick(n, "Take"), name="row", on_long_press=pick(n, "Throw")) for n in range(books)]
    shelf = View("Shelf", [*rows, button("Counter", count, name="row")])
    take = View("Take", [button("Take along", put("taken"))], kind=WindowKind.DIALOG)
    throw = View("Throw", [button("Throw away", put("thrown"))], kind=WindowKind.DIALOG)
    state = {"picked": 0, "taken": frozenset(), "thrown": frozenset()}
    return Program("com.example.library", [shelf, take, throw], state=state)


def quiz_with_paint_box(riddles: int = 4, fields: int = 8) -> Program:
    """Riddles whose answers are final, and beside each of them a page that never looks the same twice.

    The app crashes at the end if all answers are right. The paint box has no new code, but an endless number of states.
    """
    answers = 3

    def answer(number: int, choice: int) -> Handler:
        def handler(phone: Phone) -> None:
            stamps = phone.state["stamps"] = phone.state["stamps"] + (choice == number % answers)
            phone.reach(stamps)
            phone.go("Prize" if number + 1 == riddles else f"Riddle{number + 1}")

        return handler

    def open_chest(phone: Phone) -> None:
        if phone.state["stamps"] == riddles:
            raise Throw("java.lang.ArrayIndexOutOfBoundsException", "no such prize")

    def paint(number: int) -> Handler:
        def handler(phone: Phone) -> None:
            phone.state[f"field{number}"] = not phone.state.get(f"field{number}")

        return handler

    def riddle(number: int) -> View:
        items: list[Item] = [label(lambda state: f"Riddle {number}, stamps: {state['stamps']}", name="stamps")]
        items += [button(f"Answer {number}{choice}", answer(number, choice)) for choice in range(answers)]
        return View(f"Riddle{number}", [*items, button("Paint", goes("Paint"))], on_back=nothing)

    def colour(number: int) -> Callable[[Any], str]:
        return lambda state: f"Field {number}: {'red' if state.get(f'field{number}') else 'white'}"

    painting = [button(colour(number), paint(number), name=f"field{number}") for number in range(fields)]
    prize = View(
        "Prize",
        [label(lambda state: f"Stamps: {state['stamps']}", name="stamps"), button("Open the chest", open_chest)],
        on_back=nothing,
    )
    pages = [*map(riddle, range(riddles)), prize, View("Paint", painting)]
    return Program("com.example.quiz", pages, state={"stamps": 0}, branches=riddles + 1)


def hidden_counter(needed: int = 3) -> Program:
    """A button that must be tapped some times before 'Open' leads on; nothing on the screen tells how often it was."""

    def count(phone: Phone) -> None:
        phone.state["count"] = phone.state["count"] + 1

    def open_up(phone: Phone) -> None:
        if phone.state["count"] >= needed:
            phone.go("Inside")

    main = View("Main", [button("Count", count), button("Open", open_up)])
    return Program("com.example.hidden", [main, View("Inside", [label("Inside")])], state={"count": 0})


def ticking() -> Program:
    """Shows another number after every tap: each is a new state, and there is no end of them."""

    def tick(phone: Phone) -> None:
        phone.state["ticks"] = phone.state["ticks"] + 1

    rows = [label(lambda state: f"{state['ticks']} ticks", name="ticks")]
    rows += [button(f"Tick {number}", tick) for number in range(11)]
    return Program("com.example.ticking", [View("Main", rows)], state={"ticks": 0})


def endless() -> Program:
    """Has no end of anything: states, names of buttons and fields, dialogs, values that are accepted."""

    def count(phone: Phone) -> None:
        phone.state["count"] = phone.state["count"] * 31 + len(str(phone.state["word"])) + 1 & 0xFFFFF

    def leave(phone: Phone) -> None:
        count(phone)
        phone.back()

    def said(words: str) -> Callable[[dict[str, Any]], str]:
        return lambda state: f"{words} {_in_letters(state['count'])}"

    main = View(
        "Main",
        [
            label(said("Page")),
            button(said("Buy"), count, name=""),
            button(said("Save"), goes("Ask"), name=""),
            button("Count", count),
            field("word", hint="Word"),
        ],
    )
    ask = View("Ask", [label(said("Really buy")), field("why"), button("OK", leave)], WindowKind.DIALOG)
    return Program("com.example.endless", [main, ask], state={"count": 0})


def _in_letters(number: int) -> str:
    """Numbers are told apart from words, so that an app which counts has no end of names: this one has."""
    return "".join(chr(ord("a") + int(digit)) for digit in str(number))


def closing() -> Program:
    """Every button ends the app: by itself, by a crash, or by going home."""

    def leave(phone: Phone) -> None:
        raise AppExit

    def crash(phone: Phone) -> None:
        raise Throw("java.lang.IllegalStateException", "closed")

    rows: Sequence[Item] = [
        button("Home", lambda phone: phone.back()),
        button("AppExit", leave),
        button("Crash", crash),
    ]
    return Program("com.example.closing", [View("Main", rows)])


def crashing_at_launch(probability: float = 1.0) -> Program:
    """Crashes before its first screen, in as many worlds as asked."""

    def create(phone: Phone) -> None:
        if probability >= 1.0 or phone.chance(probability):
            raise Throw("java.lang.RuntimeException", "cannot start")

    return Program("com.example.dead", [View("Main", [button("Go")])], on_create=create)


def crowded(widgets: int = 5000) -> Program:
    """A list of thousands of buttons; every one of them does something of its own."""

    def tapped(number: int) -> Handler:
        return lambda phone: phone.state.update(last=number)

    rows = [label(lambda state: f"last: {state['last']}", name="last")]
    rows += [button(f"Row {number}", tapped(number)) for number in range(widgets)]
    return Program("com.example.crowded", [View("Main", rows)], state={"last": -1})
