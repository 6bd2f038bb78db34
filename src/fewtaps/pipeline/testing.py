"""Runs the tests of a suite against a build: which of them, in which order, on how many devices, and what they showed.

A result is decided here from the runs of a test; what a single run showed is decided by `playing_tests`.
"""

from __future__ import annotations

import hashlib
import json
import logging
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from fewtaps.apk.class_digests import changed_classes, changed_files
from fewtaps.cache import cache_dir
from fewtaps.config import SuiteRunSettings
from fewtaps.device.jobs import AppFacts, InspectApp
from fewtaps.device.pool import SessionPool, open_pool
from fewtaps.device.session import Capability, coverage_reporter
from fewtaps.errors import FewtapsError, Unsupported, UsageError
from fewtaps.files import real_path, write_inside
from fewtaps.model.coverage import NO_COVERAGE, Coverage, ProbeMap, ProbeSet
from fewtaps.model.named_coverage import name_coverage
from fewtaps.model.suite import CLEAN_RUNS, Quarantine, Suite, SuiteTest
from fewtaps.model.suite_result import (
    CoverageNews,
    Reason,
    SuiteResult,
    SuiteTestResult,
    SuiteTestRun,
    SuiteTestStatus,
    SuiteTestUpdate,
)
from fewtaps.model.trace import Trace
from fewtaps.model.world import on_other_date
from fewtaps.pipeline.news import DeviceOpening, SuiteRunStarted, SuiteTestDone, Tell, ignore
from fewtaps.pipeline.opening import OnDownload, Plan, open_configured_device, open_session
from fewtaps.pipeline.passing_runs import PassingRuns, run_of_pictures
from fewtaps.pipeline.playing_tests import PlayTest
from fewtaps.pipeline.suite_app import app_of_project, device_settings, plan_suite
from fewtaps.pipeline.updating_tests import needs_update, propose_update, require_updatable
from fewtaps.suite.choosing import is_named, reaches, run_order, shard_of
from fewtaps.suite.covering import coverage_news
from fewtaps.suite.expecting import masks_everything, state_shapes, with_expectations
from fewtaps.suite.renaming import NOTHING_RENAMED, RenamedClasses, renamed_classes
from fewtaps.suitefile import load_suite, read_pictures, write_suite

log = logging.getLogger(__name__)

TRIES = 3
TESTS_AHEAD = 4
"""Tests that are begun, per device, before the first of them is answered: a long one keeps no other device waiting."""
REFERENCE_WORLDS = 3
"""Worlds in which the older build of `--against` is played at least; what differs between them is not compared."""


def run_suite(
    apk: str | None, settings: SuiteRunSettings, tell: Tell = ignore, progress: OnDownload | None = None
) -> SuiteResult:
    """Runs the suite in the settings' folder; see `fewtaps test`.

    Without an app, that of the project is taken in which the suite lies. Raises UsageError for a folder that is no
    suite, for a suite of another app, and if no test has the name that is asked for.
    """
    source = load_suite(settings.folder)
    suite = source.suite
    device = device_settings(suite, settings.device, settings.said)
    plan = plan_suite(suite, apk or app_of_project(settings.folder), device)
    older = None if settings.against is None else plan_suite(suite, settings.against, device)
    notes = [*source.notes, *_notes_on(suite)]
    if settings.updated is not None:
        require_updatable(settings.folder, settings.updated, suite)
    changed = frozenset[str]()
    if settings.changed_since is not None:
        since = plan_suite(suite, settings.changed_since, device)
        changed = changed_classes(Path(since.app.path), Path(plan.app.path))
        notes.append(f"classes that differ from {settings.changed_since}: {len(changed)}")
        others = changed_files(Path(since.app.path), Path(plan.app.path))
        if others:
            notes.append(f"files other than code that differ: {len(others)}; tests are not chosen by these")
    choice = _choose(suite, settings, changed, notes)
    for test in choice.tests:
        # A missing picture is found before a device is opened.
        read_pictures(settings.folder, test)
    with open_pool(lambda: open_session(plan, progress), size=settings.jobs, tries=TRIES) as pool:
        run = _SuiteRun(suite, settings, plan, pool, tell, choice, notes)
        if older is None:
            return run.run()
        with open_pool(lambda: open_session(older, progress), size=settings.jobs, tries=TRIES) as older_pool:
            return replace(run.run(older_pool), against=older.app.ref)


