"""Frames and the calls that began them."""

from __future__ import annotations

import numpy as np

from fewtaps.model.recorded_code import Op
from fewtaps.slicing.code_tables import MethodTable
from fewtaps.slicing.operands import Operands
from fewtaps.slicing.recording import CallFrame


class CallFrames(Operands):
    """Answers which call began a frame, and which frame a call began."""

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

    def is_direct(self, parent: CallFrame, row: int, call: int, frame: CallFrame) -> bool:
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
            if self.is_direct(frame, row, call, child):
                return child
        return None

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
