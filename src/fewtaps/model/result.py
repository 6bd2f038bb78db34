"""What the later stages conclude from many runs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum

from fewtaps.model.trace import Trace


@dataclass(frozen=True, slots=True)
class Reproduction:
    """In how many worlds a goal was met, and the bounds of the true rate with 95 % confidence (Wilson's interval)."""

    met: int
    runs: int

    @property
    def rate(self) -> float:
        """The share of runs that met the goal; 0 if there were none."""
        return self.met / self.runs if self.runs else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The lower and upper bound of the rate; everything is possible as long as nothing was tried."""
        return wilson_interval(self.met, self.runs)

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.met} of {self.runs} ({low:.0%} to {high:.0%})"


def wilson_interval(met: int, runs: int, z: float = 1.959963984540054) -> tuple[float, float]:
    """Wilson's score interval for `met` in `runs`; the default z gives 95 %. Raises ValueError if it is no share."""
    if not 0 <= met <= runs:
        raise ValueError(f"{met} of {runs} is not a share")
    if runs == 0:
        return 0.0, 1.0
    share = met / runs
    scale = 1 + z * z / runs
    middle = (share + z * z / (2 * runs)) / scale
    reach = z * math.sqrt(share * (1 - share) / runs + z * z / (4 * runs * runs)) / scale
    # Rounding must not make a certain thing uncertain: the bounds of none and of all are exact.
    low = 0.0 if met == 0 else max(0.0, middle - reach)
    high = 1.0 if met == runs else min(1.0, middle + reach)
    return low, high


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one run of a candidate showed; small enough to keep for every candidate ever tried.

    `length` is how many of the candidate's items it took: those after were never reached, or came after the goal.
    `end` is the state after the last of them, empty if nobody looked. `crash` is the signature of a crash, of the goal
    or another. `events` is what the run cost, the launch included.
    """

    met: bool
    length: int
    end: str = ""
    crash: str | None = None
    events: int = 0


@dataclass(frozen=True, slots=True)
class ReductionProgress:
    """Where a reduction is after a run: the pass, how many events the run's candidate had, whether it met the goal.

    `size` is how many events the best has now; `runs` and `events` are what was spent so far.
    """

    stage: str
    candidate: int
    met: bool
    size: int
    runs: int
    events: int


@dataclass(frozen=True, slots=True)
class Stage:
    """What one pass of a reduction did: its name, how many events were left after it, and what it cost."""

    name: str
    size: int
    runs: int
    events: int


class ReductionState(Enum):
    """How far a reduction is. The values are kept in stores and never change."""

    RUNNING = "running"
    """It is at work, or it was killed."""
    STOPPED = "stopped"
    """A limit ended it."""
    FINISHED = "finished"


@dataclass(frozen=True, slots=True)
class Reduction:
    """A shorter trace that still meets the goal, and what finding it cost.

    Sizes count events after the launch, which no trace can do without; `events` counts everything that was played.
    `runs` and `events` are those of one device that tries one candidate after the other, whatever was tried ahead on
    others; `known` counts the candidates whose verdict was known already. `is_minimal` says that the plan came to its
    end and that leaving out any single event was seen to miss the goal. `simplified` counts the events that were then
    replaced by plainer ones. `findings` are the shortest traces seen that end in other crashes. `is_repeated` says that
    each candidate was run repeatedly, in many worlds. `is_by_intent` says that the trace begins in the middle of the
    app, by an intent: such a trace is an extra beside the result, because no user can begin there.
    """

    original: Trace
    trace: Trace
    strategy: str
    runs: int = 0
    events: int = 0
    known: int = 0
    is_minimal: bool = False
    simplified: int = 0
    findings: tuple[Trace, ...] = ()
    stages: tuple[Stage, ...] = ()
    is_repeated: bool = False
    is_by_intent: bool = False

    @property
    def size(self) -> int:
        """How many events are left after the launch."""
        return len(self.trace.steps) - 1

    @property
    def original_size(self) -> int:
        """How many events there were after the launch."""
        return len(self.original.steps) - 1

    @property
    def is_news(self) -> bool:
        """Whether it is shorter or plainer than the original; if not, nothing was found yet."""
        return self.size < self.original_size or self.simplified > 0
