"""Every exception that fewtaps raises on purpose.

FewtapsError
├── UsageError (ValueError)      a bad option, setting or file name: exit 2, no traceback
│   └── CriterionError           a line to slice from that never ran, or several lines that could be meant
├── ApkError                     unreadable app
│   └── UnsupportedApp           readable, but needs what no backend here offers
├── DeviceError                  the device failed, not the app
│   ├── DeviceUnavailable        no JVM, adb, or phone: says what to install or plug in
│   ├── DeviceTimeout (TimeoutError)   names the condition waited for and the deadline
│   ├── DeviceLost               the session died; the pool may retry on a fresh one, a fixed number of times
│   ├── Unsupported              the backend lacks this capability
│   ├── DamagedRecording         a recording whose words do not fit the code that they tell of
│   ├── NotViable                a mutant of the app whose changed class cannot run
│   └── BridgeError              broken protocol or Java exception; carries the Java stack as text
├── TimeUp                       the time that a stage had for devices is over; what was under way is given up
├── BudgetSpent                  carries `.limit`, the limit reached, and `.best`, the best result so far
├── NothingToSlice               no line of the app has a part in the crash
├── NotReproduced                the original no longer meets its goal; carries the traces seen
└── StoreError
    ├── SchemaTooNew
    └── NotFound (LookupError)

A crash of the app under test is never one of these: it is data, in a `Step`. An exception means that we could not find
out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Self


class FewtapsError(Exception):
    """The root: whatever fewtaps raises on purpose is one of these, and its text is one line for a person."""


class UsageError(FewtapsError, ValueError):
    """The caller asked for something that makes no sense: a bad option, setting, file or order of calls."""


class CriterionError(UsageError):
    """The line to slice from never ran, or several lines could be meant; the message names the nearest."""


class ApkError(FewtapsError):
    """The file is not an app that can be read."""


class UnsupportedApp(ApkError):
    """The app can be read, but needs what no backend here offers; the message gives the reason."""


class DeviceError(FewtapsError):
    """The device failed, not the app."""


class DeviceUnavailable(DeviceError):
    """There is no JVM, adb or phone; the message says what to install or plug in."""


class DeviceTimeout(DeviceError, TimeoutError):
    """A wait came to its deadline; the message names the condition and the deadline."""

    def __init__(self, condition: str, timeout_seconds: float) -> None:
        super().__init__(f"waited {timeout_seconds:g} s for {condition}; it did not happen")
        self.condition = condition
        self.timeout_seconds = timeout_seconds

    def __reduce__(self) -> tuple[type[DeviceTimeout], tuple[str, float]]:
        """Lets the error travel between processes, although its arguments are not its message."""
        return type(self), (self.condition, self.timeout_seconds)


class TimeUp(FewtapsError):
    """The time that a stage had for devices is over. Nothing is known of what was under way; it can be done later."""

    def __init__(self) -> None:
        super().__init__("the time is up")


class DeviceLost(DeviceError):
    """The session died and cannot be used again; a fresh one may work."""


class Unsupported(DeviceError):
    """The backend lacks this capability."""


class DamagedRecording(DeviceError):
    """The words of a recording do not fit the code that they tell of; a new recording may."""


class NotViable(DeviceError):
    """A mutant of the app cannot run, because the changed class is no class that the device can load."""


class BridgeError(DeviceError):
    """The bridge broke its protocol or failed inside; `stack` is the Java stack as text, empty if there is none."""

    def __init__(self, message: str, stack: str = "") -> None:
        super().__init__(message)
        self.stack = stack


class BudgetUnit(Enum):
    """What a budget counts. The values are the plural nouns that messages use."""

    RUNS = "runs"
    EVENTS = "events"
    SECONDS = "seconds"


@dataclass(frozen=True, slots=True)
class BudgetLimit:
    """One limit of a budget. It is defined here because `BudgetSpent` carries it and this module imports no other."""

    unit: BudgetUnit
    number: float

    def __str__(self) -> str:
        number = f"{self.number:g}" if self.unit is BudgetUnit.SECONDS else f"{self.number:.0f}"
        return f"all {number} {self.unit.value} are used"


class BudgetSpent(FewtapsError):
    """The budget is used up; `best` is the best result so far, None if there is none yet.

    `played_original` is False if the limit was reached before the original was played to its end.
    """

    def __init__(self, limit: BudgetLimit, best: object = None, played_original: bool = True) -> None:
        super().__init__(str(limit) if played_original else f"{limit} before the original was played to its end")
        self.limit = limit
        self.best = best
        self.played_original = played_original

    def __reduce__(self) -> tuple[type[BudgetSpent], tuple[BudgetLimit, object, bool]]:
        """Pickles the arguments of the constructor, which are not the message."""
        return type(self), (self.limit, self.best, self.played_original)


class NothingToSlice(FewtapsError):
    """No frame of the app is in the crash, and nothing in the app registered, posted or started what ran."""


class NotReproduced(FewtapsError):
    """The original no longer meets its goal; `traces` are the plays that were tried."""

    def __init__(self, message: str, traces: Sequence[object] = ()) -> None:
        super().__init__(message)
        self.traces = tuple(traces)


class StoreError(FewtapsError):
    """The project's database cannot be read or written, or there is no room for what is made of it: `no_room`."""

    no_room = False
    reason = ""
    """The message without the name of the file or folder at its beginning; empty if it begins with none."""

    @classmethod
    def at(cls, place: object, reason: str) -> Self:
        """The error about a file or a folder."""
        error = cls(f"{place}: {reason}")
        error.reason = reason
        return error

    @classmethod
    def of_no_room(cls, message: str) -> Self:
        """The error for a disk that is full."""
        error = cls(message)
        error.no_room = True
        return error


class SchemaTooNew(StoreError):
    """The database was written by a newer fewtaps."""


class NotFound(StoreError, LookupError):
    """The store holds no such thing."""


WITHOUT_TEXTS = (ApkError, BudgetSpent, DeviceError, NotFound, SchemaTooNew)
"""Errors whose messages hold names of files, packages and devices, ids and numbers.

The messages of all others may quote an option, a trace, a store or a screen, and so a text of the app.
"""


def may_be_shown(error: BaseException) -> bool:
    """Whether the message of an error holds no text of the app."""
    import sqlite3  # Loaded here because this module is part of every start.

    return isinstance(error, (*WITHOUT_TEXTS, sqlite3.Error))


def words_without_texts(error: BaseException) -> str:
    """An error's type, with its message if that holds no text of the app; for logs and bug reports.

    Of an OSError the reason is given without the file's name, which may be the first word of a command. The messages of
    SQLite name only tables and columns.
    """
    name = type(error).__name__
    if may_be_shown(error):
        return f"{name}: {error}"
    return f"{name}: {error.strerror}" if isinstance(error, OSError) and error.strerror else name
