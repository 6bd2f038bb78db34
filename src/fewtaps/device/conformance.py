"""The checks every backend must pass, shipped for outside backends too.

A `Subject` is a session and what is known of the app in it. Each check launches the app itself, so they can run in any
order on one session. A test suite takes them so:

    @pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
    def test_my_backend(check: Check, subject: Subject) -> None:
        check(subject)
"""

from __future__ import annotations

import struct
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias, cast

from fewtaps.device.session import (
    Capability,
    Device,
    Session,
    TellsProbes,
    coverage_reporter,
    decision_teller,
    execution_recorder,
    probe_teller,
    screenshot_taker,
    world_for,
)
from fewtaps.errors import FewtapsError, Unsupported, UsageError
from fewtaps.model.coverage import NO_COVERAGE, Coverage, ProbeSet
from fewtaps.model.crash import crash_from_json, crash_to_json
from fewtaps.model.ending import Ending
from fewtaps.model.event import Event, Key, Launch, Rotate, Selector, StartIntent, SystemEvent, Tap, Text, Wait
from fewtaps.model.screen import UNSEEN, Screen, screen_from_json, screen_to_json
from fewtaps.model.trace import Step

EXECUTION_HEADER = b"\x01\xc0\xc0"
"""How JaCoCo's execution data begin: a block of the header's type, and the magic number. The version follows."""


class NotConforming(AssertionError):
    """A backend breaks a promise of the protocol; the message says which."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A session, and what is known of its app.

    From a launch, `changes` lead to another screen without a crash, `crashes` to a crash with the last of them.
    `field` names a text field of the first screen, if it has one. Without the session's `device`, what that can do by
    itself is not checked.
    """

    session: Session
    changes: tuple[Event, ...]
    crashes: tuple[Event, ...]
    field: Selector | None = None
    device: Device | None = None


Check: TypeAlias = Callable[[Subject], None]


def launch_shows_the_app(subject: Subject) -> None:
    """The first step is a launch, seen from nothing, and the app is in front of the user."""
    step = subject.session.launch()
    _expect(step.event == Launch(), f"the first step's event is {step.event}, not a launch")
    _expect(step.before == UNSEEN, "something was seen before the launch")
    _expect(step.ending is Ending.RUNNING and step.crash is None, f"the app did not come up: {step.ending}")
    _expect(step.after.package == subject.session.app.package, f"{step.after.package} is in front, not the app")
    _expect(step.after.activity is not None, "the screen has no activity")
    _expect(step.clock_ms >= 0, f"the clock starts at {step.clock_ms} ms")


def screens_are_well_formed(subject: Subject) -> None:
    """Screens have the profile's size and hold widgets with a size of their own; some window can be touched."""
    profile = subject.session.settings.profile
    steps = _play(subject.session, subject.changes)
    first = steps[0].after
    size = (first.width, first.height)
    _expect(size == (profile.width, profile.height), f"the screen is {size[0]}x{size[1]}")
    for step in steps:
        _expect(step.after.touch_window is not None, "no window can be touched")
        for widget in step.after.iter_widgets():
            _expect(bool(widget.class_name), "a widget has no class")
            _expect(widget.bounds.width > 0 and widget.bounds.height > 0, f"{widget.class_name} has no size")


def selectors_lead_back_to_their_widgets(subject: Subject) -> None:
    """The selector of each widget that can be tapped finds that very widget."""
    screen = subject.session.launch().after
    for located in screen.iter_touchable():
        if located.widget.is_target:
            selector = screen.selector_for(located.path)
            found = screen.find(selector) if selector else None
            _expect(found is not None and found.path == located.path, f"{selector} leads elsewhere")


def each_step_starts_where_the_last_ended(subject: Subject) -> None:
    """Nothing happens between two steps."""
    steps = _play(subject.session, (*subject.changes, Wait(100)))
    for earlier, later in zip(steps, steps[1:], strict=False):
        _expect(later.before == earlier.after, f"the screen changed before {later.event}")
        _expect(later.clock_ms >= earlier.clock_ms, "the clock went back")


