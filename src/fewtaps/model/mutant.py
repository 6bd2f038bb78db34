"""Mutant: an app with one small fault in its code, and what the tests of a suite say of it. The words are PIT's."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

STANDARD_OPERATORS = (
    "CONDITIONALS_BOUNDARY",
    "NEGATE_CONDITIONALS",
    "INCREMENTS",
    "INVERT_NEGS",
    "MATH",
    "VOID_METHOD_CALLS",
    "TRUE_RETURNS",
    "FALSE_RETURNS",
    "NULL_RETURNS",
    "EMPTY_RETURNS",
    "PRIMITIVE_RETURNS",
)
"""The mutation operators that PIT uses unless it is told otherwise."""

OPTIONAL_OPERATORS = ("INLINE_CONSTS", "REMOVE_CONDITIONALS")
"""The mutation operators that have to be asked for."""

OPERATORS = STANDARD_OPERATORS + OPTIONAL_OPERATORS


@dataclass(frozen=True, slots=True)
class Mutant:
    """One changed instruction of one class.

    `descriptor` is the method's, in the JVM's notation. `index` counts the instructions of the method as the device
    translates it, from 0. `line` is the line in the source file `file`, 0 if it is not known. `line_probe` and
    `method_probe` are the numbers of that line and of the method in coverage, None where coverage does not count them.
    `description` says what was changed, `instruction` how the instruction read before.
    """

    class_name: str
    method: str
    descriptor: str
    index: int
    operator: str
    line: int = 0
    file: str | None = None
    line_probe: int | None = None
    method_probe: int | None = None
    description: str = ""
    instruction: str = ""

    @property
    def key(self) -> str:
        """Identifies the mutant among those of one APK."""
        return f"{self.class_name}.{self.method}{self.descriptor}#{self.index}:{self.operator}"


@dataclass(frozen=True, slots=True)
class LoopTurns:
    """How many jumps back the code of the app has made in a run, and whether too many of them ended it."""

    turns: int
    is_endless: bool = False


class MutantStatus(Enum):
    """What a suite says of a mutant. The values are PIT's, stand in files and never change."""

    KILLED = "KILLED"
    """A test failed."""
    SURVIVED = "SURVIVED"
    """Tests reach the changed line, and all of them pass."""
    NO_COVERAGE = "NO_COVERAGE"
    """No test reaches the changed line."""
    TIMED_OUT = "TIMED_OUT"
    """Loops of the app made many more jumps back than without the fault."""
    MEMORY_ERROR = "MEMORY_ERROR"
    """The app filled the memory."""
    NON_VIABLE = "NON_VIABLE"
    """The changed class cannot run."""

    @property
    def is_detected(self) -> bool:
        """Whether the suite notices such a mutant."""
        return self in (MutantStatus.KILLED, MutantStatus.TIMED_OUT, MutantStatus.MEMORY_ERROR)

    @property
    def counts(self) -> bool:
        """Whether such a mutant counts in a score."""
        return self is not MutantStatus.NON_VIABLE


@dataclass(frozen=True, slots=True)
class MutantResult:
    """What the tests of a suite say of one mutant.

    `test` and `step` are the test that noticed it and the number of the first step that is not as expected, from the
    launch, which is 0. `difference` is what differs there, in a word. `by_states` is what the tests say without their
    expected texts and check marks, by states, endings and crashes alone; None if that was not found out. `tests_run`
    counts the runs.
    """

    mutant: Mutant
    status: MutantStatus
    test: str | None = None
    step: int | None = None
    difference: str = ""
    by_states: MutantStatus | None = None
    tests_run: int = 0


@dataclass(frozen=True, slots=True)
class MutationScore:
    """How many mutants were noticed, of those that count."""

    detected: int
    counted: int

    @classmethod
    def of(cls, results: Iterable[MutantResult]) -> MutationScore:
        """The score of these results. Mutants that cannot run do not count."""
        counted = [result for result in results if result.status.counts]
        return cls(sum(result.status.is_detected for result in counted), len(counted))

    @property
    def percent(self) -> float:
        """The share of mutants that were noticed, 0 if there are none."""
        return 100 * self.detected / self.counted if self.counted else 0.0
