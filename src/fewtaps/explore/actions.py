"""Action: something a user could sensibly do on a screen.

An action is not yet an event: which text is typed, and which point of a drawing is tapped, is left to chance and
decided by `event_of`. An action has two names. Its `key` says what kind of thing it is done to, so that tries can be
counted across states: all rows of a list but the first few share one. Its `name` tells the rows apart, by what is
written on them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from fewtaps.model.screen import Bounds, Located


class Kind(Enum):
    """What is done, to a widget or to the phone."""

    # Each is there once. The hash that enumerations have by default is slow, and this is a key wherever actions are.
    __hash__ = object.__hash__

    TAP = "tap"
    LONG_PRESS = "long press"
    DOUBLE_TAP = "double tap"
    TEXT = "text"
    SCROLL = "scroll"
    SLIDE = "slide"
    """A touch somewhere on a bar whose places mean different values."""
    POINT = "point"
    """A touch somewhere inside a view that draws its own content, or anywhere on the screen."""
    STROKE = "stroke"
    """A finger drawn across such a view, or across a row that may be swiped away."""
    PINCH = "pinch"
    EDGE = "edge"
    """A finger from the edge of the screen inwards, which opens drawers."""
    BACK = "back"
    MENU = "menu"
    ENTER = "enter"
    KEY = "key"
    ROTATE = "rotate"
    HOME = "home"
    WAIT = "wait"


WEIGHTS: dict[Kind, float] = {
    Kind.TAP: 1.0,
    Kind.LONG_PRESS: 0.25,
    Kind.DOUBLE_TAP: 0.04,
    Kind.TEXT: 0.5,
    Kind.SCROLL: 0.6,
    Kind.SLIDE: 0.6,
    Kind.POINT: 0.6,
    Kind.STROKE: 0.2,
    Kind.PINCH: 0.1,
    Kind.EDGE: 0.2,
    Kind.BACK: 0.6,
    Kind.MENU: 0.3,
    Kind.ENTER: 0.3,
    Kind.KEY: 0.05,
    Kind.ROTATE: 0.15,
    Kind.HOME: 0.08,
    Kind.WAIT: 0.15,
}
"""How often a user does such a thing, next to a tap on one widget: most of what apps do is asked for by taps, and what
concerns the whole phone would drown the widgets of small screens if it were as likely as they are."""


@dataclass(frozen=True, slots=True)
class Action:
    """Something a user could do now. `argument` is a direction, a class of values, a key; `area` where it happens."""

    kind: Kind
    key: str
    name: str
    argument: str = ""
    located: Located | None = None
    area: Bounds = Bounds(0, 0, 0, 0)
    weight: float = 1.0
    """How sensible it is among others of its kind."""

    @property
    def chance(self) -> float:
        """How often a user who knows nothing of the app would choose it, relative to others."""
        return WEIGHTS[self.kind] * self.weight
