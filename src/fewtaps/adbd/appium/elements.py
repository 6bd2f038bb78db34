"""KnownElements: the numbers that Appium's clients know widgets by, and how a widget is found and found again."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any

from fewtaps.adbd.appium.tree import XPathError, find_by_xpath
from fewtaps.adbd.appium.ui_selector import Scrolling, SelectorError, read_expressions
from fewtaps.adbd.channel import TURN, Pause
from fewtaps.adbd.hierarchy import Placed, placed_widgets, select
from fewtaps.adbd.phone import ServedPhone
from fewtaps.adbd.scrolling import scroll
from fewtaps.model.screen import Screen

MOST_ELEMENTS = 20_000
"""KnownElements that are remembered; the oldest are forgotten."""
KEY = "element-6066-11e4-a52e-4f735466cecf"
"""W3C's name of an element in JSON."""


class WebDriverError(Exception):
    """An error of the protocol: W3C's name of it, and a message."""

    def __init__(self, error: str, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.error = error
        self.status = status


def no_such_element(message: str) -> WebDriverError:
    return WebDriverError("no such element", message, 404)


@dataclass(frozen=True, slots=True)
class Locator:
    """How an element was found: the strategy, its text, its place among the results, and the element around it."""

    strategy: str
    text: str
    place: int = 0
    around: str | None = None


@dataclass(frozen=True, slots=True)
class FoundElement:
    """A widget as it was found."""

    path: tuple[int, ...]
    class_name: str
    resource_id: str | None
    locator: Locator


@dataclass(slots=True, eq=False)
class KnownElements:
    """The elements of one session."""

    _known: dict[str, FoundElement] = field(default_factory=dict)
    _next: int = 1

    def add(self, placed: Placed, locator: Locator) -> dict[str, str]:
        """Remembers a widget; its name as W3C writes it."""
        widget = placed.widget
        name = f"00000000-0000-0000-0000-{self._next:012x}"
        self._next += 1
        self._known[name] = FoundElement(placed.path, widget.class_name, widget.resource_id, locator)
        if len(self._known) > MOST_ELEMENTS:
            del self._known[next(iter(self._known))]
        return {KEY: name, "ELEMENT": name}

    def get(self, name: str, phone: ServedPhone, options: FindOptions) -> Placed:
        """The widget on the current screen. Raises WebDriverError if it is not there any more."""
        element = self._known.get(name)
        if element is None:
            raise WebDriverError("stale element reference", "this session has no such element", 404)
        for placed in placed_widgets(phone.screen):
            widget = placed.widget
            is_same = widget.class_name == element.class_name and widget.resource_id == element.resource_id
            if placed.path == element.path and is_same:
                return placed
        locator = element.locator
        if locator.around is None:
            found = find_now(phone, locator, options, None)
            if locator.place < len(found):
                return found[locator.place]
        raise WebDriverError("stale element reference", "the element is not on the screen any more", 404)


@dataclass(frozen=True, slots=True)
class FindOptions:
    """The app whose ids may be written without it, and whether all windows are searched."""

    package: str
    all_windows: bool = False


def find_now(phone: ServedPhone, locator: Locator, options: FindOptions, within: Placed | None) -> list[Placed]:
    """The widgets that a locator names on the current screen. Raises WebDriverError for one that cannot be read."""
    screen, text = phone.screen, locator.text
    match locator.strategy:
        case "id":
            return _inside(within, _by_id(screen, text, options.package))
        case "accessibility id":
            return _inside(within, select(screen, {"description": text}))
        case "class name":
            return _inside(within, select(screen, {"className": text}))
        case "xpath":
            try:
                return find_by_xpath(screen, phone.toast, text, all_windows=options.all_windows, within=within)
            except XPathError as error:
                raise WebDriverError("invalid selector", f"{text[:200]}: {error}") from error
        case "-android uiautomator":
            return _inside(within, _by_expression(screen, text))
    raise WebDriverError("invalid selector", f"no strategy {locator.strategy[:60]} here")


def find(
    phone: ServedPhone, locator: Locator, options: FindOptions, within: Placed | None
) -> Generator[Pause, None, list[Placed]]:
    """The same, after scrolling if the expression asks for it."""
    if locator.strategy == "-android uiautomator":
        for expression in _read(locator.text):
            if isinstance(expression, Scrolling):
                yield from _scroll(phone, expression)
    return find_now(phone, locator, options, within)


def _by_id(screen: Screen, text: str, package: str) -> list[Placed]:
    names = {text} if ":id/" in text or "/" in text else {text, f"{package}:id/{text}", f"android:id/{text}"}
    return [placed for placed in placed_widgets(screen) if placed.widget.resource_id in names]


def _read(text: str) -> list[dict[str, Any] | Scrolling]:
    try:
        return read_expressions(text)
    except SelectorError as error:
        raise WebDriverError("invalid selector", f"{text[:200]}: {error}") from error


def _by_expression(screen: Screen, text: str) -> list[Placed]:
    for expression in _read(text):
        selector = expression if isinstance(expression, dict) else (expression.wanted or expression.container)
        try:
            found = select(screen, selector)
        except ValueError as error:
            raise WebDriverError("invalid selector", f"{text[:200]}: {error}") from error
        if found:
            return found
    return []


def _scroll(phone: ServedPhone, scrolling: Scrolling) -> Generator[Pause, None, None]:
    """Moves a list until what is looked for is there, or as far as the verb says."""
    if not select(phone.screen, scrolling.container):
        return
    is_forward = "Backward" not in scrolling.verb and "Beginning" not in scrolling.verb
    if not scrolling.wanted:
        most = scrolling.most if "To" in scrolling.verb else 1 if scrolling.verb else 0
        yield from _move(phone, scrolling, is_forward, most)
        return
    for way in (False, True):
        yield from _move(phone, scrolling, way, scrolling.most)


def _move(phone: ServedPhone, scrolling: Scrolling, is_forward: bool, most: int) -> Generator[Pause, None, None]:
    for _ in range(most):
        if scrolling.wanted and select(phone.screen, scrolling.wanted):
            return
        containers = select(phone.screen, scrolling.container)
        if not containers or not scroll(phone, containers[0], is_forward, scrolling.is_vertical):
            return
        yield TURN


def _inside(within: Placed | None, found: list[Placed]) -> list[Placed]:
    if within is None:
        return found
    depth = len(within.path)
    return [each for each in found if len(each.path) > depth and each.path[:depth] == within.path]
