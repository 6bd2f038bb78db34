"""Dependences: what one execution of an instruction depends on, and why.

A *node* is an execution of an instruction in a role: the row of its block, the instruction's number in the method, and
what of it matters. Most instructions have one role. A call has several: it gives a result, passes an argument on, puts
a value into its receiver, changes its receiver, or merely ran.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fewtaps.model.recorded_code import RETURNS, Instruction, Op, caught_at, parameter_of
from fewtaps.model.run_record import Word
from fewtaps.model.slice import DependenceKind
from fewtaps.slicing.code_tables import MethodTable, letters_of, types_in
from fewtaps.slicing.flow import deciders
from fewtaps.slicing.recording import Accesses, CallFrame, RunIndex, signed
from fewtaps.slicing.summaries import CallEffect, Summaries

WHOLE = 0
"""The instruction's result or effect. A role above this one is an argument that a call passes on, counted from 1."""
PUT = -1
"""The call put one value into its receiver."""
CHANGED = -2
"""The call changed its receiver, which depends on all that was changed before."""
RAN = -3
"""Only that it ran matters."""
MADE = -4
"""It made an object of which nothing was written since."""
STARTED = -5
"""The call started, posted or registered work: what it was given matters too."""
FAILED = -6
"""It threw: the operands in error matter."""
CONTENT = -8
"""The call gave an object whose content matters, and not the reference alone."""
WAITED = -7
"""The call waited until another thread let it go on."""

DATA, BASE, CONTROL = DependenceKind.DATA, DependenceKind.BASE, DependenceKind.CONTROL
GUESSED = DependenceKind.GUESSED

SEARCHED_CALLS = 200
"""Number of earlier calls with the same object that are looked at; more would make slices of large apps slow."""


class Node(NamedTuple):
    """An execution of an instruction in a role."""

    row: int
    instruction: int
    role: int = WHOLE


class Edge(NamedTuple):
    """A dependence on `target`. `what` names the variable, field or element that carries the value."""

    target: Node
    kind: DependenceKind
    what: str = ""


@dataclass(frozen=True, slots=True)
class Argument:
    """Where the words of one argument of a call stand; `operand` counts from the receiver."""

    operand: int
    slot: int
    letters: str
    type: str


@dataclass(frozen=True, slots=True)
class CallSite:
    """An execution of a call beyond."""

    frame: CallFrame
    row: int
    instruction: int
    time: int

    @property
    def code(self) -> Instruction:
        """The call's instruction."""
        return self.frame.method.code.instructions[self.instruction]


