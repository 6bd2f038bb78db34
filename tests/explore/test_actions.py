"""Tests of what a user could sensibly do on a screen."""

from __future__ import annotations

from random import Random

import pytest
from builders import row_of, screen, screens, widget
from hypothesis import given

from fewtaps.explore.actions import Action, ActionKind
from fewtaps.explore.frontier_parameters import PlaceParameters
from fewtaps.explore.gestures import event_of
from fewtaps.explore.parameters import ExploreParameters
from fewtaps.explore.screen_actions import ActionCache
from fewtaps.explore.targets import actions_on
from fewtaps.explore.texts import Texts
from fewtaps.model.event import Key, LongPress, Rotate, Swipe, Tap, Text
from fewtaps.model.screen import Bounds, Screen, Widget, WidgetFlags, Window, WindowKind

ENABLED = WidgetFlags.ENABLED
FIELD = ENABLED | WidgetFlags.EDITABLE | WidgetFlags.CLICKABLE
LIST = ENABLED | WidgetFlags.SCROLLABLE


def on_widgets(shown: Screen, kind: ActionKind) -> list[Action]:
    return [action for action in actions_on(shown) if action.kind is kind and action.located is not None]


def event(action: Action, shown: Screen) -> object:
    return event_of(action, shown, Random(1), Texts())


def list_of(*labels: str, flags: WidgetFlags = LIST) -> Widget:
    """A list of 100 by 180 pixels or more, whose rows are 20 pixels high."""
    rows = tuple(
        Widget(
            "android.widget.TextView",
            "android:id/text1",
            label,
            bounds=Bounds(0, 20 * number, 100, 20 * number + 20),
            flags=ENABLED | WidgetFlags.CLICKABLE,
        )
        for number, label in enumerate(labels)
    )
    height = max(180, 20 * len(labels))
    return Widget("android.widget.ListView", bounds=Bounds(0, 0, 100, height), flags=flags, children=rows)


def alone(root: Widget) -> Screen:
    """A screen of 100 by 200 pixels with one widget."""
    return Screen("com.example.app", "com.example.app.Main", 100, 200, windows=(Window("", WindowKind.ACTIVITY, root),))


def test_what_can_be_tapped_is_tapped_where_it_is() -> None:
    shown = screen(widget("Buy"), widget("Off", flags=WidgetFlags.CLICKABLE), widget("Label", flags=ENABLED))
    (tap,) = on_widgets(shown, ActionKind.TAP)
    assert event(tap, shown) == Tap(50, 25, shown.selector_at(50, 25))


def test_only_the_topmost_touchable_window_counts() -> None:
    dialog = Window("", WindowKind.DIALOG, row_of(widget("OK")))
    toast = Window("", WindowKind.TOAST, row_of(widget("Saved")), touchable=False)
    shown = screen(widget("Buy"), above=(toast, dialog))
    assert [action.located.widget.text for action in on_widgets(shown, ActionKind.TAP) if action.located] == ["OK"]


def test_what_lies_under_something_else_is_not_tapped() -> None:
    below, above = widget("Below"), widget("Drawer", bounds=Bounds(0, 0, 100, 200))
    root = Widget("android.widget.FrameLayout", bounds=Bounds(0, 0, 100, 200), children=(below, above))
    names = [action.located.widget.text for action in on_widgets(alone(root), ActionKind.TAP) if action.located]
    assert names == ["Drawer"]


def test_a_widget_half_covered_is_tapped_on_its_free_half() -> None:
    below, above = widget("Below", bounds=Bounds(0, 0, 100, 50)), widget("Above", bounds=Bounds(0, 0, 60, 50))
    shown = alone(Widget("android.widget.FrameLayout", bounds=Bounds(0, 0, 100, 200), children=(below, above)))
    tap = event(on_widgets(shown, ActionKind.TAP)[0], shown)
    assert isinstance(tap, Tap) and tap.x >= 60


def test_rows_of_a_list_with_context_menus_take_long_presses() -> None:
    plain, menus = alone(list_of("a", "b")), alone(list_of("a", "b", flags=LIST | WidgetFlags.LONG_CLICKABLE))
    assert not on_widgets(plain, ActionKind.LONG_PRESS)
    presses = on_widgets(menus, ActionKind.LONG_PRESS)
    assert len(presses) == 2 and isinstance(event(presses[0], menus), LongPress)


def test_lists_are_scrolled_up_and_down_and_pagers_sideways() -> None:
    shown = alone(list_of("a", "b"))
    assert [action.argument for action in on_widgets(shown, ActionKind.SCROLL)] == ["up", "down"]
    swipe = event(on_widgets(shown, ActionKind.SCROLL)[0], shown)
    assert isinstance(swipe, Swipe) and swipe.y2 < swipe.y1 and swipe.x1 == swipe.x2
    pager = alone(Widget("androidx.viewpager.widget.ViewPager", bounds=Bounds(0, 0, 100, 200), flags=LIST))
    assert [action.argument for action in on_widgets(pager, ActionKind.SCROLL)] == ["left", "right"]


