"""What can be done on a screen: everything a user could sensibly try, on its widgets and with the phone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from fewtaps.explore.actions import Action, Kind
from fewtaps.explore.naming import MOST_WIDGETS, names_of, own_name, told_apart, where_on
from fewtaps.explore.texts import ValueClass
from fewtaps.model.screen import Bounds, Located, Screen, Widget, WidgetFlags

MOST_TARGETS = 120
"""So many widgets of a screen get actions; of more, an evenly spread part: nobody looks at a thousand rows either."""
FIRST_ROWS = 3
"""The first rows of a list have keys of their own: headers and pinned entries stand there. The others share one."""
SHORT_WAIT_MS, LONG_WAIT_MS, VERY_LONG_WAIT_MS = 3_000, 20_000, 300_000


def actions_on(screen: Screen) -> tuple[Action, ...]:
    """Everything a user could sensibly do on the screen; what needs no widget comes last."""
    number = screen.touch_window
    actions: list[Action] = []
    if number is not None:
        where = where_on(screen, screen.windows[number])
        spots = _spread([spot for spot in _spots(screen, number) if _is_interesting(spot, screen)])
        actions.extend(action for spot in spots for action in _on_widget(spot, screen, where))
        actions.extend(_on_phone(screen, where))
    else:
        actions.extend(_on_phone(screen, where_on(screen, None), touchable=False))
    return told_apart(actions)


@dataclass(slots=True)
class _PlacedWidget:
    """A widget with what its surroundings say of it."""

    widget: Widget
    path: tuple[int, ...]
    holds_menu: bool
    """Whether something around it takes long presses: a list with context menus does so for its rows."""
    row: str | None
    """The name of the list around it and the number of its row there."""


# Letters of the flags as plain numbers: operations on IntFlag are slow, and this runs for every widget of every screen.
_TARGET = int(WidgetFlags.CLICKABLE | WidgetFlags.LONG_CLICKABLE | WidgetFlags.CHECKABLE)
_LONG = int(WidgetFlags.LONG_CLICKABLE)
_ENABLED = int(WidgetFlags.ENABLED)
_EDITABLE = int(WidgetFlags.EDITABLE)
_SCROLLABLE = int(WidgetFlags.SCROLLABLE)
_WEB = int(WidgetFlags.WEB)

_LISTS = re.compile(r"List|Grid|Recycler|Gallery|Spinner|StackView")
_SIDEWAYS = re.compile(r"Horizontal|Pager|Gallery")
_UPRIGHT = re.compile(r"ScrollView|ListView|GridView|NumberPicker")
_PULLED = re.compile(r"SwipeRefresh|PullTo")
_SLIDERS = re.compile(r"SeekBar|RatingBar|Slider")
_OWN_DRAWING = re.compile(r"SurfaceView|TextureView|Compose|MapView|Canvas")
_FRAMEWORK = ("android.", "androidx.", "com.android.internal.", "com.google.android.material.")


class _Class(NamedTuple):
    """What the name of a widget's class says."""

    is_list: bool
    gesture: str
    """"slides", "pulls", "drawer" or nothing."""
    draws: bool
    """Whether it may draw its own content."""


@lru_cache(2048)
def _class_of(name: str) -> _Class:
    """Remembered: there are few classes, and each is asked about for every widget of every screen."""
    gesture = "slides" if _SLIDERS.search(name) else "pulls" if _PULLED.search(name) else ""
    return _Class(
        bool(_LISTS.search(name)),
        gesture or ("drawer" if "Drawer" in name else ""),
        bool(_OWN_DRAWING.search(name)) or not name.startswith(_FRAMEWORK),
    )


