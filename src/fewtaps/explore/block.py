"""What an exploration avoids: widgets, texts and activities by pattern.

A pattern is a glob (`*`, `?`, `[…]`), whatever its case, for all of a name: `id:delete*`, `text:Log out`,
`class:*.WebView`, `activity:*.SettingsActivity`. Without one of these words it fits any of them. An id may be written
short (`delete`) or whole, an activity likewise.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fnmatch import translate

from fewtaps.errors import UsageError
from fewtaps.model.event import DoubleTap, Event, Key, LongPress, Pinch, Selector, StartIntent, Swipe, Tap, Text
from fewtaps.model.screen import Screen, Widget, WidgetFlags

KINDS = ("id", "text", "class", "activity")
_WORD = re.compile(r"([a-z]+):(?!id/|//)(.*)", re.DOTALL)
_KEYS_TO_THE_FOCUSED = frozenset({"ENTER", "DPAD_CENTER", "SPACE", "DEL"})


@dataclass(frozen=True, slots=True)
class Pattern:
    """One pattern: of which kind, None for any, and the test for a name."""

    kind: str | None
    fits: Callable[[str], object]

    def concerns(self, kind: str) -> bool:
        """Whether it is about names of this kind."""
        return self.kind is None or self.kind == kind


class Blocklist:
    """Says which events are not to be performed. Without patterns it allows everything."""

    def __init__(self, patterns: Iterable[str] = ()) -> None:
        """Raises UsageError, in one line, for a pattern that is none."""
        self._patterns = tuple(parse_pattern(pattern) for pattern in patterns)

    def __bool__(self) -> bool:
        return bool(self._patterns)

    def forbids(self, event: Event, screen: Screen) -> bool:
        """Whether the event goes to a blocked widget, into one, or to a blocked activity."""
        if not self._patterns:
            return False
        if isinstance(event, StartIntent):
            return self._is_blocked_activity((event.component or "").replace("/.", ".").rpartition("/")[2])
        return any(self._fits(kind, name) for kind, name in _names_hit(event, screen))

    def blocks(self, screen: Screen) -> bool:
        """Whether the screen belongs to a blocked activity, which is to be left at once."""
        return bool(self._patterns) and self._is_blocked_activity(screen.activity or "")

    def _is_blocked_activity(self, activity: str) -> bool:
        return bool(activity) and any(self._fits("activity", name) for name in (activity, activity.rpartition(".")[2]))

    def _fits(self, kind: str, name: str) -> bool:
        return any(pattern.concerns(kind) and pattern.fits(name) for pattern in self._patterns)


NOTHING_BLOCKED = Blocklist()


def parse_pattern(text: str) -> Pattern:
    """Reads one pattern. Raises UsageError, with the pattern, if it is empty, of no known kind or never fits."""
    word = _WORD.fullmatch(text)
    kind, glob = (word[1], word[2]) if word else (None, text)
    if kind is not None and kind not in KINDS:
        raise UsageError(f"--block: '{kind}:' is none of {', '.join(f'{each}:' for each in KINDS)} in '{text}'")
    if not glob.strip():
        raise UsageError(f"--block: the pattern '{text}' is empty")
    if glob.count("[") != glob.count("]"):
        raise UsageError(f"--block: a bracket is not closed in '{text}'; write [[] for the character itself")
    return Pattern(kind, re.compile(translate(glob.strip()), re.IGNORECASE).match)


def _names_hit(event: Event, screen: Screen) -> Iterator[tuple[str, str]]:
    """Kinds and names of everything the event goes to: the widget, those around it, and the texts on it."""
    for path in _paths(event, screen):
        target: Widget | None = None
        for length in range(1, len(path) + 1):
            widget = screen.widget(path[:length])
            if widget is None:
                break
            yield from _names(widget)
            if length > 1 and (widget.is_target or widget.flags & WidgetFlags.EDITABLE):
                target = widget
        if target is not None:
            yield from (("text", text) for text in _texts_inside(target))


def _paths(event: Event, screen: Screen) -> Iterator[tuple[int, ...]]:
    match event:
        case Tap() | LongPress() | DoubleTap() | Pinch():
            points, selector = [(event.x, event.y)], event.selector
        case Swipe():
            points, selector = [(event.x1, event.y1)], event.selector
        case Text():
            points, selector = [], event.selector
        case Key() if event.name in _KEYS_TO_THE_FOCUSED:
            points, selector = [], None
        case _:
            return
    yield from (hit.path for x, y in points if (hit := screen.located_at(x, y)) is not None)
    if selector is not None:
        yield from _named(selector, screen)
    elif not points:
        yield from (each.path for each in screen.iter_touchable() if each.widget.flags & WidgetFlags.FOCUSED)


def _named(selector: Selector, screen: Screen) -> Iterator[tuple[int, ...]]:
    located = screen.find(selector)
    if located is not None:
        yield located.path


def _names(widget: Widget) -> Iterator[tuple[str, str]]:
    if widget.resource_id:
        yield "id", widget.resource_id
        yield "id", widget.resource_id.rpartition("/")[2]
    yield from (("text", text) for text in (widget.text, widget.description, widget.hint) if text)
    yield "class", widget.class_name
    yield "class", widget.class_name.rpartition(".")[2]


def _texts_inside(widget: Widget) -> Iterator[str]:
    """Texts on a target that belong to no other target: the lines of a row."""
    for child in widget.children:
        if child.is_target:
            continue
        yield from (text for text in (child.text, child.description) if text)
        yield from _texts_inside(child)
