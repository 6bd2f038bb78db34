"""The blind Monkey: Monkey's mixture of events, made with nothing but the size of the screen."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from builders import screen, widget

from fewtaps.explore.knowledge import Knowledge
from fewtaps.explore.monkey import ANY_KEYS, FACTORS, Monkey
from fewtaps.explore.strategy import Situation
from fewtaps.model.event import Event, Key, Launch, Pinch, Rotate, Selector, Swipe, Tap
from fewtaps.model.screen import Screen
from fewtaps.model.state import page_state

SCREEN = screen(widget("Save"), widget("Cancel"))


def situation(shown: Screen = SCREEN, seed: int = 1) -> Situation:
    return Situation(shown, page_state(shown), Knowledge("com.example.app"), Random(seed), frozenset)


def drawn(count: int, shown: Screen = SCREEN, seed: int = 1) -> list[Event]:
    monkey, now = Monkey(), situation(shown, seed)
    return [monkey.draw(now) for _ in range(count)]


def test_the_factors_are_percentages() -> None:
    assert sum(FACTORS.values()) == 100


@pytest.mark.slow
def test_draws_each_kind_as_often_as_androids_monkey() -> None:
    counts = Counter(type(event) for event in drawn(20_000))
    shares = {kind.__name__: round(100 * count / 20_000) for kind, count in counts.items()}
    assert shares == {"Tap": 15, "Swipe": 10, "Pinch": 2, "Key": 70, "Launch": 2, "Rotate": 1}
    keys = Counter(event.name for event in drawn(20_000) if isinstance(event, Key))
    directions = sum(keys[f"DPAD_{direction}"] for direction in ("UP", "DOWN", "LEFT", "RIGHT"))
    assert directions / 20_000 == pytest.approx(0.25 + 0.9 * 0.15, abs=0.02)
    assert keys["MENU"] / 20_000 == pytest.approx(0.075, abs=0.01)


def test_never_turns_the_device_off() -> None:
    names = {event.name for event in drawn(20_000) if isinstance(event, Key)}
    assert not names & {"POWER", "ENDCALL"}
    assert names > {"BACK", "HOME", "A", "ENTER", "VOLUME_UP"}


def test_knows_every_key_once() -> None:
    assert len(ANY_KEYS) == len(set(ANY_KEYS)) == 217
    assert all(Key(name) for name in ANY_KEYS)


def test_stays_on_the_screen() -> None:
    for event in drawn(5000):
        match event:
            case Tap() | Pinch():
                points = [(event.x, event.y)]
            case Swipe():
                points = [(event.x1, event.y1), (event.x2, event.y2)]
            case _:
                points = []
        assert all(0 <= x < SCREEN.width and 0 <= y < SCREEN.height for x, y in points)


def test_writes_down_what_a_touch_hits() -> None:
    taps = [event for event in drawn(2000) if isinstance(event, Tap)]
    saves = [tap for tap in taps if tap.y < 50]
    assert saves
    assert all(tap.selector and tap.selector.text == "Save" for tap in saves)
    assert all(tap.selector is None for tap in taps if tap.y >= 100), "nothing is there"


def test_is_blind() -> None:
    """What is shown changes nothing but the names of what was hit."""
    other = screen(widget("Something else"))

    def bare(event: Event) -> tuple[object, ...]:
        return tuple(
            getattr(event, name) for name in type(event).__slots__ if not isinstance(getattr(event, name), Selector)
        )

    def unnamed(events: list[Event]) -> list[object]:
        return [(type(event), [part for part in bare(event) if part is not None]) for event in events]

    assert unnamed(drawn(500)) == unnamed(drawn(500, other))


def test_turns_the_other_way_round() -> None:
    wide = Screen("com.example.app", "Main", 200, 100)
    assert {event.to for event in drawn(5000) if isinstance(event, Rotate)} == {"landscape"}
    assert {event.to for event in drawn(5000, wide) if isinstance(event, Rotate)} == {"portrait"}


def test_the_same_chance_gives_the_same_events() -> None:
    assert drawn(300) == drawn(300)
    assert drawn(300) != drawn(300, seed=2)


def test_a_screen_without_size_is_no_trouble() -> None:
    assert len(drawn(500, Screen("com.example.app", None, 0, 0))) == 500


def test_switches_to_the_app_now_and_then() -> None:
    assert any(isinstance(event, Launch) for event in drawn(500))