class Dependences:
    """Answers what a node depends on."""

    def __init__(self, index: RunIndex, summaries: Summaries) -> None:
        self.index = index
        self.summaries = summaries
        self.guesses: dict[Node, str] = {}
        self.inputs: dict[Node, int] = {}
        """Calls that read what the user put into a widget, with the event in which the user did."""
        self.earlier_events_wanted = False
        self._producers: dict[tuple[int, int, int], tuple[int, tuple[tuple[int, int], ...], tuple[int, ...], int]] = {}
        self._arguments: dict[tuple[int, int], tuple[bool, tuple[Argument, ...]]] = {}
        self._histories: dict[int, list[tuple[CallSite, CallEffect]]] = {}
        self._roots: dict[int, int] = {}
        self._constructor_calls: dict[int, tuple[int, ...]] = {}
        self._waiting: dict[int, NDArray[np.int64]] = {}
        self._taken: dict[int, dict[int, frozenset[tuple[int, int]]]] | None = None

    # Operands.

    def producer(self, frame: CallFrame, row: int, instruction: int, operand: int) -> Node | int | None:
        """The node that produced an operand; a number for a parameter; None if the recording does not tell."""
        table = frame.method
        key = (table.number, instruction, operand)
        known = self._producers.get(key)
        if known is None:
            known = self._producers[key] = self._static_producers(table, instruction, operand)
        same, others, handlers, parameter = known
        if same >= 0:
            return Node(row, same)
        best_row, best = -1, -1
        for block, each in others:
            found = frame.latest(block, row)
            while found >= 0 and found in frame.failed and not self.index.ran(frame, found, each):
                found = frame.latest(block, found)
            if found > best_row or (found == best_row and each > best):
                best_row, best = found, each
        for block in handlers:
            found = frame.latest(block, row + 1)
            if found > best_row:
                best_row, best = found, -2
        if best_row < 0:
            return parameter if parameter >= 0 else None
        if best == -2:
            return self._exception_origin(frame, best_row)
        return Node(best_row, best)

    def _static_producers(
        self, table: MethodTable, instruction: int, operand: int
    ) -> tuple[int, tuple[tuple[int, int], ...], tuple[int, ...], int]:
        operands = table.code.instructions[instruction].operands
        producers = operands[operand] if operand < len(operands) else ()
        block = table.block_of[instruction]
        same = max(
            (each for each in producers if 0 <= each < instruction and table.block_of[each] == block), default=-1
        )
        others = tuple((table.block_of[each], each) for each in producers if each >= 0)
        handlers = tuple(found for each in producers if (found := caught_at(each)) is not None)
        parameter = max((found for each in producers if (found := parameter_of(each)) is not None), default=-1)
        return same, others, handlers, parameter

    def source_of(self, frame: CallFrame, row: int, instruction: int, operand: int) -> Node | int | None:
        """The producer of an operand, looked for behind local variables of the same frame."""
        found = self.producer(frame, row, instruction, operand)
        for _ in range(64):
            if not isinstance(found, Node) or found.role != WHOLE or self.index.frame_of(found.row) is not frame:
                break
            if frame.method.code.instructions[found.instruction].op not in (Op.LOAD, Op.STORE, Op.CAST):
                break
            found = self.producer(frame, found.row, found.instruction, 0)
        return found

    def operand(
        self, frame: CallFrame, row: int, instruction: int, operand: int, kind: DependenceKind, what: str = ""
    ) -> Iterator[Edge]:
        """The dependence on the producer of an operand."""
        found = self.producer(frame, row, instruction, operand)
        if isinstance(found, Node):
            yield Edge(found, kind, what)
        elif found is not None:
            yield from self.parameter(frame, found, kind)

    def parameter(self, frame: CallFrame, number: int, kind: DependenceKind) -> Iterator[Edge]:
        """The dependence of a parameter's value: on the argument of the call, or on what gave the object away."""
        name = parameter_name(frame.method, number)
        called = self.call_of(frame)
        if called is not None and self._is_direct(*called, frame):
            parent, row, call = called
            operand = number
            if operand < len(parent.method.code.instructions[call].operands):
                yield Edge(Node(row, call, operand + 1), kind, name)
            return
        time = int(self.index.time[frame.start])
        identity = self.index.entry_word(frame, number)
        if identity is not None and identity[0] == Word.OBJECT and identity[1]:
            yield from self._arrival(identity[1], time, kind, name)
        elif called is not None and number:
            parent, row, call = called
            yield Edge(Node(row, call, WHOLE), kind, name)

    def _arrival(self, identity: int, time: int, kind: DependenceKind, name: str) -> Iterator[Edge]:
        """Where an object came from that code outside gave to a method here."""
        given = self.index.handed.before(identity, time)
        back = self.index.returned.before(identity, time)
        if len(back) and (not len(given) or back[-1] > given[-1]):
            frame, row, instruction = self.index.instance(int(back[-1]))
            yield Edge(Node(row, instruction), kind, name)
            return
        for each in reversed(given[-SEARCHED_CALLS:].tolist()):
            site, argument = self.site(each)
            called = site.code.called
            to_parent = called is not None and called.kind == "special" and called.name != "<init>"
            if argument is not None and not to_parent:
                yield Edge(Node(site.row, site.instruction, argument.operand + 1), kind, name)
                return
        # What code outside made and gave to a callback leads nowhere.
        made = self.making(identity, time)
        if made is not None and made.role == MADE:
            yield Edge(made, kind, name)

    # Calls and frames.

    def call_of(self, frame: CallFrame) -> tuple[CallFrame, int, int] | None:
        """The frame, the row and the instruction that was running when a frame began; None if none was."""
        caller = self.index.caller(frame)
        if caller is None:
            return None
        parent, row = caller
        table = parent.method
        block = table.code.blocks[int(self.index.row_payload[row]) - table.code.first_block]
        if frame.method.code.name == "<clinit>":
            name = frame.method.owner.name
            for each in range(block.first, block.last + 1):
                code = table.code.instructions[each]
                named = code.field.class_name if code.field else code.called.class_name if code.called else code.text
                if code.op in (Op.NEW, Op.GET_STATIC, Op.PUT_STATIC, Op.CALL) and name in self.index.tables.ancestors(
                    named
                ):
                    return parent, row, each
        return parent, row, max(block.last, block.first)

    def _is_direct(self, parent: CallFrame, row: int, call: int, frame: CallFrame) -> bool:
        """Whether the call's target is the frame's method, and not code outside that called back."""
        code = parent.method.code.instructions[call]
        if code.op is not Op.CALL or code.called is None:
            return False
        method = frame.method.code
        if code.called.name != method.name:
            return False
        if code.called.descriptor.partition(")")[0] != method.descriptor.partition(")")[0]:
            return False
        if not code.called.beyond:
            return True
        receiver = self.index.object_of(parent, row, call) if self._has_receiver(parent.method, call) else None
        this = self.index.entry_word(frame, 0)
        return receiver is None or this is None or receiver == this[1]

    @staticmethod
    def _has_receiver(table: MethodTable, call: int) -> bool:
        called = table.code.instructions[call].called
        return called is not None and called.kind not in ("static", "dynamic")

    def direct_child(self, frame: CallFrame, row: int, call: int) -> CallFrame | None:
        """The frame of the method that a call called, None if its code is not recorded."""
        for child in self.index.children(frame, row):
            if self._is_direct(frame, row, call, child):
                return child
        return None

    def frame_parents(self, frame: CallFrame) -> Iterator[Edge]:
        """What made a frame run: the call; else what handed the work on, or registered the callback."""
        called = self.call_of(frame)
        if called is not None:
            parent, row, call = called
            direct = self._is_direct(parent, row, call, frame) or frame.method.code.name == "<clinit>"
            yield Edge(Node(row, call, RAN if direct else STARTED), DependenceKind.CALL, f"{frame.method.code.name}()")
            return
        time = int(self.index.time[frame.start])
        handed = self.handed_by(frame.thread, time)
        if handed is not None:
            yield handed
        registered = self.registered_by(frame, time)
        if registered is not None and (handed is None or registered.target != handed.target):
            yield registered
        if handed is not None and frame.method.code.name == "onCreate":
            yield from self._paused_before(frame, time, int(self.index.time[handed.target.row]))

    def _paused_before(self, frame: CallFrame, time: int, since: int) -> Iterator[Edge]:
        """The end of another activity's `onPause`, for which `onCreate` waited after that activity started it."""
        paused = self.latest_frame("onPause", time, frame)
        if paused is None or int(self.index.time[paused.start]) < since:
            return
        block = paused.method.code.blocks[int(paused.blocks[-1])]
        if block.last >= block.first:
            what = f"{paused.method.label} before {frame.method.label}"
            yield Edge(Node(int(paused.block_rows[-1]), block.last, RAN), DependenceKind.LIFECYCLE, what)

    def latest_frame(self, name: str, time: int, other_than: CallFrame) -> CallFrame | None:
        """The last frame of a method with this name that began before a time, on another object."""
        own = self.index.entry_word(other_than, 0)
        best: CallFrame | None = None
        for table in self.index.tables.methods:
            if table.code.name != name:
                continue
            times = np.flatnonzero(self.index.words[:time] == table.code.first_block)
            for each in reversed(times[-4:].tolist()):
                frame = self.index.frame_of(int(self.index.row_of[each]))
                if own is not None and self.index.entry_word(frame, 0) == own:
                    continue
                if best is None or int(self.index.time[frame.start]) > int(self.index.time[best.start]):
                    best = frame
                break
        return best

    def handed_by(self, thread: int, time: int) -> Edge | None:
        """The call that handed on the work that a thread did at a time; None if the framework did."""
        for _ in range(64):
            task = self.index.task_at(thread, time)
            if task is None or not task[2]:
                return None
            hand = self.index.hands.get(task[2])
            if hand is None:
                if self.index.record.first_event:
                    self.earlier_events_wanted = True
                return None
            thread, time = int(self.index.thread[hand]), hand
            edge = self._hand_edge(hand)
            if edge is not None:
                return edge
        return None

    def _hand_edge(self, hand: int) -> Edge | None:
        frame = self.index.frame_at(int(self.index.thread[hand]), hand)
        if frame is None:
            return None
        row = self.index.row_before(frame, hand)
        block = frame.method.code.blocks[int(self.index.row_payload[row]) - frame.method.code.first_block]
        if block.last < block.first:
            return None
        return Edge(Node(row, block.last, STARTED), DependenceKind.HANDED, self.index.note_of(hand))

    def registered_by(self, frame: CallFrame, time: int) -> Edge | None:
        """The last call that was handed the receiver of a callback as a listener, an adapter or the like."""
        this = self.index.entry_word(frame, 0) if not frame.method.code.is_static else None
        if this is None or this[0] != Word.OBJECT or not this[1]:
            return None
        names = set(self.index.tables.ancestors(frame.method.owner.name))
        for each in reversed(self._registrations.before(this[1], time)[-SEARCHED_CALLS:].tolist()):
            site, argument = self.site(each)
            if argument is None or site.code.called is None:
                continue
            type_name = argument.type[1:-1].replace("/", ".")
            if type_name in self.index.record.code.classes and type_name not in names:
                continue
            return Edge(Node(site.row, site.instruction, STARTED), DependenceKind.REGISTERED, site.code.called.name)
        return None

    @cached_property
    def _registrations(self) -> Accesses:
        """Objects that calls beyond were handed as arguments of a type that can be a listener or the like."""
        tables = self.index.tables
        wanted = np.zeros(len(tables.word_instruction), np.bool_)
        for place in np.flatnonzero((tables.word_instruction >= 0) & (tables.word_slot >= 0)).tolist():
            table, number = tables.method_at(int(tables.word_instruction[place]))
            if table.code.instructions[number].called is None:
                continue
            slot = int(tables.word_slot[place])
            _, arguments = self.arguments(table, number)
            for each in arguments:
                if each.slot == slot and each.letters.startswith("o"):
                    wanted[place] = each.type[1:-1].replace("/", ".") not in _TOO_GENERAL
        return self.index.handed_where(wanted)

    # Control.

    @property
    def taken(self) -> dict[int, dict[int, frozenset[tuple[int, int]]]]:
        """The exceptional edges that the recording took, by method and block."""
        if self._taken is None:
            found: dict[int, dict[int, set[tuple[int, int]]]] = {}
            index = self.index
            rows = index.exceptional
            before = index.block_row[np.maximum(rows - 1, 0)]
            pairs = np.stack(
                [
                    index.row_payload[before].astype(np.int64),
                    np.where(index.row_kind[rows] == Word.BLOCK, index.row_payload[rows], -1).astype(np.int64),
                ],
                axis=1,
            )
            _, places = np.unique(pairs, axis=0, return_index=True)
            for place in places.tolist():
                row = int(before[place])
                frame = index.frame_of(row)
                if int(rows[place]) >= frame.end:
                    continue
                first = frame.method.code.first_block
                target = int(pairs[place][1]) - first if pairs[place][1] >= 0 else RETURNS
                thrower = index.thrower(frame, row)
                edges = found.setdefault(frame.method.number, {}).setdefault(int(pairs[place][0]) - first, set())
                edges.add((target, -1 if thrower is None else thrower))
            self._taken = {
                method: {block: frozenset(edges) for block, edges in blocks.items()} for method, blocks in found.items()
            }
        return self._taken

    def deciding(self, table: MethodTable) -> dict[int, tuple[tuple[int, int], ...]]:
        """For each block of a method the blocks and instructions that decide about it."""
        if table.deciders is None:
            table.deciders = deciders(table.code, self.taken.get(table.number, {}))
        return table.deciders

    def control(self, frame: CallFrame, row: int) -> Iterator[Edge]:
        """The nearest earlier decision in the same frame; without one, what made the frame run.

        A branch decides, an instruction that threw does, and a call that really waited. An instruction that could have
        thrown and did not decides nothing: what decided about it decides about what follows it, too.
        """
        deciding = self.deciding(frame.method)
        waits = self._waits(frame)
        waited = int(waits[: int(np.searchsorted(waits, row))][-1:].max(initial=-1))
        here = row
        while True:
            block = int(self.index.row_payload[here]) - frame.method.code.first_block
            best, instruction = -1, -1
            for decider, each in deciding.get(block, ()):
                found = frame.latest(decider, here)
                if found > best:
                    best, instruction = found, each
            if waited > best:
                number = int(self.index.row_payload[waited]) - frame.method.code.first_block
                yield Edge(Node(waited, frame.method.code.blocks[number].last, WAITED), CONTROL)
                return
            if best < 0 or instruction < 0:
                yield from self.frame_parents(frame)
                return
            code = frame.method.code.instructions[instruction]
            if code.op in (Op.BRANCH, Op.SWITCH):
                yield Edge(Node(best, instruction), CONTROL)
                return
            if best in frame.failed:
                yield from self._threw(frame, best)
                return
            here = best

    def _threw(self, frame: CallFrame, row: int) -> Iterator[Edge]:
        thrower = self.index.thrower(frame, row)
        if thrower is None:
            return
        origin = self.origin(frame, row)
        if origin is not None and (origin.row, origin.instruction) != (row, thrower):
            yield Edge(Node(row, thrower, RAN), CONTROL)
            yield Edge(origin, CONTROL)
        elif frame.method.code.instructions[thrower].op is Op.THROW:
            yield Edge(Node(row, thrower, RAN), CONTROL)
        else:
            yield Edge(Node(row, thrower, FAILED), CONTROL)

    def _waits(self, frame: CallFrame) -> NDArray[np.int64]:
        """The rows of a frame's calls in which its thread waited until another one let it go on."""
        found = self._waiting.get(frame.number)
        if found is None:
            rows = set()
            begin, end = int(self.index.time[frame.start]), int(self.index.time[frame.end - 1])
            for time, _ in self.index.wakings.get(frame.thread, ()):
                if begin < time and (time < end or frame.end == frame.start + 1):
                    inner = self.index.frame_at(frame.thread, time)
                    if inner is not None and inner.number == frame.number:
                        rows.add(self.index.row_before(frame, time))
            found = self._waiting[frame.number] = np.array(sorted(rows), np.int64)
        return found

    # Edges of a node.

    def edges(self, node: Node, *, full: bool) -> list[Edge]:
        """What a node depends on: the value alone, or with `full` also bases, indices, keys and control."""
        frame = self.index.frame_of(node.row)
        found = list(self._values(frame, node))
        if full:
            found += self.control(frame, node.row)
            return found
        return [edge for edge in found if edge.kind not in (BASE, DependenceKind.HANDED)]

    def _values(self, frame: CallFrame, node: Node) -> Iterator[Edge]:
        row, instruction, role = node
        code = frame.method.code.instructions[instruction]
        if role == RAN and code.op is Op.CALL and self._has_receiver(frame.method, instruction):
            yield from self.operand(frame, row, instruction, 0, BASE)
        if role == WAITED:
            yield from self._woken(frame, row)
        if role in (RAN, MADE, WAITED):
            return
        if role > 0:
            yield from self.operand(frame, row, instruction, role - 1, DATA)
            return
        if role == FAILED:
            yield from self.in_error(frame, row, instruction)
            return
        match code.op:
            case Op.GET_FIELD:
                yield from self._field(frame, row, instruction)
            case Op.PUT_FIELD:
                yield from self.operand(frame, row, instruction, 1, DATA)
                yield from self.operand(frame, row, instruction, 0, BASE)
            case Op.GET_STATIC:
                yield from self._static(frame, row, instruction)
            case Op.ARRAY_LOAD:
                yield from self._element(frame, row, instruction)
            case Op.ARRAY_STORE:
                yield from self.operand(frame, row, instruction, 2, DATA)
                yield from self.operand(frame, row, instruction, 0, BASE)
                yield from self.operand(frame, row, instruction, 1, BASE)
            case Op.LENGTH:
                identity = self.index.object_of(frame, row, instruction)
                made = self.making(identity, int(self.index.time[row]) + 64) if identity else None
                if made is not None:
                    yield Edge(made._replace(role=WHOLE), DATA, "length")
                yield from self.operand(frame, row, instruction, 0, BASE)
            case Op.CALL:
                yield from self._call(frame, node)
            case Op.LOAD | Op.INC:
                yield from self.operand(frame, row, instruction, 0, DATA, local_name(code, frame.method))
            case Op.NEW | Op.GOTO | Op.CONST:
                return
            case _:
                for operand in range(len(code.operands)):
                    yield from self.operand(frame, row, instruction, operand, DATA)

    def in_error(self, frame: CallFrame, row: int, instruction: int) -> Iterator[Edge]:
        """The operands that made an instruction throw."""
        chosen = operands_in_error(self.index, frame, row, instruction)
        for operand in chosen:
            yield from self.operand(frame, row, instruction, operand, DATA)
        yield from self.length_in_error(frame, row, instruction, chosen)

    def length_in_error(self, frame: CallFrame, row: int, instruction: int, chosen: tuple[int, ...]) -> Iterator[Edge]:
        """The making of the array of a wrong index: it decided the length. For a call: the receiver's state."""
        code = frame.method.code.instructions[instruction]
        identity = self.index.object_of(frame, row, instruction)
        if code.op in (Op.ARRAY_LOAD, Op.ARRAY_STORE) and identity and 1 in chosen:
            made = self.making(identity, self.time_of(frame, row, instruction))
            if made is not None:
                yield Edge(made._replace(role=WHOLE), DATA, "length")
        if code.op is not Op.CALL or code.called is None or not code.called.beyond or identity == 0:
            return
        site = CallSite(frame, row, instruction, self.time_of(frame, row, instruction))
        effect = self.effect(site)
        has_word, arguments = self.arguments(frame.method, instruction)
        stateless = effect.guessed or effect.word in ("nothing", "runs", "makes", "value")
        if has_word and identity and 0 in chosen and not stateless:
            yield from self._state(identity, site, DATA)
        for each in arguments:
            if each.operand in chosen and each.letters.startswith("o"):
                yield from self._content(site, each)

    def _content(self, site: CallSite, argument: Argument) -> Iterator[Edge]:
        """What an argument holds: the elements of an array, the state of an object whose class is not recorded."""
        identity = self.index.object_of(site.frame, site.row, site.instruction, argument.slot)
        if not identity:
            return
        if argument.type.startswith("["):
            yield from self._elements_of(identity, site.time)
        elif any(effect.changes_state for _, effect in self.history(identity)):
            yield from self._state(identity, site, DATA)

    def _exception_origin(self, frame: CallFrame, row: int) -> Node | None:
        """The instruction that threw the exception which arrived at the handler at `row`."""
        at = frame.latest_block(row)
        if at < 0:
            return None
        return self.origin(frame, at)

    def origin(self, frame: CallFrame, row: int) -> Node | None:
        """The instruction that threw what cut short the block at `row`, followed into the methods that it called."""
        for _ in range(10_000):
            thrower = self.index.thrower(frame, row)
            if thrower is None:
                return None
            code = frame.method.code.instructions[thrower]
            children = self.index.children(frame, row) if code.op is Op.CALL else []
            unwound = [child for child in children if child.unwound]
            if code.op is Op.CALL and unwound and unwound[-1] is children[-1]:
                exception = int(self.index.row_payload[unwound[-1].end - 1])
                following = self.index.next_row(frame, row)
                arrived = self._exception_at(following) if following is not None else None
                if arrived is None or arrived == exception:
                    frame, row = unwound[-1], int(unwound[-1].block_rows[-1])
                    continue
            return Node(row, thrower, WHOLE if code.op is Op.THROW else FAILED)
        return None

    def _exception_at(self, row: int) -> int | None:
        if self.index.row_kind[row] == Word.UNWOUND:
            return int(self.index.row_payload[row])
        if row + 1 < len(self.index.time) and self.index.row_kind[row + 1] == Word.OBJECT:
            return int(self.index.row_payload[row + 1])
        return None

    # Fields, elements, statics.

    def _field(self, frame: CallFrame, row: int, instruction: int) -> Iterator[Edge]:
        code = frame.method.code.instructions[instruction]
        assert code.field is not None
        identity = self.index.object_of(frame, row, instruction)
        yield from self.operand(frame, row, instruction, 0, BASE)
        if not identity:
            return
        time = self.time_of(frame, row, instruction)
        key = (identity << 32) | self.index.tables.field_number(code.field)
        writes = self.index.field_writes.before(key, time)
        if len(writes):
            _, at, writer = self.index.instance(int(writes[-1]))
            yield Edge(Node(at, writer), DATA, code.field.name)
            return
        if self.index.record.first_event:
            self.earlier_events_wanted = True
        made = self.making(identity, time)
        if made is not None:
            yield Edge(made._replace(role=CONTENT) if made.role == WHOLE else made, DATA, code.field.name)
            if made.role == WHOLE:
                yield from self._saved_field(made, code.field.name, self.index.tables.field_number(code.field))

    def _saved_field(self, made: Node, name: str, field: int) -> Iterator[Edge]:
        """For an object that was read from a stream: the last write of the field of the object that was saved."""
        frame = self.index.frame_of(made.row)
        code = frame.method.code.instructions[made.instruction]
        if code.called is None or code.called.name != "readObject":
            return
        site = CallSite(frame, made.row, made.instruction, self.time_of(frame, made.row, made.instruction))
        for identity in self._saved_before(site):
            writes = self.index.field_writes.before((identity << 32) | field, site.time)
            if len(writes):
                _, row, instruction = self.index.instance(int(writes[-1]))
                yield Edge(Node(row, instruction), DATA, name)
                return

    def _saved_before(self, site: CallSite) -> Iterator[int]:
        """The objects that were saved to streams before a call, the latest first."""
        instruction = self.index.instruction_at
        times = np.flatnonzero((instruction[: site.time] >= 0) & (self.index.kind[: site.time] == Word.OBJECT))
        names = {
            number: each.called.name == "writeObject"
            for number in np.unique(instruction[times]).tolist()
            if (each := self._code(number)).called is not None
        }
        for time in reversed(times.tolist()):
            if names.get(int(instruction[time])) and self.site(time)[1] is not None:
                yield int(self.index.payload[time])

    def _code(self, number: int) -> Instruction:
        table, local = self.index.tables.method_at(number)
        return table.code.instructions[local]

    def _static(self, frame: CallFrame, row: int, instruction: int) -> Iterator[Edge]:
        code = frame.method.code.instructions[instruction]
        assert code.field is not None
        write = self.static_write(code.field.class_name, code.field.name, frame, row, instruction)
        if write is not None:
            yield Edge(write, DATA, code.field.name)
        elif self.index.record.first_event:
            self.earlier_events_wanted = True

    def static_write(self, class_name: str, name: str, frame: CallFrame, row: int, instruction: int) -> Node | None:
        """The last write of a static field before an instruction."""
        tables = self.index.tables
        number = tables.field_numbers.get((class_name, name), -1)
        time = int(self.index.time[row])
        following = self.index.next_row(frame, row)
        until = int(self.index.time[following]) if following is not None else len(self.index.words)
        best_time, best = -1, None
        for block, writer in tables.static_writes.get(number, ()):
            for each in reversed(self.index.static_writes.before(block, until)[-64:].tolist()):
                at = int(self.index.row_of[each])
                writing = self.index.frame_of(at)
                if each > time and writing.method.code.name != "<clinit>":
                    continue
                if at == row and writer >= instruction:
                    continue
                if not self.index.ran(writing, at, writer):
                    continue
                if (each, writer) > (best_time, best.instruction if best else -1):
                    best_time, best = each, Node(at, writer)
                break
        return best

    def _element(self, frame: CallFrame, row: int, instruction: int) -> Iterator[Edge]:
        identity = self.index.object_of(frame, row, instruction)
        number = self.index.number_of(frame, row, instruction, 1)
        if identity and number is not None:
            name = self.array_name(frame, row, instruction)
            yield from self._element_source(identity, number, self.time_of(frame, row, instruction), name, 0)
        yield from self.operand(frame, row, instruction, 0, BASE)
        yield from self.operand(frame, row, instruction, 1, BASE)

    def _element_source(self, identity: int, number: int, time: int, name: str, depth: int) -> Iterator[Edge]:
        """The last write of an element: by an instruction, or by a call that copied into the array."""
        writes = self.index.element_writes.before((identity << 32) | (number & ((1 << 28) - 1)), time)
        written, writer = -1, None
        for each in reversed(writes.tolist()):
            frame, row, instruction = self.index.instance(each)
            if self.index.ran(frame, row, instruction):
                written, writer = each, Node(row, instruction)
                break
        handed = self.index.handed.before(identity, time)
        for each in reversed(handed[handed.searchsorted(written) :][-SEARCHED_CALLS:].tolist()):
            site, argument = self.site(each)
            effect = self.effect(site)
            if argument is None or effect.word != "fills" or argument.operand != int(effect.arguments[0]) - 1:
                continue
            source = self._copied_from(site, number)
            if source is None:
                continue
            yield Edge(Node(site.row, site.instruction, PUT), DATA, f"{name}[{number}]")
            if depth < 50:
                yield from self._element_source(source[0], source[1], site.time, name, depth + 1)
            return
        if writer is not None:
            yield Edge(writer, DATA, f"{name}[{number}]")
            return
        if self.index.record.first_event:
            self.earlier_events_wanted = True
        made = self.making(identity, time)
        if made is not None:
            yield Edge(made._replace(role=CONTENT) if made.role == WHOLE else made, DATA, f"{name}[{number}]")

    def _copied_from(self, site: CallSite, number: int) -> tuple[int, int] | None:
        """For `System.arraycopy`: array and index from which an element was copied."""
        _, arguments = self.arguments(site.frame.method, site.instruction)
        if len(arguments) != 5:
            return None
        words = [self.argument_word(site, each) for each in arguments]
        numbers = [signed(word[1]) if word is not None and word[0] == Word.NUMBER else None for word in words]
        start, target, length = numbers[1], numbers[3], numbers[4]
        if start is None or target is None or length is None or words[0] is None:
            return None
        return (words[0][1], start + number - target) if target <= number < target + length else None

    def array_name(self, frame: CallFrame, row: int, instruction: int) -> str:
        """The name of the local or field that held an array, as a programmer wrote it."""
        found = self.producer(frame, row, instruction, 0)
        if isinstance(found, Node):
            method = self.index.frame_of(found.row).method
            code = method.code.instructions[found.instruction]
            if code.field is not None:
                return code.field.name
            if code.op is Op.LOAD:
                return local_name(code, method)
        return "array"

    def making(self, identity: int, time: int) -> Node | None:
        """What made an object: the instruction, or the call beyond that first returned it, in its last execution."""
        made = self.index.making.of(identity)
        if len(made):
            _, row, instruction = self.index.instance(int(made[-1]))
            return Node(row, instruction, MADE)
        given = self.index.given_back.before(identity, time)
        if len(given):
            instructions = self.index.instruction_at[given]
            same = given[instructions == instructions[0]]
            _, row, instruction = self.index.instance(int(same[-1]))
            return Node(row, instruction)
        return None

    def time_of(self, frame: CallFrame, row: int, instruction: int) -> int:
        """When an instruction ran: the time of its first word, else of its block."""
        place = frame.method.before_at.get(instruction)
        if place is not None and row + place < frame.end and self.index.block_row[row + place] == row:
            return int(self.index.time[row + place])
        return int(self.index.time[row])

    # Calls beyond.

    def arguments(self, table: MethodTable, instruction: int) -> tuple[bool, tuple[Argument, ...]]:
        """Whether the words of a call begin with its receiver, and where those of its arguments stand."""
        key = (table.number, instruction)
        found = self._arguments.get(key)
        if found is None:
            called = table.code.instructions[instruction].called
            assert called is not None
            takes_receiver = called.kind not in ("static", "dynamic")
            has_word = takes_receiver and called.name != "<init>"
            slot, operand = int(has_word), int(takes_receiver)
            arguments = []
            for each in types_in(called.descriptor)[0]:
                letters = letters_of(each)
                arguments.append(Argument(operand, slot, letters, each))
                slot += len(letters)
                operand += 1
            found = self._arguments[key] = (has_word, tuple(arguments))
        return found

    def site(self, time: int) -> tuple[CallSite, Argument | None]:
        """The call to which a word before it belongs, and the argument; None for the receiver."""
        frame, row, instruction = self.index.instance(time)
        slot = int(self.index.slot_at[time])
        has_word, arguments = self.arguments(frame.method, instruction)
        site = CallSite(frame, row, instruction, time)
        if has_word and slot == 0:
            return site, None
        return site, next((each for each in reversed(arguments) if each.slot <= slot and each.letters), None)

    def argument_word(self, site: CallSite, argument: Argument) -> tuple[int, int] | None:
        """Kind and payload that tell an argument: its value if it has one, else its identity or number."""
        if not argument.letters:
            return None
        if argument.letters == "ov":
            value = self.index.word(site.frame, site.row, site.instruction, argument.slot + 1)
            if value is not None and value[1]:
                return value
        return self.index.word(site.frame, site.row, site.instruction, argument.slot)

    def receiver(self, site: CallSite) -> int | None:
        """The identity of the object whose method was called; for a constructor, of the object made."""
        has_word, _ = self.arguments(site.frame.method, site.instruction)
        if has_word:
            return self.index.object_of(site.frame, site.row, site.instruction)
        called = site.code.called
        if called is None or called.name != "<init>":
            return None
        made = self.source_of(site.frame, site.row, site.instruction, 0)
        if isinstance(made, Node) and site.frame.method.code.instructions[made.instruction].op is Op.NEW:
            return self.index.object_of(site.frame, made.row, made.instruction, after=True)
        return None

    def effect(self, site: CallSite) -> CallEffect:
        """What the summaries say of a call."""
        called = site.code.called
        assert called is not None
        arity = len(self.arguments(site.frame.method, site.instruction)[1])
        names = self.index.tables.ancestors(called.class_name)
        return self.summaries.effect(names, called.name, called.descriptor, arity)

    def root(self, identity: int) -> int:
        """The object whose state an iterator, an editor or another view shows; else the object itself."""
        found = self._roots.get(identity)
        if found is not None:
            return found
        self._roots[identity] = identity
        constructor = self.constructor(identity)
        effect = self.effect(constructor) if constructor is not None else None
        if constructor is not None and effect is not None and effect.word == "wraps":
            _, arguments = self.arguments(constructor.frame.method, constructor.instruction)
            number = int(effect.arguments[0])
            word = self.argument_word(constructor, arguments[number - 1]) if number <= len(arguments) else None
            if word is not None and word[0] == Word.OBJECT and word[1]:
                self._roots[identity] = self.root(word[1])
        given = self.index.given_back.of(identity)
        if len(given):
            frame, row, instruction = self.index.instance(int(given[0]))
            if row >= 0:
                site = CallSite(frame, row, instruction, int(given[0]))
                receiver = self.receiver(site)
                effect = self.effect(site)
                if receiver and receiver != identity and effect.word in ("views", "next") and self._shows(effect, site):
                    self._roots[identity] = self.root(receiver)
        return self._roots[identity]

    @staticmethod
    def _shows(effect: CallEffect, site: CallSite) -> bool:
        """Whether the result shows the receiver's state; of elements of iterators only the entries of maps do."""
        cast = site.code.called
        return effect.word == "views" or (cast is not None and "Entry" in cast.descriptor)

    def history(self, identity: int) -> list[tuple[CallSite, CallEffect]]:
        """All calls beyond with this receiver or a view of it, in the order of time."""
        identity = self.root(identity)
        found = self._histories.get(identity)
        if found is not None:
            return found
        calls: dict[tuple[int, int], tuple[CallSite, CallEffect]] = {}
        waiting, seen = [identity], {identity}
        while waiting:
            each = waiting.pop()
            constructor = self.constructor(each)
            if constructor is not None:
                calls[constructor.row, constructor.instruction] = (constructor, self.effect(constructor))
            for time in self.index.handed.of(each).tolist():
                site, argument = self.site(time)
                went_on = self._went_on(site.frame, site.row)
                site = site if went_on is None else replace(site, time=went_on)
                effect = self.effect(site)
                if argument is not None:
                    if effect.word == "alters" and self._altered(site, effect) == each:
                        calls[site.row, site.instruction] = (site, effect)
                    wrapper = self.receiver(site) if effect.word == "wraps" else None
                    if wrapper and wrapper not in seen:
                        seen.add(wrapper)
                        waiting.append(wrapper)
                    continue
                calls[site.row, site.instruction] = (site, effect)
                if effect.word in ("views", "next", "builds"):
                    result = self.index.object_of(site.frame, site.row, site.instruction, after=True)
                    if result and result not in seen and self.root(result) == identity:
                        seen.add(result)
                        waiting.append(result)
        found = self._histories[identity] = sorted(calls.values(), key=lambda pair: pair[0].time)
        return found

    def earlier(self, identity: int, site: CallSite) -> Iterator[tuple[CallSite, CallEffect]]:
        """The calls of `history` before a call, the latest first."""
        history = self.history(identity)
        for at in range(bisect_left(history, site.time, key=lambda pair: pair[0].time) - 1, -1, -1):
            yield history[at]

    def constructor(self, identity: int) -> CallSite | None:
        """The call of the constructor beyond of an object that was made here."""
        made = self.index.making.of(identity)
        if not len(made):
            return None
        frame, row, new = self.index.instance(int(made[-1]))
        for number in self._constructors(frame.method):
            rows = frame.rows_of(frame.method.block_of[number])
            for here in rows[int(rows.searchsorted(row)) :][:4].tolist():
                if self.source_of(frame, here, number, 0) == Node(row, new):
                    return CallSite(frame, here, number, self.time_of(frame, here, number))
        return None

    def arguments_of_constructor(self, frame: CallFrame, made: Node) -> Iterator[Node]:
        """The arguments that a recorded constructor was given for an object made in the frame."""
        for number, code in enumerate(frame.method.code.instructions):
            if code.called is None or code.called.name != "<init>" or code.called.beyond:
                continue
            rows = frame.rows_of(frame.method.block_of[number])
            for here in rows[int(rows.searchsorted(made.row)) :][:4].tolist():
                if self.source_of(frame, here, number, 0) == made:
                    yield from (Node(here, number, operand + 1) for operand in range(1, len(code.operands)))
                    return

    def _constructors(self, table: MethodTable) -> tuple[int, ...]:
        """The calls of constructors beyond in a method."""
        found = self._constructor_calls.get(table.number)
        if found is None:
            found = self._constructor_calls[table.number] = tuple(
                number
                for number, code in enumerate(table.code.instructions)
                if code.called is not None and code.called.name == "<init>" and code.called.beyond
            )
        return found

    def _call(self, frame: CallFrame, node: Node) -> Iterator[Edge]:
        row, instruction, role = node
        code = frame.method.code.instructions[instruction]
        assert code.called is not None
        if role == STARTED:
            for operand in range(len(code.operands)):
                yield from self.operand(frame, row, instruction, operand, BASE)
            return
        child = self.direct_child(frame, row, instruction)
        if child is not None and role in (WHOLE, CONTENT):
            yield from self._returned(frame, row, instruction, child)
            return
        went_on = self._went_on(frame, row)
        site = CallSite(frame, row, instruction, went_on or self.time_of(frame, row, instruction))
        effect = self.effect(site)
        if effect.guessed or not code.called.beyond:
            self.guesses[node] = f"{code.called.class_name}.{code.called.name}"
        if role in (WHOLE, CONTENT):
            yield from self._woken(frame, row)
            typed = self._input(site, effect)
            if typed is not None:
                self.inputs[node] = self.index.event_at(typed)
                yield from self.operand(frame, row, instruction, 0, BASE)
                return
            yield from self._result(site, effect, content=role == CONTENT)
        elif role == PUT:
            yield from self._put(site, effect)
        else:
            yield from self._changed(site, effect)

    def _input(self, site: CallSite, effect: CallEffect) -> int | None:
        """When the user put into a widget what a call reads from it; None if the app wrote it, or wrote it later."""
        called = site.code.called
        if not self.index.inputs or called is None or called.name not in _INPUT_READERS:
            return None
        receiver = self.receiver(site)
        times = [time for time in self.index.inputs.get(receiver or 0, ()) if time < site.time]
        if receiver is None or not times:
            return None
        for earlier, found in self.earlier(receiver, site):
            if earlier.time < times[-1]:
                break
            if found.word == "puts" and found.arguments[:1] == effect.arguments[:1]:
                return None
        return times[-1]

    def _shown_text(self, identity: int, time: int) -> Node | None:
        """The call that returned the text of a widget into which the user put something, by the text's identity."""
        if not self.index.inputs:
            return None
        given = self.index.given_back.before(identity, time)
        if not len(given):
            return None
        frame, row, instruction = self.index.instance(int(given[-1]))
        if row < 0:
            return None
        receiver = self.receiver(CallSite(frame, row, instruction, int(given[-1])))
        return Node(row, instruction) if receiver in self.index.inputs else None

    def _returned(self, frame: CallFrame, row: int, instruction: int, child: CallFrame) -> Iterator[Edge]:
        code = frame.method.code.instructions[instruction]
        assert code.called is not None
        last = int(child.block_rows[-1])
        block = child.method.code.blocks[int(child.blocks[-1])]
        if not child.unwound and block.last >= block.first:
            yield Edge(Node(last, block.last), DATA, f"{code.called.name}()")
        if code.called.kind in ("virtual", "interface"):
            yield from self.operand(frame, row, instruction, 0, BASE)

    def _woken(self, frame: CallFrame, row: int) -> Iterator[Edge]:
        """What let a waiting call go on: the notify, the end of a future."""
        wakings = self.index.wakings.get(frame.thread)
        if not wakings:
            return
        following = self.index.next_row(frame, row)
        until = int(self.index.time[following]) if following is not None else len(self.index.words)
        begin = int(self.index.time[row])
        here = [(time, token) for time, token in wakings if begin < time < until]
        for _, token in here:
            if (hand := self.index.hands.get(token)) is not None:
                edge = self._hand_edge(hand)
                if edge is not None:
                    yield edge
        if here and not any(token for _, token in here):
            yield from self._ended_wait(frame, row, begin, here[-1][0])

    def _ended_wait(self, frame: CallFrame, row: int, begin: int, end: int) -> Iterator[Edge]:
        """The call of another thread on the object for which a call waited: a latch, a queue, a condition."""
        block = frame.method.code.blocks[int(self.index.row_payload[row]) - frame.method.code.first_block]
        waited = self.index.object_of(frame, row, block.last)
        ends = [
            (site, site.code.called.name)
            for site, _ in (self.history(waited) if waited else ())
            if begin < site.time < end
            and site.frame.thread != frame.thread
            and site.code.called is not None
            and not site.code.called.name.startswith(_QUESTIONS)
        ]
        if ends:
            # A latch opens with the last call, a queue has something to take after the first one.
            site, name = ends[-1] if ends[-1][1].startswith(_LAST_ENDS) else ends[0]
            yield Edge(Node(site.row, site.instruction, STARTED), DependenceKind.HANDED, name)

    def _went_on(self, frame: CallFrame, row: int) -> int | None:
        """When a call of this block went on after it had waited for another thread; None if it did not wait."""
        wakings = self.index.wakings.get(frame.thread)
        if not wakings:
            return None
        following = self.index.next_row(frame, row)
        until = int(self.index.time[following]) if following is not None else len(self.index.words)
        times = [time for time, _ in wakings if int(self.index.time[row]) < time < until]
        return times[-1] if times else None

    def _result(self, site: CallSite, effect: CallEffect, *, content: bool) -> Iterator[Edge]:
        frame, row, instruction = site.frame, site.row, site.instruction
        has_receiver, arguments = self.arguments(frame.method, instruction)
        takes_receiver = self._has_receiver(frame.method, instruction)
        kind = GUESSED if effect.guessed else DATA
        result = self.index.word(frame, row, instruction, 0, after=True)
        receiver = self.receiver(site)
        name = site.code.called.name if site.code.called else ""
        if effect.word in ("nothing", "runs"):
            return
        if effect.word == "calls":
            children = self.index.children(frame, row)
            if children:
                yield from self._returned(frame, row, instruction, children[-1])
                for operand in range(len(site.code.operands)):
                    yield from self.operand(frame, row, instruction, operand, BASE)
                return
        if effect.word in _ENTRY_READERS and receiver:
            found = list(self._entry(site, effect, receiver))
            if found:
                yield from found
                yield from self._keys(site, effect, arguments)
                yield from self.operand(frame, row, instruction, 0, BASE)
                return
        if result is not None and result[0] == Word.OBJECT and result[1] and effect.word not in ("value", "makes"):
            holder = self._identity(site, receiver, result[1])
            if holder is not None:
                yield Edge(holder, DATA, f"{name}()")
                if takes_receiver:
                    yield from self.operand(frame, row, instruction, 0, BASE)
                return
        if receiver and effect.word in ("finds", "reads", "moves"):
            yield from self._position(site, receiver)
        if effect.word == "finds":
            holder = self._equal_value(site) or self._last_put(site, receiver)
            if holder is not None:
                yield Edge(holder, DATA, f"{name}()")
                for operand in range(len(site.code.operands)):
                    yield from self.operand(frame, row, instruction, operand, BASE)
                return
        if effect.word in ("gets", "through", "element", "peeks"):
            yield from self._keys(site, effect, arguments)
        else:
            is_object = result is not None and result[0] == Word.OBJECT and not self._has_value(site)
            for each in arguments:
                if is_object and not content:
                    yield from self.operand(frame, row, instruction, each.operand, kind)
                else:
                    yield from self._argument(site, each, kind)
                    if each.letters == "o" and not each.type.startswith("["):
                        yield from self._content(site, each)
        if not takes_receiver:
            return
        if effect.word == "value":
            yield from self.operand(frame, row, instruction, 0, kind)
            return
        yield from self.operand(frame, row, instruction, 0, BASE)
        # An object is a reference: what it holds matters to calls that read it.
        is_reference = result is not None and result[0] == Word.OBJECT and not self._has_value(site)
        is_property = bool(effect.arguments) and isinstance(effect.arguments[0], str)
        if effect.word != "makes" and receiver and (content or not is_reference) and not is_property:
            yield from self._state(receiver, site, kind)

    def _has_value(self, site: CallSite) -> bool:
        """Whether the result is a text or a number and not an object with a state of its own."""
        if not site.code.after.startswith("ov"):
            return False
        called = site.code.called
        if called is not None and called.descriptor.rpartition(")")[2] not in _ANY_OBJECT:
            return True
        found = self.index.word(site.frame, site.row, site.instruction, 1, after=True)
        return found is None or found[1] != 0

    def _argument(self, site: CallSite, argument: Argument, kind: DependenceKind) -> Iterator[Edge]:
        """The dependence on an argument whose value a call uses; of an array, on its elements too."""
        yield from self.operand(site.frame, site.row, site.instruction, argument.operand, kind)
        if argument.type.startswith("[") and kind is not BASE:
            identity = self.index.object_of(site.frame, site.row, site.instruction, argument.slot)
            if identity:
                yield from self._elements_of(identity, site.time)
                made = self.making(identity, site.time)
                if made is not None and made.role == WHOLE:
                    yield Edge(made._replace(role=CONTENT), kind)

    def _elements_of(self, identity: int, time: int) -> Iterator[Edge]:
        """The last writes of the elements of an array; of a large one, of the first elements."""
        writes = self.index.element_writes
        start, end = writes.keys.searchsorted([identity << 32, (identity + 1) << 32]).tolist()
        latest: dict[int, int] = {}
        for place in range(start, min(end, start + SEARCHED_CALLS)):
            if writes.times[place] < time:
                latest[int(writes.keys[place])] = int(writes.times[place])
        for each in latest.values():
            _, row, instruction = self.index.instance(each)
            yield Edge(Node(row, instruction), DATA, "element")

    def _position(self, site: CallSite, receiver: int) -> Iterator[Edge]:
        """The last call that moved a cursor or parcel to the place that is read."""
        for earlier, effect in self.earlier(receiver, site):
            if earlier.time < site.time and effect.word == "moves":
                yield Edge(Node(earlier.row, earlier.instruction, RAN), BASE, "position")
                return

    def _last_put(self, site: CallSite, receiver: int | None) -> Node | None:
        for earlier, effect in self.earlier(receiver, site) if receiver else ():
            if earlier.time < site.time and effect.word in ("adds", "puts"):
                return Node(earlier.row, earlier.instruction, PUT)
        return None

    def _keys(self, site: CallSite, effect: CallEffect, arguments: tuple[Argument, ...]) -> Iterator[Edge]:
        if effect.arguments and isinstance(effect.arguments[0], int) and effect.arguments[0] <= len(arguments):
            operand = arguments[effect.arguments[0] - 1].operand
            yield from self.operand(site.frame, site.row, site.instruction, operand, BASE)

    def _state(self, identity: int, site: CallSite, kind: DependenceKind) -> Iterator[Edge]:
        """What the state of an object depends on: its last change, else its making."""
        shown = self._shown_text(identity, site.time)
        if shown is not None:
            yield Edge(shown, kind, "text")
            return
        for earlier, effect in self.earlier(identity, site):
            if (
                earlier.time < site.time
                and effect.changes_state
                and (earlier.row, earlier.instruction) != (site.row, site.instruction)
            ):
                yield Edge(Node(earlier.row, earlier.instruction, CHANGED), kind, "")
                return
        if self.index.record.first_event:
            self.earlier_events_wanted = True
        made = self.making(self.root(identity), site.time)
        if made is not None and (made.row, made.instruction) != (site.row, site.instruction):
            yield Edge(made._replace(role=CONTENT) if made.role == WHOLE else made, kind, "")

    def _put(self, site: CallSite, effect: CallEffect) -> Iterator[Edge]:
        """A value that a call put into its receiver."""
        _, arguments = self.arguments(site.frame.method, site.instruction)
        frame, row, instruction = site.frame, site.row, site.instruction
        if effect.word == "fills":
            for each in arguments:
                yield from self.operand(frame, row, instruction, each.operand, BASE)
            return
        number = _value_argument(effect)
        for position, each in enumerate(arguments, 1):
            kind = DATA if effect.word != "saves" and number in (None, position) else BASE
            yield from self._argument(site, each, kind)
        if self._has_receiver(frame.method, instruction):
            yield from self.operand(frame, row, instruction, 0, BASE)
        if effect.word == "copies" and number is not None and number <= len(arguments):
            word = self.index.word(frame, row, instruction, arguments[number - 1].slot)
            if word is not None and word[0] == Word.OBJECT and word[1]:
                yield from self._state(word[1], site, DATA)

    def _changed(self, site: CallSite, effect: CallEffect) -> Iterator[Edge]:
        """A change of the receiver: what it was given, and all earlier changes."""
        kind = GUESSED if effect.guessed else DATA
        for edge in self._put(
            site, CallEffect("changes") if effect.word in ("pops", "takesLast", "clears") else effect
        ):
            yield edge if edge.kind is not DATA else Edge(edge.target, kind, edge.what)
        receiver = self._altered(site, effect) if effect.word == "alters" else self.receiver(site)
        if receiver and effect.word != "clears":
            yield from self._state(receiver, site, kind)

    def _altered(self, site: CallSite, effect: CallEffect) -> int | None:
        """The argument whose state a call changes."""
        _, arguments = self.arguments(site.frame.method, site.instruction)
        number = int(effect.arguments[0])
        if number > len(arguments):
            return None
        return self.index.object_of(site.frame, site.row, site.instruction, arguments[number - 1].slot)

    # The entry that a call reads: by key, by index, by identity, by value.

    def _entry(self, site: CallSite, effect: CallEffect, receiver: int) -> Iterator[Edge]:
        if effect.word in ("gets", "removes", "through"):
            yield from self._by_key(site, effect, receiver)
            put = self.put_under(site, effect, receiver) if effect.word == "through" else None
            if put is not None:
                yield from self._put_content(put, site)
            return
        elements = self._elements(receiver, site)
        place: int | None = {"peeks": 0, "pops": 0, "takesLast": -1}.get(effect.word)
        if place is None:
            argument = self.arguments(site.frame.method, site.instruction)[1][int(effect.arguments[0]) - 1]
            word = self.argument_word(site, argument)
            place = signed(word[1]) if word is not None and word[0] == Word.NUMBER else None
        listed = self._listed(receiver, site)
        if listed is not None and place is not None:
            yield from self._element_source(listed, place, site.time, "element", 0)
            return
        if elements is None:
            return
        if place is not None and -len(elements) <= place < len(elements):
            found = elements[place]
            yield Edge(
                Node(found.row, found.instruction, PUT), DATA, f"element {place}" if place >= 0 else "last element"
            )

    def _listed(self, receiver: int, site: CallSite) -> int | None:
        """The array whose elements a list shows, as `Arrays.asList` makes it."""
        made = self.making(self.root(receiver), site.time)
        if made is None or made.role != WHOLE:
            return None
        frame = self.index.frame_of(made.row)
        maker = CallSite(frame, made.row, made.instruction, self.time_of(frame, made.row, made.instruction))
        _, arguments = self.arguments(frame.method, made.instruction)
        if self.effect(maker).word != "lists" or len(arguments) != 1 or arguments[0].type[0] != "[":
            return None
        return self.index.object_of(frame, made.row, made.instruction, arguments[0].slot) or None

    def _put_content(self, put: Node, site: CallSite) -> Iterator[Edge]:
        """The content of the object that a call put into its receiver."""
        frame = self.index.frame_of(put.row)
        earlier = CallSite(frame, put.row, put.instruction, self.time_of(frame, put.row, put.instruction))
        _, arguments = self.arguments(frame.method, put.instruction)
        number = _value_argument(self.effect(earlier))
        if number and number <= len(arguments):
            identity = self.index.object_of(frame, put.row, put.instruction, arguments[number - 1].slot)
            if identity:
                yield from self._state(identity, site, DATA)

    def _elements(self, receiver: int, site: CallSite) -> list[CallSite] | None:
        """The calls that put the elements into a list, in the order of the list; None if it is not known."""
        elements: list[CallSite] = []
        for earlier, effect in self.history(receiver):
            if (earlier.time, earlier.row) >= (site.time, site.row):
                break
            if not self.index.ran(earlier.frame, earlier.row, earlier.instruction):
                continue
            _, arguments = self.arguments(earlier.frame.method, earlier.instruction)
            numbers = [self.argument_word(earlier, each) for each in arguments]
            first = numbers[0] if numbers else None
            place = signed(first[1]) if first is not None and first[0] == Word.NUMBER else None
            match effect.word:
                case "adds":
                    elements.append(earlier)
                case "pushes":
                    elements.insert(0, earlier)
                case "inserts" if place is not None and 0 <= place <= len(elements):
                    elements.insert(place, earlier)
                case "replaces" if place is not None and 0 <= place < len(elements):
                    elements[place] = earlier
                case "takes" if place is not None and 0 <= place < len(elements):
                    del elements[place]
                case "drops":
                    equal = (at for at, each in enumerate(elements) if self._put_word(each) == first)
                    if (at := next(equal, None)) is not None:
                        del elements[at]
                case "pops":
                    elements[:1] = []
                case "takesLast":
                    elements[-1:] = []
                case "clears":
                    elements.clear()
                case "reads" | "element" | "peeks" | "views" | "next" | "nothing" | "runs" | "makes":
                    pass
                case _:
                    return None
        return elements

    def _put_word(self, site: CallSite) -> tuple[int, int] | None:
        _, arguments = self.arguments(site.frame.method, site.instruction)
        number = _value_argument(self.effect(site))
        return self.argument_word(site, arguments[number - 1]) if number and number <= len(arguments) else None

    def key(self, site: CallSite, effect: CallEffect) -> tuple[int, int] | str | None:
        """The key that a call names: a property, or kind and payload of an argument's word."""
        key = effect.arguments[0]
        if isinstance(key, str):
            return key
        _, arguments = self.arguments(site.frame.method, site.instruction)
        return self.argument_word(site, arguments[key - 1]) if key <= len(arguments) else None

    def _by_key(self, site: CallSite, effect: CallEffect, receiver: int) -> Iterator[Edge]:
        key = self.key(site, effect)
        if key is None:
            return
        name = self.key_name(key)
        put = self.put_under(site, effect, receiver)
        if put is not None:
            yield Edge(put, DATA, name)
            return
        if self.index.record.first_event:
            self.earlier_events_wanted = True
        made = self.making(self.root(receiver), site.time)
        by_framework = isinstance(key, str) and made is not None and made.role != MADE
        if made is not None and not by_framework and (made.row, made.instruction) != (site.row, site.instruction):
            yield Edge(made, DATA, name)

    def put_under(self, site: CallSite, effect: CallEffect, receiver: int) -> Node | None:
        """The call that wrote the entry which a call reads; None if none did."""
        key = self.key(site, effect)
        is_property = isinstance(key, str)
        for earlier, each in self.earlier(receiver, site):
            if is_property and each.word != "puts":
                continue
            if earlier.time >= site.time or not self.index.ran(earlier.frame, earlier.row, earlier.instruction):
                continue
            if each.word in ("puts", "removes") and self.key(earlier, each) == key:
                return Node(earlier.row, earlier.instruction, PUT)
            if each.word == "copies":
                copied = self._copied_entry(earlier, each, effect, site)
                if copied is not None:
                    return copied
            elif each.word in ("clears", "changes", "writes"):
                return Node(earlier.row, earlier.instruction, CHANGED)
        if len(self.index.making.of(self.root(receiver))):
            return None
        return self._travelled(site, key)

    def _copied_entry(self, copy: CallSite, effect: CallEffect, wanted: CallEffect, site: CallSite) -> Node | None:
        """The put of an equal key into the container from which a call copied all entries."""
        _, arguments = self.arguments(copy.frame.method, copy.instruction)
        number = _value_argument(effect)
        word = self.argument_word(copy, arguments[number - 1]) if number and number <= len(arguments) else None
        if word is None or word[0] != Word.OBJECT or not word[1]:
            return None
        key = self.key(site, wanted)
        for earlier, each in self.earlier(word[1], copy):
            if earlier.time < copy.time and each.word == "puts" and self.key(earlier, each) == key:
                return Node(earlier.row, earlier.instruction, PUT)
        return None

    def key_name(self, key: object) -> str:
        """A key in words."""
        if isinstance(key, str):
            return key[1:]
        if isinstance(key, tuple):
            kind, payload = key
            if kind == Word.VALUE:
                return f'"{self.index.value(payload) or ""}"'
            if kind == Word.NUMBER:
                return str(signed(payload))
        return "entry"

    def _travelled(self, site: CallSite, key: object) -> Node | None:
        """The last put with an equal key into another object of the kind that the system copies: intents, bundles."""
        if not isinstance(key, tuple) or key[0] != Word.VALUE:
            return None
        called = site.code.called
        if called is None or called.class_name not in _TRAVELLING:
            return None
        instruction = self.index.instruction_at
        hits = np.flatnonzero((self.index.words == ((Word.VALUE << 28) | key[1])) & (instruction >= 0))
        for each in reversed(hits[: int(hits.searchsorted(site.time))].tolist()):
            frame, row, number = self.index.instance(each)
            code = frame.method.code.instructions[number]
            if code.op is not Op.CALL or code.called is None or code.called.class_name not in _TRAVELLING:
                continue
            earlier = CallSite(frame, row, number, each)
            effect = self.effect(earlier)
            if effect.word == "puts" and self.key(earlier, effect) == key:
                return Node(row, number, PUT)
        return None

    def _identity(self, site: CallSite, receiver: int | None, result: int) -> Node | None:
        """The earlier call that handed the returned object to the same receiver, or into what it holds."""
        if receiver is not None and receiver == result:
            return None
        given = self.index.handed.before(result, site.time)
        own = {receiver, *self._given_objects(site)} - {None, 0}
        roots = {self.root(each) for each in own if each is not None}
        for each in reversed(given[-SEARCHED_CALLS:].tolist()):
            earlier, argument = self.site(each)
            if argument is None or (earlier.row, earlier.instruction) == (site.row, site.instruction):
                continue
            holder = self.receiver(earlier)
            if holder and roots and self._holds(roots, self.root(holder), 3):
                return Node(earlier.row, earlier.instruction, argument.operand + 1)
        following = self.index.next_row(site.frame, site.row)
        until = int(self.index.time[following]) if following is not None else len(self.index.words)
        for each in reversed(self.index.returned.before(result, until)[-8:].tolist()):
            frame, row, instruction = self.index.instance(each)
            called = self.call_of(frame)
            inside = called is not None and (called[1], called[2]) == (site.row, site.instruction)
            if inside or called is None:
                return Node(row, instruction)
        return None

    def _given_objects(self, site: CallSite) -> Iterator[int]:
        if self._has_receiver(site.frame.method, site.instruction):
            return
        for each in self.arguments(site.frame.method, site.instruction)[1]:
            word = self.index.word(site.frame, site.row, site.instruction, each.slot) if each.letters else None
            if word is not None and word[0] == Word.OBJECT and word[1]:
                yield word[1]

    def _holds(self, roots: set[int], identity: int, depth: int) -> bool:
        """Whether one of the objects was handed the object, directly or inside another one."""
        if identity in roots:
            return True
        if not depth:
            return False
        for each in self.index.handed.of(identity)[-32:].tolist():
            site, argument = self.site(each)
            holder = self.receiver(site) if argument is not None else None
            if holder and holder != identity and self._holds(roots, self.root(holder), depth - 1):
                return True
        return False

    def _equal_value(self, site: CallSite) -> Node | None:
        """The last call that was given a value equal to the result: rows of a database, lines of a file, parcels."""
        letters = site.code.after
        result = self.index.word(
            site.frame, site.row, site.instruction, 1 if letters.startswith("ov") else 0, after=True
        )
        if result is None or result[0] not in (Word.VALUE, Word.NUMBER) or (result[0] == Word.VALUE and not result[1]):
            return None
        family = _family(site.code.called.class_name) if site.code.called is not None else ""
        hits = np.flatnonzero(self.index.words == ((result[0] << 28) | result[1]))
        for each in reversed(hits[: int(hits.searchsorted(site.time))][-2000:].tolist()):
            if self.index.instruction_at[each] < 0 or self.index.slot_at[each] < 0:
                continue
            frame, row, number = self.index.instance(each)
            code = frame.method.code.instructions[number]
            if code.op is not Op.CALL or code.called is None:
                continue
            if _family(code.called.class_name) != family:
                continue
            earlier, argument = self.site(each)
            if argument is not None and self.effect(earlier).word in ("puts", "writes"):
                return Node(row, number, argument.operand + 1)
        return None


