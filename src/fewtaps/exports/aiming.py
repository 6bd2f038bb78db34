"""Which widget an event is meant for, said with as few names as tell it apart on the screen that was seen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from fewtaps.formats.export_support import field_of, point_of
from fewtaps.model.event import DoubleTap, LongPress, Pinch, Selector, Tap, Text
from fewtaps.model.screen import Located, Screen, Widget, selector_of
from fewtaps.model.trace import Step


@dataclass(frozen=True, slots=True)
class Aim:
    """Names of a widget and, for when none of them is found, its place.

    A widget with an id is looked for by that, and by text or description where several have the id; others by text,
    then by description, then by class. `nth` counts, from 0 and in the order of the tree, among those that are left.
    `point` is None if nobody saw where the widget was.
    """

    resource_id: str | None = None
    text: str | None = None
    description: str | None = None
    class_name: str | None = None
    nth: int = 0
    point: tuple[int, int] | None = None

    @property
    def has_name(self) -> bool:
        """Whether there is anything but the place."""
        return bool(self.resource_id or self.text or self.description or self.class_name)

    def names(self) -> Iterator[tuple[str, str]]:
        """The names that there are, by kind: id, text, description, type."""
        kinds = ("id", "text", "description", "type")
        values = (self.resource_id, self.text, self.description, self.class_name)
        yield from ((kind, value) for kind, value in zip(kinds, values, strict=True) if value)

    @property
    def is_nowhere(self) -> bool:
        """Whether there is neither a name nor a place."""
        return not self.has_name and self.point is None

    @property
    def on_phone(self) -> Aim:
        """The same without what phones do not tell: there, classes have the names of the platform's own."""
        if self.class_name and not self.class_name.startswith("android."):
            return replace(self, class_name=None, nth=self.nth if self._has_words else 0)
        return self

    @property
    def _has_words(self) -> bool:
        return bool(self.resource_id or self.text or self.description)


def aim_of(step: Step) -> Aim:
    """What the event of a step is aimed at; nowhere for events that have no aim."""
    event = step.event
    if not isinstance(event, Tap | LongPress | DoubleTap | Pinch | Text):
        return Aim()
    point = field_of(step) if isinstance(event, Text) else point_of(step)
    selector = event.selector
    if selector is None and point is not None and not isinstance(event, Text):
        selector = _hit(step.before, point)
    if selector is None or selector.is_empty:
        return Aim(point=point)
    return replace(_named(selector, step.before), point=point)


def _hit(screen: Screen, point: tuple[int, int]) -> Selector | None:
    """Names what a blind touch hit; None for what takes no touches, whose middle may be something that does."""
    located = screen.target_at(*point)
    return selector_of(located) if located is not None and located.widget.is_target else None


def _named(selector: Selector, screen: Screen) -> Aim:
    located = screen.find(selector) if screen.is_seen else None
    if located is None:
        # Nobody knows how many have the id, so all names are kept; a class alone could be any.
        named = Aim(selector.resource_id or None, selector.text or None, selector.description or None)
        return named if named.has_name else Aim()
    for aim in _ways(selector, located.widget):
        rivals = list(_rivals(aim, screen, located))
        if rivals == [located]:
            return aim
    # None of the ways leads to it alone: the last that leads to it counts.
    for aim in reversed(list(_ways(selector, located.widget))):
        rivals = list(_rivals(aim, screen, located))
        if located in rivals:
            return replace(aim, nth=rivals.index(located))
    return Aim()


def _ways(selector: Selector, widget: Widget) -> Iterator[Aim]:
    """Ever more names, as an export looks for them."""
    text, description = selector.text or None, selector.description or None
    if selector.resource_id:
        yield Aim(selector.resource_id)
        if text or description:
            yield Aim(selector.resource_id, text, description)
        return
    if text and widget.text == text:
        yield Aim(text=text)
    elif description:
        yield Aim(description=description)
    elif text:
        # The text of something inside, which can be tapped as well.
        yield Aim(text=text)
    elif widget.class_name:
        yield Aim(class_name=widget.class_name)


def _rivals(aim: Aim, screen: Screen, located: Located) -> Iterator[Located]:
    """Those of the widget's own window that the names fit; for a text inside the widget, the widget stands for it."""
    for each in screen.iter_located():
        if each.path[0] != located.path[0] or not _fits(aim, each.widget):
            continue
        inside = each.path[: len(located.path)] == located.path and each != located
        yield located if inside and aim.text and not aim.resource_id else each


def _fits(aim: Aim, widget: Widget) -> bool:
    if aim.resource_id:
        return (
            widget.resource_id == aim.resource_id
            and (not aim.text or aim.text in (widget.text, widget.shown_text))
            and (not aim.description or widget.description == aim.description)
        )
    if aim.text:
        return widget.text == aim.text
    if aim.description:
        return widget.description == aim.description
    return widget.class_name == aim.class_name
