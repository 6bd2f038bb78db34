"""Tests of the frontier's memory: what was tried, and what it promises."""

from __future__ import annotations

from random import Random

import pytest
from builders import crash, screen, widget

from fewtaps.explore.actions import Kind
from fewtaps.explore.gestures import event_of
from fewtaps.explore.memory import MOST_PLACES, FrontierMemory
from fewtaps.explore.offers import Offers
from fewtaps.explore.scores import LEAST, Offer, Score, scores_of
from fewtaps.explore.targets import actions_on
from fewtaps.explore.texts import Texts
from fewtaps.model.event import Event, SystemEvent, Text
from fewtaps.model.screen import Screen, WidgetFlags
from fewtaps.model.state import page_state
from fewtaps.model.trace import Ending, Step

FIELD = WidgetFlags.EDITABLE | WidgetFlags.CLICKABLE | WidgetFlags.ENABLED
FIRST = screen(widget("Buy"), widget("Sell"))
SECOND = screen(widget("Pay"), widget("Sell"))


def tap(shown: Screen, text: str) -> Event:
    """A tap on the widget with this text, as the strategy would make it."""
    action = next(
        each
        for each in actions_on(shown)
        if each.kind is Kind.TAP and each.located and each.located.widget.text == text
    )
    return event_of(action, shown, Random(1), Texts())


def see(
    memory: FrontierMemory,
    event: Event,
    before: Screen,
    after: Screen | None,
    *,
    news: bool = False,
    crashes: bool = False,
) -> None:
    ending = Ending.CRASHED if crashes else Ending.RUNNING
    step = Step(event, before, after or before, crash=crash("a.B.c") if crashes else None, ending=ending)
    memory.observe(page_state(before), step, page_state(after) if after is not None else None, news)


def promised(memory: FrontierMemory, shown: Screen, text: str) -> float:
    action = next(
        each
        for each in actions_on(shown)
        if each.kind is Kind.TAP and each.located and each.located.widget.text == text
    )
    place = memory.place(page_state(shown), shown)
    return memory.scores_of(place, [Offer(action.name, action.key, action.chance)])[0]


def test_what_was_never_tried_promises_most() -> None:
    memory = FrontierMemory()
    see(memory, tap(FIRST, "Sell"), FIRST, FIRST)
    assert promised(memory, FIRST, "Buy") == 1.0
    assert promised(memory, FIRST, "Sell") < 0.3


def test_an_action_tried_elsewhere_promises_more_than_one_tried_here() -> None:
    memory = FrontierMemory()
    see(memory, tap(FIRST, "Sell"), FIRST, SECOND)
    see(memory, tap(SECOND, "Pay"), SECOND, FIRST)
    assert promised(memory, SECOND, "Sell") > promised(memory, FIRST, "Sell")


def test_what_brought_news_promises_more() -> None:
    rich, poor = FrontierMemory(), FrontierMemory()
    for memory in (rich, poor):
        see(memory, tap(FIRST, "Sell"), FIRST, SECOND, news=memory is rich)
    assert promised(rich, FIRST, "Sell") > promised(poor, FIRST, "Sell")


def test_a_known_crash_is_hardly_worth_repeating_but_nothing_is_worth_nothing() -> None:
    memory = FrontierMemory()
    for _ in range(20):
        see(memory, tap(FIRST, "Buy"), FIRST, FIRST)
        see(memory, tap(FIRST, "Sell"), FIRST, None, crashes=True)
    assert promised(memory, FIRST, "Buy") == LEAST
    assert 0 < promised(memory, FIRST, "Sell") < LEAST / 10


def test_rows_of_a_key_that_never_brings_anything_promise_less_and_less() -> None:
    keys: dict[str, Score] = {}
    values: list[float] = []
    for number in range(6):
        values += scores_of([Offer(f"row {number}", "row", 1.0)], {}, {}, {}, keys)
        keys["row"] = Score(tries=number + 1)
    assert values == sorted(values, reverse=True) and values[-1] < values[0] / 3


def test_a_place_is_left_with_less_promise_than_it_was_found() -> None:
    memory = FrontierMemory()
    see(memory, tap(FIRST, "Sell"), FIRST, SECOND)
    place = memory.place(page_state(SECOND), SECOND)
    before = memory.promise[place]
    for text in ("Pay", "Sell"):
        see(memory, tap(SECOND, text), SECOND, SECOND)
    assert memory.promise[place] < 0.6 * before


