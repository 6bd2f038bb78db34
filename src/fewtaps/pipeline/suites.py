"""Makes a suite: reduces traces, records what is left with expectations, and writes it to disk."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from fewtaps.budget import Budget, CutOff
from fewtaps.config import SuiteSettings
from fewtaps.device.jobs import InspectApp
from fewtaps.device.pool import SessionPool
from fewtaps.device.session import unusual
from fewtaps.errors import NotReproduced, UsageError
from fewtaps.model.coverage import Coverage, ProbeMap
from fewtaps.model.event import Event, Launch, describe, printable
from fewtaps.model.named_coverage import name_coverage
from fewtaps.model.phone import Differences
from fewtaps.model.suite import CoverageKind, NamedCoverage, Suite, SuiteTest
from fewtaps.model.suite_result import SuiteTestStatus
from fewtaps.model.trace import Aim, Step, Trace
from fewtaps.pipeline.cases import Case, read_cases
from fewtaps.pipeline.news import DeviceOpening, SuiteAdvanced, SuiteStarted, Tell, TestRecorded, TestRefused, ignore
from fewtaps.pipeline.opening import OnDownload, Plan, plan_app
from fewtaps.pipeline.plan_pools import open_plan_pool
from fewtaps.pipeline.playing_tests import PlayTest
from fewtaps.pipeline.recording_tests import RecordedTest, joined_shapes, record_tests
from fewtaps.pipeline.suite_app import settings_to_keep
from fewtaps.pipeline.suite_inputs import (
    ProjectTraces,
    SuiteSources,
    app_of,
    find_project_traces,
    iter_project_traces,
    read_traces,
)
from fewtaps.pipeline.suite_player import JOURNAL, SuiteJournal, SuitePlayer
from fewtaps.store.database import open_store
from fewtaps.suite.naming import name_test
from fewtaps.suite.observing import Observer
from fewtaps.suite.paper import PaperReduction
from fewtaps.suite.reduction import (
    InputDeviation,
    ReducedRun,
    ReducedSuite,
    SuiteProgress,
    SuiteReduction,
    SuiteRules,
    joined,
)
from fewtaps.suite.runs import MISSED, Cost, RunRequest, SuiteRun, cost_of, coverage_of
from fewtaps.suitefile import INDEX, load_suite, require_suite_folder, write_suite

log = logging.getLogger(__name__)

SETTLE_SHARE = 0.5
"""Share of the limits after which no more candidates are played: the rest is for the other worlds."""
STOP_SHARE = 0.8
"""Share of the limits after which the reduction ends: the rest is for the recording of the tests."""
MOST_LATE_SECONDS = 1.0
"""Seconds after the end of the time in which a device may still answer."""
MOST_VERIFICATIONS = 5
"""Times that tests which do not pass are replaced by others, before they are cut."""
MOST_CUTS = 5
"""Times that tests which do not pass are cut before the step at which they fail, before they are left out."""
RECORDED_AT_ONCE = 4
"""Tests that are recorded at the same time; between them the time is asked for."""
DEVICE_SETTINGS = ("profile", "api", "permissions", "neighbours", "content", "phone", "network")
"""The settings of a device that those of the project's newest exploration decide, unless others are asked for."""
ONE_STATE_TO_TELL = 50
"""Transitions of all traces from which on it is told that the abstraction seems unfit."""


@dataclass(frozen=True, slots=True)
class MadeSuite:
    """A suite that was written to `folder`, and how it came about.

    `before` is the cost of the traces; the costs after each phase are in `reduced`. `seconds` is the time of one run of
    the suite, `seconds_before` an estimate for the traces, `seconds_spent` all time that was needed. `kept`, `added`,
    `needless` and `broken` are names of tests: the last two stand in the suite that was added to, cover nothing that
    others do not cover, or do not replay any more. `flaky_crashes` and `lost_crashes` are signatures. `failures` says
    of each test that did not pass after it was recorded why it was left out. `phase_traces` are the events of the suite
    after each phase, by the name of the phase.
    """

    suite: Suite
    folder: Path
    before: Cost
    reduced: ReducedSuite
    launch_cost: int
    seconds: float
    seconds_before: float
    seconds_spent: float
    counts: dict[str, int]
    flaky_counts: dict[str, int]
    lost_counts: dict[str, int]
    kept: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    needless: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    flaky_crashes: tuple[str, ...] = ()
    lost_crashes: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    phase_traces: tuple[tuple[str, tuple[Trace, ...]], ...] = ()

    @property
    def after(self) -> Cost:
        """The cost of the suite."""
        return Cost(sum(len(test.trace.steps) - 1 for test in self.suite.tests), len(self.suite.tests))


