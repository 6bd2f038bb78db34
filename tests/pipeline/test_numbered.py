"""A screen as a numbered list."""

from __future__ import annotations

from fewtaps.model.screen import Bounds, Screen, Widget, WidgetFlags, Window, WindowKind
from fewtaps.pipeline.numbered import number_screen

PRESSED = WidgetFlags.CLICKABLE | WidgetFlags.ENABLED


def widget(
    name: str, *children: Widget, top: int = 0, flags: WidgetFlags = WidgetFlags.ENABLED, **texts: str
) -> Widget:
    return Widget(name, bounds=Bounds(0, top, 100, top + 20), flags=flags, children=children, **texts)  # type: ignore[arg-type]


def listed(*windows: Window) -> list[tuple[int | None, str, str]]:
    screen = Screen("a", "a.Main", 100, 400, windows=windows)
    return [(entry.number, entry.kind, entry.text) for entry in number_screen(screen)]


def activity(*children: Widget) -> Window:
    return Window("", WindowKind.ACTIVITY, widget("android.widget.FrameLayout", *children))


def test_numbers_what_can_be_touched_and_shows_the_rest() -> None:
    text = widget("android.widget.TextView", text="Hello")
    button = widget("android.widget.Button", top=40, flags=PRESSED, text="OK")
    assert listed(activity(text, button)) == [(None, "text", "'Hello'"), (1, "button", "'OK'")]


def test_reads_from_top_to_bottom_whatever_the_tree_says() -> None:
    low = widget("android.widget.Button", top=300, flags=PRESSED, text="low")
    high = widget("android.widget.Button", top=10, flags=PRESSED, text="high")
    assert [text for _, _, text in listed(activity(low, high))] == ["'high'", "'low'"]


def test_rows_of_a_list_can_be_touched_though_only_the_list_says_so() -> None:
    rows = [widget("android.widget.TextView", top=20 * n, text=f"row {n}") for n in range(2)]
    listing = widget("android.widget.ListView", *rows, flags=PRESSED | WidgetFlags.SCROLLABLE)
    assert listed(activity(listing)) == [(1, "row", "'row 0'"), (2, "row", "'row 1'")]


def test_a_row_is_read_by_its_texts_but_not_by_those_of_buttons_in_it() -> None:
    more = widget("android.widget.Button", top=3, flags=PRESSED, text="MORE")
    title = widget("android.widget.TextView", text="title")
    item = widget("android.widget.LinearLayout", title, more, flags=PRESSED)
    assert listed(activity(item)) == [(1, "item", "'title'"), (2, "button", "'MORE'")]


def test_only_the_topmost_window_is_touched_and_toasts_are_read() -> None:
    toast = Window("", WindowKind.TOAST, widget("android.widget.TextView", text="Saved"), touchable=False)
    dialog = Window("", WindowKind.DIALOG, widget("android.widget.Button", flags=PRESSED, text="Yes"))
    below = activity(widget("android.widget.Button", flags=PRESSED, text="behind"))
    assert listed(toast, dialog, below) == [(None, "toast", "'Saved'"), (1, "button", "'Yes'")]


def test_a_password_is_not_shown() -> None:
    flags = WidgetFlags.EDITABLE | WidgetFlags.PASSWORD | WidgetFlags.ENABLED
    field = widget("android.widget.EditText", flags=flags, text="secret", hint="PIN")
    assert listed(activity(field)) == [(1, "field", "'••••••' (PIN)")]


def test_states_are_said() -> None:
    box = widget("android.widget.CheckBox", flags=PRESSED | WidgetFlags.CHECKABLE | WidgetFlags.CHECKED, text="on?")
    dead = widget("android.widget.Button", top=40, flags=WidgetFlags.CLICKABLE, text="no")
    assert [text for _, _, text in listed(activity(box, dead))] == ["'on?' [on]", "'no' [disabled]"]


def test_a_view_the_app_draws_itself_can_be_touched() -> None:
    assert listed(activity(widget("com.example.BoardView")))[0][:2] == (1, "view")
