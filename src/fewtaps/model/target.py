"""Which widget of a screen a recorded step means: stricter than `Screen.find`, for steps that have to be the same."""

from __future__ import annotations

from fewtaps.model.event import Selector
from fewtaps.model.screen import Located, Screen, WidgetFlags, selector_of

NAMING_FACTS = frozenset({"id", "text", "description"})
"""The facts of a selector that name a widget; class and path only tell its place."""


def target_of_selector(selector: Selector, screen: Screen) -> Located | None:
    """The widget that a step's selector names; None if there is none.

    As `Screen.find`, but stricter. A widget has to have the id of the selector, if that has one, and of several with
    that id, such as the rows of a list, the text or description of the selector. One that is found by its place alone
    has to be a text box, whose content may be another, or the selector knows neither text nor description: a button
    with another label in the same place is another button.
    """
    located = screen.find(selector)
    if located is None or not (selector.resource_id or selector.text or selector.description):
        return located
    if selector.resource_id and located.widget.resource_id != selector.resource_id:
        return None
    if located.widget.flags & WidgetFlags.EDITABLE:
        return located
    facts = shared_facts(selector, located) & NAMING_FACTS
    if (selector.text or selector.description) and is_shared_id(selector.resource_id, screen):
        facts -= {"id"}
    return located if facts else None


def shared_facts(selector: Selector, located: Located) -> frozenset[str]:
    """In which of id, text, description, and class with path a widget is what the selector says."""
    widget = located.widget
    facts = {
        "id": bool(selector.resource_id) and widget.resource_id == selector.resource_id,
        "text": bool(selector.text) and widget.shown_text == selector.text,
        "description": bool(selector.description) and widget.description == selector.description,
        "class with path": bool(selector.class_name and selector.path)
        and (widget.class_name, located.path) == (selector.class_name, selector.path),
    }
    return frozenset(name for name, fits in facts.items() if fits)


def is_shared_id(resource_id: str | None, screen: Screen) -> bool:
    """Whether several widgets of the screen have the id."""
    return bool(resource_id) and sum(widget.resource_id == resource_id for widget in screen.iter_widgets()) > 1


def selector_anew(selector: Selector, located: Located) -> Selector:
    """The fields that the selector has, as they are of this widget."""
    seen = selector_of(located)
    return Selector(
        resource_id=seen.resource_id if selector.resource_id else None,
        class_name=seen.class_name if selector.class_name else None,
        text=seen.text if selector.text else None,
        description=seen.description if selector.description else None,
        path=seen.path if selector.path else (),
    )
