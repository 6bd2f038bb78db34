"""Expectations from several runs: what a step changed is expected, what differs between the runs is masked."""

from __future__ import annotations

from dataclasses import replace

import pytest
from builders import APP, crash, screen, widget

from fewtaps.model.ending import Ending
from fewtaps.model.event import Event, Key, Launch, Rotate, Selector, Tap
from fewtaps.model.expectation import Expectation
from fewtaps.model.screen import Screen, Widget, WidgetFlags
from fewtaps.model.state import actionable_state
from fewtaps.model.trace import Step, Trace
from fewtaps.suite.checking import ExpectationChecker
from fewtaps.suite.expecting import MOST_WIDGETS, masks_everything, state_shapes, with_expectations

ENABLED = WidgetFlags.ENABLED


def label(text: str, identifier: str = "app:id/label") -> Widget:
    return widget(text, class_name="android.widget.TextView", flags=ENABLED, resource_id=identifier)


def run(*screens: Screen, events: tuple[Event, ...] = (), world: int = 0) -> Trace:
    """A run that shows these screens in turn."""
    made = (Launch(), *events, *[Key("MENU")] * len(screens))
    befores = (Screen("", None, 0, 0), *screens)
    steps = [Step(event, before, after) for event, before, after in zip(made, befores, screens, strict=False)]
    return Trace(APP, tuple(steps), world=world)


def expected(*runs: Trace, abstraction: str = "actionable") -> list[Expectation]:
    made = [step.expect for step in with_expectations(runs, abstraction).steps]
    assert all(each is not None for each in made)
    return [each for each in made if each is not None]


def texts(expectation: Expectation) -> list[str | None]:
    return [each.text for each in expectation.widgets]


def test_a_step_expects_its_activity_and_its_state() -> None:
    seen = screen(label("6"))
    (launch,) = expected(run(seen))
    assert (launch.activity, launch.state) == ("com.example.app.Main", actionable_state(seen))


def test_a_step_expects_the_texts_that_it_changed_and_no_others() -> None:
    first, second = screen(label("Bill", "app:id/a"), label("6")), screen(label("Bill", "app:id/a"), label("8"))
    launch, step = expected(run(first, second))
    assert texts(launch) == ["Bill", "6"]
    assert texts(step) == ["8"]


def test_a_text_that_only_moved_was_not_changed() -> None:
    _, step = expected(run(screen(label("Bill")), screen(label("New", "app:id/new"), label("Bill"))))
    assert texts(step) == ["New"]


def test_a_check_mark_that_changed_is_expected() -> None:
    box = widget("Round", class_name="Box", flags=ENABLED | WidgetFlags.CHECKABLE)
    _, step = expected(run(screen(box), screen(replace(box, flags=box.flags | WidgetFlags.CHECKED))))
    assert [(each.selector.text, each.text, each.checked) for each in step.widgets] == [("Round", None, True)]


def test_a_rotation_expects_again_what_earlier_steps_changed() -> None:
    first, second = screen(label("2"), label("Bill", "app:id/a")), screen(label("3"), label("Bill", "app:id/a"))
    trace = Trace(
        APP,
        (
            Step(Launch(), after=first),
            Step(Key("MENU"), first, second),
            Step(Rotate("landscape"), second, second),
        ),
    )
    rotated = expected(trace)[2]
    assert "3" in texts(rotated)


def test_what_differs_between_runs_is_masked_and_not_expected() -> None:
    runs = [run(screen(label("Bill", "app:id/a"), label(date, "app:id/date"))) for date in ("Mon", "Mon", "Wed")]
    (launch,) = expected(*runs)
    assert texts(launch) == ["Bill"]
    assert [each.resource_id for each in launch.masked] == ["app:id/date"]


def test_a_widget_that_some_runs_lack_is_masked() -> None:
    (launch,) = expected(run(screen(label("6"), label("Hint", "app:id/hint"))), run(screen(label("6"))))
    assert texts(launch) == ["6"]
    assert [each.resource_id for each in launch.masked] == ["app:id/hint"]


def test_a_state_that_differs_between_runs_is_not_expected() -> None:
    (launch,) = expected(run(screen(widget("A"))), run(screen(widget("A"), widget("B"))))
    assert launch.state is None
    assert launch.activity == "com.example.app.Main"


def test_the_runs_meet_their_own_expectations() -> None:
    runs = [run(screen(label("Bill"), label(str(number))), screen(label(str(number)))) for number in range(3)]
    steps = with_expectations(runs, "actionable").steps
    for each in runs:
        checker = ExpectationChecker("actionable")
        assert all(checker.check(number, step, steps[number].expect).is_fine for number, step in enumerate(each.steps))


def test_the_last_step_may_expect_a_known_crash() -> None:
    seen = screen(label("6"))
    end = Step(Key("MENU"), seen, seen, crash=crash("a.B.c"), ending=Ending.CRASHED)
    trace = Trace(APP, (Step(Launch(), after=seen), end))
    assert expected(trace)[1] == Expectation(ending=Ending.CRASHED, crash=crash("a.B.c").signature)


