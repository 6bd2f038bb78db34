"""Slice: the lines and the steps that caused a crash, nearest first, and why each of them is there."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class DependenceKind(Enum):
    """Why one instruction depends on another."""

    CRITERION = "criterion"
    """The instruction that failed itself."""
    DATA = "data"
    """It wrote the value that was read."""
    BASE = "base"
    """It gave the object, the array or the index through which the value was read: part of the full slice only."""
    CONTROL = "control"
    """It decided that the other one ran."""
    CALL = "call"
    """It called the method in which the other one ran."""
    HANDED = "handed"
    """It started, posted, sent or scheduled the work in which the other one ran."""
    REGISTERED = "registered"
    """It registered the callback in which the other one ran."""
    LIFECYCLE = "lifecycle"
    """One callback of an activity had to end before the other could begin."""
    GUESSED = "guessed"
    """A call without code here may have passed the value on."""


class EventEdgeKind(Enum):
    """Why one event depends on another (the paper's Figures 4 and 5)."""

    DATA = "data"
    CONTROL = "control"
    LIFECYCLE = "lifecycle"


@dataclass(frozen=True, slots=True)
class CodePlace:
    """A line of the app. `line` is 0 where the build has no lines; `instruction` is then its number in the method."""

    class_name: str
    method: str
    descriptor: str
    file: str | None
    line: int
    instruction: int = -1
    is_app: bool = True


@dataclass(frozen=True, slots=True)
class Dependence:
    """One edge of the slice: line number `source` (in `Slice.lines`) depends on line number `target`."""

    source: int
    target: int
    kind: DependenceKind
    what: str = ""
    """The variable, field or element that carries the value, as a programmer names it; empty for control."""
    step: int = 0
    """The number of the step in which the target ran."""


@dataclass(frozen=True, slots=True)
class SlicedLine:
    """One line of the slice.

    `distance` counts the dependences from the criterion. `kind` is that of the first dependence that led here. `thin`
    says whether the thin slice has it. `steps` are the numbers of the steps in which instances of it are in the slice
    (0 is the launch), `count` is how many instances. `expression` is the instruction as a programmer writes it,
    `value` the value seen there last, None if it was not recorded. `reason` says in words why the line is there.
    """

    place: CodePlace
    distance: int
    kind: DependenceKind
    thin: bool
    steps: tuple[int, ...]
    count: int = 1
    expression: str = ""
    value: str | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class EventEdge:
    """Step `source` depends on step `target`; `what` names the field or the call that joins them."""

    source: int
    target: int
    kind: EventEdgeKind
    what: str = ""


@dataclass(frozen=True, slots=True)
class Omission:
    """Something that did not happen and would have mattered: shown apart from the slice."""

    place: CodePlace
    sentence: str


@dataclass(frozen=True, slots=True)
class Guess:
    """A call without code here, of which it had to be guessed what it passes on, and how many lines hang on that."""

    call: str
    lines: int


@dataclass(frozen=True, slots=True)
class Life:
    """One station of the value's life: made, passed, stored, read or fatal."""

    station: str
    place: CodePlace
    step: int
    sentence: str


@dataclass(frozen=True, slots=True)
class SliceSize:
    """What a slice is made of, and what was executed in all."""

    instructions: int = 0
    lines: int = 0
    methods: int = 0
    steps: int = 0
    thin_instructions: int = 0
    thin_lines: int = 0
    executed_instructions: int = 0
    executed_lines: int = 0


@dataclass(frozen=True, slots=True)
class Slice:
    """Why it happened. `lines` are nearest first; line 0 is the criterion; `edges` join them by their numbers.

    `criterion` says in words what was sliced from. `steps` are the numbers of the steps that matter, the last one is
    the one that crashed. `life` tells where the value in error came from.
    """

    criterion: str
    lines: tuple[SlicedLine, ...]
    edges: tuple[Dependence, ...] = ()
    steps: tuple[int, ...] = ()
    event_edges: tuple[EventEdge, ...] = ()
    life: tuple[Life, ...] = ()
    omissions: tuple[Omission, ...] = ()
    guesses: tuple[Guess, ...] = ()
    size: SliceSize = SliceSize()
    notes: tuple[str, ...] = ()
