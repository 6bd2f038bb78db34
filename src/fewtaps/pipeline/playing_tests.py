"""PlayTest: the job that plays a test of a suite, compares each step with its expectation, and heals selectors."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace

from fewtaps.device.jobs import Job, JobContext
from fewtaps.device.session import Session, execution_recorder, screenshot_taker, unusual, world_for
from fewtaps.errors import DeviceLost
from fewtaps.model.ending import Ending
from fewtaps.model.event import AimedEvent, Selector
from fewtaps.model.screen import selector_of
from fewtaps.model.shape import StateShape
from fewtaps.model.suite import SuiteTest
from fewtaps.model.suite_result import Difference, DifferenceKind, Healing, SuiteTestRun, SuiteTestStatus
from fewtaps.model.target import target_of_selector
from fewtaps.model.trace import Step, Trace
from fewtaps.pipeline.picture_check import picture_difference
from fewtaps.replay import aim
from fewtaps.suite.checking import (
    ExpectationChecker,
    StepCheck,
    healed,
    nearest,
    only_id_differs,
    proves_healing,
)
from fewtaps.suite.renaming import NOTHING_RENAMED, RenamedClasses


@dataclass(frozen=True, slots=True)
class PlayTest(Job[tuple[SuiteTestRun, ...]]):
    """Plays a test in each of the worlds, up to the first step that is not as expected.

    A test that asked nothing of its first world is the same in all, and is played once. With `strict` nothing is
    healed, and states are compared by their ids alone. With `goes_on` a difference does not end the run: all are found.
    `keeps_execution` adds JaCoCo's data, `takes_pictures` a picture after each step. `expected_pictures` are PNGs by
    the number of the step, for the steps that expect one; they are compared on devices with screenshots. `renamed` are
    the classes whose crashes may have other names in the build; not with `strict`.
    """

    test: SuiteTest
    abstraction: str
    worlds: tuple[int, ...]
    states: tuple[StateShape, ...] = ()
    strict: bool = False
    goes_on: bool = False
    keeps_execution: bool = False
    takes_pictures: bool = False
    expected_pictures: tuple[tuple[int, bytes], ...] = ()
    renamed: RenamedClasses = NOTHING_RENAMED

    def run(self, session: Session, context: JobContext) -> tuple[SuiteTestRun, ...]:
        """The runs, in the order of the worlds. Raises DeviceLost if the device failed in one of them."""
        runs: list[SuiteTestRun] = []
        for world in self.worlds:
            runs.append(_TestRun(self, session, context, world).run())
            if runs[-1].asked_world is False and len(runs) == 1:
                break
            if context.should_stop():
                break
        return tuple(runs)

    def answer_if_lost(self, error: DeviceLost) -> tuple[SuiteTestRun, ...]:
        """One run that says nothing of the app."""
        return (SuiteTestRun(self.worlds[0], SuiteTestStatus.NOT_RUN),)


@dataclass(slots=True)
class _TestRun:
    """One run of a test: what was seen so far, and the first step that is not as expected."""

    job: PlayTest
    session: Session
    context: JobContext
    world: int
    steps: list[Step] = field(default_factory=list)
    healings: list[Healing] = field(default_factory=list)
    moved: list[int] = field(default_factory=list)
    is_renamed: bool = False
    differences: list[Difference] = field(default_factory=list)
    pictures: list[tuple[int, bytes]] = field(default_factory=list)
    status: SuiteTestStatus = SuiteTestStatus.PASSED
    first: int | None = None
    missing: Selector | None = None
    candidates: tuple[Selector, ...] = ()

    def run(self) -> SuiteTestRun:
        """Plays the test."""
        began = time.monotonic()
        allowed = ((), NOTHING_RENAMED) if self.job.strict else (self.job.states, self.job.renamed)
        checker = ExpectationChecker(self.job.abstraction, *allowed)
        self._see(self.session.launch(world_for(self.session, self.world), self.job.test.trace.phone))
        if self._judge(checker, None):
            for number in range(1, len(self.job.test.trace.steps)):
                if self.steps[-1].ending.is_final or not self._play(checker, number):
                    break
        recorder = execution_recorder(self.session) if self.job.keeps_execution else None
        execution = recorder.execution_data() if recorder is not None else None
        trace = self._trace()
        is_healed = self.status is SuiteTestStatus.PASSED and bool(self.healings or self.is_renamed)
        return SuiteTestRun(
            self.world,
            SuiteTestStatus.HEALED if is_healed else self.status,
            trace,
            self.first,
            tuple(self.differences),
            self.missing,
            self.candidates,
            tuple(self.healings),
            tuple(self.moved),
            tuple(self.pictures),
            trace.coverage,
            self.steps[-1].asked_world,
            time.monotonic() - began,
            execution,
            self.is_renamed,
        )

    def _play(self, checker: ExpectationChecker, number: int) -> bool:
        """Plays one step; whether the run goes on."""
        wanted = self.job.test.trace.steps[number]
        event, last = wanted.event, self.steps[-1]
        healing: Healing | None = None
        if isinstance(event, AimedEvent) and event.selector is not None and not event.selector.is_empty:
            old = event.selector
            if target_of_selector(old, last.after) is None:
                candidate = None if self.job.strict else healed(old, last.after)
                if candidate is None or not (
                    proves_healing(last, wanted.expect, self.job.abstraction) or only_id_differs(old, candidate)
                ):
                    self._break(number, old)
                    return False
                healing = Healing(number, old, selector_of(candidate))
                event = replace(event, selector=healing.new)
        aimed, _ = aim(event, last.after)
        self._see(replace(self.session.perform(aimed), event=event))
        return self._judge(checker, healing)

    def _see(self, step: Step) -> None:
        if step.ending is Ending.LOST:
            raise DeviceLost("the device was lost while a test was played")
        number = len(self.steps)
        self.steps.append(replace(step, expect=self.job.test.trace.steps[number].expect))
        self.context.on_step(step)
        taker = screenshot_taker(self.session) if self.job.takes_pictures else None
        if taker is not None and not step.ending.is_final:
            self.pictures.append((number, taker.screenshot()))

    def _judge(self, checker: ExpectationChecker, healing: Healing | None) -> bool:
        """Compares the last step with its expectation; whether the run goes on."""
        number, step = len(self.steps) - 1, self.steps[-1]
        check = checker.check(number, step, step.expect)
        if self.job.strict and check.healings:
            check = _without_healing(check)
        if check.is_fine:
            check = replace(check, differences=self._picture_differences(number, step))
        if not check.is_fine and healing is not None:
            # The expected state does not follow, so the widget was another one.
            self._break(number, healing.old)
            self.differences.extend(check.differences)
            return False
        if healing is not None:
            self.healings.append(healing)
        self.healings.extend(check.healings)
        if check.is_moved:
            self.moved.append(number)
        self.is_renamed = self.is_renamed or check.is_renamed
        if check.is_fine:
            return True
        if self.first is None:
            self.first = number
            self.status = SuiteTestStatus.CRASHED if _is_crash(check, step) else SuiteTestStatus.FAILED
            self.differences.extend(check.differences)
        return self.job.goes_on

    def _picture_differences(self, number: int, step: Step) -> tuple[Difference, ...]:
        expected = dict(self.job.expected_pictures).get(number)
        taker = None if step.ending.is_final else screenshot_taker(self.session)
        if expected is None or step.expect is None or step.expect.picture is None or taker is None:
            return ()
        located = [step.after.find(selector) for selector in step.expect.masked]
        masks = [each.widget.bounds for each in located if each is not None]
        words = picture_difference(expected, taker.screenshot(), masks)
        return () if words is None else (Difference(DifferenceKind.PICTURE, step.expect.picture, words),)

    def _break(self, number: int, selector: Selector) -> None:
        if self.first is None:
            self.status, self.first = SuiteTestStatus.BROKEN, number
        before = self.steps[number - 1].after
        self.missing, self.candidates = selector, nearest(selector, before)

    def _trace(self) -> Trace:
        profile = self.session.settings.profile
        world = world_for(self.session, self.world)
        session = unusual(self.session.settings)
        return Trace(self.session.app.ref, tuple(self.steps), world, profile.name, profile.screen, session)


def _is_crash(check: StepCheck, step: Step) -> bool:
    """Whether the app ended where it was not expected to, or in another crash."""
    kinds = {difference.kind for difference in check.differences}
    return step.ending.is_final and bool(kinds & {DifferenceKind.ENDING, DifferenceKind.CRASH})


def _without_healing(check: StepCheck) -> StepCheck:
    """The same check with every healed expectation as a difference."""
    missing = tuple(
        Difference(DifferenceKind.WIDGET, "the widget of the recorded selector", "another one", healing.old)
        for healing in check.healings
    )
    return StepCheck(check.differences + missing)
