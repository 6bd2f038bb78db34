"""Slice: the lines and the steps that caused a crash, nearest first, why each is there, and the JSON form of it all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, TypeVar

from fewtaps.model.record import as_int, as_list, as_object, as_text, as_truth, list_in, number_in, text_in, truth_in

FORMAT = "slice"
FORMAT_VERSION = 1
"""The version of the JSON form. A reader refuses any other."""

FIRST_LINES = 10
"""Lines of a slice in issues, in the JSON of a run and in that of crashes."""

MOST_LINES = 100_000
"""A slice with more lines than this is not read from JSON."""


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

    @property
    def source_name(self) -> str:
        """The line as people write it, `Bill.java:19`; without lines, the method and the instruction's number."""
        if self.line:
            return f"{self.file or self.simple_class}:{self.line}"
        where = f"{self.simple_class}.{self.method}"
        return f"{where}, instruction {self.instruction}" if self.instruction >= 0 else where

    @property
    def simple_class(self) -> str:
        """The name of the class without its package."""
        return self.class_name.rpartition(".")[2]

    @property
    def method_name(self) -> str:
        """The class without its package, and the method."""
        return f"{self.simple_class}.{self.method}"


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
    `source` is the line's text in the app's sources, None if they are not known.
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
    source: str | None = None

    @property
    def code(self) -> str:
        """The line's text in the sources, else the instruction as an expression."""
        return self.source if self.source is not None else self.expression


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

    `crash` is the crash in one line, empty for a slice from another line; `crash_type` is the class of its root cause,
    empty for a crash without one and in slices that were made before it was kept. `world` is the world of the recorded
    run. `step_texts` are all steps of that run in words, the launch first. `is_as_paper` marks a slice by ESDroid's
    Algorithm 2.
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
    crash: str = ""
    crash_type: str = ""
    world: int = 0
    step_texts: tuple[str, ...] = ()
    is_as_paper: bool = False

    def step_text(self, number: int) -> str:
        """A step in words; its number alone if the words are not known."""
        return self.step_texts[number] if number < len(self.step_texts) else f"step {number}"

    def with_lines(self, change: Callable[[SlicedLine], SlicedLine]) -> Slice:
        """The slice with each line changed; their number and order stay."""
        return replace(self, lines=tuple(map(change, self.lines)))

    def thinned(self) -> Slice:
        """The thin slice: the criterion and the lines through which the value itself came, with the edges between."""
        return self._only(number for number, line in enumerate(self.lines) if line.thin or number == 0)

    def _only(self, numbers: Iterable[int]) -> Slice:
        new = {old: number for number, old in enumerate(numbers)}
        edges = (
            replace(edge, source=new[edge.source], target=new[edge.target])
            for edge in self.edges
            if edge.source in new and edge.target in new
        )
        lines = tuple(self.lines[old] for old in new)
        ran = {step for line in lines for step in line.steps} | set(self.steps[-1:])
        return replace(
            self,
            lines=lines,
            edges=tuple(edges),
            steps=tuple(step for step in self.steps if step in ran),
            event_edges=tuple(edge for edge in self.event_edges if {edge.source, edge.target} <= ran),
        )


def joined_steps(made: Slice) -> dict[tuple[int, int, EventEdgeKind], list[str]]:
    """By step, the step it depends on and the kind of that: the fields and calls that join them."""
    joined: dict[tuple[int, int, EventEdgeKind], list[str]] = {}
    for edge in made.event_edges:
        names = joined.setdefault((edge.source, edge.target, edge.kind), [])
        if edge.what:
            names.append(edge.what)
    return joined


def first_lines(made: Slice) -> tuple[SlicedLine, ...]:
    """The lines that issues and summaries show: the nearest of the app's own code."""
    return tuple(line for line in made.lines if line.place.is_app)[:FIRST_LINES]


def summary_of(made: Slice) -> dict[str, Any]:
    """The slice in short as JSON data: what it starts from, the steps that matter, the first lines."""
    return {
        "criterion": made.criterion,
        "steps": list(made.steps),
        "lines": [line_to_json(line) for line in first_lines(made)],
        "did_not_happen": [each.sentence for each in made.omissions],
    }


def slice_to_json(made: Slice) -> dict[str, Any]:
    """The slice as JSON data; docs/slicing.md describes each field."""
    return {
        "fewtaps": FORMAT,
        "version": FORMAT_VERSION,
        "criterion": made.criterion,
        "crash": made.crash,
        "crash_type": made.crash_type,
        "world": made.world,
        "as_paper": made.is_as_paper,
        "steps": list(made.steps),
        "step_texts": list(made.step_texts),
        "lines": [line_to_json(line) for line in made.lines],
        "edges": [
            {
                "source": edge.source,
                "target": edge.target,
                "kind": edge.kind.value,
                "what": edge.what,
                "step": edge.step,
            }
            for edge in made.edges
        ],
        "event_edges": [
            {"source": edge.source, "target": edge.target, "kind": edge.kind.value, "what": edge.what}
            for edge in made.event_edges
        ],
        "life": [
            {"station": each.station, "place": _place_to_json(each.place), "step": each.step, "sentence": each.sentence}
            for each in made.life
        ],
        "did_not_happen": [{"place": _place_to_json(each.place), "sentence": each.sentence} for each in made.omissions],
        "guesses": [{"call": each.call, "lines": each.lines} for each in made.guesses],
        "size": {name: getattr(made.size, name) for name in SliceSize.__dataclass_fields__},
        "notes": list(made.notes),
    }