@dataclass(frozen=True, slots=True)
class _RunChoice:
    """The tests to be run, in their order, and why the others are not."""

    tests: tuple[SuiteTest, ...]
    reasons: dict[str, Reason]


def _choose(suite: Suite, settings: SuiteRunSettings, changed: frozenset[str], notes: list[str]) -> _RunChoice:
    reasons: dict[str, Reason] = {}

    def leave_out(reason: Reason, is_wanted: Callable[[SuiteTest], bool]) -> None:
        for test in suite.tests:
            if not is_wanted(test):
                reasons.setdefault(test.name, reason)

    if settings.named:
        if suite.tests and not any(is_named(test, settings.named) for test in suite.tests):
            raise UsageError(f"-k {' '.join(settings.named)}: no test of {settings.folder} has such a name")
        leave_out(Reason.NOT_NAMED, lambda test: is_named(test, settings.named))
    if settings.updated:
        leave_out(Reason.NOT_NAMED, lambda test: test.name in (settings.updated or ()))
    if settings.last_failed:
        failed = _last_failed(settings.folder)
        if failed.isdisjoint(test.name for test in suite.tests):
            notes.append("no test is known to have failed the last time, so all are run")
        else:
            leave_out(Reason.PASSED_BEFORE, lambda test: test.name in failed)
    if settings.changed_since is not None:
        leave_out(Reason.UNCHANGED_CODE, lambda test: bool(changed) and reaches(test, changed))
    if settings.shard is not None:
        # All tests are divided, whatever else is asked for: a test is always in the same shard.
        mine = shard_of(suite.tests, *settings.shard)
        leave_out(Reason.OTHER_SHARD, lambda test: test.name in mine)
        if not mine:
            number, count = settings.shard
            notes.append(f"shard {number} of {count} is empty: the suite has {len(suite.tests)} tests")
    chosen = [test for test in suite.tests if test.name not in reasons]
    return _RunChoice(tuple(run_order(chosen, changed)), reasons)


