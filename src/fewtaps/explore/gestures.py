"""Makes an event of an action: draws the text, the point and the way of a finger that the action leaves open."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from fewtaps.explore.actions import Action, ActionKind
from fewtaps.explore.frontier_parameters import GESTURE_DEFAULTS, GestureParameters
from fewtaps.explore.texts import Texts, ValueClass
from fewtaps.model.event import DoubleTap, Event, Key, LongPress, Pinch, Rotate, Swipe, Tap, Text, Wait
from fewtaps.model.screen import Bounds, Screen, selector_of

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


def event_of(
    action: Action, screen: Screen, random: Random, texts: Texts, numbers: GestureParameters = GESTURE_DEFAULTS
) -> Event:
    """The action as an event; the text, the point or the length that it leaves open is drawn."""
    located, area = action.located, action.area
    selector = selector_of(located) if located else None
    match action.kind:
        case ActionKind.TAP | ActionKind.SLIDE | ActionKind.POINT:
            x, y = area.centre if action.kind is ActionKind.TAP else _point(area, random)
            return Tap(x, y, selector)
        case ActionKind.LONG_PRESS:
            return LongPress(*area.centre, selector)
        case ActionKind.DOUBLE_TAP:
            return DoubleTap(*area.centre, selector)
        case ActionKind.TEXT:
            assert located is not None
            value = texts.draw(located.widget, ValueClass(action.argument), screen, random)
            return Text(value, replace=True, selector=selector)
        case ActionKind.SCROLL:
            return replace(_swipe(area, action.argument, random, numbers), selector=selector)
        case ActionKind.EDGE:
            return replace(_from_edge(area, action.argument, random, numbers), selector=selector)
        case ActionKind.STROKE:
            return replace(_stroke(area, action.argument, random, numbers), selector=selector)
        case ActionKind.PINCH:
            least = numbers.pinch_least
            spans = (least, max(2 * least, min(area.width, area.height) - least))
            spans = spans if random.random() < numbers.pinch_out else (spans[1], spans[0])
            return Pinch(*area.centre, *spans, selector)
        case ActionKind.ROTATE:
            return Rotate("landscape" if screen.rotation % 2 == 0 else "portrait")
        case ActionKind.WAIT:
            return Wait(int(action.argument))
        case ActionKind.KEY:
            return Key(random.choice(OTHER_KEYS))
        case _:
            return Key(action.argument)


def _point(area: Bounds, random: Random) -> tuple[int, int]:
    return random.randrange(area.left, area.right), random.randrange(area.top, area.bottom)


def _swipe(area: Bounds, direction: str, random: Random, numbers: GestureParameters) -> Swipe:
    """A swipe over most of the area."""
    across, down = area.width * numbers.swipe_tenths // 10, area.height * numbers.swipe_tenths // 10
    x, y = area.centre
    # Not always through the middle: a list may have another widget there.
    wobble = random.uniform(-numbers.wobble, numbers.wobble)
    if direction in ("up", "down"):
        x += int(area.width * wobble)
        ends = (y + down, y - down) if direction == "up" else (y - down, y + down)
        return Swipe(x, ends[0], x, ends[1])
    y += int(area.height * wobble)
    ends = (x + across, x - across) if direction == "left" else (x - across, x + across)
    return Swipe(ends[0], y, ends[1], y)


def _from_edge(area: Bounds, direction: str, random: Random, numbers: GestureParameters) -> Swipe:
    y = area.top + int(area.height * random.uniform(numbers.edge_from, numbers.edge_to))
    far = area.width * numbers.edge_tenths // 10
    if direction == "right":
        return Swipe(area.left + 1, y, area.left + far, y)
    return Swipe(area.right - 2, y, area.right - far, y)


def _stroke(area: Bounds, how: str, random: Random, numbers: GestureParameters) -> Swipe:
    if how == "across":
        y = area.centre[1]
        margin = area.width * numbers.stroke_margin_tenths // 10
        ends = [area.left + margin, area.right - 1 - margin]
        random.shuffle(ends)
        return Swipe(ends[0], y, ends[1], y)
    hold = numbers.hold_ms if random.random() < numbers.hold else 0
    return Swipe(*_point(area, random), *_point(area, random), hold_ms=hold)
