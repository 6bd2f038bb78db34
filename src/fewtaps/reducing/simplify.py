"""After deletion: plainer events in the place of those that are left.

Shorter texts, taps instead of other gestures, selectors instead of bare coordinates, waits of one second. Each change
is a candidate like any other and is kept only if the goal is still met.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from fewtaps.model.event import DoubleTap, Event, LongPress, Pinch, Swipe, Tap, Text, Wait
from fewtaps.model.screen import UNSEEN, Screen, selector_of
from fewtaps.reducing.problem import Problem

USUAL_WAIT_MS = 1000
USUAL_SWIPE_MS = 300
SHORT_TEXT = 64
"""Characters of a text up to which single ones are left out; from a longer text at least a sixteenth is left out at
once, because each attempt is a run."""

_Simplification = Callable[[Event, Screen], Iterator[Event]]


def weight(event: Event) -> int:
    """How much there is to simplify in an event. Every simplification makes it smaller."""
    match event:
        case Tap():
            return 0 if event.selector else 1
        case LongPress() | DoubleTap():
            return 2 if event.selector else 3
        case Swipe():
            unusual = (event.duration_ms != USUAL_SWIPE_MS) + (event.hold_ms != 0)
            return 4 + unusual + (event.selector is None)
        case Pinch():
            return 8 if event.selector else 9
        case Text():
            return 2 * len(event.text) + event.replace
        case Wait():
            return int(event.ms != USUAL_WAIT_MS)
    return 0


def simplify(problem: Problem[Event]) -> None:
    """Replaces events by plainer ones, from first to last, until none of them can be replaced any more."""
    for simplification in (_plain_gestures, _selectors, _usual_waits, _shorter_texts):
        position = 0
        while position < len(problem.best):
            if not _replaced(problem, position, simplification):
                position += 1


def _replaced(problem: Problem[Event], position: int, simplification: _Simplification) -> bool:
    current = problem.best
    event = problem.item(current[position])
    before = problem.trace.steps[position].after if problem.trace is not None else UNSEEN
    options = (
        (*current[:position], problem.add(plainer), *current[position + 1 :])
        for plainer in simplification(event, before)
        if weight(plainer) < weight(event)
    )
    return problem.first(options) is not None


def _plain_gestures(event: Event, before: Screen) -> Iterator[Event]:
    match event:
        case LongPress() | DoubleTap() | Pinch():
            yield Tap(event.x, event.y, event.selector)
        case Swipe():
            yield Tap(event.x1, event.y1, event.selector)
            yield replace(event, duration_ms=USUAL_SWIPE_MS, hold_ms=0)
            yield replace(event, duration_ms=USUAL_SWIPE_MS)
            yield replace(event, hold_ms=0)


def _selectors(event: Event, before: Screen) -> Iterator[Event]:
    """The event with a selector, at the centre of the widget; if the exact place matters, at its own coordinates."""
    match event:
        case Tap() | LongPress() | DoubleTap() | Pinch() if event.selector is None:
            located = before.target_at(event.x, event.y)
            if located is not None:
                x, y = located.widget.bounds.centre
                yield replace(event, x=x, y=y, selector=selector_of(located))
                yield replace(event, selector=selector_of(located))
        case Swipe() if event.selector is None:
            selector = before.selector_at(event.x1, event.y1)
            if selector is not None:
                yield replace(event, selector=selector)


def _usual_waits(event: Event, before: Screen) -> Iterator[Event]:
    if isinstance(event, Wait):
        yield Wait(USUAL_WAIT_MS)


def _shorter_texts(event: Event, before: Screen) -> Iterator[Event]:
    """The text without its first half, its second half, its quarters and so on; a short one without each character."""
    if not isinstance(event, Text):
        return
    text = event.text
    smallest = 1 if len(text) <= SHORT_TEXT else len(text) // 16
    size = (len(text) + 1) // 2
    while size >= smallest:
        for start in range(0, len(text), size):
            yield replace(event, text=text[:start] + text[start + size :])
        size = size // 2
    yield replace(event, replace=False)
