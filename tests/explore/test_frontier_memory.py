"""Tests of the frontier's memory: what was tried, and what it promises."""

from __future__ import annotations

from random import Random

import pytest
from builders import crash, screen, widget

from fewtaps.explore.actions import ActionKind
from fewtaps.explore.frontier_parameters import PlaceParameters
from fewtaps.explore.gestures import event_of
from fewtaps.explore.ids import ActionGroup, ActionName
from fewtaps.explore.memory import FrontierMemory
from fewtaps.explore.parameters import DEFAULT_PARAMETERS, ExploreParameters
from fewtaps.explore.scores import OfferedAction, Score, scores_of
from fewtaps.explore.screen_actions import ScreenActions
from fewtaps.explore.targets import actions_on
from fewtaps.explore.texts import Texts
from fewtaps.model.ending import Ending
from fewtaps.model.event import Event, SystemEvent, Text
from fewtaps.model.screen import Screen, WidgetFlags
from fewtaps.model.state import page_state
from fewtaps.model.trace import Step

FIELD = WidgetFlags.EDITABLE | WidgetFlags.CLICKABLE | WidgetFlags.ENABLED
LEAST = DEFAULT_PARAMETERS.scores.least
FIRST = screen(widget("Buy"), widget("Sell"))
SECOND = screen(widget("Pay"), widget("Sell"))


def tap(shown: Screen, text: str) -> Event:
    """A tap on the widget with this text, as the strategy would make it."""
    action = next(
        each
        for each in actions_on(shown)
        if each.kind is ActionKind.TAP and each.located and each.located.widget.text == text
    )
    return event_of(action, shown, Random(1), Texts())


def see(
    memory: FrontierMemory,
    event: Event,
    before: Screen,
    after: Screen | None,
    *,
    new_code: bool = False,
    crashes: bool = False,
) -> None:
    ending = Ending.CRASHED if crashes else Ending.RUNNING
    step = Step(event, before, after or before, crash=crash("a.B.c") if crashes else None, ending=ending)
    memory.observe(page_state(before), step, page_state(after) if after is not None else None, new_code)


def score_of(memory: FrontierMemory, shown: Screen, text: str) -> float:
    action = next(
        each
        for each in actions_on(shown)
        if each.kind is ActionKind.TAP and each.located and each.located.widget.text == text
    )
    place = memory.place(page_state(shown), shown)
    return memory.scores_in(place, [OfferedAction(action.name, action.group, action.chance)])[0]


def test_an_untried_action_has_the_highest_score() -> None:
    memory = FrontierMemory()
    see(memory, tap(FIRST, "Sell"), FIRST, FIRST)
    assert score_of(memory, FIRST, "Buy") == 1.0
    assert score_of(memory, FIRST, "Sell") < 0.3


def test_an_action_tried_elsewhere_has_a_higher_score_than_one_tried_here() -> None:
    memory = FrontierMemory()
    see(memory, tap(FIRST, "Sell"), FIRST, SECOND)
    see(memory, tap(SECOND, "Pay"), SECOND, FIRST)
    assert score_of(memory, SECOND, "Sell") > score_of(memory, FIRST, "Sell")


def test_an_action_that_ran_new_code_has_a_higher_score() -> None:
    rich, poor = FrontierMemory(), FrontierMemory()
    for memory in (rich, poor):
        see(memory, tap(FIRST, "Sell"), FIRST, SECOND, new_code=memory is rich)
    assert score_of(rich, FIRST, "Sell") > score_of(poor, FIRST, "Sell")


def test_a_known_crash_has_the_lowest_score_and_no_score_is_zero() -> None:
    memory = FrontierMemory()
    for _ in range(20):
        see(memory, tap(FIRST, "Buy"), FIRST, FIRST)
        see(memory, tap(FIRST, "Sell"), FIRST, None, crashes=True)
    assert score_of(memory, FIRST, "Buy") == LEAST
    assert 0 < score_of(memory, FIRST, "Sell") < LEAST / 10


