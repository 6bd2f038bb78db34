"""What the run of a suite showed: the status of each test, with the first step that is not as expected."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from fewtaps.model.app import AppRef
from fewtaps.model.coverage import NO_COVERAGE, Coverage
from fewtaps.model.crash import Crash
from fewtaps.model.event import Selector
from fewtaps.model.result import Reproduction
from fewtaps.model.shape import StateShape
from fewtaps.model.suite import NamedCoverage, Suite, SuiteTest
from fewtaps.model.trace import Trace


class SuiteTestStatus(Enum):
    """What became of a test. The values stand in JSON documents and never change."""

    PASSED = "passed"
    HEALED = "healed"
    """It passed, and a selector that found nothing was replaced by another, or the known crash has another name."""
    FAILED = "failed"
    """A step showed something else than expected."""
    BROKEN = "broken"
    """A widget that a step needs is not there."""
    CRASHED = "crashed"
    """The app crashed, hung or exited where that was not expected."""
    FLAKY = "flaky"
    """It passed in some worlds only."""
    QUARANTINED = "quarantined"
    """It stands in quarantine and did not pass in every world."""
    NOT_RUN = "not run"

    @property
    def is_failure(self) -> bool:
        """Whether it fails the build."""
        return self in (SuiteTestStatus.FAILED, SuiteTestStatus.BROKEN, SuiteTestStatus.CRASHED)

    @property
    def is_pass(self) -> bool:
        """Whether every step was as expected."""
        return self in (SuiteTestStatus.PASSED, SuiteTestStatus.HEALED)


WORST_FIRST = (
    SuiteTestStatus.CRASHED,
    SuiteTestStatus.FAILED,
    SuiteTestStatus.BROKEN,
    SuiteTestStatus.FLAKY,
    SuiteTestStatus.QUARANTINED,
    SuiteTestStatus.HEALED,
    SuiteTestStatus.PASSED,
    SuiteTestStatus.NOT_RUN,
)
"""Every status, in the order in which pages and joined shards tell them."""


class Reason(Enum):
    """Why a test was not run. The values stand in JSON documents and never change."""

    OTHER_SHARD = "another shard"
    NOT_NAMED = "not named by -k"
    PASSED_BEFORE = "passed the last time"
    UNCHANGED_CODE = "reaches no changed class"
    STOPPED = "an earlier test failed"
    NO_TIME = "the time is up"
    DEVICE_LOST = "the device was lost"


class DifferenceKind(Enum):
    """What differs from an expectation. The values stand in JSON documents and never change."""

    ENDING = "ending"
    CRASH = "crash"
    PACKAGE = "package"
    ACTIVITY = "activity"
    STATE = "state"
    TEXT = "text"
    CHECKED = "checked"
    WIDGET = "widget"
    """A widget whose text or check mark is expected is not there."""
    PICTURE = "picture"


@dataclass(frozen=True, slots=True)
class Difference:
    """One way in which a step is not as expected. `path` leads to the widget on the screen that was seen."""

    kind: DifferenceKind
    expected: str
    seen: str
    selector: Selector | None = None
    path: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Healing:
    """A selector that found nothing, and that of the one widget which stood in for it. `step` counts from the launch.

    `is_target` says that it is the selector of the event; otherwise it is that of an expectation.
    """

    step: int
    old: Selector
    new: Selector
    is_target: bool = True


@dataclass(frozen=True, slots=True)
class SuiteTestRun:
    """One run of a test in one world.

    `step` is the number of the first step that is not as expected, None if all were. For a broken test it is the step
    that could not be played; `selector` is what it looked for and `nearest` the widgets that fit best. `moved` are the
    steps whose widgets are those of the expected state, in other places. `trace` is what was seen, up to and with that
    step; `pictures` are PNGs by the number of the step after which they were taken. `covered` has the numbers of the
    build that was run. `execution` is JaCoCo's data. `is_crash_renamed` says that the crash at the end was taken for
    the expected one, whose classes the build does not have.
    """

    world: int
    status: SuiteTestStatus
    trace: Trace | None = None
    step: int | None = None
    differences: tuple[Difference, ...] = ()
    selector: Selector | None = None
    nearest: tuple[Selector, ...] = ()
    healings: tuple[Healing, ...] = ()
    moved: tuple[int, ...] = ()
    pictures: tuple[tuple[int, bytes], ...] = ()
    covered: Coverage = NO_COVERAGE
    asked_world: bool | None = None
    seconds: float = field(default=0.0, compare=False)
    execution: bytes | None = field(default=None, compare=False)
    is_crash_renamed: bool = False

    @property
    def crash(self) -> Crash | None:
        """The crash that ended the run."""
        return None if self.trace is None else self.trace.crash


@dataclass(frozen=True, slots=True)
class SuiteTestResult:
    """What all runs of a test showed.

    `reference` are its runs on the older build of `--against`, world by world; without it, of a test that did not pass
    the last run that passed on this machine, if its pictures are known.
    """

    test: SuiteTest
    status: SuiteTestStatus
    runs: tuple[SuiteTestRun, ...] = ()
    reference: tuple[SuiteTestRun, ...] = ()
    reason: Reason | None = None

    @property
    def name(self) -> str:
        """The test's name."""
        return self.test.name

    @property
    def reproduction(self) -> Reproduction:
        """In how many of its runs the test passed."""
        return Reproduction(sum(run.status.is_pass for run in self.runs), len(self.runs))

    @property
    def shown(self) -> SuiteTestRun | None:
        """The run to show: the first that did not pass, else the first."""
        return next((run for run in self.runs if not run.status.is_pass), self.runs[0] if self.runs else None)

    @property
    def shown_reference(self) -> SuiteTestRun | None:
        """The run of the reference in the world of the run to show."""
        shown = self.shown
        return next((run for run in self.reference if shown is not None and run.world == shown.world), None)

    @property
    def seconds(self) -> float:
        """The time of all runs."""
        return sum(run.seconds for run in self.runs)


