"""Tests of filling in forms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from builders import screen, widget

from fewtaps.explore.actions import ActionKind
from fewtaps.explore.form_memory import AcceptedValue, FormMemory
from fewtaps.explore.forms import Form, PlannedAction, fill_in
from fewtaps.explore.hints import readable_lines
from fewtaps.explore.ids import FieldId, ShapeId
from fewtaps.explore.screen_actions import ScreenActions
from fewtaps.explore.texts import Texts
from fewtaps.model.screen import Screen, WidgetFlags

FIELD = WidgetFlags.EDITABLE | WidgetFlags.CLICKABLE | WidgetFlags.ENABLED
BOX = WidgetFlags.CLICKABLE | WidgetFlags.ENABLED | WidgetFlags.CHECKABLE
_WIDGETS = (
    widget("Help"),
    widget(None, class_name="android.widget.EditText", hint="User", flags=FIELD),
    widget(None, class_name="android.widget.EditText", hint="Password", flags=FIELD),
    widget("Remember me", flags=BOX),
    widget("Log in"),
    widget("The user is demo", class_name="android.widget.TextView", flags=WidgetFlags.ENABLED),
)
LOGIN = replace(screen(*_WIDGETS), height=300)


def form_of(shown: Screen, memory: FormMemory | None = None, lines: Sequence[str] | None = None) -> Form:
    known = readable_lines(shown) if lines is None else lines
    return Form(shown, ScreenActions(shown), known, memory or FormMemory())


def filled(shown: Screen, seed: int) -> list[PlannedAction]:
    return fill_in(form_of(shown), Texts(), Random(seed))


def test_a_form_is_filled_in_from_the_first_field_to_a_button() -> None:
    offers = ScreenActions(LOGIN)
    for seed in range(50):
        steps = filled(LOGIN, seed)
        kinds = [action.kind for step in steps if (action := offers.named(step.name)) is not None]
        if len(kinds) < len(steps):
            # The keyboard's own button, which is there as soon as something was typed.
            assert steps[-1].name == "enter ENTER Main"
            kinds.append(ActionKind.ENTER)
        assert len(kinds) == len(steps) and kinds[-1] in (ActionKind.TAP, ActionKind.ENTER)
        assert kinds.count(ActionKind.TEXT) in (0, 2)
        assert kinds[: kinds.count(ActionKind.TEXT)] == [ActionKind.TEXT] * kinds.count(ActionKind.TEXT)


def test_the_button_is_mostly_the_one_that_submits() -> None:
    offers = ScreenActions(LOGIN)
    pressed = [offers.named(filled(LOGIN, seed)[-1].name) for seed in range(200)]
    labels = [action.located.widget.text for action in pressed if action and action.located]
    assert labels.count("Log in") > 160 and "Help" in labels


def test_words_of_the_screen_are_typed_into_the_fields() -> None:
    typed = [[step.text for step in filled(LOGIN, seed)][:2] for seed in range(100)]
    assert typed.count(["demo", "demo"]) > 20, "the user is demo, and nothing is said of the password"


def test_words_that_were_typed_already_come_last() -> None:
    memory, field = FormMemory(), FieldId("Main:EditText=User")
    memory.typed = {(field, word): 9 for line in readable_lines(LOGIN) for word in (line, *line.split())}
    form = form_of(LOGIN, memory)
    typed = {fill_in(form, Texts(lambda: ["sesame"]), Random(seed))[0].text for seed in range(300)}
    assert "sesame" in typed


def test_accepted_values_are_typed_again() -> None:
    memory, inside, error = FormMemory(), ShapeId("inside"), ShapeId("error")
    memory.accepted = {
        FieldId("Main:EditText=User"): (AcceptedValue("ada", inside), AcceptedValue("bob", error)),
        FieldId("Main:EditText=Password"): (AcceptedValue("lovelace", inside), AcceptedValue("wrong", error)),
    }
    form = form_of(LOGIN, memory, lines=())
    typed = [[step.text for step in fill_in(form, Texts(), Random(seed))][:2] for seed in range(100)]
    assert typed.count(["ada", "lovelace"]) > 15 and typed.count(["bob", "wrong"]) > 15
    assert ["ada", "wrong"] not in typed, "what led to the same page belongs together"


def test_a_password_is_repeated_where_it_is_asked_for_twice() -> None:
    fields = [
        widget(None, class_name="android.widget.EditText", hint=hint, flags=FIELD)
        for hint in ("Password", "Confirm password")
    ]
    shown = screen(*fields, widget("Register"))
    typed = [[step.text for step in filled(shown, seed) if "fitting" in step.name] for seed in range(60)]
    pairs = [each for each in typed if len(each) == 2 and None not in each]
    assert pairs and all(first == second for first, second in pairs)


def test_a_form_of_boxes_alone_is_ticked_and_sent() -> None:
    shown = screen(widget("I accept", flags=BOX), widget("Next"))
    assert [step.name for step in filled(shown, 1)][-1].endswith("Next")
    ticked = sum(len(filled(shown, seed)) == 2 for seed in range(100))
    assert ticked > 50


def test_fields_are_also_left_as_they_are() -> None:
    assert any(all("text" not in step.name for step in filled(LOGIN, seed)) for seed in range(50))


def test_a_screen_without_fields_is_no_form() -> None:
    assert filled(screen(widget("OK")), 1) == []
