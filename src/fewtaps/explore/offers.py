"""What screens offer: their actions, in which circumstances, and which of them an event came of."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from itertools import islice

from fewtaps.explore.actions import Action, Kind
from fewtaps.explore.naming import own_name, walk
from fewtaps.explore.targets import actions_on
from fewtaps.explore.texts import ValueClass, class_of, text_kind
from fewtaps.model.event import DoubleTap, Event, Key, LongPress, Pinch, Rotate, Swipe, Tap, Text, Wait
from fewtaps.model.screen import Screen, Widget, WidgetFlags

MOST_FIELDS = 12
_ON = int(WidgetFlags.CHECKED | WidgetFlags.SELECTED)


class Offers:
    """The actions of one screen, found by their names or by the events that come of them.

    `circumstances` are what the state of a screen leaves out and what may still matter to what an action does: how the
    phone is held, and what kind of text each field holds. `shape` is the same for all screens that offer the same in
    the same circumstances and show the same kinds of texts: two pages of a book, but not a full and an empty shelf.
    """

    __slots__ = ("_by_name", "_by_target", "actions", "circumstances", "shape")

    def __init__(self, actions: tuple[Action, ...], circumstances: str = "", shape: str = "") -> None:
        self.actions = actions
        self.circumstances = circumstances
        self.shape = shape
        self._by_name: dict[str, Action] | None = None
        self._by_target: dict[tuple[Kind, object, str], Action] | None = None

    @property
    def has_fields(self) -> bool:
        """Whether something can be typed."""
        return any(action.kind is Kind.TEXT for action in self.actions)

    def named(self, name: str) -> Action | None:
        """The action of this name, if the screen offers it."""
        if self._by_name is None:
            self._by_name = {action.name: action for action in self.actions}
        return self._by_name.get(name)

    def of(self, event: Event, screen: Screen) -> Action | None:
        """The action that the event came of; None if it is of another origin."""
        if self._by_target is None:
            # Assigned when complete: several threads may ask at once.
            self._by_target = {_target(action): action for action in reversed(self.actions)}
        selector = getattr(event, "selector", None)
        path = selector.path if selector else None
        for kind, argument in _origins(event, screen):
            found = self._by_target.get((kind, path, argument))
            if found is not None:
                return found
        return None


def _target(action: Action) -> tuple[Kind, object, str]:
    return action.kind, action.located.path if action.located else None, action.argument


class Repertoire:
    """What screens offer, remembered for the screens seen last: the same screen comes back often."""

    def __init__(self, remembered: int = 256) -> None:
        self._remembered = remembered
        self._known: dict[int, tuple[Screen, Offers]] = {}

    def __call__(self, screen: Screen) -> Offers:
        """The actions of the screen, always the same and in the same order."""
        known = self._known.get(id(screen))
        # An id is only as good as the object it belongs to, so the screen is kept beside it.
        if known is not None and known[0] is screen:
            return known[1]
        if len(self._known) >= self._remembered:
            self._known.clear()
        actions = actions_on(screen)
        circumstances = _circumstances(screen, actions)
        offers = Offers(actions, circumstances, _shape_of(screen, actions, circumstances))
        self._known[id(screen)] = (screen, offers)
        return offers


def _circumstances(screen: Screen, actions: tuple[Action, ...]) -> str:
    fields = (
        text_kind(action.located.widget.text)
        for action in actions
        if action.argument == ValueClass.FITTING.value and action.located is not None
    )
    return ("~" if screen.rotation % 2 else "") + "".join(islice(fields, MOST_FIELDS))


def _shape_of(screen: Screen, actions: tuple[Action, ...], circumstances: str) -> str:
    number = screen.touch_window
    root = screen.windows[number].root if number is not None else None
    kinds = {f"{own_name(widget)}{_look(widget)}" for widget in walk(root)}
    said = "\n".join((circumstances, *sorted({action.key for action in actions}), *sorted(kinds)))
    return hashlib.blake2b(said.encode(errors="surrogatepass"), digest_size=8).hexdigest()


def _look(widget: Widget) -> str:
    """Whether it is on, and what kind of text it shows."""
    on = "+" if widget.flags & _ON else ""
    if widget.text or (not widget.children and widget.class_name.endswith("TextView")):
        return f"{on}={text_kind(widget.text)}"
    return on


def _origins(event: Event, screen: Screen) -> Iterator[tuple[Kind, str]]:
    """Kinds and arguments of the actions that an event may have come of, the likeliest first."""
    match event:
        case Tap():
            yield from ((Kind.TAP, ""), (Kind.SLIDE, ""), (Kind.POINT, ""), (Kind.POINT, "anywhere"))
        case LongPress():
            yield Kind.LONG_PRESS, ""
        case DoubleTap():
            yield Kind.DOUBLE_TAP, ""
        case Text():
            yield Kind.TEXT, class_of(event.text).value
        case Swipe():
            direction = _direction(event)
            edge = min(event.x1, screen.width - 1 - event.x1) <= 2
            yield from ((Kind.EDGE, direction),) if edge else ()
            yield from ((Kind.SCROLL, direction), (Kind.STROKE, "across"), (Kind.STROKE, "anyhow"))
        case Pinch():
            yield Kind.PINCH, ""
        case Rotate():
            yield Kind.ROTATE, ""
        case Wait():
            yield Kind.WAIT, str(event.ms)
        case Key():
            kind = _KEY_KINDS.get(event.name, Kind.KEY)
            yield kind, "" if kind is Kind.KEY else event.name


def _direction(swipe: Swipe) -> str:
    across, down = swipe.x2 - swipe.x1, swipe.y2 - swipe.y1
    if abs(across) > abs(down):
        return "right" if across > 0 else "left"
    return "down" if down > 0 else "up"


_KEY_KINDS = {"BACK": Kind.BACK, "MENU": Kind.MENU, "ENTER": Kind.ENTER, "HOME": Kind.HOME}
