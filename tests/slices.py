"""Slices made by hand, for tests of what is done with a slice."""

from __future__ import annotations

from fewtaps.model.slice import (
    CodePlace,
    Dependence,
    DependenceKind,
    EventEdge,
    EventEdgeKind,
    Guess,
    Life,
    Omission,
    Slice,
    SlicedLine,
    SliceSize,
)


def place(line: int, method: str = "split", class_name: str = "com.example.Bill", *, is_app: bool = True) -> CodePlace:
    """A line of `Bill.java`, or of the file that a class of another name has."""
    return CodePlace(class_name, method, "()V", f"{class_name.rpartition('.')[2]}.java", line, is_app=is_app)


def bill_slice() -> Slice:
    """A bill that is split among no people: the last step divides by a field that the one before set to 0."""
    fatal, store, made = place(19), place(31, "onLess"), place(8, "<init>")
    library = place(44, "tap", "lib.Button", is_app=False)
    lines = (
        SlicedLine(fatal, 0, DependenceKind.CRITERION, True, (3,), 1, "total / people", "0", "divides by `people`"),
        SlicedLine(
            store, 1, DependenceKind.DATA, True, (1, 2), 2, "people = people - 1", "0",
            "writes `people` = 0, read at Bill.java:19 in step 3",
        ),
        SlicedLine(library, 2, DependenceKind.CALL, False, (1, 2), 2, "listener.onClick(this)", None, "called onLess"),
        SlicedLine(made, 2, DependenceKind.DATA, True, (0,), 1, "people = 2", "2", "writes `people` = 2"),
    )  # fmt: skip
    return Slice(
        criterion="the divisor at Bill.java:19",
        lines=lines,
        edges=(
            Dependence(0, 1, DependenceKind.DATA, "people", 2),
            Dependence(1, 1, DependenceKind.DATA, "people", 1),
            Dependence(1, 2, DependenceKind.CALL, "", 2),
            Dependence(1, 3, DependenceKind.DATA, "people", 0),
        ),
        steps=(0, 1, 2, 3),
        event_edges=(
            EventEdge(3, 2, EventEdgeKind.DATA, "people"),
            EventEdge(2, 0, EventEdgeKind.CONTROL, "setOnClickListener"),
            EventEdge(2, 1, EventEdgeKind.LIFECYCLE, "onPause before onCreate"),
        ),
        life=(
            Life("made", made, 0, "`people` is 2"),
            Life("stored", store, 2, "`people` becomes 0"),
            Life("fatal", fatal, 3, "divided by `people` = 0"),
        ),
        omissions=(Omission(place(34, "onLess"), "the branch that keeps `people` above 0 was not taken in step 2"),),
        guesses=(Guess("android.view.View.getTag", 1),),
        size=SliceSize(4, 4, 3, 4, 3, 3, 900, 60),
        notes=("recorded in one window",),
        crash="java.lang.ArithmeticException: / by zero",
        crash_type="java.lang.ArithmeticException",
        world=7,
        step_texts=("launch", "tap Less", "tap Less", "tap Split"),
    )


HOSTILE = "</script><img src=x onerror=alert(1)>\x1b[31m\u202e\ud800`|@me\r\n&amp;\"'"
"""A text that ends scripts, moves cursors, turns the direction of text, and is no valid Unicode."""


def hostile_slice() -> Slice:
    """A slice whose every text was written by an attacker."""
    where = CodePlace(HOSTILE, HOSTILE, HOSTILE, HOSTILE, 3)
    line = SlicedLine(where, 0, DependenceKind.CRITERION, True, (0, 1), 1, HOSTILE, HOSTILE, HOSTILE, HOSTILE)
    return Slice(
        criterion=HOSTILE,
        lines=(line, line),
        edges=(Dependence(0, 1, DependenceKind.DATA, HOSTILE, 0),),
        steps=(0, 1),
        event_edges=(EventEdge(1, 0, EventEdgeKind.DATA, HOSTILE),),
        life=(Life(HOSTILE, where, 0, HOSTILE),),
        omissions=(Omission(where, HOSTILE),),
        guesses=(Guess(HOSTILE, 1),),
        notes=(HOSTILE,),
        crash=HOSTILE,
        step_texts=(HOSTILE, HOSTILE),
    )


def long_slice(lines: int) -> Slice:
    """A slice of so many lines in a row, in several methods, each with long texts."""
    made = [
        SlicedLine(
            place(1 + number, f"method{number % 40}"), number, DependenceKind.DATA, number % 2 == 0, (0, 1),
            1, f"value{number} = value{number + 1} + {'x' * 60}", "v" * 150, f"writes `value{number}` {'y' * 80}",
        )
        for number in range(lines)
    ]  # fmt: skip
    edges = tuple(Dependence(number, number + 1, DependenceKind.DATA, f"value{number}") for number in range(lines - 1))
    return Slice("the value at Bill.java:1", tuple(made), edges, (0, 1), step_texts=("launch", "tap Split"))
