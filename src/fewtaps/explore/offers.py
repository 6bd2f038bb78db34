"""What screens offer: their actions, in which circumstances, and which of them an event came of."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from itertools import islice
from sys import intern

from fewtaps.explore.actions import Action, Kind
from fewtaps.explore.buttons import is_button
from fewtaps.explore.hints import kinds_asked_for, lines_told, sequences_told
from fewtaps.explore.naming import own_name, walk, where_on
from fewtaps.explore.scores import Offer
from fewtaps.explore.targets import actions_on
from fewtaps.explore.texts import ValueClass, class_of, text_kind
from fewtaps.model.event import DoubleTap, Event, Key, LongPress, Pinch, Rotate, Swipe, Tap, Text, Wait
from fewtaps.model.screen import Screen, Widget, WidgetFlags, Window, WindowKind

MOST_FIELDS = 12
LEAST_CHANCE = 0.1
"""What users do more rarely is no reason to go somewhere."""
TURNED = 0.25
"""Most of what can be done with a turned phone can be done with an upright one, and was."""
_ON = int(WidgetFlags.CHECKED | WidgetFlags.SELECTED)


class Offers:
    """The actions of one screen, found by their names or by the events that come of them.

    `circumstances` are what the state of a screen leaves out and what may still matter to what an action does: how the
    phone is held, and what kind of text each field holds. `shape` is the same for all screens that offer the same in
    the same circumstances and show the same kinds of texts: two pages of a book, but not a full and an empty shelf;
    only how the phone is held makes no difference to it.
    `where` names the activity, and what stands in front of it.
    """

    __slots__ = (
        *("_asked", "_by_name", "_by_target", "_promising", "_screen"),
        *("actions", "circumstances", "offers", "shape", "taps", "texts", "where"),
    )

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self.actions = actions = actions_on(screen)
        self.circumstances = _circumstances(screen, actions)
        self.shape = _shape_of(screen, actions, self.circumstances.removeprefix("~"))
        self.where = where_on(screen, _window(screen))
        self.taps = tuple(action for action in actions if action.kind is Kind.TAP)
        self.texts = tuple(action for action in actions if action.kind is Kind.TEXT)
        # Interned, because thousands of places offer the same actions.
        self.offers = tuple(
            Offer(intern(each.name), intern(each.key), each.chance, each.kind is Kind.TAP and is_button(each))
            for each in actions
        )
        self._promising: tuple[Offer, ...] | None = None
        self._asked: tuple[tuple[str, ...], ...] | None = None
        self._by_name: dict[str, Action] | None = None
        self._by_target: dict[tuple[Kind, object, str], Action] | None = None

    # Whatever is found out late is assigned when complete: several threads may ask at once.

    @property
    def promising(self) -> tuple[Offer, ...]:
        """What may be a reason to come here."""
        if self._promising is None:
            factor = 1.0 if self._screen.rotation % 2 == 0 else TURNED
            self._promising = tuple(
                each._replace(chance=each.chance * factor) for each in self.offers if each.chance >= LEAST_CHANCE
            )
        return self._promising

    @property
    def asked(self) -> tuple[tuple[str, ...], ...]:
        """The names of actions that the texts on the screen speak of, several where they tell a sequence."""
        if self._asked is None:
            lines = lines_told(self._screen, in_front=True)
            labels: dict[str, str] = {}
            for tap in self.taps:
                label = tap.located.widget.label if tap.located else None
                if label and len(label) <= 40:
                    labels.setdefault(label.lower(), tap.name)
            kinds = kinds_asked_for(lines)
            single = ((each.name,) for each in self.actions if each.kind in kinds)
            self._asked = (*sequences_told(lines, labels), *single)
        return self._asked

    def named(self, name: str) -> Action | None:
        """The action of this name, if the screen offers it."""
        if self._by_name is None:
            self._by_name = {action.name: action for action in self.actions}
        return self._by_name.get(name)

    def of(self, event: Event) -> Action | None:
        """The action that the event came of; None if it is of another origin."""
        if self._by_target is None:
            self._by_target = {_target(action): action for action in reversed(self.actions)}
        selector = getattr(event, "selector", None)
        path = selector.path if selector else None
        for kind, argument in _origins(event, self._screen):
            found = self._by_target.get((kind, path, argument))
            if found is not None:
                return found
        return None

    def is_left_for(self, after: Offers) -> bool:
        """Whether `after` is behind this: another activity, or other fields, or the activity if this is a dialog."""
        if self._screen.activity != after._screen.activity:
            return True
        if self.texts and not {each.name for each in self.texts} & {each.name for each in after.texts}:
            return True
        return _is_in_front(_window(self._screen)) and not _is_in_front(_window(after._screen))


def _window(screen: Screen) -> Window | None:
    number = screen.touch_window
    return screen.windows[number] if number is not None else None


def _is_in_front(window: Window | None) -> bool:
    return window is not None and window.kind is not WindowKind.ACTIVITY


def _target(action: Action) -> tuple[Kind, object, str]:
    return action.kind, action.located.path if action.located else None, action.argument


class Repertoire:
    """What screens offer, remembered for the screens seen last: the same screen comes back often."""

    def __init__(self, remembered: int = 256) -> None:
        self._remembered = remembered
        self._known: dict[int, Offers] = {}
        self._promising: dict[tuple[Offer, ...], tuple[Offer, ...]] = {}

    def __getstate__(self) -> dict[str, object]:
        """Without the cache: its keys hold in one process only."""
        return {"_remembered": self._remembered, "_known": {}, "_promising": {}}

    def __call__(self, screen: Screen) -> Offers:
        """The actions of the screen, always the same and in the same order."""
        # By its look, which is known of most screens already: equal screens need not be the same object.
        look = screen.look()
        offers = self._known.get(look)
        if offers is None:
            if len(self._known) >= self._remembered:
                self._known.clear()
            offers = self._known[look] = Offers(screen)
        return offers

    def promising(self, screen: Screen) -> tuple[Offer, ...]:
        """What may be a reason to go to the screen, the same object for most screens that offer the same.

        Thousands of places keep it, and most of them differ in what they say, not in what can be done there.
        """
        found = self(screen).promising
        if len(self._promising) >= self._remembered:
            self._promising.clear()
        return self._promising.setdefault(found, found)


def _circumstances(screen: Screen, actions: tuple[Action, ...]) -> str:
    fields = (
        text_kind(action.located.widget.text)
        for action in actions
        if action.argument == ValueClass.FITTING.value and action.located is not None
    )
    return ("~" if screen.rotation % 2 else "") + "".join(islice(fields, MOST_FIELDS))


def _shape_of(screen: Screen, actions: tuple[Action, ...], circumstances: str) -> str:
    window = _window(screen)
    kinds = {f"{own_name(widget)}{_look(widget)}" for widget in walk(window.root if window else None)}
    said = "\n".join((circumstances, *sorted({action.key for action in actions}), *sorted(kinds)))
    return hashlib.blake2b(said.encode(errors="surrogatepass"), digest_size=8).hexdigest()


def _look(widget: Widget) -> str:
    """Whether it is on, and what kind of text it shows."""
    on = "+" if int(widget.flags) & _ON else ""
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
