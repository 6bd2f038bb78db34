"""The agent's dump of all windows as a `Screen`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from xml.parsers.expat import ExpatError, ParserCreate

from fewtaps.errors import DeviceLost
from fewtaps.model.screen import Bounds, Screen, Widget, WidgetFlags, Window, WindowKind

MOST_CHARACTERS = 32 << 20
MOST_WIDGETS = 50_000
_BOUNDS = re.compile(r"\[(-?\d{1,7}),(-?\d{1,7})\]\[(-?\d{1,7}),(-?\d{1,7})\]")
_FLAGS: tuple[tuple[str, WidgetFlags], ...] = (
    ("clickable", WidgetFlags.CLICKABLE),
    ("long-clickable", WidgetFlags.LONG_CLICKABLE),
    ("enabled", WidgetFlags.ENABLED),
    ("focusable", WidgetFlags.FOCUSABLE),
    ("focused", WidgetFlags.FOCUSED),
    ("checkable", WidgetFlags.CHECKABLE),
    ("checked", WidgetFlags.CHECKED),
    ("scrollable", WidgetFlags.SCROLLABLE),
    ("selected", WidgetFlags.SELECTED),
    ("password", WidgetFlags.PASSWORD),
)
_EDITABLE = ("EditText", "AutoCompleteTextView", "SearchAutoComplete", "TextInputEditText")
SYSTEM_UI = "com.android.systemui"
HELPERS = ("permissioncontroller", "packageinstaller")
"""Parts of the names of packages whose dialogs stand over an app and belong to its run."""
BAR_SHARE = 0.2
"""A window of the system that covers at most this share of the screen is a bar."""


@dataclass(frozen=True, slots=True)
class DumpedWindow:
    """The root of a window, and the package that it belongs to."""

    package: str
    root: Widget


@dataclass(frozen=True, slots=True)
class Dump:
    """What a dump holds: the rotation, and the windows in its order."""

    rotation: int
    windows: tuple[DumpedWindow, ...]


@dataclass(frozen=True, slots=True)
class ScreenFacts:
    """What a dump does not tell: the app, the size of the screen held upright, the package of the keyboard."""

    package: str
    width: int
    height: int
    keyboard: str = ""


@dataclass(slots=True)
class _Node:
    attributes: Mapping[str, str]
    children: list[Widget]


def parse_dump(xml: str) -> Dump:
    """The windows of a dump; widgets without a size are left out. Raises DeviceLost for a text that is no dump."""
    if len(xml) > MOST_CHARACTERS:
        raise DeviceLost("the dump of the screen is too large")
    reader = _DumpReader()
    parser = ParserCreate()
    handlers = (("StartElement", reader.start), ("EndElement", reader.end), ("StartDoctypeDecl", _refuse_doctype))
    for name, handler in handlers:
        setattr(parser, f"{name}Handler", handler)
    try:
        parser.Parse(xml.encode("utf-8", "replace"), True)
    except (ExpatError, ValueError) as error:
        raise DeviceLost(f"the dump of the screen cannot be read: {error}") from error
    if reader.rotation is None:
        raise DeviceLost("the dump of the screen has no hierarchy")
    return Dump(reader.rotation, tuple(reader.windows))


def _refuse_doctype(*_: object) -> None:
    raise ValueError("it declares a document type")


class _DumpReader:
    """Builds widgets from the inside out, without recursion: layouts may be deeper than Python's stack."""

    def __init__(self) -> None:
        self.rotation: int | None = None
        self.windows: list[DumpedWindow] = []
        self._open: list[_Node] = []
        self._count = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "hierarchy":
            rotation = attributes.get("rotation", "0")
            self.rotation = int(rotation) if rotation in ("0", "1", "2", "3") else 0
        elif name == "node":
            self._count += 1
            if self._count > MOST_WIDGETS:
                raise ValueError("it has too many widgets")
            self._open.append(_Node(attributes, []))

    def end(self, name: str) -> None:
        if name != "node":
            return
        node = self._open.pop()
        widget = _widget(node)
        if widget.bounds.width <= 0 or widget.bounds.height <= 0:
            return
        if self._open:
            self._open[-1].children.append(widget)
        else:
            self.windows.append(DumpedWindow(node.attributes.get("package", ""), widget))