def test_the_scores_of_rows_fall_if_others_of_their_group_bring_nothing() -> None:
    groups: dict[ActionGroup, Score] = {}
    rows, values = ActionGroup("row"), list[float]()
    for number in range(6):
        values += scores_of([OfferedAction(ActionName(f"row {number}"), rows, 1.0)], {}, {}, {}, groups)
        groups[rows] = Score(tries=number + 1)
    assert values == sorted(values, reverse=True) and values[-1] < values[0] / 3


def test_the_potential_of_a_place_falls_with_tries() -> None:
    memory = FrontierMemory()
    see(memory, tap(FIRST, "Sell"), FIRST, SECOND)
    place = memory.place(page_state(SECOND), SECOND)
    before = memory.places.potential[place]
    for text in ("Pay", "Sell"):
        see(memory, tap(SECOND, text), SECOND, SECOND)
    assert memory.places.potential[place] < 0.6 * before


def test_the_kind_of_text_in_a_field_makes_another_place_of_a_state() -> None:
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
    assert sorted(value for _, value in memory.forms.typed) == ["test", "word"]
    assert len({field for field, _ in memory.forms.typed}) == 1
    assert memory.forms.lines["com.example.app.Main"] == ("Say the word",)


def login(user: str, password: str) -> Screen:
    fields = [
        widget(text, class_name="android.widget.EditText", flags=FIELD, hint=hint)
        for text, hint in ((user, "User"), (password, "Password"))
    ]
    return screen(*fields, widget("Log in"))


def test_values_with_which_a_form_was_left_are_remembered_until_they_fail() -> None:
    memory, inside = FrontierMemory(), screen(widget("Log out"), activity="com.example.app.Inside")
    right, wrong = login("ada", "lovelace"), login("ada", "babbage")
    see(memory, tap(wrong, "Log in"), wrong, wrong)
    assert memory.forms.accepted == {} and memory.forms.submitted == {}
    see(memory, tap(right, "Log in"), right, inside)
    assert typed_in(memory) == {"User": ["ada"], "Password": ["lovelace"]}
    assert memory.forms.submitted == {"Main": 1}
    see(memory, tap(wrong, "Log in"), wrong, wrong)
    assert memory.forms.accepted, "one wrong field says nothing of the other"
    see(memory, tap(right, "Log in"), right, right)
    assert typed_in(memory) == {"User": [], "Password": []}


def test_values_that_lead_to_an_error_page_are_told_from_those_that_lead_on() -> None:
    memory, right, wrong = FrontierMemory(), login("ada", "lovelace"), login("ada", "babbage")
    inside = screen(widget("Log out"), widget("Profile"))
    error = screen(widget("Begin again"), activity="com.example.app.Alarm")
    see(memory, tap(right, "Log in"), right, inside)
    see(memory, tap(wrong, "Log in"), wrong, error)
    assert typed_in(memory)["Password"] == ["babbage", "lovelace"]
    (password,) = (each for each in ScreenActions(wrong).texts if "Password" in each.name and "fitting" in each.name)
    places = [memory.place(page_state(shown), shown) for shown in (wrong, inside, error)]
    assert memory.text_towards(password.field, places[:2]) == "lovelace"
    assert memory.text_towards(password.field, [places[0], places[2]]) == "babbage"


def typed_in(memory: FrontierMemory) -> dict[str, list[str]]:
    """By the hints of fields, the accepted values."""
    return {field.rpartition("=")[2]: [each.text for each in values] for field, values in memory.forms.accepted.items()}


def test_a_submitting_button_that_never_led_on_adds_to_the_potential() -> None:
    closed, passed = FrontierMemory(), FrontierMemory()
    form, inside = login("ada", "lovelace"), screen(widget("Log out"), activity="com.example.app.Inside")
    for memory, after in ((closed, form), (passed, inside)):
        see(memory, tap(form, "Log in"), form, after)
    place = closed.place(page_state(form), form)
    assert closed.places.potential[place] > passed.places.potential[place]


def test_where_new_code_ran_idle_actions_of_the_shape_are_tried_again() -> None:
    shelves = [screen(widget("Next"), widget("Open"), widget(text, flags=WidgetFlags.ENABLED)) for text in "abcdefgh"]
    plain, newer = FrontierMemory(), FrontierMemory()
    for memory in (plain, newer):
        for shelf in shelves[:6]:
            see(memory, tap(shelf, "Open"), shelf, shelf)
        see(memory, tap(shelves[5], "Next"), shelves[5], shelves[6], new_code=memory is newer)
    assert score_of(newer, shelves[6], "Open") > 2 * score_of(plain, shelves[6], "Open")


