"""Control: what decided that an instruction ran."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fewtaps.model.recorded_code import RETURNS, Op
from fewtaps.model.run_record import Word
from fewtaps.slicing.code_tables import MethodTable
from fewtaps.slicing.flow import deciders
from fewtaps.slicing.handing_on import HandingOn
from fewtaps.slicing.nodes import (
    CONTROL,
    FAILED,
    RAN,
    WAITED,
    Edge,
    Node,
)
from fewtaps.slicing.recording import CallFrame


class ControlDependences(HandingOn):
    """Answers which branch, exception or wait decided about a row."""

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

    def jumped(self, row: int, instruction: int) -> bool:
        """Whether a branch led to where it jumps, and not to the block after it."""
        frame = self.index.frame_of(row)
        following = self.index.next_row(frame, row)
        successors = frame.method.code.blocks[frame.method.block_of[instruction]].successors
        if following is None or self.index.row_kind[following] != Word.BLOCK or len(successors) != 2:
            return False
        return int(self.index.row_payload[following]) - frame.method.code.first_block == successors[1] != successors[0]

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
