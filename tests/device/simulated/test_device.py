from __future__ import annotations

from dataclasses import replace

import pytest
from builders import OpenProgram

from fewtaps.device.mutated import MutatedSession
from fewtaps.device.session import SessionSettings
from fewtaps.device.simulated.device import SimulatedDevice, SimulatedSession
from fewtaps.device.simulated.program import (
    AppExit,
    Handler,
    Hang,
    Phone,
    Program,
    Throw,
    View,
    button,
    checkbox,
    field,
    label,
)
from fewtaps.device.simulated.samples import SAMPLES, bill, lock, luggage, notes_app, two_writes, wizard
from fewtaps.errors import UsageError
from fewtaps.model.coverage import NO_COVERAGE
from fewtaps.model.crash import CrashKind
from fewtaps.model.ending import Ending
from fewtaps.model.event import (
    DoubleTap,
    Event,
    Key,
    Launch,
    LongPress,
    Pinch,
    Rotate,
    Selector,
    StartIntent,
    Swipe,
    SystemEvent,
    Tap,
    Text,
    Wait,
)
from fewtaps.model.profile import PROFILES
from fewtaps.model.screen import Screen, WindowKind
from fewtaps.model.trace import Step
from fewtaps.replay import play


def on(screen: Screen, text: str) -> Tap:
    """A tap on the widget with the text."""
    return Tap(*next(each.bounds for each in screen.iter_widgets() if text in (each.text, each.hint)).centre)


def tap(session: SimulatedSession, step: Step, text: str) -> Step:
    return session.perform(on(step.after, text))


def one_button(handler: Handler, **more: object) -> Program:
    return Program("com.example.one", [View("Main", [button("Go", handler)])], **more)  # type: ignore[arg-type]


def after_go(open_program: OpenProgram, handler: Handler, **more: object) -> Step:
    session = open_program(one_button(handler, **more))
    return tap(session, session.launch(), "Go")


def test_nothing_can_be_performed_before_the_first_launch(open_program: OpenProgram) -> None:
    session = open_program(notes_app())
    with pytest.raises(UsageError, match="launch first"):
        session.perform(Wait(1))
    with pytest.raises(UsageError, match="launch first"):
        session.screenshot()


def test_nothing_can_be_performed_after_the_session_is_closed() -> None:
    program = notes_app()
    with SimulatedDevice([program]).open(program.app) as session:
        session.launch()
    with pytest.raises(UsageError, match="closed"):
        session.perform(Wait(1))


@pytest.mark.parametrize(
    ("fault", "java_type"),
    [
        (ZeroDivisionError(), "java.lang.ArithmeticException"),
        (IndexError(), "java.lang.IndexOutOfBoundsException"),
        (AttributeError(), "java.lang.NullPointerException"),
        (ValueError("for input string"), "java.lang.NumberFormatException"),
        (RecursionError(), "java.lang.StackOverflowError"),
        (LookupError(), "java.lang.RuntimeException"),
        (
            Throw("android.content.ActivityNotFoundException", "No Activity"),
            "android.content.ActivityNotFoundException",
        ),
    ],
)
def test_what_a_handler_raises_is_a_java_crash(open_program: OpenProgram, fault: Exception, java_type: str) -> None:
    def go(phone: Phone) -> None:
        raise fault

    step = after_go(open_program, go)
    assert step.ending is Ending.CRASHED
    assert step.crash is not None and step.crash.root is not None
    assert step.crash.root.type == java_type
    assert step.crash.signature == f"{java_type} at com.example.one.TestDevice.go"


def test_a_cause_is_part_of_the_crash(open_program: OpenProgram) -> None:
    def go(phone: Phone) -> None:
        try:
            raise KeyError("title")
        except KeyError as error:
            raise Throw("java.lang.RuntimeException", "Unable to start activity") from error

    crash = after_go(open_program, go).crash
    assert crash is not None
    assert [link.type for link in crash.exceptions] == [
        "java.lang.RuntimeException",
        "java.util.NoSuchElementException",
    ]


def test_a_hang_of_the_main_thread_is_an_anr(open_program: OpenProgram) -> None:
    def go(phone: Phone) -> None:
        raise Hang

    step = after_go(open_program, go)
    assert step.ending is Ending.ANR
    assert step.crash is not None and step.crash.kind is CrashKind.ANR
    assert step.crash.signature == "ANR at com.example.one.TestDevice.go"


