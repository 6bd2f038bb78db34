"""Records tests: plays a trace in several worlds and on another date, and makes its expectations from what is seen."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from fewtaps.config import DeviceSettings
from fewtaps.device.jobs import InspectApp
from fewtaps.device.pool import SessionPool
from fewtaps.errors import UsageError
from fewtaps.model.coverage import ProbeMap
from fewtaps.model.named_coverage import name_coverage
from fewtaps.model.shape import StateShape, common_shape
from fewtaps.model.suite import NamedCoverage, Suite, SuiteTest
from fewtaps.model.target import target_of_selector
from fewtaps.model.trace import Trace
from fewtaps.model.world import on_other_date
from fewtaps.pipeline.opening import OpenedApp
from fewtaps.pipeline.suite_app import settings_to_keep
from fewtaps.replay import PlayEvents
from fewtaps.suite.expecting import state_shapes, with_expectations
from fewtaps.suite.naming import name_test
from fewtaps.suitefile import INDEX, path_of_test, read_suite, require_test_name, write_suite

USUAL_ABSTRACTION = "actionable"
"""The abstraction of the states that a new suite expects."""
RECORDED_WORLDS = 3
"""Worlds in which a test is recorded; what differs between them is not expected."""


@dataclass(frozen=True, slots=True)
class RecordedTest:
    """A test with its expectations, the shapes of its states, and what its first run covered.

    `missing_at` is the first step whose widget is not there in some world or on the other date; None if all are.
    """

    test: SuiteTest
    states: tuple[StateShape, ...]
    covered: NamedCoverage
    missing_at: int | None = None


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
    (recorded,) = record_tests(pool, [trace], abstraction, names=[name], taken=taken, probes=probes, worlds=worlds)
    return recorded


def record_tests(
    pool: SessionPool,
    traces: Sequence[Trace],
    abstraction: str,
    *,
    names: Sequence[str | None] | None = None,
    taken: Collection[str] = (),
    probes: ProbeMap | None = None,
    worlds: int = RECORDED_WORLDS,
) -> list[RecordedTest]:
    """As `record_test`, for several traces: the runs of all are shared out among the devices."""
    firsts = pool.map([PlayEvents(trace.events, trace.world, retries_lost=True) for trace in traces])
    jobs: list[list[PlayEvents]] = []
    for trace, first in zip(traces, firsts, strict=True):
        asked = first.trace.steps[-1].asked_world is not False
        others = [trace.world + number for number in range(1, worlds)] if asked else []
        others.append(on_other_date(trace.world))
        jobs.append([PlayEvents(trace.events, world, retries_lost=True) for world in others])
    played = iter(pool.map([job for each in jobs for job in each]))
    recorded: list[RecordedTest] = []
    for number, (trace, first) in enumerate(zip(traces, firsts, strict=True)):
        runs = [first.trace, *(next(played).trace for _ in jobs[number])]
        expected = replace(with_expectations(runs, abstraction), world=trace.world)
        covered = name_coverage(first.trace.coverage, probes) if probes is not None else NamedCoverage()
        name = names[number] if names is not None else None
        test = SuiteTest(
            name or name_test(expected, taken),
            expected,
            seconds=round(sum(first.seconds), 3),
            classes=tuple(sorted(covered.classes)),
        )
        missing = [place for run in runs if (place := _missing_widget(run)) is not None]
        shapes = state_shapes(runs, abstraction)
        recorded.append(RecordedTest(test, shapes, covered, min(missing, default=None)))
    return recorded


def _missing_widget(run: Trace) -> int | None:
    for number, (before, step) in enumerate(pairwise(run.steps), 1):
        selector = getattr(step.event, "selector", None)
        if selector is not None and not selector.is_empty and target_of_selector(selector, before.after) is None:
            return number
    return None


def add_test(folder: Path, opened: OpenedApp, device: DeviceSettings, trace: Trace, name: str | None = None) -> Path:
    """Records the trace as one more test of the suite in the folder and returns the test's file.

    A folder without a suite gets one. The session is used for the recording, so that the app has to be launched again
    afterwards. Raises UsageError for a suite of another app, and for a name that is taken or is no name.
    """
    suite = _suite_in(folder, opened, device)
    taken = [test.name for test in suite.tests]
    if name is not None:
        try:
            require_test_name(name)
        except ValueError as error:
            raise UsageError(str(error)) from None
        if name.casefold() in {each.casefold() for each in taken}:
            raise UsageError(f"{folder}: a test of the name {name} is there already")
    pool = SessionPool(lambda: nullcontext(opened.session))
    probes = pool.ask(InspectApp()).probes
    recorded = record_test(pool, trace, suite.abstraction, name=name, taken=taken, probes=probes)
    adds = len(recorded.covered.branches - suite.covered.branches)
    covered = NamedCoverage(
        suite.covered.branches | recorded.covered.branches,
        suite.covered.methods | recorded.covered.methods,
        suite.covered.lines | recorded.covered.lines,
    )
    classes = [probes_of.name for probes_of in probes.classes] if probes is not None else list(suite.uncovered)
    write_suite(
        folder,
        replace(
            suite,
            tests=(*suite.tests, replace(recorded.test, adds=adds)),
            covered=covered,
            states=joined_shapes(suite.states, recorded.states),
            uncovered=tuple(sorted(set(classes) - covered.classes)),
        ),
    )
    return path_of_test(folder, recorded.test.name)


def joined_shapes(one: Iterable[StateShape], other: Iterable[StateShape]) -> tuple[StateShape, ...]:
    """The shapes of both, by state; of a state that both have, what its shapes have in common."""
    shapes = {shape.state: shape for shape in one}
    for shape in other:
        known = shapes.get(shape.state)
        shapes[shape.state] = shape if known is None else common_shape(known, shape) or known
    return tuple(shapes[state] for state in sorted(shapes))


def _suite_in(folder: Path, opened: OpenedApp, device: DeviceSettings) -> Suite:
    if not (folder / INDEX).exists():
        settings = settings_to_keep(device, opened.profile.name)
        return Suite(opened.app.ref, USUAL_ABSTRACTION, settings=settings)
    suite = read_suite(folder)
    if suite.app.package != opened.app.package:
        raise UsageError(f"{folder}: the suite is for {suite.app.package}, the app is {opened.app.package}")
    return suite
