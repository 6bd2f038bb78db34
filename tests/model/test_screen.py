from __future__ import annotations

import json

import pytest
from builders import CLICKABLE, screen, screens, widget
from hypothesis import given

from fewtaps.model.event import Selector
from fewtaps.model.screen import (
    UNSEEN,
    Bounds,
    Screen,
    Widget,
    WidgetFlags,
    Window,
    WindowKind,
    flags_from_letters,
    screen_from_json,
    screen_to_json,
    selector_of,
)

DIALOG = Window("Sure?", WindowKind.DIALOG, widget("OK", resource_id="a:id/ok", bounds=Bounds(20, 60, 80, 90)))


@given(screens)
def test_every_screen_survives_json(value: Screen) -> None:
    assert screen_from_json(json.loads(json.dumps(screen_to_json(value)))) == value


@given(screens)
def test_every_selector_finds_a_widget_that_fits_it(value: Screen) -> None:
    for located in value.iter_located():
        found = value.find(selector_of(located))
        assert found is not None
        if located.path[0] == value.touch_window:
            assert selector_of(found) == selector_of(located)


@given(screens)
def test_equal_screens_have_equal_digests_in_any_process(value: Screen) -> None:
    copy = screen_from_json(screen_to_json(value))
    assert copy.digest() == value.digest()
    assert value.digest() == value.digest()


def test_the_digest_is_the_same_on_every_machine() -> None:
    assert screen(widget("OK")).digest() == "3875310a697a730f9266ad8462489f06"


def test_the_digest_sees_every_change() -> None:
    variants = [screen(widget("OK")), screen(widget("Ok")), screen(widget("OK", flags=WidgetFlags.NONE)), UNSEEN]
    assert len({variant.digest() for variant in variants}) == len(variants)


def test_asking_for_the_digest_changes_neither_equality_nor_hash() -> None:
    one, other = screen(widget("OK")), screen(widget("OK"))
    one.digest()
    assert one == other
    assert hash(one) == hash(other)


def test_json_has_the_letters_of_the_bridge() -> None:
    value = screen(widget("OK", resource_id="a:id/ok", flags=flags_from_letters("cefK"), input_type=1))
    (window,) = screen_to_json(value)["windows"]
    assert window["root"]["children"] == [
        {
            "class": "android.widget.Button",
            "id": "a:id/ok",
            "text": "OK",
            "bounds": [0, 0, 100, 50],
            "flags": "cefK",
            "input": 1,
        }
    ]


def test_every_flag_has_its_own_letter() -> None:
    everything = flags_from_letters("clefFkKsSptw")
    assert everything == WidgetFlags(4095)
    assert everything.letters == "clefFkKsSptw"


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"width": "720"}, "width"),
        ({"windows": {}}, "windows"),
        ({"windows": [{"kind": "wall", "root": {}}]}, "kind"),
        ({"windows": [{"kind": "dialog"}]}, "widget"),
        ({"windows": [{"kind": "dialog", "root": {"bounds": [1, 2, 3]}}]}, "bounds"),
        ({"windows": [{"kind": "dialog", "root": {"flags": "z"}}]}, "flags"),
        ({"windows": [{"kind": "dialog", "root": {"text": 5}}]}, "text"),
        ({"keyboard": 1}, "keyboard"),
    ],
)
def test_a_bad_field_is_named(change: dict[str, object], field: str) -> None:
    with pytest.raises(ValueError, match=rf"^{field}: "):
        screen_from_json({**screen_to_json(UNSEEN), **change})


def deepest(value: Screen, x: int, y: int) -> Widget:
    located = value.located_at(x, y)
    assert located is not None
    return located.widget


def test_the_topmost_touchable_window_gets_the_tap() -> None:
    toast = Window("Toast", WindowKind.TOAST, widget("Saved", bounds=Bounds(0, 0, 100, 200)), touchable=False)
    value = screen(widget("A"), widget("B"), above=[toast, DIALOG])
    assert deepest(value, 50, 70) is DIALOG.root
    assert deepest(value, 5, 10) is value.windows[2].root.children[0]


def test_a_later_sibling_lies_on_top() -> None:
    under, over = widget("under"), widget("over")
    root = Widget("FrameLayout", bounds=Bounds(0, 0, 100, 50), children=(under, over))
    value = Screen("a", "a.Main", 100, 50, windows=(Window("", WindowKind.ACTIVITY, root),))
    assert deepest(value, 5, 5) is over


def test_nothing_is_outside_the_screen() -> None:
    assert screen(widget("A")).located_at(-1, -1) is None


def test_a_tap_on_a_text_is_meant_for_the_row_around_it() -> None:
    inner = Widget("android.widget.TextView", text="Alice", bounds=Bounds(0, 0, 50, 50))
    value = screen(widget(None, class_name="LinearLayout", children=(inner,)))
    selector = value.selector_at(5, 5)
    assert selector == Selector(class_name="LinearLayout", text="Alice", path=(0, 0))