def _spots(screen: Screen, number: int) -> Iterator[_PlacedWidget]:
    """Every widget of the window, parents before children."""
    root = screen.windows[number].root
    stack = [_PlacedWidget(root, (number,), False, None)]
    for _ in range(MOST_WIDGETS):
        if not stack:
            return
        spot = stack.pop()
        yield spot
        widget = spot.widget
        if not widget.children:
            continue
        menu = spot.holds_menu or bool(int(widget.flags) & _LONG)
        is_list = _class_of(widget.class_name).is_list or _is_row_of_equals(widget)
        for index in range(len(widget.children) - 1, -1, -1):
            row = f"{spot.row or ''}{own_name(widget)}[{min(index, FIRST_ROWS)}]" if is_list else spot.row
            stack.append(_PlacedWidget(widget.children[index], (*spot.path, index), menu, row))


def _is_row_of_equals(widget: Widget) -> bool:
    """Whether its children are so many of a kind that it is a list, whatever its class is called."""
    children = widget.children
    if len(children) < 5:
        return False
    first = children[0]
    return all(each.class_name == first.class_name and each.resource_id == first.resource_id for each in children)


def _is_full_list(widget: Widget) -> bool:
    """Whether touches are meant for its rows: lists say they can be tapped, and nothing happens beside the rows."""
    return _class_of(widget.class_name).is_list and any(child.is_target for child in widget.children)


def _is_interesting(spot: _PlacedWidget, screen: Screen) -> bool:
    flags = int(spot.widget.flags)
    if not flags & _ENABLED:
        return False
    return bool(flags & (_TARGET | _EDITABLE | _SCROLLABLE | _WEB)) or bool(_gestures(spot.widget, screen))


def _gestures(widget: Widget, screen: Screen) -> str:
    """What the class of a widget says about it, beyond its flags: "draws", "slides", "pulls", "drawer" or nothing."""
    _, gesture, draws = _class_of(widget.class_name)
    if gesture and (gesture != "drawer" or widget.children):
        return gesture
    if widget.children or widget.text or not (draws or int(widget.flags) & _WEB):
        return ""
    large = 12 * widget.bounds.width * widget.bounds.height >= screen.width * screen.height
    return "draws" if large else ""


def _spread(spots: list[_PlacedWidget]) -> list[_PlacedWidget]:
    if len(spots) <= MOST_TARGETS:
        return spots
    step = len(spots) / MOST_TARGETS
    return [spots[int(number * step)] for number in range(MOST_TARGETS)]


def _on_widget(spot: _PlacedWidget, screen: Screen, where: str) -> Iterator[Action]:
    widget, flags = spot.widget, int(spot.widget.flags)
    located = Located(widget, spot.path)
    key, name = names_of(spot.widget, spot.row, where)
    area = _visible(widget.bounds, screen)
    if area.width <= 0 or area.height <= 0:
        return

    def make(kind: Kind, argument: str = "", *, weight: float = 1.0, at: Bounds = area) -> Action:
        said = f"{kind._value_} {argument} " if argument else f"{kind._value_} "
        return Action(kind, said + key, said + name, argument, located, at, weight)

    is_field = bool(flags & _EDITABLE)
    if is_field:
        for value_class, weight in _VALUE_WEIGHTS:
            yield make(Kind.TEXT, value_class.value, weight=weight)
    gestures = _gestures(widget, screen)
    spot_at = _reachable(located, area, screen) if flags & _TARGET and not _is_full_list(widget) else None
    if spot_at is not None:
        # Typing taps the field anyway; a tap alone matters where it opens something else than a keyboard.
        plain = not is_field or widget.input_type == 0
        yield make(Kind.TAP, weight=1.0 if plain else 0.15, at=spot_at)
        if flags & _LONG or spot.holds_menu:
            yield make(Kind.LONG_PRESS, weight=0.2 if is_field else 1.0, at=spot_at)
        if plain:
            yield make(Kind.DOUBLE_TAP, at=spot_at)
        if spot.row is not None and spot.row.endswith("]") and area.width > area.height * 2:
            yield make(Kind.STROKE, "across", weight=0.3)
    if flags & _SCROLLABLE or gestures == "pulls" or "NumberPicker" in widget.class_name:
        for direction, weight in _directions(widget, gestures):
            yield make(Kind.SCROLL, direction, weight=weight)
    if gestures == "slides":
        yield make(Kind.SLIDE)
        yield make(Kind.STROKE, "across")
    if gestures == "drawer":
        yield make(Kind.EDGE, "right", weight=2.0)
        yield make(Kind.EDGE, "left", weight=0.3)
    if gestures == "draws":
        # A drawing has no widgets to choose from, so several touches stand for those it may contain.
        yield make(Kind.POINT, weight=4.0)
        yield make(Kind.LONG_PRESS, weight=0.5)
        yield make(Kind.STROKE, "anyhow", weight=3.0)
        yield make(Kind.PINCH)


