"""SameCrash, Reaches and the like: conditions that a trace meets or does not meet."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Protocol, runtime_checkable

from fewtaps.model.coverage import Coverage
from fewtaps.model.event import printable
from fewtaps.model.state import ABSTRACTIONS, StateId
from fewtaps.model.trace import Trace


class GoalKind(Enum):
    """What kind of thing a trace must do. The values are kept in stores and never change."""

    CRASH = "crash"
    """It crashes; the value is the signature of the crash."""
    ANY_CRASH = "any_crash"
    """It crashes, in whatever way; without a value."""
    ACTIVITY = "activity"
    """It reaches an activity; the value is its class."""
    STATE = "state"
    """It reaches a state; the value is the id of the page."""
    TEXT = "text"
    """It comes to a screen that shows a text; the value is the text."""
    LINE = "line"
    """It covers a line of code; the value is FILE:LINE or CLASS:LINE."""
    COMMAND = "command"
    """A program of the user says yes; the value is its command line."""
    OTHER = "other"
    """Only a sentence that an older version stored is known; it is the value."""


@dataclass(frozen=True, slots=True)
class GoalSpec:
    """What a trace must do, as a value that can be kept; `model.words.goal` has words for people."""

    kind: GoalKind
    value: str = ""

    @property
    def crash(self) -> str | None:
        """The signature of the crash, if the goal is one."""
        return self.value if self.kind is GoalKind.CRASH else None

    @property
    def key(self) -> str:
        """The part of a question's digest that stands for the goal. Stores hold such digests: it never changes."""
        return _KEYS.get(self.kind, "{value}").format(
            value=repr(self.value) if self.kind is GoalKind.TEXT else self.value
        )


_KEYS = {
    GoalKind.ACTIVITY: "reaches {value}",
    GoalKind.STATE: "reaches the state {value}",
    GoalKind.TEXT: "shows {value}",
    GoalKind.LINE: "covers {value}",
    GoalKind.COMMAND: "satisfies {value}",
}


class Goal(Protocol):
    """A condition that a reduced trace must still meet."""

    def met_by(self, trace: Trace) -> bool: ...


@runtime_checkable
class TellingGoal(Protocol):
    """A goal with its own sentence for a trace that does not meet it; goals about crashes have none."""

    @property
    def missed(self) -> str:
        """A sentence that the goal was not met."""
        ...


@dataclass(frozen=True, slots=True)
class SameCrash:
    """The trace has a crash with this signature."""

    signature: str

    def met_by(self, trace: Trace) -> bool:
        """Whether some step, not only the last, has the crash."""
        return any(step.crash is not None and step.crash.signature == self.signature for step in trace.steps)


@dataclass(frozen=True, slots=True)
class Reaches:
    """The trace reaches this activity."""

    activity: str

    def met_by(self, trace: Trace) -> bool:
        """Whether the activity is shown after some step."""
        return any(step.after.activity == self.activity for step in trace.steps)

    @property
    def missed(self) -> str:
        return f"the activity {printable(self.activity, 160)} was not reached"


@dataclass(frozen=True, slots=True)
class ReachesState:
    """The trace reaches this state, under the named abstraction."""

    state: StateId
    abstraction: str = "content"

    def met_by(self, trace: Trace) -> bool:
        """Whether the screen after some step is in this state."""
        state_of = ABSTRACTIONS[self.abstraction]
        return any(state_of(step.after) == self.state for step in trace.steps)

    @property
    def missed(self) -> str:
        return f"the state {printable(self.state, 160)} was not reached"


@dataclass(frozen=True, slots=True)
class ShowsText:
    """The trace reaches a screen that shows this text."""

    text: str

    def met_by(self, trace: Trace) -> bool:
        """Whether the text is shown after some step."""
        return any(step.after.shows(self.text) for step in trace.steps)

    @property
    def missed(self) -> str:
        return f"the text '{printable(self.text, 160)}' was not shown"


@dataclass(frozen=True, slots=True)
class Covers:
    """The trace reaches all of this code."""

    coverage: Coverage

    def met_by(self, trace: Trace) -> bool:
        return self.coverage <= trace.coverage

    @property
    def missed(self) -> str:
        return "the code was not reached"
