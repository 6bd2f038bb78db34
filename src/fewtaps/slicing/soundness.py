"""Checks that the words of a recording fit the code that they tell of; a recording that does not is damaged.

The file of a recording can be written by the app, cut by a kill, or read wrongly from a disk. All checks work on whole
arrays. After them, each block of a frame follows the one before in the flow graph of its method, and each word has the
kind that its instruction says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fewtaps.errors import DamagedRecording
from fewtaps.model.run_record import Word

if TYPE_CHECKING:
    from fewtaps.slicing.recording import RunIndex

MOST_THREADS = 1 << 16
"""Threads that a recording can tell apart."""


def require_sound_words(index: RunIndex) -> None:
    """Raises DamagedRecording for a word that stands for nothing: no kind, block, thread, event or value."""
    kind, payload = index.kind, index.payload
    _require_none("of no known kind", kind > max(Word))
    limit = len(index.tables.method_of_block) - 1
    methods = index.tables.method_of_block[np.minimum(payload, limit)]
    _require_none(
        "of code that the device did not tell of", (kind == Word.BLOCK) & ((payload >= limit) | (methods < 0))
    )
    _require_none("of a thread without a number", (kind == Word.TURN) & (payload >= MOST_THREADS))
    texts = (kind == Word.VALUE) | (kind == Word.NOTE)
    _require_none("of a value that is not in the table", texts & (payload >= max(1, len(index.record.values))))
    events = np.flatnonzero(kind == Word.EVENT)
    numbers = payload[events]
    wrong = np.zeros(len(kind), np.bool_)
    if len(events):
        wrong[events[1:]] = numbers[1:] < numbers[:-1]
        wrong[events[0]] = numbers[0] < index.record.first_event
    _require_none("of an event out of order", wrong)


def require_sound_frames(index: RunIndex) -> None:
    """Raises DamagedRecording for a block that cannot follow the one before, and for words that are not its own."""
    if not index.record.first_event:
        # A later window may begin inside of frames: their last words have no block.
        _require_none("outside of all methods", ~index.framed)
    broken = broken_flow(index)
    if broken:
        raise _damaged(broken, "of a block that cannot follow the one before")
    tables = index.tables
    blocks = np.flatnonzero(index.row_kind == Word.BLOCK)
    numbers = index.row_payload[blocks]
    ends = np.append(blocks[1:], len(index.time))
    frames = index.frame_starts.searchsorted(blocks, "right")
    goes_on = np.zeros(len(blocks), np.bool_)
    goes_on[:-1] = (frames[1:] == frames[:-1]) & ~tables.is_handler[numbers[1:]]
    _require_none("of a block that lacks others", goes_on & (ends - blocks - 1 < tables.word_count[numbers]))
    value = index.framed & (index.row_kind >= Word.OBJECT) & (index.row_kind <= Word.VALUE)
    wanted = tables.word_kinds[index.row_word]
    _require_none("of another kind than its instruction says", value & ((wanted >> index.row_kind) & 1 == 0))


def broken_flow(index: RunIndex) -> int:
    """How many blocks do not follow the one before in the flow graph of their method; 0 for every good recording."""
    tables = index.tables
    rows = np.flatnonzero(index.row_kind == Word.BLOCK)
    if len(rows) < 2:
        return 0
    blocks = index.row_payload[rows].astype(np.int64)
    frames = index.frame_starts.searchsorted(rows, "right")
    inside = ~tables.is_entry[blocks[1:]] & (frames[1:] == frames[:-1])
    pairs, counts = np.unique((blocks[:-1][inside] << 32) | blocks[1:][inside], return_counts=True)
    broken = 0
    for pair, count in zip(pairs.tolist(), counts.tolist(), strict=True):
        first, second = pair >> 32, pair & 0xFFFFFFFF
        table = tables.methods[tables.method_of_block[first]]
        start = table.code.first_block
        block = table.code.blocks[first - start]
        follows = second - start in block.successors or second - start in block.handlers
        if tables.method_of_block[second] != table.number or not follows:
            broken += count
    return broken


def _require_none(what: str, wrong: NDArray[np.bool_]) -> None:
    count = int(np.count_nonzero(wrong))
    if count:
        raise _damaged(count, what)


def _damaged(count: int, what: str) -> DamagedRecording:
    return DamagedRecording(f"the recording is damaged: {count} words {what}; the same command records anew")
