"""ServedPhone: a session as the device that clients see, with its runs, its clock and its log."""

from __future__ import annotations

import logging
import math
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any, TypeAlias

from fewtaps.adbd.files import MemoryFiles
from fewtaps.adbd.guests import Guests
from fewtaps.adbd.logbuffer import LogBuffer, crash_lines
from fewtaps.device.session import Session, SessionSettings, screenshot_taker, unusual
from fewtaps.errors import DeviceError, Unsupported
from fewtaps.formats.monkeyscript import TURNS
from fewtaps.formats.touches import SLOP_PX, Fingers
from fewtaps.model.app import App
from fewtaps.model.crash import Crash, CrashKind
from fewtaps.model.ending import Ending
from fewtaps.model.event import Event, Launch, Rotate, Tap, Wait, printable
from fewtaps.model.profile import DeviceProfile
from fewtaps.model.screen import Bounds, Screen, Widget, WidgetFlags, Window, WindowKind
from fewtaps.model.trace import Step, Trace

log = logging.getLogger(__name__)

STEPS_KEPT = 20_000
"""Steps of one run that are recorded. Later ones are played but not kept."""
LOOK_MS = 500
"""Time of the app that passes when a client looks twice without an event between."""
DOUBLE_TAP_SECONDS = 0.3
"""A finger that is put down again within this time makes a double tap, as on a phone."""
SMALLEST_WAIT_MS = 20
"""Shorter times between two commands do not become a wait."""
LONGEST_WAIT_MS = 3_600_000
UNKNOWN_KEPT = 200
"""Most different things that clients asked for and the device does not have; further ones are not counted."""
LAUNCHER = "com.android.launcher3"
FIRST_PID = 4242
SOCKETS = b"Num       RefCount Protocol Flags    Type St Inode Path\n"
"""The list of local sockets, which is empty: clients look in it for web views."""

DrawEvent: TypeAlias = Callable[[Screen, Random], Event]
"""Draws an event of the monkey."""
OpenSession: TypeAlias = Callable[[], Session]
"""The session of the served app, awaited if it is still being opened. Raises FewtapsError."""
ReadPackage: TypeAlias = Callable[[bytes], App]
"""Reads what the manifest of a package says. Raises ApkError."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How the app's time follows the client's: in steps, or `factor` times as fast as real time."""

    factor: float | None = None

    @property
    def is_real(self) -> bool:
        return self.factor is not None


@dataclass(frozen=True, slots=True)
class RunEnded:
    """A run came to its end; `trace` is the recording from its launch on."""

    number: int
    trace: Trace
    crash: Crash | None


@dataclass(frozen=True, slots=True)
class PhoneSettings:
    """What a served device is: the serial number that adb shows, the world of its launches, its time.

    With `each_world` the first run is in `world`, and each later one in the next.
    """

    serial: str
    world: int = 0
    each_world: bool = False
    api: int = 33
    pace: Pace = field(default_factory=Pace)


@dataclass(frozen=True, slots=True)
class OtherApp:
    """An app that was opened in the place of the served one: its session, and its file."""

    session: Session
    load_apk: Callable[[], bytes]
    apk_bytes: int


OpenOther: TypeAlias = Callable[[bytes, App], OtherApp]
"""Opens the app of an APK that a client sent, and closes the session before it. Raises FewtapsError."""