def events_have_effects(subject: Subject) -> None:
    """The events that lead to another screen do."""
    steps = _play(subject.session, subject.changes)
    _expect(steps[-1].ending is Ending.RUNNING, f"the app ended: {steps[-1].ending}")
    _expect(steps[-1].after != steps[0].after, "nothing changed")


def launch_forgets_everything(subject: Subject) -> None:
    """A launch after a run, or after a crash, gives the same step as the first.

    Without worlds clocks and logs may differ, and what is shown may too; the activity and the text in the field may
    not.
    """
    has_worlds = Capability.WORLDS in subject.session.capabilities
    first = subject.session.launch()
    _play(subject.session, subject.changes)
    _expect_same_start(first, subject.session.launch(), "a launch after another run", has_worlds, subject.field)
    _play(subject.session, subject.crashes)
    _expect_same_start(first, subject.session.launch(), "a launch after a crash", has_worlds, subject.field)


def same_world_and_events_give_equal_steps(subject: Subject) -> None:
    """With worlds, a run is decided by the world and the events, not by earlier runs."""
    if Capability.WORLDS not in subject.session.capabilities:
        return
    events = (*subject.changes, Wait(2000), Key("BACK"))
    for world in (0, 7):
        first = _play(subject.session, events, world)
        _play(subject.session, subject.crashes, world + 1)
        for earlier, later in zip(first, _play(subject.session, events, world), strict=True):
            _expect_equal(earlier, later, f"world {world}")


def without_worlds_nothing_is_told_of_them(subject: Subject) -> None:
    """Without worlds a session tells no decisions, and the world to launch in is always 0."""
    session = subject.session
    if Capability.WORLDS in session.capabilities:
        return
    _expect(decision_teller(session) is None, "there are decisions without worlds that could decide")
    _expect(world_for(session, 7) == 0, "a world can be chosen where there are none")


def decisions_are_told_in_order(subject: Subject) -> None:
    """With the capability, a world's decisions are the same when asked twice and when played twice."""
    teller = decision_teller(subject.session)
    if teller is None:
        return
    _play(subject.session, subject.changes, 3)
    decisions = teller.decisions()
    _expect(teller.decisions() == decisions, "a question changed the decisions")
    times = [decision.at_ms for decision in decisions]
    _expect(times == sorted(times), "the decisions are not in the order of deciding")
    _play(subject.session, subject.changes, 3)
    _expect(teller.decisions() == decisions, "the same world decided otherwise")


def any_whole_number_is_a_world(subject: Subject) -> None:
    """Small, large and negative numbers all launch, also where worlds cannot be chosen."""
    for world in (1, -1, 2**31, 2**63 - 1):
        step = subject.session.launch(world)
        _expect(step.ending is Ending.RUNNING, f"world {world} does not launch: {step.ending}")


def a_crash_is_data(subject: Subject) -> None:
    """A crash is in the step, with a signature, and is the same crash the next time."""
    step = _play(subject.session, subject.crashes)[-1]
    crash = step.crash
    if crash is None:
        raise NotConforming(f"no crash, but {step.ending}")
    _expect(step.ending.is_final, f"after a crash the app is {step.ending}")
    _expect(bool(crash.thread and crash.exceptions and crash.signature), "the crash says too little")
    _expect(crash.suspect is None, f"the crash is suspect: {crash.suspect}")
    again = _play(subject.session, subject.crashes)[-1].crash
    _expect(again is not None and again.signature == crash.signature, "the second time it is another crash")


def nothing_can_be_performed_after_a_crash(subject: Subject) -> None:
    """After the end only a launch is legal; it works."""
    _play(subject.session, subject.crashes)
    _expect_refused(subject.session, Wait(1))
    _expect(subject.session.launch().ending is Ending.RUNNING, "no launch after a crash")


def what_is_no_event_is_refused(subject: Subject) -> None:
    """A value that is no event raises UsageError and changes nothing."""
    first = subject.session.launch()
    for value in ("tap", None, {"kind": "tap", "x": 1, "y": 1}):
        _expect_refused(subject.session, cast("Event", value))
    _expect(subject.session.perform(Wait(0)).before == first.after, "a refused event changed the screen")


