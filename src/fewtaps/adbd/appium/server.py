"""The server: W3C's WebDriver protocol as Appium's UiAutomator2 driver speaks it to the device."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any, TypeAlias
from urllib.parse import unquote

from fewtaps.adbd.acting import decoded, png_of, point_event, press_key, turn
from fewtaps.adbd.appium.elements import (
    FindOptions,
    KnownElements,
    Locator,
    WebDriverError,
    find,
    no_such_element,
)
from fewtaps.adbd.appium.gestures import gesture
from fewtaps.adbd.appium.pointers import events_of, typed
from fewtaps.adbd.appium.tree import source
from fewtaps.adbd.channel import TURN, Channel, Pause, Service
from fewtaps.adbd.guests import APPIUM
from fewtaps.adbd.hierarchy import TRUTHS, Placed, placed_widgets, select
from fewtaps.adbd.http import HttpAnswer, HttpRequest, json_answer, serve_http
from fewtaps.adbd.phone import ServedPhone
from fewtaps.errors import DeviceError, FewtapsError
from fewtaps.formats.keycodes import key_name
from fewtaps.model.event import Key, LongPress, Tap, Text, printable
from fewtaps.model.screen import Bounds, WidgetFlags

SESSION = "fe17a900-0000-0000-0000-000000000001"
PREFIX = "/wd/hub"
"""What older drivers write before every path."""
MOST_SETTINGS = 200

_FLAGS = {**dict(TRUTHS), "longClickable": WidgetFlags.LONG_CLICKABLE}
"""The attributes that are true or false."""


@dataclass(slots=True, eq=False)
class AppiumServer:
    """The server of one device while its instrumentation runs."""

    is_open: bool = False
    capabilities: dict[str, Any] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    elements: KnownElements = field(default_factory=KnownElements)

    def serve(self, channel: Channel, phone: ServedPhone) -> Service:
        """Answers the requests of one connection."""
        return serve_http(channel, lambda request: self._answer(request, phone))

    def _answer(self, request: HttpRequest, phone: ServedPhone) -> Generator[Pause, None, HttpAnswer]:
        try:
            call, handler = self._call(request, phone)
            result = handler(call)
            if isinstance(result, Generator):
                result = yield from result
            return json_answer({"sessionId": SESSION if self.is_open else None, "value": result})
        except WebDriverError as error:
            return _failed(error.error, str(error), error.status)
        except DeviceError as error:
            return _failed("unknown error", f"the device failed: {printable(str(error), 300)}", 500)
        except (FewtapsError, ValueError, TypeError, LookupError, ArithmeticError, RecursionError, OSError) as error:
            # Numbers and lists of a client can be larger, or nested deeper, than Python takes.
            return _failed("unknown error", f"{type(error).__name__}: {printable(str(error), 300)}", 500)

    def _call(self, request: HttpRequest, phone: ServedPhone) -> tuple[AppiumCall, Handler]:
        path = request.path.partition("?")[0].removeprefix(PREFIX)
        words = tuple(unquote(word) for word in path.strip("/").split("/"))
        rest = words[2:] if words[0] == "session" and len(words) > 1 else None
        if rest is not None and not self.is_open:
            raise WebDriverError("invalid session id", "no session is open", 404)
        table = _SESSION if rest is not None else _SERVER
        for (method, pattern), handler in table.items():
            names = _matched(pattern, rest if rest is not None else words)
            if method == request.method and names is not None:
                return AppiumCall(self, phone, names, _body(request)), handler
        phone.count_unknown(f"{request.method} {printable(path, 60)} of Appium's server")
        raise WebDriverError("unknown command", f"{request.method} {printable(path, 100)} is not answered here", 404)


@dataclass(frozen=True, slots=True)
class AppiumCall:
    """A request: the server, the device, the variable parts of the path, and the body."""

    server: AppiumServer
    phone: ServedPhone
    names: dict[str, str]
    body: dict[str, Any]

    @property
    def options(self) -> FindOptions:
        package = self.server.capabilities.get("appPackage")
        return FindOptions(
            package if isinstance(package, str) else self.phone.app.package,
            all_windows=self.server.settings.get("enableMultiWindows") is True,
        )

    def element(self, name: str = "id") -> Placed:
        """The widget that the path names. Raises WebDriverError."""
        return self.find_element(self.names[name])

    def find_element(self, name: str) -> Placed:
        """The widget of this number. Raises WebDriverError."""
        return self.server.elements.get(name, self.phone, self.options)

    def bounds(self, name: str) -> Bounds:
        """The place of the widget of this number. Raises WebDriverError."""
        return self.find_element(name).widget.bounds

    def text(self, *names: str) -> str:
        """The first of these parts of the body that is a text. Raises WebDriverError if none is."""
        for name in names:
            value = self.body.get(name)
            if isinstance(value, list) and all(isinstance(each, str) for each in value):
                return "".join(value)
            if isinstance(value, str):
                return value
        raise WebDriverError("invalid argument", f"{names[0]}: not a text")


Handler: TypeAlias = Callable[[AppiumCall], Any]


def _matched(pattern: str, words: tuple[str, ...]) -> dict[str, str] | None:
    parts = pattern.split("/") if pattern else []
    if len(parts) != len(words):
        return None
    pairs = list(zip(parts, words, strict=True))
    if any(not part.startswith(":") and part != word for part, word in pairs):
        return None
    return {part[1:]: word for part, word in pairs if part.startswith(":")}


def _body(request: HttpRequest) -> dict[str, Any]:
    if not request.body.strip():
        return {}
    try:
        body = json.loads(request.body)
    except (ValueError, RecursionError) as error:
        raise WebDriverError("invalid argument", "the body is not JSON") from error
    if not isinstance(body, dict):
        raise WebDriverError("invalid argument", "the body is not an object")
    return body


def _failed(error: str, message: str, status: int) -> HttpAnswer:
    value = {"error": error, "message": message, "stacktrace": ""}
    return json_answer({"sessionId": SESSION, "value": value}, status)


def _status(call: AppiumCall) -> dict[str, Any]:
    return {"ready": True, "message": "UiAutomator2 Server is ready to accept commands"}


def _open(call: AppiumCall) -> dict[str, Any]:
    wanted = call.body.get("capabilities")
    merged: dict[str, Any] = {}
    if isinstance(wanted, dict):
        first, always = wanted.get("firstMatch"), wanted.get("alwaysMatch")
        for part in (*(first if isinstance(first, list) else [])[:1], always):
            merged |= part if isinstance(part, dict) else {}
    server = call.server
    server.is_open, server.capabilities, server.elements = True, merged, KnownElements()
    return {"sessionId": SESSION, "capabilities": merged}


def _close(call: AppiumCall) -> None:
    call.server.is_open = False
    call.phone.guests.stop(APPIUM)


def _details(call: AppiumCall) -> dict[str, Any]:
    return {**call.server.capabilities, "lastScrollData": None}


def _sessions(call: AppiumCall) -> list[dict[str, Any]]:
    return [{"id": SESSION, "capabilities": call.server.capabilities}] if call.server.is_open else []


def _locator(call: AppiumCall) -> Locator:
    around = call.names.get("id") or call.body.get("context")
    strategy = call.text("strategy", "using")
    return Locator(strategy, call.text("selector", "value"), 0, around if isinstance(around, str) and around else None)


def _find(call: AppiumCall) -> Generator[Pause, None, list[dict[str, str]]]:
    locator = _locator(call)
    within = call.find_element(locator.around) if locator.around is not None else None
    call.phone.look()
    found = yield from find(call.phone, locator, call.options, within)
    return [
        call.server.elements.add(placed, Locator(locator.strategy, locator.text, place, locator.around))
        for place, placed in enumerate(found[:1000])
    ]


def _find_one(call: AppiumCall) -> Generator[Pause, None, dict[str, str]]:
    found = yield from _find(call)
    if not found:
        locator = _locator(call)
        raise no_such_element(f"no widget by {locator.strategy}: {locator.text[:200]}")
    return found[0]


def _active(call: AppiumCall) -> dict[str, str]:
    for place, placed in enumerate(select(call.phone.screen, {"focused": True})):
        locator = Locator("-android uiautomator", "new UiSelector().focused(true)", place)
        return call.server.elements.add(placed, locator)
    raise no_such_element("no widget has the focus")


def _click(call: AppiumCall) -> None:
    placed = call.element()
    call.phone.perform(Tap(*placed.widget.bounds.centre, call.phone.screen.selector_for(placed.path)))


def _clear(call: AppiumCall) -> Generator[Pause, None, None]:
    return _type(call, call.element(), "", replace=True)


def _type(call: AppiumCall, placed: Placed, text: str, *, replace: bool) -> Generator[Pause, None, None]:
    if not placed.widget.flags & WidgetFlags.EDITABLE:
        raise WebDriverError("invalid element state", "the text of this widget cannot be set")
    selector = call.phone.screen.selector_for(placed.path)
    events = typed(text)
    if replace and not (events and isinstance(events[0], Text)):
        call.phone.perform(Text("", replace=True, selector=selector))
    for place, event in enumerate(events):
        if isinstance(event, Text) and place == 0:
            event = Text(event.text, replace=replace, selector=selector)
        elif place == 0:
            call.phone.perform(Tap(*placed.widget.bounds.centre, selector))
        call.phone.perform(event)
        yield TURN


def _set_value(call: AppiumCall) -> Generator[Pause, None, None]:
    return _type(call, call.element(), call.text("text", "value"), replace=call.body.get("replace") is True)


def _keys(call: AppiumCall) -> Generator[Pause, None, None]:
    for event in typed(call.text("text", "value")):
        call.phone.perform(event)
        yield TURN


def _text_of(call: AppiumCall) -> str:
    return call.element().widget.text or ""


def _attribute(call: AppiumCall) -> str | None:
    placed, name = call.element(), call.names["name"]
    widget = placed.widget
    match name:
        case "text" | "original-text":
            return widget.text or ""
        case "name":
            return widget.description or widget.text or ""
        case "content-desc" | "contentDescription":
            return widget.description
        case "resource-id" | "resourceId":
            return widget.resource_id
        case "class" | "className":
            return widget.class_name
        case "package":
            return call.phone.screen.package
        case "hint":
            return widget.hint
        case "index":
            return str(placed.index)
        case "displayed":
            return "true"
        case "bounds":
            return "[{},{}][{},{}]".format(*widget.bounds)
    if name not in _FLAGS:
        raise WebDriverError("unknown command", f"a widget has no attribute {printable(name, 40)}", 404)
    return "true" if widget.flags & _FLAGS[name] else "false"


def _name(call: AppiumCall) -> str:
    return call.element().widget.description or ""


def _rect(call: AppiumCall) -> dict[str, int]:
    bounds = call.element().widget.bounds
    return {"x": bounds.left, "y": bounds.top, "width": bounds.width, "height": bounds.height}


def _location(call: AppiumCall) -> dict[str, int]:
    return {name: value for name, value in _rect(call).items() if name in ("x", "y")}


def _size(call: AppiumCall) -> dict[str, int]:
    return {name: value for name, value in _rect(call).items() if name in ("width", "height")}


def _element_picture(call: AppiumCall) -> str:
    bounds = call.element().widget.bounds
    buffer = io.BytesIO()
    image = decoded(png_of(call.phone))
    # The app may claim any bounds. At least one pixel is shown.
    left, top = (max(0, min(at, most - 1)) for at, most in zip(bounds[:2], image.size, strict=True))
    right, bottom = min(max(bounds.right, left + 1), image.width), min(max(bounds.bottom, top + 1), image.height)
    image.crop((left, top, right, bottom)).save(buffer, "PNG")
    return base64.b64encode(buffer.getvalue()).decode()


def _picture(call: AppiumCall) -> str:
    call.phone.look()
    return base64.b64encode(png_of(call.phone)).decode()


def _source(call: AppiumCall) -> str:
    return source(call.phone.look(), call.phone.toast, all_windows=call.options.all_windows)


def _scroll_to(call: AppiumCall) -> Generator[Pause, None, None]:
    """Moves the list around the first widget until the second one is there."""
    text = json.dumps(call.element("id2").widget.text or "")
    wanted = f"new UiScrollable(new UiSelector().scrollable(true)).scrollIntoView(new UiSelector().text({text}))"
    yield from find(call.phone, Locator("-android uiautomator", wanted), call.options, None)


def _actions(call: AppiumCall) -> Generator[Pause, None, None]:
    for event in events_of(call.body.get("actions"), lambda name: call.bounds(name).centre):
        call.phone.perform(point_event(call.phone, event) if isinstance(event, Tap | LongPress) else event)
        yield TURN


def _gesture(call: AppiumCall) -> bool | None:
    return gesture(call.phone, call.names["name"], call.body, call.bounds)


def _gesture_scroll_to(call: AppiumCall) -> Generator[Pause, None, None]:
    params = call.body.get("params")
    if not isinstance(params, dict):
        raise WebDriverError("invalid argument", "params: not an object")
    strategy, text = params.get("strategy"), params.get("selector")
    inner = {"accessibility id": "description", "class name": "className"}.get(str(strategy))
    quoted = json.dumps(str(text))
    selector = str(text) if inner is None else f"new UiSelector().{inner}({quoted})"
    wanted = f"new UiScrollable(new UiSelector().scrollable(true)).scrollIntoView({selector})"
    found = yield from find(call.phone, Locator("-android uiautomator", wanted), call.options, None)
    if not found:
        raise no_such_element(f"no widget by {printable(str(strategy), 40)}: {printable(str(text), 200)}")


def _back(call: AppiumCall) -> None:
    call.phone.perform(Key("BACK"))


def _press_key(call: AppiumCall) -> None:
    name = key_name(str(call.body.get("keycode")))
    if name is None:
        raise WebDriverError("invalid argument", f"no key {printable(str(call.body.get('keycode')), 20)}")
    press_key(call.phone, name)


_ORIENTATIONS = {"PORTRAIT": 0, "LANDSCAPE": 1}


def _orientation(call: AppiumCall) -> str:
    return "LANDSCAPE" if call.phone.screen.rotation % 2 else "PORTRAIT"


def _set_orientation(call: AppiumCall) -> str:
    wanted = _ORIENTATIONS.get(call.text("orientation").upper())
    if wanted is None:
        raise WebDriverError("invalid argument", "orientation: PORTRAIT or LANDSCAPE")
    if call.phone.screen.rotation % 2 != wanted:
        turn(call.phone, wanted)
    return _orientation(call)


def _rotation(call: AppiumCall) -> dict[str, int]:
    return {"x": 0, "y": 0, "z": 90 * call.phone.screen.rotation}


def _set_rotation(call: AppiumCall) -> dict[str, int]:
    z = call.body.get("z")
    if z not in (0, 90, 180, 270):
        raise WebDriverError("invalid argument", "z: 0, 90, 180 or 270")
    turn(call.phone, int(z) // 90)
    return _rotation(call)


_BUTTONS = ("android:id/button1", "android:id/button2", "android:id/button3")
_ALLOWING = ("permission_allow_foreground_only_button", "permission_allow_button")


def _buttons(call: AppiumCall) -> list[Placed]:
    call.phone.look()
    found = [placed for placed in placed_widgets(call.phone.screen) if _is_alert_button(placed)]
    if not found:
        raise WebDriverError("no such alert", "no dialog with buttons is open", 404)
    return found


def _is_alert_button(placed: Placed) -> bool:
    name = placed.widget.resource_id or ""
    return name in _BUTTONS or name.rpartition("/")[2].startswith("permission_") and name.endswith("_button")


def _alert_text(call: AppiumCall) -> str:
    window = _buttons(call)[0].path[0]
    names = ("alertTitle", "message", "permission_message")
    texts = [
        placed.widget.text
        for placed in placed_widgets(call.phone.screen)
        if placed.path[0] == window and (placed.widget.resource_id or "").rpartition("/")[2] in names
    ]
    return "\n".join(text for text in texts if text)


def _alert(accepts: bool) -> Handler:
    def run(call: AppiumCall) -> None:
        buttons, label = _buttons(call), call.body.get("buttonLabel")
        if isinstance(label, str):
            found = [each for each in buttons if (each.widget.text or "").lower() == label.lower()]
        else:
            usual = [each for each in buttons if _says_yes(each) == accepts]
            found = usual or (buttons[:1] if len(buttons) == 1 else [])
        if not found:
            raise WebDriverError("unexpected alert open", "the dialog has no such button", 500)
        selector = call.phone.screen.selector_for(found[0].path)
        call.phone.perform(Tap(*found[0].widget.bounds.centre, selector))

    return run


def _says_yes(placed: Placed) -> bool:
    name = placed.widget.resource_id or ""
    return name == _BUTTONS[0] or name.rpartition("/")[2] in _ALLOWING


def _get_settings(call: AppiumCall) -> dict[str, Any]:
    return call.server.settings


def _set_settings(call: AppiumCall) -> dict[str, Any]:
    given = call.body.get("settings")
    if not isinstance(given, dict) or len(call.server.settings) + len(given) > MOST_SETTINGS:
        raise WebDriverError("invalid argument", "settings: not an object, or too many")
    call.server.settings.update(given)
    return call.server.settings


def _clipboard(call: AppiumCall) -> str:
    return base64.b64encode(call.phone.clipboard.encode("utf-8", "replace")).decode()


def _set_clipboard(call: AppiumCall) -> None:
    call.phone.clipboard = base64.b64decode(call.text("content"), validate=True).decode("utf-8", "replace")[: 1 << 20]


def _device(call: AppiumCall) -> dict[str, Any]:
    phone = call.phone
    profile = phone.profile
    return {
        "androidId": phone.tables["secure"]["android_id"],
        "manufacturer": profile.manufacturer,
        "brand": profile.manufacturer,
        "model": profile.model,
        "apiVersion": str(phone.settings.api),
        "platformVersion": phone.properties["ro.build.version.release"],
        "carrierName": "",
        "realDisplaySize": f"{profile.width}x{profile.height}",
        "displayDensity": profile.dpi,
        "locale": profile.locale.replace("-", "_"),
        "timeZone": "GMT",
        "networks": [],
        "bluetooth": None,
    }


def _bars(call: AppiumCall) -> dict[str, Any]:
    profile = call.phone.profile
    height = profile.pixels(profile.status_bar_dp)
    visible = {"visible": True, "x": 0, "y": 0, "width": call.phone.screen.width, "height": height}
    return {"statusBar": height, "statusBarDetails": visible}


def _battery(call: AppiumCall) -> dict[str, Any]:
    return {"level": int(call.phone.battery["level"]) / 100, "status": int(call.phone.battery["status"])}


def _window(call: AppiumCall) -> dict[str, int]:
    return {"width": call.phone.screen.width, "height": call.phone.screen.height}


def _window_rect(call: AppiumCall) -> dict[str, int]:
    return {"x": 0, "y": 0, **_window(call)}


def _notifications(call: AppiumCall) -> None:
    call.phone.perform(Key("NOTIFICATION"))


_SERVER: dict[tuple[str, str], Handler] = {
    ("GET", "status"): _status,
    ("GET", "sessions"): _sessions,
    ("POST", "session"): _open,
}
"""What is answered without a session: method and path."""

_SESSION: dict[tuple[str, str], Handler] = {
    ("DELETE", ""): _close,
    ("GET", ""): _details,
    ("POST", "element"): _find_one,
    ("POST", "elements"): _find,
    ("POST", "element/:id/element"): _find_one,
    ("POST", "element/:id/elements"): _find,
    ("GET", "element/active"): _active,
    ("POST", "element/:id/click"): _click,
    ("POST", "element/:id/clear"): _clear,
    ("POST", "element/:id/value"): _set_value,
    ("GET", "element/:id/text"): _text_of,
    ("GET", "element/:id/name"): _name,
    ("GET", "element/:id/attribute/:name"): _attribute,
    ("GET", "element/:id/rect"): _rect,
    ("GET", "element/:id/location"): _location,
    ("GET", "element/:id/size"): _size,
    ("GET", "element/:id/screenshot"): _element_picture,
    ("POST", "keys"): _keys,
    ("GET", "screenshot"): _picture,
    ("GET", "source"): _source,
    ("GET", "orientation"): _orientation,
    ("POST", "orientation"): _set_orientation,
    ("GET", "rotation"): _rotation,
    ("POST", "rotation"): _set_rotation,
    ("POST", "back"): _back,
    ("POST", "actions"): _actions,
    ("GET", "alert/text"): _alert_text,
    ("POST", "alert/accept"): _alert(True),
    ("POST", "alert/dismiss"): _alert(False),
    ("GET", "window/rect"): _window_rect,
    ("GET", "window/:handle/size"): _window,
    ("POST", "gestures/scroll_to"): _gesture_scroll_to,
    ("POST", "appium/gestures/:name"): _gesture,
    ("POST", "appium/element/:id/scroll_to/:id2"): _scroll_to,
    ("GET", "appium/settings"): _get_settings,
    ("POST", "appium/settings"): _set_settings,
    ("POST", "appium/device/press_keycode"): _press_key,
    ("POST", "appium/device/long_press_keycode"): _press_key,
    ("POST", "appium/device/open_notifications"): _notifications,
    ("POST", "appium/device/get_clipboard"): _clipboard,
    ("POST", "appium/device/set_clipboard"): _set_clipboard,
    ("GET", "appium/device/info"): _device,
    ("GET", "appium/device/system_bars"): _bars,
    ("GET", "appium/device/battery_info"): _battery,
    ("GET", "appium/device/pixel_ratio"): lambda call: call.phone.profile.dpi / 160,
    ("GET", "appium/device/display_density"): lambda call: call.phone.profile.dpi,
}
"""What is answered in a session: method and the path behind its number; a word after a colon is a variable part."""