def test_what_kind_of_text_a_field_holds_makes_another_place_of_a_state() -> None:
    def form(text: str) -> Screen:
        return screen(widget(text, class_name="android.widget.EditText", flags=FIELD))

    memory = FrontierMemory()
    places = {memory.place(page_state(form(text)), form(text)) for text in ("", "0", "12", "34", "-1", "Ada")}
    assert len(places) == 5
    assert len({page_state(form(text)) for text in ("", "0", "12")}) == 1


def test_texts_are_counted_by_field_whatever_they_were_typed_for() -> None:
    shown = screen(
        widget("Say the word", flags=WidgetFlags.ENABLED),
        widget(None, class_name="android.widget.EditText", flags=FIELD, hint="Word"),
    )
    memory = FrontierMemory()
    for text in ("test", "word"):
        see(memory, Text(text, replace=True, selector=shown.selector_at(50, 75)), shown, shown)
    assert sorted(value for _, value in memory.typed) == ["test", "word"]
    assert len({field for field, _ in memory.typed}) == 1
    assert memory.hints_seen["com.example.app.Main"] == ("Say the word",)


def login(user: str, password: str) -> Screen:
    fields = [
        widget(text, class_name="android.widget.EditText", flags=FIELD, hint=hint)
        for text, hint in ((user, "User"), (password, "Password"))
    ]
    return screen(*fields, widget("Log in"))


def test_what_stands_in_a_form_that_let_somebody_through_is_remembered_until_it_no_longer_does() -> None:
    memory, inside = FrontierMemory(), screen(widget("Log out"), activity="com.example.app.Inside")
    right, wrong = login("ada", "lovelace"), login("ada", "babbage")
    see(memory, tap(wrong, "Log in"), wrong, wrong)
    assert memory.accepted == {} and memory.passed == {}
    see(memory, tap(right, "Log in"), right, inside)
    assert typed_in(memory) == {"User": ["ada"], "Password": ["lovelace"]}
    assert memory.passed == {"Main": 1}
    see(memory, tap(wrong, "Log in"), wrong, wrong)
    assert memory.accepted, "one wrong field says nothing of the other"
    see(memory, tap(right, "Log in"), right, right)
    assert typed_in(memory) == {"User": [], "Password": []}


def test_what_leads_to_an_error_of_its_own_page_is_not_taken_for_what_leads_on() -> None:
    memory, right, wrong = FrontierMemory(), login("ada", "lovelace"), login("ada", "babbage")
    inside = screen(widget("Log out"), widget("Profile"))
    error = screen(widget("Begin again"), activity="com.example.app.Alarm")
    see(memory, tap(right, "Log in"), right, inside)
    see(memory, tap(wrong, "Log in"), wrong, error)
    assert typed_in(memory)["Password"] == ["babbage", "lovelace"]
    (password,) = (each for each in Offers(wrong).texts if "Password" in each.name and "fitting" in each.name)
    places = [memory.place(page_state(shown), shown) for shown in (wrong, inside, error)]
    assert memory.text_towards(password, places[:2]) == "lovelace"
    assert memory.text_towards(password, [places[0], places[2]]) == "babbage"


def typed_in(memory: FrontierMemory) -> dict[str, list[str]]:
    """By the hints of fields, what let somebody through."""
    return {field.rpartition("=")[2]: [each.text for each in values] for field, values in memory.accepted.items()}


def test_a_door_that_nobody_got_through_promises_something_behind_it() -> None:
    closed, passed = FrontierMemory(), FrontierMemory()
    door, inside = login("ada", "lovelace"), screen(widget("Log out"), activity="com.example.app.Inside")
    for memory, after in ((closed, door), (passed, inside)):
        see(memory, tap(door, "Log in"), door, after)
    place = closed.place(page_state(door), door)
    assert closed.promise[place] > passed.promise[place]


