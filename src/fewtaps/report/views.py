"""The content of each page of the report: plain values, filled from the store before anything is rendered.

Texts of the app are shortened but not escaped; the renderer escapes them.
"""

from __future__ import annotations

from dataclasses import dataclass

from fewtaps.exports.finding import Finding
from fewtaps.model.result import Reproduction
from fewtaps.model.screen import Bounds, Screen
from fewtaps.model.slice import SliceSize
from fewtaps.model.summary import CoverageSummary


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture of a screen: its name in the project's pictures, None if a wireframe of the screen is drawn instead."""

    name: str | None
    screen: Screen


@dataclass(frozen=True, slots=True)
class Gesture:
    """A touch in pixels of the screen: a point, or a line from one point to another."""

    start: tuple[int, int]
    end: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class StepView:
    """One step of a trace: its number from 1, its event in words, and its widget; `picture` is the screen before it."""

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
    """Neighbouring lines of a stack that are all of the app's own code, or all of other code."""

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
    """One event of the original trace in the tree of its screens: its depth, and whether it was kept.

    `kept_as` is the number of the step it became, None if it was removed. `became` is the event in words that replaced
    it, empty if it is unchanged.
    """

    number: int
    depth: int
    words: str
    activity: str
    kept_as: int | None = None
    became: str = ""


@dataclass(frozen=True, slots=True)
class ReductionView:
    """The reduction of a trace. `history` has pairs of a number of runs and the events left then.

    `events` is None if the reduction was begun again: the events of its earlier parts are not known.
    """

    before: int
    after: int
    runs: int
    events: int | None
    strategy: str
    is_minimal: bool
    is_finished: bool
    history: tuple[tuple[int, int], ...]
    rows: tuple[TreeRow, ...]

    @property
    def has_cuts(self) -> bool:
        """Whether an event was removed or replaced."""
        return any(row.kept_as is None or row.became for row in self.rows)


@dataclass(frozen=True, slots=True)
class ReplayView:
    """The worlds in which the steps were replayed, and whether each showed the crash.

    Without `has_worlds` they are the numbers of repeated runs.
    """

    worlds: tuple[tuple[int, bool], ...]
    has_worlds: bool = True

    @property
    def reproduction(self) -> Reproduction:
        """In how many of the worlds the crash came back."""
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
class SliceStepEdge:
    """A dependence of a step on another one: on which, its kind in a word, the first fields and calls that join them.

    `is_linked` says that the other step is shown too.
    """

    target: int
    kind: str
    names: tuple[str, ...]
    names_left_out: int
    is_linked: bool


@dataclass(frozen=True, slots=True)
class SliceStep:
    """A step beside the lines of a slice: its number (0 is the launch), its event in words, whether it matters."""

    number: int
    words: str
    matters: bool
    edges: tuple[SliceStepEdge, ...] = ()
    edges_left_out: int = 0


@dataclass(frozen=True, slots=True)
class SliceLine:
    """A line of code that a crash depended on: where, its text, the value seen, why it is there, and in which steps.

    `number` is its number in the slice. `kind` is its kind of dependence in words, `kind_name` the same as an enum.
    """

    number: int
    source: str
    method: str
    text: str
    value: str | None
    reason: str
    kind: str
    kind_name: str
    is_thin: bool
    steps: tuple[int, ...]
    count: int = 1


@dataclass(frozen=True, slots=True)
class FoldedMethod:
    """A method with lines of a slice that are not shown one by one: how many, and the first of their numbers."""

    name: str
    lines: int
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SliceStation:
    """One station of the life of the value in error."""

    station: str
    source: str
    step: int
    sentence: str


@dataclass(frozen=True, slots=True)
class SliceNode:
    """A line in the graph of a slice, and where its box is."""

    number: int
    x: int
    y: int
    source: str
    text: str
    reason: str
    kind: str
    is_thin: bool
    steps: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SliceArrow:
    """A dependence in the graph of a slice, as a path of SVG, with what carries it in words."""

    path: str
    kind: str
    what: str


@dataclass(frozen=True, slots=True)
class SliceDrawing:
    """The graph of a slice. `left_out` is how many lines it does not show."""

    nodes: tuple[SliceNode, ...]
    arrows: tuple[SliceArrow, ...]
    width: int
    height: int
    left_out: int


@dataclass(frozen=True, slots=True)
class SliceView:
    """Why a crash happened. With `failure` there is no slice, for this reason, and all else is empty."""

    criterion: str = ""
    world: int = 0
    steps: tuple[SliceStep, ...] = ()
    steps_left_out: int = 0
    lines: tuple[SliceLine, ...] = ()
    folded: tuple[FoldedMethod, ...] = ()
    libraries: tuple[FoldedMethod, ...] = ()
    life: tuple[SliceStation, ...] = ()
    omissions: tuple[tuple[str, str], ...] = ()
    """Where and what did not happen."""
    guesses: tuple[tuple[str, int], ...] = ()
    """Calls that had to be guessed at, and how many lines depend on that."""
    notes: tuple[str, ...] = ()
    graph: SliceDrawing | None = None
    size: SliceSize = SliceSize()
    failure: str = ""


