"""Values that only the store has: runs, crashes with counts, states and transitions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NewType

from fewtaps.model.app import AppRef
from fewtaps.model.crash import Crash
from fewtaps.model.exploration_end import ExplorationEnd
from fewtaps.model.goal import GoalSpec
from fewtaps.model.result import ReductionState
from fewtaps.model.state import StateId
from fewtaps.model.trace import Aim

RunId = NewType("RunId", int)
"""The number of a run in its store."""


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run, such as an exploration. `ended` and `end` are None while it runs, or if it was killed."""

    run_id: RunId
    app: AppRef
    kind: str
    settings: Mapping[str, Any] = field(hash=False)
    seed: int | None
    started: datetime
    ended: datetime | None = None
    end: ExplorationEnd | None = None

    @property
    def is_finished(self) -> bool:
        """Whether it ended by itself; if not, it is running or was killed."""
        return self.ended is not None


@dataclass(frozen=True, slots=True)
class RunPart:
    """What one part of a run was given and used. A run that is resumed gets a further part.

    `seconds_given` and `events_given` are None without a limit; the events are those of the whole run, earlier parts
    included. `seconds_used` is the time of all stages together; None if it was not measured.
    """

    seconds_given: float | None = None
    events_given: int | None = None
    seconds_used: float | None = None


@dataclass(frozen=True, slots=True)
class Sighting:
    """When a crash was seen in a run: the episode and its step, and the events and seconds spent until then."""

    run: RunId
    episode: int
    step: int
    events: int
    """Events of the run until then, this one included."""
    seconds: float
    """Seconds of work of the run when the episode was stored, pauses left out."""


@dataclass(frozen=True, slots=True)
class CrashRow:
    """A crash as it was first seen, and how often it was seen.

    `times` counts sightings, `episodes` the episodes that had one; `shortest` is the least number of events from launch
    to the crash, both included. `suspect` says why it may be the device's fault: None once it was seen without such a
    reason.
    """

    crash: Crash
    fingerprint: str
    times: int
    episodes: int
    shortest: int
    first: Sighting
    suspect: str | None = None


@dataclass(frozen=True, slots=True)
class StateRow:
    """A state that was seen: how often, in which activity, its first screen, and a picture of one of its screens.

    `screen` is that screen's digest, `picture` a name for `Pictures`, None if there is no picture.
    """

    state: StateId
    activity: str | None
    visits: int
    screen: str
    picture: str | None = None


@dataclass(frozen=True, slots=True)
class TransitionRow:
    """A transition between two states: how often it was seen, and its first event in words.

    `target` is None where no screen was seen afterwards; `crashes` counts how often the event crashed the app.
    """

    source: StateId
    target: StateId | None
    count: int
    event: str
    crashes: int = 0


@dataclass(frozen=True, slots=True)
class GraphRows:
    """All states and transitions, in the order in which they were first seen."""

    states: tuple[StateRow, ...] = ()
    transitions: tuple[TransitionRow, ...] = ()


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over episodes. `replayed` counts the events among `events` that led back to a known state."""

    episodes: int = 0
    events: int = 0
    replayed: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Growth:
    """Sums after an episode: seconds and events spent, lines and branches covered, crashes found."""

    seconds: float
    events: int
    lines: int
    branches: int
    crashes: int


@dataclass(frozen=True, slots=True)
class ReductionRow:
    """The shortest trace found for a question so far, as a trace file, and what it cost.

    `question` and `original` are digests, as in table `reduction`. `is_repeated` says that its candidates were run
    repeatedly, in many worlds. `is_by_intent` says that the trace begins with an intent that opens an inner activity;
    such a row is an addition to a result. `aim` says how the events of the candidates found their widgets.
    """

    question: str
    original: str
    goal: GoalSpec
    strategy: str
    before: int
    after: int
    runs: int
    events: int
    is_minimal: bool
    state: ReductionState
    content: bytes
    is_repeated: bool = False
    is_by_intent: bool = False
    aim: Aim = Aim.SELECTOR

    @property
    def crash(self) -> str | None:
        """The signature of the crash it is about; None if the goal is another."""
        return self.goal.crash

    @property
    def rank(self) -> tuple[bool, bool, int]:
        """Sorts reductions of one crash, the preferred one first: finished ones, repeated ones, then by size."""
        return self.state is not ReductionState.FINISHED, not self.is_repeated, self.after
