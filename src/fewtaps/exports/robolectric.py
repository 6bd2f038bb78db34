"""A JUnit test for the app's own project that replays a crash on Robolectric: no phone, no emulator."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from fewtaps.exports.assertions import AppCrashes, AppLeft, assertions_of, exception_of
from fewtaps.exports.dialects import JAVA, KOTLIN, Dialect, called, comments, filled, key_code, method_name
from fewtaps.exports.finding import Exported, Finding
from fewtaps.exports.quoting import slash_comment
from fewtaps.exports.suites import (
    ExportedFile,
    ExportedSuite,
    SuiteLosses,
    SuiteToExport,
    general_losses,
    method_names,
)
from fewtaps.exports.targets import WidgetTarget, target_of
from fewtaps.formats.export_support import NOT_SEEN
from fewtaps.formats.losses import AddLoss, Losses
from fewtaps.model.crash import CrashKind
from fewtaps.model.ending import Ending
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
from fewtaps.model.suite import SuiteTest
from fewtaps.model.told import describe_step
from fewtaps.model.trace import Step

DENSITIES = {120: "ldpi", 160: "mdpi", 213: "tvdpi", 240: "hdpi", 320: "xhdpi", 480: "xxhdpi", 640: "xxxhdpi"}
TOUCHES = {Tap: "tap", LongPress: "longPress", DoubleTap: "doubleTap"}
BROADCASTS = {
    "airplane_mode": "android.intent.action.AIRPLANE_MODE",
    "battery_low": "android.intent.action.BATTERY_LOW",
    "battery_okay": "android.intent.action.BATTERY_OKAY",
    "boot_completed": "android.intent.action.BOOT_COMPLETED",
    "connectivity": "android.net.conn.CONNECTIVITY_CHANGE",
    "date_changed": "android.intent.action.DATE_CHANGED",
    "headset": "android.intent.action.HEADSET_PLUG",
    "media_mounted": "android.intent.action.MEDIA_MOUNTED",
    "power_connected": "android.intent.action.ACTION_POWER_CONNECTED",
    "power_disconnected": "android.intent.action.ACTION_POWER_DISCONNECTED",
    "screen_off": "android.intent.action.SCREEN_OFF",
    "screen_on": "android.intent.action.SCREEN_ON",
    "time_changed": "android.intent.action.TIME_SET",
    "timezone_changed": "android.intent.action.TIMEZONE_CHANGED",
    "user_present": "android.intent.action.USER_PRESENT",
}
"""The system events that the twin performs by a broadcast alone."""
AIRPLANE_SETTING = "android.provider.Settings.Global.AIRPLANE_MODE_ON"
BY_PLACE = (
    "is made by its place alone; windows may lie elsewhere in Robolectric, which has no status bar, so check that it "
    "touches what it should"
)
NO_SCREEN = "the screen is not known, so Robolectric's own is used"
CRASH_PURPOSE = (
    "Replays the steps of a crash. As long as the defect is there, this test fails with the app's own exception; "
    "once it",
    "is fixed, the test passes.",
)
SUITE_PURPOSE = (
    "Plays the tests of a suite, and asserts after each step what is expected: the activity, texts and check marks. A",
    "test that ends in a known crash passes as long as the app crashes there with the same exception.",
)
NO_ACTIVITY = "android.content.ActivityNotFoundException"


def robolectric_java(finding: Finding) -> Exported:
    return _exported(finding, JAVA)


def robolectric_kotlin(finding: Finding) -> Exported:
    return _exported(finding, KOTLIN)


def robolectric_suite_java(suite: SuiteToExport) -> ExportedSuite:
    return _exported_suite(suite, JAVA)


def robolectric_suite_kotlin(suite: SuiteToExport) -> ExportedSuite:
    return _exported_suite(suite, KOTLIN)


def _exported(finding: Finding, dialect: Dialect) -> Exported:
    losses = Losses("step")
    root = finding.crash.root
    lines = list(_preparation("" if root is None else root.type, dialect))
    for number, step in enumerate(finding.trace.steps):
        lines.append(slash_comment(f"{number}. {describe_step(step)}"))
        lines.extend(_statements(step, dialect, losses.at(number)))
    values = {
        "provenance": comments(finding.provenance),
        "package": dialect.package(finding.app.package),
        "purpose": dialect.purpose(*CRASH_PURPOSE),
        "qualifiers": _qualifiers(finding.trace.screen, dialect),
        "class": f"{finding.name}Test",
        "tests": dialect.test(method_name(finding), lines, "Throwable"),
    }
    return Exported(filled(f"robolectric.{dialect.name}", values, called(lines)), (*losses.lines(), *_limits(finding)))


def _exported_suite(whole: SuiteToExport, dialect: Dialect) -> ExportedSuite:
    """One class with a method per test."""
    suite, losses = whole.suite, SuiteLosses()
    general_losses(suite, losses)
    tests = {f"test{name}": list(_test(test, dialect, losses)) for test, name in method_names(suite.tests)}
    screens = Counter(test.trace.screen for test in suite.tests if test.trace.screen is not None)
    screen = screens.most_common(1)[0][0] if screens else None
    if screen is None:
        losses.add(NO_SCREEN)
    elif len(screens) > 1:
        losses.add(f"the tests were recorded on {len(screens)} screens; all use the most frequent one here")
    values = {
        "provenance": comments(whole.provenance),
        "package": dialect.package(suite.app.package),
        "purpose": dialect.purpose(*SUITE_PURPOSE),
        "qualifiers": _qualifiers(screen, dialect),
        "class": f"{whole.name}SuiteTest",
        "tests": "\n\n".join(dialect.test(name, lines, "Throwable") for name, lines in tests.items()),
    }
    used = {name for lines in tests.values() for name in called(lines)}
    text = filled(f"robolectric.{dialect.name}", values, used)
    return ExportedSuite((ExportedFile(values["class"] + dialect.suffix, text),), losses.lines())


def _test(test: SuiteTest, dialect: Dialect, losses: SuiteLosses) -> Iterator[str]:
    wanted = test.trace.steps[-1].expect
    yield from _preparation(exception_of(wanted), dialect)
    for number, step in enumerate(test.trace.steps):
        add_loss = losses.at(test, number)
        assertions = list(assertions_of(step.expect, add_loss))
        crash = next((each for each in assertions if isinstance(each, AppCrashes)), None)
        if step.expect is not None and step.expect.ending is Ending.EXITED:
            add_loss("the app ends its own process in this step, which would end the test run; the step is left out")
            return
        if crash is not None and not crash.exception:
            add_loss("the app hangs or dies in this step, which a unit test does not survive; the step is left out")
            return
        yield slash_comment(f"{number}. {describe_step(step)}")
        statements = list(_statements(step, dialect, add_loss))
        yield from statements if crash is None else dialect.crash(crash.exception, statements)
        for assertion in assertions:
            if isinstance(assertion, AppLeft):
                add_loss("that the app is left is not asserted: Robolectric shows no other app")
            elif not isinstance(assertion, AppCrashes):
                yield dialect.assertion(assertion)


def _preparation(exception: str, dialect: Dialect) -> Iterator[str]:
    if exception == NO_ACTIVITY:
        yield slash_comment("As where it was found, no other app is there to answer an intent.")
        yield dialect.call("shadowOf(application).checkActivities", "true")


def _qualifiers(screen: tuple[int, int, int] | None, dialect: Dialect) -> str:
    """The part of the annotation for the recorded screen; empty if the screen is unknown."""
    if screen is None:
        return ""
    width, height, dpi = screen
    across, down = (max(1, side * 160 // max(1, dpi)) for side in (width, height))
    turned = "land-" if width > height else ""
    qualifiers = f"w{across}dp-h{down}dp-{turned}{DENSITIES.get(dpi, f'{dpi}dpi')}"
    return f"qualifiers = {dialect.string(qualifiers)}, "


def _limits(finding: Finding) -> Iterator[str]:
    crash = finding.crash
    if crash.kind is not CrashKind.EXCEPTION:
        yield f"{finding.exception}: a unit test sees exceptions only; this one may hang or die instead of failing"
    elif crash.thread not in ("main", ""):
        yield "the crash is on a thread in the background, whose timing Robolectric leaves to the machine"
    if finding.trace.screen is None:
        yield NO_SCREEN


def _statements(step: Step, dialect: Dialect, add_loss: AddLoss) -> Iterator[str]:
    event = step.event
    match event:
        case Launch():
            yield dialect.call("launch")
        case Tap() | LongPress() | DoubleTap():
            target = target_of(step)
            if target.is_nowhere:
                add_loss(NOT_SEEN)
                return
            if not target.has_name:
                add_loss(BY_PLACE)
            yield dialect.call(TOUCHES[type(event)], dialect.target(target))
        case Swipe(x1, y1, x2, y2):
            numbers = (x1, y1, x2, y2, event.duration_ms, event.hold_ms)
            yield dialect.call("swipe", *map(str, numbers))
        case Pinch():
            add_loss("a pinch is left out")
        case Text():
            yield dialect.call("type", _field(step, event, dialect), dialect.string(event.text), _truth(event.replace))
        case Key(name):
            code = key_code(name)
            if code is None:
                add_loss("a key that Android does not have is left out")
            else:
                yield dialect.call("key", code)
        case Rotate():
            if event.is_reversed:
                add_loss("which way round the phone is held upside down makes no difference here")
            yield dialect.call("rotate", dialect.string("land" if event.is_landscape else "port"))
        case Wait(ms):
            yield dialect.call("settle", f"{ms}")
        case StartIntent():
            yield dialect.call("start", dialect.intent(event))
        case SystemEvent():
            lines = list(_system(event, dialect))
            yield from lines
            if not lines:
                add_loss(f"an event of the system ({event.name}) is left out")


def _field(step: Step, event: Text, dialect: Dialect) -> str:
    target = target_of(step) if event.selector is not None else WidgetTarget()
    return "null" if target.is_nowhere else dialect.target(target)


def _truth(value: bool) -> str:
    return "true" if value else "false"


def _system(event: SystemEvent, dialect: Dialect) -> Iterator[str]:
    arguments = dict(event.arguments)
    match event.name:
        case "broadcast" if arguments.get("action"):
            yield _broadcast(arguments.pop("action"), arguments, dialect)
        case "airplane_mode":
            state = arguments.setdefault("state", "true")
            setting = ("application.getContentResolver()", AIRPLANE_SETTING, "1" if state == "true" else "0")
            yield dialect.call("android.provider.Settings.Global.putInt", *setting)
            yield _broadcast(BROADCASTS[event.name], arguments, dialect)
        case "time_changed":
            # The broadcast alone: a test of Robolectric has a clock of its own.
            arguments.pop("by_seconds", None)
            yield _broadcast(BROADCASTS[event.name], arguments, dialect)
        case name if name in BROADCASTS:
            yield _broadcast(BROADCASTS[name], arguments, dialect)
        case "low_memory":
            yield dialect.call("lowMemory")
        case "locale":
            yield dialect.call("locale", dialect.string(arguments.get("to", "de-DE")))
        case "permission" if arguments.get("name") and arguments.get("to") in ("granted", "denied"):
            verb = "grantPermissions" if arguments["to"] == "granted" else "denyPermissions"
            yield dialect.call(f"shadowOf(application).{verb}", dialect.string(arguments["name"]))


def _broadcast(action: str, extras: dict[str, str], dialect: Dialect) -> str:
    data = extras.pop("data", None)
    typed = tuple((name, _typed(value)) for name, value in extras.items())
    return dialect.call("broadcast", dialect.intent(StartIntent(action, data, extras=typed)))


def _typed(value: str) -> ExtraValue:
    """The value as a boolean or number if its text is one, as in the twin."""
    if value in ("true", "false"):
        return value == "true"
    return int(value) if re.fullmatch(r"-?[0-9]{1,9}", value) else value
