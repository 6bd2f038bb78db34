"""Executions of calls without code here: their arguments, receiver, constructor and summary."""

from __future__ import annotations

from collections.abc import Iterator

from fewtaps.model.recorded_code import Op
from fewtaps.slicing.call_frames import CallFrames
from fewtaps.slicing.code_tables import MethodTable, letters_of, types_in
from fewtaps.slicing.nodes import (
    Argument,
    CallSite,
    Node,
)
from fewtaps.slicing.recording import CallFrame
from fewtaps.slicing.summaries import CallEffect


class CallSites(CallFrames):
    """Answers what the words of a call beyond tell."""

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