_QUESTIONS = ("get", "is", "has", "size", "peek", "contains", "remaining", "toString", "equals", "<init>")
"""How the names of calls begin that end no wait of another thread."""
_LAST_ENDS = ("countDown", "release", "unlock", "await", "arrive")
_INPUT_READERS = frozenset(
    {
        *("getText", "length", "getQuery", "isChecked", "getProgress", "getRating", "getValue", "getDate"),
        *("getSelectedItem", "getSelectedItemPosition", "getSelectedItemId", "getCheckedItemPosition"),
        *("getCheckedItemPositions", "getCheckedItemIds", "getCheckedItemCount", "getCheckedRadioButtonId"),
        *("getHour", "getMinute", "getCurrentHour", "getCurrentMinute", "getYear", "getMonth", "getDayOfMonth"),
    }
)
"""Calls that tell what the user put into a widget."""
_ENTRY_READERS = ("gets", "through", "element", "peeks", "pops", "takes", "takesLast", "removes")
_ANY_OBJECT = ("Ljava/lang/Object;", "Ljava/lang/Comparable;")
"""Types of results that may be texts and numbers, or objects."""
_TRAVELLING = frozenset(
    {"android.content.Intent", "android.os.Bundle", "android.os.BaseBundle", "android.os.PersistableBundle"}
)
_TOO_GENERAL = frozenset(
    {
        *("java.lang.Object", "android.content.Context", "android.app.Activity", "android.content.ContextWrapper"),
        *("android.view.ContextThemeWrapper", "java.io.Serializable", "android.os.Parcelable"),
    }
)


