from __future__ import annotations

from dataclasses import replace

import pytest
from builders import APP, OpenProgram, screen, widget

from fewtaps.device.jobs import JobContext
from fewtaps.device.session import SessionSettings
from fewtaps.device.simulated.device import SimulatedSession
from fewtaps.device.simulated.program import Phone, Program, View, button, field
from fewtaps.device.simulated.samples import bill, feed, lock, wizard
from fewtaps.errors import BridgeError, Unsupported, UsageError
from fewtaps.model.ending import Ending
from fewtaps.model.event import Event, Key, Launch, LongPress, Selector, Swipe, Tap, Text, Wait
from fewtaps.model.goal import SameCrash
from fewtaps.model.profile import PROFILES
from fewtaps.model.screen import Screen
from fewtaps.model.state import StateId
from fewtaps.model.step_state import step_state
from fewtaps.model.trace import Aim, Step, Trace
from fewtaps.replay import STOP_ASKED_EVERY, PlayEvents, PlayRecorded, aim, aimed_anew, play, play_steps, reproduce


def on(text: str, x: int = 0, y: int = 0) -> Tap:
    """A tap on the button with the text, wherever it is."""
    return Tap(x, y, Selector(class_name="android.widget.Button", text=text))


def test_a_played_trace_can_be_played_again(open_program: OpenProgram) -> None:
    session = open_program(bill())
    first = play(session, [on("More people"), on("Split"), Key("BACK")])
    assert play(session, first.events) == first


def test_play_stops_where_the_app_does(open_program: OpenProgram) -> None:
    trace = play(open_program(bill()), [on("Split"), on("Split"), Wait(1)])
    assert len(trace.steps) == 2
    assert trace.ending is Ending.CRASHED
    assert trace.crash is not None and trace.crash.summary.startswith("java.lang.ArithmeticException")


def test_a_trace_says_where_it_was_played(open_program: OpenProgram) -> None:
    trace = play(open_program(bill(), SessionSettings(world=7, profile=PROFILES["mi1"])), [])
    assert (trace.world, trace.profile, trace.screen) == (7, "mi1", (480, 854, 240))
    assert trace.app == bill().app.ref


def test_a_world_given_to_play_counts_more_than_that_of_the_settings(open_program: OpenProgram) -> None:
    assert play(open_program(bill(), SessionSettings(world=7)), [], world=3).world == 3


def test_a_trace_of_one_phone_replays_on_another_by_selector(open_program: OpenProgram) -> None:
    small = open_program(bill(), SessionSettings(profile=PROFILES["small"]))
    first: Screen = small.launch().after
    split = next(each for each in first.iter_located() if each.widget.text == "Split")
    event = Tap(*split.widget.bounds.centre, first.selector_for(split.path))
    large = open_program(bill(), SessionSettings(profile=PROFILES["mi5"]))
    assert play(large, [event]).ending is Ending.CRASHED
    assert play(large, [event], by=Aim.COORDINATES).ending is Ending.RUNNING


def test_the_trace_keeps_the_events_as_they_were_given(open_program: OpenProgram) -> None:
    assert play(open_program(bill()), [on("More people", 5, 6)]).events == (Launch(), on("More people", 5, 6))


def test_a_selector_that_finds_nothing_is_noted_and_the_coordinates_are_used(open_program: OpenProgram) -> None:
    session = open_program(bill())
    bounds = next(each.bounds for each in session.launch().after.iter_widgets() if each.text == "Split")
    trace = play(session, [on("Teilen", *bounds.centre)])
    assert trace.ending is Ending.CRASHED
    assert trace.steps[1].notes == ("not found: Teilen android.widget.Button; used the coordinates",)


def test_replay_by_coordinates_never_looks_at_selectors(open_program: OpenProgram) -> None:
    trace = play(open_program(bill()), [on("Split", 1, 1)], by=Aim.COORDINATES)
    assert trace.ending is Ending.RUNNING
    assert trace.steps[1].notes == ()


def test_text_for_a_field_that_is_gone_goes_to_the_focused_one(open_program: OpenProgram) -> None:
    program = Program("com.example.form", [View("Main", [field("name")])])
    session = open_program(program)
    centre = next(each.bounds for each in session.launch().after.iter_widgets() if each.hint == "name").centre
    trace = play(session, [Tap(*centre), Text("Ada", selector=Selector(resource_id="com.example.form:id/gone"))])
    assert trace.steps[-1].after.shows("Ada")
    assert "typed into the focused field" in trace.steps[-1].notes[0]