def test_a_hang_of_a_worker_thread_has_no_effect(open_program: OpenProgram) -> None:
    def work(phone: Phone) -> None:
        raise Hang

    assert after_go(open_program, lambda phone: phone.later(1, work, thread="worker")).ending is Ending.RUNNING


def test_an_exit_ends_the_process(open_program: OpenProgram) -> None:
    def go(phone: Phone) -> None:
        raise AppExit

    step = after_go(open_program, go)
    assert step.ending is Ending.EXITED
    assert step.crash is not None and step.crash.kind is CrashKind.EXIT


def test_a_full_heap_is_a_crash_of_its_own_kind(open_program: OpenProgram) -> None:
    def go(phone: Phone) -> None:
        raise MemoryError

    crash = after_go(open_program, go).crash
    assert crash is not None and crash.kind is CrashKind.MEMORY


def test_a_crash_at_launch_is_data(open_program: OpenProgram) -> None:
    def create(phone: Phone) -> None:
        raise Throw("java.lang.RuntimeException")

    step = open_program(Program("a", [View("Main")], on_create=create)).launch()
    assert step.event == Launch()
    assert step.ending is Ending.CRASHED


def test_a_mistake_of_the_program_is_ours_and_not_a_crash(open_program: OpenProgram) -> None:
    session = open_program(one_button(lambda phone: phone.go("Nowhere")))
    with pytest.raises(UsageError, match="no view 'Nowhere'"):
        tap(session, session.launch(), "Go")


def test_a_crash_in_the_background_names_its_thread(open_program: OpenProgram) -> None:
    def work(phone: Phone) -> None:
        raise IndexError

    crash = after_go(open_program, lambda phone: phone.later(100, work, thread="loader")).crash
    assert crash is not None and crash.thread == "loader"


def test_background_work_is_done_when_its_time_has_come(open_program: OpenProgram) -> None:
    def done(phone: Phone) -> None:
        phone.log(f"at {phone.clock_ms}")

    session = open_program(one_button(lambda phone: phone.later(700, done)))
    first = tap(session, session.launch(), "Go")
    assert first.log == ()
    second = session.perform(Wait(500))
    assert second.log == ("at 3700",)
    assert second.clock_ms == 4000


def test_work_for_one_moment_is_done_in_the_order_it_was_asked_for(open_program: OpenProgram) -> None:
    def go(phone: Phone) -> None:
        for number in range(3):
            phone.later(10, lambda phone, number=number: phone.log(str(number)))  # type: ignore[misc]

    assert after_go(open_program, go).log == ("0", "1", "2")


def test_an_app_that_is_never_quiet_is_said_to_be_so(open_program: OpenProgram) -> None:
    def again(phone: Phone) -> None:
        phone.later(0, again)

    step = after_go(open_program, again)
    assert step.ending is Ending.RUNNING
    assert "not quiet" in step.notes[0]


def test_the_world_decides_chance_and_delays(open_program: OpenProgram) -> None:
    def go(phone: Phone) -> None:
        phone.later(0, lambda phone: phone.log(str(phone.clock_ms)), jitter_ms=400)
        phone.log(str(phone.random.random()))

    session = open_program(one_button(go))
    logs = {world: tap(session, session.launch(world), "Go").log for world in (*range(20), *range(20))}
    assert all(tap(session, session.launch(world), "Go").log == log for world, log in logs.items())
    assert len(set(logs.values())) == 20


def test_a_toast_is_a_window_on_top_that_takes_no_touches_and_goes_away(open_program: OpenProgram) -> None:
    session = open_program(one_button(lambda phone: phone.toast("Saved")))
    step = tap(session, session.launch(), "Go")
    assert step.after.windows[0].kind is WindowKind.TOAST
    assert not step.after.windows[0].touchable
    assert step.after.touch_window == 1
    assert len(session.perform(Wait(2000)).after.windows) == 1


def test_a_dialog_is_above_its_activity_and_back_closes_it(open_program: OpenProgram) -> None:
    session = open_program(notes_app())
    first = session.launch()
    opened = session.perform(Key("MENU"))
    assert [window.kind for window in opened.after.windows] == [WindowKind.DIALOG, WindowKind.ACTIVITY]
    assert opened.after.activity == first.after.activity
    assert session.perform(Key("BACK")).after == first.after


