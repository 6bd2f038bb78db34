"""Monitors: which thread holds the one that another thread waits for, and what keeps it there."""

from __future__ import annotations

from collections.abc import Iterator

from fewtaps.model.recorded_code import Op
from fewtaps.model.run_record import Word
from fewtaps.slicing.control import ControlDependences
from fewtaps.slicing.nodes import CONTROL, RAN, SEARCHED_CALLS, WHOLE, Edge, Node
from fewtaps.slicing.recording import CallFrame

MONITOR = "monitor"
"""What the edges to the holder of a monitor carry."""


class Monitors(ControlDependences):
    """Answers why a thread that wants a monitor does not get it."""

    def blocked_at(self, thread: int) -> Node | None:
        """The instruction at which a thread still waits for a monitor when the recording ends."""
        time = self._last_word(thread)
        if time is None or self.index.kind[time] != Word.OBJECT:
            return None
        if int(self.index.instruction_at[time]) < 0 or int(self.index.slot_at[time]) != 0:
            return None
        frame, row, instruction = self.index.instance(time)
        return Node(row, instruction) if frame.method.code.instructions[instruction].op is Op.MONITOR else None

    def holder(self, blocked: Node) -> Node | None:
        """Where another thread entered the monitor that a blocked instruction wants, and has not left it."""
        frame = self.index.frame_of(blocked.row)
        identity = self.index.object_of(frame, blocked.row, blocked.instruction)
        if not identity or self.blocked_at(frame.thread) != Node(blocked.row, blocked.instruction):
            return None
        for time in reversed(self.index.monitor_entries.of(identity)[-SEARCHED_CALLS:].tolist()):
            thread = int(self.index.thread[time])
            if thread != frame.thread and self._last_word(thread) != time:
                entry = Node(*self.index.instance(time)[1:])
                if self._is_held(entry, identity):
                    return entry
        return None

    def held_by(self, blocked: Node) -> Iterator[Edge]:
        """Where the monitor was entered, what its holder is at, and what decided that."""
        entry = self.holder(blocked)
        if entry is None:
            return
        yield Edge(entry._replace(role=RAN), CONTROL, MONITOR)
        frame = self._innermost(self.index.frame_of(entry.row).thread)
        if frame is None:
            return
        row = self.index.row_before(frame, len(self.index.words))
        last = self.blocked_at(frame.thread)
        if last is not None:
            yield Edge(last, CONTROL, MONITOR)
            return
        block = frame.method.code.blocks[int(self.index.row_payload[row]) - frame.method.code.first_block]
        if block.last >= block.first and Node(row, block.last) != entry:
            is_call = frame.method.code.instructions[block.last].op is Op.CALL
            yield Edge(Node(row, block.last, RAN if is_call else WHOLE), CONTROL, MONITOR)
        for edge in self.control(frame, row):
            if edge.kind is CONTROL:
                yield edge

    def _is_held(self, entry: Node, identity: int) -> bool:
        """Whether the frame that entered a monitor is still inside of it when the recording ends."""
        frame = self.index.frame_of(entry.row)
        innermost = self._innermost(frame.thread)
        if innermost is None or frame.depth > innermost.depth:
            return False
        if self.index.open_frame(frame.thread, frame.depth, len(self.index.words)) is not frame:
            return False
        wanted = self.source_of(frame, entry.row, entry.instruction, 0)
        for number, code in enumerate(frame.method.code.instructions):
            if code.op is not Op.MONITOR or code.before:
                continue
            row = frame.latest(frame.method.block_of[number], frame.end)
            later = row > entry.row or (row == entry.row and number > entry.instruction)
            if later and self.source_of(frame, row, number, 0) == wanted:
                return False
        return not self._waits_on(innermost, identity)

    def _waits_on(self, frame: CallFrame, identity: int) -> bool:
        """Whether a frame stands in `Object.wait` of the object, which gives its monitor up meanwhile."""
        row = self.index.row_before(frame, len(self.index.words))
        block = frame.method.code.blocks[int(self.index.row_payload[row]) - frame.method.code.first_block]
        called = frame.method.code.instructions[block.last].called if block.last >= block.first else None
        waits = called is not None and called.name == "wait" and called.class_name == "java.lang.Object"
        return waits and self.index.object_of(frame, row, block.last) == identity

    def _innermost(self, thread: int) -> CallFrame | None:
        return self.index.frame_at(thread, len(self.index.words))

    def _last_word(self, thread: int) -> int | None:
        """The time of the last word that a frame of the thread wrote."""
        region = self.index.regions.get(thread)
        return None if region is None else int(self.index.stream[region[1] - 1])
