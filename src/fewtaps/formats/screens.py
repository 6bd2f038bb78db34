"""Finds the device profile whose screen fits a recording."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from fewtaps.errors import UsageError
from fewtaps.model.event import DoubleTap, Event, LongPress, Pinch, Selector, Swipe, Tap
from fewtaps.model.profile import PROFILES, DeviceProfile
from fewtaps.model.trace import Step

Measures: TypeAlias = tuple[int, int, int | None]
"""Width, height and, if it is known, dots per inch."""

ENOUGH_POINTS = 12
"""Fewest points from which a screen size is guessed; random points of this number usually come near every edge."""


@dataclass(frozen=True, slots=True)
class ProfileChoice:
    """A profile, the screen to store with the trace (None if it is a guess), and the losses of the choice."""

    profile: DeviceProfile
    screen: tuple[int, int, int] | None
    losses: tuple[str, ...] = ()


def choose_profile(steps: Iterable[Step], screen: Measures | None, wanted: str | None) -> ProfileChoice:
    """The wanted profile; else the one nearest to the recorded screen; else the smallest that holds all points."""
    if wanted is not None:
        profile = _by_name(wanted)
        return ProfileChoice(profile, _full(screen, profile) if screen else profile.screen)
    if screen is not None:
        profile = nearest_profile(screen)
        return ProfileChoice(profile, _full(screen, profile), _difference(screen, profile))
    return _guess(steps)


def nearest_profile(screen: Measures) -> DeviceProfile:
    """The profile whose sides, and density if it is known, differ by the smallest factors."""
    return min(PROFILES.values(), key=lambda profile: _distance(screen, profile))


def iter_points(event: Event) -> Iterator[tuple[int, int]]:
    """The points at which an event touches the screen; none for an event that has only a selector."""
    match event:
        case Tap(0, 0, Selector()) | LongPress(0, 0, Selector()) | DoubleTap(0, 0, Selector()):
            return
        case Tap(x, y) | LongPress(x, y) | DoubleTap(x, y) | Pinch(x, y):
            yield x, y
        case Swipe(x1, y1, x2, y2):
            yield x1, y1
            yield x2, y2


def _by_name(name: str) -> DeviceProfile:
    if name not in PROFILES:
        raise UsageError(f"--profile: '{name}' is none of {', '.join(PROFILES)}")
    return PROFILES[name]


def _full(screen: Measures, profile: DeviceProfile) -> tuple[int, int, int]:
    width, height, dpi = screen
    return width, height, dpi or profile.dpi


def _distance(screen: Measures, profile: DeviceProfile) -> float:
    sides = sorted((screen[0], screen[1]))
    factors = list(zip(sides, sorted((profile.width, profile.height)), strict=True))
    if screen[2]:
        factors.append((screen[2], profile.dpi))
    return sum(max(one / other, other / one) if one and other else 1e9 for one, other in factors)


def _difference(screen: Measures, profile: DeviceProfile) -> tuple[str, ...]:
    width, height, dpi = screen
    same = sorted((width, height)) == sorted((profile.width, profile.height)) and dpi in (None, profile.dpi)
    if same:
        return ()
    density = f" at {dpi} dpi" if dpi else ""
    nearest = f"{profile.name} ({profile.width} x {profile.height} at {profile.dpi} dpi)"
    return (f"recorded on a screen of {width} x {height}{density}; the nearest profile is {nearest}",)


def _guess(steps: Iterable[Step]) -> ProfileChoice:
    points = [point for step in steps for point in iter_points(step.event)]
    default = PROFILES["default"]
    if not points:
        return ProfileChoice(default, None, (f"its screen is not recorded: {default.name} is assumed",))
    long, short = max(max(point) for point in points), max(min(point) for point in points)
    fitting = [profile for profile in PROFILES.values() if _holds(profile, long, short)]
    if not fitting:
        profile = max(PROFILES.values(), key=lambda each: each.width * each.height)
        why = "no profile holds all its points, and this one is the largest"
    elif len(points) < ENOUGH_POINTS and default in fitting:
        profile, why = default, "it holds all its points"
    else:
        profile = min(fitting, key=lambda each: each.width * each.height)
        why = f"it is the smallest that holds all its {len(points)} points"
    size = f"{profile.name} ({profile.width} x {profile.height})"
    return ProfileChoice(
        profile, None, (f"its screen is not recorded: {size} is assumed, {why}; --profile names another",)
    )


def _holds(profile: DeviceProfile, long: int, short: int) -> bool:
    # A touch on the right or lower edge is recorded with the width or height, one more than the last pixel.
    return long <= max(profile.width, profile.height) and short <= min(profile.width, profile.height)