@dataclass(frozen=True, slots=True)
class SuiteTestUpdate:
    """A test and how it would be after an update, with the shapes of the states that it then expects.

    `pictures` are the new pictures by their names.
    """

    before: SuiteTest
    after: SuiteTest
    states: tuple[StateShape, ...] = ()
    pictures: tuple[tuple[str, bytes], ...] = ()


@dataclass(frozen=True, slots=True)
class CoverageNews:
    """What a suite covers of a build, by names.

    `covered` is what the tests that ran reached. `lost` was promised by the suite and is in the build, but was not
    reached. `gone` was promised and is not in the build any more. `new_classes` are classes of the build that the
    suite's own build lacks and no test reaches; it is empty where the suite's own build was run. `left_out` is promised
    coverage of tests that were not run.
    """

    covered: NamedCoverage = NamedCoverage()
    lost: NamedCoverage = NamedCoverage()
    gone: NamedCoverage = NamedCoverage()
    new_classes: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    total_branches: int = 0


@dataclass(frozen=True, slots=True)
class SuiteResult:
    """The run of a suite against a build. `updates` are proposed, and not written yet."""

    suite: Suite
    app: AppRef
    results: tuple[SuiteTestResult, ...]
    coverage: CoverageNews | None = None
    notes: tuple[str, ...] = ()
    seconds: float = field(default=0.0, compare=False)
    against: AppRef | None = None
    shard: tuple[int, int] | None = None
    has_worlds: bool = True
    updates: tuple[SuiteTestUpdate, ...] = ()

    @property
    def is_failure(self) -> bool:
        """Whether a test failed, broke or crashed."""
        return any(result.status.is_failure for result in self.results)

    def with_status(self, *wanted: SuiteTestStatus) -> tuple[SuiteTestResult, ...]:
        """The results with one of these statuses, in order."""
        return tuple(result for result in self.results if result.status in wanted)