def test_steps_are_heard_of_as_they_happen(open_program: OpenProgram) -> None:
    heard: list[tuple[int, Step]] = []
    trace = play(open_program(bill()), [Wait(1), Wait(2)], on_step=lambda number, step: heard.append((number, step)))
    assert heard == list(enumerate(trace.steps))


def test_an_unknown_way_to_aim_is_refused(open_program: OpenProgram) -> None:
    with pytest.raises(UsageError, match="by selector or by coordinates"):
        play(open_program(bill()), [], by="luck")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("event", "aimed"),
    [
        (Tap(10, 20, Selector(text="A")), Tap(10, 20, Selector(text="A"))),
        (Tap(10, 120, Selector(text="A")), Tap(50, 25, Selector(text="A"))),
        (LongPress(0, 0, Selector(text="B")), LongPress(50, 75, Selector(text="B"))),
        (
            Swipe(0, 150, 0, 100, selector=Selector(text="A")),
            Swipe(0, 25, 0, -25, selector=Selector(text="A")),
        ),
        (
            Swipe(10, 90, 90, 90, selector=Selector(text="A")),
            Swipe(10, 25, 90, 25, selector=Selector(text="A")),
        ),
        (
            Swipe(150, 10, 110, 10, selector=Selector(text="A")),
            Swipe(50, 10, 10, 10, selector=Selector(text="A")),
        ),
        (Tap(3, 4), Tap(3, 4)),
        (Key("BACK"), Key("BACK")),
    ],
)
def test_an_event_is_moved_to_its_widget_only_if_it_is_elsewhere(event: Event, aimed: Event) -> None:
    assert aim(event, screen(widget("A"), widget("B"))) == (aimed, ())


def test_a_deterministic_crash_is_reproduced_in_every_world(open_program: OpenProgram) -> None:
    session = open_program(wizard(3))
    taps = [on("Accept"), on("Next"), on("Accept"), on("Next"), on("Accept"), on("Finish")]
    crash = play(session, taps).crash
    assert crash is not None
    assert reproduce(session, taps, SameCrash(crash.signature), range(20)).met == 20


@pytest.mark.slow
def test_a_flaky_crash_is_reproduced_as_often_as_its_chance(open_program: OpenProgram) -> None:
    session = open_program(lock((1, 2), probability=0.3))
    taps = [on("Button 1"), on("Button 2")]
    crash = next(crash for world in range(99) if (crash := play(session, taps, world=world).crash))
    found = reproduce(session, taps, SameCrash(crash.signature), range(1000))
    low, high = found.interval
    assert low < 0.3 < high
    assert found == reproduce(session, taps, SameCrash(crash.signature), range(1000))


def test_a_race_crashes_in_some_worlds_only(open_program: OpenProgram) -> None:
    session = open_program(feed())
    verdicts = {play(session, [on("Refresh"), on("First post")], world=world).ending for world in range(30)}
    assert verdicts == {Ending.RUNNING, Ending.CRASHED}


def test_each_world_is_heard_of(open_program: OpenProgram) -> None:
    heard: list[tuple[int, bool]] = []
    reproduce(
        open_program(bill()),
        [],
        SameCrash("none"),
        [4, 2],
        on_trace=lambda trace, met: heard.append((trace.world, met)),
    )
    assert heard == [(4, False), (2, False)]


def test_a_selector_reaches_a_widget_that_moved(open_program: OpenProgram) -> None:
    def reveal(phone: Phone) -> None:
        phone.state["extra"] = True

    def boom(phone: Phone) -> None:
        phone.state["gone"].append(1)

    main = View(
        "Main",
        [button("Extra", shown=lambda state: state["extra"]), button("Reveal", reveal), button("Boom", boom)],
    )
    program = Program("com.example.moving", [main], state={"extra": False, "gone": None})
    session = open_program(program)
    first = session.launch().after
    located = next(each for each in first.iter_located() if each.widget.text == "Boom")
    tap = Tap(*located.widget.bounds.centre, first.selector_for(located.path))
    above = next(each.bounds for each in first.iter_widgets() if each.text == "Reveal")
    taps = [on("Reveal", *above.centre), tap]
    assert play(session, taps).ending is Ending.CRASHED
    assert play(session, taps, by=Aim.COORDINATES).ending is Ending.RUNNING


