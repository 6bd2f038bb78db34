"""The content of the pages of a suite's run: plain values, filled before anything is rendered.

Texts of the app are shortened but not escaped; the renderer escapes them.
"""

from __future__ import annotations

from dataclasses import dataclass

from fewtaps.model.app import AppRef
from fewtaps.model.result import Reproduction
from fewtaps.model.screen import Bounds
from fewtaps.model.suite_result import CoverageNews, SuiteTestStatus
from fewtaps.report.views import ExceptionView, Picture


@dataclass(frozen=True, slots=True)
class OutlinedPicture:
    """A picture of the screen after a step, and the bounds of the widgets that matter there."""

    picture: Picture
    outlines: tuple[Bounds, ...] = ()


@dataclass(frozen=True, slots=True)
class ComparedStep:
    """A step of a test: its event in words, what it expects, and the screens after it in both runs.

    The run of the reference is that on the older build or, without one, the last that passed.
    `is_different` says that it is the first step that is not as expected. `note` is shown in place of a screen that
    there is none of, such as "crashed".
    """

    number: int
    words: str
    expected: tuple[str, ...] = ()
    seen: OutlinedPicture | None = None
    reference: OutlinedPicture | None = None
    is_different: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class ComparedValue:
    """One difference: the thing that differs, the expected value and the seen one."""

    subject: str
    expected: str
    seen: str


@dataclass(frozen=True, slots=True)
class SuiteTestPage:
    """The page of a test that did not pass, or passed with a healed selector."""

    name: str
    page: str
    status: SuiteTestStatus
    words: str
    steps: tuple[ComparedStep, ...]
    differences: tuple[ComparedValue, ...]
    missing: str
    nearest: tuple[str, ...]
    healings: tuple[str, ...]
    exceptions: tuple[ExceptionView, ...]
    log: str
    world: int
    worlds: tuple[tuple[int, SuiteTestStatus], ...]
    reproduction: Reproduction
    has_reference: bool

    @property
    def focus(self) -> ComparedStep | None:
        """The step whose screens show the difference: the first that differs or, if it shows none, the one before it.

        None if all steps are as expected, or no screen was seen.
        """
        shown = None
        for step in self.steps:
            shown = step if step.seen is not None else shown
            if step.is_different:
                return shown
        return None


@dataclass(frozen=True, slots=True)
class SuiteTestRow:
    """A test in the table of all; `page` is empty if it has none."""

    name: str
    status: SuiteTestStatus
    words: str
    steps: int
    seconds: float
    page: str = ""


@dataclass(frozen=True, slots=True)
class SuiteReport:
    """The run of a suite: the table of its tests, the pages of those that did not pass, and the coverage."""

    app: AppRef
    against: AppRef | None
    rows: tuple[SuiteTestRow, ...]
    tests: tuple[SuiteTestPage, ...]
    coverage: CoverageNews | None
    notes: tuple[str, ...]
    seconds: float
    shard: tuple[int, int] | None
    version: str = ""

    def count(self, *wanted: SuiteTestStatus) -> int:
        """How many tests have one of these statuses."""
        return sum(row.status in wanted for row in self.rows)
