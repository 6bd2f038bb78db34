"""What makes a trace flaky: the one statement about the world that best tells successful runs from the others.

Runs of one trace differ only in what the world decided. Each decision, and each pair of decisions, gives statements
that are true or false for every run: this work was due before that, before this step, or later than a time limit.
The statement with the highest information gain is the answer, with its counts; no decision tree is built.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from fewtaps.model.decision import Decision

MOST_NAMES = 40
"""Decisions of a run that are looked at, the last ones: a crash seldom depends on an early decision."""

BETTER = 0.01
"""In bits: a later, less plain statement replaces an earlier one only if its gain is higher by more than this."""

LEAST_GAIN = 0.05
"""In bits: a statement with less gain is not reported, because chance alone may explain it."""


@dataclass(frozen=True, slots=True)
class RunDecisions:
    """One run as the world decided it: whether the goal was met, the app's time after each step, the decisions."""

    met: bool
    clocks: Sequence[int]
    decisions: Sequence[Decision]


@dataclass(frozen=True, slots=True)
class FlakyCause:
    """A statement about a world, and in how many runs of each kind it is true.

    `gain` is the information it gives about whether the goal is met, in bits.
    """

    statement: str
    true_met: int
    met: int
    true_missed: int
    missed: int
    gain: float

    def words(self, noun: str = "crashing") -> str:
        """For a person: "… in 37 of 37 crashing worlds, and in 0 of 63 others"."""
        return (
            f"{self.statement}: in {self.true_met} of {self.met} {noun} worlds, "
            f"and in {self.true_missed} of {self.missed} others"
        )


def find_cause(runs: Sequence[RunDecisions]) -> FlakyCause | None:
    """The best statement; None if all runs ended alike, or if no decision tells them apart."""
    met = sum(run.met for run in runs)
    if not 0 < met < len(runs):
        return None
    named = [_named(run) for run in runs]
    best: FlakyCause | None = None
    for statement, truths in _statements(runs, named):
        found = _weighed(statement, truths, runs)
        if best is None or found.gain > best.gain + BETTER:
            best = found
    return best if best is not None and best.gain >= LEAST_GAIN else None


def _weighed(statement: _Statement, truths: Sequence[bool], runs: Sequence[RunDecisions]) -> FlakyCause:
    """The statement or its contrary: the one that is true more often in runs that meet the goal."""
    pairs = list(zip(truths, runs, strict=True))
    met = sum(run.met for run in runs)
    true_met = sum(truth and run.met for truth, run in pairs)
    true_missed = sum(truth and not run.met for truth, run in pairs)
    missed = len(runs) - met
    gain = _entropy(met, missed) - sum(
        (yes + no) / len(runs) * _entropy(yes, no)
        for yes, no in ((true_met, true_missed), (met - true_met, missed - true_missed))
    )
    if true_met * missed >= true_missed * met:
        return FlakyCause(statement.words, true_met, met, true_missed, missed, gain)
    return FlakyCause(statement.contrary, met - true_met, met, missed - true_missed, missed, gain)


def _entropy(yes: int, no: int) -> float:
    total = yes + no
    if not yes or not no:
        return 0.0
    return -sum(part / total * math.log2(part / total) for part in (yes, no))


@dataclass(frozen=True, slots=True)
class _Statement:
    words: str
    contrary: str


def _named(run: RunDecisions) -> dict[str, Decision]:
    """The decisions of a run by name; the second of a name and all further ones are numbered."""
    named: dict[str, Decision] = {}
    counts: dict[str, int] = {}
    for decision in run.decisions:
        count = counts[decision.what] = counts.get(decision.what, 0) + 1
        named[decision.what if count == 1 else f"{decision.what}, time {count}"] = decision
    return named


def _statements(
    runs: Sequence[RunDecisions], named: Sequence[dict[str, Decision]]
) -> Iterator[tuple[_Statement, list[bool]]]:
    """All statements with their truth in each run, the plainest first: of equally good ones the first is taken."""
    names = _common(named)[-MOST_NAMES:]
    timed = [name for name in names if any(each.get(name, _NOTHING).due_ms is not None for each in named)]
    yield from _values(names, named)
    yield from _orders(timed, named)
    yield from _steps(timed, runs, named)
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
    """Which of two pieces of work is due first; only for work that was begun in every run."""
    everywhere = [name for name in names if all(name in runs for runs in named)]
    for one, other in combinations(everywhere, 2):
        truths = [_due(runs[one]) < _due(runs[other]) for runs in named]
        yield (_Statement(f"{one} is due before {other}", f"{other} is due before {one}"), truths)


def _steps(
    names: Sequence[str], decided: Sequence[RunDecisions], named: Sequence[dict[str, Decision]]
) -> Iterator[tuple[_Statement, list[bool]]]:
    """Whether work is due before a step begins. Steps after the end of a run are taken to begin as in longer runs."""
    clocks = _usual_clocks(decided)
    for name in names:
        for step in range(1, len(clocks)):
            begins = clocks[step - 1]
            truths = [name in runs and _due(runs[name]) <= begins for runs in named]
            words = f"{name} is due before step {step}"
            yield _Statement(words, f"{name} is not due before step {step}"), truths


def _usual_clocks(runs: Sequence[RunDecisions]) -> list[int]:
    """The time after each step, from the longest run that was not cut short."""
    longest = max(runs, key=lambda run: (len(run.clocks), not run.met))
    return list(longest.clocks)


def _delays(names: Sequence[str], named: Sequence[dict[str, Decision]]) -> Iterator[tuple[_Statement, list[bool]]]:
    """Whether work takes longer than a limit, for each limit between two delays that were seen."""
    for name in names:
        delays = sorted({_due(runs[name]) - runs[name].at_ms for runs in named if name in runs})
        for shorter, longer in zip(delays, delays[1:], strict=False):
            limit = (shorter + longer) // 2
            truths = [name in runs and _due(runs[name]) - runs[name].at_ms > limit for runs in named]
            words = f"{name} is later than {limit} ms"
            yield _Statement(words, f"{name} is not later than {limit} ms"), truths


def _presence(names: Sequence[str], named: Sequence[dict[str, Decision]]) -> Iterator[tuple[_Statement, list[bool]]]:
    """Whether a decision was made at all; the last choice, because it may be a consequence and not the cause."""
    for name in names:
        truths = [name in runs for runs in named]
        yield _Statement(f"it comes to {name}", f"it does not come to {name}"), truths


def _due(decision: Decision) -> int:
    return decision.at_ms if decision.due_ms is None else decision.due_ms
