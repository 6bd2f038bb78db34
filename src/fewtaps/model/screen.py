"""Screen and Widget: one observed widget tree of all windows, topmost first, and how to find a widget in it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from enum import Enum, IntFlag
from functools import lru_cache
from typing import Any, NamedTuple, cast

from fewtaps.model.event import Selector
from fewtaps.model.record import as_list, as_object, list_in, number_in, text_in, truth_in


class WidgetFlags(IntFlag):
    """Properties of a widget that are either set or not."""

    NONE = 0
    CLICKABLE = 1
    LONG_CLICKABLE = 2
    ENABLED = 4
    FOCUSABLE = 8
    FOCUSED = 16
    CHECKABLE = 32
    CHECKED = 64
    SCROLLABLE = 128
    SELECTED = 256
    PASSWORD = 512
    EDITABLE = 1024
    WEB = 2048

    @property
    def letters(self) -> str:
        """The flags as the letters of the JSON form."""
        return _letters_of(int(self))


_LETTERS: dict[str, int] = {letter: 1 << position for position, letter in enumerate("clefFkKsSptw")}


# Both are cached: operations on an `IntFlag` are slow, screens have dozens of widgets, and few sets of flags occur.
@lru_cache(4096)
def _letters_of(flags: int) -> str:
    return "".join(letter for letter, flag in _LETTERS.items() if flag & flags)


@lru_cache(4096)
def flags_from_letters(letters: str) -> WidgetFlags:
    """The flags that `WidgetFlags.letters` wrote. Raises ValueError for an unknown letter."""
    flags = 0
    for letter in letters:
        if letter not in _LETTERS:
            raise ValueError(f"flags: not a flag: {letter!r}")
        flags |= _LETTERS[letter]
    return WidgetFlags(flags)


class WindowKind(Enum):
    """What a window is for; strategies and exports tell pages, dialogs and toasts apart by it."""

    ACTIVITY = "activity"
    DIALOG = "dialog"
    POPUP = "popup"
    TOAST = "toast"
    SYSTEM = "system"


class Bounds(NamedTuple):
    """A rectangle in pixels of the screen; `right` and `bottom` are exclusive."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def centre(self) -> tuple[int, int]:
        return (self.left + self.right) // 2, (self.top + self.bottom) // 2

    @property
    def width(self) -> int:
        return self.right - self.left

    @property
    def height(self) -> int:
        return self.bottom - self.top

    def holds(self, x: int, y: int) -> bool:
        return self.left <= x < self.right and self.top <= y < self.bottom


