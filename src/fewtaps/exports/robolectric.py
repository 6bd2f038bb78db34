"""A JUnit test for the app's own project that replays a crash on Robolectric: no phone, no emulator."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fewtaps.exports.dialects import JAVA, KOTLIN, Dialect, called, filled, key_code, method_name, provenance
from fewtaps.exports.finding import Exported, Finding
from fewtaps.exports.quoting import slash_comment
from fewtaps.exports.targets import WidgetTarget, target_of
from fewtaps.formats.export_support import NOT_SEEN
from fewtaps.formats.losses import AddLoss, Losses
from fewtaps.model.crash import CrashKind
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
NO_ACTIVITY = "android.content.ActivityNotFoundException"


def robolectric_java(finding: Finding) -> Exported:
    return _exported(finding, JAVA)


def robolectric_kotlin(finding: Finding) -> Exported:
    return _exported(finding, KOTLIN)


def _exported(finding: Finding, dialect: Dialect) -> Exported:
    losses = Losses("step")
    lines = list(_preparation(finding, dialect))
    for number, step in enumerate(finding.trace.steps):
        lines.append(slash_comment(f"{number}. {describe(step.event)}"))
        lines.extend(_statements(step, dialect, losses.at(number)))
    values = {
        "provenance": provenance(finding),
        "package": dialect.package(finding.app.package),
        "config": _config(finding, dialect),
        "class": f"{finding.name}Test",
        "method": method_name(finding),
        "steps": "\n".join(INDENT * (1 if dialect.end else 2) + line for line in lines),
    }
    used = called(lines) | ({"config"} if values["config"] else set())
    return Exported(filled(f"robolectric.{dialect.name}", values, used), (*losses.lines(), *_limits(finding)))


def _preparation(finding: Finding, dialect: Dialect) -> Iterator[str]:
    root = finding.crash.root
    if root is not None and root.type == NO_ACTIVITY:
        yield slash_comment("As where it was found, no other app is there to answer an intent.")
        yield dialect.call("shadowOf(application).checkActivities", "true")


def _config(finding: Finding, dialect: Dialect) -> str:
    """The annotation for the recorded screen; empty if the screen is unknown."""
    if finding.trace.screen is None:
        return ""
    width, height, dpi = finding.trace.screen
    across, down = (max(1, side * 160 // max(1, dpi)) for side in (width, height))
    turned = "land-" if width > height else ""
    qualifiers = f"w{across}dp-h{down}dp-{turned}{DENSITIES.get(dpi, f'{dpi}dpi')}"
    return f"@Config(qualifiers = {dialect.string(qualifiers)})\n"


def _limits(finding: Finding) -> Iterator[str]:
    crash = finding.crash
    if crash.kind is not CrashKind.EXCEPTION:
        yield f"{finding.exception}: a unit test sees exceptions only; this one may hang or die instead of failing"
    elif crash.thread not in ("main", ""):
        yield "the crash is on a thread in the background, whose timing Robolectric leaves to the machine"
    if finding.trace.screen is None:
        yield "the screen is not known, so Robolectric's own is used"


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
