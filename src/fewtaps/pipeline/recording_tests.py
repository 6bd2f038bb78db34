"""Records tests: plays a trace in several worlds and on another date, and makes its expectations from what is seen."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from fewtaps.device.pool import SessionPool
from fewtaps.model.coverage import ProbeMap
from fewtaps.model.named_coverage import name_coverage
from fewtaps.model.shape import StateShape
from fewtaps.model.suite import NamedCoverage, SuiteTest
from fewtaps.model.trace import Trace
from fewtaps.model.world import on_other_date
from fewtaps.replay import PlayEvents
from fewtaps.suite.expecting import state_shapes, with_expectations
from fewtaps.suite.naming import name_test

RECORDED_WORLDS = 3
"""Worlds in which a test is recorded; what differs between them is not expected."""


@dataclass(frozen=True, slots=True)
class RecordedTest:
    """A test with its expectations, the shapes of its states, and what its first run covered."""

    test: SuiteTest
    states: tuple[StateShape, ...]
    covered: NamedCoverage


def record_test(
    pool: SessionPool,
    trace: Trace,
    abstraction: str,
    *,
    name: str | None = None,
    taken: Collection[str] = (),
    probes: ProbeMap | None = None,
    worlds: int = RECORDED_WORLDS,
) -> RecordedTest:
    """Plays the trace in so many worlds, the trace's own first, and once more on another date.

    Without a name it gets one by what it does. A run in which nothing was asked of the world is the same in all, and
    only the date differs.
    """
    first = pool.ask(PlayEvents(trace.events, trace.world, retries_lost=True))
    asked = first.trace.steps[-1].asked_world is not False
    others = [trace.world + number for number in range(1, worlds)] if asked else []
    others.append(on_other_date(trace.world))
    jobs = [PlayEvents(trace.events, world, retries_lost=True) for world in others]
    runs = [first.trace, *(played.trace for played in pool.map(jobs))]
    expected = replace(with_expectations(runs, abstraction), world=trace.world)
    covered = name_coverage(first.trace.coverage, probes) if probes is not None else NamedCoverage()
    test = SuiteTest(
        name or name_test(expected, taken),
        expected,
        seconds=round(sum(first.seconds), 3),
        classes=tuple(sorted(covered.classes)),
    )
    return RecordedTest(test, state_shapes(runs, abstraction), covered)