class _SuiteRun:
    """One run of a suite: the answers of the devices become results."""

    def __init__(
        self,
        suite: Suite,
        settings: SuiteRunSettings,
        plan: Plan,
        pool: SessionPool,
        tell: Tell,
        choice: _RunChoice,
        notes: list[str],
    ) -> None:
        self._suite = suite
        self._settings = settings
        self._plan = plan
        self._pool = pool
        self._tell = tell
        self._choice = choice
        self._notes = notes
        self._reasons = dict(choice.reasons)
        self._deadline: float | None = None
        self._passing = PassingRuns()
        self._renamed = NOTHING_RENAMED

    def run(self, older_pool: SessionPool | None = None) -> SuiteResult:
        """Plays the chosen tests, on the older build first if there is one."""
        tests = self._choice.tests
        if not tests:
            return self._concluded({}, None, 0.0)
        self._tell(DeviceOpening())
        facts = self._pool.ask(InspectApp())
        self._renamed = renamed_in(facts, self._suite)
        began = time.monotonic()
        if self._settings.minutes is not None:
            self._deadline = began + 60 * self._settings.minutes
        self._tell(SuiteRunStarted(len(tests), self._settings.worlds, tuple(self._notes)))
        results: dict[str, SuiteTestResult] = {}
        with closing(self._played(tests, older_pool)) as answers:
            for test, runs, reference in answers:
                result = result_of(test, self._suite, runs, reference)
                results[test.name] = result
                self._tell(SuiteTestDone(result, len(results), len(tests)))
                if self._settings.stops_at_failure and result.status.is_failure:
                    break
        for test in tests:
            if test.name not in results:
                self._reasons.setdefault(test.name, Reason.STOPPED)
        return self._concluded(results, facts, time.monotonic() - began)

    def _played(
        self, tests: Sequence[SuiteTest], older_pool: SessionPool | None
    ) -> Generator[tuple[SuiteTest, tuple[SuiteTestRun, ...], tuple[SuiteTestRun, ...]], None, None]:
        references: dict[str, tuple[SuiteTestRun, ...]] = {}

        def jobs() -> Iterator[PlayTest]:
            for test in tests:
                if self._deadline is not None and time.monotonic() >= self._deadline:
                    self._reasons.setdefault(test.name, Reason.NO_TIME)
                    continue
                job = self._job_for(test)
                if older_pool is not None:
                    references[test.name] = older_pool.ask(_reference_job(job))
                    job = _compared_with(job, references[test.name])
                drawn.append(test)
                yield job

        drawn: list[SuiteTest] = []
        hurries = self._settings.stops_at_failure or self._deadline is not None
        width = self._pool.size * (1 if hurries else TESTS_AHEAD)
        with closing(self._pool.stream(jobs(), width=width)) as answers:
            for number, runs in enumerate(answers):
                test = drawn[number]
                reference = references.get(test.name, ())
                pictured = self._pictured(self._job_for(test), runs, self._pool)
                if older_pool is not None and pictured is not runs:
                    reference = self._pictured(_reference_job(self._job_for(test)), reference, older_pool, pictured)
                if older_pool is None and self._wants_pictures:
                    reference = self._expected_run(test, runs)
                yield test, pictured, reference

    def _job_for(self, test: SuiteTest) -> PlayTest:
        return job_for(test, self._suite, self._settings, self._renamed)

    @property
    def _wants_pictures(self) -> bool:
        return Capability.SCREENSHOTS in self._plan.capabilities and self._settings.pictures

    def _expected_run(self, test: SuiteTest, runs: tuple[SuiteTestRun, ...]) -> tuple[SuiteTestRun, ...]:
        """Of a test that did not pass, a run with pictures of what is expected, if one is known.

        A test that passes is played once more for these pictures, unless they are kept already or the time is up.
        """
        status = status_of(runs)
        if not status.is_pass:
            found = self._passing.find(test) or run_of_pictures(test, read_pictures(self._settings.folder, test))
            return () if found is None else (found,)
        has_time = self._deadline is None or time.monotonic() < self._deadline
        if status is SuiteTestStatus.PASSED and has_time and not self._passing.has(test):
            job = self._job_for(test)
            job = replace(job, worlds=job.worlds[:1], keeps_execution=False, takes_pictures=True)
            self._passing.keep(test, self._pool.ask(job)[0])
        return ()

    def _pictured(
        self,
        job: PlayTest,
        runs: tuple[SuiteTestRun, ...],
        pool: SessionPool,
        beside: tuple[SuiteTestRun, ...] | None = None,
    ) -> tuple[SuiteTestRun, ...]:
        """The runs, the first that did not pass with pictures if they are wanted: it is played once more.

        With other runs `beside`, it is the run in the world of their first that did not pass.
        """
        judged = runs if beside is None else beside
        world = next((run.world for run in judged if not run.status.is_pass and run.trace), None)
        number = next((number for number, run in enumerate(runs) if run.world == world and run.trace), None)
        if not self._wants_pictures or world is None or number is None:
            return runs
        again = pool.ask(replace(job, worlds=(world,), keeps_execution=False, takes_pictures=True))[0]
        return (*runs[:number], replace(runs[number], pictures=again.pictures), *runs[number + 1 :])

    def _concluded(self, results: dict[str, SuiteTestResult], facts: AppFacts | None, seconds: float) -> SuiteResult:
        not_run = SuiteTestStatus.NOT_RUN
        everything = tuple(
            results.get(test.name) or SuiteTestResult(test, not_run, reason=self._reasons.get(test.name))
            for test in self._suite.tests
        )
        if facts is not None:
            self._notes.extend(facts.notes)
        updates = tuple(self._updates(everything))
        self._write_jacoco(everything)
        _remember_failed(self._settings.folder, everything)
        return SuiteResult(
            suite=self._suite,
            app=self._plan.app.ref,
            results=everything,
            coverage=self._coverage(everything, facts),
            notes=(*self._notes, *self._keep_rates(everything)),
            seconds=seconds,
            shard=self._settings.shard,
            has_worlds=self._plan.has_worlds,
            updates=updates,
        )

    def _updates(self, results: Sequence[SuiteTestResult]) -> Iterator[SuiteTestUpdate]:
        if self._settings.updated is None:
            return
        for result in results:
            with_pictures = self._settings.new_pictures and result.status is SuiteTestStatus.PASSED
            if not needs_update(result) and not with_pictures:
                continue
            update = propose_update(self._pool, self._suite, result, with_pictures=self._settings.new_pictures)
            if update is not None:
                yield update
            elif result.status is not SuiteTestStatus.PASSED:
                self._notes.append(f"{result.name} cannot be updated: it does not play to its end")

    def _coverage(self, results: Sequence[SuiteTestResult], facts: AppFacts | None) -> CoverageNews | None:
        if facts is None or facts.probes is None:
            return None
        covered = NO_COVERAGE
        for result in results:
            for run in result.runs:
                covered = covered | run.covered
        not_run = {result.name for result in results if result.status is SuiteTestStatus.NOT_RUN}
        return coverage_news(
            self._suite,
            name_coverage(covered, facts.probes),
            name_coverage(_all_of(facts.probes), facts.probes),
            not_run,
            [probes.name for probes in facts.probes.classes],
        )

    def _write_jacoco(self, results: Sequence[SuiteTestResult]) -> None:
        path = self._settings.jacoco
        if path is None:
            return
        executions = [run.execution for result in results for run in result.runs if run.execution is not None]
        with open_configured_device(self._plan.backend, self._plan.device) as device:
            reporter = coverage_reporter(device)
            if reporter is None:
                raise Unsupported(f"the {device.name} device has no Java code that JaCoCo could measure")
            self._notes.extend(reporter.coverage_report(self._plan.app, self._plan.session, executions, xml=path))

    def _keep_rates(self, results: Sequence[SuiteTestResult]) -> list[str]:
        """Writes the rates of flaky tests into `suite.json`, if they changed; returns notes for the user."""
        quarantine, notes = quarantine_after(self._suite, results)
        if quarantine == self._suite.quarantine:
            return notes
        if not self._settings.keeps_rates:
            return [*notes, "suite.json is left as it is: the rates of flaky tests are not written here"]
        try:
            write_suite(self._settings.folder, replace(load_suite(self._settings.folder).suite, quarantine=quarantine))
        except FewtapsError as error:
            # The verdicts are known and must not get lost.
            notes.append(f"the rates of flaky tests could not be written: {error}")
        return notes