def _widget(node: _Node) -> Widget:
    given = node.attributes
    class_name = given.get("class") or "android.view.View"
    flags = 0
    for name, flag in _FLAGS:
        if given.get(name) == "true":
            flags |= int(flag)
    is_editable = class_name.rpartition(".")[2].endswith(_EDITABLE)
    if is_editable:
        flags |= int(WidgetFlags.EDITABLE)
    if class_name == "android.webkit.WebView":
        flags |= int(WidgetFlags.WEB)
    text, hint = given.get("text", ""), given.get("hint", "")
    if is_editable and hint and text == hint:
        # Accessibility tells the hint of an empty field as its text.
        text = ""
    return Widget(
        class_name,
        given.get("resource-id") or None,
        text if text or is_editable else None,
        given.get("content-desc") or None,
        hint or None,
        _bounds(given.get("bounds", "")),
        WidgetFlags(flags),
        children=tuple(node.children),
    )


def _bounds(text: str) -> Bounds:
    found = _BOUNDS.fullmatch(text)
    return Bounds(*map(int, found.groups())) if found else Bounds(0, 0, 0, 0)


def screen_of(dump: Dump, facts: ScreenFacts, activity: str | None) -> Screen:
    """The screen that a dump shows.

    Windows of the app, and dialogs over it, come first, in the order of the dump. Bars and the keyboard follow: they
    are of kind `system`, cannot be touched, and have no content, because clocks in bars change by themselves.
    """
    width, height = (facts.width, facts.height) if dump.rotation % 2 == 0 else (facts.height, facts.width)
    front: list[DumpedWindow] = []
    behind: list[Window] = []
    for window in dump.windows:
        if facts.keyboard and window.package == facts.keyboard:
            behind.append(_bar("keyboard", window))
        elif window.package == SYSTEM_UI and _share(window.root.bounds, width, height) <= BAR_SHARE:
            behind.append(_bar("bar", window))
        else:
            front.append(window)
    package = front[0].package if front else ""
    if any(each.package == facts.package for each in front) or is_helper(package):
        package = facts.package
    windows = [
        Window(
            title=activity or window.package if window.package == facts.package else window.package,
            kind=_kind(window, number, front, facts),
            root=window.root,
            focused=number == 0,
        )
        for number, window in enumerate(front)
    ]
    return Screen(
        package=package,
        activity=activity if package == facts.package else None,
        width=width,
        height=height,
        rotation=dump.rotation,
        keyboard=any(window.title == "keyboard" for window in behind),
        windows=(*windows, *behind),
    )


def is_helper(package: str) -> bool:
    """Whether the windows of a package stand over an app on the app's behalf, as questions for permissions do."""
    return package == "android" or any(part in package for part in HELPERS)


def _kind(window: DumpedWindow, number: int, front: list[DumpedWindow], facts: ScreenFacts) -> WindowKind:
    if window.package != facts.package:
        return WindowKind.SYSTEM
    has_own_below = any(each.package == facts.package for each in front[number + 1 :])
    return WindowKind.DIALOG if has_own_below else WindowKind.ACTIVITY


def _bar(title: str, window: DumpedWindow) -> Window:
    return Window(title, WindowKind.SYSTEM, replace(window.root, children=(), text=None), touchable=False)


def _share(bounds: Bounds, width: int, height: int) -> float:
    return bounds.width * bounds.height / max(1, width * height)


Path = tuple[int, ...]


def changed_places(one: Screen, other: Screen) -> frozenset[Path]:
    """The outermost widgets in which two screens differ, by path; the empty path if their windows differ."""
    if (one.package, one.activity, one.rotation, one.width, len(one.windows)) != (
        other.package,
        other.activity,
        other.rotation,
        other.width,
        len(other.windows),
    ):
        return frozenset({()})
    places: set[Path] = set()
    stack: list[tuple[Widget, Widget, Path]] = [
        (first.root, second.root, (number,))
        for number, (first, second) in enumerate(zip(one.windows, other.windows, strict=True))
    ]
    while stack:
        first, second, path = stack.pop()
        if first is second:
            continue
        if _own(first) != _own(second) or len(first.children) != len(second.children):
            places.add(path)
        else:
            pairs = enumerate(zip(first.children, second.children, strict=True))
            stack += [(left, right, (*path, number)) for number, (left, right) in pairs]
    return frozenset(places)


def is_masked(place: Path, masked: Iterable[Path]) -> bool:
    """Whether a place lies in one of those that are known to change by themselves."""
    return any(place[: len(each)] == each for each in masked)


def _own(widget: Widget) -> tuple[object, ...]:
    return (
        widget.class_name,
        widget.resource_id,
        widget.text,
        widget.description,
        widget.hint,
        widget.bounds,
        int(widget.flags),
    )