def _family(class_name: str) -> str:
    """The classes between which values travel without their identity: databases, files, parcels."""
    if class_name.startswith("java.io."):
        return "files"
    if class_name.startswith(("android.database.", "android.content.Content")):
        return "databases"
    return class_name


def _value_argument(effect: CallEffect) -> int | None:
    """The argument that carries the value which the effect puts; None if all do."""
    match effect.word, effect.arguments:
        case (("puts" | "inserts" | "replaces"), (_, int(value))):
            return value
        case (("adds" | "pushes" | "copies" | "drops" | "wraps"), (int(value),)):
            return value
    return None


def local_name(code: Instruction, table: MethodTable) -> str:
    """The name of a local variable, by its number if the build has no names."""
    if code.name:
        return code.name
    return "this" if code.local == 0 and not table.code.is_static else f"v{code.local}"


def parameter_name(table: MethodTable, number: int) -> str:
    """The name of a parameter, by its number if the build has no names."""
    if number == 0 and not table.code.is_static:
        return "this"
    types, _ = types_in(table.code.descriptor)
    skipped = 0 if table.code.is_static else 1
    local = skipped + sum(2 if each in "JD" else 1 for each in types[: number - skipped])
    for each in table.code.instructions:
        if each.op is Op.LOAD and each.local == local and each.name:
            return each.name
    return f"argument {number + 1 - skipped}"


def operands_in_error(index: RunIndex, frame: CallFrame, row: int, instruction: int) -> tuple[int, ...]:
    """The operands that made an instruction throw: the divisor, the null reference, index and array, and so on."""
    code = frame.method.code.instructions[instruction]
    count = len(code.operands)
    identity = index.object_of(frame, row, instruction)
    match code.op:
        case Op.MATH:
            chosen: tuple[int, ...] = (1,)
        case Op.ARRAY_LOAD | Op.ARRAY_STORE:
            chosen = (0,) if identity == 0 else (0, 1) if code.op is Op.ARRAY_LOAD else (0, 1, 2)
        case Op.GET_FIELD | Op.PUT_FIELD | Op.LENGTH | Op.CAST | Op.THROW | Op.MONITOR:
            chosen = (0,)
        case Op.CALL if (
            code.called is not None
            and code.called.kind not in ("static", "dynamic")
            and (identity == 0 or (not code.before and not index.children(frame, row)))
        ):
            # A call without words before it threw before a method of ours began: there was no object.
            chosen = (0,)
        case _:
            chosen = tuple(range(count))
    return tuple(each for each in chosen if each < count)
