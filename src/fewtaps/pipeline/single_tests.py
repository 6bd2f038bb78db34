"""Runs single tests of a suite on one device, for test runners that choose the tests and their order themselves."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from fewtaps.config import SuiteRunSettings
from fewtaps.device.jobs import InspectApp
from fewtaps.device.pool import SessionPool, open_pool
from fewtaps.errors import UsageError
from fewtaps.model.suite import Suite, SuiteTest
from fewtaps.model.suite_result import SuiteTestResult
from fewtaps.pipeline.opening import open_session
from fewtaps.pipeline.suite_app import app_of_project, device_settings, plan_suite
from fewtaps.pipeline.testing import TRIES, job_for, renamed_in, result_of
from fewtaps.report.suite_junit import result_details
from fewtaps.report.suite_words import result_words
from fewtaps.suite.renaming import RenamedClasses
from fewtaps.suitefile import read_suite as read_suite


@dataclass(slots=True)
class SuiteRunner:
    """A suite and the device that its tests are run on."""

    suite: Suite
    settings: SuiteRunSettings
    pool: SessionPool
    _renamed: RenamedClasses | None = field(default=None, init=False)

    def run(self, test: SuiteTest) -> SuiteTestResult:
        """Plays a test in its worlds."""
        if self._renamed is None:
            self._renamed = renamed_in(self.pool.ask(InspectApp()), self.suite)
        return result_of(test, self.suite, self.pool.ask(job_for(test, self.suite, self.settings, self._renamed)))


@contextmanager
def open_suite_runner(apk: str | None, suite: Suite, settings: SuiteRunSettings) -> Iterator[SuiteRunner]:
    """Plans the app, and opens a device with the first test. Raises UsageError for a suite of another app."""
    device = device_settings(suite, settings.device, settings.said)
    plan = plan_suite(suite, apk or app_of_project(settings.folder), device)
    with open_pool(lambda: open_session(plan), size=1, tries=TRIES) as pool:
        yield SuiteRunner(suite, settings, pool)


def has_app(settings: SuiteRunSettings) -> bool:
    """Whether the suite lies in a project, whose app its tests can be run on."""
    try:
        return bool(app_of_project(settings.folder))
    except UsageError:
        return False


def reason_of(result: SuiteTestResult) -> str:
    """Why a test did not pass, or what was healed, in one line."""
    return result_words(result)


def details_of(result: SuiteTestResult) -> str:
    """Why a test did not pass: its steps, what was expected and seen, and the stack of a crash."""
    return result_words(result) if result.shown is None else result_details(result, result.shown)