def test_where_new_code_ran_what_did_nothing_in_like_places_is_tried_again() -> None:
    shelves = [screen(widget("Next"), widget("Open"), widget(text, flags=WidgetFlags.ENABLED)) for text in "abcdefgh"]
    plain, newer = FrontierMemory(), FrontierMemory()
    for memory in (plain, newer):
        for shelf in shelves[:6]:
            see(memory, tap(shelf, "Open"), shelf, shelf)
        see(memory, tap(shelves[5], "Next"), shelves[5], shelves[6], news=memory is newer)
    assert promised(newer, shelves[6], "Open") > 2 * promised(plain, shelves[6], "Open")


def test_a_page_that_shows_nothing_new_for_long_promises_less_in_all_its_variants() -> None:
    variants = [screen(widget("Next"), widget(f"Field {number}"), activity="a.Paint") for number in range(12)]
    quiz = screen(widget("Next"), widget("Answer"), activity="a.Quiz")
    memory = FrontierMemory()
    see(memory, tap(quiz, "Next"), quiz, variants[0])
    for _ in range(30):
        for before, after in zip(variants[:10], variants[1:11], strict=True):
            see(memory, tap(before, "Next"), before, after)
    see(memory, tap(variants[10], "Next"), variants[10], variants[11])
    tired = memory.promise[memory.place(page_state(variants[11]), variants[11])]
    assert memory.promise[memory.place(page_state(quiz), quiz)] > 2 * tired
    see(memory, tap(variants[0], "Field 0"), variants[0], variants[1], news=True)
    memory._look_at(memory.place(page_state(variants[11]), variants[11]))
    assert memory.promise[memory.place(page_state(variants[11]), variants[11])] > 2 * tired


def test_how_sure_a_step_is_depends_on_how_often_it_led_there() -> None:
    memory = FrontierMemory()
    here, there = (memory.place(page_state(each), each) for each in (FIRST, SECOND))
    see(memory, tap(FIRST, "Sell"), FIRST, SECOND)
    once = memory.exits(here)[there].sure
    see(memory, tap(FIRST, "Sell"), FIRST, SECOND)
    twice = memory.exits(here)[there].sure
    for _ in range(20):
        see(memory, tap(FIRST, "Sell"), FIRST, FIRST)
    assert 0.7 < once < twice and memory.exits(here)[there].sure < 0.2
    assert here not in memory.exits(here)
    # What led there just now may do so again, whatever it did before.
    see(memory, tap(FIRST, "Sell"), FIRST, SECOND)
    assert memory.exits(here)[there].sure == 0.5


def test_what_no_screen_offers_is_no_way_to_walk() -> None:
    memory = FrontierMemory()
    see(memory, SystemEvent("locale"), FIRST, SECOND)
    see(memory, tap(FIRST, "Buy"), FIRST, SECOND)
    tried = memory.tried[memory.place(page_state(FIRST), FIRST)]
    assert [bool(each.targets) for each in tried.values()] == [False, True]


def test_a_fork_learns_on_its_own() -> None:
    memory = FrontierMemory()
    see(memory, tap(FIRST, "Sell"), FIRST, SECOND)
    fork = memory.fork()
    see(fork, tap(FIRST, "Sell"), FIRST, FIRST)
    see(memory, tap(FIRST, "Buy"), FIRST, FIRST)
    place = memory.place(page_state(FIRST), FIRST)
    assert sum(each.times for each in fork.tried[place].values()) == 2
    assert {each.times for each in memory.tried[place].values()} == {1}


@pytest.mark.slow
def test_the_memory_is_bounded() -> None:
    memory = FrontierMemory()
    for number in range(MOST_PLACES + 50):
        shown = screen(widget("Buy"), widget(f"Row {number}", flags=WidgetFlags.ENABLED))
        see(memory, tap(shown, "Buy"), shown, shown)
    assert len(memory.offers) <= MOST_PLACES
    assert memory.offers.keys() == memory.promise.keys() == memory.shapes.keys()


def test_a_button_is_tried_in_more_places_than_a_row_before_it_counts_as_known() -> None:
    tried, alike = {"other": Score(4)}, {"button": (8, 0.0), "row": (8, 0.0)}
    names = {name: Score(tries=8, shapes=1) for name in ("button", "row")}
    offers = [Offer("button", "button", 1.0, acts=True), Offer("row", "row", 1.0)]
    button, row = scores_of(offers, {}, alike, names, tried)
    assert button > 1.5 * row
