"""Tests of suites as items of pytest: one file for each test, one device for all tests of a suite."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from fewtaps.config import DeviceSettings, SuiteRunSettings
from fewtaps.errors import FewtapsError
from fewtaps.model.ci_commands import without_commands
from fewtaps.model.suite import Suite, SuiteTest
from fewtaps.model.suite_result import SuiteTestResult, SuiteTestStatus
from fewtaps.pipeline.single_tests import (
    SuiteRunner,
    details_of,
    has_app,
    open_suite_runner,
    read_suite,
    reason_of,
)

NO_APP = "name the app with --fewtaps-apk, or as fewtaps_apk in pytest's settings"


class SuiteWarning(pytest.PytestWarning):
    """A test passed with a healed selector."""


class TestDidNotPass(Exception):
    """A test failed, broke or crashed, or could not be run."""

    __test__ = False

    def __init__(self, result: SuiteTestResult) -> None:
        super().__init__(without_commands(f"{result.status.value}: {reason_of(result)}"))
        self.result = result


class Suites:
    """The suites of one run of pytest: each is read once, and the one in use has a device."""

    def __init__(self, config: pytest.Config) -> None:
        self._apk: str | None = config.getoption("--fewtaps-apk") or config.getini("fewtaps_apk") or None
        self._worlds: int = config.getoption("--fewtaps-worlds")
        self._strict: bool = config.getoption("--fewtaps-strict")
        self._jail = not config.getoption("--fewtaps-no-jail")
        self._suites: dict[Path, Suite] = {}
        self._runner: tuple[Path, SuiteRunner] | None = None
        self._open = ExitStack()
        config.add_cleanup(self._open.close)

    def test(self, path: Path) -> SuiteTest:
        """The test in a file of a suite. Raises UsageError for a suite that cannot be read."""
        suite = self._suite(path.parent)
        return next(test for test in suite.tests if test.name == path.name.removesuffix(path.suffix))

    def can_run(self, folder: Path) -> bool:
        """Whether it is known which app the tests are run on."""
        return self._apk is not None or has_app(self._settings(folder))

    def run(self, folder: Path, test: SuiteTest) -> SuiteTestResult:
        """Runs a test on the device of its suite, which is opened if another suite had one."""
        if self._runner is None or self._runner[0] != folder:
            self._runner = None
            self._open.close()
            runner = self._open.enter_context(open_suite_runner(self._apk, self._suite(folder), self._settings(folder)))
            self._runner = folder, runner
        return self._runner[1].run(test)

    def _suite(self, folder: Path) -> Suite:
        if folder not in self._suites:
            self._suites[folder] = read_suite(folder)
        return self._suites[folder]

    def _settings(self, folder: Path) -> SuiteRunSettings:
        device = DeviceSettings(jail=self._jail)
        return SuiteRunSettings(folder, device, worlds=self._worlds, strict=self._strict)


_SUITES = pytest.StashKey[Suites]()


def suites_of(config: pytest.Config) -> Suites:
    """The suites of this run of pytest."""
    if _SUITES not in config.stash:
        config.stash[_SUITES] = Suites(config)
    return config.stash[_SUITES]


class SuiteTestFile(pytest.File):
    """The trace file of a suite's test, which pytest collects as a file with one item."""

    def collect(self) -> Iterator[SuiteTestItem]:
        """The test, as the only item of its file."""
        try:
            test = suites_of(self.config).test(self.path)
        except FewtapsError as error:
            raise self.CollectError(str(error)) from None
        yield SuiteTestItem.from_parent(self, name=test.name, test=test)


class SuiteTestItem(pytest.Item):
    """A suite's test as pytest runs it: its status becomes a pass, a warning, an expected failure or a failure."""

    def __init__(self, *, test: SuiteTest, **more: Any) -> None:
        super().__init__(**more)
        self._test = test

    def runtest(self) -> None:
        """Plays the test; flaky ones and those in quarantine do not fail, as for `fewtaps test`."""
        suites = suites_of(self.config)
        if not suites.can_run(self.path.parent):
            pytest.skip(NO_APP)
        result = suites.run(self.path.parent, self._test)
        self.user_properties.append(("fewtaps_status", result.status.value))
        match result.status:
            case SuiteTestStatus.HEALED:
                self.warn(SuiteWarning(f"{self.name}: healed: {without_commands(reason_of(result))}"))
            case SuiteTestStatus.FLAKY | SuiteTestStatus.QUARANTINED:
                if result.reproduction.met < result.reproduction.runs:
                    pytest.xfail(without_commands(f"{result.status.value}: {reason_of(result)}"))
            case SuiteTestStatus.PASSED:
                pass
            case _:
                raise TestDidNotPass(result)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """A failure as text without a traceback: the frames are those of Fewtaps, not of the app."""
        error = excinfo.value
        if isinstance(error, TestDidNotPass):
            return without_commands(f"{error}\n\n{details_of(error.result)}")
        if isinstance(error, FewtapsError):
            return without_commands(f"fewtaps: {error}")
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        """The place and the name for reports."""
        return self.path, None, self.name
