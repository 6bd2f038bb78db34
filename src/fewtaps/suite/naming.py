"""Names a test by what it does: the labels or ids of the widgets that its steps touch."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence

from fewtaps.model.event import AimedEvent, Event, Key, Launch, Rotate, Selector, StartIntent, SystemEvent, Text
from fewtaps.model.trace import Trace

MOST_PARTS = 4
"""Steps at most whose words are in a name: the first, and the last ones."""
LONGEST_PART = 20
"""Characters at most of the words of one step."""
NOTHING_DONE = "launch"
"""The name of a test that does no more than start the app."""

_OTHERS = re.compile(r"[^a-z0-9]+")


def name_test(trace: Trace, taken: Collection[str] = ()) -> str:
    """A name of lower-case letters, digits and hyphens that is none of those taken.

    It depends on the test's own steps; a number is added only if the name is taken.
    """
    parts = _chosen(list(dict.fromkeys(_words(trace.events))))
    if trace.ending.is_final or any(step.expect is not None and step.expect.crash for step in trace.steps):
        parts.append("crash")
    name = "-".join(parts) or NOTHING_DONE
    unique, number = name, 2
    known = {each.casefold() for each in taken}
    while unique in known:
        unique, number = f"{name}-{number}", number + 1
    return unique


def _chosen(parts: Sequence[str]) -> list[str]:
    return [*parts[:1], *parts[max(1, len(parts) - MOST_PARTS + 1) :]]


def _words(events: Sequence[Event]) -> Iterator[str]:
    """Words for each step that has some. Keys and system events are named only in tests that touch nothing."""
    touched = [words for event in events if (words := _touched(event))]
    return iter(touched or [words for event in events if (words := _slug(_other(event)))])


def _touched(event: Event) -> str:
    if isinstance(event, Rotate):
        return "rotate"
    if not isinstance(event, AimedEvent) or event.selector is None:
        return ""
    selector = event.selector
    identifier = (selector.resource_id or "").rpartition("/")[2]
    # The content of a text box is what was typed before: its id says what it is.
    names = (identifier, selector.description, selector.text) if isinstance(event, Text) else _label_first(selector)
    class_name = re.split(r"[.$]", selector.class_name or "")[-1]
    return next((slug for name in (*names, class_name) if name and (slug := _slug(name))), "")


def _label_first(selector: Selector) -> tuple[str | None, ...]:
    identifier = (selector.resource_id or "").rpartition("/")[2]
    return selector.text, selector.description, identifier


def _other(event: Event) -> str:
    match event:
        case Launch():
            return ""
        case Key(name=name) | SystemEvent(name=name):
            return name
        case StartIntent(action=action, component=component):
            return (action or component or "").rpartition(".")[2]
    return event.kind


def _slug(text: str) -> str:
    """The text in lower-case ASCII letters, digits and hyphens; empty if none of it can be written so."""
    plain = unicodedata.normalize("NFKD", text[:200]).encode("ascii", "ignore").decode()
    words = _OTHERS.sub("-", plain.lower()).strip("-")
    if len(words) <= LONGEST_PART:
        return words
    whole, _, _ = words[: LONGEST_PART + 1].rpartition("-")
    return whole or words[:LONGEST_PART]
