"""ExplorationEnd: why a run ended, with the number that belongs to the reason."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class EndKind(Enum):
    """Why a run ended. The values are kept in stores and never change; `model.words` has words for people."""

    EVENTS_USED = "events_used"
    """The number is how many events were given."""
    CRASHES_FOUND = "crashes_found"
    """The number is how many crashes were found."""
    COVERAGE_REACHED = "coverage_reached"
    """The number is the share of lines that are covered, in percent."""
    TIME_UP = "time_up"
    NOTHING_NEW = "nothing_new"
    """The number is how many events had shown nothing new."""
    CRASHES_AT_LAUNCH = "crashes_at_launch"
    NOT_RESPONDING_AT_LAUNCH = "not_responding_at_launch"
    EXITS_AT_LAUNCH = "exits_at_launch"
    DEVICE_DIES_AT_LAUNCH = "device_dies_at_launch"
    NEVER_A_WINDOW = "never_a_window"
    """The app never showed a window."""
    ONLY_OTHER_APPS = "only_other_apps"
    """Only screens of other apps were shown."""
    INTERRUPTED = "interrupted"
    """The user interrupted the program."""
    REDUCED = "reduced"
    """The run is no exploration: a reduction stored the other crashes that it met."""
    UNKNOWN = "unknown"
    """The reason is not known as a value; the detail is a sentence that an older version stored."""


@dataclass(frozen=True, slots=True)
class ExplorationEnd:
    """Why a run ended. `EndKind` says what `number` means; it is 0 for a kind without a number."""

    kind: EndKind
    number: float = 0
    detail: str = ""
