"""What the twin tells of a step beside its screen: all that ran in it, and whether the world was asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from integration.conftest import OpenSample
from integration.test_determinism import explore

from fewtaps.device.session import DEFAULT_SETTINGS
from fewtaps.device.twin.device import TwinDevice, TwinSession
from fewtaps.model.app import App, AppRef
from fewtaps.model.coverage import NO_COVERAGE, Coverage
from fewtaps.model.event import Event
from fewtaps.model.named_coverage import name_coverage
from fewtaps.model.trace import Step, Trace
from fewtaps.tracefile import trace_to_bytes

pytestmark = pytest.mark.jvm

ALL_THAT_RAN = replace(DEFAULT_SETTINGS, step_coverage=True)
WORLDS = range(10)
RUNS = 3
"""Random runs of each sample, of forty events."""


def played(session: TwinSession, events: list[Event], world: int) -> list[Step]:
    steps = [session.launch(world)]
    for event in events:
        if steps[-1].ending.is_final:
            break
        steps.append(session.perform(event))
    return steps


def united(parts: list[Coverage]) -> Coverage:
    whole = NO_COVERAGE
    for part in parts:
        whole = whole | part
    return whole


def written(steps: list[Step]) -> bytes:
    return trace_to_bytes(Trace(AppRef("app"), tuple(steps), 0))


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", ["notes", "feed", "tipsplit"])
def test_what_is_new_and_what_was_executed_is_the_same_whether_or_not_steps_tell_all_that_ran(
    open_sample: OpenSample, name: str
) -> None:
    session = open_sample(name)
    events, plain = explore(session, 1)
    assert not any(step.ran for step in plain)
    executed = session.execution_data()
    session = open_sample(name, ALL_THAT_RAN)
    steps = played(session, events, 3)
    assert written([replace(step, ran=NO_COVERAGE) for step in steps]) == written(plain)
    assert session.execution_data() == executed
    assert all(step.covered <= step.ran for step in steps)
    assert united([step.ran for step in steps]) == united([step.covered for step in steps])
    assert any(step.ran and not step.covered for step in steps), "a step ran only what had run before"
    again = played(session, events, 3)
    assert [step.ran for step in again] == [step.ran for step in steps]


def test_the_report_of_a_run_is_the_same_with_all_that_ran(
    open_sample: OpenSample, twin: TwinDevice, sample: Callable[[str], App], tmp_path: Path
) -> None:
    session = open_sample("tipsplit")
    events, _ = explore(session, 2)
    plain = session.execution_data()
    session = open_sample("tipsplit", ALL_THAT_RAN)
    played(session, events, 3)
    with_all = session.execution_data()
    for file, data in (("plain.xml", plain), ("all.xml", with_all)):
        twin.coverage_report(sample("tipsplit"), DEFAULT_SETTINGS, [data], xml=tmp_path / file)
    assert (tmp_path / "plain.xml").read_bytes() == (tmp_path / "all.xml").read_bytes()


@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("name", "least"), [("tipsplit", 30), ("calc", 30), ("wizard", 30), ("notes", 30), ("shop", 0)]
)
def test_a_run_that_never_asked_is_the_same_in_ten_worlds(open_sample: OpenSample, name: str, least: int) -> None:
    """`least` events of the runs are played before the world is asked, also where text fields are shown."""
    session = open_sample(name, ALL_THAT_RAN)
    proven = 0
    for seed in range(RUNS):
        events, steps = explore(session, seed)
        unasked = [step for step in steps if not step.asked_world]
        if not unasked:
            continue
        proven += len(unasked) - 1
        known = events[: len(unasked) - 1]
        first = written(played(session, known, WORLDS[0]))
        for world in WORLDS[1:]:
            seen = played(session, known, world)
            assert [step.asked_world for step in seen] == [False] * len(seen)
            assert written(seen) == first, f"{name}: run {seed} differs in world {world}"
    assert proven >= least


@pytest.mark.parametrize("name", ["feed", "timer", "orders"])
def test_an_app_with_background_work_asks_the_world(open_sample: OpenSample, name: str) -> None:
    session = open_sample(name)
    runs = [explore(session, seed)[1] for seed in range(RUNS)]
    assert any(steps[-1].asked_world for steps in runs)
    for steps in runs:
        asked = [bool(step.asked_world) for step in steps]
        assert asked == sorted(asked), "once asked, always asked"
        assert None not in {step.asked_world for step in steps}


def test_every_branch_of_an_app_is_named_by_its_method(open_sample: OpenSample) -> None:
    session = open_sample("tipsplit", ALL_THAT_RAN)
    probes = session.probe_map()
    for each in probes.classes:
        methods = {method.number for method in each.methods}
        assert {branch.method for branch in each.branches} <= methods
    _, steps = explore(session, 1)
    covered = united([step.covered for step in steps])
    named = name_coverage(covered, probes)
    assert len(named.branches) == len(covered.branches) > 0
    assert len(named.methods) == len(covered.methods) > 0
    assert {(name, method) for name, method, _ in named.branches} <= named.methods
