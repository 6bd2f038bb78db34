"""Functions shared by the exporters: the point of an event on its recorded screen, the content of a text field."""

from __future__ import annotations

from collections.abc import Iterator

from fewtaps.model.event import DoubleTap, LongPress, Pinch, Selector, Tap, Text, printable
from fewtaps.model.phone import describe_phone
from fewtaps.model.trace import Step, Trace

MOST_DELETES = 200
"""A longer text is not deleted key by key."""
NOT_SEEN = "has only the name of its widget, and where that is was not seen; it is left out"


def general_losses(trace: Trace) -> Iterator[str]:
    """A line for each part of a trace, besides its events, that no script can hold."""
    if trace.world:
        yield f"the world {trace.world} cannot be said in a script: chance and time are those of where it is played"
    if trace.phone:
        yield f"the script does not set the phone up: it has to be one {describe_phone(trace.phone)}"
    if trace.crash is not None:
        yield f"the crash of the trace is not in a script: {printable(trace.crash.summary, 160)}"
    if any(getattr(step.event, "selector", None) is not None for step in trace.steps):
        yield "the names of widgets cannot be said in a script: it touches places, on a screen as large as the trace's"


def is_package(name: str) -> bool:
    """Whether the name can be that of an Android package."""
    return "." in name and name.isascii() and all(part.isidentifier() for part in name.split("."))


def point_of(step: Step) -> tuple[int, int] | None:
    """The point of a touch; None if the event has only a selector and its widget is not on the recorded screen."""
    match step.event:
        case Tap(x, y, selector) | LongPress(x, y, selector) | DoubleTap(x, y, selector):
            return field_of(step) if selector is not None and (x, y) == (0, 0) else (x, y)
        case Pinch(x, y):
            return field_of(step) if step.event.selector is not None and (x, y) == (0, 0) else (x, y)
    return None


def field_of(step: Step) -> tuple[int, int] | None:
    """The centre of the widget that the event's selector names; None if it is not on the step's recorded screen."""
    selector: Selector | None = getattr(step.event, "selector", None)
    located = step.before.find(selector) if selector is not None and step.before.is_seen else None
    return located.widget.bounds.centre if located is not None else None


def deletes_for(step: Step) -> int | None:
    """The number of presses of Delete that empty the field before a text; None if unknown or above `MOST_DELETES`."""
    event = step.event
    if not isinstance(event, Text) or not event.replace:
        return 0
    located = step.before.find(event.selector) if event.selector is not None and step.before.is_seen else None
    if located is None:
        return None
    length = len(located.widget.text or "")
    return length if length <= MOST_DELETES else None


def typed(text: str) -> str | None:
    """The argument of Android's `input text` for a text; None if `input` cannot type it.

    `input` presses the keys of a virtual keyboard, which has only ASCII, and types a space for `%s`.
    """
    if not text or "%s" in text or not all(" " <= char <= "~" for char in text):
        return None
    return text.replace(" ", "%s")
