"""Telling: the executions of a slice folded into lines, with reasons in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from fewtaps.model.recorded_code import Instruction, Op
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
from fewtaps.slicing.code_tables import CAPTURED, MethodTable
from fewtaps.slicing.criteria import Criterion
from fewtaps.slicing.dependences import Dependences
from fewtaps.slicing.expressions import origins
from fewtaps.slicing.graph import MOST_EXECUTIONS, DependenceGraph, Visit
from fewtaps.slicing.monitors import MONITOR
from fewtaps.slicing.nodes import (
    CONTENT,
    MADE,
    PUT,
    WHOLE,
    CallSite,
    Edge,
    Node,
    local_name,
)
from fewtaps.slicing.omissions import MOST as MOST_OMISSIONS
from fewtaps.slicing.omissions import omissions_of
from fewtaps.slicing.passing import PassingRun, compared_with, compared_with_earlier
from fewtaps.slicing.places import LineKey, executed, line_key, place_of, where

_WEIGHT = {
    Op.PUT_FIELD: 9,
    Op.PUT_STATIC: 9,
    Op.ARRAY_STORE: 9,
    Op.THROW: 9,
    Op.STORE: 8,
    Op.INC: 8,
    Op.RETURN: 8,
    Op.CALL: 7,
    Op.BRANCH: 7,
    Op.SWITCH: 7,
    Op.MATH: 5,
    Op.ARRAY_LOAD: 5,
    Op.NEW: 4,
    Op.NEW_ARRAY: 5,
    Op.CAST: 3,
    Op.GET_FIELD: 3,
    Op.GET_STATIC: 3,
    Op.COMPARE: 3,
    Op.LENGTH: 3,
    Op.CONVERT: 2,
    Op.CONST: 1,
    Op.LOAD: 1,
}
_TEMPORARY = 6
"""The weight of a value's copy to a local without a name: the call or the condition that uses it says more."""
_BY_INSTRUCTION = (
    DependenceKind.CONTROL,
    DependenceKind.CALL,
    DependenceKind.HANDED,
    DependenceKind.REGISTERED,
)
"""Dependences on one instruction of a line; it is shown, and not the most telling one of the line."""
_CARRIES_DATA = (DependenceKind.DATA, DependenceKind.BASE, DependenceKind.GUESSED)


@dataclass(slots=True)
class _LineInSlice:
    """One line of the slice while it is put together."""

    key: LineKey
    visit: Visit
    node: Node
    nodes: list[Node] = field(default_factory=list)
    rows: set[int] = field(default_factory=set)
    instructions: set[int] = field(default_factory=set)
    steps: set[int] = field(default_factory=set)


