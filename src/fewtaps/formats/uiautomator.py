"""Recorded Python scripts of UI Automator's two clients: uiautomator2 (as weditor writes them) and Appium's Inspector.

Such a script is read as a list of steps, never run. Most events name their widget: they have a selector, and (0, 0) as
coordinates.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from fewtaps.formats import naming
from fewtaps.formats.keycodes import key_name
from fewtaps.formats.pythonsteps import Call, Statement, Value, read_statements
from fewtaps.formats.recording import Recorder, Recording
from fewtaps.formats.source import broken
from fewtaps.formats.touches import DOWN, LONG_PRESS_MS, MOVE, UP, Fingers, Point, pixel, swipe
from fewtaps.model.event import (
    DoubleTap,
    Event,
    Key,
    LongPress,
    Orientation,
    Pinch,
    Rotate,
    Selector,
    Tap,
    Text,
    Wait,
    printable,
)
from fewtaps.model.profile import PROFILES

TAP_MS = 100
U2_SWIPE_MS, U2_DRAG_MS = 300, 500
ORIENTATIONS: dict[str, Orientation] = {
    **dict.fromkeys(("n", "natural", "portrait"), "portrait"),
    **dict.fromkeys(("l", "left", "landscape"), "landscape"),
    **dict.fromkeys(("r", "right"), "reverse_landscape"),
    **dict.fromkeys(("u", "upsidedown"), "reverse_portrait"),
}
DIRECTIONS: dict[str, tuple[int, int]] = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}

# Methods that only read something, or wait for a widget: a replay waits after every step anyway.
_NO_EFFECT = """
    screenshot dump_hierarchy page_source get_screenshot_as_file info exists wait wait_gone wait_activity get_text text
    get_attribute implicitly_wait quit close window_size get_window_size app_current current_activity current_package
    orientation device_info is_displayed is_enabled app_wait settings healthcheck must_wait set_page_load_timeout
    is_keyboard_shown get_settings get_log log_types contexts current_context location desired_capabilities
    is_app_installed set_fastinput_ime set_input_ime unlock connect connect_usb connect_wifi
    find_elements
"""
NO_EFFECT = frozenset(_NO_EFFECT.split())


def read_uiautomator(path: Path, profile: str | None = None) -> Recording:
    """The recording in a script; fractions of the screen become pixels of the profile's screen. Raises UsageError."""
    script = _UiautomatorScript(path, profile)
    line = 1
    for statement in read_statements(path):
        line = statement.line
        script.read(statement)
    return script.finish(line)


def looks_like_uiautomator(head: str) -> bool:
    """Whether a file with this beginning is such a script."""
    marks = ("import uiautomator2", "u2.connect", "from appium", "AppiumBy.", "driver.find_element(")
    return any(mark in head for mark in marks) or any(
        line.startswith(("d(", "d.click(", "d.xpath(", "d.app_start(", "d.press(")) for line in head.splitlines()
    )