def unusual_events_do_no_harm(subject: Subject) -> None:
    """Points off the screen, foreign intents and unknown system events are ignored, noted or refused, no more."""
    session = subject.session
    session.launch()
    for event in (Tap(-5, -5), Tap(10**6, 10**6), StartIntent(action="fewtaps.nobody"), SystemEvent("no_such_thing")):
        try:
            step = session.perform(event)
        except (UsageError, Unsupported):
            continue
        _expect(not step.ending.is_final, f"{event} ended the app: {step.ending}")
    _expect(not session.perform(Wait(1)).ending.is_final, "the app is gone")


def waiting_moves_the_clock(subject: Subject) -> None:
    """A wait takes at least its time of the app's clock and, where time is virtual, exactly that."""
    before = subject.session.launch()
    passed = subject.session.perform(Wait(5000)).clock_ms - before.clock_ms
    _expect(passed >= 5000, f"a wait of 5000 ms took {passed} ms")
    if Capability.VIRTUAL_TIME in subject.session.capabilities:
        _expect(passed == 5000, f"a wait of 5000 ms took {passed} ms of virtual time")


def back_at_the_root_leaves(subject: Subject) -> None:
    """Back on the first screen leaves the app, at the latest once the keyboard is away; a launch brings it back."""
    step = subject.session.launch()
    for _ in range(2):
        if step.ending is Ending.RUNNING:
            step = subject.session.perform(Key("BACK"))
    _expect(step.ending is Ending.LEFT, f"after Back the app is {step.ending}")
    back = subject.session.perform(Launch())
    _expect(back.ending is Ending.RUNNING, f"after another launch the app is {back.ending}")


def home_leaves_and_launch_returns(subject: Subject) -> None:
    """Home leaves the app; a tap on its icon brings back the same activity."""
    before = _play(subject.session, subject.changes)[-1].after
    _expect(subject.session.perform(Key("HOME")).ending is Ending.LEFT, "Home does not leave the app")
    back = subject.session.perform(Launch())
    _expect(back.ending is Ending.RUNNING, f"after the return the app is {back.ending}")
    _expect(back.after.activity == before.activity, f"the return led to {back.after.activity}")


def rotation_turns_the_screen(subject: Subject) -> None:
    """Landscape swaps width and height; portrait swaps them back."""
    if Capability.ROTATION not in subject.session.capabilities:
        return
    upright = subject.session.launch().after
    turned = subject.session.perform(Rotate("landscape")).after
    _expect((turned.width, turned.height) == (upright.height, upright.width), "the screen was not turned")
    _expect(turned.rotation == 1, f"the rotation is {turned.rotation}")
    back = subject.session.perform(Rotate("portrait")).after
    _expect((back.width, back.height, back.rotation) == (upright.width, upright.height, 0), "it was not turned back")


def text_goes_into_the_field(subject: Subject) -> None:
    """Typing with a selector puts the text into that field, replacing what is there if asked to."""
    if subject.field is None:
        return
    subject.session.launch()
    for text in ("12", "345"):
        step = subject.session.perform(Text(text, replace=True, selector=subject.field))
        located = step.after.find(subject.field)
        _expect(located is not None and located.widget.text == text, f"{text!r} is not in the field")


def screenshots_are_pictures(subject: Subject) -> None:
    """With the capability a screenshot is a PNG of the screen's size and disturbs nothing."""
    session = subject.session
    step = session.launch()
    taker = screenshot_taker(session)
    if taker is None:
        return
    picture = taker.screenshot()
    _expect(picture.startswith(b"\x89PNG\r\n\x1a\n") and picture[12:16] == b"IHDR", "the screenshot is not a PNG")
    size = struct.unpack(">II", picture[16:24])
    _expect(size == (step.after.width, step.after.height), f"the screenshot is {size[0]}x{size[1]}")
    after = session.perform(Wait(0))
    _expect(after.before == step.after, "the screenshot changed the screen")


