"""Names the widget of an event with as few attributes as identify it on the recorded screen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from fewtaps.formats.export_support import field_of, point_of
from fewtaps.model.event import DoubleTap, LongPress, Pinch, Selector, Tap, Text
from fewtaps.model.screen import Located, Screen, Widget, selector_of
from fewtaps.model.trace import Step


@dataclass(frozen=True, slots=True)
class WidgetTarget:
    """Attributes of a widget and, as a fallback, its point on the screen.

    A widget with an id is found by the id, and by text or description where several have the id; others by text, then
    by description, then by class. `nth` is the index, from 0 and in the order of the tree, among the widgets that fit.
    `point` is None if the widget is not on the recorded screen.
    """

    resource_id: str | None = None
    text: str | None = None
    description: str | None = None
    class_name: str | None = None
    nth: int = 0
    point: tuple[int, int] | None = None

    @property
    def has_name(self) -> bool:
        """Whether there is any attribute besides the point."""
        return bool(self.resource_id or self.text or self.description or self.class_name)

    def names(self) -> Iterator[tuple[str, str]]:
        """The known attributes by kind: id, text, description, type."""
        kinds = ("id", "text", "description", "type")
        values = (self.resource_id, self.text, self.description, self.class_name)
        yield from ((kind, value) for kind, value in zip(kinds, values, strict=True) if value)

    @property
    def is_nowhere(self) -> bool:
        """Whether there is neither an attribute nor a point."""
        return not self.has_name and self.point is None

    @property
    def on_phone(self) -> WidgetTarget:
        """The same without a class of the app: UI Automator reports only class names of the platform."""
        if self.class_name and not self.class_name.startswith("android."):
            return replace(self, class_name=None, nth=self.nth if self._has_words else 0)
        return self

    @property
    def _has_words(self) -> bool:
        return bool(self.resource_id or self.text or self.description)


def target_of(step: Step) -> WidgetTarget:
    """The target of a step's event; empty for events that have none."""
    event = step.event
    if not isinstance(event, Tap | LongPress | DoubleTap | Pinch | Text):
        return WidgetTarget()
    point = field_of(step) if isinstance(event, Text) else point_of(step)
    selector = event.selector
    if selector is None and point is not None and not isinstance(event, Text):
        selector = _hit(step.before, point)
    if selector is None or selector.is_empty:
        return WidgetTarget(point=point)
    return replace(_named(selector, step.before), point=point)


def _hit(screen: Screen, point: tuple[int, int]) -> Selector | None:
    """A selector for the widget that a touch without a selector hit; None if the widget takes no touches.

    An export would touch the centre of such a widget, where a child that takes touches may be.
    """
    located = screen.target_at(*point)
    return selector_of(located) if located is not None and located.widget.is_target else None


def _named(selector: Selector, screen: Screen) -> WidgetTarget:
    located = screen.find(selector) if screen.is_seen else None
    if located is None:
        # Without a screen it is unknown how many widgets have the id, so text and description are kept too. A class
        # alone could be any widget.
        named = WidgetTarget(selector.resource_id or None, selector.text or None, selector.description or None)
        return named if named.has_name else WidgetTarget()
    candidates = list(_candidates(selector, located.widget))
    for target in candidates:
        if list(_matches(target, screen, located)) == [located]:
            return target
    # No candidate fits this widget alone: the one with the most attributes that fits it gets an index.
    for target in reversed(candidates):
        matches = list(_matches(target, screen, located))
        if located in matches:
            return replace(target, nth=matches.index(located))
    return WidgetTarget()


def _candidates(selector: Selector, widget: Widget) -> Iterator[WidgetTarget]:
    """Targets with an increasing number of attributes, in the combinations that exports can look for."""
    text, description = selector.text or None, selector.description or None
    if selector.resource_id:
        yield WidgetTarget(selector.resource_id)
        if text or description:
            yield WidgetTarget(selector.resource_id, text, description)
        return
    if text and widget.text == text:
        yield WidgetTarget(text=text)
    elif description:
        yield WidgetTarget(description=description)
    elif text:
        # The text is that of a child; a tap on the child hits the widget too.
        yield WidgetTarget(text=text)
    elif widget.class_name:
        yield WidgetTarget(class_name=widget.class_name)


def _matches(target: WidgetTarget, screen: Screen, located: Located) -> Iterator[Located]:
    """The widgets of the same window that fit the target; a fitting text inside the widget counts as the widget."""
    for each in screen.iter_located():
        if each.path[0] != located.path[0] or not _fits(target, each.widget):
            continue
        inside = each.path[: len(located.path)] == located.path and each != located
        yield located if inside and target.text and not target.resource_id else each


def _fits(target: WidgetTarget, widget: Widget) -> bool:
    if target.resource_id:
        return (
            widget.resource_id == target.resource_id
            and (not target.text or target.text in (widget.text, widget.shown_text))
            and (not target.description or widget.description == target.description)
        )
    if target.text:
        return widget.text == target.text
    if target.description:
        return widget.description == target.description
    return widget.class_name == target.class_name
