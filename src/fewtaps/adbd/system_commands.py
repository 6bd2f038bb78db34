"""Commands of the device's shell for settings, services and the log: settings, wm, dumpsys, svc, cmd, logcat."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from fewtaps.adbd.acting import turn
from fewtaps.adbd.app_commands import APP_COMMANDS, guest_lines, package_lines
from fewtaps.adbd.channel import Pause
from fewtaps.adbd.logbuffer import LEVELS, LogLine, formatted
from fewtaps.adbd.patterns import compiled
from fewtaps.adbd.phone import ServedPhone
from fewtaps.adbd.shell import CommandCall, Running, ShellCommand
from fewtaps.model.event import SystemEvent
from fewtaps.model.screen import Bounds, WindowKind

BUFFERS = ("main", "system", "crash", "events", "radio", "kernel", "stats", "security")
USUAL_BUFFERS = frozenset(("main", "system", "crash"))
FOLLOW_SECONDS = 0.05
"""How often `logcat` looks for new lines while it follows."""
MOST_SETTINGS = 2000


def _settings(call: CommandCall) -> int:
    words = call.arguments
    if words[:1] == ["--user"]:
        words = words[2:]
    match words:
        case [verb, table, *rest] if table in ("system", "secure", "global"):
            values = call.phone.tables[table]
        case _:
            return call.fail("settings: usage: settings get|put|delete|list system|secure|global [NAME [VALUE]]", 255)
    match verb, rest:
        case "get", [name]:
            call.say(values.get(name, "null"))
        case "put", [name, value, *_]:
            if len(values) >= MOST_SETTINGS and name not in values:
                return call.fail("settings: too many settings")
            values[name] = value
            _apply_setting(call.phone, name)
        case "delete", [name]:
            call.say(f"Deleted {0 if values.pop(name, None) is None else 1} rows")
        case "list", []:
            call.say(*(f"{name}={value}" for name, value in sorted(values.items())))
        case "reset", _:
            return 0
        case _:
            return call.fail(f"Invalid command: {verb[:40]}", 255)
    return 0


def _apply_setting(phone: ServedPhone, name: str) -> None:
    """Turns the screen when a setting of its rotation says so."""
    system = phone.tables["system"]
    if name in ("user_rotation", "accelerometer_rotation") and system.get("accelerometer_rotation") == "0":
        wanted = system.get("user_rotation", "0")
        if wanted in ("0", "1", "2", "3"):
            turn(phone, int(wanted))


def _wm(call: CommandCall) -> int:
    profile = call.phone.profile
    match call.arguments:
        case ["size"]:
            call.say(f"Physical size: {profile.width}x{profile.height}")
        case ["density"]:
            call.say(f"Physical density: {profile.dpi}")
        case ["size" | "density", "reset"]:
            return 0
        case ["size" | "density", *_]:
            return call.fail("wm: the screen of this device is fixed; 'fewtaps device serve --profile' chooses another")
        case ["user-rotation" | "set-user-rotation", "lock", rotation] if rotation in ("0", "1", "2", "3"):
            call.phone.tables["system"] |= {"accelerometer_rotation": "0", "user_rotation": rotation}
            turn(call.phone, int(rotation))
        case ["user-rotation" | "set-user-rotation", *rest]:
            locked = call.phone.tables["system"].get("accelerometer_rotation") == "0"
            if not rest:
                call.say(f"lock {call.phone.screen.rotation}" if locked else "free")
            elif rest[0] == "free":
                call.phone.tables["system"]["accelerometer_rotation"] = "1"
        case ["dismiss-keyguard" | "fixed-to-user-rotation" | "set-ignore-orientation-request", *_]:
            return 0
        case _:
            return call.fail(f"wm: unknown command {' '.join(call.arguments)[:60]}", 255)
    return 0


def _focus(phone: ServedPhone) -> str:
    screen = phone.screen
    return f"{screen.package}/{screen.activity or screen.package}"


def _windows(phone: ServedPhone) -> Iterable[tuple[str, str, Bounds]]:
    """The windows with their type, topmost first: the bars of the system, then those of the app."""
    screen, profile = phone.screen, phone.profile
    yield "StatusBar", "STATUS_BAR", Bounds(0, 0, screen.width, profile.pixels(profile.status_bar_dp))
    if profile.navigation_bar_dp:
        top = screen.height - profile.pixels(profile.navigation_bar_dp)
        yield "NavigationBar0", "NAVIGATION_BAR", Bounds(0, top, screen.width, screen.height)
    types = {WindowKind.ACTIVITY: "BASE_APPLICATION", WindowKind.TOAST: "TOAST"}
    for window in screen.windows:
        if window.kind is not WindowKind.SYSTEM or not phone.is_running:
            yield _focus(phone), types.get(window.kind, "APPLICATION"), window.root.bounds


def _dump_window(phone: ServedPhone) -> Iterable[str]:
    screen = phone.screen
    yield "WINDOW MANAGER WINDOWS (dumpsys window windows)"
    for number, (name, kind, bounds) in enumerate(_windows(phone)):
        yield f"  Window #{number} Window{{{number + 1:x}a2b3c u0 {name}}}:"
        yield f"    mAttrs={{(0,0)(fillxfill) ty={kind}}}"
        yield "    mViewVisibility=0x0 mHaveFrame=true mObscured=false"
        yield "    mFrame=[{},{}][{},{}]".format(*bounds)
        yield ""
    yield "WINDOW MANAGER DISPLAY CONTENTS (dumpsys window displays)"
    profile = phone.profile
    yield f"    init={profile.width}x{profile.height} {profile.dpi}dpi cur={screen.width}x{screen.height}"
    yield f"    mCurrentRotation=ROTATION_{90 * screen.rotation} mRotation={screen.rotation}"
    yield f"  mCurrentFocus=Window{{1a2b3c u0 {_focus(phone)}}}"
    yield f"  mFocusedApp=ActivityRecord{{4d5e6f u0 {_focus(phone)} t1}}"
    yield f"  mAwake={str(phone.is_on).lower()} mScreenOnEarly=true mShowingLockscreen=false mDreamingLockscreen=false"
    yield f"  isKeyguardShowing=false mInputShown={str(screen.keyboard).lower()}"


def _dump_activity(phone: ServedPhone) -> Iterable[str]:
    record = f"ActivityRecord{{4d5e6f u0 {_focus(phone)} t1}}"
    yield "ACTIVITY MANAGER ACTIVITIES (dumpsys activity activities)"
    yield "Display #0 (activities from top to bottom):"
    yield f"  topResumedActivity={record}"
    yield f"  * Hist #0: {record}"
    yield f"  mResumedActivity: {record}"
    yield f"  ResumedActivity: {record}"
    yield f"  mFocusedActivity: {record}"
    pid = phone.pid if phone.is_in_front else 820
    yield f"  ACTIVITY {_focus(phone)} 4d5e6f pid={pid}"


def _dump_broadcasts(phone: ServedPhone) -> Iterable[str]:
    yield "ACTIVITY MANAGER BROADCAST STATE (dumpsys activity broadcasts)"
    actions = sorted(phone.session.listening()) if phone.is_running else []
    if actions:
        yield "  Registered Receivers:"
        yield f"  * ReceiverList{{1a2b3c {phone.pid} {phone.app.package}/10123/u0 remote:4d5e6f}}"
        for number, action in enumerate(actions):
            yield f"    Filter #{number}: BroadcastFilter{{{number + 1:x}a2b3c}}"
            yield f'      Action: "{action}"'


def _dump_services(phone: ServedPhone, names: list[str]) -> Iterable[str]:
    yield "ACTIVITY MANAGER SERVICES (dumpsys activity services)"
    for name in sorted(phone.guests.started & set(names)):
        yield f"  * ServiceRecord{{1a2b3c u0 {name}/.ForegroundService}}"
        yield f"    packageName={name}"
        yield "    isForeground=true foregroundId=1"


def _dump_idle(phone: ServedPhone) -> Iterable[str]:
    yield "Whitelist (except idle) system apps:"


def _dump_exits(phone: ServedPhone) -> Iterable[str]:
    yield "ACTIVITY MANAGER PROCESS EXIT INFO (dumpsys activity exit-info)"
    if phone.last_exit is not None:
        yield f"  package: {phone.app.package}"
        yield "        ApplicationExitInfo #0:"
        yield f"          pid={phone.last_exit} realUid=10123 user=0"
        yield f"          process={phone.app.package} reason=1 (EXIT_SELF) subreason=0 (UNKNOWN) status=0"


def _dump_dropbox(phone: ServedPhone) -> Iterable[str]:
    yield "Drop box contents: 1 entries" if phone.last_hang else "Drop box contents: 0 entries"
    if phone.last_hang is not None:
        pid, crash = phone.last_hang
        yield "========================================"
        yield f"2024-01-01 00:00:00 data_app_anr (text, {len(crash.exceptions)} bytes)"
        yield f"Process: {phone.app.package}"
        yield f"PID: {pid}"
        yield '"main" prio=5 tid=1 Runnable'
        frames = crash.exceptions[0].frames if crash.exceptions else ()
        yield from (f"  at {frame}" for frame in frames)
        yield ""


def _dump_display(phone: ServedPhone) -> Iterable[str]:
    screen, profile = phone.screen, phone.profile
    yield "DISPLAY MANAGER (dumpsys display)"
    yield (
        f"  mDefaultViewport=DisplayViewport{{type=INTERNAL, valid=true, displayId=0, orientation={screen.rotation}, "
        + (
            f"logicalFrame=Rect(0, 0 - {screen.width}, {screen.height}), deviceWidth={screen.width}, "
            f"deviceHeight={screen.height}}}"
        )
    )
    size = f"{profile.width} x {profile.height}"
    yield f'  mBaseDisplayInfo=DisplayInfo{{"Built-in Screen", real {size}, {profile.dpi} dpi}}'
    yield f"  mScreenState={'ON' if phone.is_on else 'OFF'}"


def _dump_input(phone: ServedPhone) -> Iterable[str]:
    yield "INPUT MANAGER (dumpsys input)"
    yield f"      SurfaceOrientation: {phone.screen.rotation}"
    yield f"      SurfaceWidth: {phone.screen.width}px"
    yield f"      SurfaceHeight: {phone.screen.height}px"
    yield f"  FocusedApplication: name='{_focus(phone)}'"


def _dump_power(phone: ServedPhone) -> Iterable[str]:
    state = str(phone.is_on).lower()
    yield "POWER MANAGER (dumpsys power)"
    yield f"  mWakefulness={'Awake' if phone.is_on else 'Asleep'}"
    yield f"  mHoldingDisplaySuspendBlocker={state}"
    yield f"Display Power: state={'ON' if phone.is_on else 'OFF'}"


def _dump_battery(phone: ServedPhone) -> Iterable[str]:
    yield "Current Battery Service state:"
    yield from (f"  {name}: {value}" for name, value in phone.battery.items())


def _dump_input_method(phone: ServedPhone) -> Iterable[str]:
    method = phone.tables["secure"].get("default_input_method", "")
    yield "Current Input Method Manager state:"
    yield f"  mCurMethodId={method}"
    yield f"  mInputShown={str(phone.screen.keyboard).lower()}"


def _dump_package(phone: ServedPhone) -> Iterable[str]:
    return package_lines(phone)


_DUMPS: dict[str, Callable[[ServedPhone], Iterable[str]]] = {
    "window": _dump_window,
    "activity": _dump_activity,
    "display": _dump_display,
    "input": _dump_input,
    "power": _dump_power,
    "battery": _dump_battery,
    "input_method": _dump_input_method,
    "package": _dump_package,
    "dropbox": _dump_dropbox,
    "deviceidle": _dump_idle,
}
_ACTIVITY_DUMPS: dict[str, Callable[[ServedPhone], Iterable[str]]] = {
    "broadcasts": _dump_broadcasts,
    "exit-info": _dump_exits,
}
"""Parts of `dumpsys activity`, by their names."""


def _dumpsys(call: CommandCall) -> int:
    words = call.arguments
    while words[:1] == ["-t"]:
        words = words[2:]
    if not words or words == ["-l"]:
        call.say("Currently running services:", *(f"  {name}" for name in sorted(_DUMPS)))
        return 0
    name, rest = words[0], words[1:]
    if name == "battery" and rest:
        return _battery(call, rest)
    if name not in _DUMPS:
        call.stderr.write(f"Can't find service: {name[:60]}\n".encode("utf-8", "replace"))
        call.phone.count_unknown(f"dumpsys {name[:40]}")
        return 0
    guest = call.phone.guests.packages.get(rest[-1]) if name == "package" and rest else None
    if guest is not None:
        call.say(*guest_lines(guest))
        return 0
    if name == "package" and rest and call.phone.app.package not in rest:
        call.say(f"Unable to find package: {rest[-1]}")
        return 0
    if name == "activity" and rest[:1] == ["services"]:
        call.say(*_dump_services(call.phone, rest[1:]))
        return 0
    if name == "activity" and rest and rest[0] in _ACTIVITY_DUMPS:
        call.say(*_ACTIVITY_DUMPS[rest[0]](call.phone))
        return 0
    if name in ("window", "activity", "display"):
        call.phone.look()
    call.say(*_DUMPS[name](call.phone))
    return 0


def _battery(call: CommandCall, words: list[str]) -> int:
    battery = call.phone.battery
    match words:
        case ["unplug", *_]:
            battery |= {"AC powered": "false", "USB powered": "false"}
            call.phone.perform(SystemEvent("power_disconnected"))
        case ["reset", *_]:
            was_unplugged = battery["AC powered"] == "false"
            battery |= {"AC powered": "true", "USB powered": "false", "level": "100", "status": "5"}
            if was_unplugged:
                call.phone.perform(SystemEvent("power_connected"))
        case ["set", "level", level, *_] if re.fullmatch(r"\d{1,3}", level):
            was_low, is_low = int(battery["level"]) <= 15, int(level) <= 15
            battery["level"] = level
            if was_low != is_low:
                call.phone.perform(SystemEvent("battery_low" if is_low else "battery_okay"))
        case ["set", "ac" | "usb" as what, value, *_] if value in ("0", "1"):
            battery["AC powered" if what == "ac" else "USB powered"] = "true" if value == "1" else "false"
            call.phone.perform(SystemEvent("power_connected" if value == "1" else "power_disconnected"))
        case ["set", "status", value, *_]:
            battery["status"] = value
        case _:
            return call.fail("Unknown battery command", 255)
    return 0


def _svc(call: CommandCall) -> int:
    match call.arguments:
        case ["wifi" | "data" as what, "enable" | "disable" as verb]:
            call.phone.tables["global"]["wifi_on" if what == "wifi" else "mobile_data"] = str(int(verb == "enable"))
            lost = verb == "disable"
            call.phone.perform(SystemEvent("connectivity", (("noConnectivity", "true"),) if lost else ()))
        case ["power", "stayon", *_] | ["usb", *_] | ["bluetooth" | "nfc", *_]:
            return 0
        case ["power", *_]:
            return call.fail("svc power: this device cannot be restarted")
        case _:
            return call.fail("Available commands: power, data, wifi, usb, nfc, bluetooth", 255)
    return 0


def _ime(call: CommandCall) -> int:
    secure = call.phone.tables["secure"]
    match call.arguments:
        case ["list", *options]:
            method = "dev.fewtaps.keyboard/.Keyboard"
            call.say(method if "-s" in options else f"{method}:\n  mId={method}")
        case ["set" | "enable" | "disable" as verb, name]:
            if name.partition("/")[0] in call.phone.guests.packages:
                secure["default_input_method"] = name if verb == "set" else secure["default_input_method"]
            elif name != "dev.fewtaps.keyboard/.Keyboard":
                done = "selected" if verb == "set" else f"{verb}d"
                return call.fail(f"Unknown input method {name[:80]} cannot be {done} for user #0", 255)
            call.say(f"Input method {name} {'selected' if verb == 'set' else 'now ' + verb + 'd'} for user #0")
        case ["reset"]:
            call.say(
                f"Reset current and enabled IMEs for user #0\n  Newly selected IME: {secure['default_input_method']}"
            )
        case _:
            return call.fail("ime: list, enable, disable, set or reset", 255)
    return 0


def _appops(call: CommandCall) -> int:
    match call.arguments:
        case ["get", *_]:
            call.say("No operations.")
        case ["set" | "reset", *_]:
            return 0
        case _:
            return call.fail("appops: get, set or reset", 255)
    return 0


def _cmd(call: CommandCall) -> int | Running:
    words = call.arguments
    match words:
        case [] | ["-l"]:
            call.say("Currently running services:", "  package", "  activity", "  settings")
            return 0
        case ["connectivity", "airplane-mode", *rest]:
            table = call.phone.tables["global"]
            if not rest:
                call.say("enabled" if table["airplane_mode_on"] == "1" else "disabled")
                return 0
            is_on = rest[0] == "enable"
            table["airplane_mode_on"] = str(int(is_on))
            call.phone.perform(SystemEvent("airplane_mode", (("state", str(is_on).lower()),)))
            return 0
        case ["locale", "set-app-locales", *rest]:
            wanted = rest[rest.index("--locales") + 1] if "--locales" in rest[:-1] else ""
            call.phone.app_locales = wanted
            call.phone.perform(SystemEvent("locale", (("to", wanted or call.phone.profile.locale),)))
            return 0
        case ["locale", "get-app-locales", package, *_]:
            call.say(f"Locales for {package} for user 0 are [{call.phone.app_locales}]")
            return 0
        case ["battery", *rest]:
            return _battery(call, rest)
        case ["window", *rest]:
            return _inner(call, "wm", rest)
        case ["overlay" | "notification" | "statusbar" | "uimode" | "device_config" | "stats" | "jobscheduler", *_]:
            return 0
    name = {"package": "pm", "activity": "am", "settings": "settings", "input": "input", "appops": "appops"}.get(
        words[0]
    )
    if name is None:
        call.phone.count_unknown(f"cmd {words[0][:40]}")
        return call.fail(f"cmd: Can't find service: {words[0][:60]}", 20)
    return _inner(call, name, words[1:])


def _inner(call: CommandCall, name: str, words: list[str]) -> int | Running:
    command = call.shell.commands[name]
    return command(CommandCall(call.shell, name, list(words), call.stdin, call.stdout, call.stderr, call.variables))


def _log(call: CommandCall) -> int:
    words = list(call.arguments)
    level, tag = "I", "log"
    while words and words[0] in ("-p", "-t") and len(words) > 1:
        option, value = words.pop(0), words.pop(0)
        if option == "-p":
            level = value[:1].upper() if value[:1].upper() in LEVELS else "I"
        else:
            tag = value[:100]
    call.phone.log.add("main", call.phone.now_ms, 310, level, tag, " ".join(words)[:4000])
    return 0


def _logcat(call: CommandCall) -> Running:
    options = LogcatOptions(call.arguments)
    log = call.phone.log
    if options.clears:
        log.clear(options.buffers)
        return 0
    if options.asks_size:
        call.say(*(f"{name}: ring buffer is 1 MiB (64 KiB consumed), max entry is 5120 B" for name in options.ordered))
        return 0
    lines = [line for line in log.lines(options.buffers) if options.wants(line)]
    if options.count is not None:
        lines = lines[-options.count :] if options.count else []
    if not options.is_brief:
        call.say(*(f"--------- beginning of {name}" for name in options.ordered if name in ("main", "crash")))
    seen = log.end
    for line in lines:
        call.say(formatted(line, options.style))
        yield from call.flush()
    printed = len(lines)
    while not options.ends and not call.stdout.is_broken:
        yield Pause(until=call.phone.clock() + FOLLOW_SECONDS)
        if log.end > seen:
            for line in log.lines(options.buffers, seen):
                if options.wants(line):
                    call.say(formatted(line, options.style))
                    printed += 1
                    if options.most is not None and printed >= options.most:
                        return 0
            seen = log.end
            yield from call.flush()
    return 0


class LogcatOptions:
    """The options of `logcat`. Raises ValueError for those that it does not have."""

    def __init__(self, words: list[str]) -> None:
        self.clears = self.ends = self.asks_size = self.is_brief = False
        self.style = "threadtime"
        self.count: int | None = None
        self.most: int | None = None
        self.pid: int | None = None
        self.pattern: re.Pattern[str] | None = None
        self.silent = False
        self._buffers: list[str] = []
        self._filters: list[tuple[str, str]] = []
        rest = [part for word in words for part in _split_option(word)]
        while rest:
            self._read(rest.pop(0), rest)

    @property
    def buffers(self) -> frozenset[str]:
        """The buffers that are read."""
        return frozenset(self._buffers) or USUAL_BUFFERS

    @property
    def ordered(self) -> list[str]:
        """The same in Android's order."""
        return [name for name in BUFFERS if name in self.buffers]

    def _read(self, word: str, rest: list[str]) -> None:
        if word in ("-c", "--clear"):
            self.clears = True
        elif word in ("-d", "--dump"):
            self.ends = True
        elif word in ("-g", "--buffer-size"):
            self.asks_size = True
        elif word in ("-b", "--buffer"):
            self._add_buffers(_value(word, rest))
        elif word in ("-v", "--format"):
            self._format(_value(word, rest))
        elif word in ("-t", "-T", "--tail"):
            self.ends |= word == "-t"
            value = _value(word, rest)
            self.count = int(value) if re.fullmatch(r"\d{1,9}", value) else None
        elif word in ("-m", "--max-count"):
            self.most = int(_value(word, rest))
        elif word == "--pid":
            self.pid = int(_value(word, rest))
        elif word in ("-e", "--regex"):
            self.pattern = compiled(_value(word, rest))
        elif word == "-s":
            self.silent = True
        elif word in ("-G", "-P", "-f", "-r", "-n", "--uid"):
            _value(word, rest)
        elif word in ("-D", "-L", "-S", "-B", "-p", "--print", "--dividers"):
            self.ends |= word in ("-S", "-p")
        elif word.startswith("-"):
            raise ValueError(f"unknown option {word[:40]}")
        else:
            tag, _, level = word.partition(":")
            self._filters.append((tag, level.upper()[:1] or "V"))

    def _add_buffers(self, value: str) -> None:
        for name in value.split(","):
            if name == "all":
                self._buffers += BUFFERS
            elif name == "default":
                self._buffers += USUAL_BUFFERS
            elif name in BUFFERS:
                self._buffers.append(name)
            else:
                raise ValueError(f"unknown buffer '{name[:40]}'")

    def _format(self, value: str) -> None:
        for name in value.replace(",", " ").split():
            if name in ("brief", "tag", "raw", "process", "thread", "time", "long", "threadtime", "epoch"):
                self.style = name
                self.is_brief = name == "raw"

    def wants(self, line: LogLine) -> bool:
        """Whether the filters let a line through."""
        if self.pid is not None and line.pid != self.pid:
            return False
        if self.pattern is not None and not self.pattern.search(line.message):
            return False
        least = "S" if self.silent else "V"
        for tag, level in self._filters:
            if tag in ("*", line.tag) or (tag == "" and level):
                least = level if level in LEVELS else "V"
                if tag == line.tag:
                    break
        if self.silent and any(tag == line.tag for tag, _ in self._filters):
            least = next(level for tag, level in self._filters if tag == line.tag)
        return LEVELS.index(line.level if line.level in LEVELS else "I") >= LEVELS.index(least)


def _split_option(word: str) -> list[str]:
    if word.startswith("--") and "=" in word:
        return list(word.split("=", 1))
    if re.fullmatch(r"-[bvtTme].+", word):
        return [word[:2], word[2:]]
    return [word]


def _value(option: str, rest: list[str]) -> str:
    if not rest:
        raise ValueError(f"option {option} needs a value")
    return rest.pop(0)


SYSTEM_COMMANDS: dict[str, ShellCommand] = {
    **APP_COMMANDS,
    "settings": _settings,
    "wm": _wm,
    "dumpsys": _dumpsys,
    "svc": _svc,
    "ime": _ime,
    "appops": _appops,
    "cmd": _cmd,
    "log": _log,
    "logcat": _logcat,
}
"""The commands for apps, settings, services and the log by name."""
