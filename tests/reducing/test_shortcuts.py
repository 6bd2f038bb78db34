"""Short ways through recorded states, what they are led through, and detours."""

from __future__ import annotations

import pytest
from builders import APP, screen, trace, widget
from hypothesis import given
from hypothesis import strategies as st
from reducing.recordings import THE_CRASH, THE_GOAL

from fewtaps.model.coverage import Coverage, ProbeSet
from fewtaps.model.ending import Ending
from fewtaps.model.event import Event, Key, Launch, Swipe, Tap
from fewtaps.model.trace import Step, Trace
from fewtaps.reducing.oracle import TraceOracle, action_of
from fewtaps.reducing.plan import reduce, reduce_trace
from fewtaps.reducing.problem import Effect
from fewtaps.reducing.shortcuts import path_through, shortest_path


def test_the_shortest_path_skips_every_loop() -> None:
    assert shortest_path("abaca") == [4]
    assert shortest_path("aabbab") == [4, 5]
    assert shortest_path("abcbd") == [0, 3, 4]
    assert shortest_path("") == []


def test_stops_are_kept_and_reached() -> None:
    # a0 b1 a2 b3 c4: to stop at 1 the way goes through 0, and on from 2.
    assert path_through("abab", [1]) == [0, 1, 2, 3]
    assert path_through("aaab", [1]) == [1, 2, 3]
    assert path_through("aaab", [3]) == [2, 3]


@given(st.lists(st.sampled_from("abcd"), min_size=1, max_size=30), st.sets(st.integers(0, 29)))
def test_a_way_is_possible_and_no_longer_than_the_trace(states: list[str], wanted: set[int]) -> None:
    stops = sorted(stop for stop in wanted if stop < len(states))
    way = path_through(states, stops)
    assert way == sorted(set(way))
    assert set(stops) <= set(way)
    assert way[-1] == len(states) - 1
    assert states[way[0]] == states[0]
    for here, there in zip(way, way[1:], strict=False):
        assert states[there] == states[here + 1]


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=9))
def test_no_way_is_shorter_than_the_shortest(states: list[str]) -> None:
    last = len(states) - 1

    def length(position: int) -> int:
        if position == last:
            return 1
        onward = [place for place in range(position + 1, last + 1) if states[place] == states[position + 1]]
        return 1 + min(map(length, onward))

    starts = [place for place in range(last + 1) if states[place] == states[0]]
    assert len(shortest_path(states)) == min(map(length, starts))


def test_a_detour_goes_as_a_whole() -> None:
    # Items 1 and 2 lead away and back: either alone leaves the app elsewhere.
    def holds(items: tuple[int, ...]) -> bool:
        return {0, 3} <= set(items) and (1 in items) == (2 in items)

    assert reduce(range(4), holds, states="aaba").items == (0, 3)
    assert reduce(range(4), holds, strategy="ddmin").items == (0, 1, 2, 3)


# Which events are led through first: what is known of each.

BUTTONS = [widget("Go"), widget("Count"), widget("Remember"), widget("Nothing")]
MAIN, OTHER = screen(*BUTTONS), screen(widget("Back"), activity="com.example.app.Other")
COUNTED = screen(widget("Go"), widget("Count 1"), widget("Remember"), widget("Nothing"))
NEW_CODE = Coverage(ProbeSet(1), ProbeSet(1), ProbeSet(1))


def tap(row: int) -> Tap:
    return Tap(10, 50 * row + 10)


def test_effects_are_told_by_screens_and_new_code() -> None:
    seen = Trace(
        APP,
        (
            Step(Launch(), after=MAIN),
            Step(tap(0), after=OTHER, covered=NEW_CODE),
            Step(tap(0), after=MAIN),
            Step(tap(1), after=COUNTED),
            Step(tap(2), after=COUNTED, covered=NEW_CODE),
            Step(tap(2), after=COUNTED),
            Step(tap(3), after=COUNTED),
            Step(Key("MENU"), after=COUNTED),
            Step(Tap(10, 250), after=COUNTED),
            Step(tap(1), after=COUNTED),
            Step(tap(3), crash=THE_CRASH, ending=Ending.CRASHED),
        ),
    )
    oracle = TraceOracle(seen, THE_GOAL, lambda candidates: [])
    effects = [trait.effect for trait in oracle.traits(seen)]
    assert effects == [
        *(Effect.MOVED, Effect.MOVED, Effect.SHOWN, Effect.HIDDEN, Effect.HIDDEN),
        *(Effect.TOUCHED, Effect.TOUCHED, Effect.NONE, Effect.SHOWN, Effect.TOUCHED),
    ]
    assert oracle.traits(None) == ()


def test_touches_of_one_widget_are_one_action_wherever_they_hit_it() -> None:
    assert action_of(Tap(1, 1), MAIN) == action_of(Tap(99, 49), MAIN)
    assert action_of(Tap(1, 1), MAIN) != action_of(Tap(1, 51), MAIN)
    assert action_of(Tap(1, 1), MAIN) != action_of(Tap(1, 1), OTHER)
    assert action_of(Tap(1, 1), MAIN) != action_of(Swipe(1, 1, 9, 9), MAIN)
    assert action_of(Key("BACK"), MAIN) != action_of(Key("MENU"), MAIN)
    nowhere = Tap(1, 250)
    assert action_of(nowhere, MAIN) == action_of(Tap(99, 250), MAIN)
    assert action_of(nowhere, MAIN).is_aimless


@pytest.mark.parametrize(("new_code", "runs"), [(NEW_CODE, 12), (Coverage(), 14)], ids=["with coverage", "without"])
def test_what_the_app_remembers_unseen_is_found_in_few_runs(new_code: Coverage, runs: int) -> None:
    def play_one(events: tuple[Event, ...]) -> Trace:
        """'Remember' twice, then 'Nothing' crashes; 'Count' only shows."""
        steps, remembered, shown = [Step(Launch(), after=MAIN)], 0, MAIN
        for event in events[1:]:
            assert isinstance(event, Tap)
            row = event.y // 50
            if row == 3 and remembered == 2:
                return Trace(APP, (*steps, Step(event, crash=THE_CRASH, ending=Ending.CRASHED)))
            covered = new_code if row == 2 and not remembered else Coverage()
            remembered = min(remembered + (row == 2), 2)
            shown = (COUNTED if shown is MAIN else MAIN) if row == 1 else shown
            steps.append(Step(event, after=shown, covered=covered))
        return Trace(APP, tuple(steps))

    events = [*[1] * 40, 2, *[1] * 40, 2, *[1] * 40, 2, *[1] * 41, 3]
    original = play_one((Launch(), *map(tap, events)))
    reduction = reduce_trace(original, THE_GOAL, lambda candidates: list(map(play_one, candidates)), plainer=False)
    assert reduction.trace.events == trace(tap(2), tap(2), tap(3)).events
    assert reduction.runs <= runs
    # The original has 165 events; everything else together is a fraction of that.
    assert reduction.events - len(original.steps) <= 50
