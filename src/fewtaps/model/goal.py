"""SameCrash, Reaches and the like: conditions that a trace meets or does not meet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from fewtaps.model.coverage import Coverage
from fewtaps.model.event import printable
from fewtaps.model.state import ABSTRACTIONS, StateId
from fewtaps.model.trace import Trace


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
