"""Jobs for mutants: list those of an app, run a test without a fault, run tests until one notices a mutant."""

from __future__ import annotations

from dataclasses import dataclass

from fewtaps.device.jobs import Job, JobContext
from fewtaps.device.mutated import MutatedSession
from fewtaps.device.session import Session, mutant_runner, world_for
from fewtaps.errors import DeviceLost, DeviceTimeout, Unsupported
from fewtaps.model.coverage import NO_COVERAGE, Coverage
from fewtaps.model.crash import CrashKind
from fewtaps.model.ending import Ending
from fewtaps.model.event import Selector
from fewtaps.model.mutant import Mutant, MutantResult, MutantStatus
from fewtaps.model.shape import StateShape
from fewtaps.model.suite import SuiteTest
from fewtaps.model.suite_result import DifferenceKind
from fewtaps.model.target import target_of_selector
from fewtaps.model.trace import Step, Trace
from fewtaps.replay import aim, play
from fewtaps.suite.checking import ExpectationChecker
from fewtaps.suite.mutants import MeasuredTest, MutantRun, judge_mutant

STATE_KINDS = frozenset(
    {
        DifferenceKind.ENDING,
        DifferenceKind.CRASH,
        DifferenceKind.PACKAGE,
        DifferenceKind.ACTIVITY,
        DifferenceKind.STATE,
    }
)
"""What states, endings and crashes show. Everything else is a text, a check mark or a picture."""


@dataclass(frozen=True, slots=True)
class CheckRules:
    """How the steps of a suite's tests are compared with their expectations.

    `shapes` are those of the suite for a build that is not the suite's own: its states may be in other places.
    """

    abstraction: str
    shapes: tuple[StateShape, ...] = ()


@dataclass(frozen=True, slots=True)
class ListMutants(Job[tuple[Mutant, ...]]):
    """Asks for the mutants that these operators can make of the app; without operators, the standard ones."""

    operators: tuple[str, ...] = ()

    def run(self, session: Session, context: JobContext) -> tuple[Mutant, ...]:
        """Lists them; launches nothing."""
        runner = mutant_runner(session)
        if runner is None:
            raise Unsupported("this device cannot put faults into an app, or coverage is off")
        return runner.mutants(self.operators)


@dataclass(frozen=True, slots=True)
class TestMeasurement:
    """A test's run without a fault. `failed_at` is the first step that is not as expected, None if the test passed."""

    __test__ = False

    measured: MeasuredTest
    failed_at: int | None = None
    difference: str = ""


@dataclass(frozen=True, slots=True)
class MeasureTest(Job[TestMeasurement]):
    """Runs a test without a fault, for its coverage and the jumps back of the app's loops."""

    test: SuiteTest
    rules: CheckRules

    def run(self, session: Session, context: JobContext) -> TestMeasurement:
        """Runs it once, without a fault. If the device is lost with the app, the turns are not known and count as 0."""
        counting = MutatedSession(session, None)
        course = _Course(counting, self.test, self.rules, context)
        course.run(stops_at_text=True)
        try:
            turns = counting.loop_turns().turns
        except DeviceLost:
            # The process ended with the app, which the test may expect.
            turns = 0
        measured = MeasuredTest(self.test, course.covered, turns, tuple(course.new_by_step))
        return TestMeasurement(measured, course.any_step, course.any_difference)

    def answer_if_lost(self, error: DeviceLost) -> TestMeasurement:
        """A test that did not pass."""
        return TestMeasurement(MeasuredTest(self.test), 0, "device lost")


@dataclass(frozen=True, slots=True)
class CheckMutant(Job[MutantResult]):
    """Runs tests against one mutant, in order, until one notices it."""

    mutant: Mutant
    measured_tests: tuple[MeasuredTest, ...]
    rules: CheckRules
    with_states: bool = False

    def run(self, session: Session, context: JobContext) -> MutantResult:
        """Runs as many tests as it takes."""

        def run_test(measured: MeasuredTest) -> MutantRun:
            return run_against(session, self.mutant, measured, self.rules, context, with_states=self.with_states)

        return judge_mutant(self.mutant, self.measured_tests, run_test, self.with_states)

    def answer_if_lost(self, error: DeviceLost) -> MutantResult:
        """A mutant that ends every process it runs in: most likely it fills the memory of the machine."""
        return MutantResult(self.mutant, MutantStatus.MEMORY_ERROR, by_states=MutantStatus.MEMORY_ERROR)


@dataclass(frozen=True, slots=True)
class PlayMutant(Job[Trace]):
    """Plays the events of a test against a mutant to the end, without comparing anything; None for no fault."""

    mutant: Mutant | None
    measured: MeasuredTest
    world: int

    def run(self, session: Session, context: JobContext) -> Trace:
        """Plays it once."""
        mutated = MutatedSession(session, self.mutant, turns_limit=self.measured.turns_limit)
        return play(mutated, self.measured.test.trace.events, world=self.world)