def test_a_dialog_closes_before_its_button_acts_and_when_touched_outside(open_program: OpenProgram) -> None:
    session = open_program(notes_app())
    first = tap(session, session.launch(), "Save")
    assert first.after.shows("1 notes")
    cleared = tap(session, session.perform(Key("MENU")), "Clear")
    assert cleared.after.shows("0 notes")
    session.perform(Key("MENU"))
    outside = session.perform(Tap(700, 1200))
    assert [window.kind for window in outside.after.windows] == [WindowKind.ACTIVITY]


def test_back_goes_through_the_views_and_then_leaves(open_program: OpenProgram) -> None:
    session = open_program(notes_app())
    opened = tap(session, session.launch(), "Archive")
    assert opened.after.activity == "com.example.notes.Archive"
    assert session.perform(Key("BACK")).after.activity == "com.example.notes.Main"
    left = session.perform(Key("BACK"))
    assert left.ending is Ending.LEFT
    assert left.after.package == "com.android.launcher"
    assert session.perform(Tap(10, 100)).ending is Ending.LEFT
    assert session.perform(Launch()).after.activity == "com.example.notes.Main"


def test_home_keeps_what_the_app_remembers(open_program: OpenProgram) -> None:
    session = open_program(notes_app())
    saved = tap(session, session.launch(), "Save")
    session.perform(Key("HOME"))
    session.perform(Wait(3000))
    back = session.perform(Launch())
    assert back.after.activity == saved.after.activity
    assert back.after.shows("1 notes")


def test_a_view_may_have_its_own_use_for_back(open_program: OpenProgram) -> None:
    view = View("Main", on_back=lambda phone: phone.toast("Really?"))
    session = open_program(Program("a", [view]))
    session.launch()
    assert session.perform(Key("BACK")).after.shows("Really?")


def test_text_goes_into_the_focused_field_and_back_hides_the_keyboard(open_program: OpenProgram) -> None:
    session = open_program(notes_app())
    focused = tap(session, session.launch(), "Title")
    assert focused.after.keyboard
    assert session.perform(Text("Milk")).after.shows("Milk")
    assert session.perform(Text(" and tea")).after.shows("Milk and tea")
    assert not session.perform(Text("Bread", replace=True)).after.shows("Milk")
    hidden = session.perform(Key("BACK"))
    assert hidden.ending is Ending.RUNNING and not hidden.after.keyboard


def test_text_without_a_focused_field_is_noted(open_program: OpenProgram) -> None:
    session = open_program(notes_app())
    session.launch()
    assert "focus" in session.perform(Text("x")).notes[0]
    assert "no such field" in session.perform(Text("x", selector=Selector(text="Save"))).notes[0]


def test_a_tick_is_turned_on_and_off(open_program: OpenProgram) -> None:
    program = Program(
        "a", [View("Main", [checkbox("tip", "Tip"), label(lambda state: str(state["tip"]), name="shown")])]
    )
    session = open_program(program)
    first = session.launch()
    second = tap(session, first, "Tip")
    assert second.after.shows("True")
    point = on(second.after, "Tip")
    assert session.perform(DoubleTap(point.x, point.y)).after.shows("True")
    assert tap(session, second, "Tip").after.shows("False")


def test_a_long_press_is_not_a_tap(open_program: OpenProgram) -> None:
    session = open_program(notes_app())
    first = session.launch()
    point = on(first.after, "Save")
    assert session.perform(LongPress(point.x, point.y)).after.windows[0].title == "Options"


def test_a_long_list_is_scrolled_by_swiping(open_program: OpenProgram) -> None:
    session = open_program(notes_app())
    opened = tap(session, session.launch(), "Archive")
    assert not opened.after.shows("Note 40")
    for _ in range(5):
        step = session.perform(Swipe(300, 1100, 300, 200))
    assert step.after.shows("Note 40") and not step.after.shows("Note 1 ")
    assert tap(session, step, "Note 40").after.activity == "com.example.notes.Main"


def test_rotation_is_told_to_the_view_in_front(open_program: OpenProgram) -> None:
    session = open_program(notes_app())
    session.launch()
    assert session.perform(Rotate("landscape")).log == ("I/Notes: rotated",)
    assert session.perform(Rotate("landscape")).log == ()


