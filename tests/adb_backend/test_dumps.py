"""Dumps of the agent as screens."""

from __future__ import annotations

import pytest

from fewtaps.adbd.hierarchy import write_hierarchy
from fewtaps.device.adb.dumps import ScreenFacts, changed_places, is_masked, parse_dump, screen_of
from fewtaps.errors import DeviceLost
from fewtaps.model.screen import Bounds, Screen, Widget, WidgetFlags, Window, WindowKind

FACTS = ScreenFacts("org.shop", 1080, 2340, "com.keys")


def node(package: str, bounds: str, inner: str = "", **attributes: str) -> str:
    given = {"text": "", "resource-id": "", "class": "android.widget.FrameLayout", "content-desc": "", **attributes}
    shown = " ".join(f'{name.replace("_", "-")}="{value}"' for name, value in given.items())
    return f'<node package="{package}" bounds="{bounds}" {shown}>{inner}</node>'


def screen(*nodes: str, rotation: int = 0, activity: str | None = "org.shop.Main") -> Screen:
    xml = f"<?xml version='1.0' ?><hierarchy rotation=\"{rotation}\">{''.join(nodes)}</hierarchy>"
    return screen_of(parse_dump(xml), FACTS, activity)


WHOLE = "[0,0][1080,2340]"
APP = node("org.shop", WHOLE, node("org.shop", "[0,100][1080,200]", text="Pay", clickable="true"))
BAR = node("com.android.systemui", "[0,0][1080,80]", node("com.android.systemui", "[0,0][90,80]", text="12:07"))
KEYBOARD = node("com.keys", "[0,1500][1080,2340]")


def test_windows_of_the_app_come_first_and_bars_cannot_be_touched() -> None:
    seen = screen(BAR, KEYBOARD, APP)
    assert [window.kind for window in seen.windows] == [WindowKind.ACTIVITY, WindowKind.SYSTEM, WindowKind.SYSTEM]
    assert [window.touchable for window in seen.windows] == [True, False, False]
    assert (seen.package, seen.activity, seen.keyboard, seen.touch_window) == ("org.shop", "org.shop.Main", True, 0)
    assert not seen.shows("12:07") and seen.shows("Pay")


def test_a_dialog_stands_over_the_activity() -> None:
    dialog = node("org.shop", "[100,900][980,1400]", node("org.shop", "[100,900][500,1000]", text="Sure?"))
    seen = screen(dialog, APP)
    assert [window.kind for window in seen.windows] == [WindowKind.DIALOG, WindowKind.ACTIVITY]


def test_another_app_in_front_is_seen_and_a_question_for_a_permission_is_the_apps() -> None:
    other = screen(node("com.launcher", WHOLE), BAR)
    assert (other.package, other.activity) == ("com.launcher", None)
    asking = screen(node("com.google.android.permissioncontroller", "[0,900][1080,1500]"))
    assert (asking.package, asking.windows[0].kind) == ("org.shop", WindowKind.SYSTEM)


def test_a_shade_over_the_whole_screen_can_be_touched() -> None:
    seen = screen(node("com.android.systemui", WHOLE))
    assert seen.windows[0].touchable and seen.package == "com.android.systemui"


def test_a_turned_screen_is_wider_than_high() -> None:
    seen = screen(APP, rotation=1)
    assert (seen.width, seen.height, seen.rotation) == (2340, 1080, 1)


def test_widgets_without_a_size_are_left_out_with_what_is_inside() -> None:
    hidden = node("org.shop", "[0,0][0,0]", node("org.shop", "[0,0][10,10]", text="inside"))
    assert not screen(node("org.shop", WHOLE, hidden)).shows("inside")


def test_the_hint_of_an_empty_field_is_not_its_text() -> None:
    field = {"class": "android.widget.EditText"}
    empty = node("org.shop", "[0,0][90,90]", text="Name", hint="Name", **field)
    full = node("org.shop", "[0,0][90,90]", text="Ada", hint="Name", **field)
    first, second = screen(node("org.shop", WHOLE, empty + full)).windows[0].root.children
    assert (first.text, first.hint) == ("", "Name") and (second.text, second.hint) == ("Ada", "Name")
    assert WidgetFlags.EDITABLE in first.flags


@pytest.mark.parametrize(
    "text",
    [
        "",
        "not xml",
        "<hierarchy",
        "<other/>",
        '<!DOCTYPE a [<!ENTITY x "y">]><hierarchy rotation="0"/>',
        '<hierarchy rotation="0">' + "<node bounds='[0,0][9,9]'>" * 60_000 + "</node>" * 60_000 + "</hierarchy>",
    ],
    ids=["empty", "text", "cut", "other", "entities", "too many"],
)
def test_what_is_no_dump_loses_the_device_and_is_no_finding(text: str) -> None:
    with pytest.raises(DeviceLost, match="dump of the screen"):
        parse_dump(text)


def test_odd_attributes_do_no_harm() -> None:
    seen = screen('<node bounds="here" />', "<node/>", node("org.shop", WHOLE, rotation="9", focused="maybe"))
    assert len(seen.windows) == 1


def test_a_layout_may_be_deeper_than_the_stack_of_python() -> None:
    depth = 3000
    xml = '<hierarchy rotation="0">' + f'<node package="org.shop" bounds="{WHOLE}">' * depth + "</node>" * depth
    seen = screen_of(parse_dump(xml + "</hierarchy>"), FACTS, None)
    assert sum(1 for _ in seen.iter_widgets()) == depth
    assert changed_places(seen, seen) == frozenset()


def test_a_screen_that_was_served_is_read_again() -> None:
    button = Widget("android.widget.Button", "a:id/b", "Pay <&> '\"", "desc", None, Bounds(0, 0, 9, 9), WidgetFlags(7))
    root = Widget("android.widget.FrameLayout", bounds=Bounds(0, 0, 1080, 2340), children=(button,))
    toast = Window("toast", WindowKind.TOAST, root, touchable=False)
    shown = Screen("org.shop", "a", 1080, 2340, windows=(toast, Window("w", WindowKind.ACTIVITY, root)))
    seen = screen_of(parse_dump(write_hierarchy(shown, all_windows=True)), FACTS, "a")
    assert [window.root for window in seen.windows] == [root]


def test_what_changed_is_named_by_its_outermost_place() -> None:
    def shop(text: str) -> Screen:
        return screen(node("org.shop", WHOLE, node("org.shop", "[0,0][9,9]", text=text)))

    assert changed_places(shop("1"), shop("1")) == frozenset()
    assert changed_places(shop("1"), shop("2")) == {(0, 0)}
    assert changed_places(shop("1"), screen(APP, BAR)) == {()}
    assert is_masked((0, 0, 3), [(0, 0)]) and not is_masked((0, 1), [(0, 0)]) and is_masked((0,), [()])
