"""The gestures of Appium's `mobile:` commands."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from fewtaps.adbd.acting import point_event
from fewtaps.adbd.appium.elements import KEY, WebDriverError
from fewtaps.adbd.phone import ServedPhone
from fewtaps.formats.touches import LONG_PRESS_MS, pixel
from fewtaps.model.event import DoubleTap, LongPress, Pinch, Swipe, Tap
from fewtaps.model.screen import Bounds

HOLD_MS = 600
"""How long a finger rests before it drags."""
_WAYS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
_SPEEDS = {"swipe": 2500, "scroll": 2500, "fling": 7500, "drag": 2500}
"""Pixels in a second at 160 dpi, unless the client says how many."""

FindBounds = Callable[[str], Bounds]
Body = dict[str, Any]


def gesture(phone: ServedPhone, name: str, body: Body, find_bounds: FindBounds) -> bool | None:
    """Carries out a gesture; for a scroll or a fling, whether the list can be moved further. Raises WebDriverError."""
    match name:
        case "click" | "long_click" | "double_click":
            _press(phone, name, _point(body, find_bounds), body)
        case "drag":
            start = _offset(body.get("start"), _origin(body, find_bounds))
            end = _pair(body.get("end"))
            if start is None or end is None:
                raise WebDriverError("invalid argument", "drag: needs a start and an end")
            duration = _duration(phone, name, math.dist(start, end), body)
            phone.perform(Swipe(*start, *end, duration, HOLD_MS))
        case "swipe" | "scroll" | "fling":
            return _swipe(phone, name, body, find_bounds)
        case "pinch_open" | "pinch_close":
            area, part = _area(body, find_bounds), _part(body)
            wide = max(20, int(min(area.width, area.height) * part))
            phone.perform(Pinch(*area.centre, *((20, wide) if name == "pinch_open" else (wide, 20))))
        case _:
            raise WebDriverError("unknown command", f"no gesture {name[:40]} here", 404)
    return None


def _press(phone: ServedPhone, name: str, point: tuple[int, int], body: Body) -> None:
    if name == "double_click":
        phone.perform(DoubleTap(*point))
        return
    held = body.get("duration") if name == "long_click" else None
    is_long = name == "long_click" and not (isinstance(held, int | float) and held < LONG_PRESS_MS)
    phone.perform(point_event(phone, LongPress(*point) if is_long else Tap(*point)))


def _swipe(phone: ServedPhone, name: str, body: Body, find_bounds: FindBounds) -> bool | None:
    way = _WAYS.get(str(body.get("direction", "")).lower())
    if way is None:
        raise WebDriverError("invalid argument", f"{name}: no such direction")
    area, before = _area(body, find_bounds), phone.screen
    # A scroll is named by where the content comes from, a swipe by where the finger goes.
    across, down = way if name == "swipe" else (-way[0], -way[1])
    part = 0.8 if name == "fling" else _part(body) * 0.9
    x, y = area.centre
    reach_x, reach_y = int(across * area.width * part / 2), int(down * area.height * part / 2)
    length = 2 * math.hypot(reach_x, reach_y)
    start, end = (pixel(x - reach_x), pixel(y - reach_y)), (pixel(x + reach_x), pixel(y + reach_y))
    phone.perform(Swipe(*start, *end, _duration(phone, name, length, body)))
    return None if name == "swipe" else phone.is_running and before.windows != phone.screen.windows


def _duration(phone: ServedPhone, name: str, length: float, body: Body) -> int:
    speed = body.get("speed")
    if speed is None:
        speed = _SPEEDS[name] * phone.profile.dpi / 160
    if isinstance(speed, bool) or not isinstance(speed, int | float) or not 0 < speed < math.inf:
        raise WebDriverError("invalid argument", f"{name}: the speed is no number above 0")
    return max(20, min(int(1000 * length / speed), 60_000))


def _part(body: Body) -> float:
    part = body.get("percent", 1.0)
    if isinstance(part, bool) or not isinstance(part, int | float) or not 0 < part <= 1:
        raise WebDriverError("invalid argument", "percent: not between 0 and 1")
    return float(part)


def _origin(body: Body, find_bounds: FindBounds) -> Bounds | None:
    origin = body.get("origin")
    if origin is None:
        return None
    name = (origin.get(KEY) or origin.get("ELEMENT")) if isinstance(origin, dict) else None
    if not isinstance(name, str):
        raise WebDriverError("invalid argument", "origin: no element")
    return find_bounds(name)


def _point(body: Body, find_bounds: FindBounds) -> tuple[int, int]:
    found = _offset(body.get("offset"), _origin(body, find_bounds))
    if found is None:
        raise WebDriverError("invalid argument", "needs an element or a point")
    return found


def _offset(offset: Any, origin: Bounds | None) -> tuple[int, int] | None:
    """A point by its place inside an element or on the screen; the middle of the element without a place."""
    pair = _pair(offset)
    if origin is None:
        return pair
    return origin.centre if pair is None else (origin.left + pair[0], origin.top + pair[1])


def _pair(value: Any) -> tuple[int, int] | None:
    if not isinstance(value, dict):
        return None
    numbers = value.get("x"), value.get("y")
    if not all(isinstance(each, int | float) and math.isfinite(each) for each in numbers):
        raise WebDriverError("invalid argument", "a point without numbers")
    return pixel(float(numbers[0] or 0)), pixel(float(numbers[1] or 0))


def _area(body: Body, find_bounds: FindBounds) -> Bounds:
    origin = _origin(body, find_bounds)
    if origin is not None:
        return origin
    area = body.get("area")
    sides = [area.get(name) for name in ("left", "top", "width", "height")] if isinstance(area, dict) else [None]
    if not all(isinstance(each, int | float) and math.isfinite(each) for each in sides):
        raise WebDriverError("invalid argument", "needs an element or an area")
    left, top, width, height = (pixel(float(each or 0)) for each in sides)
    return Bounds(left, top, left + width, top + height)
