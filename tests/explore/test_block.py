"""Tests of the patterns an exploration keeps away from."""

from __future__ import annotations

import pytest
from builders import row_of, screen, widget

from fewtaps.errors import UsageError
from fewtaps.explore.block import Blocklist
from fewtaps.model.event import Key, LongPress, StartIntent, Swipe, Tap, Text, Wait
from fewtaps.model.screen import Screen, Widget, WidgetFlags

FIELD = WidgetFlags.EDITABLE | WidgetFlags.CLICKABLE | WidgetFlags.ENABLED


def shop(**fields: object) -> Screen:
    """A screen with 'Buy' at y 25, 'Delete' at y 75 and a field, focused, at y 125."""
    return screen(
        widget("Buy", resource_id="com.example.app:id/buy"),
        widget("Delete", resource_id="com.example.app:id/delete_all", description="Remove everything"),
        widget(None, class_name="android.widget.EditText", hint="Code", flags=FIELD | WidgetFlags.FOCUSED),
        **fields,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    "pattern",
    [
        *("id:delete_all", "id:delete*", "id:com.example.app:id/delete_all", "com.example.app:id/delete_all"),
        *("text:delete", "TEXT:Delete".lower(), "text:D?lete", "text:*everything", "delete", "*remove*", "[dx]elete"),
    ],
)
def test_a_widget_is_known_by_id_text_and_description(pattern: str) -> None:
    blocked = Blocklist([pattern])
    assert blocked.forbids(Tap(50, 75), shop())
    assert blocked.forbids(LongPress(50, 75), shop())
    assert not blocked.forbids(Tap(50, 25), shop())


@pytest.mark.parametrize("pattern", ["id:delete", "text:delet", "class:delete", "activity:delete"])
def test_a_pattern_fits_all_of_a_name_of_its_kind_or_nothing(pattern: str) -> None:
    assert not Blocklist([pattern]).forbids(Tap(50, 75), shop())


def test_what_is_inside_a_blocked_widget_is_blocked() -> None:
    inner = row_of(widget("Yes"), widget("No"))
    danger = Widget(inner.class_name, "com.example.app:id/danger", bounds=inner.bounds, children=inner.children)
    assert Blocklist(["id:danger"]).forbids(Tap(50, 25), screen(danger))


def test_a_row_is_known_by_each_line_on_it() -> None:
    lines = row_of(widget("Honey", flags=WidgetFlags.ENABLED), widget("6.50", flags=WidgetFlags.ENABLED))
    row = Widget("Row", bounds=lines.bounds, flags=WidgetFlags.CLICKABLE, children=lines.children)
    assert Blocklist(["text:6.50"]).forbids(Tap(50, 10), screen(row))


def test_classes_and_focused_fields_are_blocked() -> None:
    blocked = Blocklist(["class:EditText"])
    selector = shop().selector_at(50, 125)
    assert blocked.forbids(Text("1234", selector=selector), shop())
    assert blocked.forbids(Text("1234"), shop())
    assert blocked.forbids(Key("ENTER"), shop())
    assert blocked.forbids(Swipe(50, 125, 50, 25), shop())
    assert not blocked.forbids(Key("BACK"), shop())


@pytest.mark.parametrize("pattern", ["activity:*.Main", "activity:Main", "Main", "com.example.app.M*"])
def test_an_activity_is_blocked_by_its_short_or_whole_name(pattern: str) -> None:
    assert Blocklist([pattern]).blocks(shop())
    assert not Blocklist([pattern]).blocks(shop(activity="com.example.app.Other"))


def test_intents_to_a_blocked_activity_are_refused() -> None:
    blocked = Blocklist(["activity:Secret"])
    assert blocked.forbids(StartIntent(component="com.example.app/.Secret"), shop())
    assert blocked.forbids(StartIntent(component="com.example.app/com.example.app.Secret"), shop())
    assert not blocked.forbids(StartIntent(component="com.example.app/.Other"), shop())


def test_without_patterns_everything_is_allowed() -> None:
    assert not Blocklist()
    assert not Blocklist().forbids(Tap(50, 75), shop())
    assert not Blocklist().blocks(shop())


def test_waiting_is_never_blocked() -> None:
    assert not Blocklist(["*"]).forbids(Wait(10), shop())


@pytest.mark.parametrize(
    ("pattern", "complaint"),
    [("", "is empty"), ("id:", "is empty"), ("txt:Log out", "'txt:' is none of id:"), ("text:[abc", "bracket")],
)
def test_a_bad_pattern_is_refused_in_one_line(pattern: str, complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint.replace("[", r"\[")) as refused:
        Blocklist([pattern])
    assert "\n" not in str(refused.value)
