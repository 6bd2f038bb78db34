"""Words for people: every fact has some, and those that programs know from JSON stay as they are."""

from __future__ import annotations

import pytest

from fewtaps.model import words
from fewtaps.model.episode import EpisodeEnd
from fewtaps.model.exploration_end import EndKind, ExplorationEnd
from fewtaps.model.goal import GoalKind, GoalSpec


def test_every_end_has_words_of_its_own() -> None:
    assert set(words.EPISODE_ENDS) == set(EpisodeEnd)
    assert set(words.EXPLORATION_ENDS) == set(EndKind)
    assert len(set(words.EPISODE_ENDS.values())) == len(EpisodeEnd)
    assert len(set(words.EXPLORATION_ENDS.values())) == len(EndKind)


@pytest.mark.parametrize(
    ("end", "detail", "told"),
    [
        (EpisodeEnd.CRASHED, "", "crash"),
        (EpisodeEnd.DEVICE_FAILED, "no answer", "the device failed: no answer"),
        (EpisodeEnd.UNKNOWN, "an old sentence", "an old sentence"),
        (EpisodeEnd.UNKNOWN, "", ""),
    ],
)
def test_an_episode_tells_its_end_and_the_detail(end: EpisodeEnd, detail: str, told: str) -> None:
    assert words.episode_end(end, detail) == told


@pytest.mark.parametrize(
    ("end", "told"),
    [
        (ExplorationEnd(EndKind.EVENTS_USED, 12_000_000), "all 12000000 events are used"),
        (ExplorationEnd(EndKind.CRASHES_FOUND, 1), "a crash is found"),
        (ExplorationEnd(EndKind.CRASHES_FOUND, 2), "2 crashes are found"),
        (ExplorationEnd(EndKind.COVERAGE_REACHED, 61.54), "61.5 % of the lines are covered"),
        (ExplorationEnd(EndKind.NOTHING_NEW, 5000), "nothing new in the last 5000 events"),
        (ExplorationEnd(EndKind.UNKNOWN, 0, "{an} old sentence"), "{an} old sentence"),
    ],
)
def test_a_run_tells_its_end_with_the_number(end: ExplorationEnd, told: str) -> None:
    assert words.exploration_end(end) == told


@pytest.mark.parametrize("kind", GoalKind)
def test_every_goal_is_told_with_its_value(kind: GoalKind) -> None:
    assert kind is GoalKind.ANY_CRASH or "a {b}" in words.goal(GoalSpec(kind, "a {b}"))


@pytest.mark.parametrize(
    ("spec", "key"),
    [
        (GoalSpec(GoalKind.CRASH, "a.Error at b"), "a.Error at b"),
        (GoalSpec(GoalKind.ACTIVITY, "a.Main"), "reaches a.Main"),
        (GoalSpec(GoalKind.STATE, "12ab"), "reaches the state 12ab"),
        (GoalSpec(GoalKind.TEXT, "it's"), 'shows "it\'s"'),
        (GoalSpec(GoalKind.LINE, "A.java:3"), "covers A.java:3"),
        (GoalSpec(GoalKind.COMMAND, "test.sh {x}"), "satisfies test.sh {x}"),
    ],
)
def test_the_key_of_a_goal_is_the_one_that_stores_have_digests_of(spec: GoalSpec, key: str) -> None:
    assert spec.key == key
