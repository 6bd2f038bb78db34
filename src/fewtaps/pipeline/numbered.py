"""A screen as a numbered list of the widgets that can be touched, with the texts between them as context."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fewtaps.model.event import Selector, printable, quoted
from fewtaps.model.roles import SLIDERS, role_of
from fewtaps.model.screen import Located, Screen, Widget, WidgetFlags, WindowKind, selector_of

LINES = 40
LIST_CLASSES = ("ListView", "GridView", "Gallery", "StackView")
# Views of the platform are listed only if they are clickable. A view of the app may handle touches without that flag.
PLATFORM = ("android.", "androidx.", "com.android.", "com.google.android.material.")


@dataclass(frozen=True, slots=True)
class ListedWidget:
    """A line of the list: a widget, with a number if it can be touched."""

    number: int | None
    located: Located
    kind: str

    @property
    def widget(self) -> Widget:
        return self.located.widget

    @property
    def selector(self) -> Selector:
        """The selector of the widget for a trace."""
        return selector_of(self.located)

    @property
    def text(self) -> str:
        """The text of its line."""
        return _text(self.widget)

    @property
    def label(self) -> tuple[str, str]:
        """What names the widget, and which of its attributes that is: text, description, hint, id or class.

        The name is as the app wrote it, but for the text of a password field, which is dots.
        """
        widget = self.widget
        if texts := _shown_texts(widget):
            return "text", " · ".join(texts)
        if widget.description:
            return "description", widget.description
        if widget.hint:
            return "hint", widget.hint
        if widget.resource_id:
            return "id", widget.resource_id.rpartition("/")[2]
        return "class", widget.class_name.rpartition(".")[2]

    @property
    def marks(self) -> tuple[str, ...]:
        """The states of the widget that matter to a user, in words: on, off, selected, focused, disabled."""
        return _mark_words(self.widget.flags)


def number_screen(screen: Screen) -> tuple[ListedWidget, ...]:
    """The widgets of the topmost touchable window in reading order, numbered from 1; toasts come first, unnumbered."""
    entries = [
        ListedWidget(None, located, "toast")
        for located in screen.iter_located()
        if screen.windows[located.path[0]].kind is WindowKind.TOAST and located.widget.text
    ]
    number = 0
    for located, kind in sorted(_listed(screen), key=lambda each: _place(each[0].widget, screen)):
        number += kind is not None
        entries.append(ListedWidget(number if kind is not None else None, located, kind or "text"))
    return tuple(entries)


def _place(widget: Widget, screen: Screen) -> tuple[int, int]:
    """The sort key for the reading order: by rows, then from left to right; the order of the tree may differ."""
    line = max(screen.height // LINES, 1)
    return widget.bounds.centre[1] // line, widget.bounds.left


def _listed(screen: Screen) -> Iterator[tuple[Located, str | None]]:
    """The widgets of the list with the kind of those that can be touched; a text that is only read has no kind."""
    labelled: tuple[int, ...] | None = None
    for located in screen.iter_touchable():
        parent = screen.widget(located.path[:-1]) if len(located.path) > 1 else None
        kind = _kind(located.widget, parent)
        inside = labelled is not None and located.path[: len(labelled)] == labelled
        if kind is not None:
            yield located, kind
            if not _is_container(located.widget):
                labelled = located.path
        elif located.widget.text and not inside:
            # Texts inside a touchable row are already part of that row's own line.
            yield located, None


def _kind(widget: Widget, parent: Widget | None) -> str | None:
    flags = widget.flags
    name = widget.class_name.rpartition(".")[2]
    if flags & WidgetFlags.EDITABLE:
        return "field"
    if flags & WidgetFlags.CHECKABLE:
        return "switch" if "Switch" in name or "Toggle" in name else "radio" if "Radio" in name else "checkbox"
    if flags & WidgetFlags.WEB:
        return "web page"
    if parent is not None and _is_list(parent):
        return "row"
    if _is_list(widget) or _is_container(widget):
        return None
    if SLIDERS.search(name):
        return "slider"
    if widget.is_target and role_of(widget) == "dropdown":
        return "dropdown"
    if widget.is_target:
        return "image" if "Image" in name else "button" if "Button" in name or widget.children == () else "item"
    custom = not widget.children and not widget.class_name.startswith(PLATFORM) and not widget.text
    return "view" if custom or "SurfaceView" in name else None


def _is_list(widget: Widget) -> bool:
    name = widget.class_name.rpartition(".")[2]
    scrolls_rows = widget.flags & WidgetFlags.SCROLLABLE and widget.flags & WidgetFlags.CLICKABLE
    return name.endswith(LIST_CLASSES) or bool(scrolls_rows)


def _is_container(widget: Widget) -> bool:
    return bool(widget.flags & WidgetFlags.SCROLLABLE) and bool(widget.children)


def _shown_texts(widget: Widget) -> tuple[str, ...]:
    texts = [widget.text] if widget.text else list(_texts_inside(widget))[:3]
    if widget.flags & WidgetFlags.PASSWORD and widget.text:
        texts = ["•" * min(len(widget.text), 12)]
    return tuple(text for text in texts if text)


def _text(widget: Widget) -> str:
    shown = " · ".join(quoted(text, 60) for text in _shown_texts(widget))
    if not shown and widget.description:
        shown = quoted(widget.description, 60)
    if not shown and widget.hint:
        shown = f"(empty: {printable(widget.hint, 60)})"
    if not shown and widget.resource_id:
        shown = "#" + printable(widget.resource_id.rpartition("/")[2], 60)
    if widget.flags & WidgetFlags.EDITABLE and widget.text:
        # A field is named by its hint or id, because its text is user input.
        name = widget.hint or (widget.resource_id or "").rpartition("/")[2]
        shown += f" ({printable(name, 60)})" if name else ""
    return (shown or printable(widget.class_name.rpartition(".")[2], 60)) + _marks(widget.flags)


def _texts_inside(widget: Widget) -> Iterator[str]:
    for child in widget.children:
        if child.is_target:
            continue
        if child.text or child.description:
            yield child.text or child.description or ""
        else:
            yield from _texts_inside(child)


def _marks(flags: WidgetFlags) -> str:
    marks = _mark_words(flags)
    return f" [{', '.join(marks)}]" if marks else ""


def _mark_words(flags: WidgetFlags) -> tuple[str, ...]:
    marks = []
    if flags & WidgetFlags.CHECKABLE:
        marks.append("on" if flags & WidgetFlags.CHECKED else "off")
    if flags & WidgetFlags.SELECTED:
        marks.append("selected")
    if flags & WidgetFlags.FOCUSED and flags & WidgetFlags.EDITABLE:
        marks.append("focused")
    if not flags & WidgetFlags.ENABLED:
        marks.append("disabled")
    return tuple(marks)