def line_to_json(line: SlicedLine) -> dict[str, Any]:
    """One line of a slice as JSON data."""
    return {
        "place": _place_to_json(line.place),
        "distance": line.distance,
        "kind": line.kind.value,
        "thin": line.thin,
        "steps": list(line.steps),
        "count": line.count,
        "expression": line.expression,
        "value": line.value,
        "reason": line.reason,
        "source": line.source,
    }


def _place_to_json(place: CodePlace) -> dict[str, Any]:
    return {
        "class": place.class_name,
        "method": place.method,
        "descriptor": place.descriptor,
        "file": place.file,
        "line": place.line,
        "instruction": place.instruction,
        "app": place.is_app,
    }


def slice_from_json(record: object) -> Slice:
    """The slice that `slice_to_json` wrote. Raises ValueError, naming the bad field; edges to missing lines are bad."""
    data = as_object("slice", record)
    if data.get("fewtaps") != FORMAT:
        raise ValueError("fewtaps: not a slice")
    if data.get("version") != FORMAT_VERSION:
        raise ValueError(f"version: {data.get('version')!r:.20}, this version of fewtaps reads {FORMAT_VERSION}")
    records = list_in(data, "lines")
    if not 1 <= len(records) <= MOST_LINES:
        raise ValueError(f"lines: {len(records)}, and there must be from 1 to {MOST_LINES}")
    size = as_object("size", data.get("size", {}))
    return Slice(
        criterion=as_text("criterion", data.get("criterion")),
        lines=tuple(map(_line_from_json, records)),
        edges=tuple(_edge_from_json(each, len(records)) for each in list_in(data, "edges")),
        steps=_numbers("steps", list_in(data, "steps")),
        event_edges=tuple(map(_event_edge_from_json, list_in(data, "event_edges"))),
        life=tuple(map(_life_from_json, list_in(data, "life"))),
        omissions=tuple(map(_omission_from_json, list_in(data, "did_not_happen"))),
        guesses=tuple(map(_guess_from_json, list_in(data, "guesses"))),
        size=SliceSize(**{name: _count(size, name) for name in SliceSize.__dataclass_fields__}),
        notes=_texts("notes", list_in(data, "notes")),
        crash=text_in(data, "crash") or "",
        crash_type=text_in(data, "crash_type") or "",
        world=number_in(data, "world"),
        step_texts=_texts("step_texts", list_in(data, "step_texts")),
        is_as_paper=truth_in(data, "as_paper"),
    )


def _line_from_json(record: object) -> SlicedLine:
    data = as_object("lines", record)
    return SlicedLine(
        place=_place_from_json(data.get("place")),
        distance=_count(data, "distance"),
        kind=_member(DependenceKind, "kind", data.get("kind")),
        thin=as_truth("thin", data.get("thin")),
        steps=_numbers("steps", list_in(data, "steps")),
        count=_count(data, "count"),
        expression=text_in(data, "expression") or "",
        value=text_in(data, "value"),
        reason=text_in(data, "reason") or "",
        source=text_in(data, "source"),
    )


def _place_from_json(record: object) -> CodePlace:
    data = as_object("place", record)
    instruction = data.get("instruction")
    return CodePlace(
        class_name=as_text("class", data.get("class")),
        method=as_text("method", data.get("method")),
        descriptor=text_in(data, "descriptor") or "",
        file=text_in(data, "file"),
        line=_count(data, "line"),
        instruction=-1 if instruction is None else as_int("instruction", instruction),
        is_app=truth_in(data, "app", True),
    )


def _edge_from_json(record: object, lines: int) -> Dependence:
    data = as_object("edges", record)
    source, target = _count(data, "source"), _count(data, "target")
    if max(source, target) >= lines:
        raise ValueError(f"edges: line {max(source, target)} of {lines}")
    kind = _member(DependenceKind, "kind", data.get("kind"))
    return Dependence(source, target, kind, text_in(data, "what") or "", _count(data, "step"))


def _event_edge_from_json(record: object) -> EventEdge:
    data = as_object("event_edges", record)
    kind = _member(EventEdgeKind, "kind", data.get("kind"))
    return EventEdge(_count(data, "source"), _count(data, "target"), kind, text_in(data, "what") or "")


def _life_from_json(record: object) -> Life:
    data = as_object("life", record)
    return Life(
        station=as_text("station", data.get("station")),
        place=_place_from_json(data.get("place")),
        step=_count(data, "step"),
        sentence=as_text("sentence", data.get("sentence")),
    )


def _omission_from_json(record: object) -> Omission:
    data = as_object("did_not_happen", record)
    return Omission(_place_from_json(data.get("place")), as_text("sentence", data.get("sentence")))


def _guess_from_json(record: object) -> Guess:
    data = as_object("guesses", record)
    return Guess(as_text("call", data.get("call")), _count(data, "lines"))


_Member = TypeVar("_Member", bound=Enum)


def _member(kind: type[_Member], name: str, value: object) -> _Member:
    try:
        return kind(value)
    except ValueError:
        raise ValueError(f"{name}: {value!r:.40} is none of {', '.join(each.value for each in kind)}") from None


def _count(data: Mapping[str, Any], name: str) -> int:
    """A field that may be absent, which means 0, and is not negative."""
    value = number_in(data, name)
    if value < 0:
        raise ValueError(f"{name}: {value} is negative")
    return value


def _numbers(name: str, values: list[Any]) -> tuple[int, ...]:
    numbers = tuple(as_int(name, value) for value in as_list(name, values))
    if any(number < 0 for number in numbers):
        raise ValueError(f"{name}: a negative number")
    return numbers


def _texts(name: str, values: list[Any]) -> tuple[str, ...]:
    return tuple(as_text(name, value) for value in values)
