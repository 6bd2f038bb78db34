"""The methods of uiautomator2's server, carried out on a served device."""

from __future__ import annotations

import base64
import io
import math
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, TypeAlias

from fewtaps.adbd.acting import decoded, png_of, point_event, press_key, switch_screen, touch, turn
from fewtaps.adbd.channel import TURN, Pause
from fewtaps.adbd.hierarchy import DEEPEST, Placed, rectangle, select, widget_info, write_hierarchy
from fewtaps.adbd.phone import ServedPhone
from fewtaps.adbd.scrolling import scroll, swipe_in
from fewtaps.formats.keycodes import key_name
from fewtaps.formats.touches import LONG_PRESS_MS, pixel
from fewtaps.model.event import Key, LongPress, Pinch, Swipe, Tap, Text
from fewtaps.model.screen import WidgetFlags

STEP_MS = 5
"""UI Automator moves a finger once in so many milliseconds."""
POLL_MS = 500
"""Time of the app between two looks of a wait."""
LONGEST_WAIT_MS = 120_000
MOST_SWIPES = 60

_NOT_FOUND = -32002

KEYS = {
    "home": "HOME",
    "back": "BACK",
    "left": "DPAD_LEFT",
    "right": "DPAD_RIGHT",
    "up": "DPAD_UP",
    "down": "DPAD_DOWN",
    "center": "DPAD_CENTER",
    "menu": "MENU",
    "search": "SEARCH",
    "enter": "ENTER",
    "delete": "DEL",
    "del": "DEL",
    "recent": "APP_SWITCH",
    "volume_up": "VOLUME_UP",
    "volume_down": "VOLUME_DOWN",
    "volume_mute": "VOLUME_MUTE",
    "camera": "CAMERA",
    "power": "POWER",
}
"""The names of keys that uiautomator2 uses."""

Waiting: TypeAlias = Generator[Pause, None, Any]


class AgentError(Exception):
    """An error for the client, with a code of JSON-RPC."""

    def __init__(self, message: str, code: int = -32602) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True)
