"""Action: something a user could sensibly do on a screen.

An action is not yet an event: `event_of` draws the text that is typed and the point that is touched. An action has a
name, which tells it from all others on its screen, and belongs to a group, by which tries are counted across states:
all rows of a list but the first few share one group.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from random import Random
from typing import TypeVar

from fewtaps.explore.ids import ActionGroup, ActionName, FieldId
from fewtaps.model.screen import Bounds, Located


class ActionKind(Enum):
    """What is done, to a widget or to the phone."""

    # The hash of a member's identity: the one that enumerations have by default is slow, and members are keys often.
    __hash__ = object.__hash__

    TAP = "tap"
    LONG_PRESS = "long press"
    DOUBLE_TAP = "double tap"
    TEXT = "text"
    SCROLL = "scroll"
    SLIDE = "slide"
    """A touch at a random point of a bar whose points mean different values."""
    POINT = "point"
    """A touch at a random point of a view that draws its own content, or of the screen."""
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


@dataclass(frozen=True, slots=True)
class Action:
    """Something a user could do now. `argument` is a direction, a class of values or a key; `area` where it happens.

    `chance` is the weight of the action when it is drawn without regard to what was tried.
    """

    kind: ActionKind
    group: ActionGroup
    name: ActionName
    argument: str = ""
    located: Located | None = None
    area: Bounds = Bounds(0, 0, 0, 0)
    chance: float = 1.0
    is_button: bool = False
    """A tap on a widget that is no box, no field, no list and no row of a list."""
    is_box: bool = False
    """Its widget can be ticked or chosen."""
    is_row: bool = False
    """Its widget is a row of a list, or inside one."""
    thing: str | None = None
    """The label of the row, for rows of an activity; entries of menus and dialogs have none."""
    field: FieldId | None = None
    """The field that is typed into."""


Item = TypeVar("Item")


def weighted_choice(items: Sequence[Item], weights: Sequence[float], random: Random) -> Item:
    """One of the items by weight; by chance alone if the weights add up to nothing or are infinite."""
    try:
        return random.choices(items, weights)[0]
    except ValueError:
        return random.choice(items)