def test_a_device_that_dies_once_does_not_count_against_the_crash(
    open_program: OpenProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = open_program(bill())
    crash = play(session, [on("Split")]).crash
    assert crash is not None
    perform, deaths = session.perform, iter([True])

    def dies_once(event: Event) -> Step:
        step = perform(event)
        return replace(step, ending=Ending.LOST, crash=None) if next(deaths, False) else step

    monkeypatch.setattr(session, "perform", dies_once, raising=False)
    assert reproduce(session, [on("Split")], SameCrash(crash.signature), range(3)).met == 3


def states_of(trace: Trace) -> tuple[StateId | None, ...]:
    return tuple(step_state(step, "content") for step in trace.steps)


def test_a_run_that_is_as_expected_has_no_deviation(open_program: OpenProgram) -> None:
    session = open_program(bill())
    events = (on("More people"), on("Split"))
    seen = play(session, events)
    played = PlayEvents(events, expected=states_of(seen), abstraction="content").run(session, JobContext())
    assert (played.trace, played.deviation, played.missing, played.is_stopped) == (seen, None, (), False)


def test_a_run_stops_at_the_first_state_that_is_not_expected(open_program: OpenProgram) -> None:
    session = open_program(bill())
    events = (on("More people"), on("More people"), on("More people"))
    expected = list(states_of(play(session, events)))
    expected[2] = expected[1]
    job = PlayEvents(events, expected=tuple(expected), abstraction="content")
    whole = job.run(session, JobContext())
    assert (whole.deviation, len(whole.trace.steps)) == (2, 4)
    short = replace(job, stops_at_deviation=True).run(session, JobContext())
    assert (short.deviation, len(short.trace.steps), short.is_stopped) == (2, 3, False)
    assert replace(job, abstraction="activity", expected=(None, None)).run(session, JobContext()).deviation is None


def test_a_crash_that_is_not_expected_is_a_deviation_and_an_expected_one_is_not(open_program: OpenProgram) -> None:
    session = open_program(bill())
    crashing = play(session, [on("Split")])
    assert crashing.crash is not None
    job = PlayEvents((on("Split"),), expected=states_of(crashing), abstraction="content")
    assert job.run(session, JobContext()).deviation is None
    running = (job.expected[0], job.expected[0])
    assert replace(job, expected=running).run(session, JobContext()).deviation == 1


def test_steps_after_the_end_of_the_app_are_a_deviation(open_program: OpenProgram) -> None:
    played = PlayEvents((on("Split"), Wait(1))).run(open_program(bill()), JobContext())
    assert played.trace.ending is Ending.CRASHED
    assert (played.deviation, len(played.trace.steps)) == (2, 2)


def test_a_selector_that_finds_nothing_is_a_deviation_and_is_not_tapped_where_the_run_stops(
    open_program: OpenProgram,
) -> None:
    session = open_program(bill())
    job = PlayEvents((Launch(), on("More people"), on("Teilen"), Wait(1)))
    whole = job.run(session, JobContext())
    assert (whole.deviation, whole.missing, len(whole.trace.steps)) == (2, (2,), 4)
    short = replace(job, stops_at_deviation=True).run(session, JobContext())
    assert (short.deviation, short.missing, short.is_stopped) == (2, (), False)
    assert short.trace.steps == whole.trace.steps[:2]


def test_another_widget_in_the_same_place_is_not_tapped_where_the_run_stops(open_program: OpenProgram) -> None:
    session = open_program(bill())
    found = play(session, ()).steps[0].after.find(Selector(text="Split"))
    assert found is not None
    other = Tap(*found.widget.bounds.centre, Selector(None, found.widget.class_name, "Teilen", path=found.path))
    assert PlayEvents((other,)).run(session, JobContext()).missing == ()
    short = PlayEvents((other,), stops_at_deviation=True).run(session, JobContext())
    assert (short.deviation, len(short.trace.steps)) == (1, 1)


def test_a_run_in_which_the_device_was_lost_has_no_deviation(open_program: OpenProgram) -> None:
    session = open_program(bill())
    perform = session.perform
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session, "perform", lambda event: replace(perform(event), ending=Ending.LOST))
        job = PlayEvents((Wait(1), Wait(1)), expected=(None, StateId("other")), stops_at_deviation=True)
        played = job.run(session, JobContext())
    assert (played.trace.ending, played.deviation, len(played.trace.steps)) == (Ending.LOST, None, 2)


