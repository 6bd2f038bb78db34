"""Suites made on the samples, run on them and on their changed builds: regressions are found, and nothing else is."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext

import pytest
from samples.changes import Change, of_kind, read_changes

from fewtaps.apk.reader import read_apk
from fewtaps.device.jobs import JobContext
from fewtaps.device.pool import SessionPool
from fewtaps.device.twin.device import TwinDevice
from fewtaps.model.app import App
from fewtaps.model.suite_result import SuiteTestRun, SuiteTestStatus
from fewtaps.pipeline.playing_tests import PlayTest
from fewtaps.pipeline.recording_tests import RecordedTest, record_test
from fewtaps.tracefile import read_trace

pytestmark = [pytest.mark.jvm, pytest.mark.slow]

REGRESSIONS, HARMLESS = of_kind("regression"), of_kind("harmless")

Record = Callable[[Change], RecordedTest]


@pytest.fixture(scope="module")
def recorded(twin: TwinDevice, sample: Callable[[str], App]) -> Record:
    """Makes a test of a change's steps on the build before the change; each is made once."""
    known: dict[str, RecordedTest] = {}

    def record(change: Change) -> RecordedTest:
        if change.name not in known:
            with twin.open(sample(change.base)) as session:
                pool = SessionPool(lambda: nullcontext(session))
                known[change.name] = record_test(pool, read_trace(change.steps), "actionable", name=change.name)
        return known[change.name]

    return record


def run_on(twin: TwinDevice, app: App, made: RecordedTest, *, strict: bool = False) -> SuiteTestRun:
    job = PlayTest(made.test, "actionable", (made.test.trace.world,), made.states, strict=strict)
    with twin.open(app) as session:
        return job.run(session, JobContext())[0]


@pytest.mark.parametrize("change", read_changes(), ids=lambda change: change.name)
def test_a_test_passes_strictly_on_the_build_it_was_made_on(
    twin: TwinDevice, sample: Callable[[str], App], recorded: Record, change: Change
) -> None:
    assert run_on(twin, sample(change.base), recorded(change), strict=True).status is SuiteTestStatus.PASSED


@pytest.mark.parametrize("change", REGRESSIONS, ids=lambda change: change.name)
def test_a_regression_is_found_at_its_step(twin: TwinDevice, recorded: Record, change: Change) -> None:
    run = run_on(twin, read_apk(change.apk), recorded(change))
    assert run.status is (SuiteTestStatus.CRASHED if change.crash else SuiteTestStatus.FAILED)
    assert run.step == change.step


@pytest.mark.parametrize("change", HARMLESS, ids=lambda change: change.name)
def test_a_harmless_change_passes_and_only_lost_ids_are_healed(
    twin: TwinDevice, recorded: Record, change: Change
) -> None:
    run = run_on(twin, read_apk(change.apk), recorded(change))
    assert run.status.is_pass
    assert tuple(each.step for each in run.healings if each.is_target) == change.healed
    for healing in run.healings:
        assert healing.old.class_name == healing.new.class_name
        assert healing.old.path == healing.new.path
        assert healing.old.description == healing.new.description
