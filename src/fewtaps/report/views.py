"""What each page of the report shows: plain values, filled from the store before anything is rendered.

Texts of the app are as the app wrote them, shortened; making them safe is the business of whoever renders them.
"""

from __future__ import annotations

from dataclasses import dataclass

from fewtaps.exports.finding import Finding
from fewtaps.model.result import Reproduction
from fewtaps.model.screen import Bounds, Screen
from fewtaps.model.summary import CoverageSummary


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture of a screen: its name in the project's pictures, None if it has to be drawn from the screen itself."""

    name: str | None
    screen: Screen


@dataclass(frozen=True, slots=True)
class Gesture:
    """Where a finger went, in pixels of the screen: a point, or a way from one point to another."""

    start: tuple[int, int]
    end: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class StepView:
    """One step of a trace: its number from 1, what to do in words, and where; `picture` is the screen it is done on."""

    number: int
    words: str
    picture: Picture | None = None
    outline: Bounds | None = None
    gesture: Gesture | None = None
    activity: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class FrameView:
    """One line of a stack, and whether it is the app's own code."""

    place: str
    source: str
    is_app: bool


@dataclass(frozen=True, slots=True)
class FrameGroup:
    """Neighbouring lines of a stack that are all the app's own, or all not."""

    is_app: bool
    frames: tuple[FrameView, ...]


@dataclass(frozen=True, slots=True)
class ExceptionView:
    """One exception of a chain; the root cause comes first."""

    type: str
    message: str
    groups: tuple[FrameGroup, ...]


@dataclass(frozen=True, slots=True)
class TreeRow:
    """One event of the original trace in the tree of its screens: how deep it hangs, and whether it was kept.

    `kept_as` is the number of the step it became, None if it was cut; `became` says what it was replaced by, empty if
    it stayed as it was.
    """

    number: int
    depth: int
    words: str
    activity: str
    kept_as: int | None = None
    became: str = ""


@dataclass(frozen=True, slots=True)
class ReductionView:
    """How a trace was reduced. `history` has, after so many runs, so many events; `rows` may be empty."""

    before: int
    after: int
    runs: int
    events: int
    strategy: str
    is_minimal: bool
    is_finished: bool
    history: tuple[tuple[int, int], ...]
    rows: tuple[TreeRow, ...]

    @property
    def has_cuts(self) -> bool:
        """Whether there is a difference to show."""
        return any(row.kept_as is None or row.became for row in self.rows)


@dataclass(frozen=True, slots=True)
class ReplayView:
    """In which worlds the steps showed the crash again."""

    worlds: tuple[tuple[int, bool], ...]

    @property
    def reproduction(self) -> Reproduction:
        """The rate."""
        return Reproduction(sum(met for _, met in self.worlds), len(self.worlds))


@dataclass(frozen=True, slots=True)
class ExportView:
    """The steps in one format, ready to be copied."""

    name: str
    title: str
    file_name: str
    language: str
    text: str
    losses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SliceLine:
    """A line of code that a crash depended on, and the number of the step that ran it, if any did."""

    source: str
    text: str
    step: int | None = None


@dataclass(frozen=True, slots=True)
class CrashView:
    """One crash: what the overview says of it on its card, and what its own page says."""

    fingerprint: str
    kind: str
    title: str
    message: str
    where: str
    place: str
    thread: str
    suspect: str | None
    times: int
    episodes: int
    first_seconds: float
    first_events: int
    first_step: int
    world: int
    steps: tuple[StepView, ...]
    last: Picture | None
    exceptions: tuple[ExceptionView, ...]
    log: str
    finding: Finding
    reduction: ReductionView | None = None
    replay: ReplayView | None = None
    slice: tuple[SliceLine, ...] = ()
    build: str = ""
    """The build that all of this is of, if it is not the newest: there the crash was not seen."""
    elsewhere: tuple[str, ...] = ()
    """What other builds made of it, one line each."""

    @property
    def page(self) -> str:
        """The name of its file."""
        return f"crash-{self.fingerprint}.html"

    @property
    def is_of_later_sighting(self) -> bool:
        """Whether what was reduced is not the trace that showed it first, but a shorter one that came later."""
        return self.reduction is not None and self.reduction.before < self.first_step


@dataclass(frozen=True, slots=True)
class BudgetView:
    """What all parts of a project's work were given, and what they used; None where there was no limit.

    `exploring` is the part of `seconds` in which the app was explored; the rest went into reducing and replaying.
    """

    seconds: float
    exploring: float
    events: int
    jobs: int
    seconds_given: float | None = None
    events_given: int | None = None

    @property
    def scale(self) -> float:
        """The time that a drawing of it has to have room for."""
        return max(self.seconds, self.seconds_given or 0.0) or 1.0


@dataclass(frozen=True, slots=True)
class GrowthPoint:
    """How things stood at some time."""

    seconds: float
    events: int
    lines: int
    crashes: int


@dataclass(frozen=True, slots=True)
class Facts:
    """What was explored, and what was spent on it."""

    package: str
    label: str
    version: str
    digest: str
    started: str
    is_running: bool
    reason: str
    runs: int
    events: int
    replayed: int
    episodes: int
    seconds: float
    states: int
    activities_seen: int
    activities_declared: int
    settings: tuple[tuple[str, str], ...]
    budget: BudgetView
    builds: int = 1


@dataclass(frozen=True, slots=True)
class StateView:
    """One state of the app on the map: where it is drawn, what is known of it, which crashes happen in it."""

    number: int
    title: str
    activity: str
    visits: int
    picture: Picture | None
    x: float
    y: float
    ways: tuple[tuple[int, str, int], ...] = ()
    """Where one can go from here: the number of the state, the event in words, how often it happened."""
    parent: int | None = None
    crashes: tuple[CrashLink, ...] = ()


@dataclass(frozen=True, slots=True)
class CrashLink:
    """A crash as other pages speak of it: by a name that no other crash has."""

    fingerprint: str
    name: str

    @property
    def page(self) -> str:
        """The name of its file."""
        return f"crash-{self.fingerprint}.html"


@dataclass(frozen=True, slots=True)
class CrashPath:
    """The states that a crash's steps lead through, by number."""

    link: CrashLink
    states: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class StatesView:
    """The map of all states; see `layout.Layout`. `left_out` counts those that there was no room for."""

    states: tuple[StateView, ...]
    paths: tuple[CrashPath, ...]
    width: float
    height: float
    blocks: tuple[tuple[float, float, float, float], ...] = ()
    links: tuple[tuple[float, float, float, float], ...] = ()
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that the pages show."""

    facts: Facts
    crashes: tuple[CrashView, ...]
    states: StatesView
    growth: tuple[GrowthPoint, ...]
    coverage: CoverageSummary | None
    version: str
    project: str = ""
    """The name of the project's folder."""

    @property
    def findings(self) -> tuple[CrashView, ...]:
        """The crashes that are the app's own fault, as far as one can see."""
        return tuple(crash for crash in self.crashes if crash.suspect is None and not crash.build)

    @property
    def suspects(self) -> tuple[CrashView, ...]:
        """The crashes that may be the device's fault."""
        return tuple(crash for crash in self.crashes if crash.suspect is not None and not crash.build)

    @property
    def earlier(self) -> tuple[CrashView, ...]:
        """The crashes that only earlier builds showed."""
        return tuple(crash for crash in self.crashes if crash.build)
