"""Carrying out a plan: the way back and its check, bringing the app back, reasons to stop, pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import islice

import pytest
from builders import OpenProgram, screen, widget
from mazes import closing, dead_end, goes, hidden_counter, one_way_doors, ring

from fewtaps.device.session import DEFAULT_SETTINGS, Capability
from fewtaps.device.simulated.device import SimulatedSession
from fewtaps.device.simulated.program import Program, View, button, label
from fewtaps.errors import BridgeError, DeviceLost, DeviceTimeout, TimeUp
from fewtaps.explore.block import NOTHING_BLOCKED, Blocklist
from fewtaps.explore.episode_plan import EpisodePlan
from fewtaps.explore.exploration import Exploration
from fewtaps.explore.frontier import Frontier
from fewtaps.explore.knowledge import Knowledge
from fewtaps.explore.loop import run_episode
from fewtaps.explore.parameters import ExploreParameters
from fewtaps.explore.strategies import MonkeyStrategy
from fewtaps.explore.strategy import Situation
from fewtaps.model.app import App
from fewtaps.model.coverage import Coverage, ProbeSet
from fewtaps.model.ending import Ending
from fewtaps.model.episode import Episode, EpisodeEnd
from fewtaps.model.event import Event, Key, Launch, Tap, Wait
from fewtaps.model.phone import Differences
from fewtaps.model.screen import Screen
from fewtaps.model.state import StateId, page_state
from fewtaps.model.trace import Step

GO_ON: Callable[[], bool] = lambda: False  # noqa: E731
BACK, HOME, LAUNCH = Key("BACK"), Key("HOME"), Launch()


class Script(MonkeyStrategy):
    """A policy that performs given events, then waits without end."""

    def __init__(self, events: Iterable[Event] = (), *, enough: EpisodeEnd | None = None) -> None:
        self.events = tuple(events)
        self.end = enough

    def begin(self, knowledge: Knowledge, random: object, target: StateId | None = None) -> Script:
        script = Script(self.events, enough=self.end)
        script._left = list(self.events)
        return script

    _left: list[Event]

    def draw(self, situation: Situation) -> Event:
        return self._left.pop(0) if self._left else Wait(1)

    def should_stop(self, situation: Situation) -> EpisodeEnd | None:
        return None if self._left else self.end


def row(number: int) -> Tap:
    """A tap on a row of a simulated view; row 0 is the topmost."""
    return Tap(100, 50 + 96 * number + 40)


def episode_plan(
    package: str,
    events: Iterable[Event] = (),
    *,
    way: Sequence[Event] = (),
    target: StateId | None = None,
    block: Blocklist = NOTHING_BLOCKED,
    **changes: object,
) -> EpisodePlan:
    plan = EpisodePlan(
        number=0,
        world=0,
        way=tuple(way),
        target=target,
        strategy=Script(events, enough=EpisodeEnd.NOTHING_NEW),
        knowledge=Knowledge(package),
        seed="1",
        max_events=100,
        block=block,
    )
    return replace(plan, **changes)  # type: ignore[arg-type]


def run(session: SimulatedSession | FakeSession, events: Iterable[Event] = (), **plan: object) -> Episode:
    return run_episode(session, episode_plan(session.app.package, events, **plan), GO_ON)  # type: ignore[arg-type]


class FakeSession:
    """Shows whatever a function of the events so far says."""

    app = App("com.example.app")
    settings = DEFAULT_SETTINGS
    capabilities = frozenset({Capability.SCREENSHOTS, Capability.JACOCO})
    notes: tuple[str, ...] = ()

    def __init__(self, show: Callable[[list[Event]], Screen | Ending], *, covers: bool = False) -> None:
        self.show = show
        self.covers = covers
        self.events: list[Event] = []
        self.failure: Exception | None = None

    def launch(self, world: int = 0, phone: Differences | None = None) -> Step:
        self.events = []
        return self._step(LAUNCH)

    def perform(self, event: Event) -> Step:
        self.events.append(event)
        return self._step(event)

    def _step(self, event: Event) -> Step:
        shown = self.show(self.events)
        covered = Coverage(lines=ProbeSet.of([len(self.events)])) if self.covers else Coverage()
        if isinstance(shown, Ending):
            return Step(event, ending=shown, covered=covered)
        return Step(event, after=shown, covered=covered)

    def listening(self) -> frozenset[str]:
        return frozenset()

    def screenshot(self) -> bytes:
        if self.failure:
            raise self.failure
        return b"PNG"

    def execution_data(self) -> bytes:
        if self.failure:
            raise self.failure
        return b"EXEC"


MAIN = screen(widget("Main"))
SECOND = screen(widget("Second"))
OTHER_APP = replace(screen(widget("Browser")), package="com.example.browser")
NO_WINDOW = Screen("com.example.app", None, 100, 200)


def test_performs_what_the_policy_draws_until_it_has_enough(open_program: OpenProgram) -> None:
    episode = run(open_program(ring()), [row(0), row(0)])
    assert episode.trace.events == (LAUNCH, row(0), row(0))
    assert episode.end is EpisodeEnd.NOTHING_NEW
    assert episode.replayed == 0
    assert episode.reached
    assert episode.trace.app.package == "com.example.ring"
    assert episode.trace.screen == (720, 1280, 320)


def test_ends_at_the_limit_of_events(open_program: OpenProgram) -> None:
    episode = run(open_program(ring()), [row(0)] * 50, max_events=7)
    assert episode.end is EpisodeEnd.EVENT_LIMIT
    assert episode.events == 1 + 7


def test_the_way_does_not_count_against_the_limit(open_program: OpenProgram) -> None:
    episode = run(open_program(ring()), [row(0)] * 50, way=[row(0)] * 5, max_events=7)
    assert episode.events == 1 + 5 + 7
    assert episode.replayed == 5


def test_stops_when_asked_but_always_launches(open_program: OpenProgram) -> None:
    episode = run_episode(open_program(ring()), episode_plan("com.example.ring", [row(0)]), lambda: True)
    assert episode.trace.events == (LAUNCH,)
    assert episode.end is EpisodeEnd.STOPPED


def test_stops_on_the_way_when_asked(open_program: OpenProgram) -> None:
    asked: list[None] = []

    def should_stop() -> bool:
        asked.append(None)
        return len(asked) == 3

    episode = run_episode(open_program(ring()), episode_plan("com.example.ring", way=[row(0)] * 5), should_stop)
    assert episode.trace.events == (LAUNCH, row(0), row(0))
    assert (episode.end, episode.replayed, episode.reached) == (EpisodeEnd.STOPPED, 2, False)


@pytest.mark.parametrize(("tapped", "end"), [(1, EpisodeEnd.EXITED), (2, EpisodeEnd.CRASHED)], ids=["exit", "crash"])
def test_a_crash_or_an_exit_ends_the_episode(open_program: OpenProgram, tapped: int, end: EpisodeEnd) -> None:
    episode = run(open_program(closing()), [row(tapped), row(0)])
    assert episode.trace.events == (LAUNCH, row(tapped))
    assert episode.end is end
    assert episode.trace.ending.is_final


def test_a_step_that_took_the_device_with_it_ends_the_episode_and_is_kept() -> None:
    episode = run(FakeSession(lambda events: Ending.LOST if events else MAIN, covers=True), [row(0)])
    assert episode.end is EpisodeEnd.DEVICE_DIED
    assert episode.trace.ending is Ending.LOST
    assert episode.execution is None, "whatever it knew is gone"


@pytest.mark.parametrize("error", [BridgeError("no answer"), DeviceTimeout("quiet", 45)])
def test_a_failure_after_the_launch_is_the_end_of_the_episode_and_is_kept(error: Exception) -> None:
    def show(events: list[Event]) -> Screen:
        if len(events) == 2:
            raise error
        return SECOND if events else MAIN

    episode = run(FakeSession(show), [row(0), row(1), row(2)])
    assert episode.trace.events == (LAUNCH, row(0), row(1))
    assert (episode.end, episode.detail, episode.reached) == (EpisodeEnd.DEVICE_FAILED, str(error), True)
    assert (episode.trace.ending, episode.trace.steps[-1].notes) == (Ending.LOST, (str(error),))
    on_the_way = run(FakeSession(show), way=[row(0), row(1), row(2)])
    assert (on_the_way.replayed, on_the_way.reached, on_the_way.end) == (2, False, EpisodeEnd.DEVICE_FAILED)


def test_an_event_for_which_no_time_was_left_is_no_part_of_the_episode() -> None:
    def show(events: list[Event]) -> Screen:
        if len(events) == 2:
            raise TimeUp
        return SECOND if events else MAIN

    episode = run(FakeSession(show), [row(0), row(1), row(2)])
    assert (episode.trace.events, episode.end, episode.reached) == ((LAUNCH, row(0)), EpisodeEnd.STOPPED, True)
    on_the_way = run(FakeSession(show), way=[row(0), row(1), row(2)])
    assert (on_the_way.replayed, on_the_way.reached, on_the_way.end) == (1, False, EpisodeEnd.STOPPED)


def test_an_event_that_failed_counts_as_tried() -> None:
    both = screen(widget("One"), widget("Two"))

    def show(events: list[Event]) -> Screen:
        if events:
            raise BridgeError("no answer")
        return both

    app = FakeSession.app
    exploration = Exploration(app, Frontier(app, ExploreParameters()), seed=1)
    failed = []
    for plan in islice(exploration.episode_plans(), 2):
        episode = run_episode(FakeSession(show), plan, GO_ON)
        failed.append(episode.trace.events[1])
        exploration.absorb(episode)
    first, second = failed
    assert first != second


def test_an_app_that_left_is_brought_back(open_program: OpenProgram) -> None:
    episode = run(open_program(ring()), [row(0), HOME, row(0)])
    assert episode.trace.events == (LAUNCH, row(0), HOME, LAUNCH, row(0))


def test_an_app_that_does_not_come_back_is_given_up() -> None:
    episode = run(FakeSession(lambda events: Ending.LEFT if events else MAIN), [row(0), row(0)])
    assert episode.trace.events == (LAUNCH, row(0), *[LAUNCH] * 5)
    assert episode.end is EpisodeEnd.APP_LEFT


def test_another_app_is_left_by_back_then_by_the_icon() -> None:
    def show(events: list[Event]) -> Screen:
        return OTHER_APP if row(0) in events and LAUNCH not in events else MAIN

    episode = run(FakeSession(show), [row(0), row(1)])
    assert episode.trace.events == (LAUNCH, row(0), BACK, LAUNCH, row(1))


def test_another_app_that_stays_in_front_ends_the_episode() -> None:
    episode = run(FakeSession(lambda events: OTHER_APP), [row(0)])
    assert episode.end is EpisodeEnd.OTHER_APP
    assert episode.trace.events == (LAUNCH, BACK, LAUNCH, BACK, LAUNCH, BACK)


def test_an_app_without_a_window_gets_time_and_then_up() -> None:
    late = run(FakeSession(lambda events: MAIN if events else NO_WINDOW), [row(0)])
    assert [type(event) for event in late.trace.events] == [Launch, Wait, Tap]
    never = run(FakeSession(lambda events: NO_WINDOW), [row(0)])
    assert never.end is EpisodeEnd.NO_WINDOW
    assert never.events == 6


def test_how_often_it_tries_can_be_set() -> None:
    episode = run(FakeSession(lambda events: OTHER_APP), parameters=ExploreParameters(max_away=1))
    assert episode.trace.events == (LAUNCH, BACK)


def test_goes_back_to_a_known_state_and_on_from_there(open_program: OpenProgram) -> None:
    session = open_program(ring())
    there = page_state(run(session, [row(0), row(0)]).trace.steps[-1].after)
    episode = run(session, [row(0)], way=[row(0), row(0)], target=there)
    assert episode.trace.events == (LAUNCH, row(0), row(0), row(0))
    assert (episode.replayed, episode.reached, episode.end) == (2, True, EpisodeEnd.NOTHING_NEW)
    assert page_state(episode.trace.steps[2].after) == there


def test_a_way_that_leads_elsewhere_ends_the_episode(open_program: OpenProgram) -> None:
    session = open_program(hidden_counter())
    inside = page_state(run(session, [row(0)] * 3 + [row(1)]).trace.steps[-1].after)
    episode = run(session, [row(0)], way=[row(0), row(1)], target=inside)
    assert (episode.replayed, episode.reached) == (2, False)
    assert episode.end is EpisodeEnd.RETURN_FAILED
    assert episode.events == 3, "nothing more is tried there"


def test_a_crash_on_the_way_ends_the_episode(open_program: OpenProgram) -> None:
    episode = run(open_program(closing()), way=[row(2), row(0)], target=StateId("somewhere"))
    assert (episode.replayed, episode.reached, episode.end) == (1, False, EpisodeEnd.CRASHED)


def test_the_prelude_is_aimed_at_the_widgets_it_means(open_program: OpenProgram) -> None:
    def aim(event: Event, shown: Screen) -> tuple[Event, tuple[str, ...]]:
        return (row(0), ()) if event == Tap(1, 1) else (event, ())

    session = open_program(ring())
    assert run(session, way=[Tap(1, 1)], aim=aim).trace.events[1] == row(0)
    there = page_state(run(session, [row(0)]).trace.steps[-1].after)
    astray = run(session, way=[Tap(1, 1)], target=there, aim=aim)
    assert astray.trace.events[1] == Tap(1, 1), "where runs repeat exactly, a way is replayed as it was"


def test_a_way_is_aimed_too_where_runs_do_not_repeat() -> None:
    session = FakeSession(lambda events: MAIN)
    episode = run(session, way=[Tap(1, 1)], target=page_state(MAIN), aim=lambda event, shown: (row(0), ()))
    assert episode.trace.events[1] == row(0)


def test_what_is_blocked_is_drawn_again(open_program: OpenProgram) -> None:
    episode = run(open_program(closing()), [row(2), row(2), row(0)], block=Blocklist(["text:Crash"]))
    assert episode.trace.events[:2] == (LAUNCH, row(0))


def test_a_policy_that_insists_on_what_is_blocked_goes_back_instead(open_program: OpenProgram) -> None:
    doors = one_way_doors()
    episode = run(open_program(doors), [row(3)] * 40, block=Blocklist(["text:Door"]), max_events=1)
    assert episode.trace.events == (LAUNCH, BACK)


def test_a_blocked_activity_is_left_at_once(open_program: OpenProgram) -> None:
    pages = [View("Main", [button("Go", goes("Secret"))]), View("Secret", [label("Secret"), button("More")])]
    episode = run(open_program(Program("com.example.two", pages)), [row(0)] * 4, block=Blocklist(["activity:*.Secret"]))
    assert episode.trace.events[:5] == (LAUNCH, row(0), BACK, row(0), BACK)


def test_a_blocked_activity_without_a_way_out_ends_the_episode(open_program: OpenProgram) -> None:
    episode = run(open_program(dead_end()), [row(0)] * 2, block=Blocklist(["activity:*.Cell"]))
    assert episode.end is EpisodeEnd.BLOCKED_ACTIVITY


def test_takes_pictures_of_interesting_states_when_they_are_new(open_program: OpenProgram) -> None:
    session = open_program(ring())
    episode = run(session, [row(0), Key("A"), row(0)], pictures=True)
    assert [number for number, _ in episode.pictures] == [0, 1, 3]
    assert all(picture.startswith(b"\x89PNG") for _, picture in episode.pictures)
    assert run(session, [row(0)]).pictures == ()


def test_a_picture_that_fails_costs_only_the_picture() -> None:
    session = FakeSession(lambda events: MAIN)
    session.failure = BridgeError("no canvas")
    assert run(session, pictures=True).pictures == ()


def test_execution_data_is_kept_if_something_new_was_covered() -> None:
    plain = FakeSession(lambda events: MAIN)
    assert run(plain, [row(0)]).execution is None
    covering = FakeSession(lambda events: MAIN, covers=True)
    assert run(covering, [row(0)]).execution == b"EXEC"
    known = Knowledge("com.example.app")
    known.cover(Coverage(lines=ProbeSet.of(range(10))))
    assert run(covering, [row(0)], knowledge=known).execution is None


def test_execution_data_that_died_cost_only_themselves() -> None:
    session = FakeSession(lambda events: MAIN, covers=True)
    session.failure = DeviceLost("gone")
    assert run(session, [row(0)]).execution is None


def test_a_device_that_dies_is_the_callers_business_and_the_episode_plan_can_be_tried_again(
    open_program: OpenProgram,
) -> None:
    class Dying(SimulatedSession):
        def perform(self, event: Event) -> Step:
            raise DeviceLost("gone")

    app = ring().app
    plan = replace(episode_plan(app.package), strategy=MonkeyStrategy(app, ExploreParameters()), max_events=50)
    with pytest.raises(DeviceLost):
        run_episode(Dying(ring(), DEFAULT_SETTINGS), plan, GO_ON)
    again = run_episode(open_program(ring()), plan, GO_ON)
    assert again == run_episode(open_program(ring()), plan, GO_ON)
    assert not len(plan.knowledge.graph), "carrying it out leaves the plan as it was"


def test_hears_of_each_step_as_it_happens(open_program: OpenProgram) -> None:
    heard: list[Step] = []
    plan = episode_plan("com.example.ring", [row(0)], way=[row(0)])
    episode = run_episode(open_program(ring()), plan, GO_ON, heard.append)
    assert tuple(heard) == episode.trace.steps
