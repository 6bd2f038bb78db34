"""PlayTest on simulated apps: a test made on one build, played on it, on harmless and on broken builds."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace

import pytest
from builders import OpenProgram

from fewtaps.device.jobs import JobContext
from fewtaps.device.pool import SessionPool
from fewtaps.device.simulated.program import Item, Phone, Program, Throw, View, button, checkbox, label
from fewtaps.errors import DeviceLost
from fewtaps.model.ending import Ending
from fewtaps.model.event import Tap
from fewtaps.model.screen import WindowKind
from fewtaps.model.suite_result import DifferenceKind, SuiteTestRun, SuiteTestStatus
from fewtaps.model.trace import Step, Trace
from fewtaps.pipeline.playing_tests import PlayTest
from fewtaps.pipeline.recording_tests import RecordedTest, record_test

Handler = Callable[[Phone], None]


def more(phone: Phone) -> None:
    phone.state["people"] = phone.state["people"] + 1


def nothing(phone: Phone) -> None:
    pass


def shop(
    *,
    on_more: Handler = more,
    more_id: str = "more",
    more_text: str = "More",
    above: tuple[Item, ...] = (),
    twin: bool = False,
    asks: bool = True,
) -> Program:
    """A counter with a dialog; the arguments are what a newer build may change."""
    items = [
        *above,
        button(more_text, on_more, name=more_id),
        *([button(more_text, nothing, name="more_too")] if twin else []),
        checkbox("round", "Round up"),
        button("Delete", (lambda phone: phone.go("Sure")) if asks else nothing, name="delete"),
        label(lambda state: f"{state['people']} people", name="count"),
    ]
    sure = View("Sure", [label("Delete all?"), button("Cancel")], WindowKind.DIALOG)
    return Program("com.example.shop", [View("Main", items), sure], state={"people": 2}, label="Shop")


TAPS = ("More", "Round up", "Delete", "Cancel", "More")


@pytest.fixture
def recorded(open_program: OpenProgram) -> RecordedTest:
    """A test that was made on the first build."""
    session = open_program(shop())
    steps: list[Step] = [session.launch()]
    for text in TAPS:
        found = next(each for each in steps[-1].after.iter_located() if each.widget.shown_text == text)
        selector = steps[-1].after.selector_for(found.path)
        steps.append(session.perform(Tap(*found.widget.bounds.centre, selector)))
    pool = SessionPool(lambda: nullcontext(session))
    return record_test(pool, Trace(session.app.ref, tuple(steps)), "actionable")


def played(open_program: OpenProgram, recorded: RecordedTest, build: Program, **fields: object) -> SuiteTestRun:
    job = PlayTest(recorded.test, "actionable", (0,), recorded.states, **fields)  # type: ignore[arg-type]
    assert pickle.loads(pickle.dumps(job)) == job
    (run,) = job.run(open_program(build), JobContext())
    assert pickle.loads(pickle.dumps(run)) == run
    return run


def test_the_build_it_was_made_on_passes_twenty_times(open_program: OpenProgram, recorded: RecordedTest) -> None:
    assert recorded.test.name == "more-round-up-delete-cancel"
    runs = [played(open_program, recorded, shop(), strict=True) for _ in range(20)]
    assert {run.status for run in runs} == {SuiteTestStatus.PASSED}


def test_a_wrong_sum_fails_at_its_step(open_program: OpenProgram, recorded: RecordedTest) -> None:
    def twice(phone: Phone) -> None:
        phone.state["people"] = phone.state["people"] + 2

    run = played(open_program, recorded, shop(on_more=twice))
    assert (run.status, run.step) == (SuiteTestStatus.FAILED, 1)
    assert [(each.kind, each.expected, each.seen) for each in run.differences] == [
        (DifferenceKind.TEXT, "3 people", "4 people")
    ]


def test_a_lost_handler_fails_at_its_step(open_program: OpenProgram, recorded: RecordedTest) -> None:
    run = played(open_program, recorded, shop(on_more=nothing))
    assert (run.status, run.step) == (SuiteTestStatus.FAILED, 1)


def test_a_missing_dialog_fails_at_its_step(open_program: OpenProgram, recorded: RecordedTest) -> None:
    run = played(open_program, recorded, shop(asks=False))
    assert (run.status, run.step) == (SuiteTestStatus.FAILED, 3)


def test_a_new_crash_is_a_crash(open_program: OpenProgram, recorded: RecordedTest) -> None:
    def fail(phone: Phone) -> None:
        raise Throw("java.lang.IllegalStateException", "no")

    run = played(open_program, recorded, shop(on_more=fail))
    assert (run.status, run.step) == (SuiteTestStatus.CRASHED, 1)
    assert run.crash is not None


def test_a_moved_layout_passes_and_is_told(open_program: OpenProgram, recorded: RecordedTest) -> None:
    build = shop(above=(label("Welcome"),))
    run = played(open_program, recorded, build)
    assert run.status is SuiteTestStatus.PASSED
    assert 0 in run.moved
    assert played(open_program, recorded, build, strict=True).status is SuiteTestStatus.FAILED


def test_a_renamed_id_is_healed_and_told(open_program: OpenProgram, recorded: RecordedTest) -> None:
    run = played(open_program, recorded, shop(more_id="plus"))
    assert run.status is SuiteTestStatus.HEALED
    assert [(each.step, each.old.resource_id, each.new.resource_id) for each in run.healings if each.is_target] == [
        (1, "com.example.shop:id/more", "com.example.shop:id/plus"),
        (5, "com.example.shop:id/more", "com.example.shop:id/plus"),
    ]


def test_nothing_is_healed_when_strict(open_program: OpenProgram, recorded: RecordedTest) -> None:
    run = played(open_program, recorded, shop(more_id="plus"), strict=True)
    assert run.status in (SuiteTestStatus.FAILED, SuiteTestStatus.BROKEN)
    assert run.healings == ()


def test_a_renamed_id_does_not_hide_a_lost_handler(open_program: OpenProgram, recorded: RecordedTest) -> None:
    run = played(open_program, recorded, shop(more_id="plus", on_more=nothing))
    assert (run.status, run.step) == (SuiteTestStatus.BROKEN, 1)


def without_expected_texts(recorded: RecordedTest) -> RecordedTest:
    """The same test without the texts, which alone would find that an id is gone."""
    steps = tuple(
        replace(step, expect=replace(step.expect, widgets=())) if step.expect is not None else step
        for step in recorded.test.trace.steps
    )
    return replace(recorded, test=replace(recorded.test, trace=replace(recorded.test.trace, steps=steps)))


def test_a_step_that_shows_nothing_of_its_effect_is_healed_only_if_nothing_but_the_id_differs(
    open_program: OpenProgram, recorded: RecordedTest
) -> None:
    # With the old id the test would pass too: it expects nothing of the step.
    renamed = played(open_program, without_expected_texts(recorded), shop(more_id="plus", on_more=nothing))
    assert renamed.status is SuiteTestStatus.HEALED
    expecting = played(open_program, recorded, shop(more_id="plus", on_more=nothing))
    assert expecting.status in (SuiteTestStatus.BROKEN, SuiteTestStatus.FAILED)
    moved = shop(more_id="plus", on_more=nothing, above=(label("Welcome"),))
    trace = without_expected_texts(recorded).test.trace
    free = replace(trace, steps=(replace(trace.steps[0], expect=None), *trace.steps[1:]))
    run = played(open_program, replace(recorded, test=replace(recorded.test, trace=free)), moved)
    assert (run.status, run.step) == (SuiteTestStatus.BROKEN, 1)


def test_two_candidates_are_not_healed(open_program: OpenProgram, recorded: RecordedTest) -> None:
    trace = without_expected_texts(recorded).test.trace
    free = replace(trace, steps=(replace(trace.steps[0], expect=None), *trace.steps[1:]))
    build = shop(more_id="plus", above=(label("Welcome"),), twin=True)
    run = played(open_program, replace(recorded, test=replace(recorded.test, trace=free)), build)
    assert (run.status, run.step) == (SuiteTestStatus.BROKEN, 1)
    assert run.selector is not None and run.selector.resource_id == "com.example.shop:id/more"
    assert [each.text for each in run.nearest][:2] == ["More", "More"]


def test_a_removed_widget_is_broken_with_its_nearest_candidates(
    open_program: OpenProgram, recorded: RecordedTest
) -> None:
    build = shop(more_id="plus", more_text="Add")
    run = played(open_program, without_expected_texts(recorded), build)
    assert (run.status, run.step) == (SuiteTestStatus.BROKEN, 1)
    assert "Add" in [each.text for each in run.nearest]


def test_another_widget_in_the_place_of_a_removed_one_is_not_tapped(
    open_program: OpenProgram, recorded: RecordedTest
) -> None:
    """Two facts of a removed button fit a button that does something else: its effect gives it away."""
    build = shop(more_id="wipe", on_more=lambda phone: phone.go("Sure"))
    run = played(open_program, without_expected_texts(recorded), build)
    assert run.status is SuiteTestStatus.BROKEN


def test_a_run_that_asked_nothing_of_its_world_is_played_once(
    open_program: OpenProgram, recorded: RecordedTest
) -> None:
    job = PlayTest(recorded.test, "actionable", (0, 1, 2), recorded.states)
    assert len(job.run(open_program(shop()), JobContext())) == 1


def test_a_known_crash_is_expected(open_program: OpenProgram) -> None:
    def fail(phone: Phone) -> None:
        raise Throw("java.lang.IllegalStateException", "no")

    session = open_program(shop(on_more=fail))
    first = session.launch()
    located = next(each for each in first.after.iter_located() if each.widget.text == "More")
    tap = Tap(*located.widget.bounds.centre, first.after.selector_for(located.path))
    trace = Trace(session.app.ref, (first, session.perform(tap)))
    known = record_test(SessionPool(lambda: nullcontext(session)), trace, "actionable")
    assert known.test.name == "more-crash"
    assert played(open_program, known, shop(on_more=fail)).status is SuiteTestStatus.PASSED
    fixed = played(open_program, known, shop())
    assert (fixed.status, fixed.step) == (SuiteTestStatus.FAILED, 1)


def test_a_lost_device_is_no_verdict(
    open_program: OpenProgram, recorded: RecordedTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = open_program(shop())
    launch = session.launch
    monkeypatch.setattr(session, "launch", lambda world=0, phone=None: replace(launch(world), ending=Ending.LOST))
    job = PlayTest(recorded.test, "actionable", (0,), recorded.states)
    with pytest.raises(DeviceLost):
        job.run(session, JobContext())
    (run,) = SessionPool(lambda: nullcontext(session)).ask(job)
    assert run.status is SuiteTestStatus.NOT_RUN
