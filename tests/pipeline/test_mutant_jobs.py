"""The jobs of mutants on simulated apps: what a run says of a fault, and what it does not say."""

from __future__ import annotations

import pickle
from contextlib import nullcontext
from dataclasses import replace

import pytest
from builders import OpenProgram

from fewtaps.device.jobs import JobContext
from fewtaps.device.pool import open_pool
from fewtaps.device.simulated.device import SimulatedSession
from fewtaps.device.simulated.program import Hang, Phone, Program, View, button, label
from fewtaps.device.simulated.samples import bill
from fewtaps.model.ending import Ending
from fewtaps.model.event import Event, Selector, Tap
from fewtaps.model.mutant import Mutant, MutantResult, MutantStatus
from fewtaps.model.suite import SuiteTest
from fewtaps.model.trace import Step
from fewtaps.pipeline.mutant_jobs import CheckMutant, CheckRules, ListMutants, MeasureTest, TestMeasurement
from fewtaps.replay import play
from fewtaps.suite.expecting import with_expectations

RULES = CheckRules("actionable")


def on(text: str) -> Event:
    return Tap(0, 0, Selector(class_name="android.widget.Button", text=text))


def fragile(error: Exception) -> Program:
    """An app that fails if it was not prepared as it is created."""

    def go(phone: Phone) -> None:
        if not phone.state["ready"]:
            raise error
        phone.state["count"] += 1

    main = View("Main", [button("Go", go), label(lambda state: f"{state['count']} times", name="count")])
    return Program(
        "com.example.fragile",
        [main],
        state={"ready": False, "count": 0},
        on_create=lambda phone: phone.state.update(ready=True),
    )


def measured(session: SimulatedSession, *texts: str) -> TestMeasurement:
    trace = with_expectations([play(session, [on(text) for text in texts])], "actionable")
    return MeasureTest(SuiteTest("test", trace), RULES).run(session, JobContext())


def mutant(session: SimulatedSession, method: str) -> Mutant:
    return next(each for each in ListMutants().run(session, JobContext()) if each.method == method)


def checked(session: SimulatedSession, method: str, *texts: str, with_states: bool = False) -> MutantResult:
    test = measured(session, *texts).measured
    job = CheckMutant(mutant(session, method), (test,), RULES, with_states)
    result = job.run(session, JobContext())
    assert pickle.loads(pickle.dumps(job)).run(session, JobContext()) == result
    return result


def test_a_test_is_measured_with_its_coverage_or_fails_at_its_step(open_program: OpenProgram) -> None:
    session = open_program(bill())
    good = measured(session, "About")
    assert good.failed_at is None
    assert good.measured.covers(mutant(session, "on_tap_about"))
    assert not good.measured.covers(mutant(session, "on_tap_split"))
    trace = good.measured.test.trace
    wrong = replace(trace, steps=(*trace.steps[:-1], replace(trace.steps[-1], event=on("Nothing"))))
    bad = MeasureTest(SuiteTest("test", wrong), RULES).run(session, JobContext())
    assert (bad.failed_at, bad.difference) == (1, "target")


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (Hang("waits for ever"), MutantStatus.TIMED_OUT),
        (MemoryError("full"), MutantStatus.MEMORY_ERROR),
        (ValueError("not a number"), MutantStatus.KILLED),
    ],
)
def test_the_end_of_the_app_decides_the_status(
    open_program: OpenProgram, error: Exception, status: MutantStatus
) -> None:
    result = checked(open_program(fragile(error)), "on_create", "Go")
    assert (result.status, result.step, result.difference, result.by_states) == (status, 1, "ending", status)


def test_a_text_that_differs_says_nothing_of_the_states_unless_asked_for(open_program: OpenProgram) -> None:
    session = open_program(fragile(Hang()))
    result = checked(session, "on_tap_go", "Go")
    assert (result.status, result.difference, result.by_states) == (MutantStatus.KILLED, "text", None)
    assert checked(session, "on_tap_go", "Go", with_states=True).by_states is MutantStatus.SURVIVED


def test_a_widget_that_is_gone_kills_by_states_too(open_program: OpenProgram) -> None:
    result = checked(open_program(bill()), "on_tap_about", "About", "Close", with_states=True)
    assert (result.status, result.step, result.by_states) == (MutantStatus.KILLED, 1, MutantStatus.KILLED)


class Lossy:
    """A session that loses its device at each event; everything else is that of another one."""

    def __init__(self, session: SimulatedSession) -> None:
        self._session = session
        self.performed = 0

    def __getattr__(self, name: str) -> object:
        return getattr(self._session, name)

    def perform(self, event: Event) -> Step:
        """The step of the session with another ending."""
        self.performed += 1
        return replace(self._session.perform(event), ending=Ending.LOST)


def test_a_lost_device_is_no_evidence_and_three_in_a_row_are_a_memory_error(open_program: OpenProgram) -> None:
    session = open_program(bill())
    test = measured(session, "About").measured
    lost = Lossy(session)
    job = CheckMutant(mutant(session, "on_tap_about"), (test,), RULES)
    with open_pool(lambda: nullcontext(lost), tries=3) as pool:  # type: ignore[arg-type]
        result = pool.ask(job)
        assert (result.status, result.test) == (MutantStatus.MEMORY_ERROR, None)
        assert lost.performed == 3
        assert pool.ask(MeasureTest(test.test, RULES)).failed_at == 0


@pytest.mark.parametrize("with_states", [False, True])
def test_a_mutant_that_no_step_shows_survives(open_program: OpenProgram, with_states: bool) -> None:
    session = open_program(bill())
    test = measured(session, "More people").measured
    steps = tuple(replace(step, expect=None) for step in test.test.trace.steps)
    blind = replace(test, test=replace(test.test, trace=replace(test.test.trace, steps=steps)))
    result = CheckMutant(mutant(session, "on_tap_more_people"), (blind,), RULES, with_states).run(session, JobContext())
    assert (result.status, result.by_states, result.tests_run) == (MutantStatus.SURVIVED, MutantStatus.SURVIVED, 1)