def coverage_is_new_and_known(subject: Subject) -> None:
    """Each step's coverage is new in its run, and the probe map knows it; without the capability it is empty."""
    session = subject.session
    seen = NO_COVERAGE
    for step in _play(session, subject.changes):
        _expect(not step.covered & seen, f"{step.event} covered anew what was covered before")
        seen = seen | step.covered
    teller = probe_teller(session)
    if teller is None:
        _expect(not seen, "there is coverage without the capability")
    elif session.settings.coverage != "off":
        _expect(bool(seen.methods), "a whole run covered nothing")
        _expect(seen <= _all_probes(teller), "there are numbers that the probe map does not know")


def steps_tell_all_that_ran(subject: Subject) -> None:
    """With `step_coverage` steps tell all that ran in them, and their coverage is what it is without the setting."""
    session, device = subject.session, subject.device
    if device is None or Capability.WORLDS not in session.capabilities:
        return
    plain = _play(session, subject.changes)
    _expect(not any(step.ran for step in plain), "a step tells what ran in it without being asked to")
    with device.open(session.app, replace(session.settings, step_coverage=True)) as other:
        steps = _play(other, (*subject.changes, Wait(0)))
    _expect([step.covered for step in steps[:-1]] == [step.covered for step in plain], "new coverage differs")
    ran = covered = NO_COVERAGE
    for step in steps:
        ran, covered = ran | step.ran, covered | step.covered
        _expect(step.covered <= step.ran, f"{step.event} covered code that did not run in it")
    _expect(ran == covered, "all that ran in the steps is not what the run covered")


def a_run_that_never_asked_is_the_same_in_every_world(subject: Subject) -> None:
    """A step may tell whether the world's number was used since the launch; until then it changes nothing."""
    session = subject.session
    runs = [_play(session, subject.changes, world) for world in (0, 1, 2)]
    if Capability.WORLDS not in session.capabilities:
        _expect(all(step.asked_world is None for steps in runs for step in steps), "a world that is none was asked")
        return
    for steps in runs:
        asked = [step.asked_world for step in steps if step.asked_world is not None]
        _expect(asked == sorted(asked), "a world that was asked is not asked any more")
    for number, first in enumerate(runs[0]):
        if first.asked_world is False:
            for steps in runs[1:]:
                _expect_equal(first, steps[number], "in another world, which was not asked")


def what_runs_may_listen(subject: Subject) -> None:
    """The actions that the app listens to are names, asking disturbs nothing, and after its end there are none."""
    step = subject.session.launch()
    actions = subject.session.listening()
    _expect(isinstance(actions, frozenset) and all(actions), f"not actions: {actions!r:.100}")
    _expect(subject.session.perform(Wait(0)).before == step.after, "the question changed the screen")
    _play(subject.session, subject.crashes)
    _expect(not subject.session.listening(), "an app that has crashed still listens")


def execution_data_are_jacocos(subject: Subject) -> None:
    """With the capability a run tells what it executed, in JaCoCo's format, crash or not."""
    session = subject.session
    session.launch()
    recorder = execution_recorder(session)
    if recorder is None:
        return
    early = recorder.execution_data()
    _expect(early.startswith(EXECUTION_HEADER), "execution data do not start as JaCoCo's do")
    _expect(len(recorder.execution_data()) == len(early), "a question changed what was executed")
    _play(session, subject.crashes)
    late = recorder.execution_data()
    _expect(late.startswith(EXECUTION_HEADER), "after a crash execution data do not start as JaCoCo's do")
    _expect(len(late) >= len(early), "a longer run has executed less")


def jacoco_is_written(subject: Subject) -> None:
    """With the capability there are reports in JaCoCo's formats, after the run."""
    session = subject.session
    reporter = None if subject.device is None else coverage_reporter(subject.device)
    recorder = execution_recorder(session)
    if reporter is None or recorder is None:
        return
    _play(session, subject.changes)
    with tempfile.TemporaryDirectory() as folder:
        xml, html = Path(folder, "jacoco.xml"), Path(folder, "html")
        executions = (recorder.execution_data(),) * 2
        notes = reporter.coverage_report(session.app, session.settings, executions, xml=xml, html=html)
        _expect(not notes, f"the data of this very app are remarkable: {notes}")
        _expect("<report" in xml.read_text("utf-8"), "jacoco.xml is not a report")
        _expect((html / "index.html").is_file(), "the pages lack an index")
    _expect(session.launch().ending is Ending.RUNNING, "no launch after a report")


