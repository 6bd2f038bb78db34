"""Tests for pytest that replay a crash on a phone: one for uiautomator2, one for Appium."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from fewtaps.exports.assertions import (
    ActivityShown,
    AppCrashes,
    AppLeft,
    TextShown,
    WidgetChecked,
    WidgetText,
    phone_assertions,
)
from fewtaps.exports.dialects import called, filled
from fewtaps.exports.finding import Exported, Finding
from fewtaps.exports.quoting import hash_comment, python_string
from fewtaps.exports.suites import (
    NO_PACKAGE,
    ExportedFile,
    ExportedSuite,
    SuiteLosses,
    SuiteToExport,
    general_losses,
    method_names,
    snake_case,
)
from fewtaps.exports.targets import WidgetTarget, target_of
from fewtaps.formats.adbwriter import intent_commands, system_commands
from fewtaps.formats.export_support import NOT_SEEN
from fewtaps.formats.keycodes import KEY_CODES
from fewtaps.formats.losses import AddLoss, Losses
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
)
from fewtaps.model.suite import Suite, SuiteTest
from fewtaps.model.told import describe_step
from fewtaps.model.trace import Step

INDENT = "    "
TOUCHES = {Tap: "tap", LongPress: "long_press", DoubleTap: "double_tap"}
TURNS = {"portrait": "natural", "landscape": "left", "reverse_portrait": "upsidedown", "reverse_landscape": "right"}

_AS_LONG = (
    "As long as the defect is there, the test fails with the stack that Android logged; once it is fixed, it passes."
)
_AFTER_EACH = (
    "After each step a test asserts what is expected: the activity, texts and check marks, or a crash that is known."
)


@dataclass(frozen=True, slots=True)
class Driver:
    """The template of one tool, its texts, and the functions that write its calls.

    `suite_file` is the name of a suite's file with `{snake}` in place of the app's name.
    """

    template: str
    suite_file: str
    crash_purpose: str
    suite_purpose: str
    swipe: Callable[[Swipe], str]
    rotate: Callable[[Rotate, AddLoss], str]
    intent: Callable[[StartIntent, AddLoss], Iterator[str]]
    system: Callable[[SystemEvent, str], Iterator[str]]


def uiautomator2_pytest(finding: Finding) -> Exported:
    return _exported(finding, _UIAUTOMATOR2)


def appium_pytest(finding: Finding) -> Exported:
    return _exported(finding, _APPIUM)


def uiautomator2_suite(suite: SuiteToExport) -> ExportedSuite:
    return _exported_suite(suite, _UIAUTOMATOR2)


def appium_suite(suite: SuiteToExport) -> ExportedSuite:
    return _exported_suite(suite, _APPIUM)


def _exported(finding: Finding, driver: Driver) -> Exported:
    losses = Losses("step")
    lines: list[str] = []
    for number, step in enumerate(finding.trace.steps):
        lines.append(hash_comment(f"{number}. {describe_step(step)}"))
        add_loss = losses.at(number)
        lines.extend(f"phone.{call}" for call in _calls(step, finding.app.package, driver, add_loss))
    values = {
        "provenance": "\n".join(hash_comment(line) for line in finding.provenance),
        "purpose": driver.crash_purpose,
        "package": python_string(finding.app.package),
        "tests": _function(snake_case(finding.name), lines),
    }
    unnamed = () if finding.app.package else (NO_PACKAGE,)
    return Exported(filled(driver.template, values, called(lines)), (*losses.lines(), *unnamed))


def _exported_suite(whole: SuiteToExport, driver: Driver) -> ExportedSuite:
    """One module with a function per test."""
    suite, losses = whole.suite, SuiteLosses()
    general_losses(suite, losses)
    if not suite.app.package:
        losses.add(NO_PACKAGE)
    tests = {snake_case(name): list(_test(test, suite, driver, losses)) for test, name in method_names(suite.tests)}
    values = {
        "provenance": "\n".join(hash_comment(line) for line in whole.provenance),
        "purpose": driver.suite_purpose,
        "package": python_string(suite.app.package),
        "tests": "\n\n\n".join(_function(name, lines) for name, lines in tests.items()),
    }
    text = filled(driver.template, values, {name for lines in tests.values() for name in called(lines)})
    name = driver.suite_file.format(snake=snake_case(whole.name))
    return ExportedSuite((ExportedFile(name, text),), losses.lines())


def _test(test: SuiteTest, suite: Suite, driver: Driver, losses: SuiteLosses) -> Iterator[str]:
    for number, step in enumerate(test.trace.steps):
        add_loss = losses.at(test, number)
        yield hash_comment(f"{number}. {describe_step(step)}")
        calls = [f"phone.{call}" for call in _calls(step, suite.app.package, driver, add_loss)]
        assertions = list(phone_assertions(step.expect, add_loss))
        crash = next((each for each in assertions if isinstance(each, AppCrashes)), None)
        if crash is None or not calls:
            yield from calls
        else:
            yield f"with phone.crash_expected({python_string(crash.exception)}):"
            yield from (INDENT + call for call in calls)
        yield from (f"phone.{_assertion(each)}" for each in assertions if not isinstance(each, AppCrashes))


def _assertion(assertion: ActivityShown | AppLeft | WidgetText | TextShown | WidgetChecked) -> str:
    match assertion:
        case ActivityShown(name):
            return f"expect_activity({python_string(name)})"
        case AppLeft():
            return "expect_left()"
        case WidgetText(target, text):
            return f"expect_text({python_string(text)}, {_named(target)})"
        case TextShown(text):
            return f"expect_shown({python_string(text)})"
        case WidgetChecked(target, checked):
            return f"expect_checked({checked}, {_named(target)})"


def _function(name: str, lines: list[str]) -> str:
    return "\n".join((f"def test_{name}(phone):", *(INDENT + line for line in lines)))


def _calls(step: Step, package: str, driver: Driver, add_loss: AddLoss) -> Iterator[str]:
    event = step.event
    match event:
        case Launch():
            yield "launch()"
        case Tap() | LongPress() | DoubleTap():
            target = target_of(step).on_phone
            if target.is_nowhere:
                add_loss(NOT_SEEN)
            else:
                yield f"{TOUCHES[type(event)]}({_named(target)})"
        case Swipe():
            yield driver.swipe(event)
        case Pinch(from_span=start, to_span=end):
            point = target_of(step).point
            if point is None:
                add_loss(NOT_SEEN)
            else:
                yield f"pinch({point}, {start}, {end})"
        case Text():
            target = target_of(step).on_phone if event.selector is not None else WidgetTarget()
            more = ", replace=True" if event.replace else ""
            names = "" if target.is_nowhere else f", {_named(target)}"
            yield f"type({python_string(event.text)}{more}{names})"
        case Key(name):
            if name in KEY_CODES:
                yield f"key({KEY_CODES[name]})  # {name}"
            else:
                add_loss("a key that Android does not have is left out")
        case Rotate():
            yield driver.rotate(event, add_loss)
        case Wait(ms):
            yield f"wait({ms / 1000:g})"
        case StartIntent():
            yield from driver.intent(event, add_loss)
        case SystemEvent():
            calls = list(driver.system(event, package))
            yield from calls
            if not calls:
                add_loss(f"an event of the system ({event.name}) is left out")


def _named(target: WidgetTarget) -> str:
    """The attributes and the point as keyword arguments."""
    arguments = [f"{name}={python_string(value)}" for name, value in target.names()]
    arguments += [f"nth={target.nth}"] if target.nth else []
    arguments += [f"at={target.point}"] if target.point is not None else []
    return ", ".join(arguments)


def _swipe_seconds(swipe: Swipe) -> str:
    verb = "drag" if swipe.hold_ms else "swipe"
    return f"{verb}(({swipe.x1}, {swipe.y1}), ({swipe.x2}, {swipe.y2}), {max(swipe.duration_ms, 10) / 1000:g})"


def _swipe_milliseconds(swipe: Swipe) -> str:
    points = f"({swipe.x1}, {swipe.y1}), ({swipe.x2}, {swipe.y2})"
    return f"drag({points})" if swipe.hold_ms else f"swipe({points}, {swipe.duration_ms})"


def _turn_any(rotate: Rotate, add_loss: AddLoss) -> str:
    return f'rotate("{TURNS[rotate.to]}")'


def _turn_half(rotate: Rotate, add_loss: AddLoss) -> str:
    if rotate.is_reversed:
        add_loss("Appium cannot hold a phone upside down; it is turned without that")
    return 'rotate("LANDSCAPE")' if rotate.is_landscape else 'rotate("PORTRAIT")'


def _by_shell(intent: StartIntent, add_loss: AddLoss) -> Iterator[str]:
    yield from (f"shell({python_string(command)})" for command in intent_commands(intent, add_loss))


def _system_by_shell(event: SystemEvent, package: str) -> Iterator[str]:
    yield from (f"shell({python_string(command)})" for command in system_commands(event, package))


def _start_activity(intent: StartIntent, add_loss: AddLoss) -> Iterator[str]:
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


_UIAUTOMATOR2 = Driver(
    "uiautomator2.py",
    "test_{snake}_suite.py",
    f"Replays the steps of a crash on a phone or an emulator.\n\n{_AS_LONG}",
    f"Plays the tests of a suite on a phone or an emulator.\n\n{_AFTER_EACH}",
    _swipe_seconds,
    _turn_any,
    _by_shell,
    _system_by_shell,
)
_APPIUM = Driver(
    "appium.py",
    "test_{snake}_suite_appium.py",
    f"Replays the steps of a crash on a phone or an emulator, by Appium.\n\n{_AS_LONG}",
    f"Plays the tests of a suite on a phone or an emulator, by Appium.\n\n{_AFTER_EACH}",
    _swipe_milliseconds,
    _turn_half,
    _start_activity,
    _system_by_mobile,
)
