"""Commands of the device's shell that start, stop and install apps: am, pm, cmd."""

from __future__ import annotations

import base64
import hashlib
import logging
import re
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field

from fewtaps.adbd.agent_commands import instrument
from fewtaps.adbd.channel import Pause
from fewtaps.adbd.guests import RUNNER, TARGETS, SentPackage
from fewtaps.adbd.phone import ServedPhone
from fewtaps.adbd.shell import CommandCall, Running, ShellCommand
from fewtaps.errors import FewtapsError, UsageError
from fewtaps.formats.recording import in_package
from fewtaps.model.app import App, Component
from fewtaps.model.event import ExtraValue, Key, StartIntent, SystemEvent, Text, printable

log = logging.getLogger(__name__)

MAIN = "android.intent.action.MAIN"
LAUNCHER_CATEGORY = "android.intent.category.LAUNCHER"
SYSTEM_PACKAGES = ("android", "com.android.launcher3", "com.android.settings", "com.android.systemui")
LOCALE_ACTION = "io.appium.settings.locale"
COMMIT_ACTION, IME_STATUS_ACTION = "dev.mobile.maestro.ime.commitText", "dev.mobile.maestro.ime.status"
"""Broadcasts to the helper apps of Appium and Maestro."""
MAX_APK = 512 << 20
"""Bytes of a streamed package that are read before it is refused."""
MAX_GUEST = 64 << 20
"""Bytes of a package that is read; larger ones can only be the served app."""

_NAMED = {
    "android.intent.action.AIRPLANE_MODE": "airplane_mode",
    "android.intent.action.BATTERY_LOW": "battery_low",
    "android.intent.action.BATTERY_OKAY": "battery_okay",
    "android.intent.action.BOOT_COMPLETED": "boot_completed",
    "android.intent.action.SCREEN_OFF": "screen_off",
    "android.intent.action.SCREEN_ON": "screen_on",
    "android.intent.action.ACTION_POWER_CONNECTED": "power_connected",
    "android.intent.action.ACTION_POWER_DISCONNECTED": "power_disconnected",
    "android.intent.action.TIME_SET": "time_changed",
    "android.intent.action.USER_PRESENT": "user_present",
}
"""Broadcasts that are events of the system with a name of their own."""


@dataclass(slots=True)
class IntentWords:
    """What the options of `am` say of an intent."""

    action: str | None = None
    data: str | None = None
    mime: str | None = None
    component: str | None = None
    package: str | None = None
    categories: list[str] = field(default_factory=list)
    extras: dict[str, ExtraValue] = field(default_factory=dict)
    flags: set[str] = field(default_factory=set)


_EXTRAS: dict[str, Callable[[str], ExtraValue]] = {
    **dict.fromkeys(("-e", "--es", "--eu", "--ecn"), str),
    **dict.fromkeys(("--ei", "--el"), lambda text: _whole(text)),
    **dict.fromkeys(("--ef", "--ed"), lambda text: float(text)),
    "--ez": lambda text: text.lower() in ("true", "1", "t"),
}
_SKIPPED = (
    "-f",
    "--user",
    "--display",
    "-i",
    "-R",
    "-P",
    "--windowingMode",
    "--receiver-permission",
    "--activity-options",
)


def _whole(text: str) -> int:
    if not re.fullmatch(r"[+-]?\d{1,19}", text):
        raise UsageError(f"not a whole number: {text[:40]}")
    return int(text)


def read_intent(words: Sequence[str]) -> IntentWords:
    """The intent of the words behind `am start` or `am broadcast`. Raises UsageError."""
    intent = IntentWords()
    rest = list(words)

    def value(option: str) -> str:
        if not rest:
            raise UsageError(f'Argument expected after "{option}"')
        return rest.pop(0)

    while rest:
        word = rest.pop(0)
        if word == "-a":
            intent.action = value(word)
        elif word == "-d":
            intent.data = value(word)
        elif word == "-t":
            intent.mime = value(word)
        elif word == "-n":
            intent.component = value(word)
        elif word == "-p":
            intent.package = value(word)
        elif word == "-c":
            intent.categories.append(value(word))
        elif word in _EXTRAS:
            name = value(word)
            intent.extras[name] = _EXTRAS[word](value(word))
        elif word in _SKIPPED or word == "--esn":
            value(word)
        elif word.startswith("-"):
            intent.flags.add(word)
        elif "/" in word and ":" not in word:
            intent.component = word
        elif re.match(r"\w+:", word):
            intent.data = word
        else:
            intent.package = word
    return intent