def test_a_row_is_called_by_the_text_inside_it_but_not_by_that_of_a_button_in_it() -> None:
    button = widget("Delete")
    title = Widget("android.widget.TextView", text="Alice")
    assert widget(None, children=(button, title)).label == "Alice"
    assert widget(None, children=(button,)).label is None
    assert widget(None, description="Person", children=(title,)).label == "Person"


def test_an_id_counts_more_than_a_text() -> None:
    value = screen(widget("Stop", resource_id="a:id/go"), widget("Start"))
    found = value.find(Selector(resource_id="a:id/go", text="Start", class_name="android.widget.Button"))
    assert found is not None and found.path == (0, 0)


def test_rows_of_one_id_are_told_apart_by_text() -> None:
    rows = [widget(name, resource_id="a:id/row") for name in ("Alice", "Bob", "Carol")]
    wanted = screen(*rows).selector_for((0, 2))
    assert wanted is not None
    found = screen(rows[2], rows[0]).find(wanted)
    assert found is not None and found.widget.text == "Carol"


def test_rows_of_one_id_and_text_are_told_apart_by_path() -> None:
    value = screen(*[widget("Delete", resource_id="a:id/delete")] * 3)
    for number in range(3):
        selector = value.selector_for((0, number))
        assert selector is not None
        found = value.find(selector)
        assert found is not None and found.path == (0, number)


@pytest.mark.parametrize(
    ("selector", "place"),
    [
        (Selector(resource_id="a:id/row"), 0),
        (Selector(resource_id="a:id/row", class_name="android.widget.Button"), 0),
        (Selector(resource_id="a:id/row", text="Bob"), 1),
        (Selector(resource_id="a:id/row", description="Favourite"), 1),
        (Selector(text="Bob"), 1),
        (Selector(resource_id="a:id/row", text="Carol"), 3),
        (Selector(resource_id="a:id/row", text="Carol", path=(0, 2)), 3),
    ],
)
def test_what_a_selector_does_not_name_counts_against_no_widget(selector: Selector, place: int) -> None:
    described = [("Alice", "Person"), ("Bob", "Favourite"), ("Carol", "Person"), ("Carol", None)]
    rows = [widget(text, description=words, resource_id="a:id/row") for text, words in described]
    found = screen(*rows).find(selector)
    assert found is not None and found.path == (0, place)


def test_a_recorded_row_without_words_is_not_taken_for_another_row() -> None:
    rows = [widget(None, resource_id="a:id/row") for _ in range(3)]
    wanted = screen(*rows).selector_for((0, 2))
    assert wanted is not None
    changed = [widget(name, resource_id="a:id/row") for name in ("Alice", "Bob")]
    assert screen(*changed).find(wanted) is None


def test_a_widget_without_its_id_is_found_by_its_text() -> None:
    found = screen(widget("A"), widget("B")).find(Selector(text="B", class_name="android.widget.Button", path=(0, 0)))
    assert found is not None and found.path == (0, 1)


def test_a_widget_with_nothing_but_a_path_is_found_there_if_the_class_fits() -> None:
    value = screen(widget(None), widget(None, class_name="android.widget.ImageButton"))
    image = Selector(class_name="android.widget.ImageButton", path=(0, 1))
    found = value.find(image)
    assert found is not None and found.path == (0, 1)
    assert value.find(Selector(class_name="android.widget.ImageButton", path=(0, 0))) is None


def test_another_widget_of_the_same_place_is_not_taken_for_one_that_is_gone() -> None:
    value = screen(widget("Other", resource_id="a:id/other"))
    gone = Selector(resource_id="a:id/gone", class_name="android.widget.Button", text="Gone", path=(0, 0))
    assert value.find(gone) is None


def test_the_widget_in_front_is_preferred_to_its_twin_behind_the_dialog() -> None:
    value = screen(widget("OK", resource_id="a:id/ok"), above=[DIALOG])
    found = value.find(Selector(resource_id="a:id/ok", text="OK"))
    assert found is not None and found.path == (0,)


def test_deep_trees_do_not_exhaust_the_stack() -> None:
    deep = widget("core")
    for _ in range(5000):
        deep = Widget("Layout", bounds=Bounds(0, 0, 100, 50), children=(deep,))
    value = Screen("a", None, 100, 50, windows=(Window("", WindowKind.ACTIVITY, deep),))
    assert sum(1 for _ in value.iter_widgets()) == 5001
    assert deepest(value, 1, 1).text == "core"


def test_a_clickable_flag_makes_a_target() -> None:
    assert Widget("View", flags=CLICKABLE).is_target
    assert not Widget("View", flags=WidgetFlags.ENABLED).is_target
