"""RunRecord: what ran, word by word, in one run of an app."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

from fewtaps.model.recorded_code import Code
from fewtaps.model.trace import Trace

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

KIND_SHIFT = 28
PAYLOAD = (1 << KIND_SHIFT) - 1


class Word(IntEnum):
    """The kind of a word, its upper four bits. The lower 28 are its payload."""

    BLOCK = 0
    """A block begins; the number of a method's first block begins a frame."""
    OBJECT = 1
    """The identity of an object, 0 for null."""
    NUMBER = 2
    """A signed number."""
    VALUE = 3
    """A value's place in the table of values: equal values have equal numbers; 0 for none."""
    UNWOUND = 4
    """The frame ends by the exception with this identity."""
    TURN = 5
    """The thread with this number writes from here on; 0 is the main thread."""
    EVENT = 6
    """The event with this number begins; 0 is the launch."""
    HAND = 7
    """Work with this token is handed on by the open call of the current frame, or by the framework."""
    TASK = 8
    """Work with this token begins on this thread; 0 if it is not known where it came from."""
    DONE = 9
    """The work begun by the last open TASK of this thread ends."""
    WOKE = 10
    """This thread goes on because of the HAND with this token; 0: because of a call on the object it waited for."""
    LOST = 11
    """The writing thread had lost its turn: the order of its words is not certain."""
    NOTE = 12
    """What the HAND just before was, in words: a place in the table of values."""
    INPUT = 13
    """The user puts something into the widget with this identity."""
    PROCESS = 14
    """The app's process has ended and a new one begins, in which no class is initialised."""


@dataclass(frozen=True, slots=True)
class RecordWish:
    """What of a run is recorded: the events from `first_event` to `last_event`, both included; event 0 is the launch.

    `scope` is `("all",)` for all classes of the APK, `("app",)` for the app's own, else names of packages.
    `megabytes` limits the recording: what happens after it is full is left out. With `values`, the recording has only
    the values that the named instructions made: class name, method name with descriptor, numbers of instructions.
    After `turns_limit` jumps back of its loops the app counts as hung; None sets no limit but the device's own.
    """

    first_event: int = 0
    last_event: int | None = None
    scope: tuple[str, ...] = ("all",)
    megabytes: int = 512
    values: tuple[tuple[str, str, tuple[int, ...]], ...] | None = None
    turns_limit: int | None = None


RECORD_ALL = RecordWish()


@dataclass(frozen=True, slots=True)
class SeenValue:
    """A value that one execution of an instruction made. `method` is its name with its descriptor.

    `text` is a number, a quoted string, cut after 200 characters, `null`, or the class of another object. `identity` is
    the number of the object, 0 for null and for what is no object.
    """

    class_name: str
    method: str
    instruction: int
    text: str
    identity: int = 0


@dataclass(frozen=True)
class RunRecord:
    """The words of one run, or of the events `first_event` and later of it, with the code that ran.

    `complete` is false if the limit of the file was reached: words are missing at the end. `ordered` is false if a
    thread wrote that had lost its turn. `numbered` says that objects have the same numbers in every recording of the
    run, so that windows of it can be joined.
    """

    words: NDArray[np.uint32]
    code: Code
    values: tuple[str, ...] = ("",)
    threads: tuple[str, ...] = ("main",)
    first_event: int = 0
    complete: bool = True
    ordered: bool = True
    numbered: bool = False


@dataclass(frozen=True)
class RecordedRun:
    """A run with its recording: what the app showed, and the words; or, where values were asked for, the values.

    `values` are in the order of execution.
    """

    trace: Trace
    record: RunRecord
    values: tuple[SeenValue, ...] = ()
