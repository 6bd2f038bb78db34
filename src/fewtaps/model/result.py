"""Results of the stages after exploring: rates of reproduction, verdicts and reductions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum

from fewtaps.model.trace import Trace


@dataclass(frozen=True, slots=True)
class Reproduction:
    """In how many runs a goal was met, and the bounds of the true rate with 95 % confidence (Wilson's interval)."""

    met: int
    runs: int

    @property
    def rate(self) -> float:
        """The share of runs that met the goal; 0 if there were none."""
        return self.met / self.runs if self.runs else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The lower and upper bound of the rate; 0 and 1 without runs."""
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
    # The lower bound for none and the upper bound for all are exactly 0 and 1; rounding could miss them.
    low = 0.0 if met == 0 else max(0.0, middle - reach)
    high = 1.0 if met == runs else min(1.0, middle + reach)
    return low, high


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one run of a candidate showed. The store keeps one for every candidate.

    `length` is how many of the candidate's items were played until the goal was met or the run ended. `end` is the
    state after the last of them, empty if it was not recorded. `crash` is the signature of a crash, the goal's or
    another. `events` is how many events the run had, the launch included.
    """

    met: bool
    length: int
    end: str = ""
    crash: str | None = None
    events: int = 0


@dataclass(frozen=True, slots=True)
class ReductionProgress:
    """How far a reduction is after a run: the pass, the number of events of the candidate, whether it met the goal.

    `size` is how many events the best trace has now; `runs` and `events` were spent so far.
    """

    stage: str
    candidate: int
    met: bool
    size: int
    runs: int
    events: int


@dataclass(frozen=True, slots=True)
class Stage:
    """One pass of a reduction: its name, how many events were left after it, and the runs and events it took."""

    name: str
    size: int
    runs: int
    events: int


class ReductionState(Enum):
    """How far a reduction is. The values are kept in stores and never change."""

    RUNNING = "running"
    """It is running, or it was killed."""
    STOPPED = "stopped"
    """A limit ended it."""
    FINISHED = "finished"


@dataclass(frozen=True, slots=True)
class Reduction:
    """A shorter trace that still meets the goal, and the runs and events that finding it took.

    Sizes count events after the launch, which every trace has; `events` counts all events that were played. `runs` and
    `events` are those of one device that tries one candidate after the other: runs that other devices made in advance
    and that were not needed do not count. `known` counts the candidates whose verdict was known before. `is_minimal`
    says that all passes were completed and that each trace without one of the events missed the goal. `simplified`
    counts the events that were then replaced by simpler ones. `findings` are the shortest traces seen that end in other
    crashes. `is_repeated` says that each candidate was run repeatedly, in many worlds. `is_by_intent` says that the
    trace begins with an intent that opens an inner activity: such a trace is an addition to the result, because a user
    cannot begin there.
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
        """Whether it is shorter or simpler than the original."""
        return self.size < self.original_size or self.simplified > 0
