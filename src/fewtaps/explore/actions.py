"""What a user could sensibly do on a screen: a list of actions, each with names that are the same wherever it is met.

An action is not yet an event: which text is typed, and which point of a drawing is tapped, is left to chance and
decided by `event_of`. An action has two names. Its `key` says what kind of thing it is done to, so that tries can be
counted across states: all rows of a list but the first few share one. Its `name` tells the rows apart, by what is
written on them.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from itertools import islice
from random import Random

from fewtaps.explore.texts import Texts, ValueClass, class_of, text_kind
from fewtaps.model.event import (
    DoubleTap,
    Event,
    Key,
    LongPress,
    Pinch,
    Rotate,
    Swipe,
    Tap,
    Text,
    Wait,
)
from fewtaps.model.screen import Bounds, Located, Screen, Widget, WidgetFlags, Window, WindowKind, selector_of


class Kind(Enum):
    """What is done, to a widget or to the phone."""

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

MOST_TARGETS = 120
"""So many widgets of a screen get actions; of more, an evenly spread part: nobody looks at a thousand rows either."""
MOST_WIDGETS = 20_000
MOST_FIELDS = 12
FIRST_ROWS = 3
"""The first rows of a list have keys of their own: headers and pinned entries stand there. The others share one."""
SHORT_WAIT_MS, LONG_WAIT_MS, VERY_LONG_WAIT_MS = 3_000, 20_000, 300_000
OTHER_KEYS = (
    "VOLUME_UP",
    "VOLUME_DOWN",
    "SEARCH",
    "DPAD_DOWN",
    "DPAD_CENTER",
    "TAB",
    "DEL",
    "CAMERA",
    "MEDIA_PLAY_PAUSE",
)


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


def actions_on(screen: Screen) -> tuple[Action, ...]:
    """Everything a user could sensibly do on the screen; what needs no widget comes last."""
    number = screen.touch_window
    actions: list[Action] = []
    if number is not None:
        where = _where(screen, screen.windows[number])
        spots = _spread([spot for spot in _spots(screen, number) if _is_interesting(spot, screen)])
        actions.extend(action for spot in spots for action in _on_widget(spot, screen, where))
        actions.extend(_on_phone(screen, where))
    else:
        actions.extend(_on_phone(screen, _where(screen, None), touchable=False))
    return _told_apart(actions)


def event_of(action: Action, screen: Screen, random: Random, texts: Texts) -> Event:
    """The action as an event; chance decides the text, the point or the length that it leaves open."""
    located, area = action.located, action.area
    selector = selector_of(located) if located else None
    match action.kind:
        case Kind.TAP | Kind.SLIDE | Kind.POINT:
            x, y = area.centre if action.kind is Kind.TAP else _point(area, random)
            return Tap(x, y, selector)
        case Kind.LONG_PRESS:
            return LongPress(*area.centre, selector)
        case Kind.DOUBLE_TAP:
            return DoubleTap(*area.centre, selector)
        case Kind.TEXT:
            assert located is not None
            value = texts.draw(located.widget, ValueClass(action.argument), screen, random)
            return Text(value, replace=True, selector=selector)
        case Kind.SCROLL:
            return replace(_swipe(area, action.argument, random), selector=selector)
        case Kind.EDGE:
            return replace(_from_edge(area, action.argument, random), selector=selector)
        case Kind.STROKE:
            return replace(_stroke(area, action.argument, random), selector=selector)
        case Kind.PINCH:
            spans = (40, max(80, min(area.width, area.height) - 40))
            spans = spans if random.random() < 0.5 else (spans[1], spans[0])
            return Pinch(*area.centre, *spans, selector)
        case Kind.ROTATE:
            return Rotate("landscape" if screen.rotation % 2 == 0 else "portrait")
        case Kind.WAIT:
            return Wait(int(action.argument))
        case Kind.KEY:
            return Key(random.choice(OTHER_KEYS))
        case _:
            return Key(action.argument)


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
    kinds = {f"{_own_name(widget)}{_look(widget)}" for widget in _walk(root)}
    said = "\n".join((circumstances, *sorted({action.key for action in actions}), *sorted(kinds)))
    return hashlib.blake2b(said.encode(errors="surrogatepass"), digest_size=8).hexdigest()


def _look(widget: Widget) -> str:
    """Whether it is on, and what kind of text it shows."""
    on = "+" if widget.flags & _ON else ""
    if widget.text or (not widget.children and widget.class_name.endswith("TextView")):
        return f"{on}={text_kind(widget.text)}"
    return on


def _walk(root: Widget | None) -> Iterator[Widget]:
    """The widgets of a window, parents before children, as many as are looked at."""
    stack = [root] if root is not None else []
    for _ in range(MOST_WIDGETS):
        if not stack:
            return
        widget = stack.pop()
        yield widget
        stack.extend(reversed(widget.children))


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


@dataclass(slots=True)
class _Spot:
    """A widget with what its surroundings say of it."""

    widget: Widget
    path: tuple[int, ...]
    holds_menu: bool
    """Whether something around it takes long presses: a list with context menus does so for its rows."""
    row: str | None
    """The name of the list around it and the number of its row there."""


# Letters of the flags as plain numbers: operations on IntFlag are slow, and this runs for every widget of every screen.
_TARGET = int(WidgetFlags.CLICKABLE | WidgetFlags.LONG_CLICKABLE | WidgetFlags.CHECKABLE)
_LONG = int(WidgetFlags.LONG_CLICKABLE)
_ENABLED = int(WidgetFlags.ENABLED)
_EDITABLE = int(WidgetFlags.EDITABLE)
_SCROLLABLE = int(WidgetFlags.SCROLLABLE)
_WEB = int(WidgetFlags.WEB)
_ON = int(WidgetFlags.CHECKED | WidgetFlags.SELECTED)

_LISTS = re.compile(r"List|Grid|Recycler|Gallery|Spinner|StackView")
_SIDEWAYS = re.compile(r"Horizontal|Pager|Gallery")
_UPRIGHT = re.compile(r"ScrollView|ListView|GridView|NumberPicker")
_PULLED = re.compile(r"SwipeRefresh|PullTo")
_SLIDERS = re.compile(r"SeekBar|RatingBar|Slider")
_OWN_DRAWING = re.compile(r"SurfaceView|TextureView|Compose|MapView|Canvas")
_FRAMEWORK = ("android.", "androidx.", "com.android.internal.", "com.google.android.material.")


def _spots(screen: Screen, number: int) -> Iterator[_Spot]:
    """Every widget of the window, parents before children."""
    root = screen.windows[number].root
    stack = [_Spot(root, (number,), False, None)]
    for _ in range(MOST_WIDGETS):
        if not stack:
            return
        spot = stack.pop()
        yield spot
        widget = spot.widget
        menu = spot.holds_menu or (bool(widget.flags & _LONG) and bool(widget.children))
        is_list = bool(_LISTS.search(widget.class_name)) or _is_row_of_equals(widget)
        for index in range(len(widget.children) - 1, -1, -1):
            row = f"{spot.row or ''}{_own_name(widget)}[{min(index, FIRST_ROWS)}]" if is_list else spot.row
            stack.append(_Spot(widget.children[index], (*spot.path, index), menu, row))


def _is_row_of_equals(widget: Widget) -> bool:
    """Whether its children are so many of a kind that it is a list, whatever its class is called."""
    children = widget.children
    if len(children) < 5:
        return False
    first = children[0]
    return all(each.class_name == first.class_name and each.resource_id == first.resource_id for each in children)


def _is_full_list(widget: Widget) -> bool:
    """Whether touches are meant for its rows: lists say they can be tapped, and nothing happens beside the rows."""
    return bool(_LISTS.search(widget.class_name)) and any(child.is_target for child in widget.children)


def _is_interesting(spot: _Spot, screen: Screen) -> bool:
    flags = int(spot.widget.flags)
    if not flags & _ENABLED:
        return False
    return bool(flags & (_TARGET | _EDITABLE | _SCROLLABLE | _WEB)) or bool(_gestures(spot.widget, screen))


def _gestures(widget: Widget, screen: Screen) -> str:
    """What the class of a widget says about it, beyond its flags: "draws", "slides", "pulls", "drawer" or nothing."""
    name = widget.class_name
    if _SLIDERS.search(name):
        return "slides"
    if _PULLED.search(name):
        return "pulls"
    if "Drawer" in name and widget.children:
        return "drawer"
    own = bool(_OWN_DRAWING.search(name)) or bool(widget.flags & _WEB) or not name.startswith(_FRAMEWORK)
    large = 12 * widget.bounds.width * widget.bounds.height >= screen.width * screen.height
    return "draws" if own and large and not widget.children and not widget.text else ""


def _spread(spots: list[_Spot]) -> list[_Spot]:
    if len(spots) <= MOST_TARGETS:
        return spots
    step = len(spots) / MOST_TARGETS
    return [spots[int(number * step)] for number in range(MOST_TARGETS)]


def _on_widget(spot: _Spot, screen: Screen, where: str) -> Iterator[Action]:
    widget, flags = spot.widget, int(spot.widget.flags)
    located = Located(widget, spot.path)
    key, name = _names(spot, where)
    area = _visible(widget.bounds, screen)
    if area.width <= 0 or area.height <= 0:
        return

    def make(kind: Kind, argument: str = "", *, weight: float = 1.0, at: Bounds = area) -> Action:
        said = f"{kind.value} {argument} " if argument else f"{kind.value} "
        return Action(kind, said + key, said + name, argument, located, at, weight)

    is_field = bool(flags & _EDITABLE)
    if is_field:
        for value_class, weight in _VALUE_WEIGHTS:
            yield make(Kind.TEXT, value_class.value, weight=weight)
    gestures = _gestures(widget, screen)
    spot_at = _reachable(located, area, screen) if flags & _TARGET and not _is_full_list(widget) else None
    if spot_at is not None:
        # Typing taps the field anyway; a tap alone matters where it opens something else than a keyboard.
        plain = not is_field or widget.input_type == 0
        yield make(Kind.TAP, weight=1.0 if plain else 0.15, at=spot_at)
        if flags & _LONG or spot.holds_menu:
            yield make(Kind.LONG_PRESS, weight=0.2 if is_field else 1.0, at=spot_at)
        if plain:
            yield make(Kind.DOUBLE_TAP, at=spot_at)
        if spot.row is not None and spot.row.endswith("]") and area.width > area.height * 2:
            yield make(Kind.STROKE, "across", weight=0.3)
    if flags & _SCROLLABLE or gestures == "pulls" or "NumberPicker" in widget.class_name:
        for direction, weight in _directions(widget, gestures):
            yield make(Kind.SCROLL, direction, weight=weight)
    if gestures == "slides":
        yield make(Kind.SLIDE)
        yield make(Kind.STROKE, "across")
    if gestures == "drawer":
        yield make(Kind.EDGE, "right", weight=2.0)
        yield make(Kind.EDGE, "left", weight=0.3)
    if gestures == "draws":
        # A drawing has no widgets to choose from, so several touches stand for those it may contain.
        yield make(Kind.POINT, weight=4.0)
        yield make(Kind.LONG_PRESS, weight=0.5)
        yield make(Kind.STROKE, "anyhow", weight=3.0)
        yield make(Kind.PINCH)


_VALUE_WEIGHTS = (
    (ValueClass.FITTING, 1.0),
    (ValueClass.SEEN, 0.5),
    (ValueClass.LIMIT, 0.5),
)


def _directions(widget: Widget, gestures: str) -> tuple[tuple[str, float], ...]:
    """The ways a finger moves on it, forward first; going back is less often of use."""
    upright, sideways = (("up", 1.0), ("down", 0.4)), (("left", 1.0), ("right", 0.4))
    if gestures == "pulls":
        return (("down", 1.0),)
    if _SIDEWAYS.search(widget.class_name):
        return sideways
    if _UPRIGHT.search(widget.class_name):
        return upright
    if "Recycler" in widget.class_name:
        return sideways if widget.bounds.width > 2 * widget.bounds.height else upright
    return (*upright, ("left", 0.4), ("right", 0.2))


def _on_phone(screen: Screen, where: str, *, touchable: bool = True) -> Iterator[Action]:
    """What can be done whatever is shown; counted per activity and dialog."""
    whole = Bounds(0, 0, screen.width, screen.height)

    def make(kind: Kind, argument: str = "", *, weight: float = 1.0) -> Action:
        # One key for all of the app: whether it minds such things is soon known.
        said = f"{kind.value} {argument} " if argument else f"{kind.value} "
        return Action(kind, said, said + where, argument, None, whole, weight)

    yield make(Kind.BACK, "BACK")
    yield make(Kind.MENU, "MENU")
    if screen.keyboard:
        yield make(Kind.ENTER, "ENTER")
    yield make(Kind.KEY)
    # People turn it back.
    yield make(Kind.ROTATE, weight=1.0 if screen.rotation % 2 == 0 else 4.0)
    yield make(Kind.HOME, "HOME")
    yield make(Kind.WAIT, str(SHORT_WAIT_MS))
    yield make(Kind.WAIT, str(LONG_WAIT_MS), weight=0.4)
    yield make(Kind.WAIT, str(VERY_LONG_WAIT_MS), weight=0.1)
    if touchable and screen.width > 0 and screen.height > 0:
        # Some views take touches without saying so.
        yield make(Kind.POINT, "anywhere", weight=0.2)
        yield make(Kind.EDGE, "right", weight=0.15)


def _told_apart(actions: list[Action]) -> tuple[Action, ...]:
    """Gives actions of one name a number each: two buttons without id and text are still two."""
    counts = Counter(action.name for action in actions)
    if max(counts.values(), default=0) <= 1:
        return tuple(actions)
    met: Counter[str] = Counter()
    told: list[Action] = []
    for action in actions:
        met[action.name] += 1
        if counts[action.name] > 1:
            name = f"{action.name} #{met[action.name]}"
            action = replace(action, name=name)
        told.append(action)
    return tuple(told)


def _where(screen: Screen, window: Window | None) -> str:
    """The activity and, for what stands in front of it, the first words there: an activity may have many dialogs."""
    activity = (screen.activity or screen.package).rpartition(".")[2]
    if window is None or window.kind is WindowKind.ACTIVITY:
        return activity
    return f"{activity}/{window.kind.value}({_shape(_first_words(window.root))})"


def _first_words(root: Widget) -> str:
    return next((widget.text for widget in _walk(root) if widget.text and not widget.flags & _EDITABLE), "")


def _names(spot: _Spot, where: str) -> tuple[str, str]:
    """The key and the name of a widget: who it is on whichever screen, and which one of several alike."""
    own = _own_name(spot.widget)
    identified = bool(spot.widget.resource_id) and not (spot.widget.resource_id or "").startswith("android:")
    # What a field contains is not who it is.
    text = (spot.widget.hint if spot.widget.flags & _EDITABLE else spot.widget.label) or ""
    if spot.row is not None:
        return f"{where}:{spot.row}{own}", f"{where}:{spot.row}{own}={text[:60]}"
    if identified:
        return f"{where}:{own}", f"{where}:{own}"
    return f"{where}:{own}={_shape(text)}", f"{where}:{own}={text[:60]}"


def _own_name(widget: Widget) -> str:
    return (widget.resource_id or "").rpartition("/")[2] or widget.class_name.rpartition(".")[2]


def _shape(text: str) -> str:
    """A text without what changes in it from time to time."""
    return re.sub(r"\d+", "#", text[:40])


def _visible(bounds: Bounds, screen: Screen) -> Bounds:
    return Bounds(
        max(bounds.left, 0),
        max(bounds.top, 0),
        min(bounds.right, screen.width or bounds.right),
        min(bounds.bottom, screen.height or bounds.bottom),
    )


def _reachable(located: Located, area: Bounds, screen: Screen) -> Bounds | None:
    """A small piece of the widget that nothing else lies upon; None if a touch on it would always hit another."""
    for across, down in ((2, 2), (1, 2), (3, 2), (2, 1), (2, 3)):
        x, y = area.left + area.width * across // 4, area.top + area.height * down // 4
        hit = screen.target_at(x, y)
        if hit is not None and hit.path == located.path:
            return Bounds(x, y, x + 1, y + 1)
    return None


def _point(area: Bounds, random: Random) -> tuple[int, int]:
    return random.randrange(area.left, area.right), random.randrange(area.top, area.bottom)


def _swipe(area: Bounds, direction: str, random: Random) -> Swipe:
    """A swipe over most of the area."""
    across, down = area.width * 3 // 10, area.height * 3 // 10
    x, y = area.centre
    # Not always through the middle: a list may have something else there.
    wobble = random.uniform(-0.2, 0.2)
    if direction in ("up", "down"):
        x += int(area.width * wobble)
        ends = (y + down, y - down) if direction == "up" else (y - down, y + down)
        return Swipe(x, ends[0], x, ends[1])
    y += int(area.height * wobble)
    ends = (x + across, x - across) if direction == "left" else (x - across, x + across)
    return Swipe(ends[0], y, ends[1], y)


def _from_edge(area: Bounds, direction: str, random: Random) -> Swipe:
    y = area.top + int(area.height * random.uniform(0.3, 0.7))
    far = area.width * 7 // 10
    if direction == "right":
        return Swipe(area.left + 1, y, area.left + far, y)
    return Swipe(area.right - 2, y, area.right - far, y)


def _stroke(area: Bounds, how: str, random: Random) -> Swipe:
    if how == "across":
        y = area.centre[1]
        ends = [area.left + area.width // 10, area.right - 1 - area.width // 10]
        random.shuffle(ends)
        return Swipe(ends[0], y, ends[1], y)
    hold = 700 if random.random() < 0.3 else 0
    return Swipe(*_point(area, random), *_point(area, random), hold_ms=hold)
