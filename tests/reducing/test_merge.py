"""One event in the place of several."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from builders import APP, screen, trace, widget
from hypothesis import given
from hypothesis import strategies as st
from reducing.recordings import THE_CRASH, THE_GOAL

from fewtaps.model.ending import Ending
from fewtaps.model.event import Event, Key, Launch, Rotate, Tap, Wait
from fewtaps.model.screen import Screen
from fewtaps.model.trace import Step, Trace
from fewtaps.reducing.merge import longest_returns
from fewtaps.reducing.plan import reduce_trace

OPEN, TURN, BACK, OK = Tap(1, 1), Rotate("landscape"), Rotate("portrait"), Tap(2, 2)
SCREEN = screen(widget("Go"))
MS_PER_EVENT = 500


class Dialogue:
    """An app that crashes at some point of what was done; every event takes half a second, a pause as long as it is."""

    def __init__(self, crashes: Callable[[Sequence[Event], int], bool], shown: Callable[[Event], Screen] | None = None):
        self._crashes = crashes
        self._shown = shown or (lambda event: SCREEN)

    def play(self, candidates: Sequence[tuple[Event, ...]]) -> list[Trace]:
        return [self._one(each) for each in candidates]

    def _one(self, events: tuple[Event, ...]) -> Trace:
        steps, now = [Step(Launch(), after=SCREEN)], 0
        for number, event in enumerate(events[1:], 2):
            now += event.ms if isinstance(event, Wait) else MS_PER_EVENT
            if self._crashes(events[1:number], now):
                steps.append(Step(event, crash=THE_CRASH, ending=Ending.CRASHED, clock_ms=now))
                break
            steps.append(Step(event, after=self._shown(event), clock_ms=now))
        return Trace(APP, tuple(steps))


def turned_while_open(done: Sequence[Event], now: int) -> bool:
    """The device must be turned after the tap that opens, whichever way; a turn to where it is already is none."""
    upright, opened, turned = "portrait", False, False
    for event in done:
        if isinstance(event, Rotate):
            turned = turned or (opened and event.to != upright)
            upright = event.to
        opened = opened or event == OPEN
    return turned and done[-1] == OK


def test_a_rotation_that_only_makes_another_possible_goes_with_it() -> None:
    original = trace(TURN, OPEN, BACK, OK)
    play = Dialogue(turned_while_open).play
    assert reduce_trace(original, THE_GOAL, play, plainer=False).trace.events[1:] == (TURN, OPEN, BACK, OK)
    reduction = reduce_trace(original, THE_GOAL, play)
    assert reduction.trace.events[1:] == (OPEN, TURN, OK)
    assert reduction.is_minimal
    assert reduction.simplified == 1


def test_two_rotations_that_are_both_needed_stay() -> None:
    def both(done: Sequence[Event], now: int) -> bool:
        return [event for event in done if isinstance(event, Rotate)] == [TURN, BACK] and done[-1] == OK

    assert reduce_trace(trace(TURN, BACK, OK), THE_GOAL, Dialogue(both).play).trace.events[1:] == (TURN, BACK, OK)


def in_time(done: Sequence[Event], now: int) -> bool:
    """Two seconds have to go by between the first tap and the last."""
    if len(done) < 2 or done[0] != OPEN or done[-1] != OK:
        return False
    return now - 2 * MS_PER_EVENT >= 2000


def test_events_that_only_take_time_become_a_pause() -> None:
    original = trace(OPEN, *[Key("VOLUME_UP")] * 4, OK)
    reduction = reduce_trace(original, THE_GOAL, Dialogue(in_time).play)
    assert reduction.trace.events[1:] == (OPEN, Wait(2000), OK)
    assert reduction.is_minimal


def test_what_leads_elsewhere_is_not_part_of_a_pause() -> None:
    def in_time_by_menu(done: Sequence[Event], now: int) -> bool:
        return in_time(done, now) and Key("MENU") in done

    elsewhere = screen(widget("Other", resource_id="app:id/other"))
    dialogue = Dialogue(in_time_by_menu, lambda event: elsewhere if event == Key("MENU") else SCREEN)
    keys = [Key("VOLUME_UP"), Key("VOLUME_DOWN"), Key("VOLUME_UP"), Key("MENU")]
    reduction = reduce_trace(trace(OPEN, *keys, OK), THE_GOAL, dialogue.play)
    assert reduction.trace.events[1:] == (OPEN, Wait(2000), Key("MENU"), OK)


@given(st.lists(st.sampled_from("abc"), max_size=20))
def test_the_longest_returns_to_a_state_come_first_and_none_is_missing(states: list[str]) -> None:
    pairs = [
        (start, end)
        for start in range(len(states))
        for end in range(start + 2, len(states))
        if states[start] == states[end]
    ]
    assert list(longest_returns(states)) == sorted(pairs, key=lambda pair: pair[0] - pair[1])