def renamed_in(facts: AppFacts, suite: Suite) -> RenamedClasses:
    """The classes of expected crashes that a build has renamed; none where its classes are not known."""
    if facts.probes is None:
        return NOTHING_RENAMED
    return renamed_classes(suite, [probes.name for probes in facts.probes.classes])


def job_for(
    test: SuiteTest, suite: Suite, settings: SuiteRunSettings, renamed: RenamedClasses = NOTHING_RENAMED
) -> PlayTest:
    """The job that plays a test of the suite in its own world and those after it."""
    first = test.trace.world
    return PlayTest(
        test,
        suite.abstraction,
        tuple(range(first, first + settings.worlds)),
        suite.states,
        strict=settings.strict,
        keeps_execution=settings.jacoco is not None,
        expected_pictures=read_pictures(settings.folder, test),
        renamed=renamed,
    )


def result_of(
    test: SuiteTest, suite: Suite, runs: tuple[SuiteTestRun, ...], reference: tuple[SuiteTestRun, ...] = ()
) -> SuiteTestResult:
    """What became of a test by its runs; one in quarantine stays there."""
    status = status_of(runs)
    if status is not SuiteTestStatus.NOT_RUN and any(test.name == each.name for each in suite.quarantine):
        status = SuiteTestStatus.QUARANTINED
    reason = Reason.DEVICE_LOST if status is SuiteTestStatus.NOT_RUN else None
    return SuiteTestResult(test, status, runs, reference, reason)


def status_of(runs: Sequence[SuiteTestRun]) -> SuiteTestStatus:
    """What the runs of a test say together: a test that passed in some of them only is flaky."""
    known = [run.status for run in runs if run.status is not SuiteTestStatus.NOT_RUN]
    if not known:
        return SuiteTestStatus.NOT_RUN
    passed = [status.is_pass for status in known]
    if all(passed):
        return SuiteTestStatus.HEALED if SuiteTestStatus.HEALED in known else SuiteTestStatus.PASSED
    return SuiteTestStatus.FLAKY if any(passed) else known[0]


