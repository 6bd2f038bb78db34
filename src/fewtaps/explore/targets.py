"""The actions of a screen: everything a user could sensibly try, on its widgets and with the phone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from fewtaps.explore.actions import Action, ActionKind
from fewtaps.explore.frontier_parameters import ACTION_DEFAULTS, ActionParameters
from fewtaps.explore.ids import ActionGroup, ActionName, FieldId, PageId
from fewtaps.explore.naming import action_prefix, is_in_front, names_of, own_name, page_of, with_unique_names
from fewtaps.explore.texts import ValueClass
from fewtaps.model.roles import SLIDERS
from fewtaps.model.screen import Bounds, Located, Screen, Widget, WidgetFlags


def actions_on(screen: Screen, numbers: ActionParameters = ACTION_DEFAULTS) -> tuple[Action, ...]:
    """Everything a user could sensibly do on the screen; actions without a widget come last."""
    number = screen.touch_window
    actions: list[Action] = []
    if number is not None:
        page = page_of(screen, screen.windows[number], numbers)
        found = _PageActions(screen, page, numbers, is_dialog=is_in_front(screen.windows[number]))
        for placed in _spread(list(filter(found.has_actions, _placed(screen, number, numbers))), numbers.max_targets):
            actions.extend(found.on_widget(placed))
        actions.extend(found.on_phone())
    else:
        found = _PageActions(screen, page_of(screen, None, numbers), numbers, is_dialog=False)
        actions.extend(found.on_phone(touchable=False))
    return with_unique_names(actions)


@dataclass(slots=True)
class _PlacedWidget:
    """A widget with what its surroundings say of it."""

    widget: Widget
    path: tuple[int, ...]
    holds_menu: bool
    """Whether a widget around it takes long presses: a list with context menus does so for its rows."""
    row: str | None
    """The name of the list around it and the number of its row there; None outside of lists."""


# The flags as plain numbers: operations on IntFlag are slow, and this runs for every widget of every screen.
_TARGET = int(WidgetFlags.CLICKABLE | WidgetFlags.LONG_CLICKABLE | WidgetFlags.CHECKABLE)
_LONG = int(WidgetFlags.LONG_CLICKABLE)
_ENABLED = int(WidgetFlags.ENABLED)
_EDITABLE = int(WidgetFlags.EDITABLE)
_SCROLLABLE = int(WidgetFlags.SCROLLABLE)
_WEB = int(WidgetFlags.WEB)
_CHECKABLE = int(WidgetFlags.CHECKABLE)
_NO_BUTTON = _CHECKABLE | _EDITABLE | _SCROLLABLE

_LISTS = re.compile(r"List|Grid|Recycler|Gallery|Spinner|StackView")
_SIDEWAYS = re.compile(r"Horizontal|Pager|Gallery")
_UPRIGHT = re.compile(r"ScrollView|ListView|GridView|NumberPicker")
_PULLED = re.compile(r"SwipeRefresh|PullTo")
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
    """Cached: there are few classes, and this is called for every widget of every screen."""
    gesture = "slides" if SLIDERS.search(name) else "pulls" if _PULLED.search(name) else ""
    return _Class(
        bool(_LISTS.search(name)),
        gesture or ("drawer" if "Drawer" in name else ""),
        bool(_OWN_DRAWING.search(name)) or not name.startswith(_FRAMEWORK),
    )


def _placed(screen: Screen, number: int, numbers: ActionParameters) -> Iterator[_PlacedWidget]:
    """Every widget of the window, parents before children."""
    stack = [_PlacedWidget(screen.windows[number].root, (number,), False, None)]
    first_rows = numbers.first_rows
    for _ in range(numbers.max_widgets):
        if not stack:
            return
        placed = stack.pop()
        yield placed
        widget = placed.widget
        if not widget.children:
            continue
        menu = placed.holds_menu or bool(int(widget.flags) & _LONG)
        is_list = _class_of(widget.class_name).is_list or _is_row_of_equals(widget, numbers.list_of_equals)
        for index in range(len(widget.children) - 1, -1, -1):
            row = f"{placed.row or ''}{own_name(widget)}[{min(index, first_rows)}]" if is_list else placed.row
            stack.append(_PlacedWidget(widget.children[index], (*placed.path, index), menu, row))


def _is_row_of_equals(widget: Widget, fewest: int) -> bool:
    """Whether it has so many children of one class and id that it is a list, whatever its own class is called."""
    children = widget.children
    if len(children) < fewest:
        return False
    first = children[0]
    return all(each.class_name == first.class_name and each.resource_id == first.resource_id for each in children)


def _is_full_list(widget: Widget) -> bool:
    """Whether touches are meant for its rows: lists say they can be tapped, and nothing happens beside the rows."""
    return _class_of(widget.class_name).is_list and any(child.is_target for child in widget.children)


def _spread(placed: list[_PlacedWidget], most: int) -> list[_PlacedWidget]:
    if len(placed) <= most:
        return placed
    step = len(placed) / most
    return [placed[int(number * step)] for number in range(most)]


class _PageActions:
    """Finds the widgets of a screen that take touches or texts, and makes an action for each gesture they take."""

    def __init__(self, screen: Screen, page: PageId, numbers: ActionParameters, *, is_dialog: bool) -> None:
        self._screen = screen
        self._page = page
        self._numbers = numbers
        self._is_dialog = is_dialog

    def has_actions(self, placed: _PlacedWidget) -> bool:
        """Whether something can be done with the widget."""
        flags = int(placed.widget.flags)
        if not flags & _ENABLED:
            return False
        return bool(flags & (_TARGET | _EDITABLE | _SCROLLABLE | _WEB)) or bool(self._gestures(placed.widget))

    def _gestures(self, widget: Widget) -> str:
        """What the class of a widget says beyond its flags: "draws", "slides", "pulls", "drawer" or nothing."""
        _, gesture, draws = _class_of(widget.class_name)
        if gesture and (gesture != "drawer" or widget.children):
            return gesture
        if widget.children or widget.text or not (draws or int(widget.flags) & _WEB):
            return ""
        area = widget.bounds.width * widget.bounds.height
        return "draws" if self._numbers.drawing_share * area >= self._screen.width * self._screen.height else ""

    def on_widget(self, placed: _PlacedWidget) -> Iterator[Action]:
        """Taps, presses, texts, scrolls and strokes, as its flags allow; none for a widget that is not visible."""
        n = self._numbers
        widget, flags = placed.widget, int(placed.widget.flags)
        located = Located(widget, placed.path)
        area = _visible(widget.bounds, self._screen)
        if area.width <= 0 or area.height <= 0:
            return
        group, name = names_of(widget, placed.row, self._page, n)
        is_row, is_box = placed.row is not None, bool(flags & _CHECKABLE)
        is_button = not is_row and not flags & _NO_BUTTON
        thing = widget.label if is_row and not self._is_dialog else None
        field = FieldId(name)

        def make(kind: ActionKind, argument: str = "", *, chance: float, at: Bounds = area) -> Action:
            prefix = action_prefix(kind, argument)
            return Action(
                kind,
                ActionGroup(prefix + group),
                ActionName(prefix + name),
                argument,
                located,
                at,
                chance,
                is_button and kind is ActionKind.TAP,
                is_box,
                is_row,
                thing,
                field if kind is ActionKind.TEXT else None,
            )

        is_field = bool(flags & _EDITABLE)
        if is_field:
            yield make(ActionKind.TEXT, ValueClass.FITTING.value, chance=n.text * n.fitting)
            yield make(ActionKind.TEXT, ValueClass.SEEN.value, chance=n.text * n.seen)
            yield make(ActionKind.TEXT, ValueClass.LIMIT.value, chance=n.text * n.limit)
        gestures = self._gestures(widget)
        is_target = flags & _TARGET and not _is_full_list(widget)
        touched_at = _reachable(located, area, self._screen) if is_target else None
        if touched_at is not None:
            # Typing taps the field anyway; a tap alone matters where it opens something else than a keyboard.
            is_plain = not is_field or widget.input_type == 0
            yield make(ActionKind.TAP, chance=n.tap if is_plain else n.tap * n.field_tap, at=touched_at)
            if flags & _LONG or placed.holds_menu:
                chance = n.long_press * n.field_long_press if is_field else n.long_press
                yield make(ActionKind.LONG_PRESS, chance=chance, at=touched_at)
            if is_plain:
                yield make(ActionKind.DOUBLE_TAP, chance=n.double_tap, at=touched_at)
            if is_row and area.width > area.height * 2:
                yield make(ActionKind.STROKE, "across", chance=n.stroke * n.row_stroke)
        if flags & _SCROLLABLE or gestures == "pulls" or "NumberPicker" in widget.class_name:
            for direction, factor in self._directions(widget, gestures):
                yield make(ActionKind.SCROLL, direction, chance=n.scroll * factor)
        if gestures == "slides":
            yield make(ActionKind.SLIDE, chance=n.slide)
            yield make(ActionKind.STROKE, "across", chance=n.stroke)
        if gestures == "drawer":
            yield make(ActionKind.EDGE, "right", chance=n.edge * n.drawer_edge)
            yield make(ActionKind.EDGE, "left", chance=n.edge * n.drawer_other_edge)
        if gestures == "draws":
            yield make(ActionKind.POINT, chance=n.point * n.drawing_point)
            yield make(ActionKind.LONG_PRESS, chance=n.long_press * n.drawing_long_press)
            yield make(ActionKind.STROKE, "anyhow", chance=n.stroke * n.drawing_stroke)
            yield make(ActionKind.PINCH, chance=n.pinch)

    def _directions(self, widget: Widget, gestures: str) -> tuple[tuple[str, float], ...]:
        """The directions in which a finger moves on it, forward first, with factors of the weight."""
        n = self._numbers
        upright, sideways = (("up", 1.0), ("down", n.scroll_back)), (("left", 1.0), ("right", n.scroll_back))
        if gestures == "pulls":
            return (("down", 1.0),)
        if _SIDEWAYS.search(widget.class_name):
            return sideways
        if _UPRIGHT.search(widget.class_name):
            return upright
        if "Recycler" in widget.class_name:
            return sideways if widget.bounds.width > 2 * widget.bounds.height else upright
        return (*upright, ("left", n.scroll_sideways), ("right", n.scroll_sideways_back))

    def on_phone(self, *, touchable: bool = True) -> Iterator[Action]:
        """The actions that are possible on every screen; their names differ by page, their groups do not."""
        n, screen = self._numbers, self._screen
        whole = Bounds(0, 0, screen.width, screen.height)

        def make(kind: ActionKind, argument: str = "", *, chance: float) -> Action:
            prefix = action_prefix(kind, argument)
            return Action(kind, ActionGroup(prefix), ActionName(prefix + self._page), argument, None, whole, chance)

        yield make(ActionKind.BACK, "BACK", chance=n.back)
        yield make(ActionKind.MENU, "MENU", chance=n.menu)
        if screen.keyboard:
            yield make(ActionKind.ENTER, "ENTER", chance=n.enter)
        yield make(ActionKind.KEY, chance=n.key)
        yield make(ActionKind.ROTATE, chance=n.rotate if screen.rotation % 2 == 0 else n.rotate * n.rotate_back)
        yield make(ActionKind.HOME, "HOME", chance=n.home)
        yield make(ActionKind.WAIT, str(n.wait_ms), chance=n.wait)
        yield make(ActionKind.WAIT, str(n.long_wait_ms), chance=n.wait * n.long_wait)
        yield make(ActionKind.WAIT, str(n.very_long_wait_ms), chance=n.wait * n.very_long_wait)
        if touchable and screen.width > 0 and screen.height > 0:
            # Some views take touches without saying so.
            yield make(ActionKind.POINT, "anywhere", chance=n.point * n.anywhere)
            yield make(ActionKind.EDGE, "right", chance=n.edge * n.screen_edge)


def _visible(bounds: Bounds, screen: Screen) -> Bounds:
    return Bounds(
        max(bounds.left, 0),
        max(bounds.top, 0),
        min(bounds.right, screen.width or bounds.right),
        min(bounds.bottom, screen.height or bounds.bottom),
    )


def _reachable(located: Located, area: Bounds, screen: Screen) -> Bounds | None:
    """One pixel of the widget that nothing covers, of five that are tried; None if all of them are covered."""
    for across, down in ((2, 2), (1, 2), (3, 2), (2, 1), (2, 3)):
        x, y = area.left + area.width * across // 4, area.top + area.height * down // 4
        hit = screen.target_at(x, y)
        if hit is not None and hit.path == located.path:
            return Bounds(x, y, x + 1, y + 1)
    return None
