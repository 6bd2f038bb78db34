from __future__ import annotations

from pathlib import Path

from builders import events, row_of, screen, screens, widget
from hypothesis import given

from fewtaps.model.event import Event, Launch, Selector, Swipe, Tap, Text
from fewtaps.model.screen import Bounds, Screen, WidgetFlags, Window, WindowKind
from fewtaps.model.trace import Step
from fewtaps.report.filmstrip import film, outline_of, words_of
from fewtaps.store.database import open_store

SHOWN = screen(widget("First"), widget("−", resource_id="app:id/fewer"))


def test_a_widget_is_called_by_the_label_it_has_on_the_screen() -> None:
    assert words_of(Tap(1, 1, Selector(resource_id="app:id/fewer")), SHOWN) == "Tap '−'"
    assert words_of(Tap(1, 1, Selector(resource_id="app:id/gone")), SHOWN) == "Tap #gone"
    assert words_of(Launch(), SHOWN) == "Tap the app's icon again"


def test_a_text_box_is_called_by_its_hint_whatever_is_in_it() -> None:
    box = widget("120", hint="Bill", resource_id="app:id/bill", flags=WidgetFlags.EDITABLE)
    assert words_of(Text("9", True, Selector(resource_id="app:id/bill")), screen(box)) == "Replace by '9' in 'Bill'"


def test_the_selector_decides_what_is_outlined_and_else_the_finger() -> None:
    assert outline_of(Tap(5, 5, Selector(resource_id="app:id/fewer")), SHOWN) == Bounds(0, 50, 100, 100)
    assert outline_of(Tap(5, 5), SHOWN) == Bounds(0, 0, 100, 50)
    assert outline_of(Tap(5, 5, Selector(resource_id="app:id/gone")), SHOWN) is None


def test_typing_outlines_the_field_that_has_the_focus() -> None:
    field = widget("", flags=WidgetFlags.EDITABLE | WidgetFlags.FOCUSED)
    assert outline_of(Text("12"), screen(widget("First"), field)) == Bounds(0, 50, 100, 100)


def test_an_outline_is_cut_to_the_screen() -> None:
    large = widget("Large", bounds=Bounds(-50, -50, 500, 500))
    window = Window("", WindowKind.ACTIVITY, large)
    assert outline_of(Tap(1, 1), Screen("a", None, 100, 200, windows=(window,))) == Bounds(0, 0, 100, 200)
    assert outline_of(Tap(1, 1), screen(row_of())) is not None


def test_a_finger_goes_where_replaying_would_move_it(tmp_path: Path) -> None:
    from builders import trace

    fewer = Selector(resource_id="app:id/fewer")
    steps = trace(Step(Swipe(1, 1, 1, 31, selector=fewer), SHOWN, SHOWN), Step(Tap(7, 60, fewer), SHOWN, SHOWN))
    with open_store(tmp_path, create=True) as store:
        swipe, tap = film(steps, store.screen_pictures)
    assert swipe.gesture is not None and (swipe.gesture.start, swipe.gesture.end) == ((50, 75), (50, 105))
    assert tap.gesture is not None and tap.gesture.start == (7, 60)


@given(events, screens)
def test_every_event_can_be_shown_on_every_screen(event: Event, shown: Screen) -> None:
    assert words_of(event, shown)
    outline = outline_of(event, shown)
    assert outline is None or (0 <= outline.left < outline.right <= shown.width)