class AgentCall:
    """A call: the device and the parameters."""

    phone: ServedPhone
    given: list[Any]

    def at(self, place: int, default: Any = None) -> Any:
        """A parameter, or its default."""
        return self.given[place] if place < len(self.given) else default

    def number(self, place: int, default: float = 0) -> int:
        """A parameter that is a coordinate, a time or a count. Raises AgentError."""
        value = self.at(place, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise AgentError(f"parameter {place}: not a number")
        return pixel(value)

    def selector(self, place: int = 0) -> dict[str, Any]:
        """A parameter that is a selector. Raises AgentError."""
        value = self.at(place)
        if isinstance(value, str) and value in self.phone.named_selectors:
            return self.phone.named_selectors[value]
        if not isinstance(value, dict):
            raise AgentError(f"parameter {place}: not a selector")
        return value

    def found(self, place: int = 0) -> Placed:
        """The widget that a selector names. Raises AgentError if there is none."""
        selector = self.selector(place)
        widgets = select(self.phone.screen, selector)
        if not widgets:
            shown = {name: value for name, value in selector.items() if name != "mask" and value}
            raise AgentError(f"androidx.test.uiautomator.UiObjectNotFoundException: {str(shown)[:300]}", _NOT_FOUND)
        return widgets[0]


def _device_info(call: AgentCall) -> dict[str, Any]:
    phone, screen = call.phone, call.phone.screen
    scale = phone.profile.dpi / 160
    return {
        "currentPackageName": screen.package,
        "displayHeight": screen.height,
        "displayRotation": screen.rotation,
        "displaySizeDpX": round(screen.width / scale),
        "displaySizeDpY": round(screen.height / scale),
        "displayWidth": screen.width,
        "productName": phone.properties["ro.product.name"],
        "screenOn": phone.is_on,
        "sdkInt": phone.settings.api,
        "naturalOrientation": screen.rotation == 0,
    }


def _dump(call: AgentCall) -> str:
    depth = call.at(1)
    most = depth if isinstance(depth, int) and not isinstance(depth, bool) and depth > 0 else DEEPEST
    return write_hierarchy(call.phone.look(), all_windows=not call.at(2), depth=most)


def _click(call: AgentCall) -> bool:
    if isinstance(call.at(0), dict | str):
        return _tap_widget(call)
    x, y, held = call.number(0), call.number(1), call.number(2)
    call.phone.perform(point_event(call.phone, LongPress(x, y) if held >= LONG_PRESS_MS else Tap(x, y)))
    return True


def _tap_widget(call: AgentCall) -> bool:
    bounds = call.found().widget.bounds
    x, y = bounds.centre
    corner = call.at(1)
    if corner in ("tl", "topleft"):
        x, y = bounds.left, bounds.top
    elif corner in ("br", "bottomright"):
        x, y = bounds.right - 1, bounds.bottom - 1
    call.phone.perform(point_event(call.phone, Tap(x, y)))
    return True


def _long_click(call: AgentCall) -> bool:
    x, y = (
        (call.number(0), call.number(1))
        if not isinstance(call.at(0), dict | str)
        else call.found().widget.bounds.centre
    )
    call.phone.perform(point_event(call.phone, LongPress(x, y)))
    return True


def _swipe(call: AgentCall) -> bool:
    if isinstance(call.at(0), dict | str):
        return _swipe_widget(call)
    x1, y1, x2, y2 = (call.number(place) for place in range(4))
    call.phone.perform(Swipe(x1, y1, x2, y2, max(1, call.number(4, 55)) * STEP_MS))
    return True


_WAYS = {"u": (0, -1), "d": (0, 1), "l": (-1, 0), "r": (1, 0)}


def _swipe_widget(call: AgentCall) -> bool:
    across, down = _WAYS.get(str(call.at(1, "u"))[:1].lower(), (0, -1))
    swipe_in(call.phone, call.found().widget.bounds, across, down)
    return True


def _swipe_points(call: AgentCall) -> bool:
    points = call.at(0)
    if not isinstance(points, list) or len(points) < 4 or not all(isinstance(each, int | float) for each in points):
        raise AgentError("parameter 0: not a list of points")
    x1, y1, x2, y2 = (pixel(value) for value in (*points[:2], *points[-2:]))
    steps = call.number(1, 100) * (len(points) // 2 - 1)
    call.phone.perform(Swipe(x1, y1, x2, y2, max(1, steps) * STEP_MS))
    return True


def _drag(call: AgentCall) -> bool:
    x1, y1, x2, y2 = (call.number(place) for place in range(4))
    call.phone.perform(Swipe(x1, y1, x2, y2, max(1, call.number(4, 100)) * STEP_MS, 600))
    return True


def _drag_to(call: AgentCall) -> bool:
    x1, y1 = call.found().widget.bounds.centre
    if isinstance(call.at(1), dict | str):
        x2, y2 = call.found(1).widget.bounds.centre
        steps = call.number(2, 100)
    else:
        x2, y2, steps = call.number(1), call.number(2), call.number(3, 100)
    call.phone.perform(Swipe(x1, y1, x2, y2, max(1, steps) * STEP_MS, 600))
    return True


def _pinch(opens: bool) -> Callable[[AgentCall], bool]:
    def run(call: AgentCall) -> bool:
        bounds = call.found().widget.bounds
        part = max(1, min(call.number(1, 100), 100)) / 100
        wide = int(min(bounds.width, bounds.height) * 0.9 * part)
        spans = (20, max(20, wide)) if opens else (max(20, wide), 20)
        call.phone.perform(Pinch(*bounds.centre, *spans))
        return True

    return run


def _gesture(call: AgentCall) -> bool:
    points = [call.at(place) for place in range(1, 5)]
    if not all(isinstance(point, dict) for point in points):
        raise AgentError("a gesture needs four points")
    (a, b, c, d) = [(float(point.get("x", 0)), float(point.get("y", 0))) for point in points]
    centre = pixel((a[0] + b[0]) / 2), pixel((a[1] + b[1]) / 2)
    call.phone.perform(Pinch(*centre, pixel(math.dist(a, b)), pixel(math.dist(c, d))))
    return True


def _inject(call: AgentCall) -> bool:
    touch(call.phone, call.number(0), call.number(1), call.number(2))
    return True


def _press_key(call: AgentCall) -> bool:
    name = KEYS.get(str(call.at(0)).lower())
    if name is None:
        raise AgentError(f"no key {str(call.at(0))[:40]}")
    press_key(call.phone, name)
    return True


def _press_key_code(call: AgentCall) -> bool:
    name = key_name(str(call.number(0)))
    if name is None:
        raise AgentError(f"no key {call.number(0)}")
    press_key(call.phone, name)
    return True


def _screen(is_on: bool) -> Callable[[AgentCall], None]:
    return lambda call: switch_screen(call.phone, on=is_on)


_TURNS = {"natural": 0, "n": 0, "left": 1, "l": 1, "upsidedown": 2, "u": 2, "right": 3, "r": 3}


def _set_orientation(call: AgentCall) -> None:
    rotation = _TURNS.get(str(call.at(0)))
    if rotation is None:
        raise AgentError("no such orientation")
    turn(call.phone, rotation)


def _nothing(answer: Any = None) -> Callable[[AgentCall], Any]:
    return lambda call: answer


def _clear_toast(call: AgentCall) -> None:
    call.phone.toast = ""


def _last_toast(call: AgentCall) -> str | None:
    call.phone.look()
    return call.phone.toast or None


def _set_clipboard(call: AgentCall) -> None:
    call.phone.clipboard = str(call.at(1) or "")[: 1 << 20]


def _paste(call: AgentCall) -> bool:
    call.phone.perform(Text(call.phone.clipboard))
    return True


def _clear_input(call: AgentCall) -> bool:
    call.phone.perform(Text("", replace=True))
    return True


def _take_screenshot(call: AgentCall) -> str:
    call.phone.look()
    image = decoded(png_of(call.phone))
    buffer = io.BytesIO()
    image.convert("RGB").save(buffer, "JPEG", quality=max(1, min(call.number(1, 80), 95)))
    return base64.b64encode(buffer.getvalue()).decode()


def _exist(call: AgentCall) -> bool:
    return bool(select(call.phone.look(), call.selector()))


def _count(call: AgentCall) -> int:
    return len(select(call.phone.look(), call.selector()))


def _info(call: AgentCall) -> dict[str, Any]:
    return widget_info(call.found(), call.phone.screen.package)


def _info_of_all(call: AgentCall) -> list[dict[str, Any]]:
    return [widget_info(each, call.phone.screen.package) for each in select(call.phone.screen, call.selector())]


def _wait(wanted: bool) -> Callable[[AgentCall], Waiting]:
    def run(call: AgentCall) -> Waiting:
        selector, left = call.selector(), min(call.number(1), LONGEST_WAIT_MS)
        phone = call.phone
        end = phone.clock() + left / 1000 / (phone.settings.pace.factor or 1)
        while True:
            if phone.settings.pace.is_real:
                phone.catch_up()
            if bool(select(phone.screen, selector)) == wanted:
                return True
            if left <= 0 or not phone.is_running or (phone.settings.pace.is_real and phone.clock() >= end):
                return False
            if phone.settings.pace.is_real:
                yield Pause(until=min(end, phone.clock() + POLL_MS / 1000))
            else:
                phone.pass_time(min(POLL_MS, left))
                left -= POLL_MS
                yield TURN

    return run


def _set_text(call: AgentCall) -> bool:
    placed = call.found()
    text = str(call.at(1) or "")
    return _type(call, placed, text)


def _type(call: AgentCall, placed: Placed, text: str) -> bool:
    if not placed.widget.flags & WidgetFlags.EDITABLE:
        return False
    selector = call.phone.screen.selector_for(placed.path)
    call.phone.perform(Text(text, replace=True, selector=selector))
    return True


def _clear_field(call: AgentCall) -> bool:
    return _type(call, call.found(), "")


def _get_text(call: AgentCall) -> str:
    return call.found().widget.text or ""


def _move(is_forward: bool) -> Callable[[AgentCall], bool]:
    """One swipe inside a list; whether anything moved."""

    def run(call: AgentCall) -> bool:
        is_vertical = call.at(1, True) is not False
        return scroll(call.phone, call.found(), is_forward, is_vertical)

    return run


def _move_to_end(is_forward: bool) -> Callable[[AgentCall], Waiting]:
    def run(call: AgentCall) -> Waiting:
        is_vertical = call.at(1, True) is not False
        for _ in range(min(call.number(2, MOST_SWIPES), MOST_SWIPES)):
            if not scroll(call.phone, call.found(), is_forward, is_vertical):
                return True
            yield TURN
        return False

    return run


def _scroll_to(call: AgentCall) -> Waiting:
    wanted = call.selector(1)
    is_vertical = call.at(2, True) is not False
    for is_forward in (False, True):
        for _ in range(MOST_SWIPES):
            if select(call.phone.screen, wanted):
                return True
            if not scroll(call.phone, call.found(), is_forward, is_vertical):
                break
            yield TURN
    return bool(select(call.phone.screen, wanted))


def _child_by(field: str) -> Callable[[AgentCall], str]:
    def run(call: AgentCall) -> str:
        outer, inner = call.selector(0), call.selector(1)
        child = {**inner, field: call.at(2)}
        combined = {
            **outer,
            "childOrSibling": [*(outer.get("childOrSibling") or []), "child"],
            "childOrSiblingSelector": [*(outer.get("childOrSiblingSelector") or []), child],
        }
        if not select(call.phone.screen, combined):
            raise AgentError("androidx.test.uiautomator.UiObjectNotFoundException: no such child", _NOT_FOUND)
        names = call.phone.named_selectors
        name = str(len(names) % 1000)
        names[name] = combined
        return name

    return run


def _notification(call: AgentCall) -> bool:
    call.phone.perform(Key("NOTIFICATION"))
    return True


def _bounds(call: AgentCall) -> dict[str, int]:
    return rectangle(call.found().widget.bounds)


def _toast_shown(call: AgentCall) -> bool:
    call.phone.toast = str(call.at(0))[:1000]
    return True


METHODS: dict[str, Callable[[AgentCall], Any]] = {
    "deviceInfo": _device_info, "dumpWindowHierarchy": _dump, "click": _click, "clickAndWaitForNewWindow": _tap_widget,
    "longClick": _long_click, "swipe": _swipe, "swipePoints": _swipe_points, "drag": _drag, "dragTo": _drag_to,
    "pinchIn": _pinch(False), "pinchOut": _pinch(True), "gesture": _gesture, "injectInputEvent": _inject,
    "pressKey": _press_key, "pressKeyCode": _press_key_code, "wakeUp": _screen(True), "sleep": _screen(False),
    "isScreenOn": lambda call: call.phone.is_on, "setOrientation": _set_orientation, "freezeRotation": _nothing(),
    "getLastTraversedText": _nothing(""), "clearLastTraversedText": _nothing(), "getLastToast": _last_toast,
    "clearLastToast": _clear_toast, "makeToast": _toast_shown, "openNotification": _notification,
    "openQuickSettings": _nothing(False), "getClipboard": lambda call: call.phone.clipboard,
    "setClipboard": _set_clipboard, "pasteClipboard": _paste, "clearInputText": _clear_input,
    "takeScreenshot": _take_screenshot, "waitForIdle": _nothing(True), "waitForWindowUpdate": _nothing(False),
    "exist": _exist, "count": _count, "objInfo": _info, "objInfoOfAllInstances": _info_of_all,
    "waitForExists": _wait(True), "waitUntilGone": _wait(False), "setText": _set_text, "getText": _get_text,
    "clearTextField": _clear_field, "getVisibleBounds": _bounds,
    "scrollForward": _move(True), "scrollBackward": _move(False), "flingForward": _move(True),
    "flingBackward": _move(False), "scrollToBeginning": _move_to_end(False), "scrollToEnd": _move_to_end(True),
    "flingToBeginning": _move_to_end(False), "flingToEnd": _move_to_end(True), "scrollTo": _scroll_to,
    "childByText": _child_by("text"), "childByDescription": _child_by("description"),
    "childByInstance": _child_by("instance"), "getConfigurator": _nothing({}), "setConfigurator": _nothing({}),
    "ping": _nothing("pong"),
}  # fmt: skip
"""The methods by name."""
