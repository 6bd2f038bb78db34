"""SameCrash, Reaches and the like: questions that a trace answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from fewtaps.model.coverage import Coverage
from fewtaps.model.event import printable
from fewtaps.model.state import ABSTRACTIONS, StateId
from fewtaps.model.trace import Trace


class Goal(Protocol):
    """What a reduced trace must still do."""

    def met_by(self, trace: Trace) -> bool:
        """Whether the trace does it."""
        ...


@runtime_checkable
class TellingGoal(Protocol):
    """A goal that is no crash says itself what is missing in a trace that does not meet it."""

    @property
    def missed(self) -> str:
        """That it was not met, in words."""
        ...


@dataclass(frozen=True, slots=True)
class SameCrash:
    """The trace crashes, with this signature."""

    signature: str

    def met_by(self, trace: Trace) -> bool:
        """Whether some step crashes so."""
        return any(step.crash is not None and step.crash.signature == self.signature for step in trace.steps)


@dataclass(frozen=True, slots=True)
class Reaches:
    """The trace comes to this activity."""

    activity: str

    def met_by(self, trace: Trace) -> bool:
        """Whether the activity is shown after some step."""
        return any(step.after.activity == self.activity for step in trace.steps)

    @property
    def missed(self) -> str:
        """The activity was not reached."""
        return f"the activity {printable(self.activity, 160)} was not reached"


@dataclass(frozen=True, slots=True)
class ReachesState:
    """The trace comes to this state, under the named abstraction."""

    state: StateId
    abstraction: str = "content"

    def met_by(self, trace: Trace) -> bool:
        """Whether the state is there after some step."""
        state_of = ABSTRACTIONS[self.abstraction]
        return any(state_of(step.after) == self.state for step in trace.steps)

    @property
    def missed(self) -> str:
        """The state was not reached."""
        return f"the state {printable(self.state, 160)} was not reached"


@dataclass(frozen=True, slots=True)
class ShowsText:
    """The trace comes to a screen that shows this text."""

    text: str

    def met_by(self, trace: Trace) -> bool:
        """Whether the text is shown after some step."""
        return any(step.after.shows(self.text) for step in trace.steps)

    @property
    def missed(self) -> str:
        """The text was not shown."""
        return f"the text '{printable(self.text, 160)}' was not shown"


@dataclass(frozen=True, slots=True)
class Covers:
    """The trace reaches all of this code."""

    coverage: Coverage

    def met_by(self, trace: Trace) -> bool:
        """Whether the trace reaches it all."""
        return self.coverage <= trace.coverage

    @property
    def missed(self) -> str:
        """The code did not run."""
        return "the code was not reached"