def _is_launch(phone: ServedPhone, intent: IntentWords) -> bool:
    launcher = phone.app.launcher
    if intent.component is not None:
        component = _component(intent.component)
        has_more = intent.data or intent.mime or intent.extras or intent.action not in (None, MAIN)
        return not has_more and (component.rpartition("/")[2] == launcher or launcher is None)
    if intent.action == MAIN and LAUNCHER_CATEGORY in intent.categories:
        return intent.package in (None, phone.app.package)
    return intent.package == phone.app.package and intent.action in (None, MAIN)


def _component(word: str) -> str:
    package, _, name = word.partition("/")
    return f"{package}/{in_package(package, name)}"


def _start(call: CommandCall, words: Sequence[str]) -> int:
    phone = call.phone
    intent = read_intent(words)
    shown = _shown(intent)
    package = _package(intent)
    if intent.action == MAIN and "android.intent.category.HOME" in intent.categories:
        phone.perform(Key("HOME"))
        call.say(f"Starting: Intent {{ {shown} }}")
        return 0
    if package is not None and package in phone.guests.packages:
        phone.guests.started.add(package)
        call.say(f"Starting: Intent {{ {shown} }}")
        return 0
    if package is not None and package != phone.app.package:
        call.say(f"Starting: Intent {{ {shown} }}")
        call.stderr.write(b"Error type 3\n")
        return call.fail(f"Error: Activity class {{{intent.component or package}}} does not exist.")
    if "-S" in intent.flags:
        phone.stop()
    call.say(f"Starting: Intent {{ {shown} }}")
    before = phone.now_ms
    was_running = phone.is_running
    if _is_launch(phone, intent):
        if not phone.start():
            call.stderr.write(
                b"Warning: Activity not started, intent has been delivered to currently running top-most instance.\n"
            )
    else:
        component = _component(intent.component) if intent.component else None
        event = StartIntent(
            intent.action, intent.data, component, tuple(intent.categories), tuple(intent.extras.items()), intent.mime
        )
        if not was_running:
            phone.launch()
        phone.perform(event)
    if "-W" in intent.flags:
        took = phone.now_ms - before
        activity = phone.screen.activity or phone.app.launcher or ""
        call.say("Status: ok", f"LaunchState: {'WARM' if was_running else 'COLD'}")
        call.say(f"Activity: {phone.app.package}/{activity.removeprefix(phone.app.package)}", f"TotalTime: {took}")
        call.say(f"WaitTime: {took}", "Complete")
    return 0


def _shown(intent: IntentWords) -> str:
    parts = [f"act={intent.action}" if intent.action else "", f"dat={intent.data}" if intent.data else ""]
    parts += [f"cat=[{','.join(intent.categories)}]" if intent.categories else ""]
    parts += [f"pkg={intent.package}" if intent.package else "", f"cmp={intent.component}" if intent.component else ""]
    return " ".join(part for part in parts if part) + (" (has extras)" if intent.extras else "")


def _broadcast(call: CommandCall, words: Sequence[str]) -> int:
    intent = read_intent(words)
    call.say(f"Broadcasting: Intent {{ {_shown(intent)} }}")
    if intent.action is None:
        return call.fail("Error: a broadcast without an action cannot be sent here")
    if _package(intent) not in (None, call.phone.app.package):
        call.say(f"Broadcast completed: result={_told(call.phone, intent)}")
        return 0
    arguments = tuple((name, _text(value)) for name, value in intent.extras.items())
    name = _NAMED.get(intent.action)
    if name is not None:
        call.phone.perform(SystemEvent(name, arguments))
    else:
        call.phone.perform(SystemEvent("broadcast", (("action", intent.action), *arguments)))
    call.say("Broadcast completed: result=0")
    return 0


