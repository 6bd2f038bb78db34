"""Names of actions and groups, chosen so that the same action has the same name on every screen that offers it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from fewtaps.explore.actions import Action, ActionKind
from fewtaps.explore.frontier_parameters import ActionParameters
from fewtaps.explore.ids import ActionName, FieldId, PageId
from fewtaps.model.screen import Screen, Widget, WidgetFlags, Window, WindowKind

_EDITABLE = int(WidgetFlags.EDITABLE)


def walk(root: Widget | None, most: int) -> Iterator[Widget]:
    """The first `most` widgets of a window, parents before children."""
    stack = [root] if root is not None else []
    for _ in range(most):
        if not stack:
            return
        widget = stack.pop()
        yield widget
        stack.extend(reversed(widget.children))


def with_unique_names(actions: list[Action]) -> tuple[Action, ...]:
    """Adds a number to the names, and the fields, of actions that share a name: two buttons may lack id and text."""
    counts = Counter(action.name for action in actions)
    if max(counts.values(), default=0) <= 1:
        return tuple(actions)
    met: Counter[str] = Counter()
    unique: list[Action] = []
    for action in actions:
        met[action.name] += 1
        if counts[action.name] > 1:
            number = f" #{met[action.name]}"
            field = FieldId(action.field + number) if action.field is not None else None
            action = replace(action, name=ActionName(action.name + number), field=field)
        unique.append(action)
    return tuple(unique)


def activity_of(screen: Screen) -> str:
    """The activity without its package; the app's package if no activity is known."""
    return (screen.activity or screen.package).rpartition(".")[2]


def is_in_front(window: Window | None) -> bool:
    """Whether it is a dialog, a menu or the like, in front of an activity."""
    return window is not None and window.kind is not WindowKind.ACTIVITY


def page_of(screen: Screen, window: Window | None, numbers: ActionParameters) -> PageId:
    """The activity and, for a window in front of it, the first words there: an activity may have many dialogs."""
    if window is None or not is_in_front(window):
        return PageId(activity_of(screen))
    words = _without_numbers(_first_words(window.root, numbers.max_widgets), numbers)
    return PageId(f"{activity_of(screen)}/{window.kind.value}({words})")


def _first_words(root: Widget, most: int) -> str:
    return next((widget.text for widget in walk(root, most) if widget.text and not int(widget.flags) & _EDITABLE), "")


def names_of(widget: Widget, row: str | None, page: PageId, numbers: ActionParameters) -> tuple[str, str]:
    """The group and the name of a widget: the one is shared by widgets that are alike, the other tells them apart."""
    own = own_name(widget)
    has_id = bool(widget.resource_id) and not (widget.resource_id or "").startswith("android:")
    # The content of a field does not identify it.
    text = (widget.hint if int(widget.flags) & _EDITABLE else widget.label) or ""
    if row is not None:
        return f"{page}:{row}{own}", f"{page}:{row}{own}={text[: numbers.name_length]}"
    if has_id:
        return f"{page}:{own}", f"{page}:{own}"
    return f"{page}:{own}={_without_numbers(text, numbers)}", f"{page}:{own}={text[: numbers.name_length]}"


def action_prefix(kind: ActionKind, argument: str) -> str:
    """The beginning of the name and of the group of an action, before the widget or page it belongs to."""
    return f"{kind._value_} {argument} " if argument else f"{kind._value_} "


def own_name(widget: Widget) -> str:
    """The id of a widget without its package, or its class without its package."""
    return (widget.resource_id or "").rpartition("/")[2] or widget.class_name.rpartition(".")[2]


def _without_numbers(text: str, numbers: ActionParameters) -> str:
    """The beginning of a text, with numbers replaced: counters change them."""
    return re.sub(r"\d+", "#", text[: numbers.group_length])
