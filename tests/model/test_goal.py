from __future__ import annotations

import pytest
from builders import crash, screen, trace, widget

from fewtaps.model.coverage import Coverage, ProbeSet
from fewtaps.model.ending import Ending
from fewtaps.model.event import Wait
from fewtaps.model.goal import Covers, Goal, Reaches, ReachesState, SameCrash, ShowsText, TellingGoal
from fewtaps.model.state import StateId, content_state, layout_state
from fewtaps.model.trace import Step

DETAIL = screen(widget("Alice"), activity="com.example.app.Detail")
LINES = Coverage(lines=ProbeSet.of([1, 2]))
SEEN = trace(
    Step(Wait(1), after=DETAIL, covered=Coverage(lines=ProbeSet.of([1]))),
    Step(
        Wait(1), after=screen(), covered=Coverage(lines=ProbeSet.of([2])), crash=crash("a.B.m"), ending=Ending.CRASHED
    ),
)


@pytest.mark.parametrize(
    ("goal", "other"),
    [
        (SameCrash(crash("a.B.m").signature), SameCrash(crash("a.B.n").signature)),
        (Reaches("com.example.app.Detail"), Reaches("com.example.app.Settings")),
        (ReachesState(content_state(DETAIL)), ReachesState(content_state(screen(widget("Bob"))))),
        (ReachesState(layout_state(DETAIL), "layout"), ReachesState(layout_state(DETAIL), "content")),
        (ShowsText("lic"), ShowsText("Bob")),
        (Covers(LINES), Covers(LINES | Coverage(methods=ProbeSet.of([1])))),
    ],
)
def test_a_goal_is_met_by_what_was_seen_and_by_nothing_else(goal: Goal, other: Goal) -> None:
    assert goal.met_by(SEEN)
    assert not other.met_by(SEEN)
    assert not goal.met_by(trace())


@pytest.mark.parametrize(
    ("goal", "sentence"),
    [
        (Reaches("a.Main"), "the activity a.Main was not reached"),
        (ReachesState(StateId("f00")), "the state f00 was not reached"),
        (ShowsText("to\x1b[31mtal"), "the text 'to\\u001b[31mtal' was not shown"),
        (Covers(LINES), "the code was not reached"),
    ],
)
def test_a_goal_that_is_no_crash_says_that_it_was_missed_in_printable_words(goal: Goal, sentence: str) -> None:
    assert isinstance(goal, TellingGoal)
    assert goal.missed == sentence


def test_a_crash_has_no_such_sentence() -> None:
    assert not isinstance(SameCrash("x"), TellingGoal)
