from __future__ import annotations

from builders import CLICKABLE, screen, screens, widget
from hypothesis import given

from fewtaps.model.screen import Screen, Widget, WidgetFlags, Window, WindowKind
from fewtaps.model.state import (
    ABSTRACTIONS,
    actionable_rows_state,
    actionable_state,
    activity_state,
    content_state,
    exact_state,
    layout_state,
    page_state,
)

SCALES = (
    ("activity", "layout", "page", "content", "exact"),
    ("activity", "actionable-rows", "actionable", "exact"),
)


@given(screens, screens)
def test_a_finer_abstraction_never_joins_what_a_coarser_one_parts(one: Screen, other: Screen) -> None:
    for scale in SCALES:
        equal = [ABSTRACTIONS[name](one) == ABSTRACTIONS[name](other) for name in scale]
        assert equal == sorted(equal, reverse=True)


def test_every_abstraction_is_on_a_scale() -> None:
    assert set(ABSTRACTIONS) == {name for scale in SCALES for name in scale}


def test_texts_count_only_where_content_counts() -> None:
    one, other = screen(widget("1 note")), screen(widget("2 notes"))
    assert layout_state(one) == layout_state(other)
    assert content_state(one) != content_state(other)


def test_a_longer_list_is_the_same_layout() -> None:
    rows = [widget(str(number), resource_id="a:id/row") for number in range(5)]
    assert layout_state(screen(*rows[:2])) == layout_state(screen(*rows))


def test_the_cursor_is_no_content() -> None:
    one, other = screen(widget("a")), screen(widget("a", flags=CLICKABLE | WidgetFlags.FOCUSED))
    assert content_state(one) == content_state(other)
    assert exact_state(one) != exact_state(other)


def test_an_activity_is_one_state() -> None:
    assert activity_state(screen(widget("a"))) == activity_state(screen(widget("b"))) == "com.example.app.Main"


def test_what_a_text_box_contains_is_no_new_page() -> None:
    box = CLICKABLE | WidgetFlags.EDITABLE
    assert page_state(screen(widget("a", flags=box))) == page_state(screen(widget("b", flags=box)))
    assert content_state(screen(widget("a", flags=box))) != content_state(screen(widget("b", flags=box)))
    assert page_state(screen(widget("1 note"))) != page_state(screen(widget("2 notes")))


def test_a_page_is_computed_once_for_a_screen() -> None:
    shown = screen(widget("a"))
    assert page_state(shown) is page_state(shown)


CHECKABLE = CLICKABLE | WidgetFlags.CHECKABLE


def box(flags: WidgetFlags = WidgetFlags.NONE) -> Widget:
    return widget("Round up", class_name="android.widget.CheckBox", flags=CHECKABLE | flags)


def plain(text: str) -> Widget:
    return widget(text, class_name="android.widget.TextView", flags=WidgetFlags.ENABLED)


def test_neither_texts_nor_ids_nor_focus_nor_hints_are_part_of_an_actionable_state() -> None:
    one = screen(widget("1 note"), plain("today"))
    other = screen(
        widget("2 notes", resource_id="a:id/notes", hint="h", description="d", flags=CLICKABLE | WidgetFlags.FOCUSED),
        plain("yesterday"),
    )
    assert actionable_state(one) == actionable_state(other)


def test_a_check_mark_or_a_selection_is_another_actionable_state() -> None:
    states = {
        state_of(screen(box(flags)))
        for flags in (WidgetFlags.NONE, WidgetFlags.CHECKED, WidgetFlags.SELECTED)
        for state_of in (actionable_state, actionable_rows_state)
    }
    assert len({actionable_state(screen(box(flags))) for flags in (WidgetFlags.NONE, WidgetFlags.CHECKED)}) == 2
    assert len(states) == 3, "a screen without neighbours has the same id in both"


def test_a_disabled_widget_is_no_component() -> None:
    off = widget("Save", flags=WidgetFlags.CLICKABLE)
    assert actionable_state(screen(box(), off)) == actionable_state(screen(box()))
    assert actionable_state(screen(box(), off)) != actionable_state(screen(box(), widget("Save")))


def test_what_can_only_be_read_or_scrolled_is_no_component() -> None:
    scrolled = widget(flags=WidgetFlags.ENABLED | WidgetFlags.SCROLLABLE)
    assert actionable_state(screen(box(), plain("1"), scrolled)) == actionable_state(screen(box()))


def test_the_class_and_the_path_of_a_component_count() -> None:
    assert actionable_state(screen(box())) != actionable_state(screen(widget("Round up", flags=CHECKABLE)))
    assert actionable_state(screen(plain("1"), box())) != actionable_state(screen(box(), plain("1")))


def test_the_activity_and_a_window_above_it_count() -> None:
    below = widget("Delete")
    dialog = Window("Sure?", WindowKind.DIALOG, plain("Sure?"), focused=True)
    popup = Window("Sure?", WindowKind.POPUP, plain("Sure?"), focused=True)
    shown = [screen(below), screen(below, above=[dialog]), screen(below, above=[popup]), screen(below, activity="a.B")]
    assert len({actionable_state(each) for each in shown}) == 4


def test_neither_a_toast_nor_the_keyboard_is_part_of_an_actionable_state() -> None:
    toast = Window("Toast", WindowKind.TOAST, plain("Saved"), touchable=False)
    one, other = screen(widget("Save")), screen(widget("Save"), above=[toast])
    typing = Screen(one.package, one.activity, one.width, one.height, keyboard=True, windows=one.windows)
    assert actionable_state(one) == actionable_state(other) == actionable_state(typing)


def test_the_inside_of_a_web_view_is_no_component() -> None:
    def web(*inside: Widget) -> Widget:
        return widget(class_name="android.webkit.WebView", flags=CLICKABLE | WidgetFlags.WEB, children=inside)

    assert actionable_state(screen(web(widget("Link")))) == actionable_state(screen(web()))
    assert actionable_state(screen(web())) != actionable_state(screen())


def test_equal_neighbours_are_one_only_in_actionable_rows() -> None:
    def rows(count: int) -> Screen:
        return screen(*[widget(class_name="android.view.View", children=(box(), plain("a"))) for _ in range(count)])

    assert actionable_rows_state(rows(2)) == actionable_rows_state(rows(5))
    assert actionable_state(rows(2)) != actionable_state(rows(5))


def test_a_checked_row_is_not_equal_to_its_neighbours() -> None:
    checked = box(WidgetFlags.CHECKED)
    assert actionable_rows_state(screen(box(), box(), checked)) != actionable_rows_state(screen(box(), box()))
    assert actionable_rows_state(screen(box(), box(), checked)) == actionable_rows_state(screen(box(), checked))