class ServedPhone:
    """One device: its app, its screen, its log, its files and settings."""

    def __init__(
        self,
        app: App,
        session_settings: SessionSettings,
        open_session: OpenSession,
        settings: PhoneSettings,
        draw_event: DrawEvent,
        on_run: Callable[[RunEnded], None],
        clock: Callable[[], float] = time.monotonic,
        started_ms: int | None = None,
        load_apk: Callable[[], bytes] | None = None,
        apk_bytes: int = 0,
        read_package: ReadPackage | None = None,
        open_other: OpenOther | None = None,
    ) -> None:
        self.app = app
        self.session_settings = session_settings
        self._open_session = open_session
        self.profile: DeviceProfile = session_settings.profile
        self.settings = settings
        self.draw_event = draw_event
        self.clock = clock
        self.log = LogBuffer()
        self.files = MemoryFiles(lambda: self.now_ms // 1000)
        self.tables: dict[str, dict[str, str]] = _first_settings()
        self.properties: dict[str, str] = _first_properties(self)
        self.permissions: dict[str, str] = {}
        self.battery = {"AC powered": "true", "USB powered": "false", "level": "100", "status": "5", "present": "true"}
        self.named_selectors: dict[str, dict[str, Any]] = {}
        """Selectors that uiautomator2's server keeps for its client."""
        self.forwards: dict[int, str] = {}
        """Ports of the machine that lead to a service of the device, by number."""
        self.snapshots: dict[str, tuple[int, tuple[Event, ...]]] = {}
        """World and events after the launch of the snapshots that the console was asked to save."""
        self.last_hang: tuple[int, Crash] | None = None
        """The last crash that was a hang, with its process."""
        self.last_exit: int | None = None
        """The process that ended last by itself."""
        self.clipboard = ""
        self.toast = ""
        self.is_on = True
        self.app_locales = ""
        self.unknown: Counter[str] = Counter()
        self.guests = Guests()
        self.read_package = read_package
        self._open_other = open_other
        self.fingers = Fingers(lambda reason: None)
        self._on_run = on_run
        self._started_ms = int(time.time() * 1000) if started_ms is None else started_ms
        self._before_ms = 0
        self._steps: list[Step] = []
        self._left_out = 0
        self._runs = 0
        self._pid = FIRST_PID - 1
        self._has_process = False
        self._is_due = False
        self._held: tuple[Tap, float] | None = None
        """A tap of an injected finger, and when it happens unless a second one makes a double tap of it."""
        self._world = settings.world
        self._has_looked = False
        self._last_moment = clock()
        self._rotation = 0
        self._waiting: list[Event] = []
        self.files.write("/proc/net/unix", SOCKETS)
        if load_apk is not None:
            self.files.add_loaded(self.apk_path, load_apk, apk_bytes)

    def install(self, content: bytes, app: App) -> bool:
        """Ends the run and serves another app from now on; False if this device cannot.

        Raises FewtapsError if the app cannot run: then the one before is served.
        """
        if self._open_other is None:
            return False
        self.stop()
        other = self._open_other(content, app)
        if self.has_apk:
            self.files.remove(self.apk_path)
        self._open_session = lambda: other.session
        self.app, self.session_settings = other.session.app, other.session.settings
        self.files.add_loaded(self.apk_path, other.load_apk, other.apk_bytes)
        self.permissions.clear()
        self.snapshots.clear()
        self._waiting.clear()
        return True

    @property
    def session(self) -> Session:
        """The session of the app, awaited. Raises FewtapsError if it cannot be opened."""
        return self._open_session()

    @property
    def apk_path(self) -> str:
        return f"/data/app/{self.app.package}-1/base.apk"

    @property
    def has_apk(self) -> bool:
        """Whether the app's file can be read."""
        return self.files.find(self.apk_path) is not None

    @property
    def now_ms(self) -> int:
        """The device's clock in milliseconds since 1970: the start of the server and the app's time since then."""
        return self._started_ms + self._before_ms + (self._steps[-1].clock_ms if self._steps else 0)

    @property
    def is_running(self) -> bool:
        """Whether the app has a process."""
        return self._is_running

    @property
    def _is_running(self) -> bool:
        self.begin()
        return self._has_process

    @property
    def pid(self) -> int:
        self.begin()
        return self._pid

    @property
    def last_step(self) -> Step | None:
        self.begin()
        return self._steps[-1] if self._steps else None

    @property
    def screen(self) -> Screen:
        """What the device shows; asking changes nothing."""
        last = self.last_step
        if not self._is_running or last is None:
            return home_screen(self.profile, self.app, self._rotation)
        return last.after

    @property
    def is_in_front(self) -> bool:
        """Whether the app has the screen."""
        last = self.last_step
        return self._is_running and last is not None and last.ending is Ending.RUNNING

    def look(self) -> Screen:
        """What the device shows, for a client that may be waiting for a change.

        In real time, the time since the last command passes for the app first. In steps, half a second passes when a
        client looks twice in a row.
        """
        if self._is_running:
            if self.settings.pace.is_real:
                self.catch_up()
            elif self._has_looked:
                self.perform(Wait(LOOK_MS))
        self._has_looked = True
        return self.screen

    def screenshot(self) -> bytes:
        """The screen as a PNG. Raises Unsupported if the device takes no pictures."""
        taker = screenshot_taker(self.session)
        if taker is None:
            raise Unsupported("this device takes no pictures")
        if not self._is_running:
            return b""
        return taker.screenshot()

    def launch_soon(self) -> None:
        """Lets the first run begin when a client asks for something of the app, or at `begin`."""
        self._is_due = True

    def begin(self) -> None:
        """Begins the run that is due, if there is one, and lets a tap that is held happen."""
        if self._is_due:
            self._is_due = False
            try:
                self.launch()
            except BaseException:
                self._is_due = True
                raise
        if self._held is not None:
            (tap, _), self._held = self._held, None
            self.perform(tap)

    def hold_tap(self, tap: Tap) -> None:
        """Lets a tap happen before anything else is asked or done, and soon, unless a second one follows."""
        self.begin()
        self._held = tap, self.clock() + DOUBLE_TAP_SECONDS

    def take_held_tap(self, x: int, y: int) -> Tap | None:
        """The tap that is held, if one at this point makes a double tap of it; it does not happen by itself then."""
        if self._held is None:
            return None
        tap, until = self._held
        if self.clock() >= until or math.dist((tap.x, tap.y), (x, y)) > SLOP_PX:
            return None
        self._held = None
        return tap

    def let_go(self, now: float) -> float | None:
        """Lets a tap happen that was held long enough; the moment at which one will be."""
        if self._held is not None and now >= self._held[1]:
            try:
                self.begin()
            except DeviceError as error:
                log.info("a tap was not done: %s", error)
        return None if self._held is None else self._held[1]

    def launch(self, world: int | None = None) -> None:
        """Begins a new run: a new process of the app without data of earlier ones."""
        self.stop()
        self._has_process = False
        next_world = self.settings.world + (self._runs if self.settings.each_world else 0)
        self._world = next_world if world is None else world
        step = self.session.launch(self._world)
        self._pid += 1
        self._runs += 1
        self._steps, self._left_out = [step], 0
        self.app_locales = ""
        self._has_process = True
        self._note("events", "I", "am_proc_start", f"[0,{self._pid},10123,{self.app.package},activity,{{}}]")
        self._observe(step)
        if self._rotation and self._is_running:
            self.perform(Rotate(TURNS[self._rotation]))
        waiting, self._waiting = self._waiting, []
        for event in waiting:
            self.perform(event)

    def start(self) -> bool:
        """A tap on the app's icon; False if the app was in front already."""
        if not self._is_running:
            self.launch()
            return True
        if len(self._steps) == 1 and self.is_in_front:
            return False
        was_in_front = self.is_in_front
        self.perform(Launch())
        return not was_in_front

    def stop(self) -> None:
        """Ends the run. The next launch begins another, with fresh data."""
        self._is_due = False
        if self._steps:
            if self._is_running:
                self._note("events", "I", "am_kill", f"[0,{self._pid},{self.app.package},0,stop]")
            self._finish()
        self._has_process = False

    def perform(self, event: Event) -> Step | None:
        """Makes an event happen; None if the app has no process that it could reach."""
        if isinstance(event, Rotate):
            self._rotation = TURNS.index(event.to)
        if not self._is_running:
            if isinstance(event, Tap) and _icon(self.screen).holds(event.x, event.y):
                self.launch()
            return None
        if self.settings.pace.is_real and not isinstance(event, Wait):
            self.catch_up()
            if not self._is_running:
                return None
        return self._perform(event)

    def perform_later(self, event: Event) -> None:
        """Makes an event happen now, or right after the next launch if the app has no process."""
        if self._is_running:
            self.perform(event)
        else:
            self._waiting = [each for each in self._waiting if each != event][-19:] + [event]

    def catch_up(self) -> None:
        """Lets the time pass for the app that has passed since the last command, in the modes of real time."""
        factor = self.settings.pace.factor
        if factor is None or not self._is_running:
            return
        passed = (self.clock() - self._last_moment) * 1000 * factor
        missing = int(min(passed, LONGEST_WAIT_MS))
        if missing >= SMALLEST_WAIT_MS:
            self._perform(Wait(missing))

    def pass_time(self, ms: int) -> None:
        """Lets time pass for the app at once; in the modes of real time it passes by itself."""
        if self._is_running and not self.settings.pace.is_real:
            self._perform(Wait(min(ms, LONGEST_WAIT_MS)))

    def _perform(self, event: Event) -> Step | None:
        try:
            step = self.session.perform(event)
        except Unsupported:
            raise
        except DeviceError:
            # The run cannot go on. The next launch opens another process, or fails for good.
            self._finish()
            self._has_process = False
            raise
        if len(self._steps) < STEPS_KEPT:
            self._steps.append(step)
        else:
            self._left_out += 1
            self._steps[-1] = step
        self._observe(step)
        return step

    def _observe(self, step: Step) -> None:
        self._has_looked = False
        self._last_moment = self.clock()
        for line in step.log:
            self.log.add_app_line(line, self.now_ms, self._pid)
        self.toast = _toast_text(step.after) or self.toast
        if step.after.activity and step.after.activity != step.before.activity and step.ending is Ending.RUNNING:
            self._note("events", "I", "wm_on_resume_called", f"[0,{step.after.activity},RESUME_ACTIVITY,0]")
        if step.crash is not None and step.crash.kind is CrashKind.ANR:
            self.last_hang = self._pid, step.crash
        if step.ending is Ending.EXITED:
            self.last_exit = self._pid
        if step.crash is not None:
            for buffer, level, tag, message in crash_lines(step.crash, self.app.package, self._pid):
                self._note(buffer, level, tag, message)
        if step.ending.is_final:
            self._note("events", "I", "am_proc_died", f"[0,{self._pid},{self.app.package},0,2]")
            self._finish()
            self._has_process = False

    def _note(self, buffer: str, level: str, tag: str, message: str) -> None:
        self.log.add(buffer, self.now_ms, self._pid, level, tag, message)

    def _finish(self) -> None:
        """Tells the run that ends, and forgets its steps."""
        steps, self._steps = tuple(self._steps), []
        if not steps:
            return
        self._before_ms += steps[-1].clock_ms
        if self._left_out:
            self._note("main", "W", "fewtaps", f"{self._left_out} steps of this run were not recorded")
            steps = steps[:-1]
        profile = self.profile
        trace = Trace(self.app.ref, steps, self._world, profile.name, profile.screen, unusual(self.session_settings))
        self._on_run(RunEnded(self._runs, trace, steps[-1].crash))

    def save_snapshot(self, name: str, most: int) -> bool:
        """Keeps the way to the current state; False if the app is not running, or if there are too many."""
        if not self._is_running or self._left_out or (len(self.snapshots) >= most and name not in self.snapshots):
            return False
        self.snapshots[name] = self._world, tuple(step.event for step in self._steps[1:])
        return True

    def load_snapshot(self, name: str) -> bool:
        """Launches the app and plays the way of a snapshot; False if there is none of this name."""
        found = self.snapshots.get(name)
        if found is None:
            return False
        self._rotation = 0
        world, events = found
        self.launch(world)
        for event in events:
            if not self._is_running:
                break
            self._perform(event)
            if isinstance(event, Rotate):
                self._rotation = TURNS.index(event.to)
        return True

    def count_unknown(self, name: str) -> None:
        """Counts something that a client asked for and the device does not have."""
        if len(self.unknown) < UNKNOWN_KEPT or name in self.unknown:
            self.unknown[name] += 1

    def notes(self) -> Iterator[str]:
        """What clients asked for and the device does not have, one line each."""
        for name, count in self.unknown.most_common():
            yield f"not on this device: {printable(name, 80)}, asked for {count} time{'s' if count > 1 else ''}"


def home_screen(profile: DeviceProfile, app: App, rotation: int = 0) -> Screen:
    """The screen of a device on which the app is not running: its icon, which starts it."""
    width, height = (profile.width, profile.height) if rotation % 2 == 0 else (profile.height, profile.width)
    side = profile.pixels(96)
    top = profile.pixels(profile.status_bar_dp + 24)
    icon = Widget(
        "android.widget.TextView",
        resource_id=f"{LAUNCHER}:id/icon",
        text=app.label or app.package,
        bounds=Bounds(side // 4, top, side // 4 + side, top + side),
        flags=WidgetFlags.CLICKABLE | WidgetFlags.ENABLED,
    )
    root = Widget("android.widget.FrameLayout", bounds=Bounds(0, 0, width, height), flags=WidgetFlags.ENABLED)
    root = Widget(root.class_name, bounds=root.bounds, flags=root.flags, children=(icon,))
    window = Window("Home", WindowKind.SYSTEM, root, focused=True)
    return Screen(LAUNCHER, f"{LAUNCHER}.Launcher", width, height, rotation, windows=(window,))


def _icon(home: Screen) -> Bounds:
    return home.windows[0].root.children[0].bounds


def _toast_text(screen: Screen) -> str:
    for window in screen.windows:
        if window.kind is WindowKind.TOAST:
            return " ".join(text for text in _texts(window.root) if text)
    return ""


def _texts(widget: Widget) -> Iterator[str]:
    if widget.text:
        yield widget.text
    for child in widget.children:
        yield from _texts(child)


def _first_settings() -> dict[str, dict[str, str]]:
    scales = dict.fromkeys(("window_animation_scale", "transition_animation_scale", "animator_duration_scale"), "0.0")
    ime = "dev.fewtaps.keyboard/.Keyboard"
    return {
        "system": {"accelerometer_rotation": "1", "user_rotation": "0", "screen_brightness": "128"}
        | {"screen_brightness_mode": "0", "screen_off_timeout": "1800000", "font_scale": "1.0"},
        "secure": {"android_id": "fe17a95000000001", "default_input_method": ime, "enabled_input_methods": ime},
        "global": {"airplane_mode_on": "0", "adb_enabled": "1", "device_provisioned": "1", "wifi_on": "1"} | scales,
    }


_RELEASES = {
    21: "5.0",
    22: "5.1",
    23: "6.0",
    24: "7.0",
    25: "7.1.1",
    26: "8.0.0",
    27: "8.1.0",
    28: "9",
    29: "10",
    30: "11",
    31: "12",
    32: "12",
    33: "13",
    34: "14",
    35: "15",
    36: "16",
}


def _first_properties(phone: ServedPhone) -> dict[str, str]:
    profile, api = phone.profile, phone.settings.api
    brand, name = profile.manufacturer, profile.model.replace(" ", "_").lower()
    release = _RELEASES.get(api, str(api))
    return {
        "ro.serialno": phone.settings.serial,
        "ro.boot.serialno": phone.settings.serial,
        "ro.product.model": profile.model,
        "ro.product.brand": brand,
        "ro.product.manufacturer": brand,
        "ro.product.name": name,
        "ro.product.device": name,
        "ro.product.locale": profile.locale,
        "persist.sys.locale": profile.locale,
        "persist.sys.timezone": "GMT",
        "ro.product.cpu.abi": profile.abis[0],
        "ro.product.cpu.abilist": ",".join(profile.abis),
        "ro.build.version.sdk": str(api),
        "ro.build.version.release": release,
        "ro.build.version.codename": "REL",
        "ro.build.version.incremental": "1",
        "ro.build.version.security_patch": "2024-01-01",
        "ro.build.id": "FEWTAPS",
        "ro.build.type": "userdebug",
        "ro.build.tags": "test-keys",
        "ro.build.characteristics": "emulator",
        "ro.build.fingerprint": f"{brand}/{name}/{name}:{release}/FEWTAPS/1:userdebug/test-keys",
        "ro.debuggable": "1",
        "ro.secure": "1",
        "ro.hardware": "fewtaps",
        "ro.kernel.qemu": "1",
        "ro.sf.lcd_density": str(profile.dpi),
        "sys.boot_completed": "1",
        "dev.bootcomplete": "1",
        "init.svc.bootanim": "stopped",
        "init.svc.adbd": "running",
    }