def make_suite(
    sources: SuiteSources,
    settings: SuiteSettings,
    tell: Tell = ignore,
    progress: OnDownload | None = None,
    *,
    plan: Plan | None = None,
    until: float | None = None,
) -> MadeSuite:
    """Makes a suite of what the sources name; see `fewtaps suite`.

    A `plan` is used if the app was read already. `until` is a time of `time.monotonic` at which the work ends, the
    start of the devices included.

    Raises UsageError if there is nothing to make it from, or a suite is there already; NotReproduced if nothing
    replays.
    """
    older = _older_suite(settings)
    device = settings.device
    traces, notes = read_traces(sources.traces, device.profile)
    explored = _explored(sources, device.profile)
    prelude = explored.prelude if explored is not None else ()
    if plan is None:
        if explored is not None and explored.device is not None:
            kept = {name: getattr(explored.device, name) for name in DEVICE_SETTINGS if name not in settings.said}
            device = replace(device, **kept)
        if device.profile is None:
            named = explored.profile if explored is not None else traces[0].profile if traces else None
            device = replace(device, profile=named if named != "default" else None)
        plan = plan_app(app_of(sources), device)
    plan = replace(plan, session=replace(plan.session, step_coverage=plan.session.coverage != "off"))
    _require_package(traces, plan)
    if older is not None and older.app.package != plan.app.package:
        raise UsageError(
            f"--onto {settings.output}: the suite is for {printable(older.app.package, 200)},"
            f" the app is {printable(plan.app.package, 200)}"
        )
    require_suite_folder(settings.output)
    settings.folder.mkdir(parents=True, exist_ok=True)
    tell(DeviceOpening())
    cut_off = CutOff()
    if until is not None:
        cut_off.set(until + MOST_LATE_SECONDS)
    with open_plan_pool(plan, size=settings.jobs, progress=progress, is_ongoing=True, cut_off=cut_off) as pool:
        maker = _SuiteMaker(settings, plan, pool, tell, prelude, notes, until)
        return maker.make(sources, traces, older)


def _older_suite(settings: SuiteSettings) -> Suite | None:
    if not (settings.output / INDEX).exists():
        if settings.onto:
            raise UsageError(f"--onto {settings.output}: there is no suite ({INDEX} is missing)")
        return None
    if not settings.onto:
        raise UsageError(
            f"{settings.output}: a suite is there already; --onto {settings.output} adds to it,"
            " -o DIR writes another one"
        )
    suite = load_suite(settings.output).suite
    if suite.abstraction != settings.abstraction:
        raise UsageError(
            f"--onto {settings.output}: the suite was made with --abstraction {suite.abstraction},"
            f" not {settings.abstraction}"
        )
    return suite


def _explored(sources: SuiteSources, profile: str | None) -> ProjectTraces | None:
    for project in sources.projects:
        with open_store(project) as store:
            found = find_project_traces(store, profile)
        if found is not None:
            return found
    return None


def _require_package(traces: Sequence[Trace], plan: Plan) -> None:
    for trace in traces:
        if trace.app.package and trace.app.package != plan.app.package:
            raise UsageError(
                f"a trace is of {printable(trace.app.package, 200)}, the app is {printable(plan.app.package, 200)}"
            )