_NOWHERE = Bounds(0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Widget:
    """One visible view, with its children in drawing order."""

    class_name: str
    resource_id: str | None = None
    text: str | None = None
    description: str | None = None
    hint: str | None = None
    bounds: Bounds = _NOWHERE
    flags: WidgetFlags = WidgetFlags.NONE
    input_type: int = 0
    children: tuple[Widget, ...] = ()

    @property
    def is_target(self) -> bool:
        """Whether the widget is clickable, long-clickable or checkable."""
        return bool(int(self.flags) & _TARGET)

    @property
    def label(self) -> str | None:
        """Its text or description or, for a target that has neither, the first text inside it."""
        return self.shown_text or self.description or None

    @property
    def shown_text(self) -> str | None:
        """Its own text or, for a target that has none, the first text inside it that belongs to no other target."""
        if self.text:
            return self.text
        return self._first_text() if int(self.flags) & _TARGET and not self.description else None

    def _first_text(self) -> str | None:
        for child in self.children:
            if int(child.flags) & _TARGET:
                continue
            text = child.text or child._first_text()
            if text:
                return text
        return None


# A plain number: operations on IntFlag are slow, and this mask is applied to every widget.
_TARGET = int(WidgetFlags.CLICKABLE | WidgetFlags.LONG_CLICKABLE | WidgetFlags.CHECKABLE)


@dataclass(frozen=True, slots=True)
class Window:
    """One root of the window manager: an activity, dialog, menu or toast."""

    title: str
    kind: WindowKind
    root: Widget
    focused: bool = False
    touchable: bool = True


@dataclass(frozen=True, slots=True)
class Located:
    """A widget and its path: the window's number, then child numbers from the root."""

    widget: Widget
    path: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Screen:
    """The visible windows at one moment, topmost first. `rotation` counts quarter turns from upright."""

    package: str
    activity: str | None
    width: int
    height: int
    rotation: int = 0
    keyboard: bool = False
    windows: tuple[Window, ...] = ()
    _digest: str | None = field(default=None, init=False, repr=False, compare=False, hash=False)
    _page: str | None = field(default=None, init=False, repr=False, compare=False, hash=False)
    _look: int | None = field(default=None, init=False, repr=False, compare=False, hash=False)

    @property
    def is_seen(self) -> bool:
        """Whether the screen was recorded: false only for `UNSEEN`."""
        return self != UNSEEN

    def iter_located(self) -> Iterator[Located]:
        """Every widget with its path, topmost window first, parents before children."""
        for number, window in enumerate(self.windows):
            # A stack, not recursion: nested generators would take quadratic time in deep layouts.
            stack = [Located(window.root, (number,))]
            while stack:
                located = stack.pop()
                yield located
                children = located.widget.children
                for index in range(len(children) - 1, -1, -1):
                    stack.append(Located(children[index], (*located.path, index)))

    def iter_widgets(self) -> Iterator[Widget]:
        """Every widget, topmost window first, parents before children."""
        return (located.widget for located in self.iter_located())

    def iter_touchable(self) -> Iterator[Located]:
        """Every widget that a finger can reach: those of the topmost touchable window."""
        number = self.touch_window
        return (located for located in self.iter_located() if located.path[0] == number)

    @property
    def touch_window(self) -> int | None:
        """The number of the topmost touchable window; None if nothing can be touched."""
        for number, window in enumerate(self.windows):
            if window.touchable:
                return number
        return None

    def widget(self, path: tuple[int, ...]) -> Widget | None:
        """The widget at a path; None if there is none."""
        if not path or not 0 <= path[0] < len(self.windows):
            return None
        widget = self.windows[path[0]].root
        for index in path[1:]:
            if not 0 <= index < len(widget.children):
                return None
            widget = widget.children[index]
        return widget

    def located_at(self, x: int, y: int) -> Located | None:
        """The deepest widget at the point, in the topmost touchable window that holds it; later siblings lie on top."""
        for number, window in enumerate(self.windows):
            if window.touchable and window.root.bounds.holds(x, y):
                return _deepest(window.root, (number,), x, y)
        return None

    def target_at(self, x: int, y: int) -> Located | None:
        """The innermost widget under the point that takes taps or long presses; the deepest of all if none does."""
        located = self.located_at(x, y)
        if located is None:
            return None
        for length in range(len(located.path), 0, -1):
            widget = self.widget(located.path[:length])
            if widget is not None and widget.is_target:
                return Located(widget, located.path[:length])
        return located

    def selector_at(self, x: int, y: int) -> Selector | None:
        """A selector for the widget that a tap at the point would hit; None where there is no widget."""
        located = self.target_at(x, y)
        return selector_of(located) if located else None

    def selector_for(self, target: Widget | tuple[int, ...]) -> Selector | None:
        """A selector for a widget of this screen, given itself or its path; None if the screen does not hold it."""
        if isinstance(target, tuple):
            widget = self.widget(target)
            return selector_of(Located(widget, target)) if widget else None
        for located in self.iter_located():
            if located.widget is target:
                return selector_of(located)
        return next((selector_of(located) for located in self.iter_located() if located.widget == target), None)

    def find(self, selector: Selector) -> Located | None:
        """The widget that a selector names, by id, or by text, description and class, or by path; None if none fits.

        Several widgets of one id, as in a list, are told apart by the other fields. A widget that lacks the fields
        which the selector leaves out is preferred to one that has them. If the other fields fit no widget with the id,
        the widget with the id at the selector's own path is taken, or none. The path alone is used last, and not for a
        selector that has an id and a text or description. Widgets of the topmost touchable window are preferred to
        those behind a dialog.
        """
        everything = list(self.iter_located())
        front = [located for located in everything if located.path[0] == self.touch_window]
        return _find(selector, front) or _find(selector, everything)

    def shows(self, text: str) -> bool:
        """Whether some widget's text, description or hint contains the text."""
        return any(
            text in shown
            for widget in self.iter_widgets()
            for shown in (widget.text, widget.description, widget.hint)
            if shown
        )

    def digest(self) -> str:
        """A hash of the whole content, the same in every process and on every machine."""
        if self._digest is None:
            self.canonical()
        return cast("str", self._digest)

    @property
    def has_digest(self) -> bool:
        """Whether the digest is computed already."""
        return self._digest is not None

    def canonical(self) -> bytes:
        """The whole content in the canonical JSON form that the digest hashes; `screen_from_json` reads it."""
        canonical = json.dumps(screen_to_json(self), sort_keys=True, separators=(",", ":")).encode()
        # The write to a frozen value is a cache: the digest depends on the other fields only.
        object.__setattr__(self, "_digest", hashlib.blake2b(canonical, digest_size=16).hexdigest())
        return canonical

    def __reduce__(self) -> tuple[type[Screen], tuple[object, ...]]:
        """Pickles what is shown, without the cached values: the look differs between processes."""
        # Not __getstate__, which dataclasses with slots ignored before Python 3.11.4.
        return Screen, tuple(getattr(self, each.name) for each in fields(self) if each.init)

    def look(self) -> int:
        """A hash that equal screens share, in this process only: a fast check whether a screen changed."""
        if self._look is None:
            object.__setattr__(self, "_look", hash(self))
        return cast("int", self._look)


UNSEEN = Screen("", None, 0, 0)
"""Stands for a screen that was not recorded, as before a launch or in a trace file of events only."""


def selector_of(located: Located) -> Selector:
    """A selector with all fields that are known of the widget."""
    widget = located.widget
    return Selector(
        resource_id=widget.resource_id or None,
        class_name=widget.class_name or None,
        text=widget.shown_text,
        description=widget.description or None,
        path=located.path,
    )


def screen_to_json(screen: Screen) -> dict[str, Any]:
    """The screen as JSON data; null and empty fields are left out."""
    return {
        "package": screen.package,
        **({"activity": screen.activity} if screen.activity is not None else {}),
        "width": screen.width,
        "height": screen.height,
        "rotation": screen.rotation,
        "keyboard": screen.keyboard,
        "windows": [
            {
                "title": window.title,
                "kind": window.kind.value,
                "focused": window.focused,
                "touchable": window.touchable,
                "root": widget_to_json(window.root),
            }
            for window in screen.windows
        ],
    }


def widget_to_json(widget: Widget) -> dict[str, Any]:
    """The widget as JSON data; null and empty fields are left out."""
    record: dict[str, Any] = {"class": widget.class_name}
    for key, value in (
        ("id", widget.resource_id),
        ("text", widget.text),
        ("description", widget.description),
        ("hint", widget.hint),
    ):
        if value is not None:
            record[key] = value
    record["bounds"] = list(widget.bounds)
    if widget.flags:
        record["flags"] = widget.flags.letters
    if widget.input_type:
        record["input"] = widget.input_type
    if widget.children:
        record["children"] = [widget_to_json(child) for child in widget.children]
    return record


def screen_from_json(record: object) -> Screen:
    """The screen that `screen_to_json` or the bridge wrote. Raises ValueError, naming the bad field."""
    data = as_object("screen", record)
    return Screen(
        package=text_in(data, "package") or "",
        activity=text_in(data, "activity"),
        width=number_in(data, "width"),
        height=number_in(data, "height"),
        rotation=number_in(data, "rotation"),
        keyboard=truth_in(data, "keyboard", False),
        windows=tuple(_window_from_json(window) for window in list_in(data, "windows")),
    )


def widget_from_json(record: object) -> Widget:
    """The widget that `widget_to_json` or the bridge wrote. Raises ValueError, naming the bad field."""
    data = record if type(record) is dict else as_object("widget", record)
    # The types of all texts are checked at once, for speed: devices send thousands of screens with dozens of widgets.
    texts = [data.get(name) for name in _TEXTS]
    if not _TEXT_TYPES.issuperset(map(type, texts)):
        texts = [text_in(data, name) for name in _TEXTS]
    bounds = data.get("bounds") or [0, 0, 0, 0]
    if [type(edge) for edge in as_list("bounds", bounds)] != _FOUR_NUMBERS:
        raise ValueError(f"bounds: not four whole numbers: {bounds!r:.60}")
    children = data.get("children")
    class_name, resource_id, text, description, hint, flags = texts
    return Widget(
        class_name or "",
        resource_id,
        text,
        description,
        hint,
        Bounds._make(bounds),
        flags_from_letters(flags or ""),
        number_in(data, "input") if "input" in data else 0,
        () if children is None else tuple(map(widget_from_json, as_list("children", children))),
    )


_TEXTS = ("class", "id", "text", "description", "hint", "flags")
_TEXT_TYPES = frozenset({str, type(None)})
_FOUR_NUMBERS = [int] * 4


def _window_from_json(record: object) -> Window:
    data = as_object("window", record)
    kind = data.get("kind")
    try:
        window_kind = WindowKind(kind)
    except ValueError:
        raise ValueError(f"kind: not a kind of window: {kind!r:.60}") from None
    return Window(
        title=text_in(data, "title") or "",
        kind=window_kind,
        root=widget_from_json(data.get("root")),
        focused=truth_in(data, "focused", False),
        touchable=truth_in(data, "touchable", True),
    )


def _deepest(widget: Widget, path: tuple[int, ...], x: int, y: int) -> Located:
    while True:
        for index in range(len(widget.children) - 1, -1, -1):
            if widget.children[index].bounds.holds(x, y):
                widget, path = widget.children[index], (*path, index)
                break
        else:
            return Located(widget, path)


def _find(selector: Selector, widgets: list[Located]) -> Located | None:
    if selector.resource_id:
        same_id = [located for located in widgets if located.widget.resource_id == selector.resource_id]
        if len(same_id) == 1:
            return same_id[0]
        if same_id:
            return _likeliest(selector, same_id) or _at_path(selector, same_id)
    if selector.text or selector.description:
        likeliest = _likeliest(selector, widgets)
        if likeliest:
            return likeliest
        if selector.resource_id:
            return None
    at_path = _at_path(selector, widgets)
    if at_path and (not selector.class_name or at_path.widget.class_name == selector.class_name):
        return at_path
    return None


def _likeliest(selector: Selector, widgets: list[Located]) -> Located | None:
    fitting = [located for located in widgets if _fits(selector, located.widget)]
    alike = [located for located in fitting if _lacks_the_rest(selector, located.widget)]
    if alike:
        return _at_path(selector, alike) or alike[0]
    # A selector with a path was recorded from a screen. Without text and description it could mean any widget that
    # fits, so it finds none of them.
    if fitting and (selector.text or selector.description or not selector.path):
        return _at_path(selector, fitting) or fitting[0]
    return None


def _fits(selector: Selector, widget: Widget) -> bool:
    return (
        (not selector.class_name or widget.class_name == selector.class_name)
        and (selector.text is None or widget.shown_text == selector.text)
        and (not selector.description or widget.description == selector.description)
    )


def _lacks_the_rest(selector: Selector, widget: Widget) -> bool:
    return selector.text == widget.shown_text and (selector.description or None) == (widget.description or None)


def _at_path(selector: Selector, widgets: list[Located]) -> Located | None:
    return next((located for located in widgets if located.path == selector.path), None) if selector.path else None
