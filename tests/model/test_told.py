"""Widgets without a name of their own are told by their role and the text that stands by them."""

from __future__ import annotations

import pytest

from fewtaps.model.event import Swipe, Tap, Text
from fewtaps.model.roles import role_of
from fewtaps.model.screen import Bounds, Screen, Widget, Window, WindowKind, flags_from_letters
from fewtaps.model.told import describe_on

VIEW, TEXT = "android.view.View", "android.widget.TextView"


def node(bounds: tuple[int, int, int, int], *children: Widget, **facts: str) -> Widget:
    """A node as Compose describes it; `class_name`, `text`, `description`, `hint` and `flags` are its facts."""
    return Widget(
        facts.get("class_name", VIEW),
        text=facts.get("text"),
        description=facts.get("description"),
        hint=facts.get("hint"),
        bounds=Bounds(*bounds),
        flags=flags_from_letters(facts.get("flags", "e")),
        children=children,
    )


def label(text: str, *bounds: int) -> Widget:
    left, top, right, bottom = bounds
    return node((left, top, right, bottom), class_name=TEXT, text=text)


def icon(*bounds: int, **facts: str) -> Widget:
    left, top, right, bottom = bounds
    return node((left, top, right, bottom), **{"flags": "cef", **facts})


def screen(*children: Widget) -> Screen:
    root = node((0, 0, 720, 1280), *children)
    return Screen("app", "app.Main", 720, 1280, windows=(Window("", WindowKind.ACTIVITY, root),))


def tap(on: Screen, *path: int) -> str:
    selector = on.selector_for((0, *path))
    assert selector is not None
    return describe_on(Tap(1, 1, selector), on)


def test_a_button_without_a_name_is_told_by_the_text_in_its_row() -> None:
    shown = screen(
        node((0, 0, 720, 100), label("Milk", 0, 20, 300, 80), icon(600, 0, 700, 100)),
        node((0, 100, 720, 200), label("Bread", 0, 120, 300, 180), icon(600, 100, 700, 200)),
    )
    assert tap(shown, 0, 1) == "Tap the button beside 'Milk'"
    assert tap(shown, 1, 1) == "Tap the button beside 'Bread'"


def test_several_at_one_text_are_numbered_in_the_order_of_the_tree() -> None:
    shown = screen(label("Songs", 0, 0, 200, 100), *(icon(300 + 100 * n, 0, 400 + 100 * n, 100) for n in range(3)))
    assert [tap(shown, n) for n in (1, 2, 3)] == [
        "Tap the 1st button beside 'Songs'",
        "Tap the 2nd button beside 'Songs'",
        "Tap the 3rd button beside 'Songs'",
    ]


def test_a_text_above_names_what_no_text_stands_beside() -> None:
    shown = screen(label("Volume", 0, 0, 200, 60), node((0, 80, 720, 160), class_name="android.widget.SeekBar"))
    selector = shown.selector_for((0, 1))
    assert describe_on(Swipe(0, 100, 500, 100, selector=selector), shown) == "Swipe the slider beside 'Volume' right"


def test_numbers_and_typed_texts_name_nothing() -> None:
    shown = screen(
        label("12:45", 0, 0, 200, 100),
        node((210, 0, 400, 100), class_name="android.widget.EditText", text="typed", flags="ceft"),
        icon(600, 0, 700, 100),
        label("Far away", 0, 1000, 700, 1100),
    )
    assert tap(shown, 2) == "Tap the View at 0.2"


def test_a_field_is_told_by_its_neighbour_too() -> None:
    shown = screen(
        label("Name", 0, 0, 200, 100), icon(210, 0, 700, 100, class_name="android.widget.EditText", flags="ceft")
    )
    assert describe_on(Text("x", selector=shown.selector_for((0, 1))), shown) == "Type 'x' in the field beside 'Name'"


def test_a_widget_with_a_name_keeps_it() -> None:
    shown = screen(label("Milk", 0, 0, 200, 100), icon(600, 0, 700, 100, description="Delete"))
    assert tap(shown, 1) == "Tap 'Delete'"


def test_a_screen_that_was_not_seen_leaves_the_path() -> None:
    shown = screen(label("Milk", 0, 0, 200, 100), icon(600, 0, 700, 100))
    selector = shown.selector_for((0, 1))
    assert describe_on(Tap(1, 1, selector), screen()) == "Tap the View at 0.1"


@pytest.mark.parametrize(
    ("class_name", "flags", "role"),
    [
        (VIEW, "ce", "button"),
        (VIEW, "cek", "checkbox"),
        ("android.widget.RadioButton", "cek", "radio button"),
        ("android.widget.Switch", "cek", "switch"),
        ("android.widget.SeekBar", "ef", "slider"),
        ("android.widget.Spinner", "ce", "dropdown"),
        ("com.google.android.material.tabs.TabLayout$TabView", "ceS", "tab"),
        ("android.widget.EditText", "cet", "field"),
        ("android.widget.ImageView", "ce", "image"),
        (VIEW, "e", "View"),
    ],
)
def test_roles_follow_flags_and_classes(class_name: str, flags: str, role: str) -> None:
    assert role_of(node((0, 0, 1, 1), class_name=class_name, flags=flags)) == role
