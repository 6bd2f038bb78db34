"""Combines single down, move and up events into taps, long presses, swipes and pinches."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TypeAlias

from fewtaps.model.event import Event, LongPress, Pinch, Selector, Swipe, Tap

Point: TypeAlias = tuple[float, float]

DOWN, UP, MOVE, CANCEL, POINTER_DOWN, POINTER_UP = 0, 1, 2, 3, 5, 6
"""Android's action codes of MotionEvent."""

SLOP_PX = 16
"""A finger that moves at most this far counts as resting: Android's 8 dp at 320 dpi."""

LONG_PRESS_MS = 500
AT_ONCE_MS = 16
"""Duration of a drag without times: Monkey sends its points without pauses, fast enough for a fling."""


def pixel(value: float) -> int:
    """A coordinate as a whole number; negative ones become 0, the edge of the screen."""
    return max(0, min(int(value), (1 << 31) - 1))


def swipe(start: Point, end: Point, duration_ms: int, hold_ms: int = 0, selector: Selector | None = None) -> Swipe:
    (x1, y1), (x2, y2) = start, end
    return Swipe(pixel(x1), pixel(y1), pixel(x2), pixel(y2), duration_ms, hold_ms, selector)


class Fingers:
    """Recognises one gesture at a time. Events without times never become long presses.

    A touch that is lifted at another point without a move in between is a tap where it began, as in Android's views.
    """

    def __init__(self, add_loss: Callable[[str], None]) -> None:
        self._add_loss = add_loss
        self._first: dict[int, Point] = {}
        self._last: dict[int, Point] = {}
        self._down_at: int | None = None
        self._moved_at: int | None = None
        self._farthest: Point | None = None

    @property
    def are_down(self) -> bool:
        """Whether a gesture has begun and not ended."""
        return bool(self._first)

    def touch(self, action: int, points: Mapping[int, Point], at_ms: int | None = None) -> Event | None:
        """Takes one motion event; returns the gesture that it ends, else None."""
        if action == DOWN:
            before = self.lift(at_ms) if self.are_down else None
            self._begin(points, at_ms)
            return before
        if action == CANCEL:
            if self.are_down:
                self._add_loss("a touch that was cancelled cannot be said in a trace")
            self._forget()
            return None
        if not self.are_down:
            self._add_loss("a finger moves or is lifted that was never put down")
            return None
        if action == POINTER_DOWN:
            self._join(points)
        elif action in (MOVE, POINTER_UP):
            self._move(points, at_ms)
        elif action == UP:
            return self._gesture(at_ms)
        return None

    def lift(self, at_ms: int | None = None) -> Event | None:
        """Ends the current gesture without an up event."""
        if not self.are_down:
            return None
        self._add_loss("the end of a touch is not recorded; it is taken to be where it was last seen")
        return self._gesture(at_ms)

    def _begin(self, points: Mapping[int, Point], at_ms: int | None) -> None:
        self._first, self._last = dict(points), dict(points)
        self._down_at, self._moved_at, self._farthest = at_ms, None, None

    def _forget(self) -> None:
        self._first, self._last = {}, {}

    def _join(self, points: Mapping[int, Point]) -> None:
        for finger, point in points.items():
            self._first[finger] = self._last[finger] = point

    def _move(self, points: Mapping[int, Point], at_ms: int | None) -> None:
        self._last.update((finger, point) for finger, point in points.items() if finger in self._first)
        start, now = self._one_way()
        distance = math.dist(start, now)
        if distance >= SLOP_PX:
            if self._moved_at is None:
                self._moved_at = at_ms
            if self._farthest is None or distance > math.dist(start, self._farthest):
                self._farthest = now

    def _one_way(self) -> tuple[Point, Point]:
        finger = min(self._first)
        return self._first[finger], self._last[finger]

    def _gesture(self, at_ms: int | None) -> Event:
        if len(self._first) > 1:
            event: Event = self._pinch()
        elif self._farthest is not None:
            event = self._swipe(at_ms)
        else:
            event = self._press(at_ms)
        self._forget()
        return event

    def _press(self, at_ms: int | None) -> Event:
        (x, y), _ = self._one_way()
        held = 0 if self._down_at is None or at_ms is None else at_ms - self._down_at
        return LongPress(pixel(x), pixel(y)) if held >= LONG_PRESS_MS else Tap(pixel(x), pixel(y))

    def _swipe(self, at_ms: int | None) -> Swipe:
        start, end = self._one_way()
        if math.dist(start, end) < SLOP_PX and self._farthest is not None:
            self._add_loss("a finger that goes there and back is said as going there")
            end = self._farthest
        held = _span(self._down_at, self._moved_at)
        hold = held if held >= LONG_PRESS_MS else 0
        duration = _span(self._down_at, at_ms) - hold
        return swipe(start, end, duration if duration > 0 else AT_ONCE_MS, hold)

    def _pinch(self) -> Pinch:
        if len(self._first) > 2:
            self._add_loss("a gesture of more than two fingers is said as a pinch of the first two")
        one, two = sorted(self._first)[:2]
        span, now = math.dist(self._first[one], self._first[two]), math.dist(self._last[one], self._last[two])
        x, y = ((self._first[one][axis] + self._first[two][axis]) / 2 for axis in (0, 1))
        if abs(span - now) < SLOP_PX:
            self._add_loss("two fingers that keep their distance are said as a pinch that goes nowhere")
        return Pinch(pixel(x), pixel(y), from_span=pixel(span), to_span=pixel(now))


def _span(start: int | None, end: int | None) -> int:
    return 0 if start is None or end is None else max(0, min(end - start, (1 << 31) - 1))