class _SuiteMaker:
    """The making of one suite, on an open pool."""

    def __init__(
        self,
        settings: SuiteSettings,
        plan: Plan,
        pool: SessionPool,
        tell: Tell,
        prelude: tuple[Event, ...],
        notes: list[str],
        until: float | None = None,
    ) -> None:
        self._settings = settings
        self._plan = plan
        self._pool = pool
        self._tell = tell
        self._notes = notes
        self._began = time.monotonic()
        self._probes = pool.ask(InspectApp()).probes if plan.session.coverage != "off" else None
        kinds = self._kinds()
        self._observer = Observer(kinds, settings.abstraction, self._probes, prelude)
        phone = plan.session.phone
        self._phones: dict[Differences, _OnPhone] = {phone: _OnPhone(phone)}
        if until is not None:
            # Without a moment left, the limit is reached at once.
            left = max(0.001, until - time.monotonic())
            self._settings = replace(settings, seconds=min(left, settings.seconds or left))
        self._failures: list[str] = []

    def _kinds(self) -> tuple[CoverageKind, ...]:
        """What is kept, without kinds of code that are not measured. Raises UsageError if nothing is left."""
        kinds = tuple(CoverageKind(name) for name in dict.fromkeys(self._settings.cover))
        probes = self._probes if self._probes is not None else ProbeMap()
        counts = {
            CoverageKind.BRANCHES: probes.totals.branches,
            CoverageKind.LINES: probes.totals.lines,
            CoverageKind.METHODS: probes.totals.methods,
        }
        missing = [kind for kind in kinds if counts.get(kind) == 0]
        left = tuple(kind for kind in kinds if kind not in missing)
        lacks = "the app has no line numbers" if missing == [CoverageKind.LINES] else "the app has none"
        why = "coverage is off" if self._probes is None else lacks
        names = ", ".join(kind.value for kind in missing)
        if not left:
            raise UsageError(f"--cover {names}: nothing can be kept, because {why}")
        if missing:
            self._notes.append(f"no {names} are kept, because {why}")
        return left

    def make(self, sources: SuiteSources, traces: Sequence[Trace], older: Suite | None) -> MadeSuite:
        """Reads, reduces, records and writes."""
        self._read(sources, traces)
        recorded, requests = self._recorded, self._requests
        if not recorded and not requests and older is None:
            raise UsageError(
                "there is nothing to make a suite from: explore the app first (fewtaps explore APK), or name traces"
            )
        before = cost_of(recorded)
        before = Cost(
            before.transitions + sum(len(request.actions) for request in requests),
            before.restarts + len(requests),
        )
        self._note_abstraction()
        self._tell(SuiteStarted(before.restarts, before.transitions, tuple(self._notes)))
        settings = self._settings
        budget = Budget(seconds=settings.seconds, runs=settings.runs, events=settings.events)
        with closing(SuiteJournal(settings.folder / JOURNAL, self._question())) as journal:
            launch_cost = self._launch_cost(self._player(journal, budget, self._plan.session.phone))
            return self._make(journal, budget, launch_cost, before, older)

    def _player(self, journal: SuiteJournal, budget: Budget, phone: Differences) -> SuitePlayer:
        other = phone if phone != self._plan.session.phone else None
        return SuitePlayer(self._pool, self._observer, journal, budget, self._tell, other)

    @property
    def _recorded(self) -> list[SuiteRun]:
        return [run for each in self._phones.values() for run in each.recorded]

    @property
    def _requests(self) -> list[RunRequest]:
        return [request for each in self._phones.values() for request in each.requests]

    def _on(self, phone: Differences) -> _OnPhone:
        """What is known of a phone: nothing at first."""
        return self._phones.setdefault(phone, _OnPhone(phone))

    def _question(self) -> dict[str, object]:
        session = {
            name: str(value)
            for name, value in sorted(asdict(self._plan.session).items())
            if name != "world" and (name, value) != ("names", None)
        }
        return {
            "app": [self._plan.app.package, self._plan.app.version, self._plan.app.digest],
            "device": self._plan.backend,
            "session": session,
            "abstraction": self._settings.abstraction,
        }

    def _read(self, sources: SuiteSources, traces: Sequence[Trace]) -> None:
        for project in sources.projects:
            with open_store(project) as store:
                found = find_project_traces(store, self._plan.session.profile.name)
                if found is None:
                    continue
                if found.app.package != self._plan.app.package:
                    raise UsageError(
                        f"{project}: was explored with {printable(found.app.package, 200)},"
                        f" the app is {printable(self._plan.app.package, 200)}"
                    )
                self._notes.extend(found.notes)
                others = 0
                for trace in iter_project_traces(store, found):
                    self._add(trace)
                    others += trace.phone != self._plan.session.phone
                for case in read_cases(store, self._plan.app.ref):
                    self._add_reduced(case)
                if others:
                    are = "1 trace is" if others == 1 else f"{others} traces are"
                    self._notes.append(f"{are} on other phones; what only those cover gets tests on such phones")
        for trace in traces:
            self._add(trace)

    def _add(self, trace: Trace) -> None:
        """Takes a trace with the coverage it recorded; one of another build or without coverage has to be played."""
        run = self._observer.run_of(trace)
        is_measured = trace.app.digest == self._plan.app.digest and bool(trace.coverage or self._probes is None)
        if not is_measured:
            events = trace.events[1:]
            if self._observer.begins_with_prelude(events):
                events = events[len(self._observer.prelude) :]
            actions = tuple(map(self._observer.action_of, events))
            self._on(trace.phone).requests.append(RunRequest(trace.world, actions))
        elif run.steps:
            self._on(trace.phone).recorded.append(run)

    def _add_reduced(self, case: Case) -> None:
        """Takes the reduced steps to a crash: they are known to replay, and shorter than what was explored."""
        begin = len(self._observer.prelude)
        fits = self._observer.begins_with_prelude(case.trace.events[1:])
        if case.is_begun and fits and case.aim is Aim.SELECTOR and not case.is_suspect and not case.is_flaky:
            actions = tuple(map(self._observer.action_of, case.trace.events[1 + begin :]))
            self._on(case.trace.phone).requests.append(RunRequest(case.trace.world, actions))

    def _note_abstraction(self) -> None:
        states = {step.state for run in self._recorded for step in run.steps}
        transitions = sum(run.transitions for run in self._recorded)
        if transitions >= ONE_STATE_TO_TELL and len(states) == 1:
            self._notes.append(
                f"all screens are one state under --abstraction {self._settings.abstraction}; a finer one may replay"
                " more often"
            )
        if transitions >= ONE_STATE_TO_TELL and len(states) > 0.9 * transitions:
            self._notes.append(
                f"nearly every step leads to a new state under --abstraction {self._settings.abstraction}; a coarser"
                " one leaves more out"
            )

    def _launch_cost(self, player: SuitePlayer) -> int:
        if self._settings.launch_cost is not None:
            return self._settings.launch_cost
        longest = max(
            [(len(run.actions), run.actions, run.world) for run in self._recorded]
            + [(len(request.actions), request.actions, request.world) for request in self._requests],
            default=(0, (), 0),
        )
        events = self._observer.events_of(longest[1])[len(self._observer.prelude) :]
        return player.measure_launch_cost(events, longest[2])

    def _make(
        self, journal: SuiteJournal, budget: Budget, launch_cost: int, before: Cost, older: Suite | None
    ) -> MadeSuite:
        order = PaperReduction if self._settings.as_paper else SuiteReduction
        for test in older.tests if older is not None else ():
            self._on(test.trace.phone).standing.append(test)
        standing = _Standing()
        parts: list[_Part] = []
        for each in self._phones.values():
            player = self._player(journal, budget, each.phone)
            reduction = order(each.recorded, player, self._rules(player, budget, launch_cost))
            reduction.observe(each.requests)
            standing = self._stand(reduction, each.standing, standing)
            parts.append(_Part(each.phone, reduction))
        # Steps on different phones cannot be joined: each phone is reduced alone, for what those before it lack.
        covered = standing.covered
        for part in parts:
            part.reduction.leave_out(covered)
            if part is parts[0] or part.reduction.target:
                part.reduced = part.reduction.reduce()
                covered |= coverage_of([each.run for each in part.reduced.runs])
            else:
                part.reduced = part.reduction.result((), None, is_whole=True)
        whole = joined([part.reduced for part in parts])
        if not whole.runs and not standing.kept:
            raise NotReproduced(self._why_nothing(whole))
        for part in parts:
            self._verify(part, budget, sum(len(each.tests) for each in parts), len(whole.runs))
        if not any(part.tests for part in parts) and not standing.kept:
            raise NotReproduced(f"no test passes after it was recorded; {self._failures[0]}")
        return self._write(parts, standing, launch_cost, before, older)

    def _rules(self, player: SuitePlayer, budget: Budget, launch_cost: int) -> SuiteRules:
        settings = self._settings
        return SuiteRules(
            worlds=settings.worlds,
            fragments=settings.fragments,
            launch_cost=lambda: launch_cost,
            should_settle=lambda: _spent(budget, settings) >= SETTLE_SHARE,
            should_stop=lambda: _spent(budget, settings) >= STOP_SHARE,
            on_progress=self._advance,
            foresee=player.foresee,
        )

    def _verify(self, part: _Part, budget: Budget, done: int, tests: int) -> None:
        """Records the runs of a part as tests that `fewtaps test` passes, in their order.

        Each is played once as a test in its own world. In the place of one that does not pass the reduction looks for
        others; where these do not pass either, the part before the failing step is left. What is not covered then is
        told as flaky. When the time is up, the suite has the tests that are recorded.
        """
        known: dict[SuiteRun, RecordedTest] = {}
        seconds = self._settings.seconds
        for number in range(MOST_VERIFICATIONS + MOST_CUTS):
            refused: list[tuple[SuiteRun, int]] = []
            pending = [each.run for each in part.reduced.runs if each.run not in known]
            for begin in range(0, len(pending), RECORDED_AT_ONCE):
                if (done or known) and seconds is not None and budget.seconds_spent >= seconds:
                    part.keep(known, is_whole=False)
                    return
                runs = pending[begin : begin + RECORDED_AT_ONCE]
                traces = [self._trace(run, part.phone) for run in runs]
                recorded = record_tests(self._pool, traces, self._settings.abstraction, probes=self._probes)
                for run, test, step in zip(runs, recorded, self._first_failures(recorded), strict=True):
                    if step is None:
                        known[run] = test
                        recorded_now = done + len(known)
                        self._tell(TestRecorded(test.test.name, recorded_now, max(tests, recorded_now)))
                    else:
                        refused.append((run, step))
            if not refused:
                break
            for run, step in refused:
                part.reduction.refuse(run, step)
            is_last = number >= MOST_VERIFICATIONS - 1
            part.reduced = part.reduction.cut_again() if is_last else part.reduction.reduce_again()
        # After the last round, runs may be left that no test stands for.
        covered = part.reduced.covered
        part.keep(known)
        lacking = covered & ~coverage_of([each.run for each in part.reduced.runs])
        part.reduced = replace(part.reduced, covered=covered & ~lacking, flaky=part.reduced.flaky | lacking)

    def _first_failures(self, recorded: Sequence[RecordedTest]) -> list[int | None]:
        """The number of the step at which each new test does not pass, without the prelude; None if it passes."""
        abstraction = self._settings.abstraction
        whole = [each for each in recorded if each.missing_at is None]
        jobs = [PlayTest(each.test, abstraction, (each.test.trace.world,), each.states) for each in whole]
        played = iter(self._pool.map(jobs))
        steps: list[int | None] = []
        for each in recorded:
            trace = each.test.trace
            if each.missing_at is not None:
                world, number, status = "another world", each.missing_at, SuiteTestStatus.BROKEN
            else:
                (run,) = next(played)
                if run.status is SuiteTestStatus.PASSED:
                    steps.append(None)
                    continue
                world, status = f"world {run.world}", run.status
                number = run.step if run.step is not None else len(trace.steps) - 1
            event = printable(describe(trace.steps[number].event), 80)
            self._failures.append(f"a test in {world} was left out: it was {status.value} at step {number} ({event})")
            log.info("%s", self._failures[-1])
            self._tell(TestRefused(self._failures[-1]))
            steps.append(max(0, number - len(self._observer.prelude)))
        return steps

    def _advance(self, progress: SuiteProgress) -> None:
        self._tell(SuiteAdvanced(progress, time.monotonic() - self._began))

    def _stand(
        self, reduction: SuiteReduction | PaperReduction, tests: Sequence[SuiteTest], before: _Standing
    ) -> _Standing:
        """Which tests of an older suite on one phone still replay and add something; they stay as they are."""
        requests = [
            RunRequest(
                test.trace.world,
                tuple(map(self._observer.action_of, test.trace.events[1 + len(self._observer.prelude) :])),
            )
            for test in tests
        ]
        reduction.ask(requests)
        kept: list[str] = []
        needless: list[str] = []
        broken: list[str] = []
        covered = before.covered
        for test, request in zip(tests, requests, strict=True):
            run = reduction.known.longest(request.world, request.actions)
            if run.transitions < len(request.actions) or not run.steps or self._differs(test, run):
                broken.append(test.name)
            elif run.covered & ~covered:
                kept.append(test.name)
                covered |= run.covered
            else:
                needless.append(test.name)
        return _Standing((*before.kept, *kept), (*before.needless, *needless), (*before.broken, *broken), covered)

    def _differs(self, test: SuiteTest, run: SuiteRun) -> bool:
        """Whether a state is not the one that the test expects."""
        steps = test.trace.steps[len(self._observer.prelude) :]
        return any(
            step.expect is not None and step.expect.state is not None and step.expect.state != seen.state
            for step, seen in zip(steps, run.steps, strict=False)
        )

    def _why_nothing(self, reduced: ReducedSuite) -> str:
        if not reduced.is_whole and not reduced.deviations:
            return "the limits were reached before any trace was replayed"
        if not reduced.deviations:
            return "no trace could be replayed: the app did not get through its launch"
        first = reduced.deviations[0]
        traces = len(self._recorded) + len(self._requests)
        worlds = sorted({each.world for each in reduced.deviations})
        others = f"; in all, worlds {', '.join(map(str, worlds))} deviate" if len(worlds) > 1 else ""
        return f"none of {traces} traces replays; {self._deviation_words(first)}{others}"

    def _deviation_words(self, deviation: InputDeviation) -> str:
        events = self._observer.events_of(deviation.actions)
        place = deviation.step + len(self._observer.prelude) if deviation.step else 0
        what = describe(events[place - 1]) if 0 < place <= len(events) else "the launch"
        seen = "its widget was not found" if deviation.seen == MISSED else f"state {deviation.seen} was seen"
        return (
            f"{'one' if deviation.recording is None else f'trace {deviation.recording + 1}'} deviates in world"
            f" {deviation.world} at step {place} ({printable(what, 80)}):"
            f" {printable(seen, 200)}, {printable(str(deviation.expected), 200)} was expected"
        )

    def _write(
        self, parts: Sequence[_Part], standing: _Standing, launch_cost: int, before: Cost, older: Suite | None
    ) -> MadeSuite:
        settings = self._settings
        reduced = joined([part.reduced for part in parts])
        old_tests = older.tests if older is not None else ()
        taken = [test.name for test in old_tests]
        tests: list[SuiteTest] = list(old_tests)
        added: list[str] = []
        states = older.states if older is not None else ()
        covered = standing.covered
        for run, recorded in ((each.run, test) for part in parts for each, test in part.pairs):
            name = name_test(recorded.test.trace, taken)
            adds = (run.covered & ~covered).bit_count()
            covered |= run.covered
            tests.append(replace(recorded.test, name=name, adds=adds))
            taken.append(name)
            added.append(name)
            states = joined_shapes(states, recorded.states)
        named = self._named(covered)
        classes = {probes.name for probes in self._probes.classes} if self._probes is not None else set()
        suite = Suite(
            app=self._plan.app.ref,
            abstraction=settings.abstraction,
            tests=tuple(tests),
            settings=settings_to_keep(self._plan.device, self._plan.session.profile.name),
            kinds=self._observer.kinds,
            covered=named,
            flaky=self._named(reduced.flaky),
            quarantine=older.quarantine if older is not None else (),
            states=states,
            uncovered=tuple(sorted(classes - named.classes)),
        )
        write_suite(settings.output, suite)
        seconds = sum(test.seconds for test in tests)
        after = Cost(sum(len(test.trace.steps) - 1 for test in tests), len(tests))
        rate = seconds / max(1, after.weighed(launch_cost))
        return MadeSuite(
            suite=suite,
            folder=settings.output,
            before=before,
            reduced=reduced,
            launch_cost=launch_cost,
            seconds=seconds,
            seconds_before=rate * before.weighed(launch_cost),
            seconds_spent=time.monotonic() - self._began,
            counts=self._counts(covered),
            flaky_counts=self._counts(reduced.flaky),
            lost_counts=self._counts(reduced.unreplayed),
            kept=standing.kept,
            added=tuple(added),
            needless=standing.needless,
            broken=standing.broken,
            flaky_crashes=self._observer.elements(reduced.flaky).crashes,
            lost_crashes=self._observer.elements(reduced.unreplayed).crashes,
            failures=tuple(self._failures),
            phase_traces=self._phase_traces(parts),
        )

    def _phase_traces(self, parts: Sequence[_Part]) -> tuple[tuple[str, tuple[Trace, ...]], ...]:
        """The events of the suite after each phase."""
        traces: dict[str, list[Trace]] = {}
        for part in parts:
            for each in part.reduced.phases:
                traces.setdefault(each.phase.value, []).extend(self._trace(run, part.phone) for run in each.runs)
        return tuple((name, tuple(found)) for name, found in traces.items())

    def _trace(self, run: SuiteRun, phone: Differences) -> Trace:
        events = self._observer.events_of(run.actions)
        profile = self._plan.session.profile
        steps = (Step(Launch(phone)), *[Step(event) for event in events])
        session = unusual(self._plan.session)
        return Trace(self._plan.app.ref, steps, run.world, profile.name, profile.screen, session)

    def _named(self, bits: int) -> NamedCoverage:
        if self._probes is None:
            return NamedCoverage()
        return name_coverage(self._observer.elements(bits).code, self._probes)

    def _counts(self, bits: int) -> dict[str, int]:
        elements = self._observer.elements(bits)
        code: Coverage = elements.code
        counts = {
            CoverageKind.BRANCHES: len(code.branches),
            CoverageKind.SCREENS: len(elements.states),
            CoverageKind.CRASHES: len(elements.crashes),
            CoverageKind.LISTS: len(elements.lists),
            CoverageKind.LINES: len(code.lines),
            CoverageKind.METHODS: len(code.methods),
        }
        return {kind.value: counts[kind] for kind in self._observer.kinds}


