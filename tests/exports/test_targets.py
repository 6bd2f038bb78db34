"""Which names an export uses for a widget: as few as tell it apart."""

from __future__ import annotations

from fewtaps.exports.targets import WidgetTarget, target_of
from fewtaps.model.event import Key, Selector, Tap, Text
from fewtaps.model.screen import Bounds, Screen, Widget, WidgetFlags, Window, WindowKind
from fewtaps.model.trace import Step

CLICKABLE = WidgetFlags.CLICKABLE


def screen(*children: Widget) -> Screen:
    root = Widget("android.widget.FrameLayout", bounds=Bounds(0, 0, 100, 1000), children=children)
    return Screen("dev.example", "dev.example.Main", 100, 1000, windows=(Window("", WindowKind.ACTIVITY, root),))


def row(top: int, text: str, name: str | None = "android:id/text1") -> Widget:
    return Widget("android.widget.TextView", name, text, bounds=Bounds(0, top, 100, top + 100), flags=CLICKABLE)


def picture(top: int, class_name: str = "android.widget.ImageView") -> Widget:
    return Widget(class_name, bounds=Bounds(0, top, 100, top + 100), flags=CLICKABLE)


def test_an_id_that_only_one_widget_has_is_enough() -> None:
    seen = screen(row(0, "Go", "dev.example:id/go"), row(100, "Stop", "dev.example:id/stop"))
    target = target_of(Step(Tap(50, 50, Selector("dev.example:id/go", text="Go", path=(0, 0))), seen))
    assert target == WidgetTarget("dev.example:id/go", point=(50, 50))


def test_rows_of_one_id_are_told_apart_by_their_texts() -> None:
    seen = screen(row(0, "One"), row(100, "Two"))
    target = target_of(Step(Tap(50, 150, Selector("android:id/text1", text="Two")), seen))
    assert target == WidgetTarget("android:id/text1", "Two", point=(50, 150))


def test_rows_that_are_alike_are_counted() -> None:
    seen = screen(row(0, "Same"), row(100, "Same"), row(200, "Same"))
    assert target_of(Step(Tap(50, 250), seen)) == WidgetTarget("android:id/text1", "Same", nth=2, point=(50, 250))


def test_a_widget_without_words_is_the_nth_of_its_class() -> None:
    seen = screen(picture(0), picture(100))
    assert target_of(Step(Tap(50, 150), seen)) == WidgetTarget(
        class_name="android.widget.ImageView", nth=1, point=(50, 150)
    )


def test_phones_know_no_classes_but_the_platforms_own() -> None:
    own = target_of(Step(Tap(50, 150), screen(picture(0, "dev.example.Dial"), picture(100, "dev.example.Dial"))))
    assert own.class_name == "dev.example.Dial" and own.nth == 1
    assert own.on_phone == WidgetTarget(point=(50, 150))


def test_a_blind_touch_beside_everything_stays_where_it_was() -> None:
    assert target_of(Step(Tap(50, 950), screen(row(0, "Go", "dev.example:id/go")))) == WidgetTarget(point=(50, 950))


def test_the_text_inside_a_target_stands_for_the_target() -> None:
    label = Widget("android.widget.TextView", text="Inside", bounds=Bounds(0, 0, 50, 50))
    target = Widget("android.widget.LinearLayout", bounds=Bounds(0, 0, 100, 100), flags=CLICKABLE, children=(label,))
    assert target_of(Step(Tap(90, 90), screen(target))) == WidgetTarget(text="Inside", point=(90, 90))


def test_without_a_recorded_screen_all_names_are_kept() -> None:
    target = target_of(Step(Tap(0, 0, Selector("android:id/text1", "android.widget.TextView", "Two", "second"))))
    assert target == WidgetTarget("android:id/text1", "Two", "second")


def test_a_point_without_a_screen_is_a_place_and_a_key_has_none() -> None:
    assert target_of(Step(Tap(3, 4))) == WidgetTarget(point=(3, 4))
    assert target_of(Step(Key("BACK"))).is_nowhere
    assert target_of(Step(Text("x"))).is_nowhere
