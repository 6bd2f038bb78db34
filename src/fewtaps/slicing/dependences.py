"""Dependences: what one execution of an instruction depends on, and why.

The kinds of dependence have a module each, every one built on those before it: operands, call_frames, call_sites,
parameters, handing_on, control, monitors, memory, histories, entries, call_results.
"""

from __future__ import annotations

from collections.abc import Iterator

from fewtaps.model.recorded_code import Op
from fewtaps.model.slice import DependenceKind
from fewtaps.slicing.call_results import READERS_AT_A_POSITION, CallResults
from fewtaps.slicing.nodes import (
    BASE,
    DATA,
    FAILED,
    MADE,
    RAN,
    WAITED,
    WHOLE,
    CallSite,
    Edge,
    Node,
    local_name,
    operands_in_error,
)
from fewtaps.slicing.recording import CallFrame


class Dependences(CallResults):
    """Answers what a node depends on."""

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
            case Op.MONITOR:
                yield from self.operand(frame, row, instruction, 0, BASE)
                yield from self.held_by(Node(row, instruction))
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
        """The making of the array of a wrong index: it decided the length. Of a call: the state of the receiver."""
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
        stateless = effect.guessed or effect.word in ("nothing", "runs", "makes", "value", "constant")
        if has_word and identity and 0 in chosen and not stateless:
            if effect.word in READERS_AT_A_POSITION:
                yield from self._position(site, identity)
            yield from self._state(identity, site, DATA)
        for each in arguments:
            if each.operand in chosen and each.letters.startswith("o"):
                yield from self._content(site, each)
        if effect.word == "constant":
            yield from self.constants(site)