@dataclass(slots=True)
class _OnPhone:
    """What a suite is made from on one kind of phone: recorded runs, runs to be played, tests of the older suite."""

    phone: Differences
    recorded: list[SuiteRun] = field(default_factory=list)
    requests: list[RunRequest] = field(default_factory=list)
    standing: list[SuiteTest] = field(default_factory=list)


@dataclass(slots=True)
class _Part:
    """The part of a suite whose tests begin on one kind of phone; `tests` stand for the runs that are left."""

    phone: Differences
    reduction: SuiteReduction | PaperReduction
    reduced: ReducedSuite = field(init=False)
    tests: tuple[RecordedTest, ...] = ()

    @property
    def pairs(self) -> Iterator[tuple[ReducedRun, RecordedTest]]:
        """The runs with their tests."""
        return zip(self.reduced.runs, self.tests, strict=True)

    def keep(self, known: Mapping[SuiteRun, RecordedTest], *, is_whole: bool = True) -> None:
        """Keeps the runs for which there is a test."""
        runs = tuple(each for each in self.reduced.runs if each.run in known)
        self.reduced = replace(self.reduced, runs=runs, is_whole=is_whole and self.reduced.is_whole)
        self.tests = tuple(known[each.run] for each in runs)


@dataclass(frozen=True, slots=True)
class _Standing:
    """What became of the tests of an older suite, by name, and what the kept ones cover."""

    kept: tuple[str, ...] = ()
    needless: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    covered: int = 0


def _spent(budget: Budget, settings: SuiteSettings) -> float:
    """The largest share of a limit that is spent; 0 without limits."""
    shares = [0.0]
    if settings.seconds is not None:
        shares.append(budget.seconds_spent / settings.seconds)
    if settings.runs is not None:
        shares.append(budget.runs_spent / settings.runs)
    if settings.events is not None:
        shares.append(budget.events_spent / settings.events)
    return max(shares)
