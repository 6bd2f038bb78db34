"""Memory: the last write of a field, a static field or an element before a read."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fewtaps.model.recorded_code import Instruction, Op
from fewtaps.model.run_record import Word
from fewtaps.slicing.monitors import Monitors
from fewtaps.slicing.nodes import (
    BASE,
    CONTENT,
    DATA,
    PUT,
    SEARCHED_CALLS,
    WHOLE,
    CallSite,
    Edge,
    Node,
    local_name,
)
from fewtaps.slicing.recording import CallFrame, signed

COPIES_FOLLOWED = 50
"""Copies of arrays of copied arrays that are followed; more would end in a recursion that is too deep."""


class MemoryDependences(Monitors):
    """Answers what wrote the location that an instruction reads."""

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
        """For an object that was made from saved bytes: the last write of the field of the object that was saved."""
        frame = self.index.frame_of(made.row)
        if frame.method.code.instructions[made.instruction].called is None:
            return
        site = CallSite(frame, made.row, made.instruction, self.time_of(frame, made.row, made.instruction))
        for identity in self.saved_objects(site):
            writes = self.index.field_writes.before((identity << 32) | field, site.time)
            if len(writes):
                _, row, instruction = self.index.instance(int(writes[-1]))
                yield Edge(Node(row, instruction), DATA, name)
                return

    def saved_objects(self, site: CallSite) -> Iterator[int]:
        """The objects of which a call may have made its result, by reading what was saved of them."""
        if site.code.called is not None and site.code.called.name == "readObject":
            yield from self._saved_before(site)

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
        elif (began := self.index.process_began(int(self.index.time[row]))) >= 0:
            self.inputs[Node(row, instruction)] = self.index.event_at(began)
        elif self.index.record.first_event:
            self.earlier_events_wanted = True

    def static_write(self, class_name: str, name: str, frame: CallFrame, row: int, instruction: int) -> Node | None:
        """The last write of a static field before an instruction, in the same process of the app."""
        number = self.index.tables.field_numbers.get((class_name, name), -1)
        time = int(self.index.time[row])
        following = self.index.next_row(frame, row)
        until = int(self.index.time[following]) if following is not None else len(self.index.words)
        best_time, best = self.index.process_began(time), None
        for block, writer in self.index.tables.static_writes.get(number, ()):
            for each in reversed(self.index.static_writes.before(block, until)[-64:].tolist()):
                if each < best_time:
                    break
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

    def static_write_before(self, number: int, time: int) -> Node | None:
        """The last write of a static field, by the field's number, before a time, in whichever process."""
        best_time, best = -1, None
        for block, writer in self.index.tables.static_writes.get(number, ()):
            for each in reversed(self.index.static_writes.before(block, time)[-64:].tolist()):
                if each < best_time:
                    break
                at = int(self.index.row_of[each])
                if self.index.ran(self.index.frame_of(at), at, writer):
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
            source = self.copied_from(site, number)
            if source is None:
                continue
            yield Edge(Node(site.row, site.instruction, PUT), DATA, f"{name}[{number}]")
            if depth < COPIES_FOLLOWED:
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

    def copied_from(self, site: CallSite, number: int) -> tuple[int, int] | None:
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

    def _elements_of(self, identity: int, time: int, depth: int = 0) -> Iterator[Edge]:
        """The last writes of the elements of an array, of a large one of the first elements; copied ones too."""
        writes = self.index.element_writes
        start, end = writes.keys.searchsorted([identity << 32, (identity + 1) << 32]).tolist()
        latest: dict[int, int] = {}
        for place in range(start, min(end, start + SEARCHED_CALLS)):
            if writes.times[place] < time:
                latest[int(writes.keys[place])] = int(writes.times[place])
        for each in latest.values():
            _, row, instruction = self.index.instance(each)
            yield Edge(Node(row, instruction), DATA, "element")
        for each in self.index.handed.before(identity, time)[-SEARCHED_CALLS:].tolist():
            site, argument = self.site(each)
            effect = self.effect(site)
            if argument is None or effect.word != "fills" or argument.operand != int(effect.arguments[0]) - 1:
                continue
            yield Edge(Node(site.row, site.instruction, PUT), DATA, "element")
            source = self.index.object_of(site.frame, site.row, site.instruction)
            if source and source != identity and depth < COPIES_FOLLOWED:
                yield from self._elements_of(source, site.time, depth + 1)
