"""What the exporters share: where an event happens on the screen that was seen, and what a text box held."""

from __future__ import annotations

from collections.abc import Iterator

from fewtaps.model.event import DoubleTap, LongPress, Pinch, Selector, Tap, Text, printable
from fewtaps.model.trace import Step, Trace

MOST_DELETES = 200
NOT_SEEN = "has only the name of its widget, and where that is was not seen; it is left out"


def left_behind(trace: Trace) -> Iterator[str]:
    """A line for each thing besides its events that a trace remembers and a script of commands does not."""
    if trace.world:
        yield f"the world {trace.world} cannot be said in a script: chance and time are those of where it is played"
    if trace.crash is not None:
        yield f"the crash of the trace is not in a script: {printable(trace.crash.summary, 160)}"
    if any(getattr(step.event, "selector", None) is not None for step in trace.steps):
        yield "the names of widgets cannot be said in a script: it touches places, on a screen as large as the trace's"


def is_package(name: str) -> bool:
    """Whether it can be the name of an Android package."""
    return "." in name and name.isascii() and all(part.isidentifier() for part in name.split("."))


def point_of(step: Step) -> tuple[int, int] | None:
    """Where an event at a point happened; None if it was made by its widget's name and nobody saw where that was."""
    match step.event:
        case Tap(x, y, selector) | LongPress(x, y, selector) | DoubleTap(x, y, selector):
            return field_of(step) if selector is not None and (x, y) == (0, 0) else (x, y)
        case Pinch(x, y):
            return field_of(step) if step.event.selector is not None and (x, y) == (0, 0) else (x, y)
    return None


def field_of(step: Step) -> tuple[int, int] | None:
    """The middle of the field that a text is typed into, as far as the step's screen shows it."""
    selector: Selector | None = getattr(step.event, "selector", None)
    located = step.before.find(selector) if selector is not None and step.before.is_seen else None
    return located.widget.bounds.centre if located is not None else None


def deletes_for(step: Step) -> int | None:
    """How often Delete empties the field that a text replaces; None if it is not known."""
    event = step.event
    if not isinstance(event, Text) or not event.replace:
        return 0
    located = step.before.find(event.selector) if event.selector is not None and step.before.is_seen else None
    if located is None:
        return None
    length = len(located.widget.text or "")
    return length if length <= MOST_DELETES else None


def typed(text: str) -> str | None:
    """The argument of Android's `input text` that types this; None if it cannot be typed so.

    `input` presses the keys of a virtual keyboard, which has only ASCII, and takes `%s` for a space.
    """
    if not text or "%s" in text or not all(" " <= char <= "~" for char in text):
        return None
    return text.replace(" ", "%s")
