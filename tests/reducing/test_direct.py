"""Ways into the middle of an app."""

from __future__ import annotations

from builders import trace

from fewtaps.device.session import DEFAULT_SETTINGS
from fewtaps.device.simulated.device import SimulatedSession
from fewtaps.device.simulated.samples import wizard
from fewtaps.model.event import Key, Launch, StartIntent, Tap
from fewtaps.model.trace import Trace
from fewtaps.reducing.direct import direct_starts
from fewtaps.replay import play

PACKAGE = "com.example.wizard"


def tap(session: SimulatedSession, text: str) -> Tap:
    located = next(each for each in session.launch().after.iter_widgets() if each.text == text)
    return Tap(*located.bounds.centre)


def three_pages() -> Trace:
    session = SimulatedSession(wizard(3), DEFAULT_SETTINGS)
    accept, proceed = (tap(session, text) for text in ("Accept", "Next"))
    seen = play(session, [Launch(), *[accept, proceed] * 3])
    assert seen.crash is not None
    return seen


def test_an_intent_stands_for_all_that_led_to_an_activity_the_furthest_first() -> None:
    seen = three_pages()
    first, second = direct_starts(seen, {f"{PACKAGE}.Page{number}" for number in (1, 2, 3)})
    assert (first.activity, first.replaced) == (f"{PACKAGE}.Page3", 4)
    assert first.trace.events == (Launch(), StartIntent(component=f"{PACKAGE}/{PACKAGE}.Page3"), *seen.events[5:])
    assert (second.activity, second.replaced) == (f"{PACKAGE}.Page2", 2)


def test_only_activities_of_the_app_can_be_begun_in() -> None:
    assert not list(direct_starts(three_pages(), {"com.other.Page3"}))


def test_where_nothing_was_seen_there_is_no_such_way() -> None:
    assert not list(direct_starts(trace(Key("BACK"), Key("BACK"), Key("BACK")), {f"{PACKAGE}.Page3"}))