class Telling:
    """Makes the `Slice` of a graph."""

    def __init__(
        self,
        dependences: Dependences,
        criterion: Criterion,
        full: DependenceGraph,
        thin: DependenceGraph,
        values: Mapping[tuple[str, str, int], Sequence[str]] | None,
    ) -> None:
        self.dependences = dependences
        self.index = dependences.index
        self.criterion = criterion
        self.full = full
        self.thin = thin
        self.values = values or {}
        self._keys: dict[int, dict[int, LineKey]] = {}
        self._events: dict[int, int] = {}
        self._thin_keys = {self.key(node) for node in thin.visits if not self.is_hidden(node)}

    def slice(self, *, thin: bool, passing: PassingRun | None = None) -> Slice:
        """The slice: all of it, or the thin part; `passing` is a run of the same steps that does not crash."""
        graph = self.thin if thin else self.full
        thin_keys = self._thin_keys
        lines = self._lines(graph)
        ordered = sorted(lines.values(), key=self._rank)
        numbers = {line.key: number for number, line in enumerate(ordered)}
        steps = tuple(sorted({step for line in ordered for step in line.steps} | set(self._inputs(graph).values())))
        return Slice(
            criterion=self.criterion.sentence,
            lines=tuple(self._told(line, line.key in thin_keys) for line in ordered),
            edges=tuple(self._edges(graph, numbers)),
            steps=steps,
            event_edges=tuple(self._event_edges(graph)),
            life=tuple(self._life()),
            omissions=self._omissions(passing),
            guesses=tuple(self._guesses(graph)),
            size=self._size(),
            notes=tuple(self._notes()),
        )

    def _omissions(self, passing: PassingRun | None) -> tuple[Omission, ...]:
        """What did not happen: by comparison with a passing run first, then by the code, then by earlier steps."""
        found: dict[CodePlace, Omission] = {}
        compared = compared_with(self.dependences, self.full, self.thin, passing) if passing is not None else ()
        own = omissions_of(self.dependences, self.thin)
        for each in (*compared, *own, *compared_with_earlier(self.dependences, self.thin)):
            known = found.get(each.place)
            if known is None:
                found[each.place] = each
            elif known.sentence != each.sentence and each in own:
                found[each.place] = Omission(each.place, f"{each.sentence}; {known.sentence}")
        return tuple(found.values())[:MOST_OMISSIONS]

    # Lines.

    def is_hidden(self, node: Node) -> bool:
        """Whether the line of a node is not one of the slice for its sake."""
        method = self.index.frame_of(node.row).method
        return method.is_hidden or (node.instruction in method.shared_constants and node != self.full.criterion)

    def key(self, node: Node) -> LineKey:
        """The line of a node."""
        method = self.index.frame_of(node.row).method
        known = self._keys.setdefault(method.number, {})
        found = known.get(node.instruction)
        if found is None:
            found = known[node.instruction] = line_key(method, node.instruction)
        return found

    def event(self, row: int) -> int:
        """The step in which a row was written."""
        found = self._events.get(row)
        if found is None:
            found = self._events[row] = self.index.event_of(row)
        return found

    def _lines(self, graph: DependenceGraph) -> dict[LineKey, _LineInSlice]:
        lines: dict[LineKey, _LineInSlice] = {}
        for node, visit in graph.visits.items():
            if self.is_hidden(node):
                continue
            key = self.key(node)
            line = lines.get(key)
            if line is None:
                line = lines[key] = _LineInSlice(key, visit, node)
            elif visit.distance < line.visit.distance:
                line.visit, line.node = visit, node
            line.nodes.append(node)
            line.rows.add(node.row)
            line.instructions.add(node.instruction)
            line.steps.add(self.event(node.row))
        return lines

    def _rank(self, line: _LineInSlice) -> tuple[int, int, int, int]:
        is_criterion = line.visit.source is None
        # The value's own way counts half: a developer follows it first.
        distance = line.visit.distance if line.key in self._thin_keys else 2 * (line.visit.distance + 1)
        kind = line.visit.edge.kind if line.visit.edge is not None else DependenceKind.CRITERION
        order = (DependenceKind.CRITERION, DependenceKind.DATA, DependenceKind.GUESSED, DependenceKind.CONTROL)
        place = order.index(kind) if kind in order else len(order)
        return (0 if is_criterion else 1, distance, place, -int(self.index.time[line.node.row]))

    def place(self, node: Node) -> CodePlace:
        """The line of a node as a place in the code."""
        return place_of(self.index.frame_of(node.row).method, node.instruction)

    def _told(self, line: _LineInSlice, thin: bool) -> SlicedLine:
        method = self.index.frame_of(line.node.row).method
        code = method.code.instructions
        # A line may have code of several methods, such as a lambda's; the expression is of the one that led here.
        own = {node.instruction for node in line.nodes if self.index.frame_of(node.row).method is method}
        main = max(own, key=lambda each: (_weight(code[each]), each))
        if line.visit.source is None:
            main = self.criterion.instruction
        elif line.visit.edge is not None and line.visit.edge.kind in _BY_INSTRUCTION:
            main = line.node.instruction
        return SlicedLine(
            place=self.place(line.node),
            distance=line.visit.distance,
            kind=line.visit.edge.kind if line.visit.edge is not None else DependenceKind.CRITERION,
            thin=thin,
            steps=tuple(sorted(line.steps)),
            count=self._executions(line),
            expression=executed(self.dependences, self._shown_row(line, main), main),
            value=self._value(line, method, main),
            reason=self._reason(line),
        )

    @staticmethod
    def _shown_row(line: _LineInSlice, main: int) -> int:
        """The execution that stands for the line: the nearest one, else the first that was reached."""
        if line.node.instruction == main:
            return line.node.row
        return next((node.row for node in line.nodes if node.instruction == main), line.node.row)

    def _executions(self, line: _LineInSlice) -> int:
        """How often the line ran, as far as the slice has it: the executions of its most frequent block."""
        return max(Counter(int(self.index.row_payload[row]) for row in line.rows).values())

    def _value(self, line: _LineInSlice, method: MethodTable, main: int) -> str | None:
        """The value of the last execution in the slice."""
        rows = [node.row for node in line.nodes if node.instruction == main]
        seen = self.values.get((method.owner.name, f"{method.code.name}{method.code.descriptor}", main))
        if not rows or not seen:
            return None
        execution = self.execution(max(rows, key=lambda row: int(self.index.time[row])), main)
        return seen[execution] if execution < len(seen) else None

    def execution(self, row: int, instruction: int) -> int:
        """How many executions of an instruction came before the one in the block at `row`."""
        return executions_before(self.dependences, row, instruction)

    def _reason(self, line: _LineInSlice) -> str:
        edge, source = line.visit.edge, line.visit.source
        # Methods that the compiler made are looked through: the reason names the line that uses what they pass on.
        while source is not None and self.is_hidden(source):
            source = self._visit(source).source
        if edge is None or source is None:
            return self.criterion.sentence
        reader, step = self._where(source), self.event(source.row)
        when = f" in step {step}" if step else " at launch"
        what = edge.what
        method = self.index.frame_of(line.node.row).method
        code = method.code.instructions[line.node.instruction]
        match edge.kind:
            case DependenceKind.DATA if line.node.role == MADE:
                return f"makes the object whose {what or 'content'} was never written, read at {reader}{when}"
            case DependenceKind.DATA if code.op is Op.STORE and not code.name:
                return f"gives the value, used at {reader}{when}"
            case DependenceKind.DATA if code.op in (Op.PUT_FIELD, Op.PUT_STATIC, Op.ARRAY_STORE, Op.STORE, Op.INC):
                return f"writes {what or self._target(method, line.node.instruction)}, read at {reader}{when}"
            case DependenceKind.DATA if code.op is Op.CALL and line.node.role > 0:
                return f"passes {what or 'the value'} to {reader}{when}"
            case DependenceKind.DATA if code.op is Op.CALL and line.node.role == PUT:
                return f"puts {what or 'the value'}, read at {reader}{when}"
            case DependenceKind.DATA if code.op is Op.RETURN:
                return f"returns the result of {what or 'the call'}, used at {reader}{when}"
            case DependenceKind.DATA:
                return f"gives {what or 'the value'}, used at {reader}{when}"
            case DependenceKind.BASE:
                return f"gives the object, index or key used at {reader}{when}"
            case DependenceKind.CONTROL if what == MONITOR:
                part = "enters the monitor" if code.op is Op.MONITOR else "is where the thread stands with the monitor"
                return f"{part} for which {reader} waits{when}"
            case DependenceKind.CONTROL:
                return f"decides whether {reader} runs{when}"
            case DependenceKind.CALL:
                return f"calls the method with {reader}{when}"
            case DependenceKind.HANDED:
                return f"starts the work with {reader}{when}" + (f" ({what})" if what else "")
            case DependenceKind.REGISTERED:
                return f"registers the callback with {reader}{when}" + (f" ({what})" if what else "")
            case DependenceKind.LIFECYCLE:
                return f"had to end before {reader} could run{when}"
            case DependenceKind.GUESSED:
                return f"may have given {what or 'the value'} used at {reader}{when}"
            case DependenceKind.CRITERION:
                return self.criterion.sentence

    def _visit(self, node: Node) -> Visit:
        found = self.full.visits.get(node) or self.thin.visits.get(node)
        assert found is not None
        return found

    def _target(self, method: MethodTable, instruction: int) -> str:
        code = method.code.instructions[instruction]
        return code.field.name if code.field is not None else local_name(code, method) if code.local >= 0 else "it"

    def _where(self, node: Node) -> str:
        return where(self.index.frame_of(node.row).method, node.instruction)

    # Edges.

    def _edges(self, graph: DependenceGraph, numbers: Mapping[LineKey, int]) -> Iterator[Dependence]:
        seen: set[tuple[int, int, DependenceKind, str, int]] = set()
        for node, edge in self._shown_edges(graph):
            source, target = numbers[self.key(node)], numbers[self.key(edge.target)]
            step = self.event(edge.target.row)
            key = (source, target, edge.kind, edge.what, step)
            if source != target and key not in seen:
                seen.add(key)
                yield Dependence(source, target, edge.kind, edge.what, step)

    def _shown_edges(self, graph: DependenceGraph) -> Iterator[tuple[Node, Edge]]:
        """The edges between lines that are shown; one that leads into a hidden method goes on to where that leads."""
        following: dict[Node, list[Edge]] = {}
        hidden: dict[Node, bool] = {node: self.is_hidden(node) for node in graph.visits}
        if not any(hidden.values()):
            yield from graph.edges
            return
        for node, edge in graph.edges:
            if hidden[node]:
                following.setdefault(node, []).append(edge)
        for node, edge in graph.edges:
            if hidden[node]:
                continue
            waiting, seen = [edge], {edge.target}
            while waiting:
                each = waiting.pop()
                if not hidden[each.target]:
                    yield node, each
                    continue
                for more in following.get(each.target, ()):
                    if more.target not in seen:
                        seen.add(more.target)
                        waiting.append(Edge(more.target, edge.kind, edge.what or more.what))

    def _inputs(self, graph: DependenceGraph) -> dict[Node, int]:
        """The reads of the slice whose value no line gave, with the steps that did."""
        return {node: step for node, step in self.dependences.inputs.items() if node in graph.visits}

    def _event_edges(self, graph: DependenceGraph) -> Iterator[EventEdge]:
        seen: set[tuple[int, int, EventEdgeKind, str]] = set()
        found: list[EventEdge] = []
        for node, step in self._inputs(graph).items():
            typed = EventEdge(self.event(node.row), step, EventEdgeKind.DATA, self._target_of(node))
            if typed.source != step and typed not in found:
                found.append(typed)
        for node, edge in graph.edges:
            source, target = self.event(node.row), self.event(edge.target.row)
            lifecycle = edge.kind is DependenceKind.LIFECYCLE
            if source == target and not lifecycle:
                continue
            carries = edge.kind in _CARRIES_DATA
            kind = EventEdgeKind.LIFECYCLE if lifecycle else EventEdgeKind.DATA if carries else EventEdgeKind.CONTROL
            what = edge.what or self._target_of(edge.target)
            if what == "this" or what.startswith(CAPTURED):
                continue
            if (source, target, kind, what) not in seen:
                seen.add((source, target, kind, what))
                found.append(EventEdge(source, target, kind, what))
        yield from sorted(found, key=lambda each: (-each.source, -each.target, each.kind.value, each.what))

    def _target_of(self, node: Node) -> str:
        method = self.index.frame_of(node.row).method
        code = method.code.instructions[node.instruction]
        if code.called is not None:
            return f"{code.called.name}()"
        return self._target(method, node.instruction) if code.field is not None or code.local >= 0 else method.label

    # The value's life.

    def _life(self) -> Iterator[Life]:
        """The way of the value in error, along the data dependences of the thin slice, from its making."""
        chain: list[tuple[Node, str]] = [(self.full.criterion, "")]
        seen = {self.full.criterion}
        following: dict[Node, list[tuple[Node, str]]] = {}
        also = {Node(*each) for each in self.criterion.also}
        for node, edge in self.thin.edges:
            if edge.kind in _CARRIES_DATA and not (node == self.thin.criterion and edge.target in also):
                following.setdefault(node, []).append((edge.target, edge.what))
        first = following.get(self.full.criterion, [])
        code = self.index.frame_of(self.criterion.row).method.code.instructions[self.criterion.instruction]
        if code.op in (Op.ARRAY_LOAD, Op.ARRAY_STORE) and len(first) > 1:
            # Of a wrong index, the stations are those of the index: the array was made with its length.
            following[self.full.criterion] = [first[1], first[0], *first[2:]]
        while True:
            last_node = chain[-1][0]
            options = [
                each
                for each in following.get(last_node, ())
                if each[0] not in seen and self._carries_on(last_node, each[0])
            ]
            if not options or len(seen) > 10_000:
                break
            seen.add(options[0][0])
            chain.append(options[0])
            if self._never_put(chain[-2][0], options[0][0]):
                break
        chain = [each for each in chain if not self.is_hidden(each[0])]
        stations: list[Life] = []
        last: tuple[LineKey, str] | None = None
        for position in range(len(chain) - 1, -1, -1):
            node, what = chain[position]
            station = self._station(node, position, len(chain))
            key = (self.key(node), station)
            if station and key != last:
                last = key
                sentence = self._station_sentence(node, station, what)
                if station == "made" and position and what and self._never_put(chain[position - 1][0], node):
                    sentence = f"{sentence}: nothing was put under {what}"
                stations.append(Life(station, self.place(node), self.event(node.row), sentence))
        if len(stations) > 12:
            stations = [*stations[:5], *stations[-7:]]
        yield from stations

    def _carries_on(self, node: Node, source: Node) -> bool:
        """Whether the way of the value leads from a node to its source.

        It does not from a call to a constant that the call names, nor to what a call was given that returned null.
        """
        frame = self.index.frame_of(node.row)
        if frame.method.code.instructions[node.instruction].op is not Op.CALL or node.role == PUT:
            return True
        return not self._is_constant(source) and (source.role == PUT or not self._gave_null(node))

    def _is_constant(self, node: Node) -> bool:
        """Whether an instruction is a constant, or a copy of one to a local without a name."""
        table = self.index.frame_of(node.row).method
        code = table.code.instructions
        if code[node.instruction].op not in (Op.LOAD, Op.STORE) or code[node.instruction].name:
            return code[node.instruction].op is Op.CONST
        behind = origins(table, node.instruction, 0)
        return bool(behind) and all(each >= 0 and code[each].op is Op.CONST for each in behind)

    def _gave_null(self, node: Node) -> bool:
        """Whether a call without code here returned null."""
        frame = self.index.frame_of(node.row)
        code = frame.method.code.instructions[node.instruction]
        if code.called is None or not code.called.beyond or node.role not in (WHOLE, CONTENT):
            return False
        answered = self.dependences.direct_child(frame, node.row, node.instruction) is not None
        return not answered and self.index.object_of(frame, node.row, node.instruction, after=True) == 0

    def _never_put(self, reader: Node, source: Node) -> bool:
        """Whether a call reads an entry by its key of which the making of the container is all that is known."""
        frame = self.index.frame_of(reader.row)
        instructions = frame.method.code.instructions
        if instructions[reader.instruction].called is None or source.role not in (WHOLE, MADE):
            return False
        if self.index.frame_of(source.row).method.code.instructions[source.instruction].op not in (Op.CALL, Op.NEW):
            return False
        if self.dependences.direct_child(frame, reader.row, reader.instruction) is not None:
            return False
        time = self.dependences.time_of(frame, reader.row, reader.instruction)
        return self.dependences.effect(CallSite(frame, reader.row, reader.instruction, time)).word == "gets"

    def _station(self, node: Node, position: int, length: int) -> str:
        code = self.index.frame_of(node.row).method.code.instructions[node.instruction]
        if position == 0:
            return "fatal"
        if position == length - 1:
            return "made"
        if code.op in (Op.PUT_FIELD, Op.PUT_STATIC, Op.ARRAY_STORE) or (code.op is Op.CALL and node.role == PUT):
            return "stored"
        if code.op in (Op.GET_FIELD, Op.GET_STATIC, Op.ARRAY_LOAD):
            return "read"
        if code.op is Op.RETURN or (code.op is Op.CALL and node.role >= 0):
            return "passed"
        return ""

    def _station_sentence(self, node: Node, station: str, what: str) -> str:
        method = self.index.frame_of(node.row).method
        code = method.code.instructions[node.instruction]
        text = executed(self.dependences, node.row, node.instruction)
        if station == "made" and node.role == MADE:
            step = self.event(node.row)
            since = f"since step {step}" if step else "since the launch"
            return f"{text}: nothing was written to {what or 'it'} {since}"
        if station == "made" and code.op in (Op.GET_FIELD, Op.GET_STATIC, Op.ARRAY_LOAD):
            began = self.index.process_began(int(self.index.time[node.row]))
            anew = code.op is Op.GET_STATIC and began >= 0
            since = f" since the process began anew in step {self.index.event_at(began)}" if anew else ""
            return f"{text}: nothing had been written{since}"
        if station == "made" and code.op is Op.CALL and self._gave_null(node):
            return f"{text}: it returned null"
        return text

    # What it is made of.

    def _guesses(self, graph: DependenceGraph) -> Iterator[Guess]:
        counts: dict[str, set[LineKey]] = {}
        owner: dict[Node, str | None] = {}
        for node, visit in graph.visits.items():
            own = self.dependences.guesses.get(visit.source) if visit.source is not None else None
            inherited = owner.get(visit.source) if visit.source is not None else None
            owner[node] = own or inherited
            if owner[node] is not None:
                counts.setdefault(owner[node] or "", set()).add(self.key(node))
        for node in graph.visits:
            if node in self.dependences.guesses:
                counts.setdefault(self.dependences.guesses[node], set())
        for name, lines in sorted(counts.items(), key=lambda each: (-len(each[1]), each[0])):
            yield Guess(name, len(lines))

    def _size(self) -> SliceSize:
        def counted(graph: DependenceGraph) -> tuple[int, int]:
            shown = [node for node in graph.visits if not self.is_hidden(node)]
            instructions = {(self.index.frame_of(node.row).method.number, node.instruction) for node in shown}
            return len(instructions), len({self.key(node) for node in shown})

        executed, lines = self.index.executed
        full, thin = counted(self.full), counted(self.thin)
        return SliceSize(
            instructions=full[0],
            lines=full[1],
            methods=len({self.index.frame_of(node.row).method.number for node in self.full.visits}),
            steps=len({self.event(node.row) for node in self.full.visits} | set(self._inputs(self.full).values())),
            thin_instructions=thin[0],
            thin_lines=thin[1],
            executed_instructions=executed,
            executed_lines=lines,
        )

    def _notes(self) -> Iterator[str]:
        record = self.index.record
        if not record.complete:
            yield "the recording reached its limit: later words are missing"
        if self.full.is_cut:
            yield (
                f"more than {MOST_EXECUTIONS:,} executions belong to it: of what ran again and again, the nearest were "
                "followed, and lines can be missing on which only earlier ones depend"
            )
        if not record.ordered:
            yield "a thread wrote while it did not have its turn: the order of its instructions is not certain"
        opaque = sorted(
            f"{owner.name}.{method.name} ({method.opaque})"
            for owner in record.code.classes.values()
            for method in owner.methods
            if method.opaque is not None
        )
        if opaque:
            yield f"not recorded: {', '.join(opaque[:5])}" + (f" and {len(opaque) - 5} more" if len(opaque) > 5 else "")


def executions_before(dependences: Dependences, row: int, instruction: int) -> int:
    """How many executions of an instruction came before the one in the block at `row`."""
    index = dependences.index
    times = index.block_times.before(int(index.row_payload[row]), int(index.time[row]))
    rows = index.row_of[times]
    cut_short = rows[np.isin(rows, index.failed_rows)].tolist()
    return len(rows) - sum(not index.ran(index.frame_of(each), each, instruction) for each in cut_short)


def _weight(code: Instruction) -> int:
    """How much an instruction tells about its line."""
    return _TEMPORARY if code.op is Op.STORE and not code.name else _WEIGHT.get(code.op, 0)