def _package(intent: IntentWords) -> str | None:
    return intent.component.partition("/")[0] if intent.component else intent.package


def _told(phone: ServedPhone, intent: IntentWords) -> int:
    """What a helper app of a tool answers to a broadcast: -1 if the device did what was asked."""
    if _package(intent) not in phone.guests.packages:
        return 0
    if intent.action == LOCALE_ACTION and "lang" in intent.extras:
        parts = [str(intent.extras[name]) for name in ("lang", "country") if intent.extras.get(name)]
        phone.perform(SystemEvent("locale", (("to", "-".join(parts)),)))
        return -1
    if intent.action == COMMIT_ACTION and "textBase64" in intent.extras:
        text = str(intent.extras["textBase64"])
        phone.perform(Text(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode("utf-8", "replace")))
        return 0
    if intent.action != IME_STATUS_ACTION:
        phone.count_unknown(f"the broadcast {intent.action}")
    return 0


def _text(value: ExtraValue) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _am(call: CommandCall) -> int | Running:
    words = call.arguments
    match words:
        case ["start" | "start-activity", *rest]:
            return _start(call, rest)
        case ["broadcast", *rest]:
            return _broadcast(call, rest)
        case ["force-stop" | "kill" | "crash", *rest] if rest:
            for package in rest:
                call.phone.guests.stop(package)
            if call.phone.app.package in rest:
                call.phone.stop()
            return 0
        case ["kill-all"]:
            return 0
        case ["stack" | "task", *_] | ["get-current-user"] | ["current-user"]:
            call.say("0")
            return 0
        case ["send-trim-memory", *_]:
            call.phone.perform(SystemEvent("low_memory"))
            return 0
        case ["instrument", *rest]:
            return instrument(call, rest)
        case ["startservice" | "start-service" | "start-foreground-service" | "stopservice", *rest]:
            intent = read_intent(rest)
            if intent.component is None or intent.component.partition("/")[0] != call.phone.app.package:
                return call.fail("Error: Not found; no service started.")
            return call.fail("Error: services cannot be started by name on this device")
        case ["hang" | "restart", *_]:
            return call.fail("Error: this device has no system server that could be stopped")
        case [("set-debug-app" | "clear-debug-app" | "idle-maintenance" | "wait-for-broadcast-idle"), *_]:
            return 0
    return call.fail(f"Error: unknown command 'am {' '.join(words)[:60]}'", 255)


def _clear(call: CommandCall, package: str) -> int:
    if package != call.phone.app.package:
        call.say("Failed")
        return 1
    call.phone.stop()
    call.say("Success")
    return 0


def _pm(call: CommandCall) -> int | Running:
    words = list(call.arguments)
    if "--user" in words[:-1]:
        place = words.index("--user")
        del words[place : place + 2]
    phone = call.phone
    match words:
        case ["list", *rest]:
            return _list(call, rest)
        case ["path" | "dump-path", package]:
            if package == phone.app.package:
                call.say(f"package:{phone.apk_path}")
                return 0
            if package in phone.guests.packages:
                call.say(f"package:/data/app/{package}-1/base.apk")
                return 0
            return 1
        case ["clear", *_, package]:
            return _clear(call, package)
        case [("grant" | "revoke") as verb, *_, package, permission]:
            if package in phone.guests.packages:
                return 0
            if package != phone.app.package:
                return call.fail(f"java.lang.IllegalArgumentException: Unknown package: {package}", 255)
            to = "granted" if verb == "grant" else "denied"
            if (to == "granted") != (
                phone.permissions.get(permission, phone.session_settings.permissions) == "granted"
            ):
                phone.permissions[permission] = to
                phone.perform_later(SystemEvent("permission", (("name", permission), ("to", to))))
            return 0
        case ["install", *rest]:
            return _install(call, rest)
        case ["install-create", *_]:
            call.say("Success: created install session [1]")
            return 0
        case ["install-write", *rest]:
            return _install_write(call, rest)
        case ["install-commit" | "install-abandon", *_]:
            return _install_commit(call)
        case ["uninstall", *rest] if rest and phone.guests.uninstall(rest[-1]):
            call.say("Success")
            return 0
        case ["uninstall", *rest] if rest:
            call.say("Failure [DELETE_FAILED_INTERNAL_ERROR: the served app stays]")
            return 1
        case ["dump", package]:
            call.say(*package_lines(phone)) if package == phone.app.package else None
            return 0
        case ["resolve-activity", *rest]:
            found = phone.app.package in rest or any(phone.app.package in word for word in rest)
            activity = phone.app.launcher or f"{phone.app.package}.Main"
            if found:
                call.say("priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=true")
                call.say(f"{phone.app.package}/{activity}")
            else:
                call.say("No activity found")
            return 0
        case ["get-install-location"]:
            call.say("0[auto]")
            return 0
        case ["has-feature", *_]:
            call.say("false")
            return 1
        case [("enable" | "disable" | "hide" | "unhide" | "suspend" | "disable-user" | "trim-caches"), *_]:
            return call.fail(f"pm {words[0]}: packages of this device cannot be changed")
        case ["get-max-users"]:
            call.say("Maximum supported users: 1")
            return 0
    return call.fail(f"Unknown command: {' '.join(words)[:60]}", 255)