def test_a_page_without_new_code_for_long_has_less_potential_in_all_its_places() -> None:
    variants = [screen(widget("Next"), widget(f"Field {number}"), activity="a.Paint") for number in range(12)]
    quiz = screen(widget("Next"), widget("Answer"), activity="a.Quiz")
    memory = FrontierMemory()
    see(memory, tap(quiz, "Next"), quiz, variants[0])
    for _ in range(30):
        for before, after in zip(variants[:10], variants[1:11], strict=True):
            see(memory, tap(before, "Next"), before, after)
    see(memory, tap(variants[10], "Next"), variants[10], variants[11])
    tired = memory.places.potential[memory.place(page_state(variants[11]), variants[11])]
    assert memory.places.potential[memory.place(page_state(quiz), quiz)] > 2 * tired
    see(memory, tap(variants[0], "Field 0"), variants[0], variants[1], new_code=True)
    memory.evaluate(memory.place(page_state(variants[11]), variants[11]))
    assert memory.places.potential[memory.place(page_state(variants[11]), variants[11])] > 2 * tired


def test_the_probability_of_a_step_depends_on_how_often_it_led_there() -> None:
    memory = FrontierMemory()
    here, there = (memory.place(page_state(each), each) for each in (FIRST, SECOND))
    see(memory, tap(FIRST, "Sell"), FIRST, SECOND)
    once = memory.places.exits(here)[there].probability
    see(memory, tap(FIRST, "Sell"), FIRST, SECOND)
    twice = memory.places.exits(here)[there].probability
    for _ in range(20):
        see(memory, tap(FIRST, "Sell"), FIRST, FIRST)
    assert 0.7 < once < twice and memory.places.exits(here)[there].probability < 0.2
    assert here not in memory.places.exits(here)
    # The last target has a least probability.
    see(memory, tap(FIRST, "Sell"), FIRST, SECOND)
    assert memory.places.exits(here)[there].probability == 0.5


def test_an_event_that_no_screen_offers_is_no_step_of_a_path() -> None:
    memory = FrontierMemory()
    see(memory, SystemEvent("locale"), FIRST, SECOND)
    see(memory, tap(FIRST, "Buy"), FIRST, SECOND)
    tried = memory.places.tried[memory.place(page_state(FIRST), FIRST)]
    assert [bool(each.targets) for each in tried.values()] == [False, True]


def test_a_fork_learns_on_its_own() -> None:
    memory = FrontierMemory()
    see(memory, tap(FIRST, "Sell"), FIRST, SECOND)
    fork = memory.fork()
    see(fork, tap(FIRST, "Sell"), FIRST, FIRST)
    see(memory, tap(FIRST, "Buy"), FIRST, FIRST)
    place = memory.place(page_state(FIRST), FIRST)
    assert sum(each.times for each in fork.places.tried[place].values()) == 2
    assert {each.times for each in memory.places.tried[place].values()} == {1}


@pytest.mark.slow
def test_the_memory_is_bounded() -> None:
    memory = FrontierMemory(ExploreParameters(places=PlaceParameters(max_places=400)))
    for number in range(450):
        shown = screen(widget("Buy"), widget(f"Row {number}", flags=WidgetFlags.ENABLED))
        see(memory, tap(shown, "Buy"), shown, shown)
    places = memory.places
    assert len(places.offered) <= 400
    assert places.offered.keys() == places.potential.keys() == places.shapes.keys()


def test_a_button_is_tried_in_more_places_than_a_row_before_it_counts_as_known() -> None:
    group, names = ActionGroup("other"), [ActionName("button"), ActionName("row")]
    offered = [OfferedAction(name, group, 1.0, is_button=name == "button") for name in names]
    alike, by_name = dict.fromkeys(names, (8, 0.0)), dict.fromkeys(names, Score(tries=8, shapes=1))
    button, row = scores_of(offered, {}, alike, by_name, {group: Score(4)})
    assert button > 1.5 * row