def steps_survive_json(subject: Subject) -> None:
    """Screens and crashes are the same after a trip through their JSON form."""
    for step in (*_play(subject.session, subject.changes), *_play(subject.session, subject.crashes)):
        _expect(screen_from_json(screen_to_json(step.after)) == step.after, "a screen does not survive JSON")
        _expect(Coverage.from_json(step.covered.to_json()) == step.covered, "coverage does not survive JSON")
        if step.crash is not None:
            _expect(crash_from_json(crash_to_json(step.crash)) == step.crash, "a crash does not survive JSON")


CHECKS: tuple[Check, ...] = (
    launch_shows_the_app,
    screens_are_well_formed,
    selectors_lead_back_to_their_widgets,
    each_step_starts_where_the_last_ended,
    events_have_effects,
    launch_forgets_everything,
    same_world_and_events_give_equal_steps,
    without_worlds_nothing_is_told_of_them,
    decisions_are_told_in_order,
    any_whole_number_is_a_world,
    a_crash_is_data,
    nothing_can_be_performed_after_a_crash,
    what_is_no_event_is_refused,
    unusual_events_do_no_harm,
    waiting_moves_the_clock,
    back_at_the_root_leaves,
    home_leaves_and_launch_returns,
    rotation_turns_the_screen,
    text_goes_into_the_field,
    screenshots_are_pictures,
    coverage_is_new_and_known,
    steps_tell_all_that_ran,
    a_run_that_never_asked_is_the_same_in_every_world,
    what_runs_may_listen,
    execution_data_are_jacocos,
    jacoco_is_written,
    steps_survive_json,
)
"""All of them; a backend conforms if none raises."""


def _play(session: Session, events: Iterable[Event], world: int = 0) -> list[Step]:
    steps = [session.launch(world)]
    for event in events:
        if steps[-1].ending.is_final:
            break
        steps.append(session.perform(event))
    return steps


def _expect(condition: bool, otherwise: str) -> None:
    if not condition:
        raise NotConforming(otherwise)


def _expect_same_start(first: Step, second: Step, when: str, has_worlds: bool, field: Selector | None) -> None:
    if has_worlds:
        _expect_equal(first, second, when)
        return
    for name in ("event", "before", "ending", "crash"):
        _expect(getattr(first, name) == getattr(second, name), f"{when}: {name} differs")
    _expect(first.after.activity == second.after.activity, f"{when}: leads to {second.after.activity}")
    if field is not None:
        texts = [located and located.widget.text for located in (s.after.find(field) for s in (first, second))]
        _expect(texts[0] == texts[1], f"{when}: the field has another text")


def _expect_equal(first: Step, second: Step, when: str) -> None:
    for name in Step.__dataclass_fields__:
        one, other = getattr(first, name), getattr(second, name)
        _expect(one == other, f"{when}: {name} differs after {first.event}: {_difference(one, other)}")


def _difference(one: object, other: object) -> str:
    if isinstance(one, Screen) and isinstance(other, Screen):
        for first, second in zip(one.iter_widgets(), other.iter_widgets(), strict=False):
            if (first.class_name, first.resource_id, first.text, first.bounds, first.flags) != (
                second.class_name,
                second.resource_id,
                second.text,
                second.bounds,
                second.flags,
            ):
                return f"{first!r:.200} / {second!r:.200}"
    return f"{one!r:.300} / {other!r:.300}"


def _expect_refused(session: Session, event: Event) -> None:
    try:
        session.perform(event)
    except UsageError:
        return
    except FewtapsError as error:
        raise NotConforming(f"{event!r} is refused as {type(error).__name__}, not as UsageError") from error
    raise NotConforming(f"{event!r} is not refused")


def _all_probes(teller: TellsProbes) -> Coverage:
    classes = teller.probe_map().classes
    return Coverage(
        branches=ProbeSet.of(probe.number for each in classes for probe in each.branches),
        lines=ProbeSet.of(probe.number for each in classes for probe in each.lines),
        methods=ProbeSet.of(probe.number for each in classes for probe in each.methods),
    )
