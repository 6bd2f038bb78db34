"""Rewrites the expectations of tests that failed or were healed, from what the new build shows.

A step whose expectation still holds keeps its line. A test that cannot be played to its end is not rewritten.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from fewtaps.device.pool import SessionPool
from fewtaps.errors import UsageError
from fewtaps.files import require_writable_inside, write_inside
from fewtaps.model.event import AimedEvent, Event
from fewtaps.model.shape import StateShape
from fewtaps.model.suite import Suite, SuiteTest
from fewtaps.model.suite_result import DifferenceKind, SuiteTestResult, SuiteTestRun, SuiteTestStatus, SuiteTestUpdate
from fewtaps.model.trace import Step, Trace
from fewtaps.model.world import on_other_date
from fewtaps.pipeline.playing_tests import PlayTest
from fewtaps.pipeline.recording_tests import RECORDED_WORLDS, joined_shapes
from fewtaps.suite.checking import ExpectationChecker
from fewtaps.suite.expecting import state_shapes, with_expectations
from fewtaps.suitefile import content_of_test, load_suite, path_of_picture, write_suite


def needs_update(result: SuiteTestResult) -> bool:
    """Whether a test failed or was healed; states whose widgets are in other places count as healed."""
    if result.status is SuiteTestStatus.FAILED or result.status is SuiteTestStatus.HEALED:
        return True
    return result.status is SuiteTestStatus.PASSED and any(run.moved for run in result.runs)


def propose_update(
    pool: SessionPool, suite: Suite, result: SuiteTestResult, *, with_pictures: bool = False
) -> SuiteTestUpdate | None:
    """The test as the new build shows it; None if it cannot be played to its end, or nothing would change.

    Steps that expect a picture get a new one if theirs differs; `with_pictures` all steps get one.
    """
    test = result.test
    world = test.trace.world
    worlds = (*range(world, world + RECORDED_WORLDS), on_other_date(world))
    runs: list[SuiteTestRun] = []
    for each in worlds:
        job = PlayTest(test, suite.abstraction, (each,), suite.states, goes_on=True, takes_pictures=each == world)
        runs += pool.ask(job)
    traces = [run.trace for run in runs if run.trace is not None]
    if len(traces) < len(worlds) or any(len(trace.steps) != len(test.trace.steps) for trace in traces):
        return None
    updated = replace(test, trace=updated_trace(test.trace, traces, suite.abstraction, suite.states))
    is_other_picture = any(
        difference.kind is DifferenceKind.PICTURE for run in result.runs for difference in run.differences
    )
    pictures: tuple[tuple[str, bytes], ...] = ()
    if with_pictures or is_other_picture:
        updated, pictures = _pictured(updated, dict(runs[0].pictures), everywhere=with_pictures)
    if content_of_test(updated) == content_of_test(test) and not pictures:
        return None
    return SuiteTestUpdate(test, updated, state_shapes(traces, suite.abstraction), pictures)


def _pictured(
    test: SuiteTest, taken: dict[int, bytes], *, everywhere: bool
) -> tuple[SuiteTest, tuple[tuple[str, bytes], ...]]:
    """The test with the names of new pictures in its expectations, and the pictures."""
    steps: list[Step] = []
    pictures: list[tuple[str, bytes]] = []
    for number, step in enumerate(test.trace.steps):
        expect = step.expect
        if expect is not None and number in taken and (everywhere or expect.picture is not None):
            name = expect.picture or f"{test.name}.{number:02}.png"
            pictures.append((name, taken[number]))
            expect = replace(expect, picture=name)
        steps.append(replace(step, expect=expect))
    return replace(test, trace=replace(test.trace, steps=tuple(steps))), tuple(pictures)


def updated_trace(recorded: Trace, runs: Sequence[Trace], abstraction: str, states: Sequence[StateShape]) -> Trace:
    """The recorded test with new expectations at the steps where its own do not hold in the runs.

    The events of the runs have healed selectors, and these replace the recorded ones.
    """
    fresh = with_expectations(runs, abstraction)
    checkers = [ExpectationChecker(abstraction, states) for _ in runs]
    steps: list[Step] = []
    for number, (old, new) in enumerate(zip(recorded.steps, fresh.steps, strict=True)):
        checks = [
            checker.check(number, run.steps[number], old.expect) for checker, run in zip(checkers, runs, strict=True)
        ]
        holds = all(check.is_fine and not check.is_moved and not check.healings for check in checks)
        event = _healed_event(old.event, runs[0].steps[number].event)
        expect = old.expect if holds else new.expect
        if expect is not None and old.expect is not None:
            expect = replace(expect, picture=old.expect.picture)
        steps.append(replace(old, event=event, expect=expect))
    return replace(recorded, steps=tuple(steps))


def _healed_event(old: Event, played: Event) -> Event:
    """The recorded event, with the selector that stood in for its own if it was healed."""
    if isinstance(old, AimedEvent) and isinstance(played, AimedEvent) and old.selector != played.selector:
        return replace(old, selector=played.selector)
    return old


def apply_updates(folder: Path, updates: Sequence[SuiteTestUpdate]) -> None:
    """Writes the updated tests, and the states that they expect into `suite.json`. Nothing else is written.

    Raises UsageError if the folder cannot be written, StoreError if the disk is full; each file stays whole.
    """
    suite = load_suite(folder).suite
    fresh = {update.after.name: update.after for update in updates}
    tests = tuple(fresh.get(test.name, test) for test in suite.tests)
    states = suite.states
    for update in updates:
        states = joined_shapes(states, update.states)
    for update in updates:
        for name, picture in update.pictures:
            write_inside(path_of_picture(folder, name), picture)
    write_suite(folder, replace(suite, tests=tests, states=states))


def lines_of(test: SuiteTest) -> list[str]:
    """The lines of a test's file."""
    return content_of_test(test).decode().splitlines()


def require_updatable(folder: Path, names: Sequence[str], suite: Suite) -> None:
    """Raises UsageError for a test that the suite lacks, and if the folder cannot be written."""
    known = {test.name for test in suite.tests}
    for name in names:
        if name not in known:
            raise UsageError(f"--update {name}: no test of {folder} has this name")
    require_writable_inside(folder)
