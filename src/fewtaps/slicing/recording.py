"""RunIndex: the words of a recording in the order of frames, with every word assigned to its instruction.

A *row* is a word that belongs to a frame. Rows are sorted by thread, depth and time, so that the rows of one frame
stand together, in the order in which they were written. All of it is done with whole arrays; only what a slice asks for
is looked at one by one.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fewtaps.model.numerals import signed_number
from fewtaps.model.recorded_code import Op
from fewtaps.model.run_record import KIND_SHIFT, PAYLOAD, RunRecord, Word
from fewtaps.slicing.code_tables import OP_NUMBER, CodeTables, MethodTable, can_throw, throws_silently
from fewtaps.slicing.soundness import require_sound_frames, require_sound_words

Ints = NDArray[np.int32]


@dataclass(slots=True)
class CallFrame:
    """One execution of a method: its rows, and the rows at which its blocks begin."""

    number: int
    method: MethodTable
    start: int
    end: int
    thread: int
    depth: int
    block_rows: NDArray[np.int64]
    blocks: NDArray[np.int64]
    """The numbers of the blocks within the method, as many as `block_rows`."""
    positions: dict[int, NDArray[np.int64]] = field(default_factory=dict)
    unwound: bool = False
    failed: frozenset[int] = frozenset()
    """The rows of the blocks that an exception cut short."""

    def rows_of(self, block: int) -> NDArray[np.int64]:
        """The rows at which a block of the method begins."""
        found = self.positions.get(block)
        if found is None:
            found = self.positions[block] = self.block_rows[self.blocks == block]
        return found

    def latest_block(self, before: int) -> int:
        """The row of the last block that begins before `before`, -1 if there is none."""
        at = int(self.block_rows.searchsorted(before))
        return int(self.block_rows[at - 1]) if at else -1

    def latest(self, block: int, before: int) -> int:
        """The last row before `before` at which the block begins, -1 if there is none."""
        rows = self.rows_of(block)
        at = int(rows.searchsorted(before))
        return int(rows[at - 1]) if at else -1


class RunIndex:
    """A recording, ready to be asked what ran before what, in which frame, with which objects.

    Raises DamagedRecording if its words do not fit its code.
    """

    def __init__(self, record: RunRecord) -> None:
        self.record = record
        self.tables = CodeTables(record.code)
        words = np.ascontiguousarray(record.words, dtype=np.uint32)
        self.words = words
        self.kind: NDArray[np.uint8] = (words >> KIND_SHIFT).astype(np.uint8)
        self.payload: Ints = (words & PAYLOAD).astype(np.int32)
        require_sound_words(self)
        self._threads()
        self._stream()
        self._frames()
        self._assign_words()
        require_sound_frames(self)
        self._frame_cache: dict[int, CallFrame] = {}
        self._row_frames: dict[int, CallFrame] = {}

    # Reading all words at once.

    def _threads(self) -> None:
        at = np.flatnonzero(self.kind == Word.TURN)
        self.thread: NDArray[np.uint16] = np.zeros(len(self.words), np.uint16)
        if len(at):
            lengths = np.diff(np.append(at, len(self.words)))
            self.thread[at[0] :] = np.repeat(self.payload[at].astype(np.uint16), lengths)
        events = np.flatnonzero(self.kind == Word.EVENT)
        self.event_times = events
        self.event_numbers = self.payload[events]

    def _stream(self) -> None:
        """The words of frames, thread by thread, each thread's in the order of time."""
        chosen = np.flatnonzero(self.kind <= Word.UNWOUND).astype(np.int32)
        threads = self.thread[chosen]
        if len(threads) and threads.any():
            order = np.argsort(threads, kind="stable")
            chosen, threads = chosen[order], threads[order]
        self.stream = chosen
        self.stream_thread = threads
        present, starts = np.unique(threads, return_index=True)
        self.regions = {
            int(thread): (int(start), int(end))
            for thread, start, end in zip(present, starts, np.append(starts[1:], len(chosen)), strict=len(chosen) > 0)
        }
        self._depths()

    def _depths(self) -> None:
        tables, stream = self.tables, self.stream
        kind, payload = self.kind[stream], self.payload[stream]
        size = len(stream)
        opens = np.zeros(size + 1, np.int8)
        block = kind == Word.BLOCK
        opens[:-1][block] = tables.is_entry[payload[block]]
        closes = np.zeros(size + 1, np.int16)
        """How many frames end just before the word."""
        unwound = np.flatnonzero(kind == Word.UNWOUND)
        closes[unwound + 1] += 1
        marks = np.flatnonzero((kind == Word.BLOCK) | (kind == Word.UNWOUND))
        run = np.diff(np.append(marks, size)) - 1
        returning = np.flatnonzero((kind[marks] == Word.BLOCK) & tables.returns[payload[marks] * (kind[marks] == 0)])
        at = marks[returning]
        number = payload[at]
        wanted = tables.word_count[number]
        got = run[returning]
        following = np.append(marks, size)[returning + 1]
        has_next = (following < size) & (self.stream_thread[np.minimum(following, size - 1)] == self.stream_thread[at])
        next_kind = np.where(has_next, kind[np.minimum(following, size - 1)], 15)
        next_number = np.where(next_kind == Word.BLOCK, payload[np.minimum(following, size - 1)], 0)
        same_method = tables.method_of_block[next_number] == tables.method_of_block[number]
        caught = (next_kind == Word.BLOCK) & tables.is_handler[next_number] & same_method
        thrown = (next_kind == Word.UNWOUND) | caught
        ends_in_throw = tables.throws_last[number]
        last_word = payload[np.minimum(at + wanted, size - 1)]
        can_end_so = (ends_in_throw == 1) | ((ends_in_throw == 2) & (last_word == 0))
        failed = thrown & ((got < wanted) | ((got == wanted) & can_end_so))
        starts = (next_kind == Word.BLOCK) & tables.is_entry[next_number]
        nested = starts & (
            (got < wanted) | ((got == wanted) & tables.may_initialise[number] & tables.is_initialiser[next_number])
        )
        nested &= ~failed
        plain = ~failed & ~nested & (got >= wanted)
        closes[at[plain] + wanted[plain] + 1] += 1
        for each in np.flatnonzero(nested)[::-1]:
            self._close_after_nested(int(at[each]), int(wanted[each] - got[each]), kind, payload, opens, closes)
        # What ends after a thread's last word stands at the first word of the next thread.
        self._last_closes = {end: int(closes[end]) for _, end in self.regions.values()}
        closes[list(self._last_closes)] = 0
        self._closes = closes
        change = opens[:-1].astype(np.int32) - closes[:-1]
        depth = np.cumsum(change, dtype=np.int32)
        for start, end in self.regions.values():
            base = int(depth[start - 1]) if start else 0
            part = depth[start:end]
            part -= base
            # A window may begin inside of frames: their returns have no entry.
            lowest = int(part.min()) if end > start else 0
            if lowest < 0:
                part -= lowest
        self.depth = depth
        self._opens = opens[:-1].astype(np.bool_)

    def _close_after_nested(
        self,
        at: int,
        missing: int,
        kind: NDArray[np.uint8],
        payload: Ints,
        opens: NDArray[np.int8],
        closes: NDArray[np.int16],
    ) -> None:
        """Finds where a frame ends in whose last block a class initialiser ran; later such frames are done already."""
        size = len(kind)
        classes = self._initialised_in(int(payload[at]))
        here = at + 1
        while here < size and kind[here] in (Word.OBJECT, Word.NUMBER, Word.VALUE):
            here += 1
        while here < size:
            if kind[here] == Word.UNWOUND:
                return
            if kind[here] == Word.BLOCK:
                number = int(payload[here])
                table = self.tables.methods[self.tables.method_of_block[number]]
                if not self.tables.is_entry[number]:
                    if self.tables.is_handler[number] and table.number == self.tables.method_of_block[payload[at]]:
                        return
                    break
                if not missing and not (self.tables.is_initialiser[number] and table.owner.name in classes):
                    break
                here = self._after_frame(here, opens, closes)
                continue
            if not missing:
                break
            missing -= 1
            here += 1
        closes[min(here, size)] += 1

    @staticmethod
    def _after_frame(entry: int, opens: NDArray[np.int8], closes: NDArray[np.int16]) -> int:
        """The first place after the frame that begins at `entry`."""
        level, start, step = 0, entry, 1024
        while start < len(opens):
            stop = min(start + step, len(opens))
            change = opens[start:stop].astype(np.int32) - closes[start:stop]
            if start == entry:
                change[0] = 1
            levels = level + np.cumsum(change)
            ended = np.flatnonzero((levels - (opens[start:stop] > 0) * 1 <= 0) & (np.arange(start, stop) > entry))
            if len(ended):
                return start + int(ended[0])
            level, start, step = int(levels[-1]), stop, step * 4
        return len(opens) - 1

    def _initialised_in(self, number: int) -> set[str]:
        table = self.tables.methods[self.tables.method_of_block[number]]
        block = table.code.blocks[number - table.code.first_block]
        names: set[str] = set()
        for each in table.code.instructions[block.first : block.last + 1]:
            if each.field is not None:
                names.update(self.tables.ancestors(each.field.class_name))
            elif each.op is Op.NEW:
                names.update(self.tables.ancestors(each.text))
        return names

    def _frames(self) -> None:
        """Sorts the stream by thread and depth; a frame's rows then stand together."""
        depth = self.depth
        narrow = depth.astype(np.int16) if len(depth) == 0 or int(depth.max()) < 32_767 else depth
        order = np.argsort(narrow, kind="stable").astype(np.int32)
        if len(self.regions) > 1:
            order = order[np.argsort(self.stream_thread[order], kind="stable")]
        self.time: Ints = self.stream[order]
        """For each row the place of its word in the recording."""
        self.row_kind = self.kind[self.time]
        self.row_payload = self.payload[self.time]
        self.row_of: Ints = np.full(len(self.words), -1, np.int32)
        """For each word its row, -1 for words that belong to no frame."""
        self.row_of[self.time] = np.arange(len(order), dtype=np.int32)
        starts = self._opens[order]
        row_depth, row_thread = depth[order], self.stream_thread[order]
        first = np.ones(len(order), np.bool_)
        first[1:] = (row_depth[1:] != row_depth[:-1]) | (row_thread[1:] != row_thread[:-1])
        groups = np.cumsum(first, dtype=np.int32)
        # A window may begin inside of frames: the first block of a depth begins one whichever block it is.
        blocks = np.flatnonzero(self.row_kind == Word.BLOCK)
        starts[blocks[np.diff(groups[blocks], prepend=0) > 0]] = True
        self.frame_starts = np.flatnonzero(starts)
        group_of_frame = np.append(0, groups[self.frame_starts])
        self.framed: NDArray[np.bool_] = group_of_frame[np.cumsum(starts, dtype=np.int32)] == groups
        """For each row whether it belongs to a frame: a window may begin inside of frames whose blocks it lacks."""
        self.frame_depths = row_depth[self.frame_starts]
        self.frame_threads = row_thread[self.frame_starts]
        group = (self.frame_threads.astype(np.int64) << 32) | self.frame_depths
        self._groups: dict[tuple[int, int], tuple[int, int]] = {}
        if len(group):
            _, at = np.unique(group, return_index=True)
            at.sort()
            for start, end in zip(at, [*at[1:], len(group)], strict=True):
                key = (int(self.frame_threads[start]), int(self.frame_depths[start]))
                self._groups[key] = (int(start), int(end))
        self._group_ends = np.append(np.flatnonzero(first[1:]) + 1, len(order)) if len(order) else np.zeros(0, np.int64)
        # In the type of Python's numbers: a search in another type copies the whole array first.
        self.frame_times = self.time[self.frame_starts].astype(np.int64)

    def _assign_words(self) -> None:
        """For every word of a frame the instruction that it belongs to, by the instruction's number among all."""
        rows = np.arange(len(self.time), dtype=np.int32)
        self.block_row: Ints = np.maximum.accumulate(np.where(self.row_kind == Word.BLOCK, rows, 0)).astype(np.int32)
        """For each row the row at which its block began."""
        place = rows - self.block_row
        number = self.row_payload[self.block_row] if len(rows) else self.row_payload
        number = np.where(self.row_kind[self.block_row] == Word.BLOCK, number, len(self.tables.word_base) - 1)
        value = self.framed & (self.row_kind >= Word.OBJECT) & (self.row_kind <= Word.VALUE)
        good = value & (place <= self.tables.word_count[number])
        entry = np.where(good, self.tables.word_base[number] + place - 1, len(self.tables.word_instruction) - 1)
        self.row_word: Ints = entry.astype(np.int32)
        """For each row the place of its word in the tables' list of words, the last place for none."""

    # Asking about single rows and frames.

    @cached_property
    def executed(self) -> tuple[int, int]:
        """How many instructions and how many lines ran; blocks that an exception cut short count in full."""
        blocks = self.row_payload[self.row_kind == Word.BLOCK]
        counts = np.bincount(blocks, minlength=len(self.tables.block_size))
        lines: set[tuple[str, int]] = set()
        for number in np.flatnonzero(counts):
            table = self.tables.methods[self.tables.method_of_block[number]]
            block = table.code.blocks[number - table.code.first_block]
            for each in table.code.instructions[block.first : block.last + 1]:
                if each.line:
                    lines.add((table.owner.name, each.line))
        return int((counts * self.tables.block_size).sum()), len(lines)

    def event_at(self, time: int) -> int:
        """The number of the event during which a word was written."""
        at = int(self.event_times.searchsorted(time, "right"))
        return int(self.event_numbers[at - 1]) if at else self.record.first_event

    def event_began(self, number: int) -> int:
        """When an event began; the begin of the recording for one that began before."""
        at = int(self.event_numbers.searchsorted(number))
        begins = at < len(self.event_numbers) and int(self.event_numbers[at]) == number
        return int(self.event_times[at]) if begins else 0

    def events_at(self, times: NDArray[np.int64]) -> NDArray[np.int64]:
        """The numbers of the events during which words were written."""
        at = self.event_times.searchsorted(times, "right")
        numbers = np.append(self.record.first_event, self.event_numbers)
        return numbers[at].astype(np.int64)

    def event_of(self, row: int) -> int:
        """The number of the event in which a row was written."""
        return self.event_at(int(self.time[row]))

    def frame_of(self, row: int) -> CallFrame:
        """The frame to which a row belongs."""
        found = self._row_frames.get(row)
        if found is None:
            found = self._row_frames[row] = self.frame(int(self.frame_starts.searchsorted(row, "right")) - 1)
        return found

    def frame(self, number: int) -> CallFrame:
        """A frame by its number."""
        found = self._frame_cache.get(number)
        if found is None:
            start = int(self.frame_starts[number])
            end = int(self.frame_starts[number + 1]) if number + 1 < len(self.frame_starts) else len(self.time)
            # Rows of the next thread or depth may have no frame of their own.
            end = min(end, int(self._group_ends[self._group_ends.searchsorted(start, "right")]))
            kinds = self.row_kind[start:end]
            rows = np.flatnonzero(kinds == Word.BLOCK) + start
            blocks = self.row_payload[rows]
            table = self.tables.methods[self.tables.method_of_block[blocks[0]]]
            unwound = bool(kinds[-1] == Word.UNWOUND)
            failed = rows[np.flatnonzero(self.tables.is_handler[blocks[1:]])].tolist()
            if unwound:
                failed.append(int(rows[-1]))
            found = CallFrame(
                number,
                table,
                start,
                end,
                int(self.frame_threads[number]),
                int(self.frame_depths[number]),
                rows,
                blocks.astype(np.int64) - table.code.first_block,
                unwound=unwound,
                failed=frozenset(failed),
            )
            self._frame_cache[number] = found
        return found

    def open_frame(self, thread: int, depth: int, time: int) -> CallFrame | None:
        """The frame at this depth that had begun last before the time."""
        group = self._groups.get((thread, depth))
        if group is None:
            return None
        start, end = group
        at = int(self.frame_times[start:end].searchsorted(time))
        return self.frame(start + at - 1) if at else None

    def caller(self, frame: CallFrame) -> tuple[CallFrame, int] | None:
        """The frame that was running when this one began, and the row of its block; None if there was none."""
        time = int(self.time[frame.start])
        parent = self.open_frame(frame.thread, frame.depth - 1, time)
        return None if parent is None else (parent, self.row_before(parent, time))

    def row_before(self, frame: CallFrame, time: int) -> int:
        """The row of the frame's last block that began before the time."""
        at = (
            int(self.time[frame.block_rows].searchsorted(time))
            if len(frame.block_rows) < 64
            else self._search(frame, time)
        )
        return int(frame.block_rows[max(at - 1, 0)])

    def _search(self, frame: CallFrame, time: int) -> int:
        row = frame.start + int(self.time[frame.start : frame.end].searchsorted(np.int32(time)))
        return int(frame.block_rows.searchsorted(row))

    def frame_at(self, thread: int, time: int) -> CallFrame | None:
        """The innermost frame that was open on a thread at a time."""
        region = self.regions.get(thread)
        if region is None:
            return None
        start, end = region
        at = start + int(self.stream[start:end].searchsorted(np.int32(time))) - 1
        if at < start:
            return None
        depth = int(self.depth[at]) - int(self._closes[at + 1]) - self._last_closes.get(at + 1, 0)
        while depth > 0:
            found = self.open_frame(thread, depth, time)
            if found is not None:
                return found
            depth -= 1
        return None

    def next_row(self, frame: CallFrame, row: int) -> int | None:
        """The row of the frame's block after this one, or of its end by an exception; None if it is the last."""
        at = row + 1
        while at < frame.end:
            if self.row_kind[at] in (Word.BLOCK, Word.UNWOUND):
                return at
            at += 1
        return None

    def children(self, frame: CallFrame, row: int) -> list[CallFrame]:
        """The frames that began directly inside the block at this row, in order."""
        group = self._groups.get((frame.thread, frame.depth + 1))
        if group is None:
            return []
        start, end = group
        following = self.next_row(frame, row)
        until = int(self.time[following]) if following is not None else self._end_time(frame)
        times = self.frame_times[start:end]
        low, high = times.searchsorted(int(self.time[row])), times.searchsorted(until)
        return [self.frame(start + each) for each in range(int(low), int(high))]

    def _end_time(self, frame: CallFrame) -> int:
        """A time after the frame's last word and before the next frame of its depth begins."""
        group = self._groups[frame.thread, frame.depth]
        following = frame.number + 1
        end = int(self.frame_times[following]) if following < group[1] else len(self.words)
        # A frame that has returned has no more children: those belong to the next frame at a lower depth.
        lower = self._groups.get((frame.thread, frame.depth - 1))
        if lower is not None:
            times = self.frame_times[lower[0] : lower[1]]
            at = int(times.searchsorted(int(self.time[frame.end - 1])))
            if at < len(times):
                end = min(end, int(times[at]))
            parent = self.open_frame(frame.thread, frame.depth - 1, int(self.time[frame.start]))
            if parent is not None:
                row = parent.start + int(
                    self.time[parent.start : parent.end].searchsorted(int(self.time[frame.end - 1]))
                )
                if row < parent.end:
                    end = min(end, int(self.time[row]))
        return end

    def word(
        self, frame: CallFrame, row: int, instruction: int, slot: int, *, after: bool = False
    ) -> tuple[int, int] | None:
        """Kind and payload of one word of an instruction that ran in the block at `row`; None if it is missing."""
        table = frame.method
        if not after:
            place = table.before_at.get(instruction)
        else:
            place = table.after_at.get(instruction)
            if table.code.instructions[instruction].op is Op.CALL:
                following = self.next_row(frame, row)
                if following is None or self.row_kind[following] != Word.BLOCK:
                    return None
                if self.tables.is_handler[self.row_payload[following]]:
                    return None
                row = following
        if place is None:
            return None
        at = row + place + slot
        if at >= frame.end or self.block_row[at] != row:
            return None
        return int(self.row_kind[at]), int(self.row_payload[at])

    def object_of(
        self, frame: CallFrame, row: int, instruction: int, slot: int = 0, *, after: bool = False
    ) -> int | None:
        """The identity that a word of an instruction tells, None if there is no such word."""
        found = self.word(frame, row, instruction, slot, after=after)
        return found[1] if found is not None and found[0] == Word.OBJECT else None

    def number_of(self, frame: CallFrame, row: int, instruction: int, slot: int) -> int | None:
        """The number that a word of an instruction tells, None if there is no such word."""
        found = self.word(frame, row, instruction, slot)
        if found is None:
            return None
        if found[0] == Word.NUMBER:
            return signed(found[1])
        if found[0] == Word.VALUE and 0 < found[1] < len(self.record.values):
            return signed_number(self.record.values[found[1]][1:])
        return None

    def entry_word(self, frame: CallFrame, parameter: int, word: int = 0) -> tuple[int, int] | None:
        """Kind and payload of a word that a method called from outside has for a parameter."""
        try:
            place = frame.method.entry_parameters.index((parameter, word))
        except ValueError:
            return None
        at = frame.start + 1 + place
        if at >= frame.end or self.block_row[at] != frame.start:
            return None
        return int(self.row_kind[at]), int(self.row_payload[at])

    def thrower(self, frame: CallFrame, row: int) -> int | None:
        """The instruction of the block at `row` that threw; None if the block ran to its end or never ended."""
        following = self.next_row(frame, row)
        if following is None or row not in frame.failed:
            return None
        table = frame.method
        block = table.code.blocks[int(self.row_payload[row]) - table.code.first_block]
        if block.last < block.first:
            return None
        instructions = table.code.instructions
        last = instructions[block.last]
        words = following - row - 1
        at = block.first
        if words:
            entry = int(self.row_word[row + words])
            number = int(self.tables.word_instruction[entry])
            local = number - table.first_instruction
            if number >= 0 and block.first <= local <= block.last:
                if int(self.tables.word_slot[entry]) >= 0:
                    at = local
                    # Words after the last one told of can come from a call without words that was entered.
                    if local != block.last and last.op is Op.CALL and not last.before and self.children(frame, row):
                        return block.last
                    return local
                at = local + 1
        for each in range(at, block.last + 1):
            if throws_silently(instructions[each]):
                return each
        for each in range(at, block.last + 1):
            if can_throw(instructions[each]):
                return each
        return block.last

    def ran(self, frame: CallFrame, row: int, instruction: int) -> bool:
        """Whether an instruction of the block at `row` was reached and did not fail."""
        if row not in frame.failed:
            return True
        thrower = self.thrower(frame, row)
        return thrower is None or instruction < thrower

    # Sorted lists of all accesses, each made when first asked for.

    @cached_property
    def instruction_at(self) -> Ints:
        """For each word of the recording the instruction among all that it belongs to, -1 for none."""
        found = np.full(len(self.words), -1, np.int32)
        found[self.time] = self.tables.word_instruction[self.row_word]
        return found

    @cached_property
    def slot_at(self) -> NDArray[np.int16]:
        """For each word of the recording its number among the words of its instruction; below zero, those after it."""
        found = np.zeros(len(self.words), np.int16)
        found[self.time] = self.tables.word_slot[self.row_word]
        return found

    def _times_of(self, ops: tuple[Op, ...], slot: int) -> NDArray[np.int64]:
        chosen = np.zeros(256, np.bool_)
        chosen[[OP_NUMBER[op] for op in ops]] = True
        instruction = self.instruction_at
        return np.flatnonzero((instruction >= 0) & chosen[self.tables.op[instruction]] & (self.slot_at == slot))

    @cached_property
    def field_writes(self) -> Accesses:
        """Writes of fields, by object and field."""
        times = self._times_of((Op.PUT_FIELD,), 0)
        fields = self.tables.field_of[self.instruction_at[times]].astype(np.int64)
        return Accesses.sorted_by((self.payload[times].astype(np.int64) << 32) | fields, times)

    @cached_property
    def field_writes_by_field(self) -> Accesses:
        """Writes of fields, by field alone."""
        times = self._times_of((Op.PUT_FIELD,), 0)
        return Accesses.sorted_by(self.tables.field_of[self.instruction_at[times]].astype(np.int64), times)

    @cached_property
    def element_writes(self) -> Accesses:
        """Writes of elements, by array and index."""
        times = self._times_of((Op.ARRAY_STORE,), 0)
        index_rows = np.minimum(self.row_of[times] + 1, len(self.time) - 1)
        index = self.row_payload[index_rows].astype(np.int64)
        return Accesses.sorted_by((self.payload[times].astype(np.int64) << 32) | index, times)

    @cached_property
    def monitor_entries(self) -> Accesses:
        """Instructions that want or enter a monitor, by its object."""
        times = self._times_of((Op.MONITOR,), 0)
        return Accesses.sorted_by(self.payload[times].astype(np.int64), times)

    @cached_property
    def making(self) -> Accesses:
        """The making of objects and arrays, by object."""
        times = self._times_of((Op.NEW, Op.NEW_ARRAY), -1)
        return Accesses.sorted_by(self.payload[times].astype(np.int64), times)

    @cached_property
    def handed(self) -> Accesses:
        """Objects that calls beyond were given, as receiver or argument, by object; null is left out."""
        instruction = self.instruction_at
        call = (instruction >= 0) & (self.tables.op[instruction] == OP_NUMBER[Op.CALL]) & (self.slot_at >= 0)
        times = np.flatnonzero(call & (self.kind == Word.OBJECT) & (self.payload > 0))
        return Accesses.sorted_by(self.payload[times].astype(np.int64), times)

    def handed_where(self, wanted: NDArray[np.bool_]) -> Accesses:
        """Objects in the words that are wanted, by object; `wanted` has a place for each word of the tables' list."""
        chosen = np.zeros(len(self.words), np.bool_)
        chosen[self.time] = wanted[self.row_word]
        times = np.flatnonzero(chosen & (self.kind == Word.OBJECT) & (self.payload > 0))
        return Accesses.sorted_by(self.payload[times].astype(np.int64), times)

    @cached_property
    def given_back(self) -> Accesses:
        """Objects that calls beyond returned, by object; null is left out."""
        instruction = self.instruction_at
        call = (instruction >= 0) & (self.tables.op[instruction] == OP_NUMBER[Op.CALL]) & (self.slot_at == -1)
        times = np.flatnonzero(call & (self.kind == Word.OBJECT) & (self.payload > 0))
        return Accesses.sorted_by(self.payload[times].astype(np.int64), times)

    @cached_property
    def returned(self) -> Accesses:
        """Objects that methods called from outside returned, by object; null is left out."""
        instruction = self.instruction_at
        answer = (instruction >= 0) & (self.tables.op[instruction] == OP_NUMBER[Op.RETURN]) & (self.slot_at == 0)
        times = np.flatnonzero(answer & (self.kind == Word.OBJECT) & (self.payload > 0))
        return Accesses.sorted_by(self.payload[times].astype(np.int64), times)

    @cached_property
    def components(self) -> NDArray[np.int64]:
        """Objects of recorded classes that were made outside of recorded code: activities and the like; ascending."""
        receives = np.zeros(len(self.tables.is_entry), np.bool_)
        for table in self.tables.methods:
            if table.entry_parameters[:1] == [(0, 0)] and not table.code.is_static:
                receives[table.code.first_block] = True
        starts = self.frame_starts[self.frame_starts + 1 < len(self.time)]
        rows = starts[receives[np.where(self.row_kind[starts] == Word.BLOCK, self.row_payload[starts], 0)]] + 1
        found = np.unique(self.row_payload[rows[self.row_kind[rows] == Word.OBJECT]]).astype(np.int64)
        return np.setdiff1d(found, self.making.keys, assume_unique=False)

    def is_component(self, identity: int) -> bool:
        """Whether the framework made an object of a recorded class."""
        at = int(self.components.searchsorted(identity))
        return at < len(self.components) and int(self.components[at]) == identity

    @cached_property
    def static_writes(self) -> Accesses:
        """Blocks that write static fields, by block number."""
        numbers = {block for writers in self.tables.static_writes.values() for block, _ in writers}
        chosen = np.zeros(len(self.tables.is_entry), np.bool_)
        chosen[list(numbers)] = True
        times = np.flatnonzero((self.kind == Word.BLOCK) & chosen[np.where(self.kind == Word.BLOCK, self.payload, 0)])
        return Accesses.sorted_by(self.payload[times].astype(np.int64), times)

    @cached_property
    def block_times(self) -> Accesses:
        """When blocks began, by block number."""
        times = np.flatnonzero(self.kind == Word.BLOCK)
        return Accesses.sorted_by(self.payload[times].astype(np.int64), times)

    @cached_property
    def exceptional(self) -> NDArray[np.int64]:
        """The rows at which an exception ended a frame or arrived at a handler, in the order of time."""
        number = np.where(self.row_kind == Word.BLOCK, self.row_payload, 0)
        handler = (self.row_kind == Word.BLOCK) & self.tables.is_handler[number]
        rows = np.flatnonzero(self.framed & (handler | (self.row_kind == Word.UNWOUND)))
        return rows[np.argsort(self.time[rows], kind="stable")]

    @cached_property
    def failed_rows(self) -> NDArray[np.int64]:
        """The rows of blocks that an exception may have cut short: those before an exceptional row."""
        return np.unique(self.block_row[np.maximum(self.exceptional - 1, 0)]).astype(np.int64)

    def instance(self, time: int) -> tuple[CallFrame, int, int]:
        """The frame, the row of the block and the instruction to which a word of an instruction belongs."""
        row = int(self.row_of[time])
        block_row = int(self.block_row[row])
        frame = self.frame_of(row)
        number = int(self.instruction_at[time]) - frame.method.first_instruction
        block = frame.method.block_of[number]
        if int(self.row_payload[block_row]) - frame.method.code.first_block != block:
            # The words after a call stand in the block that follows it.
            block_row = frame.latest(block, block_row)
        return frame, block_row, number

    # Work that is handed on.

    @cached_property
    def tasks(self) -> dict[int, list[tuple[int, int, int]]]:
        """For each thread the tasks: when one began, when it ended (the recording's length if never), its token."""
        found: dict[int, list[list[int]]] = {}
        open_tasks: dict[int, list[list[int]]] = {}
        for time in np.flatnonzero((self.kind == Word.TASK) | (self.kind == Word.DONE)):
            thread = int(self.thread[time])
            stack = open_tasks.setdefault(thread, [])
            if self.kind[time] == Word.TASK:
                task = [int(time), len(self.words), int(self.payload[time])]
                stack.append(task)
                found.setdefault(thread, []).append(task)
            elif stack:
                stack.pop()[1] = int(time)
        return {thread: [(a, b, c) for a, b, c in tasks] for thread, tasks in found.items()}

    def task_at(self, thread: int, time: int) -> tuple[int, int, int] | None:
        """The innermost task that was open on a thread at a time."""
        tasks = self.tasks.get(thread, [])
        at = bisect_right(tasks, (time + 1, 0, 0))
        for begin, end, token in reversed(tasks[:at]):
            if end > time:
                return begin, end, token
        return None

    @cached_property
    def hands(self) -> dict[int, int]:
        """For each token the time at which its work was handed on."""
        times = np.flatnonzero(self.kind == Word.HAND)
        return {int(self.payload[time]): int(time) for time in times[::-1]}

    @cached_property
    def wakings(self) -> dict[int, list[tuple[int, int]]]:
        """For each thread the times at which it went on because of others, with the tokens."""
        found: dict[int, list[tuple[int, int]]] = {}
        for time in np.flatnonzero(self.kind == Word.WOKE):
            found.setdefault(int(self.thread[time]), []).append((int(time), int(self.payload[time])))
        return found

    @cached_property
    def inputs(self) -> dict[int, list[int]]:
        """For each widget the times at which the user put something into it."""
        found: dict[int, list[int]] = {}
        for time in np.flatnonzero(self.kind == Word.INPUT):
            found.setdefault(int(self.payload[time]), []).append(int(time))
        return found

    @cached_property
    def processes(self) -> NDArray[np.int64]:
        """When processes of the app began that followed another one, ascending."""
        return np.flatnonzero(self.kind == Word.PROCESS)

    def process_began(self, time: int) -> int:
        """When the process that ran at a time began; -1 for the first process of the recording."""
        at = int(self.processes.searchsorted(time))
        return int(self.processes[at - 1]) if at else -1

    def thread_named(self, name: str) -> int:
        """The thread of this name that wrote last, else the main thread; each process has a main thread of its own."""
        found = [number for number, each in enumerate(self.record.threads) if each == name]
        if len(found) < 2:
            return found[0] if found else 0
        return max(found, key=lambda number: int(np.flatnonzero(self.thread == number)[-1:].max(initial=-1)))

    def note_of(self, time: int) -> str:
        """What a HAND was, in words; empty if the recording does not say."""
        if time + 1 < len(self.words) and self.kind[time + 1] == Word.NOTE:
            return self.value(int(self.payload[time + 1])) or ""
        return ""

    def value(self, number: int) -> str | None:
        """The text of a value in the table without the letter of its type, None if the number stands for none."""
        return self.record.values[number][1:] if 0 < number < len(self.record.values) else None


@dataclass(frozen=True, slots=True)
class Accesses:
    """Times of accesses, sorted by a key and then by time."""

    keys: NDArray[np.int64]
    times: NDArray[np.int64]

    @classmethod
    def sorted_by(cls, keys: NDArray[np.int64], times: NDArray[np.int64]) -> Accesses:
        """Accesses in the order of time, sorted."""
        order = np.argsort(keys, kind="stable")
        return cls(keys[order], times[order].astype(np.int64))

    def of(self, key: int) -> NDArray[np.int64]:
        """All times of a key, ascending."""
        return self.times[int(self.keys.searchsorted(key)) : int(self.keys.searchsorted(key, "right"))]

    def before(self, key: int, time: int) -> NDArray[np.int64]:
        """The times of a key before a time, ascending."""
        times = self.of(key)
        return times[: int(times.searchsorted(time))]


def signed(payload: int) -> int:
    """A payload of 28 bits as a signed number."""
    return payload - (1 << KIND_SHIFT) if payload & (1 << (KIND_SHIFT - 1)) else payload