def quarantine_after(suite: Suite, results: Sequence[SuiteTestResult]) -> tuple[tuple[Quarantine, ...], list[str]]:
    """The quarantine after a run: flaky tests enter it, and tests with enough clean runs leave it; with notes."""
    entries = {each.name: each for each in suite.quarantine}
    notes: list[str] = []
    for result in results:
        known = entries.get(result.name)
        if result.status is SuiteTestStatus.FLAKY and known is None:
            known = Quarantine(result.name, 0, 0)
            notes.append(f"{result.name} is flaky and stands in quarantine from now on")
        if known is None or not result.runs or result.status is SuiteTestStatus.NOT_RUN:
            continue
        for run in result.runs:
            passed = run.status.is_pass
            known = replace(
                known, passed=known.passed + passed, runs=known.runs + 1, clean=known.clean + 1 if passed else 0
            )
        entries[result.name] = known
        if known.clean >= CLEAN_RUNS:
            del entries[result.name]
            notes.append(f"{result.name} passed {known.clean} times in a row and leaves the quarantine")
    return tuple(sorted(entries.values(), key=lambda each: each.name)), notes


def _reference_job(job: PlayTest) -> PlayTest:
    """The same events on the older build, in enough worlds and on another date, with nothing expected of them."""
    steps = tuple(replace(step, expect=None) for step in job.test.trace.steps)
    first = job.worlds[0]
    worlds = (*range(first, first + max(len(job.worlds), REFERENCE_WORLDS)), on_other_date(first))
    bare = replace(job.test, trace=replace(job.test.trace, steps=steps))
    return replace(job, test=bare, worlds=worlds, strict=False)


def _compared_with(job: PlayTest, reference: Sequence[SuiteTestRun]) -> PlayTest:
    """The job with the expectations that the runs of the older build give; only the steps that it can play are left."""
    traces: list[Trace] = [run.trace for run in reference if run.trace is not None]
    if not traces:
        return job
    expected = with_expectations(traces, job.abstraction)
    events = [step.event for step in job.test.trace.steps]
    steps = tuple(replace(step, event=event) for step, event in zip(expected.steps, events, strict=False))
    test = replace(job.test, trace=replace(expected, steps=steps, world=job.test.trace.world))
    return replace(job, test=test, states=state_shapes(traces, job.abstraction))


def _notes_on(suite: Suite) -> Iterator[str]:
    if not suite.tests:
        yield "the suite has no tests"
    for test in suite.tests:
        if masks_everything(test.trace):
            yield f"{test.name}: its masks hide every text and check mark, so that only activities and states count"


def _all_of(probes: ProbeMap) -> Coverage:
    """Everything that can be covered."""
    return Coverage(
        ProbeSet.of(probe.number for each in probes.classes for probe in each.branches),
        ProbeSet.of(probe.number for each in probes.classes for probe in each.lines),
        ProbeSet.of(probe.number for each in probes.classes for probe in each.methods),
    )


def _last_failed_file(folder: Path) -> Path:
    name = hashlib.blake2b(str(real_path(folder)).encode(errors="surrogateescape"), digest_size=12).hexdigest()
    return cache_dir() / "suites" / f"{name}.json"


def _last_failed(folder: Path) -> frozenset[str]:
    """The names of the tests that failed in the last run of this suite on this machine."""
    try:
        names = json.loads(_last_failed_file(folder).read_bytes())
    except (OSError, ValueError, RecursionError):
        return frozenset()
    known: list[object] = names if isinstance(names, list) else []
    return frozenset(name for name in known if isinstance(name, str))


def _remember_failed(folder: Path, results: Sequence[SuiteTestResult]) -> None:
    """Keeps the names of the tests that failed; those that were not run this time stay what they were."""
    before = _last_failed(folder)
    failed = {
        result.name
        for result in results
        if result.status.is_failure or result.status is SuiteTestStatus.NOT_RUN and result.name in before
    }
    try:
        path = _last_failed_file(folder)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_inside(path, json.dumps(sorted(failed)).encode())
    except (FewtapsError, OSError) as error:
        log.info("the names of failed tests cannot be kept: %s", error)
