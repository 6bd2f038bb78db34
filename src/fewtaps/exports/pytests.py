"""Tests for pytest that replay a crash on a phone: one for uiautomator2, one for Appium."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from fewtaps.exports.aiming import Aim, aim_of
from fewtaps.exports.dialects import called, filled
from fewtaps.exports.finding import Exported, Finding
from fewtaps.exports.quoting import hash_comment, python_string
from fewtaps.formats.adbwriter import intent_commands, system_commands
from fewtaps.formats.export_support import NOT_SEEN
from fewtaps.formats.keycodes import KEY_CODES
from fewtaps.formats.losses import Losses
from fewtaps.model.event import (
    DoubleTap,
    ExtraValue,
    Key,
    Launch,
    LongPress,
    Pinch,
    Rotate,
    StartIntent,
    Swipe,
    SystemEvent,
    Tap,
    Text,
    Wait,
    describe,
)
from fewtaps.model.trace import Step

INDENT = "    "
TOUCHES = {Tap: "tap", LongPress: "long_press", DoubleTap: "double_tap"}
TURNS = {"portrait": "natural", "landscape": "left", "reverse_portrait": "upsidedown", "reverse_landscape": "right"}

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Driver:
    """What one tool does in its own way."""

    template: str
    swipe: Callable[[Swipe], str]
    rotate: Callable[[Rotate, Tell], str]
    intent: Callable[[StartIntent, Tell], Iterator[str]]
    system: Callable[[SystemEvent, str], Iterator[str]]


def uiautomator2_pytest(finding: Finding) -> Exported:
    """The test for uiautomator2."""
    return _exported(finding, _UIAUTOMATOR2)


def appium_pytest(finding: Finding) -> Exported:
    """The test for Appium."""
    return _exported(finding, _APPIUM)


def _exported(finding: Finding, driver: Driver) -> Exported:
    losses = Losses("step")
    lines: list[str] = []
    for number, step in enumerate(finding.trace.steps):
        lines.append(hash_comment(f"{number}. {describe(step.event)}"))
        tell: Tell = lambda reason, at=number: losses.add(at, reason)  # type: ignore[misc]  # noqa: E731
        lines.extend(f"phone.{call}" for call in _calls(step, finding.app.package, driver, tell))
    values = {
        "provenance": "\n".join(hash_comment(line) for line in finding.provenance),
        "package": python_string(finding.app.package),
        "method": snake_case(finding.name),
        "steps": "\n".join(INDENT + line for line in lines),
    }
    told = (*losses.lines(), *(() if finding.app.package else ("the app is not named, so it cannot be started",)))
    return Exported(filled(driver.template, values, called(lines)), told)


def snake_case(name: str) -> str:
    """A name in Python's way."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def _calls(step: Step, package: str, driver: Driver, tell: Tell) -> Iterator[str]:
    event = step.event
    match event:
        case Launch():
            yield "launch()"
        case Tap() | LongPress() | DoubleTap():
            aim = aim_of(step).on_phone
            if aim.is_nowhere:
                tell(NOT_SEEN)
            else:
                yield f"{TOUCHES[type(event)]}({_named(aim)})"
        case Swipe():
            yield driver.swipe(event)
        case Pinch(from_span=start, to_span=end):
            point = aim_of(step).point
            if point is None:
                tell(NOT_SEEN)
            else:
                yield f"pinch({point}, {start}, {end})"
        case Text():
            aim = aim_of(step).on_phone if event.selector is not None else Aim()
            more = ", replace=True" if event.replace else ""
            names = "" if aim.is_nowhere else f", {_named(aim)}"
            yield f"type({python_string(event.text)}{more}{names})"
        case Key(name):
            if name in KEY_CODES:
                yield f"key({KEY_CODES[name]})  # {name}"
            else:
                tell("a key that Android does not have is left out")
        case Rotate():
            yield driver.rotate(event, tell)
        case Wait(ms):
            yield f"wait({ms / 1000:g})"
        case StartIntent():
            yield from driver.intent(event, tell)
        case SystemEvent():
            calls = list(driver.system(event, package))
            yield from calls
            if not calls:
                tell(f"an event of the system ({event.name}) is left out")