def test_drawers_open_from_the_edge_and_refreshing_lists_are_pulled() -> None:
    drawer = alone(
        Widget(
            "androidx.drawerlayout.widget.DrawerLayout", bounds=Bounds(0, 0, 100, 200), flags=ENABLED,
            children=(list_of("a"),),
        )
    )  # fmt: skip
    edge = event(on_widgets(drawer, ActionKind.EDGE)[0], drawer)
    assert isinstance(edge, Swipe) and edge.x1 <= 1 and edge.x2 >= 50
    pulled = alone(Widget("android.support.v4.widget.SwipeRefreshLayout", bounds=Bounds(0, 0, 100, 200), flags=ENABLED))
    assert [action.argument for action in on_widgets(pulled, ActionKind.SCROLL)] == ["down"]


def test_fields_get_text_of_each_class() -> None:
    shown = screen(widget(None, class_name="android.widget.EditText", flags=FIELD, input_type=2))
    texts = on_widgets(shown, ActionKind.TEXT)
    assert len(texts) == 3
    typed = event(texts[0], shown)
    assert isinstance(typed, Text) and typed.replace and typed.text.isdigit() and typed.selector is not None


def test_a_drawing_gets_touches_at_many_points() -> None:
    shown = alone(Widget("com.example.game.Board", bounds=Bounds(0, 20, 100, 200), flags=ENABLED))
    (point,) = on_widgets(shown, ActionKind.POINT)
    random = Random(1)
    taps = {event_of(point, shown, random, Texts()) for _ in range(50)}
    assert len(taps) > 30
    assert all(isinstance(tap, Tap) and 20 <= tap.y < 200 for tap in taps)
    assert on_widgets(shown, ActionKind.PINCH)


def test_back_menu_home_rotation_and_waits_are_always_possible() -> None:
    kinds = {action.kind for action in actions_on(screen())}
    assert {ActionKind.BACK, ActionKind.MENU, ActionKind.HOME, ActionKind.ROTATE, ActionKind.WAIT} <= kinds
    shown = screen()
    events = [event(action, shown) for action in actions_on(shown)]
    assert Key("BACK") in events and Key("MENU") in events and Rotate("landscape") in events


def test_the_device_is_turned_back() -> None:
    turned = Screen("com.example.app", "com.example.app.Main", 200, 100, rotation=1)
    rotate = next(action for action in actions_on(turned) if action.kind is ActionKind.ROTATE)
    assert event(rotate, turned) == Rotate("portrait")


def test_groups_do_not_depend_on_where_a_widget_is() -> None:
    first = screen(widget("Buy", resource_id="com.example.app:id/buy"))
    second = screen(widget("Sell"), widget("Buy now", resource_id="com.example.app:id/buy"))
    assert on_widgets(first, ActionKind.TAP)[0].group in {action.group for action in on_widgets(second, ActionKind.TAP)}


def test_rows_share_a_group_beyond_the_first_few_but_have_names_of_their_own() -> None:
    taps = on_widgets(alone(list_of(*"abcdefgh")), ActionKind.TAP)
    assert len({tap.group for tap in taps}) == 4
    assert len({tap.name for tap in taps}) == 8


def test_names_on_one_screen_are_different() -> None:
    names = [action.name for action in actions_on(screen(widget(), widget(), widget()))]
    assert len(set(names)) == len(names)


def test_counters_do_not_change_a_group() -> None:
    first, second = screen(widget("Clicked 3 times")), screen(widget("Clicked 14 times"))
    assert on_widgets(first, ActionKind.TAP)[0].group == on_widgets(second, ActionKind.TAP)[0].group


@pytest.mark.slow
def test_of_thousands_of_widgets_a_spread_part_is_taken() -> None:
    shown = alone(list_of(*(f"row {number}" for number in range(5000)), flags=ENABLED))
    tall = Screen(shown.package, shown.activity, 100, 100_000, windows=shown.windows)
    taps = on_widgets(tall, ActionKind.TAP)
    assert len(taps) == 120
    assert taps[-1].located is not None and taps[-1].located.path[-1] > 4900
    assert actions_on(tall) == actions_on(tall)


def test_the_cache_keeps_the_actions_of_a_screen() -> None:
    cache, shown = ActionCache(ExploreParameters(places=PlaceParameters(max_cached_screens=2))), screen(widget("Buy"))
    assert cache(shown) is cache(shown)
    others = [screen(widget(str(number))) for number in range(5)]
    assert [cache(other).actions for other in others] == [actions_on(other) for other in others]
    assert cache(shown).actions == actions_on(shown)


@pytest.mark.slow
@given(screens)
def test_every_screen_has_actions_and_every_action_an_event(shown: Screen) -> None:
    for action in actions_on(shown):
        assert action.chance > 0
        event_of(action, shown, Random(3), Texts(lambda: ["own"]))