@pytest.mark.parametrize(
    ("event", "seen"),
    [
        (SystemEvent("low_memory"), "I/Notes: trimmed"),
        (SystemEvent("locale", (("to", "de"),)), "does not listen to locale"),
        (StartIntent("android.intent.action.VIEW"), "does not listen to intent android.intent.action.VIEW"),
        (StartIntent("android.intent.action.SEND"), "Shared"),
        (Pinch(100, 100, 50, 200), ""),
        (Key("CAMERA"), ""),
    ],
)
def test_system_events_reach_an_app_that_listens(open_program: OpenProgram, event: Event, seen: str) -> None:
    session = open_program(notes_app())
    session.launch()
    step = session.perform(event)
    told = "".join((*step.log, *step.notes))
    assert seen in told or step.after.shows(seen)


def test_a_process_that_ends_takes_what_only_memory_has_and_leaves_the_views(open_program: OpenProgram) -> None:
    session = open_program(luggage())
    packed = tap(session, session.launch(), "Pack")
    labelled = tap(session, packed, "Label")
    assert labelled.after.shows("Bag of Ada")
    back = session.perform(SystemEvent("process_death"))
    assert back.after == labelled.after
    crash = tap(session, back, "Label").crash
    assert crash is not None and crash.root is not None and crash.root.message == "the traveller is not known"


def test_a_program_says_which_broadcasts_it_listens_to(open_program: OpenProgram) -> None:
    session = open_program(
        one_button(
            lambda phone: None,
            on_system={"com.example.PING": lambda phone: phone.log("pinged"), "low_memory": lambda phone: None},
        )
    )
    assert session.listening() == frozenset()
    session.launch()
    assert session.listening() == {"com.example.PING"}
    assert session.perform(SystemEvent("broadcast", (("action", "com.example.PING"),))).log == ("pinged",)
    step = session.perform(SystemEvent("broadcast", (("action", "com.example.PONG"),)))
    assert step.notes == ("the app does not listen to com.example.PONG",)


def test_coverage_counts_handlers_and_branches_once_per_run(open_program: OpenProgram) -> None:
    session = open_program(two_writes())
    first = session.launch()
    armed = tap(session, first, "Arm")
    assert len(armed.covered.methods) == 1
    assert list(armed.covered.branches) == [1]
    assert tap(session, armed, "Arm").covered == NO_COVERAGE
    session.launch()
    assert session.perform(on(first.after, "Arm")).covered == armed.covered


def test_a_step_tells_all_that_ran_only_if_asked_to(open_program: OpenProgram) -> None:
    session = open_program(two_writes(), SessionSettings(step_coverage=True))
    first = session.launch()
    armed = tap(session, first, "Arm")
    again = tap(session, armed, "Arm")
    assert armed.ran == again.ran == armed.covered
    assert again.covered == NO_COVERAGE
    assert session.perform(Wait(1)).ran == NO_COVERAGE
    plain = open_program(two_writes())
    assert tap(plain, plain.launch(), "Arm").ran == NO_COVERAGE


def test_what_is_off_does_not_run(open_program: OpenProgram) -> None:
    session = open_program(two_writes(), SessionSettings(coverage="off", step_coverage=True))
    assert tap(session, session.launch(), "Arm").ran == NO_COVERAGE


def test_the_world_is_asked_by_the_first_random_number_of_a_run(open_program: OpenProgram) -> None:
    session = open_program(lock((1, 2), probability=0.3))
    first = session.launch(5)
    one = tap(session, first, "Button 1")
    assert (first.asked_world, one.asked_world) == (False, False)
    assert tap(session, one, "Button 2").asked_world is True
    assert session.launch(5).asked_world is False


def test_a_device_without_worlds_does_not_tell_of_them() -> None:
    program = two_writes()
    with SimulatedDevice([program], worlds=False).open(program.app) as session:
        assert session.launch().asked_world is None


def test_coverage_can_be_off(open_program: OpenProgram) -> None:
    session = open_program(two_writes(), SessionSettings(coverage="off"))
    assert tap(session, session.launch(), "Arm").covered == NO_COVERAGE