def _named(aim: Aim) -> str:
    """The names and the place as keyword arguments."""
    arguments = [f"{name}={python_string(value)}" for name, value in aim.names()]
    arguments += [f"nth={aim.nth}"] if aim.nth else []
    arguments += [f"at={aim.point}"] if aim.point is not None else []
    return ", ".join(arguments)


def _swipe_seconds(swipe: Swipe) -> str:
    verb = "drag" if swipe.hold_ms else "swipe"
    return f"{verb}(({swipe.x1}, {swipe.y1}), ({swipe.x2}, {swipe.y2}), {max(swipe.duration_ms, 10) / 1000:g})"


def _swipe_milliseconds(swipe: Swipe) -> str:
    points = f"({swipe.x1}, {swipe.y1}), ({swipe.x2}, {swipe.y2})"
    return f"drag({points})" if swipe.hold_ms else f"swipe({points}, {swipe.duration_ms})"


def _turn_any(rotate: Rotate, tell: Tell) -> str:
    return f'rotate("{TURNS[rotate.to]}")'


def _turn_half(rotate: Rotate, tell: Tell) -> str:
    if rotate.to.startswith("reverse_"):
        tell("Appium cannot hold a phone upside down; it is turned without that")
    return f'rotate("{rotate.to.removeprefix("reverse_").upper()}")'


def _by_shell(intent: StartIntent, tell: Tell) -> Iterator[str]:
    yield from (f"shell({python_string(command)})" for command in intent_commands(intent, tell))


def _system_by_shell(event: SystemEvent, package: str) -> Iterator[str]:
    yield from (f"shell({python_string(command)})" for command in system_commands(event, package))


def _start_activity(intent: StartIntent, tell: Tell) -> Iterator[str]:
    texts = (
        ("action", intent.action),
        ("uri", intent.data),
        ("mimeType", intent.mime),
        ("component", intent.component),
    )
    arguments = [f"{name}={python_string(text)}" for name, text in texts if text]
    if intent.categories:
        arguments.append(f"categories=[{', '.join(map(python_string, intent.categories))}]")
    if intent.extras:
        arguments.append(f"extras=[{', '.join(_extra(name, value) for name, value in intent.extras)}]")
    yield "mobile({})".format(", ".join(('"startActivity"', *arguments)))


def _extra(name: str, value: ExtraValue) -> str:
    if isinstance(value, bool):
        kind, text = "z", str(value).lower()
    elif isinstance(value, int):
        kind, text = ("i" if -(1 << 31) <= value < 1 << 31 else "l"), str(value)
    else:
        kind, text = ("s", value) if isinstance(value, str) else ("f", repr(value))
    return f'["{kind}", {python_string(name)}, {python_string(text)}]'


def _system_by_mobile(event: SystemEvent, package: str) -> Iterator[str]:
    arguments = dict(event.arguments)
    match event.name:
        case "broadcast" if "action" in arguments:
            extras = [_extra(name, value) for name, value in arguments.items() if name != "action"]
            more = f", extras=[{', '.join(extras)}]" if extras else ""
            yield f'mobile("broadcast", action={python_string(arguments["action"])}{more})'
        case "screen_off":
            yield 'mobile("lock")'
        case "screen_on":
            yield 'mobile("unlock")'
        case "airplane_mode" if arguments.get("state") in ("true", "false"):
            yield f'mobile("setConnectivity", airplaneMode={arguments["state"] == "true"})'
        case "permission" if arguments.get("name") and arguments.get("to") in ("granted", "denied"):
            action = "grant" if arguments["to"] == "granted" else "revoke"
            permission = python_string(arguments["name"])
            yield f'mobile("changePermissions", action="{action}", appPackage=PACKAGE, permissions={permission})'


_UIAUTOMATOR2 = Driver("uiautomator2.py", _swipe_seconds, _turn_any, _by_shell, _system_by_shell)
_APPIUM = Driver("appium.py", _swipe_milliseconds, _turn_half, _start_activity, _system_by_mobile)