def _list(call: CommandCall, words: Sequence[str]) -> int:
    phone = call.phone
    kind = words[0] if words else "packages"
    options = {word for word in words[1:] if word.startswith("-")}
    filters = [word for word in words[1:] if not word.startswith("-")]
    if kind in ("package", "packages"):
        names = [] if "-s" in options else [phone.app.package]
        names += [] if "-s" in options else list(phone.guests.packages)
        names += [] if "-3" in options else list(SYSTEM_PACKAGES)
        names = [] if "-d" in options else names
        for name in sorted(names):
            if all(each in name for each in filters):
                path = phone.apk_path if name == phone.app.package else f"/system/app/{name}.apk"
                path = f"/data/app/{name}-1/base.apk" if name in phone.guests.packages else path
                call.say(f"package:{path}={name}" if "-f" in options else f"package:{name}")
    elif kind == "users":
        call.say("Users:", "\tUserInfo{0:Owner:c13} running")
    elif kind == "features":
        call.say("feature:android.hardware.touchscreen")
    elif kind == "permissions":
        call.say(*(f"permission:{name}" for name in phone.app.permissions))
    elif kind == "instrumentation":
        installed = sorted(TARGETS.keys() & phone.guests.packages.keys())
        call.say(*(f"instrumentation:{name}/{RUNNER} (target={TARGETS[name]})" for name in installed))
    elif kind not in ("libraries", "permission-groups"):
        return call.fail(f"Error: unknown list type '{kind[:40]}'", 255)
    return 0


def _install(call: CommandCall, words: Sequence[str]) -> int | Running:
    rest = [word for word in words if not word.startswith("-") or word == "-"]
    size = next((words[place + 1] for place, word in enumerate(words[:-1]) if word == "-S"), None)
    if size is not None:
        return _streamed(call, _whole(size))
    if not rest:
        return call.fail("Error: no package specified")
    content = call.phone.files.read(call.path(rest[-1]))
    return _install_result(call, SentPackage(hashlib.sha256(content).hexdigest(), content))


def _install_write(call: CommandCall, words: Sequence[str]) -> Running:
    size = next((words[place + 1] for place, word in enumerate(words[:-1]) if word == "-S"), "0")
    call.phone.guests.sent = yield from _sent(call, _whole(size))
    call.say(f"Success: streamed {size} bytes")
    return 0


def _install_commit(call: CommandCall) -> int:
    sent, call.phone.guests.sent = call.phone.guests.sent, None
    return _install_result(call, sent or SentPackage(""))


def _streamed(call: CommandCall, size: int) -> Running:
    return _install_result(call, (yield from _sent(call, size)))