def run_against(
    session: Session,
    mutant: Mutant,
    measured: MeasuredTest,
    rules: CheckRules,
    context: JobContext,
    *,
    with_states: bool,
) -> MutantRun:
    """Runs one test against a mutant, up to the first step that is not as expected.

    `with_states` runs on after a text or check mark that is not as expected, until a state or ending is. Raises
    NotViable.
    """
    mutated = MutatedSession(session, mutant, turns_limit=measured.turns_limit)
    course = _Course(mutated, measured.test, rules, context)
    try:
        course.run(stops_at_text=not with_states)
    except DeviceTimeout:
        # The process did not even answer that the app hangs.
        return MutantRun(MutantStatus.TIMED_OUT, MutantStatus.TIMED_OUT, course.number)
    if course.any_step is None:
        return MutantRun(MutantStatus.SURVIVED, MutantStatus.SURVIVED)
    if course.state_step is None:
        by_states = MutantStatus.SURVIVED if with_states else None
    else:
        by_states = _status_of(course, mutated)
    status = MutantStatus.KILLED if course.any_step != course.state_step or by_states is None else by_states
    return MutantRun(status, by_states, course.any_step, course.any_difference)


def _status_of(course: _Course, session: MutatedSession) -> MutantStatus:
    """What a state or ending that is not as expected makes of the mutant."""
    last = course.last
    if last is None or last.crash is None:
        return MutantStatus.KILLED
    if last.crash.kind is CrashKind.MEMORY:
        return MutantStatus.MEMORY_ERROR
    if last.ending is Ending.ANR:
        try:
            return MutantStatus.TIMED_OUT if session.loop_turns().is_endless else MutantStatus.KILLED
        except DeviceLost:
            # The app did not come back from its loop, so that the process was ended.
            return MutantStatus.TIMED_OUT
    return MutantStatus.KILLED


class _Course:
    """One run of a test, compared step by step with its expectations.

    `any_step` is the first step that is not as expected, `state_step` the first whose state, activity or ending is not.
    """

    def __init__(self, session: MutatedSession, test: SuiteTest, rules: CheckRules, context: JobContext) -> None:
        self._session = session
        self._test = test
        self._checker = ExpectationChecker(rules.abstraction, rules.shapes)
        self._context = context
        self.number = 0
        self.last: Step | None = None
        self.covered: Coverage = NO_COVERAGE
        self.new_by_step: list[Coverage] = []
        self.any_step: int | None = None
        self.any_difference = ""
        self.state_step: int | None = None

    def run(self, *, stops_at_text: bool) -> None:
        """Plays the steps up to the first state that is not as expected or, if asked for, text.

        Raises DeviceLost, because a run in which the device was lost is no evidence.
        """
        for number, wanted in enumerate(self._test.trace.steps):
            self.number = number
            if number == 0:
                step = self._session.launch(world_for(self._session, self._test.trace.world), self._test.trace.phone)
            else:
                assert self.last is not None
                if self.last.ending.is_final:
                    self._differ(number, "end", is_state=True)
                    return
                selector = getattr(wanted.event, "selector", None)
                if (
                    isinstance(selector, Selector)
                    and not selector.is_empty
                    and target_of_selector(selector, self.last.after) is None
                ):
                    self._differ(number, "target", is_state=True)
                    return
                step = self._session.perform(aim(wanted.event, self.last.after)[0])
            if step.ending is Ending.LOST:
                raise DeviceLost("the device was lost while a test was played")
            self.last = step
            self.covered = self.covered | step.covered
            self.new_by_step.append(step.covered)
            self._context.on_step(step)
            if self._compare(number, step, stops_at_text):
                return

    def _compare(self, number: int, step: Step, stops_at_text: bool) -> bool:
        """Whether the run is over."""
        check = self._checker.check(number, step, self._test.trace.steps[number].expect)
        states = [each for each in check.differences if each.kind in STATE_KINDS]
        if states:
            self._differ(number, states[0].kind.value, is_state=True)
            return True
        if check.differences or check.healings:
            # Nothing is healed here: the app without the fault is the same build.
            kind = check.differences[0].kind if check.differences else DifferenceKind.WIDGET
            self._differ(number, kind.value, is_state=False)
            return stops_at_text
        return False

    def _differ(self, number: int, difference: str, *, is_state: bool) -> None:
        if self.any_step is None:
            self.any_step, self.any_difference = number, difference
        if is_state and self.state_step is None:
            self.state_step = number
