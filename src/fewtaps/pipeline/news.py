"""What a person or a program may be shown of work under way, as one stream of frozen values.

Every stage is handed one function, `tell`, and calls it with these. Telling decides nothing: with `ignore` in its place
the stages do the same. A renderer is a function that matches on the values it shows and passes over all others.

`StepSeen`, `PictureTaken` and `LongRunAdvanced` are told from the threads of the devices, all others from the thread
of the stage.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from fewtaps.model.coverage import ProbeTotals
from fewtaps.model.crash import Crash
from fewtaps.model.episode import Episode
from fewtaps.model.result import Reduction, ReductionProgress
from fewtaps.model.slice import Slice
from fewtaps.model.suite_result import SuiteTestResult
from fewtaps.model.trace import Step
from fewtaps.pipeline.cases import Case
from fewtaps.suite.reduction import SuiteProgress


@dataclass(frozen=True, slots=True)
class ExplorationProgress:
    """How far an exploration is. `events` and `episodes` count those of earlier parts too, `seconds` only this part."""

    seconds: float
    events: int
    events_now: int
    episodes: int
    states: int
    activities: int
    activities_declared: int
    branches: int
    lines: int
    totals: ProbeTotals | None
    crashes: int
    suspects: int

    @property
    def events_per_second(self) -> float:
        """Events of this part by its time."""
        return self.events_now / self.seconds if self.seconds > 0 else 0.0


@dataclass(frozen=True, slots=True)
class DeviceOpening:
    """The first device is being opened; the time of the run has not begun."""


@dataclass(frozen=True, slots=True)
class AppOpened:
    """The app is open, with notes on what will not work as on a phone; the progress is that of earlier parts."""

    notes: tuple[str, ...]
    progress: ExplorationProgress


@dataclass(frozen=True, slots=True)
class ExploringStarted:
    """Exploring begins or goes on; so many seconds of those given to the whole run are spent."""

    spent_seconds: float
    given_seconds: float


@dataclass(frozen=True, slots=True)
class StepSeen:
    """Something happened on some device while exploring."""

    step: Step


@dataclass(frozen=True, slots=True)
class PictureTaken:
    """A screen that was not seen before, as a PNG, while exploring."""

    png: bytes


@dataclass(frozen=True, slots=True)
class EpisodeKept:
    """An episode was played, learned and stored; `progress` counts it already."""

    episode: Episode
    progress: ExplorationProgress


@dataclass(frozen=True, slots=True)
class CrashFound:
    """A crash was seen for the first time in this project."""

    crash: Crash
    episode: Episode


@dataclass(frozen=True, slots=True)
class EpisodeFailed:
    """No device could carry an episode out; exploring goes on."""

    number: int
    error: str


@dataclass(frozen=True, slots=True)
class PreludeMissed:
    """A step of the prelude did not find its widget, so that everything after it is explored in the wrong place."""

    step: int
    note: str


@dataclass(frozen=True, slots=True)
class CrashWorkStarted:
    """The work on a crash begins or goes on."""

    case: Case


@dataclass(frozen=True, slots=True)
class CrashReplayed:
    """The steps of a crash were replayed once more: they showed it `met` times in `runs`, of `worlds` to be made.

    Without `has_worlds` the device has none, and the runs were repeated.
    """

    case: Case
    met: int
    runs: int
    worlds: int
    has_worlds: bool = True


@dataclass(frozen=True, slots=True)
class CrashSlicing:
    """The steps of a crash are about to be recorded and sliced."""

    case: Case


@dataclass(frozen=True, slots=True)
class CrashSliced:
    """The work on the slice of a crash ended with one, which is stored."""

    case: Case
    slice: Slice


@dataclass(frozen=True, slots=True)
class CrashNotSliced:
    """A crash has no slice, for this reason; the work goes on."""

    case: Case
    error: str


@dataclass(frozen=True, slots=True)
class CrashWorkDone:
    """The work on a crash is done, or its time is up. Without `has_worlds` its replays are repeated runs."""

    case: Case
    has_worlds: bool = True


@dataclass(frozen=True, slots=True)
class CrashGivenUp:
    """A crash is left as it is, for this reason."""

    case: Case
    error: str


@dataclass(frozen=True, slots=True)
class TraceNoted:
    """Something about the trace to be reduced that a person should know."""

    note: str


@dataclass(frozen=True, slots=True)
class ReductionResumed:
    """An earlier reduction goes on, which came from so many events to so many in so many runs."""

    before: int
    after: int
    runs: int


@dataclass(frozen=True, slots=True)
class OriginalMet:
    """The original was played and meets the goal."""

    reduction: Reduction


@dataclass(frozen=True, slots=True)
class OtherWorldsTried:
    """The original does not meet the goal, and is now played in so many other worlds.

    Without `has_worlds` the device has none, and the original is played so many times more.
    """

    worlds: int
    has_worlds: bool = True


@dataclass(frozen=True, slots=True)
class ScheduleSolved:
    """The optimal schedule of a flaky reduction has to be solved first; this share of it is done."""

    share: float


@dataclass(frozen=True, slots=True)
class LongRunAdvanced:
    """A long run has played `number` of its `events`; with several devices, one of the runs."""

    number: int
    events: int


@dataclass(frozen=True, slots=True)
class CandidateRun:
    """One more candidate of a reduction was run."""

    progress: ReductionProgress


@dataclass(frozen=True, slots=True)
class ShorterFound:
    """A shorter trace was found. It is in the store, but for a long one that is hardly shorter than the last kept."""

    reduction: Reduction


@dataclass(frozen=True, slots=True)
class ResultSaved:
    """The best trace so far was written to a file."""

    output: Path


@dataclass(frozen=True, slots=True)
class SuiteRunStarted:
    """The tests of a suite are about to be played: how many, and in how many worlds each; with notes on the suite."""

    tests: int
    worlds: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SuiteTestDone:
    """A test of a suite has its result; so many of all are done."""

    result: SuiteTestResult
    done: int
    tests: int


@dataclass(frozen=True, slots=True)
class SuiteStarted:
    """Traces are to be reduced to a suite: so many, with so many events; `notes` are about them."""

    traces: int
    events: int
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SuiteAdvanced:
    """The reduction to a suite is this far; `seconds` have passed since it began."""

    progress: SuiteProgress
    seconds: float


@dataclass(frozen=True, slots=True)
class TestRecorded:
    """A test of a new suite was recorded with its expectations: `done` of `tests`."""

    __test__ = False

    name: str
    done: int
    tests: int


@dataclass(frozen=True, slots=True)
class TestRefused:
    """A test of a new suite did not pass after it was recorded; `reason` says at which step. Others are looked for."""

    __test__ = False

    reason: str


News: TypeAlias = (
    DeviceOpening
    | AppOpened
    | ExploringStarted
    | StepSeen
    | PictureTaken
    | EpisodeKept
    | CrashFound
    | EpisodeFailed
    | PreludeMissed
    | CrashWorkStarted
    | CrashReplayed
    | CrashSlicing
    | CrashSliced
    | CrashNotSliced
    | CrashWorkDone
    | CrashGivenUp
    | TraceNoted
    | ReductionResumed
    | OriginalMet
    | OtherWorldsTried
    | ScheduleSolved
    | LongRunAdvanced
    | CandidateRun
    | ShorterFound
    | ResultSaved
    | SuiteStarted
    | SuiteAdvanced
    | TestRecorded
    | TestRefused
    | SuiteRunStarted
    | SuiteTestDone
)

Tell: TypeAlias = Callable[[News], None]


def ignore(news: News) -> None:
    """A renderer that shows nothing."""
