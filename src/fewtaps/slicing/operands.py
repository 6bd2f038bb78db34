"""Operands: which instruction of the same frame produced a value, and where a caught exception was thrown."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fewtaps.model.recorded_code import Op, caught_at, parameter_of
from fewtaps.model.run_record import Word
from fewtaps.slicing.code_tables import MethodTable
from fewtaps.slicing.nodes import (
    FAILED,
    MADE,
    WHOLE,
    Argument,
    CallSite,
    Node,
)
from fewtaps.slicing.recording import CallFrame, RunIndex
from fewtaps.slicing.summaries import CallEffect, Summaries


class Operands:
    """Answers what produced an operand, what made an object and what threw an exception."""

    def __init__(self, index: RunIndex, summaries: Summaries) -> None:
        self.index = index
        self.summaries = summaries
        self.guesses: dict[Node, str] = {}
        self.inputs: dict[Node, int] = {}
        """Reads whose value no line gave, with the event that did: the user put it into a widget, or a new process
        began, in which a static field has its default value."""
        self.earlier_events_wanted = False
        self._producers: dict[tuple[int, int, int], tuple[int, tuple[tuple[int, int], ...], tuple[int, ...], int]] = {}
        self._arguments: dict[tuple[int, int], tuple[bool, tuple[Argument, ...]]] = {}
        self._histories: dict[int, list[tuple[CallSite, CallEffect]]] = {}
        self._roots: dict[int, int] = {}
        self._constructor_calls: dict[int, tuple[int, ...]] = {}
        self._waiting: dict[int, NDArray[np.int64]] = {}
        self._taken: dict[int, dict[int, frozenset[tuple[int, int]]]] | None = None

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