def test_the_probe_map_names_the_handlers(open_program: OpenProgram) -> None:
    probes = open_program(two_writes()).probe_map()
    assert [method.name for each in probes.classes for method in each.methods] == [
        "on_tap_set_zero",
        "on_tap_arm",
        "on_tap_divide",
        "on_tap_reset",
    ]
    assert probes.totals.branches == 4


def test_a_field_of_the_state_that_is_hidden_changes_no_screen(open_program: OpenProgram) -> None:
    session = open_program(two_writes())
    first = session.launch()
    assert tap(session, first, "Set zero").after is first.after


@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda profile: profile.name)
def test_the_screen_is_that_of_the_profile(open_program: OpenProgram, profile: object) -> None:
    chosen = PROFILES[profile.name]  # type: ignore[attr-defined]
    step = open_program(notes_app(), SessionSettings(profile=chosen)).launch()
    assert (step.after.width, step.after.height) == (chosen.width, chosen.height)


def test_the_screens_of_many_states_do_not_fill_the_memory(
    open_program: OpenProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fewtaps.device.simulated.device.MAX_SCREENS", 10)

    def count(phone: Phone) -> None:
        phone.state["count"] += 1

    view = View("Main", [button("Go", count), label(lambda state: str(state["count"]), name="count")])
    session = open_program(Program("a", [view], state={"count": 0}))
    step = session.launch()
    for number in range(1, 50):
        step = tap(session, step, "Go")
        assert step.after.shows(str(number))


def test_fields_of_one_run_are_not_seen_in_the_next(open_program: OpenProgram) -> None:
    session = open_program(Program("a", [View("Main", [field("name")])]))
    session.launch()
    session.perform(Text("Ada", selector=Selector(resource_id="a:id/name")))
    assert not session.launch().after.shows("Ada")


def test_every_sample_comes_up() -> None:
    device = SimulatedDevice()
    assert {app.package for app in device.apps} == {program.package for program in SAMPLES}
    for app in device.apps:
        with device.open(app) as session:
            assert session.launch().ending is Ending.RUNNING


def test_the_wizard_crashes_behind_all_its_pages(open_program: OpenProgram) -> None:
    session = open_program(wizard(12))
    step = session.launch()
    taps = 0
    while step.ending is Ending.RUNNING:
        step = tap(session, step, "Accept")
        step = tap(session, step, "Finish" if step.after.shows("Finish") else "Next")
        taps += 2
    assert taps == 24
    assert step.crash is not None


def test_a_world_tells_what_it_decided_also_after_a_crash(open_program: OpenProgram) -> None:
    def loaded(phone: Phone) -> None:
        if phone.chance(0.5):
            raise Throw("java.lang.IllegalStateException")

    session = open_program(one_button(lambda phone: phone.later(100, loaded, jitter_ms=50, thread="loader")))
    assert session.decisions() == ()
    step = session.launch(3)
    assert session.decisions() == ()
    step = tap(session, step, "Go")
    work, choice = session.decisions()
    assert work.what == "loaded on thread loader"
    assert work.due_ms is not None and work.at_ms + 100 <= work.due_ms <= work.at_ms + 150
    assert (choice.what, choice.value) == ("chance of 0.5", "yes" if step.crash is not None else "no")


def test_a_mutant_of_a_program_lacks_a_handler_in_its_own_launch_only(open_program: OpenProgram) -> None:
    session = open_program(bill())
    mutants = {mutant.method: mutant for mutant in session.mutants()}
    assert set(mutants) == {method.name for each in session.probe_map().classes for method in each.methods}
    assert mutants == {mutant.method: mutant for mutant in session.mutants(["MATH", "VOID_METHOD_CALLS"])}
    assert session.mutants(["MATH"]) == ()
    about = Tap(0, 0, Selector(text="About"))
    seen = play(session, [about]).steps[-1].after
    changed = play(MutatedSession(session, mutants["on_tap_about"]), [about]).steps[-1]
    assert len(seen.windows) == 2
    assert len(changed.after.windows) == 1
    assert not session.loop_turns().is_endless
    assert play(session, [about]).steps[-1].after == seen
    with pytest.raises(UsageError, match="no mutant"):
        session.launch_mutant(replace(mutants["on_tap_about"], index=1))
    with pytest.raises(UsageError, match="no mutation operator"):
        session.mutants(["PLUS"])
