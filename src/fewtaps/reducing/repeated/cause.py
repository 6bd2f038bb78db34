"""What makes a trace flaky: the one decision of the world that best tells crashing runs from the others.

Runs of one trace differ only in what the world decided. Each decision, and each pair of them, gives yes-or-no questions
that can be asked of every run: did this work begin before that, before this step, later than so and so long? The
question with the highest information gain is the answer, with its exact counts; no tree is built upon it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from fewtaps.model.decision import Decision

MOST_NAMES = 40
"""Of more decisions in a run, only the last ones are compared in pairs: a crash seldom hangs on an early one."""

BETTER = 0.01
"""In bits: by so much a less plain statement has to be better."""

LEAST_GAIN = 0.05
"""In bits. Less is chance, not a cause."""


@dataclass(frozen=True, slots=True)
class Course:
    """One run as the world decided it: whether the goal was met, the app's time after each step, the decisions."""

    met: bool
    clocks: Sequence[int]
    decisions: Sequence[Decision]


@dataclass(frozen=True, slots=True)
class Separation:
    """A statement about a world, and in how many runs of each kind it is true.

    `gain` is the information it gives about whether the goal is met, in bits.
    """

    statement: str
    true_met: int
    met: int
    true_missed: int
    missed: int
    gain: float

    @property
    def is_exact(self) -> bool:
        """Whether it is true in exactly the runs that meet the goal."""
        return self.true_met == self.met and self.true_missed == 0

    def words(self, noun: str = "crashing") -> str:
        """In whole: "… in 37 of 37 crashing worlds, and in 0 of 63 others"."""
        return (
            f"{self.statement}: in {self.true_met} of {self.met} {noun} worlds, "
            f"and in {self.true_missed} of {self.missed} others"
        )


def separate(courses: Sequence[Course]) -> Separation | None:
    """The best statement there is; None if all runs ended alike, or if no decision tells them apart."""
    met = sum(course.met for course in courses)
    if not 0 < met < len(courses):
        return None
    named = [_named(course) for course in courses]
    best: Separation | None = None
    for statement, truths in _statements(courses, named):
        found = _weighed(statement, truths, courses)
        if best is None or found.gain > best.gain + BETTER:
            best = found
    return best if best is not None and best.gain >= LEAST_GAIN else None


def _weighed(statement: _Statement, truths: Sequence[bool], courses: Sequence[Course]) -> Separation:
    """The statement or its contrary, whichever is true where the goal is met."""
    pairs = list(zip(truths, courses, strict=True))
    met = sum(course.met for course in courses)
    true_met = sum(truth and course.met for truth, course in pairs)
    true_missed = sum(truth and not course.met for truth, course in pairs)
    missed = len(courses) - met
    gain = _entropy(met, missed) - sum(
        (yes + no) / len(courses) * _entropy(yes, no)
        for yes, no in ((true_met, true_missed), (met - true_met, missed - true_missed))
    )
    if true_met * missed >= true_missed * met:
        return Separation(statement.words, true_met, met, true_missed, missed, gain)
    return Separation(statement.contrary, met - true_met, met, missed - true_missed, missed, gain)


def _entropy(yes: int, no: int) -> float:
    total = yes + no
    if not yes or not no:
        return 0.0
    return -sum(part / total * math.log2(part / total) for part in (yes, no))


@dataclass(frozen=True, slots=True)
class _Statement:
    words: str
    contrary: str


def _named(course: Course) -> dict[str, Decision]:
    """The decisions of a run by name; what was decided several times has a number."""
    named: dict[str, Decision] = {}
    counts: dict[str, int] = {}
    for decision in course.decisions:
        count = counts[decision.what] = counts.get(decision.what, 0) + 1
        named[decision.what if count == 1 else f"{decision.what}, time {count}"] = decision
    return named


def _statements(
    courses: Sequence[Course], named: Sequence[dict[str, Decision]]
) -> Iterator[tuple[_Statement, list[bool]]]:
    """All that can be asked, the plainest first: of two equally good ones the earlier is taken."""
    names = _common(named)[-MOST_NAMES:]
    timed = [name for name in names if any(runs.get(name, _NOTHING).due_ms is not None for runs in named)]
    yield from _values(names, named)
    yield from _orders(timed, named)
    yield from _steps(timed, courses, named)
    yield from _delays(timed, named)
    yield from _presence(names, named)


def _common(named: Iterable[dict[str, Decision]]) -> list[str]:
    """Every name, in the order in which they first came up."""
    return list(dict.fromkeys(name for runs in named for name in runs))


_NOTHING = Decision("", 0)


def _values(names: Sequence[str], named: Sequence[dict[str, Decision]]) -> Iterator[tuple[_Statement, list[bool]]]:
    for name in names:
        values = sorted({runs[name].value for runs in named if name in runs and runs[name].value})
        for value in values:
            truths = [name in runs and runs[name].value == value for runs in named]
            others = [each for each in values if each != value]
            other = f"comes out {others[0]}" if len(others) == 1 else f"does not come out {value}"
            yield _Statement(f"the {name} comes out {value}", f"the {name} {other}"), truths


def _orders(names: Sequence[str], named: Sequence[dict[str, Decision]]) -> Iterator[tuple[_Statement, list[bool]]]:
    """Of two pieces of work, which one is first; asked only where both were begun in every run."""
    everywhere = [name for name in names if all(name in runs for runs in named)]
    for one, other in combinations(everywhere, 2):
        truths = [_due(runs[one]) < _due(runs[other]) for runs in named]
        yield (_Statement(f"{one} is due before {other}", f"{other} is due before {one}"), truths)


def _steps(
    names: Sequence[str], courses: Sequence[Course], named: Sequence[dict[str, Decision]]
) -> Iterator[tuple[_Statement, list[bool]]]:
    """Whether work is due before a step begins. Later steps of a run that ended early would have begun as in others."""
    clocks = _usual_clocks(courses)
    for name in names:
        for step in range(1, len(clocks)):
            begins = clocks[step - 1]
            truths = [name in runs and _due(runs[name]) <= begins for runs in named]
            words = f"{name} is due before step {step}"
            yield _Statement(words, f"{name} is not due before step {step}"), truths


def _usual_clocks(courses: Sequence[Course]) -> list[int]:
    """The time after each step, from the longest run that was not cut short."""
    longest = max(courses, key=lambda course: (len(course.clocks), not course.met))
    return list(longest.clocks)


def _delays(names: Sequence[str], named: Sequence[dict[str, Decision]]) -> Iterator[tuple[_Statement, list[bool]]]:
    """Whether work is later than so and so long, for every length that makes a difference."""
    for name in names:
        delays = sorted({_due(runs[name]) - runs[name].at_ms for runs in named if name in runs})
        for shorter, longer in zip(delays, delays[1:], strict=False):
            limit = (shorter + longer) // 2
            truths = [name in runs and _due(runs[name]) - runs[name].at_ms > limit for runs in named]
            words = f"{name} is later than {limit} ms"
            yield _Statement(words, f"{name} is not later than {limit} ms"), truths


def _presence(names: Sequence[str], named: Sequence[dict[str, Decision]]) -> Iterator[tuple[_Statement, list[bool]]]:
    """Whether it came to a decision at all: the last resort, for it may be the consequence and not the cause."""
    for name in names:
        truths = [name in runs for runs in named]
        yield _Statement(f"it comes to {name}", f"it does not come to {name}"), truths


def _due(decision: Decision) -> int:
    return decision.at_ms if decision.due_ms is None else decision.due_ms
