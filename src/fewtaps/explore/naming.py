"""How actions and widgets are called, so that the same thing has the same name wherever it is met."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from fewtaps.explore.actions import Action
from fewtaps.model.screen import Screen, Widget, WidgetFlags, Window, WindowKind

MOST_WIDGETS = 20_000
"""So many widgets of a window are looked at."""
_EDITABLE = int(WidgetFlags.EDITABLE)


def walk(root: Widget | None) -> Iterator[Widget]:
    """The widgets of a window, parents before children, as many as are looked at."""
    stack = [root] if root is not None else []
    for _ in range(MOST_WIDGETS):
        if not stack:
            return
        widget = stack.pop()
        yield widget
        stack.extend(reversed(widget.children))


def told_apart(actions: list[Action]) -> tuple[Action, ...]:
    """Gives actions of one name a number each: two buttons without id and text are still two."""
    counts = Counter(action.name for action in actions)
    if max(counts.values(), default=0) <= 1:
        return tuple(actions)
    met: Counter[str] = Counter()
    told: list[Action] = []
    for action in actions:
        met[action.name] += 1
        if counts[action.name] > 1:
            name = f"{action.name} #{met[action.name]}"
            action = replace(action, name=name)
        told.append(action)
    return tuple(told)


def where_on(screen: Screen, window: Window | None) -> str:
    """The activity and, for what stands in front of it, the first words there: an activity may have many dialogs."""
    activity = (screen.activity or screen.package).rpartition(".")[2]
    if window is None or window.kind is WindowKind.ACTIVITY:
        return activity
    return f"{activity}/{window.kind.value}({_shape(_first_words(window.root))})"


def _first_words(root: Widget) -> str:
    return next((widget.text for widget in walk(root) if widget.text and not int(widget.flags) & _EDITABLE), "")


def names_of(widget: Widget, row: str | None, where: str) -> tuple[str, str]:
    """The key and the name of a widget: who it is on whichever screen, and which one of several alike."""
    own = own_name(widget)
    identified = bool(widget.resource_id) and not (widget.resource_id or "").startswith("android:")
    # What a field contains is not who it is.
    text = (widget.hint if int(widget.flags) & _EDITABLE else widget.label) or ""
    if row is not None:
        return f"{where}:{row}{own}", f"{where}:{row}{own}={text[:60]}"
    if identified:
        return f"{where}:{own}", f"{where}:{own}"
    return f"{where}:{own}={_shape(text)}", f"{where}:{own}={text[:60]}"


def thing_of(action: Action) -> str | None:
    """What is written on the row of a page that an action is for, if it is for one; entries of menus are no things."""
    label = action.located.widget.label if action.located is not None else None
    is_row = "=" not in action.key and "=" in action.name and "/" not in action.key.partition(":")[0]
    return label if is_row else None


def own_name(widget: Widget) -> str:
    return (widget.resource_id or "").rpartition("/")[2] or widget.class_name.rpartition(".")[2]


def _shape(text: str) -> str:
    """A text without what changes in it from time to time."""
    return re.sub(r"\d+", "#", text[:40])