@dataclass(frozen=True, slots=True)
class CrashView:
    """One crash: the content of its card on the overview, and of its own page."""

    fingerprint: str
    kind: str
    title: str
    message: str
    where: str
    place: str
    thread: str
    suspect: str | None
    is_from_outside: bool
    """Whether the steps need an intent or a broadcast of another app."""
    times: int
    episodes: int
    first_seconds: float
    first_events: int
    first_step: int
    world: int | None
    """The world of the steps; None on a device without worlds."""
    steps: tuple[StepView, ...]
    last: Picture | None
    exceptions: tuple[ExceptionView, ...]
    log: str
    finding: Finding
    reduction: ReductionView | None = None
    replay: ReplayView | None = None
    slice: SliceView | None = None
    build: str = ""
    """The build that showed the crash; empty for the newest build."""
    elsewhere: tuple[str, ...] = ()
    """The numbers of steps in other builds, one line each."""

    @property
    def page(self) -> str:
        """The name of its file."""
        return f"crash-{self.fingerprint}.html"

    @property
    def has_gaps(self) -> bool:
        """Whether some steps have a picture of their screen and others have none."""
        return len({step.picture is not None and step.picture.name is not None for step in self.steps}) > 1

    @property
    def missing(self) -> tuple[str, ...]:
        """What a run that goes on would add: a reduction, a reproduction rate, and pictures where others are there."""
        gaps = sum(step.picture is None or step.picture.name is None for step in self.steps)
        found = [
            ("a reduction", self.reduction is None),
            ("the end of the reduction", self.reduction is not None and not self.reduction.is_finished),
            ("a reproduction rate", self.replay is None),
            (f"{gaps} {'picture' if gaps == 1 else 'pictures'}", self.has_gaps),
        ]
        return tuple(words for words, is_missing in found if is_missing)

    @property
    def is_of_later_sighting(self) -> bool:
        """Whether the trace that was reduced is not the first that showed the crash, but a shorter one found later."""
        return self.reduction is not None and self.reduction.before < self.first_step


@dataclass(frozen=True, slots=True)
class BudgetView:
    """The limits of all runs of a project, and what the runs used; None where there was no limit.

    `exploring` is the part of `seconds` in which the app was explored; the rest was spent on reducing,
    replaying and a suite.
    """

    seconds: float
    exploring: float
    events: int
    jobs: int
    seconds_given: float | None = None
    events_given: int | None = None

    @property
    def scale(self) -> float:
        """The length of the time axis in seconds."""
        return max(self.seconds, self.seconds_given or 0.0) or 1.0


@dataclass(frozen=True, slots=True)
class GrowthPoint:
    """Events, covered lines and crashes at a point in time."""

    seconds: float
    events: int
    lines: int
    crashes: int


@dataclass(frozen=True, slots=True)
class Facts:
    """The app, the settings and the totals of all runs."""

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
    """One state of the app on the map: its position, its visits, its transitions, and the crashes in it."""

    number: int
    title: str
    activity: str
    visits: int
    picture: Picture | None
    x: float
    y: float
    transitions: tuple[tuple[int, str, int], ...] = ()
    """Transitions from here: the number of the target state, the event in words, how often it happened."""
    parent: int | None = None
    crashes: tuple[CrashLink, ...] = ()


@dataclass(frozen=True, slots=True)
class CrashLink:
    """A link to a crash, with a name that no other crash has."""

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
    """The map of all states; see `layout.Layout`. `left_out` is the number of states beyond the map's limit."""

    states: tuple[StateView, ...]
    paths: tuple[CrashPath, ...]
    width: float
    height: float
    blocks: tuple[tuple[float, float, float, float], ...] = ()
    links: tuple[tuple[float, float, float, float], ...] = ()
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class SuiteRow:
    """A test of the project's suite: its name, its steps after the launch, and the seconds of one run of it.

    `adds` counts what it covers and the tests before it do not.
    """

    name: str
    steps: int
    seconds: float
    adds: int


@dataclass(frozen=True, slots=True)
class ProjectSuite:
    """The suite that lies in the project: its tests, and the command that runs them.

    `mutants` says that the project has a page of the faults that the suite finds.
    """

    tests: tuple[SuiteRow, ...]
    command: str
    mutants: bool = False

    @property
    def steps(self) -> int:
        """The steps of all tests."""
        return sum(test.steps for test in self.tests)

    @property
    def seconds(self) -> float:
        """The time of one run of all tests."""
        return sum(test.seconds for test in self.tests)


@dataclass(frozen=True, slots=True)
class Report:
    """The content of all pages."""

    facts: Facts
    crashes: tuple[CrashView, ...]
    states: StatesView
    growth: tuple[GrowthPoint, ...]
    coverage: CoverageSummary | None
    version: str
    project: str = ""
    """The name of the project's folder."""
    suite: ProjectSuite | None = None

    @property
    def findings(self) -> tuple[CrashView, ...]:
        """The crashes of the newest build without a sign that the device caused them, those from outside last."""
        found = (crash for crash in self.crashes if crash.suspect is None and not crash.build)
        return tuple(sorted(found, key=lambda crash: crash.is_from_outside))

    @property
    def suspects(self) -> tuple[CrashView, ...]:
        """The crashes that may be the device's fault."""
        return tuple(crash for crash in self.crashes if crash.suspect is not None and not crash.build)

    @property
    def earlier(self) -> tuple[CrashView, ...]:
        """The crashes that only earlier builds showed."""
        return tuple(crash for crash in self.crashes if crash.build)