def _sent(call: CommandCall, size: int) -> Generator[Pause, None, SentPackage]:
    """The package that a client sends, with its content if it may be one of a tool."""
    if not 0 <= size <= MAX_APK:
        raise UsageError(f"a package of {size} bytes is too large")
    digest, content = hashlib.sha256(), bytearray()
    left = size
    while left:
        part = call.stdin.take(left)
        digest.update(part)
        if size <= MAX_GUEST:
            content += part
        left -= len(part)
        if left and not part:
            if call.stdin.is_closed:
                raise UsageError("the package ended early")
            yield Pause(input=True)
    return SentPackage(digest.hexdigest(), bytes(content))


def _install_result(call: CommandCall, sent: SentPackage) -> int:
    """The served app can be installed, the packages of known tools, of which nothing is run, and an app to serve."""
    phone = call.phone
    if phone.app.digest and sent.digest == phone.app.digest:
        call.say("Success")
        return 0
    app = _read(phone, sent.content)
    try:
        if app is not None and (phone.guests.install(app) or phone.install(sent.content, app)):
            call.say("Success")
            return 0
    except FewtapsError as error:
        call.say(f"Failure [INSTALL_FAILED_INVALID_APK: it cannot be served: {printable(str(error), 400)}]")
        return 1
    why = "this device cannot serve another one" if app is not None else "the file is no app that can be read"
    call.say(f"Failure [INSTALL_FAILED_INVALID_APK: {phone.app.package} is served; {why}]")
    return 1


def _read(phone: ServedPhone, content: bytes) -> App | None:
    if not content or phone.read_package is None:
        return None
    try:
        return phone.read_package(content)
    except FewtapsError as error:
        log.info("a package that was sent cannot be read: %s", error)
        return None


def package_lines(phone: ServedPhone) -> list[str]:
    """What `dumpsys package` tells of the app."""
    app = phone.app
    launcher = app.launcher or f"{app.package}.Main"
    lines = [
        "Activity Resolver Table:",
        "  Non-Data Actions:",
        f"      {MAIN}:",
        f"        1a2b3c {app.package}/{launcher} filter 4d5e6f",
        f'          Action: "{MAIN}"',
        f'          Category: "{LAUNCHER_CATEGORY}"',
        "",
        "Packages:",
        f"  Package [{app.package}] (1a2b3c):",
        "    userId=10123",
        f"    pkg=Package{{1a2b3c {app.package}}}",
        f"    codePath={phone.apk_path.rpartition('/')[0]}",
        f"    versionCode={app.version_code} minSdk={app.min_sdk} targetSdk={app.target_sdk}",
        f"    versionName={app.version_name or app.version_code}",
        "    pkgFlags=[ DEBUGGABLE HAS_CODE ALLOW_CLEAR_USER_DATA ]",
        "    firstInstallTime=2024-01-01 00:00:00",
        "    lastUpdateTime=2024-01-01 00:00:00",
        f"    signatures=PackageSignatures{{1a2b3c version:2, signatures:[{app.digest[:8] or '0'}]}}",
        "    requested permissions:",
        *(f"      {name}" for name in app.permissions),
        "    runtime permissions:",
    ]
    usual = phone.session_settings.permissions == "granted"
    for name in app.permissions:
        granted = phone.permissions.get(name, "granted" if usual else "denied") == "granted"
        lines.append(f"      {name}: granted={str(granted).lower()}")
    return [*lines, "    Activities:", *(f"      {each}" for each in _names(app.activities))]


def guest_lines(app: App) -> list[str]:
    """What `dumpsys package` tells of a tool's package."""
    return [
        "Packages:",
        f"  Package [{app.package}] (1a2b3c):",
        "    userId=10200",
        f"    codePath=/data/app/{app.package}-1",
        f"    versionCode={app.version_code} minSdk={app.min_sdk} targetSdk={app.target_sdk}",
        f"    versionName={app.version_name or app.version_code}",
        "    runtime permissions:",
        *(f"      {name}: granted=true" for name in app.permissions),
    ]


def _names(components: Sequence[Component]) -> list[str]:
    return [component.name for component in components]


APP_COMMANDS: dict[str, ShellCommand] = {"am": _am, "pm": _pm}
"""The commands for apps by name."""
