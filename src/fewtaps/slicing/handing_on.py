"""What made a frame run: the call, the work that was handed on, the registration of the callback, the lifecycle."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from fewtaps.model.run_record import Word
from fewtaps.model.slice import DependenceKind
from fewtaps.slicing.nodes import (
    RAN,
    SEARCHED_CALLS,
    STARTED,
    Edge,
    Node,
)
from fewtaps.slicing.parameters import Parameters
from fewtaps.slicing.recording import Accesses, CallFrame

_TOO_GENERAL = frozenset(
    {
        *("java.lang.Object", "android.content.Context", "android.app.Activity", "android.content.ContextWrapper"),
        *("android.view.ContextThemeWrapper", "java.io.Serializable", "android.os.Parcelable"),
    }
)


class HandingOn(Parameters):
    """Answers why a frame ran, and what let a waiting call go on."""

    def frame_parents(self, frame: CallFrame) -> Iterator[Edge]:
        """What made a frame run: the call; else what handed the work on, or registered the callback."""
        called = self.call_of(frame)
        if called is not None:
            parent, row, call = called
            direct = self.is_direct(parent, row, call, frame) or frame.method.code.name == "<clinit>"
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

    def _went_on(self, frame: CallFrame, row: int) -> int | None:
        """When a call of this block went on after it had waited for another thread; None if it did not wait."""
        wakings = self.index.wakings.get(frame.thread)
        if not wakings:
            return None
        following = self.index.next_row(frame, row)
        until = int(self.index.time[following]) if following is not None else len(self.index.words)
        times = [time for time, _ in wakings if int(self.index.time[row]) < time < until]
        return times[-1] if times else None
