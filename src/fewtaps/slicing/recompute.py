"""Recomputing: the values at the criterion, computed anew from the instructions of the slice alone.

The instructions of the slice are evaluated as the JVM would do it: calculations, comparisons, copies of variables,
parameters and results of methods that are recorded. Memory holds what the slice's own stores wrote, so a store that is
missing from the slice shows as another value. The results of calls without code here, and what objects hold that such
calls made, are taken from the recording.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from fewtaps.model.numerals import signed_number
from fewtaps.model.recorded_code import RETURNS, Op
from fewtaps.model.run_record import SeenValue, Word
from fewtaps.slicing.arithmetic import NoResult, Number, calculated, compared, converted, jumps, wrapped
from fewtaps.slicing.checking import ValuesByRow
from fewtaps.slicing.code_tables import types_in
from fewtaps.slicing.dependences import Dependences
from fewtaps.slicing.graph import DependenceGraph
from fewtaps.slicing.known_calls import characters_of, known_result
from fewtaps.slicing.nodes import (
    CHANGED,
    CONTENT,
    MADE,
    PUT,
    WHOLE,
    CallSite,
    Node,
)
from fewtaps.slicing.places import where
from fewtaps.slicing.recorded_values import NULL, ObjectValue, StringText, Value, same_value, value_of
from fewtaps.slicing.recording import CallFrame

_Instance = tuple[int, int]
"""The row of a block and the number of an instruction."""
_COPIES = (Op.LOAD, Op.STORE, Op.CAST, Op.RETURN, Op.THROW, Op.PUT_FIELD, Op.PUT_STATIC, Op.ARRAY_STORE)
_COPIED_OPERAND = {Op.PUT_FIELD: 1, Op.ARRAY_STORE: 2}
_VALUE_ROLES = (WHOLE, CONTENT, MADE)
"""In these roles the value of an instruction is part of the slice, and not only that it ran or what it passed on."""
_WITHOUT_VALUE = (Op.GOTO, Op.MONITOR)
_REAL_TYPES = ("F", "D", "float[]", "double[]")


@dataclass(frozen=True, slots=True)
class OtherValue:
    """A value that comes out otherwise: where, the value computed from the slice, and the one that was recorded."""

    place: str
    computed: str
    recorded: str


@dataclass(frozen=True, slots=True)
class Recomputed:
    """How many values of the slice were computed anew, and those that came out otherwise.

    `criterion` counts the values and decisions from which the slice starts, `values` all of them. `given` are results
    of calls and the like, which were taken from the recording. `missing` names instructions that the computation needs
    and the slice does not have.
    """

    criterion: int
    values: int
    given: int
    wrong: tuple[OtherValue, ...] = ()
    missing: tuple[str, ...] = ()


class _Needs(Exception):
    """The value of another instance has to be computed first."""

    def __init__(self, instance: _Instance) -> None:
        super().__init__()
        self.instance = instance


class _Lost(Exception):
    """A value depends on an instruction that the slice does not have."""


class _Given(Exception):
    """The value has to be taken from the recording: it came from code that is not recorded."""


@dataclass(frozen=True, slots=True)
class _Missing:
    place: str


def recompute(dependences: Dependences, thin: DependenceGraph, values: Sequence[SeenValue]) -> Recomputed:
    """Computes all values of a thin slice anew and compares them with those of a replay."""
    return _Recomputation(dependences, thin, values).all()


class _Recomputation:
    """The values of the instances of a slice, each computed when another one needs it."""

    def __init__(self, dependences: Dependences, graph: DependenceGraph, values: Sequence[SeenValue]) -> None:
        self._dependences = dependences
        self._index = dependences.index
        self._graph = graph
        self._instances = {(node.row, node.instruction) for node in graph.visits}
        self._with_value = {(node.row, node.instruction) for node in graph.visits if node.role in _VALUE_ROLES}
        self._recorded = ValuesByRow(dependences, values)
        self._done: dict[_Instance, Value | _Missing] = {}
        self._given: set[_Instance] = set()
        self._missing: dict[str, None] = {}
        self._stores: dict[tuple[object, ...], list[tuple[int, int, _Instance]]] = {}
        self._remember_stores()

    def all(self) -> Recomputed:
        """Computes all, and compares."""
        at_criterion = self._of_criterion()
        wrong: list[OtherValue] = []
        count = 0
        # What failed has no value of its own.
        own = (self._graph.criterion.row, self._graph.criterion.instruction)
        wanted = sorted(self._with_value - {own}, key=lambda each: (int(self._index.time[each[0]]), each[1]))
        for instance in dict.fromkeys([*at_criterion, *wanted]):
            pair = self._compared(instance)
            if pair is None:
                continue
            count += 1
            computed, recorded = pair
            if not same_value(computed, recorded):
                wrong.append(OtherValue(self._place(instance), str(computed), str(recorded)))
        return Recomputed(len(at_criterion), count, len(self._given), tuple(wrong), tuple(self._missing))

    def _of_criterion(self) -> list[_Instance]:
        """The instances whose values are in error: operands of the criterion and the decisions that led to it."""
        starts = {self._graph.criterion}
        for node, edge in self._graph.edges:
            if node == self._graph.criterion and edge.target.role in (PUT, CHANGED):
                # The constructor of the exception: what it was given made the message.
                starts.add(edge.target)
        found = {(edge.target.row, edge.target.instruction): None for node, edge in self._graph.edges if node in starts}
        return [each for each in found if each in self._with_value and self._has_value(each)]

    def _has_value(self, instance: _Instance) -> bool:
        frame = self._index.frame_of(instance[0])
        code = frame.method.code.instructions[instance[1]]
        if code.op is Op.CALL:
            return code.called is not None and not code.called.descriptor.endswith("V")
        return code.op not in _WITHOUT_VALUE and not (code.op is Op.RETURN and not code.operands)

    def _compared(self, instance: _Instance) -> tuple[Value, Value] | None:
        """The value computed and the one recorded; None if there is none, or if it could not be computed."""
        if not self._has_value(instance):
            return None
        recorded = self._seen(instance)
        if recorded is None:
            return None
        computed = self._value(instance)
        return None if isinstance(computed, _Missing) else (computed, recorded)

    # Evaluation, without recursion: a loop of 10,000 rounds is as deep.

    def _value(self, instance: _Instance) -> Value | _Missing:
        waiting, open_ones = [instance], {instance}
        while waiting:
            here = waiting[-1]
            if here not in self._done:
                try:
                    self._done[here] = self._computed(here)
                except _Needs as needs:
                    if needs.instance not in open_ones:
                        waiting.append(needs.instance)
                        open_ones.add(needs.instance)
                        continue
                    self._done[here] = self._lost(here)
                except _Lost:
                    self._done[here] = self._lost(here)
            waiting.pop()
            open_ones.discard(here)
        return self._done[instance]

    def _computed(self, instance: _Instance) -> Value | _Missing:
        try:
            return self._evaluated(instance)
        except _Given:
            recorded = self._seen(instance)
            if recorded is None:
                return self._lost(instance)
            self._given.add(instance)
            return recorded

    def _lost(self, instance: _Instance) -> _Missing:
        return _Missing(self._place(instance))

    def _seen(self, instance: _Instance) -> Value | None:
        """The value of the replay; of a branch, the block to which it led."""
        row, number = instance
        frame = self._index.frame_of(row)
        if frame.method.code.instructions[number].op in (Op.BRANCH, Op.SWITCH):
            following = self._index.next_row(frame, row)
            if following is None or self._index.row_kind[following] != Word.BLOCK:
                return None
            return int(self._index.row_payload[following]) - frame.method.code.first_block
        found = self._recorded.at(frame.method, number)
        return value_of(found[row]) if found is not None and row in found else None

    def _place(self, instance: _Instance) -> str:
        frame = self._index.frame_of(instance[0])
        return f"{where(frame.method, instance[1])} {frame.method.code.instructions[instance[1]].op.value}"

    def _get(self, instance: _Instance) -> Value:
        """The value of another instance of the slice."""
        if instance not in self._with_value:
            self._missing.setdefault(self._place(instance))
            raise _Lost
        if instance not in self._done:
            raise _Needs(instance)
        found = self._done[instance]
        if isinstance(found, _Missing):
            raise _Lost
        return found

    def _operand(self, frame: CallFrame, row: int, instruction: int, operand: int) -> Value:
        found = self._dependences.producer(frame, row, instruction, operand)
        if isinstance(found, Node):
            code = self._index.frame_of(found.row).method.code.instructions[found.instruction]
            if found.role < 0 and code.op is not Op.THROW:
                # An exception that an instruction threw by itself.
                raise _Given
            return self._get((found.row, found.instruction))
        if found is None:
            raise _Given
        called = self._dependences.call_of(frame)
        if called is None or not self._dependences.is_direct(*called, frame):
            raise _Given
        parent, at, call = called
        if (at, call) not in self._instances:
            self._missing.setdefault(self._place((at, call)))
            raise _Lost
        return self._operand(parent, at, call, found)

    def _number(self, frame: CallFrame, row: int, instruction: int, operand: int) -> Number:
        found = self._operand(frame, row, instruction, operand)
        if isinstance(found, ObjectValue):
            raise _Given
        return found

    def _evaluated(self, instance: _Instance) -> Value:
        row, number = instance
        frame = self._index.frame_of(row)
        code = frame.method.code.instructions[number]
        try:
            match code.op:
                case Op.CONST:
                    return self._constant(instance)
                case op if op in _COPIES:
                    return self._operand(frame, row, number, _COPIED_OPERAND.get(op, 0))
                case Op.INC:
                    return wrapped(int(self._number(frame, row, number, 0)) + code.by, 32)
                case Op.MATH:
                    numbers = [self._number(frame, row, number, each) for each in range(len(code.operands))]
                    return calculated(code.text, numbers)
                case Op.CONVERT:
                    return converted(code.text, self._number(frame, row, number, 0))
                case Op.COMPARE:
                    left, right = (self._number(frame, row, number, each) for each in (0, 1))
                    return compared(code.text, left, right)
                case Op.BRANCH:
                    return self._branch(frame, row, number)
                case Op.SWITCH:
                    successors = frame.method.code.blocks[frame.method.block_of[number]].successors
                    chosen = dict(zip(code.keys, successors[1:], strict=False))
                    return chosen.get(int(self._number(frame, row, number, 0)), successors[0])
                case Op.NEW | Op.NEW_ARRAY:
                    # An object has another number in each replay; the one of the values is taken throughout.
                    return self._seen(instance) or ObjectValue(None)
                case Op.LENGTH:
                    return self._length(frame, row, number)
                case Op.GET_FIELD:
                    return self._field(frame, row, number)
                case Op.GET_STATIC:
                    return self._static(frame, row, number)
                case Op.ARRAY_LOAD:
                    return self._element(frame, row, number)
                case Op.CALL:
                    return self._call(frame, row, number)
        except NoResult:
            raise _Given from None
        raise _Given

    def _constant(self, instance: _Instance) -> Value:
        code = self._index.frame_of(instance[0]).method.code.instructions[instance[1]]
        match code.constant_type:
            case "I" | "J":
                return int(code.text)
            case "F" | "D":
                return value_of(SeenValue("", "", 0, code.text)) or float(code.text)
            case "null":
                return NULL
            case "Ljava/lang/String;":
                seen = self._seen(instance)
                identity = seen.identity if isinstance(seen, ObjectValue) else None
                return ObjectValue(identity, f'"{code.text}"')
            case "" if (number := signed_number(code.text)) is not None:
                return number
            case "" if code.text == "null":
                return NULL
        raise _Given

    def _branch(self, frame: CallFrame, row: int, number: int) -> int:
        code = frame.method.code.instructions[number]
        successors = frame.method.code.blocks[frame.method.block_of[number]].successors
        values = [self._operand(frame, row, number, each) for each in range(len(code.operands))]
        if code.text in ("ifnull", "ifnonnull"):
            if not isinstance(values[0], ObjectValue):
                raise _Given
            chosen = values[0].is_null == (code.text == "ifnull")
        else:
            numbers: list[Number] = []
            for each in values:
                if isinstance(each, ObjectValue) and each.identity is None:
                    raise _Given
                numbers.append(int(each.identity or 0) if isinstance(each, ObjectValue) else each)
            chosen = jumps(code.text, numbers[0], numbers[1] if len(numbers) > 1 else 0)
        return successors[1] if chosen and len(successors) > 1 else successors[0]

    # Memory.

    def _remember_stores(self) -> None:
        for row, number in self._instances:
            frame = self._index.frame_of(row)
            code = frame.method.code.instructions[number]
            if code.op not in (Op.PUT_FIELD, Op.PUT_STATIC, Op.ARRAY_STORE):
                continue
            if not self._index.ran(frame, row, number):
                continue
            location = self._location(frame, row, number)
            if location is not None:
                time = self._dependences.time_of(frame, row, number)
                self._stores.setdefault(location, []).append((time, number, (row, number)))
        for stores in self._stores.values():
            stores.sort()

    def _location(self, frame: CallFrame, row: int, number: int) -> tuple[object, ...] | None:
        """The location that an instruction reads or writes: a static field, a field of an object, an element."""
        code = frame.method.code.instructions[number]
        identity = self._index.object_of(frame, row, number)
        if code.field is not None:
            field = self._index.tables.field_number(code.field)
            if code.op in (Op.GET_STATIC, Op.PUT_STATIC):
                return "static", field
            return ("field", identity, field) if identity else None
        place = self._index.number_of(frame, row, number, 1)
        return ("element", identity, place) if identity and place is not None else None

    def _stored(self, location: tuple[object, ...], before: tuple[int, int]) -> _Instance | None:
        stores = self._stores.get(location, [])
        at = bisect_left(stores, before, key=lambda each: each[:2])
        return stores[at - 1][2] if at else None

    def _field(self, frame: CallFrame, row: int, number: int) -> Value:
        code = frame.method.code.instructions[number]
        location = self._location(frame, row, number)
        if location is None or code.field is None:
            raise _Given
        time = self._dependences.time_of(frame, row, number)
        store = self._stored(location, (time, number))
        if store is not None:
            return self._get(store)
        if code.field.class_name not in self._index.record.code.classes:
            raise _Given
        self._require_making(frame, row, number, time)
        return _default(code.field.descriptor)

    def _require_making(self, frame: CallFrame, row: int, number: int, time: int) -> Node:
        """The instruction that made the object; a location that nothing wrote has its default since then."""
        identity = self._index.object_of(frame, row, number)
        made = self._dependences.making(identity, time) if identity else None
        if made is None or made.role != MADE:
            raise _Given
        self._get((made.row, made.instruction))
        return made

    def _static(self, frame: CallFrame, row: int, number: int) -> Value:
        location = self._location(frame, row, number)
        assert location is not None
        time = int(self._index.time[row])
        following = self._index.next_row(frame, row)
        until = int(self._index.time[following]) if following is not None else len(self._index.words)
        best: _Instance | None = None
        for at, writer, instance in self._stores.get(location, ()):
            # A class initialiser may run between the beginning of the block and the read.
            initialises = self._index.frame_of(instance[0]).method.code.name == "<clinit>"
            if (at, writer) < (time, number) or (initialises and at < until):
                best = instance
        if best is None:
            # Constants of the class file have no instruction that writes them.
            raise _Given
        return self._get(best)

    def _element(self, frame: CallFrame, row: int, number: int) -> Value:
        location = self._location(frame, row, number)
        if location is None:
            raise _Given
        identity, place = location[1], location[2]
        assert isinstance(identity, int) and isinstance(place, int)
        time = self._dependences.time_of(frame, row, number)
        return self._element_at(identity, place, time, number)

    def _element_at(self, identity: int, place: int, time: int, number: int) -> Value:
        """An element at a time: stored by an instruction, copied by `System.arraycopy`, or never written."""
        for _ in range(64):
            store = self._stored(("element", identity, place), (time, number))
            written = self._dependences.time_of(self._index.frame_of(store[0]), *store) if store is not None else -1
            copied = self._copy(identity, place, written, time)
            if copied is None:
                break
            identity, place, time = copied
        if store is not None:
            return self._get(store)
        made = self._dependences.making(identity, time)
        if made is None or made.role != MADE:
            raise _Given
        code = self._index.frame_of(made.row).method.code.instructions[made.instruction]
        if len(code.operands) != 1:
            raise _Given
        self._get((made.row, made.instruction))
        return _default(code.text)

    def _copy(self, identity: int, place: int, after: int, before: int) -> tuple[int, int, int] | None:
        """Array, index and time from which an element was copied between two times."""
        for time in reversed(self._index.handed.before(identity, before).tolist()):
            if time <= after:
                return None
            site, argument = self._dependences.site(time)
            effect = self._dependences.effect(site)
            if (site.row, site.instruction) not in self._instances or argument is None:
                continue
            if effect.word == "fills" and argument.operand == int(effect.arguments[0]) - 1:
                source = self._dependences.copied_from(site, place)
                if source is not None:
                    return (*source, site.time)
        return None

    def _length(self, frame: CallFrame, row: int, number: int) -> Value:
        time = self._dependences.time_of(frame, row, number)
        made = self._require_making(frame, row, number, time)
        there = self._index.frame_of(made.row)
        if len(there.method.code.instructions[made.instruction].operands) != 1:
            raise _Given
        return self._operand(there, made.row, made.instruction, 0)

    # Calls.

    def _call(self, frame: CallFrame, row: int, number: int) -> Value:
        child = self._dependences.direct_child(frame, row, number)
        if child is not None:
            block = child.method.code.blocks[int(child.blocks[-1])]
            if child.unwound or RETURNS not in block.successors:
                raise _Given
            return self._get((int(child.block_rows[-1]), block.last))
        code = frame.method.code.instructions[number]
        if code.called is None or not code.called.beyond:
            raise _Given
        found = known_result(code.called, lambda operand: self._operand(frame, row, number, operand))
        if found is None and code.called.name == "toString":
            found = self._built(CallSite(frame, row, number, self._dependences.time_of(frame, row, number)))
        if found is None:
            raise _Given
        return found

    def _built(self, site: CallSite) -> Value | None:
        """The text in a string builder, from the calls of the slice that wrote to it; None if it is not known."""
        called = site.code.called
        if called is None or called.class_name not in ("java.lang.StringBuilder", "java.lang.StringBuffer"):
            return None
        receiver = self._dependences.receiver(site)
        if not receiver:
            return None
        parts: list[str] = []
        for earlier, _ in self._dependences.history(receiver):
            if (earlier.time, earlier.row) >= (site.time, site.row):
                break
            if (earlier.row, earlier.instruction) not in self._instances:
                continue
            part = self._appended(earlier)
            if part is None:
                return None
            parts.append(part)
        return ObjectValue(None, StringText("".join(parts)))

    def _appended(self, site: CallSite) -> str | None:
        called = site.code.called
        assert called is not None
        types = types_in(called.descriptor)[0]
        if called.name in ("toString", "length", "charAt"):
            return ""
        if called.name == "<init>" and types in ([], ["I"]):
            return ""
        if called.name not in ("append", "<init>") or len(types) != 1:
            return None
        value = self._operand(site.frame, site.row, site.instruction, 1)
        return _text_of(value, types[0])


def _text_of(value: Value, kind: str) -> str | None:
    """A value as a string builder writes it; None where Java's way is not known here."""
    if isinstance(value, ObjectValue):
        if value.is_null:
            return "null"
        return characters_of(value)
    if kind == "Z":
        return "true" if value else "false"
    if kind == "C":
        return chr(int(value))
    return str(value) if kind in ("I", "J", "B", "S") else None


def _default(kind: str) -> Value:
    if kind in _REAL_TYPES:
        return 0.0
    primitive = kind in ("I", "J", "Z", "C", "B", "S") or kind in _PRIMITIVE_ARRAYS
    return 0 if primitive else NULL


_PRIMITIVE_ARRAYS = ("int[]", "long[]", "boolean[]", "char[]", "byte[]", "short[]")