def test_an_event_that_the_bridge_cannot_describe_ends_a_run_that_is_no_evidence() -> None:
    class Failing(SimulatedSession):
        def perform(self, event: Event) -> Step:
            if isinstance(event, Wait):
                raise BridgeError("no answer")
            return super().perform(event)

    events = (on("More people"), Wait(1), on("Split"))
    played = PlayEvents(events).run(Failing(bill(), SessionSettings()), JobContext())
    assert played.trace.events[1:] == events[:2]
    assert (played.trace.ending, played.trace.steps[-1].notes) == (Ending.LOST, ("no answer",))
    assert played.deviation is None
    with pytest.raises(BridgeError):
        play(Failing(bill(), SessionSettings()), events)


def test_every_step_of_a_run_tells_its_real_seconds(open_program: OpenProgram) -> None:
    session = open_program(bill())
    played = PlayEvents((Wait(1), on("Split"), Wait(1))).run(session, JobContext())
    assert len(played.seconds) == len(played.trace.steps) == 3
    assert all(seconds >= 0 for seconds in played.seconds)
    seconds = iter([10.0, 12.5, 20.0, 20.25])
    steps = play_steps(session, (Wait(1),), clock=lambda: next(seconds))
    assert [step.seconds for step in steps] == [2.5, 0.25]


def test_two_answers_are_equal_whatever_time_they_took(open_program: OpenProgram) -> None:
    session = open_program(bill())
    job = PlayEvents((Wait(1),))
    played = job.run(session, JobContext())
    assert played == replace(played, seconds=(99.0, 99.0)) == job.run(session, JobContext())


def test_a_run_that_is_told_to_stop_has_no_deviation(open_program: OpenProgram) -> None:
    job = PlayEvents((Wait(1),) * (2 * STOP_ASKED_EVERY))
    played = job.run(open_program(bill()), JobContext(should_stop=lambda: True))
    assert (played.is_stopped, played.deviation, len(played.trace.steps)) == (True, None, STOP_ASKED_EVERY + 1)


def test_an_unknown_abstraction_is_refused(open_program: OpenProgram) -> None:
    with pytest.raises(UsageError, match="no abstraction is named 'looks'"):
        PlayEvents((), abstraction="looks").run(open_program(bill()), JobContext())


def test_a_device_that_cannot_record_says_so(open_program: OpenProgram) -> None:
    with pytest.raises(Unsupported, match="cannot record"):
        PlayRecorded((Launch(),)).run(open_program(bill()), JobContext())


def test_events_of_a_longer_trace_are_aimed_at_what_this_run_showed() -> None:
    fewer = Selector(resource_id="app:id/fewer", text="Fewer", path=(0, 4))
    field_of_long_trace = Selector(resource_id="app:id/bill", text="1050", path=(0, 1))
    shown = screen(widget("42", resource_id="app:id/bill"), widget("−", resource_id="app:id/fewer"))
    steps = (
        Step(Launch(), after=shown),
        Step(Text("1", selector=field_of_long_trace), shown, shown),
        Step(Tap(1000, 398, replace(fewer, text=None)), shown, shown),
        Step(Tap(3, 3, Selector(text="gone")), shown, shown),
    )
    _, typed, tapped, lost = aimed_anew(Trace(APP, steps)).events
    assert typed == Text("1", selector=Selector(resource_id="app:id/bill", text="42", path=(0, 0)))
    assert tapped == Tap(50, 75, Selector(resource_id="app:id/fewer", path=(0, 1)))
    assert lost == steps[3].event


def test_events_that_are_aimed_anew_do_the_same(open_program: OpenProgram) -> None:
    long = play(open_program(bill()), [on("−", 9000, 1), on("−", 1, 9000), on("Split", 9000, 9000)])
    again = play(open_program(bill()), aimed_anew(long).events, by=Aim.COORDINATES)
    assert long.crash is not None
    assert [step.after for step in again.steps] == [step.after for step in long.steps]
    assert again.crash == long.crash
