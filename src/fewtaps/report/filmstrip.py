"""A trace as a strip of pictures: each step with the screen before it and the outline of its widget."""

from __future__ import annotations

from dataclasses import replace

from fewtaps.model.event import (
    DoubleTap,
    Event,
    Launch,
    LongPress,
    Pinch,
    Swipe,
    Tap,
    Text,
    describe,
)
from fewtaps.model.screen import Bounds, Screen, Widget, WidgetFlags
from fewtaps.model.told import describe_on
from fewtaps.model.trace import Step, Trace
from fewtaps.report.views import Gesture, Picture, StepView
from fewtaps.store.screen_pictures import ScreenPictures


def film(trace: Trace, pictures: ScreenPictures) -> tuple[StepView, ...]:
    """The views of the steps after the launch."""
    shown = trace.steps[0].after
    views = []
    for number, step in enumerate(trace.steps[1:], 1):
        screen = step.before if step.before.is_seen else shown
        views.append(_view(number, step, screen, pictures))
        shown = step.after
    return tuple(views)


def picture_of(screen: Screen, pictures: ScreenPictures) -> Picture | None:
    """The picture of a screen; None if the screen was not recorded."""
    return Picture(pictures.find(screen), screen) if screen.is_seen and screen.width and screen.height else None


def _view(number: int, step: Step, screen: Screen, pictures: ScreenPictures) -> StepView:
    outline = outline_of(step.event, screen)
    return StepView(
        number=number,
        words=words_of(step.event, screen),
        picture=picture_of(screen, pictures),
        outline=outline,
        gesture=_gesture(step.event, outline),
        activity=(screen.activity or "").rpartition(".")[2],
        note=step.notes[0] if step.notes else "",
    )


def words_of(event: Event, screen: Screen) -> str:
    """The event in words, with the label that its widget has on this screen; a second launch is a tap on the icon."""
    if isinstance(event, Launch):
        return "Tap the app's icon again"
    selector = getattr(event, "selector", None)
    if selector is None or selector.is_empty:
        return describe(event)
    located = screen.find(selector)
    if located is None:
        return describe(event)
    is_field = bool(located.widget.flags & WidgetFlags.EDITABLE)
    if (selector.text or selector.description) and not is_field:
        return describe(event)
    label = _label(located.widget)
    return describe(replace(event, selector=replace(selector, text=label))) if label else describe_on(event, screen)


def _label(widget: Widget) -> str | None:
    """The label of a widget; for a text field its hint, because its content changes."""
    return widget.hint or widget.description if widget.flags & WidgetFlags.EDITABLE else widget.label


def outline_of(event: Event, screen: Screen) -> Bounds | None:
    """The bounds of the event's widget, clipped to the screen: the selector's widget, else the one at the point.

    None for an event without a widget, and where the screen has none at the point.
    """
    widget = _widget(event, screen)
    return None if widget is None else clipped(widget, screen)


def clipped(widget: Widget, screen: Screen) -> Bounds | None:
    """The part of the widget's bounds that is on the screen; None if there is none."""
    left, top, right, bottom = widget.bounds
    left, top = max(0, left), max(0, top)
    right, bottom = min(screen.width, right), min(screen.height, bottom)
    return Bounds(left, top, right, bottom) if left < right and top < bottom else None


def _widget(event: Event, screen: Screen) -> Widget | None:
    selector = getattr(event, "selector", None)
    if selector is not None and not selector.is_empty:
        located = screen.find(selector)
        return located.widget if located is not None else None
    match event:
        case Tap() | LongPress() | DoubleTap() | Pinch():
            located = screen.target_at(event.x, event.y)
            return located.widget if located is not None else None
        case Text():
            focused = (each for each in screen.iter_widgets() if each.flags & WidgetFlags.FOCUSED)
            return next(focused, None)
    return None


def _gesture(event: Event, outline: Bounds | None) -> Gesture | None:
    match event:
        case Tap() | LongPress() | DoubleTap() | Pinch():
            return Gesture(_inside((event.x, event.y), outline))
        case Swipe():
            start = _inside((event.x1, event.y1), outline)
            return Gesture(start, (start[0] + event.x2 - event.x1, start[1] + event.y2 - event.y1))
    return None


def _inside(point: tuple[int, int], outline: Bounds | None) -> tuple[int, int]:
    """The point; the centre of the widget if the point is outside of it, because a replay moves the touch there."""
    return point if outline is None or outline.holds(*point) else outline.centre
