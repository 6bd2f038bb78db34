"""Suite and SuiteTest: a small set of replayable traces with expectations, kept with an app's sources."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from fewtaps.model.app import AppRef
from fewtaps.model.shape import StateShape
from fewtaps.model.trace import Trace


class CoverageKind(Enum):
    """What a suite keeps of the traces it is made from. The values stand in files and never change."""

    BRANCHES = "branches"
    SCREENS = "screens"
    CRASHES = "crashes"
    LISTS = "lists"
    """Lists with two rows or more."""
    LINES = "lines"
    METHODS = "methods"


@dataclass(frozen=True, slots=True)
class NamedCoverage:
    """Covered code by names, which are comparable between builds, unlike the numbers of probes.

    A method is named by its name and descriptor, such as `onClick(Landroid/view/View;)V`. A branch is the class, the
    method and its number among the branches of the method, from 0. A line is the class and the line.
    """

    branches: frozenset[tuple[str, str, int]] = frozenset()
    methods: frozenset[tuple[str, str]] = frozenset()
    lines: frozenset[tuple[str, int]] = frozenset()

    @property
    def classes(self) -> frozenset[str]:
        """The classes of which anything is covered."""
        return frozenset(
            [name for name, _, _ in self.branches]
            + [name for name, _ in self.methods]
            + [name for name, _ in self.lines]
        )


@dataclass(frozen=True, slots=True)
class SuiteTest:
    """One test: events with expectations. Its name is its file's name without `.jsonl`.

    `seconds` is the measured time of one run, `classes` the classes it reaches, `adds` how many elements of coverage it
    has that the tests before it in the suite lack. `kills` is how many mutants it was the first to kill, 0 if that was
    not measured.
    """

    name: str
    trace: Trace
    seconds: float = 0.0
    classes: tuple[str, ...] = ()
    adds: int = 0
    kills: int = 0


@dataclass(frozen=True, slots=True)
class Quarantine:
    """A test that passed in some runs only: it is run and never fails a build.

    `clean` counts the runs since the last one that did not pass. After `CLEAN_RUNS` of them the test returns.
    """

    name: str
    passed: int
    runs: int
    clean: int = 0


CLEAN_RUNS = 20
"""Runs that a test in quarantine has to pass in a row until it counts again."""


@dataclass(frozen=True, slots=True)
class Suite:
    """The tests of one app, with the settings under which they were made and what they cover.

    `abstraction` is the one of the states in the expectations. `settings` are the session's settings that the tests
    depend on, by name, as the command line writes them. `kinds` is what was to be kept. `covered` is what the suite
    promises to cover, `flaky` what only some runs of the traces covered. `uncovered` are the classes of the build that
    no test reaches, so that classes of a newer build are known to be new. `states` says which widgets the expected
    states have, so that they can be known again in a newer build that shows them in other places.
    """

    app: AppRef
    abstraction: str
    tests: tuple[SuiteTest, ...] = ()
    settings: tuple[tuple[str, str], ...] = ()
    kinds: tuple[CoverageKind, ...] = (CoverageKind.BRANCHES, CoverageKind.SCREENS, CoverageKind.CRASHES)
    covered: NamedCoverage = NamedCoverage()
    flaky: NamedCoverage = NamedCoverage()
    quarantine: tuple[Quarantine, ...] = ()
    states: tuple[StateShape, ...] = ()
    uncovered: tuple[str, ...] = ()