class _UiautomatorScript:
    def __init__(self, path: Path, profile: str | None) -> None:
        self.path = path
        self.recorder = Recorder(path)
        self.profile = PROFILES.get(profile or "default", PROFILES["default"])
        self.uses_parts = False
        self.line = 0
        self.widgets: dict[str, Selector | None] = {}
        self.capabilities: dict[str, str] = {}
        self.fingers = Fingers(self.add_loss)
        self.finger: Point = (0, 0)
        self.clock_ms = 0

    def read(self, statement: Statement) -> None:
        self.line = statement.line
        links = statement.links
        if statement.target.endswith(".orientation"):
            self.turn(statement.value)
        elif "[" in statement.target:
            self.take_capability(statement.target.partition("[")[2][:-1], statement.value)
        elif links and links[-1].name in ("find_element", "find_elements"):
            self.widgets[statement.target] = self.located(links[-1])
        elif statement.root in ("ActionChains", "TouchAction") or (links and links[-1].name == "perform"):
            self.old_gesture(links)
        elif links and links[0].name == "w3c_actions":
            self.pointer(links[-1])
        elif links and links[-1].name == "Remote":
            self.open_session()
        elif statement.root:
            self.step(statement)

    def finish(self, line: int) -> Recording:
        left = self.fingers.lift()
        if left is not None:
            self.recorder.add(left, line)
        return self.recorder.finish(line, profile=self.profile.name if self.uses_parts else None)

    def step(self, statement: Statement) -> None:
        """Reads one call, of the device or of a widget."""
        links = statement.links
        last = links[-1] if links else Call("", is_call=False)
        if last.name == "load_capabilities":
            for name, value in _pairs(last.given(0, "caps")):
                self.take_capability(name, value)
        elif statement.root in ("time", "sleep") or last.name == "sleep":
            self.wait(last.given(0, "secs"))
        elif last.name in NO_EFFECT or not last.is_call or statement.root in ("print", "assert", "AppiumOptions"):
            return
        elif statement.root in self.widgets:
            self.on_widget(self.widgets[statement.root], last)
        elif len(links) > 1 and links[0].name == "find_element":
            self.on_widget(self.located(links[0]), last)
        elif len(links) > 1 and links[0].name in ("", "xpath"):
            self.on_widget(self.named(links[:-1]), last)
        elif len(links) == 1 and last.name in _DEVICE:
            _DEVICE[last.name](self, last)
        else:
            self.add_loss(f"cannot be said in a trace: {printable(f'{statement.root}.{last.name}', 60)}")

    def on_widget(self, selector: Selector | None, call: Call) -> None:
        """Reads a call on a widget; None stands for a widget that cannot be named."""
        if selector is None:
            self.add_loss("the widget is not named in a way that a trace can say; the step is left out")
            return
        event = self.widget_event(selector, call)
        if event is None:
            self.add_loss(f"{printable(call.name)} on a widget cannot be said in a trace")
            return
        if not isinstance(event, Text):
            self.add_loss("has no point, only the name of its widget: play it by selector")
        self.recorder.add(event, self.line)

    def widget_event(self, selector: Selector, call: Call) -> Event | None:
        match call.name:
            case "click" | "click_exists" | "tap":
                return Tap(0, 0, selector)
            case "long_click":
                return LongPress(0, 0, selector)
            case "double_click":
                return DoubleTap(0, 0, selector)
            case "set_text":
                return Text(self.text(call.given(0, "text")), True, selector)
            case "send_keys":
                return Text(self.text(call.given(0, "text")), False, selector)
            case "clear_text" | "clear":
                return Text("", True, selector)
            case "swipe" | "fling" | "scroll" if call.given(0, "direction") in DIRECTIONS:
                across, down = DIRECTIONS[str(call.given(0, "direction"))]
                reach = min(self.profile.width, self.profile.height) // 4
                x, y = self.profile.width / 2, self.profile.height / 2
                return swipe((x, y), (x + across * reach, y + down * reach), U2_SWIPE_MS, selector=selector)
            case "pinch_in":
                return Pinch(0, 0, self.profile.width // 2, self.profile.width // 8, selector)
            case "pinch_out":
                return Pinch(0, 0, self.profile.width // 8, self.profile.width // 2, selector)
        return None

    def named(self, links: tuple[Call, ...]) -> Selector | None:
        """The widget that `d(text="…")` or `d.xpath("…")` names; further links, which narrow it down, are losses."""
        first = links[0]
        if first.name == "xpath":
            selector, unsupported = naming.by_xpath(self.text(first.given(0, "xpath")))
        else:
            selector, unsupported = naming.by_keywords(first.named)
        return self.with_losses(
            selector, (*unsupported, *(link.name for link in links[1:] if link.name not in NO_EFFECT))
        )

    def located(self, call: Call) -> Selector | None:
        strategy, value = self.text(call.given(0, "by")), self.text(call.given(1, "value"))
        return self.with_losses(*naming.by_locator(strategy, value))

    def with_losses(self, selector: Selector, unsupported: tuple[str, ...]) -> Selector | None:
        if unsupported:
            self.add_loss(f"a selector cannot say {printable(', '.join(unsupported), 80)}")
        return None if selector.is_empty else selector

    def start(self, call: Call) -> None:
        package = self.text(call.given(0, "package_name"))
        activity = call.given(1, "activity")
        self.recorder.start(package, activity if isinstance(activity, str) else "", self.line)

    def click(self, call: Call) -> None:
        self.recorder.add(Tap(*self.point(call.given(0, "x"), call.given(1, "y"))), self.line)

    def long_click(self, call: Call) -> None:
        self.recorder.add(LongPress(*self.point(call.given(0, "x"), call.given(1, "y"))), self.line)

    def double_click(self, call: Call) -> None:
        self.recorder.add(DoubleTap(*self.point(call.given(0, "x"), call.given(1, "y"))), self.line)

    def swipe(self, call: Call) -> None:
        self._swipe(call, U2_SWIPE_MS, 0)

    def drag(self, call: Call) -> None:
        self._swipe(call, U2_DRAG_MS, LONG_PRESS_MS)

    def _swipe(self, call: Call, usual_ms: int, hold_ms: int) -> None:
        start = self.point(
            call.given(0, "fx", call.given(-1, "start_x")), call.given(1, "fy", call.given(-1, "start_y"))
        )
        end = self.point(call.given(2, "tx", call.given(-1, "end_x")), call.given(3, "ty", call.given(-1, "end_y")))
        duration = call.given(4, "duration")
        # uiautomator2 takes seconds, Appium milliseconds; a value below 20 is taken as seconds.
        milliseconds = self.number(duration) * (1000 if self.number(duration) < 20 else 1) if duration else usual_ms
        self.recorder.add(swipe(start, end, int(milliseconds), hold_ms), self.line)

    def swipe_screen(self, call: Call) -> None:
        direction = call.given(0, "direction")
        if direction not in DIRECTIONS:
            raise self.broken("swipe_ext needs a direction")
        across, down = DIRECTIONS[str(direction)]
        self.uses_parts = True
        width, height = self.profile.width, self.profile.height
        start = width / 2 - across * width * 0.4, height / 2 - down * height * 0.4
        end = width / 2 + across * width * 0.4, height / 2 + down * height * 0.4
        self.recorder.add(swipe(start, end, U2_SWIPE_MS), self.line)

    def press(self, call: Call) -> None:
        key = call.given(0, "key", call.given(-1, "keycode"))
        name = key_name(str(key)) or {"recent": "APP_SWITCH", "delete": "DEL", "center": "DPAD_CENTER"}.get(str(key))
        if name is None:
            raise self.broken(f"Android has no key {printable(str(key))}")
        self.recorder.add(Key(name), self.line)

    def back(self, call: Call) -> None:
        self.recorder.add(Key("BACK"), self.line)

    def type(self, call: Call) -> None:
        clears = call.given(1, "clear") is True
        self.recorder.add(Text(self.text(call.given(0, "text")), clears), self.line)

    def clear(self, call: Call) -> None:
        self.recorder.add(Text("", True), self.line)

    def turn_by(self, call: Call) -> None:
        self.turn(call.given(0, "value"))

    def turn(self, value: Value) -> None:
        orientation = ORIENTATIONS.get(str(value).lower())
        if orientation is None:
            raise self.broken(f"not an orientation: {printable(str(value))}")
        self.recorder.add(Rotate(orientation), self.line)

    def wait(self, seconds: Value) -> None:
        self.recorder.add(Wait(int(min(max(self.number(seconds), 0) * 1000, (1 << 31) - 1))), self.line)

    def pointer(self, call: Call) -> None:
        """Reads one link of W3C actions, as Appium's Inspector writes them."""
        match call.name:
            case "move_to_location":
                self.move_finger(call)
            case "pointer_down":
                self.touch(DOWN)
            case "release" | "pointer_up":
                # A move without a pause has no duration in the script; it gets that of a tap.
                self.clock_ms += TAP_MS
                self.touch(UP)
            case "pause":
                self.clock_ms += int(min(max(self.number(call.given(0, "duration")), 0), 3600) * 1000)

    def old_gesture(self, links: tuple[Call, ...]) -> None:
        """`TouchAction(driver).press(x=1, y=2).move_to(x=3, y=4).release().perform()`."""
        for link in links:
            match link.name:
                case "tap":
                    self.recorder.add(Tap(*self.point(link.given(-1, "x"), link.given(-1, "y"))), self.line)
                case "long_press":
                    self.move_finger(link)
                    self.touch(DOWN)
                    self.clock_ms += LONG_PRESS_MS
                case "press":
                    self.move_finger(link)
                    self.touch(DOWN)
                case "move_to":
                    self.move_finger(link)
                case "wait":
                    self.clock_ms += int(min(max(self.number(link.given(0, "ms")), 0), 3_600_000))
                case "release":
                    self.touch(UP)

    def move_finger(self, call: Call) -> None:
        x, y = self.point(call.given(0, "x"), call.given(1, "y"))
        self.finger = float(x), float(y)
        if self.fingers.are_down:
            self.clock_ms += U2_SWIPE_MS
            self.touch(MOVE)

    def touch(self, action: int) -> None:
        event = self.fingers.touch(action, {0: self.finger}, self.clock_ms)
        if event is not None:
            self.recorder.add(event, self.line)

    def take_capability(self, name: str, value: Value) -> None:
        if isinstance(value, str):
            self.capabilities[name.removeprefix("appium:")] = value

    def open_session(self) -> None:
        package = self.capabilities.get("appPackage")
        if package:
            self.recorder.start(package, self.capabilities.get("appActivity", ""), self.line)

    def point(self, x: Value, y: Value) -> tuple[int, int]:
        numbers = self.number(x), self.number(y)
        if all(0 <= number <= 1 for number in numbers) and any(isinstance(value, float) for value in (x, y)):
            if not self.uses_parts:
                self.add_loss(f"points are parts of the screen, here of {self.profile.name}'s; --profile names another")
            self.uses_parts = True
            numbers = numbers[0] * self.profile.width, numbers[1] * self.profile.height
        return pixel(numbers[0]), pixel(numbers[1])

    def number(self, value: Value) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e9:
            raise self.broken(f"not a number: {printable(repr(value))}")
        return value

    def text(self, value: Value) -> str:
        if not isinstance(value, str):
            raise self.broken(f"not a text: {printable(repr(value))}")
        return value

    def add_loss(self, reason: str) -> None:
        self.recorder.losses.add(self.line, reason)

    def broken(self, what: str) -> Exception:
        return broken(self.path, self.line, what)


def _pairs(value: Value) -> list[tuple[str, Value]]:
    return [(str(name), each) for name, each in value.items()] if isinstance(value, dict) else []


_DEVICE: dict[str, Callable[[_UiautomatorScript, Call], None]] = {
    **dict.fromkeys(("app_start", "session", "activate_app", "start_activity"), _UiautomatorScript.start),
    **dict.fromkeys(("click", "tap"), _UiautomatorScript.click),
    "long_click": _UiautomatorScript.long_click,
    "double_click": _UiautomatorScript.double_click,
    "swipe": _UiautomatorScript.swipe,
    "drag": _UiautomatorScript.drag,
    "swipe_ext": _UiautomatorScript.swipe_screen,
    **dict.fromkeys(("press", "press_keycode", "keyevent"), _UiautomatorScript.press),
    "back": _UiautomatorScript.back,
    "send_keys": _UiautomatorScript.type,
    "clear_text": _UiautomatorScript.clear,
    **dict.fromkeys(("set_orientation", "orientation"), _UiautomatorScript.turn_by),
}