def test_outside_the_app_its_package_is_expected() -> None:
    seen = replace(screen(), package="com.android.browser")
    trace = Trace(APP, (Step(Launch(), after=screen()), Step(Key("HOME"), screen(), seen, ending=Ending.LEFT)))
    assert expected(trace)[1] == Expectation(ending=Ending.LEFT, package="com.android.browser")


def test_steps_after_the_end_of_another_run_expect_nothing() -> None:
    long, short = run(screen(label("1")), screen(label("2"))), run(screen(label("1")))
    steps = with_expectations([long, short], "actionable").steps
    assert steps[0].expect is not None
    assert steps[1].expect is None


def test_passwords_and_very_long_texts_are_not_expected() -> None:
    secret = widget("hunter2", class_name="Box", flags=ENABLED | WidgetFlags.PASSWORD)
    (launch,) = expected(run(screen(secret, label("x" * 1000), label("   "))))
    assert launch.widgets == ()


def test_the_insides_of_a_web_view_are_not_expected() -> None:
    inside = widget("advertisement", class_name="a")
    web = widget(None, class_name="android.webkit.WebView", flags=ENABLED | WidgetFlags.WEB, children=(inside,))
    assert expected(run(screen(web)))[0].widgets == ()


def test_of_a_full_screen_the_telling_texts_are_chosen() -> None:
    many = [widget(f"Button {letter}") for letter in "abcdefghijklmnop"]
    (launch,) = expected(run(screen(*many, label("Total 5.69"))))
    assert len(launch.widgets) == MOST_WIDGETS
    assert "Total 5.69" in texts(launch)


def test_texts_that_tell_mutants_apart_are_expected_too() -> None:
    first, second = screen(label("Bill", "app:id/a"), label("6")), screen(label("Bill", "app:id/a"), label("8"))
    steps = with_expectations([run(first, second)], "actionable", frozenset({(1, (0, 0))})).steps
    assert steps[1].expect is not None and texts(steps[1].expect) == ["Bill", "8"]


def test_the_text_of_a_selector_that_differs_between_runs_is_taken_out() -> None:
    def tapped(text: str) -> Trace:
        seen = screen(widget(text))
        selector = Selector(None, "android.widget.Button", "Row 1", path=(0, 0))
        return Trace(APP, (Step(Launch(), after=seen), Step(Tap(1, 1, selector), seen, seen)))

    varying = with_expectations([tapped("Row 1"), tapped("Row 2")], "actionable").steps[1].event
    constant = with_expectations([tapped("Row 1"), tapped("Row 1")], "actionable").steps[1].event
    assert isinstance(varying, Tap) and varying.selector is not None and varying.selector.text is None
    assert isinstance(constant, Tap) and constant.selector is not None and constant.selector.text == "Row 1"


def test_masks_that_hide_everything_are_noticed() -> None:
    runs = [run(screen(label(date))) for date in ("Mon", "Wed")]
    assert masks_everything(with_expectations(runs, "actionable"))
    assert not masks_everything(with_expectations(runs[:1], "actionable"))


def test_a_state_has_the_widgets_that_all_its_screens_have() -> None:
    one = screen(widget("A", resource_id="app:id/a"), widget("B", resource_id="app:id/b"))
    other = screen(widget("A", resource_id="app:id/a"), widget("B", resource_id="app:id/c"))
    (shape,) = state_shapes([run(one), run(other)], "actionable")
    assert shape.windows[0].widgets == ("android.widget.Button#app:id/a",)
    assert state_shapes([run(one)], "page") == ()


def test_expectations_need_a_run() -> None:
    with pytest.raises(ValueError, match="at least one run"):
        with_expectations([], "actionable")


def test_a_selector_is_taken_anew_where_its_widget_was_in_another_place() -> None:
    """The trace that a step comes from may have shown its widget elsewhere, such as below one more row."""
    button = widget("Save", resource_id="app:id/save", flags=ENABLED | WidgetFlags.CLICKABLE)
    old = Selector(resource_id="app:id/save", class_name=button.class_name, text="Save", path=(0, 5))
    first, second = screen(label("Bill"), button), screen(label("Saved"))
    made = with_expectations([run(first, second, events=(Tap(5, 5, old),))], "actionable")
    tap = made.steps[1].event
    assert isinstance(tap, Tap)
    assert tap.selector == replace(old, path=(0, 1))


def test_a_selector_taken_anew_gets_no_facts_that_it_left_out() -> None:
    button = widget("Save", resource_id="app:id/save", flags=ENABLED | WidgetFlags.CLICKABLE)
    old = Selector(resource_id="app:id/save")
    made = with_expectations([run(screen(button), screen(label("Saved")), events=(Tap(5, 5, old),))], "actionable")
    tap = made.steps[1].event
    assert isinstance(tap, Tap)
    assert tap.selector == old