_VALUE_WEIGHTS = (
    (ValueClass.FITTING, 1.0),
    (ValueClass.SEEN, 0.5),
    (ValueClass.LIMIT, 0.5),
)


def _directions(widget: Widget, gestures: str) -> tuple[tuple[str, float], ...]:
    """The ways a finger moves on it, forward first; going back is less often of use."""
    upright, sideways = (("up", 1.0), ("down", 0.4)), (("left", 1.0), ("right", 0.4))
    if gestures == "pulls":
        return (("down", 1.0),)
    if _SIDEWAYS.search(widget.class_name):
        return sideways
    if _UPRIGHT.search(widget.class_name):
        return upright
    if "Recycler" in widget.class_name:
        return sideways if widget.bounds.width > 2 * widget.bounds.height else upright
    return (*upright, ("left", 0.4), ("right", 0.2))


def _on_phone(screen: Screen, where: str, *, touchable: bool = True) -> Iterator[Action]:
    """What can be done whatever is shown; counted per activity and dialog."""
    whole = Bounds(0, 0, screen.width, screen.height)

    def make(kind: Kind, argument: str = "", *, weight: float = 1.0) -> Action:
        # One key for all of the app: whether it minds such things is soon known.
        said = f"{kind._value_} {argument} " if argument else f"{kind._value_} "
        return Action(kind, said, said + where, argument, None, whole, weight)

    yield make(Kind.BACK, "BACK")
    yield make(Kind.MENU, "MENU")
    if screen.keyboard:
        yield make(Kind.ENTER, "ENTER")
    yield make(Kind.KEY)
    # People turn it back.
    yield make(Kind.ROTATE, weight=1.0 if screen.rotation % 2 == 0 else 4.0)
    yield make(Kind.HOME, "HOME")
    yield make(Kind.WAIT, str(SHORT_WAIT_MS))
    yield make(Kind.WAIT, str(LONG_WAIT_MS), weight=0.4)
    yield make(Kind.WAIT, str(VERY_LONG_WAIT_MS), weight=0.1)
    if touchable and screen.width > 0 and screen.height > 0:
        # Some views take touches without saying so.
        yield make(Kind.POINT, "anywhere", weight=0.2)
        yield make(Kind.EDGE, "right", weight=0.15)


def _visible(bounds: Bounds, screen: Screen) -> Bounds:
    return Bounds(
        max(bounds.left, 0),
        max(bounds.top, 0),
        min(bounds.right, screen.width or bounds.right),
        min(bounds.bottom, screen.height or bounds.bottom),
    )


def _reachable(located: Located, area: Bounds, screen: Screen) -> Bounds | None:
    """A small piece of the widget that nothing else lies upon; None if a touch on it would always hit another."""
    for across, down in ((2, 2), (1, 2), (3, 2), (2, 1), (2, 3)):
        x, y = area.left + area.width * across // 4, area.top + area.height * down // 4
        hit = screen.target_at(x, y)
        if hit is not None and hit.path == located.path:
            return Bounds(x, y, x + 1, y + 1)
    return None
