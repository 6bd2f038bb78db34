"""Chooses the mutants that are played, the tests that play each and their order, and counts what was noticed.

A mutant is played by the tests that reach its line, the likeliest to notice it first, until one does.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from fewtaps.errors import NotViable
from fewtaps.model.coverage import NO_COVERAGE, Coverage
from fewtaps.model.mutant import Mutant, MutantResult, MutantStatus, MutationScore
from fewtaps.model.suite import SuiteTest

TURNS_FACTOR = 10
"""A run of a mutant is endless after so many times the jumps back of the test's run without a fault."""
TURNS_SPARE = 300_000
"""Jumps back that a run of a mutant may make beyond that: a loop without any in the other run may make some."""


def sample_mutants(mutants: Sequence[Mutant], count: int, seed: int) -> tuple[Mutant, ...]:
    """So many of the mutants, or all if there are fewer, in their order.

    Operator and class have the share that they have among all mutants. The same seed gives the same sample, and a
    smaller sample is part of a larger one.
    """
    strata: dict[tuple[str, str], list[Mutant]] = defaultdict(list)
    for mutant in mutants:
        strata[mutant.operator, mutant.class_name].append(mutant)
    ranked: list[tuple[float, str, Mutant]] = []
    for (operator, class_name), members in sorted(strata.items()):
        # A generator of its own: a stratum is drawn the same way whatever other strata there are.
        random = Random(f"{seed} {operator} {class_name}")
        shuffled = sorted(members, key=lambda mutant: mutant.key)
        random.shuffle(shuffled)
        offset = random.random()
        # Members of a stratum of n lie 1/n apart between 0 and 1, so that every part of that range has its share.
        ranked.extend(((place + offset) / len(shuffled), each.key, each) for place, each in enumerate(shuffled))
    chosen = {key for _, key, _ in sorted(ranked, key=lambda each: each[:2])[:count]}
    return tuple(mutant for mutant in mutants if mutant.key in chosen)


@dataclass(frozen=True, slots=True)
class MeasuredTest:
    """A test's run without a fault: what it covers, and how many jumps back the loops of the app made.

    `new_by_step` has for each step what it covered first; empty if that is not known.
    """

    __test__ = False

    test: SuiteTest
    covered: Coverage = NO_COVERAGE
    turns: int = 0
    new_by_step: tuple[Coverage, ...] = ()

    @property
    def turns_limit(self) -> int:
        """The jumps back after which a run with a fault is endless."""
        return TURNS_FACTOR * self.turns + TURNS_SPARE

    def covers(self, mutant: Mutant) -> bool:
        """Whether the test reaches the line of the mutant, or its method where lines are not known."""
        return _reaches(self.covered, mutant)

    def first_reach(self, mutant: Mutant) -> int:
        """The step that first reaches the mutant: the steps before it are played without any effect of the fault."""
        reached = (number for number, new in enumerate(self.new_by_step) if _reaches(new, mutant))
        return next(reached, len(self.test.trace.steps))


def _reaches(covered: Coverage, mutant: Mutant) -> bool:
    if mutant.line_probe is not None:
        return mutant.line_probe in covered.lines
    return mutant.method_probe is not None and mutant.method_probe in covered.methods


class KillHistory:
    """Which tests noticed which mutants so far, to order the tests for the next one."""

    def __init__(self) -> None:
        self._kills: Counter[tuple[str, str]] = Counter()

    def add(self, result: MutantResult) -> None:
        """Remembers a result."""
        if result.test is not None:
            for place in _places(result.mutant):
                self._kills[result.test, place] += 1

    def ordered(self, mutant: Mutant, measured_tests: Iterable[MeasuredTest]) -> tuple[MeasuredTest, ...]:
        """The tests that reach the mutant, the likeliest to notice it first.

        Kills in the same method count most, then in the same class, then all; of equals, the test that reaches the
        mutant with fewer steps before it, and then the one with fewer steps.
        """
        places = _places(mutant)

        def rank(measured: MeasuredTest) -> tuple[list[int], int, int, str]:
            kills = [-self._kills[measured.test.name, place] for place in places]
            return kills, measured.first_reach(mutant), len(measured.test.trace.steps), measured.test.name

        return tuple(sorted((each for each in measured_tests if each.covers(mutant)), key=rank))


def _places(mutant: Mutant) -> tuple[str, str, str]:
    return f"{mutant.class_name}.{mutant.method}{mutant.descriptor}", mutant.class_name, ""


@dataclass(frozen=True, slots=True)
class MutantRun:
    """What one run of a test showed of a mutant.

    `status` is SURVIVED if all was as expected. `by_states` is the status without expected texts and check marks, None
    if the run ended before that was known.
    """

    status: MutantStatus
    by_states: MutantStatus | None
    step: int | None = None
    difference: str = ""


RunTest: TypeAlias = Callable[[MeasuredTest], MutantRun]
"""Runs a test against a mutant. Raises NotViable."""


def judge_mutant(
    mutant: Mutant, measured_tests: Sequence[MeasuredTest], run: RunTest, with_states: bool
) -> MutantResult:
    """Runs the tests in order until one notices the mutant.

    `with_states` runs on until one would notice it by states, endings and crashes alone.
    """
    noticed: tuple[MeasuredTest, MutantRun] | None = None
    by_states: MutantStatus | None = MutantStatus.SURVIVED
    tests_run = 0
    try:
        for measured in measured_tests:
            shown = run(measured)
            tests_run += 1
            if noticed is None and shown.status is not MutantStatus.SURVIVED:
                noticed = measured, shown
            by_states = shown.by_states
            if noticed is not None and (by_states is not MutantStatus.SURVIVED or not with_states):
                break
    except NotViable:
        return MutantResult(mutant, MutantStatus.NON_VIABLE, by_states=MutantStatus.NON_VIABLE, tests_run=tests_run)
    if not measured_tests:
        return MutantResult(mutant, MutantStatus.NO_COVERAGE, by_states=MutantStatus.NO_COVERAGE)
    if noticed is None:
        return MutantResult(mutant, MutantStatus.SURVIVED, by_states=MutantStatus.SURVIVED, tests_run=tests_run)
    measured, shown = noticed
    if not with_states:
        # Of the tests that were not run, it is not known what they would show.
        by_states = shown.by_states if shown.by_states is not MutantStatus.SURVIVED else None
    return MutantResult(
        mutant, shown.status, measured.test.name, shown.step, shown.difference, by_states, tests_run=tests_run
    )


def score_by_states(results: Iterable[MutantResult]) -> MutationScore | None:
    """How many states, endings and crashes alone notice; None if that is not known of every mutant."""
    counted = [result for result in results if result.status.counts]
    if any(result.by_states is None for result in counted):
        return None
    detected = sum(result.by_states is not None and result.by_states.is_detected for result in counted)
    return MutationScore(detected, len(counted))
