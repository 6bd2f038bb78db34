"""The suite at the end of a run: made of all that the project holds, added to when there is more, not made twice."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fewtaps.config import ExploreSettings, SuiteSettings
from fewtaps.errors import FewtapsError, StoreError
from fewtaps.files import read_inside, write_inside
from fewtaps.pipeline.cases import Case
from fewtaps.pipeline.news import Tell
from fewtaps.pipeline.opening import OnDownload, Plan
from fewtaps.pipeline.suite_inputs import SuiteSources
from fewtaps.pipeline.suites import MadeSuite, make_suite
from fewtaps.store.database import Store
from fewtaps.suitefile import INDEX, SUITE, load_suite

EVENTS_SHARE = 2
"""Events that may be played for the suite, per event that was explored. One world needs about 1, ten need up to 2."""
MARK = "suite-made.json"
"""The file in the project that says from what the suite was made."""


@dataclass(frozen=True, slots=True)
class SuiteOfRun:
    """The suite that a run ends with, and `made`, how it came about; None if it was there and is made of all there is.

    `events` counts the steps of all tests after their launches. `reason` says why there is no suite, or no newer one.
    """

    folder: Path
    tests: int = 0
    events: int = 0
    made: MadeSuite | None = None
    reason: str = ""

    @property
    def is_there(self) -> bool:
        """Whether there is a suite with tests in the folder."""
        return self.tests > 0


class RunSuites:
    """Makes the suite of one project, and remembers from what."""

    def __init__(self, plan: Plan, settings: ExploreSettings, store: Store) -> None:
        self._plan = plan
        self._settings = settings
        self._store = store
        self._folder = settings.folder / SUITE

    def is_made(self, cases: tuple[Case, ...]) -> bool:
        """Whether the suite in the folder is made of everything that is in the store now."""
        if not (self._folder / INDEX).is_file():
            return False
        try:
            return bool(json.loads(read_inside(self._settings.folder / MARK)) == self._mark(cases))
        except (OSError, ValueError, RecursionError):
            return False

    def found(self, reason: str = "") -> SuiteOfRun:
        """The suite that is in the folder; none if it cannot be read."""
        try:
            suite = load_suite(self._folder).suite if (self._folder / INDEX).is_file() else None
        except FewtapsError as error:
            return SuiteOfRun(self._folder, reason=reason or str(error))
        if suite is None:
            return SuiteOfRun(self._folder, reason=reason)
        events = sum(len(test.trace.steps) - 1 for test in suite.tests)
        return SuiteOfRun(self._folder, len(suite.tests), events, reason=reason)

    def make(self, cases: tuple[Case, ...], until: float, tell: Tell, progress: OnDownload | None = None) -> SuiteOfRun:
        """Makes the suite, or adds to the one that is there; ends at `until`, a time of `time.monotonic`.

        Events are limited by those that were explored. If it cannot be made, the reason is in the answer; a full disk
        is raised as StoreError.
        """
        if self._plan.session.coverage == "off":
            return self.found("coverage is off")
        if not self._plan.has_worlds:
            return self.found("this device cannot repeat a run exactly")
        events = self._store.runs.totals().events
        if not events:
            return self.found("nothing was explored")
        try:
            made = make_suite(
                SuiteSources(None, (self._settings.folder,), ()),
                self._suite_settings(events),
                tell,
                progress,
                plan=self._plan,
                until=until,
            )
            if made.reduced.is_whole:
                write_inside(self._settings.folder / MARK, json.dumps(self._mark(cases)).encode() + b"\n")
        except FewtapsError as error:
            if isinstance(error, StoreError) and error.no_room:
                raise
            return self.found(str(error))
        return SuiteOfRun(self._folder, made.after.restarts, made.after.transitions, made)

    def _suite_settings(self, events: int) -> SuiteSettings:
        is_there = (self._folder / INDEX).is_file()
        usual = SuiteSettings(self._settings.folder, self._folder)
        return SuiteSettings(
            folder=self._settings.folder,
            output=self._folder,
            device=self._plan.device,
            abstraction=load_suite(self._folder).suite.abstraction if is_there else usual.abstraction,
            jobs=self._settings.jobs or 1,
            onto=is_there,
            events=events * EVENTS_SHARE,
        )

    def _mark(self, cases: tuple[Case, ...]) -> dict[str, Any]:
        """All that decides what a suite is made from."""
        app = self._plan.app
        totals = self._store.runs.totals()
        return {
            "fewtaps": "suite-made",
            "app": [app.package, app.version, app.digest],
            "episodes": totals.episodes,
            "events": totals.events,
            "crashes": sorted([case.row.fingerprint, case.trace.events_digest] for case in cases),
        }
