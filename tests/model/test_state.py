from __future__ import annotations

from builders import CLICKABLE, screen, screens, widget
from hypothesis import given

from fewtaps.model.screen import Screen, WidgetFlags
from fewtaps.model.state import ABSTRACTIONS, activity_state, content_state, exact_state, layout_state, page_state


@given(screens, screens)
def test_a_finer_abstraction_never_joins_what_a_coarser_one_parts(one: Screen, other: Screen) -> None:
    equal = [state_of(one) == state_of(other) for state_of in ABSTRACTIONS.values()]
    assert equal == sorted(equal, reverse=True)


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
