"""Phones and emulators over adb: AdbDevice takes a device, AdbSession runs one app on it."""

from __future__ import annotations

import logging
import os
import secrets
import shlex
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace

from fewtaps.device.adb.acting import press, touch, type_text
from fewtaps.device.adb.agent import PhoneAgent, agent_file
from fewtaps.device.adb.attached import AttachedDevice, attached_devices, candidates
from fewtaps.device.adb.console import open_console
from fewtaps.device.adb.dumps import ScreenFacts, is_helper, parse_dump, screen_of
from fewtaps.device.adb.entry import CAPABILITIES, NAME
from fewtaps.device.adb.facts import PhoneFacts, ask_facts
from fewtaps.device.adb.installing import ensure_installed, reinstall
from fewtaps.device.adb.locks import SerialLock
from fewtaps.device.adb.logcat import parse_line
from fewtaps.device.adb.moments import Moments
from fewtaps.device.adb.preparing import KeptSettings
from fewtaps.device.adb.probes import NOT_TOLD, ProbeReader, probe_reader
from fewtaps.device.adb.quiet import Quiet
from fewtaps.device.adb.stories import MARK_TAG, AppEnd, AppLog
from fewtaps.device.adb.system_events import intent_command, system_command, undo_command, was_refused
from fewtaps.device.adb.told import exit_reason, hang_stack, is_locked, receivers, resumed_activity
from fewtaps.device.adb.wire import AdbServer, AdbWire, LineStream
from fewtaps.device.session import DEFAULT_SETTINGS, Capabilities, Capability, SessionSettings
from fewtaps.errors import DeviceError, DeviceLost, DeviceUnavailable, Unsupported, UnsupportedApp, UsageError
from fewtaps.model.app import App
from fewtaps.model.coverage import NO_COVERAGE, Coverage, ProbeMap
from fewtaps.model.crash import Crash
from fewtaps.model.ending import Ending
from fewtaps.model.event import (
    EVENT_TYPES,
    DoubleTap,
    Event,
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
    printable,
)
from fewtaps.model.phone import Differences
from fewtaps.model.screen import UNSEEN, Screen
from fewtaps.model.trace import Step

log = logging.getLogger(__name__)

LOGCAT = "logcat -b crash -b events -b main -v threadtime -T 1"
LAUNCH_SECONDS = 60.0
REASON_SECONDS = 1.5
"""How long the log may take to tell why the app is not in front any more."""
TOLD_SECONDS = 1.0
"""How long the log may take to write the rest of a crash."""
MARK_SECONDS = 10.0
TURNS = ("portrait", "landscape", "reverse_portrait", "reverse_landscape")
EXIT_INFO_API = 30
FRACTIONS_API = 23
"""The API level from which `sleep` takes parts of a second."""
_EXITED_BY_ITSELF = (1, 10)
"""Reasons of `exit-info`: the app called exit, or its user or the system stopped it on request."""
_CRASH_REASONS = (4, 5, 6)
_DANGEROUS = (
    *("ACCEPT_HANDOVER", "ACCESS_", "ACTIVITY_RECOGNITION", "ADD_VOICEMAIL", "ANSWER_PHONE_CALLS", "BLUETOOTH_"),
    *("BODY_SENSORS", "CALL_PHONE", "CAMERA", "GET_ACCOUNTS", "NEARBY_WIFI_DEVICES", "POST_NOTIFICATIONS"),
    *("PROCESS_OUTGOING_CALLS", "READ_", "RECEIVE_", "RECORD_AUDIO", "SEND_SMS", "USE_SIP", "UWB_RANGING", "WRITE_"),
)
"""Beginnings of the names of permissions that Android asks for while an app runs."""


class AdbDevice:
    """A phone or emulator. Not for use by several threads at once: a pool has one for each worker.

    `argument` is a serial number, `any` for one that no other command uses, or empty for the only one there is. A lock
    holds the device from the first `open` until `close`. With `reinstall` another build of the app is removed first.
    """

    name = NAME
    capabilities = CAPABILITIES

    def __init__(self, argument: str = "", server: AdbServer | None = None, *, reinstall: bool = False) -> None:
        self._argument = argument
        self._reinstall = reinstall
        self._server = server or AdbServer()
        self._lock: SerialLock | None = None
        self._wire: AdbWire | None = None

    @contextmanager
    def open(self, app: App, settings: SessionSettings = DEFAULT_SETTINGS) -> Iterator[AdbSession]:
        """A session of the app, closed at the end of the `with` block; then the device's settings are put back."""
        agent_file()
        if app.launcher is None:
            raise UnsupportedApp(f"{app.path or app.package}: the app has no icon that could start it")
        wire = self._take()
        with ExitStack() as stack:
            facts = ask_facts(wire)
            kept = KeptSettings(wire)
            stack.callback(kept.restore)
            kept.change()
            if is_locked(wire.shell("dumpsys window policy").text):
                raise DeviceUnavailable(
                    f"{wire.serial}: its screen is locked: unlock it, and turn the lock off for tests"
                )
            was_installed = ensure_installed(wire, app, may_remove=self._reinstall)
            log.info("%s: %s, %s", wire.serial, facts.words, "app installed" if was_installed else "app was there")
            agent = PhoneAgent(wire)
            stack.callback(agent.stop)
            agent.start()
            probes = probe_reader(wire, app, settings, start_command(app))
            console = open_console(wire.serial, wire.server.host)
            moments = None if console is None else Moments(console)
            session = AdbSession(wire, agent, kept, app, settings, facts, probes, moments)
            stack.callback(session.close)
            yield session

    def close(self) -> None:
        """Lets others use the device; harmless if called twice."""
        lock, self._lock, self._wire = self._lock, None, None
        if lock is not None:
            lock.release()

    def _take(self) -> AdbWire:
        if self._wire is not None:
            return self._wire
        holder = 0
        found = self._candidates()
        for device in found:
            lock = SerialLock(device.serial)
            taken = lock.take()
            if taken is None:
                self._lock = lock
                self._wire = AdbWire(self._server, device.serial)
                return self._wire
            holder = taken
        names = printable(", ".join(each.serial for each in found), 200)
        if holder == os.getpid():
            raise DeviceUnavailable(
                f"{names}: this command uses it already; connect another, or give -j a lower number"
            )
        user = f"process {holder}" if holder else "another process"
        raise DeviceUnavailable(f"{names}: in use by {user} of fewtaps")

    def _candidates(self) -> tuple[AttachedDevice, ...]:
        devices = attached_devices(self._server)
        try:
            return candidates(devices, self._argument)
        except DeviceUnavailable:
            if not any(each.state == "offline" for each in devices):
                raise
            # A device that went to sleep is often there again after one reconnection.
            with suppress(DeviceError):
                self._server.ask("host:reconnect-offline")
            time.sleep(1.0)
            return candidates(attached_devices(self._server), self._argument)


def start_command(app: App) -> str:
    """The command that does what a tap on the app's icon does."""
    component = shlex.quote(f"{app.package}/{app.launcher}")
    intent = "-a android.intent.action.MAIN -c android.intent.category.LAUNCHER -f 0x10200000"
    return f"am start -W {intent} -n {component}"


class AdbSession:
    """A live app on a phone or emulator."""

    def __init__(
        self,
        wire: AdbWire,
        agent: PhoneAgent,
        kept: KeptSettings,
        app: App,
        settings: SessionSettings,
        facts: PhoneFacts,
        probes: ProbeReader | None = None,
        moments: Moments | None = None,
    ) -> None:
        self._wire = wire
        self._agent = agent
        self._kept = kept
        self._app = app
        self._settings = replace(settings, profile=facts.profile)
        self._facts = facts
        self._probes = probes
        self._moments = moments
        self._screen_facts = ScreenFacts(app.package, facts.width, facts.height, facts.keyboard)
        self._log = AppLog(app.package)
        self._stream: LineStream | None = None
        self._quiet = Quiet(agent, self._look, lambda: self._log.end is not None, self._activity)
        self._screen: Screen | None = None
        self._ending = Ending.LOST
        self._started = 0.0
        self._skipped_ms = 0
        """Time of waits that the device let pass faster than real time, as a served twin does."""
        self._listening: tuple[str | None, frozenset[str]] | None = None
        self._opening_notes: tuple[str, ...] = ()
        self._is_closed = False
        self._is_lost = False

    @property
    def app(self) -> App:
        """The app that was opened."""
        return self._app

    @property
    def settings(self) -> SessionSettings:
        """The settings with which it was opened; the profile has the device's own screen."""
        return self._settings

    @property
    def capabilities(self) -> Capabilities:
        """What this session can do."""
        more = {Capability.COVERAGE: self._probes, Capability.MOMENTS: self._moments}
        return CAPABILITIES | {capability for capability, part in more.items() if part is not None}

    @property
    def notes(self) -> tuple[str, ...]:
        """The device in words, and what does not work on it."""
        return (f"runs on {printable(self._facts.words, 100)}", *self._opening_notes)

    @property
    def round_trips(self) -> int:
        """How often the device was asked something."""
        return self._wire.round_trips

    def close(self) -> None:
        """Ends the app and the log; harmless if called twice."""
        if self._is_closed:
            return
        self._is_closed = True
        if self._stream is not None:
            self._stream.close()
        if self._moments is not None:
            self._moments.close()
        with suppress(DeviceError):
            self._wire.shell(f"am force-stop {shlex.quote(self._app.package)}", 10)

    def launch(self, world: int = 0, phone: Differences | None = None) -> Step:
        """Starts the app in a fresh process with fresh data; the world is ignored."""
        if self._is_closed:
            raise UsageError("the session is closed")
        if phone or (phone is None and self._settings.phone):
            raise Unsupported("the settings of this device cannot be chosen for a launch")
        if self._is_lost:
            self._recover()
        notes = self._begin()
        if self._probes is not None:
            self._probes.begin()
        self._started, self._skipped_ms = time.monotonic(), 0
        self._screen, self._ending, self._listening = UNSEEN, Ending.RUNNING, None
        answer = self._wire.shell(start_command(self._app), LAUNCH_SECONDS)
        if "Error" in answer.text and "does not exist" in answer.text:
            raise DeviceUnavailable(f"{self._wire.serial}: {printable(answer.text, 200)}")
        return self._observe(Launch(), notes)

    def perform(self, event: Event) -> Step:
        """Makes the event happen and returns, once the screen rests, what was seen."""
        if self._is_closed or self._screen is None:
            raise UsageError("the session is closed" if self._is_closed else "launch the app first")
        if self._ending.is_final:
            raise UsageError(f"the run is over ({self._ending.value}): launch the app again first")
        if not isinstance(event, EVENT_TYPES):
            raise UsageError(f"not an event: {event!r:.100}")
        try:
            try:
                notes = self._act(event)
            except Unsupported as error:
                # One event that only the system may cause ends neither an exploration nor a replay: it is left out.
                step = Step(event, self._screen, self._screen, ending=self._ending, clock_ms=self._clock_ms())
                return replace(step, notes=(f"left out: {error}",))
            return self._observe(event, notes)
        except DeviceLost:
            self._is_lost, self._ending = True, Ending.LOST
            raise

    def screenshot(self) -> bytes:
        """The screen as a PNG."""
        if self._screen is None:
            raise UsageError("launch the app first")
        picture = self._wire.read_all("exec:screencap -p")
        start = picture.find(b"\x89PNG\r\n\x1a\n")
        if start < 0:
            raise DeviceLost(f"{self._wire.serial}: the device gave no picture")
        return picture[start:]

    def probe_map(self) -> ProbeMap:
        """What the numbers of an instrumented app's coverage mean. Raises Unsupported for any other app."""
        if self._probes is None:
            raise Unsupported("only the coverage of an instrumented app can be told")
        names = self._settings.names
        return self._probes.probe_map if names is None else names.probe_map(self._probes.probe_map)

    def save_moment(self, way: tuple[Event, ...], steps: tuple[Step, ...]) -> None:
        """Keeps the present moment as a snapshot of the emulator."""
        if self._moments is not None:
            self._moments.save(way, steps)

    def load_moment(self, way: tuple[Event, ...]) -> tuple[Step, ...] | None:
        """Loads the snapshot at the end of a way; None if there is none, or if the screen is not the one of then."""
        steps = None if self._moments is None else self._moments.load(way)
        if steps is None or self._moments is None:
            return None
        last = steps[-1]
        self._reconnect()
        self._started, self._skipped_ms = time.monotonic(), last.clock_ms
        self._screen, self._ending, self._listening = last.after, last.ending, None
        if self._probes is not None:
            self._probes.go_on(steps)
        self._log.activity = last.after.activity
        seen = replace(self._quiet.wait().screen, activity=last.after.activity)
        if seen.digest() != last.after.digest():
            log.info("%s: a snapshot shows another screen and is forgotten", self._wire.serial)
            self._moments.forget(way)
            return None
        return steps

    def _recover(self) -> None:
        """Makes the connections to a device anew that was lost. Raises DeviceLost if it is not back."""
        if self._stream is not None:
            self._stream.close()
            self._stream = None
        self._agent.stop()
        self._agent.start()
        self._is_lost = False

    def _reconnect(self) -> None:
        """After a snapshot was loaded: all connections of the device are those of another time."""
        if self._stream is not None:
            self._stream.close()
            self._stream = None
        self._agent.stop()
        deadline = time.monotonic() + LAUNCH_SECONDS
        while True:
            try:
                self._wire.shell("true", 10)
                break
            except DeviceLost:
                # An emulator is offline for a moment.
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.5)
        self._agent.start()
        mark = self._open_log()
        self._wire.shell(f"log -t {MARK_TAG} {mark}")
        self._await_mark()

    def listening(self) -> frozenset[str]:
        """The broadcast actions for which running code of the app has registered a receiver."""
        if self._screen is None:
            raise UsageError("launch the app first")
        if self._ending.is_final:
            return frozenset()
        activity = self._screen.activity
        if self._listening is None or self._listening[0] != activity:
            text = self._wire.shell("dumpsys activity broadcasts").text
            self._listening = activity, receivers(text, self._app.package)
        return self._listening[1]

    def _begin(self) -> tuple[str, ...]:
        """Ends the run before, deletes the app's data and gives its permissions."""
        mark = self._open_log()
        package = shlex.quote(self._app.package)
        commands = [
            f"am force-stop {package}",
            f"pm clear {package}",
            *self._permission_commands(),
            "settings put system user_rotation 0",
            f"log -t {MARK_TAG} {mark}",
        ]
        answer = self._wire.shell("; ".join(commands), LAUNCH_SECONDS)
        notes: tuple[str, ...] = ()
        if "Success" not in answer.text:
            if not self._app.digest:
                raise DeviceLost(f"{self._wire.serial}: the app's data cannot be deleted")
            reinstall(self._wire, self._app)
            notes = ("the device does not let the app's data be deleted: the app was installed again",)
        self._await_mark()
        return notes

    def _open_log(self) -> str:
        """Opens the log, and returns the mark up to which its entries are ignored."""
        mark = f"launch-{secrets.token_hex(6)}"
        self._log.begin(mark)
        if self._stream is None:
            self._stream = LineStream(self._wire.open(f"shell:{LOGCAT}"), self._wire.serial)
        return mark

    def _await_mark(self) -> None:
        deadline = time.monotonic() + MARK_SECONDS
        while self._log.is_waiting:
            if time.monotonic() > deadline:
                raise DeviceLost(f"{self._wire.serial}: the log of the device does not go on")
            self._read_log(0.05)

    def _permission_commands(self) -> Iterator[str]:
        package = shlex.quote(self._app.package)
        for permission in self._app.permissions:
            short = permission.removeprefix("android.permission.")
            if short == permission or not short.startswith(_DANGEROUS):
                continue
            name = shlex.quote(permission)
            if self._settings.permissions == "granted":
                yield f"pm grant {package} {name} 2>/dev/null"
            elif self._settings.permissions == "denied":
                yield f"pm revoke {package} {name} 2>/dev/null"
                yield f"pm set-permission-flags {package} {name} user-fixed 2>/dev/null"

    def _act(self, event: Event) -> tuple[str, ...]:
        screen = self._screen or UNSEEN
        match event:
            case Tap() | LongPress() | DoubleTap() | Swipe() | Pinch():
                touch(self._agent, event)
            case Text():
                note = type_text(self._agent, event, screen)
                return (note,) if note else ()
            case Key():
                press(self._agent, event)
            case Rotate(to):
                turn = f"settings put system user_rotation {TURNS.index(to)}"
                self._wire.shell(f"settings put system accelerometer_rotation 0; {turn}")
            case Wait(ms):
                self._wait(ms)
            case Launch():
                self._wire.shell(start_command(self._app), LAUNCH_SECONDS)
            case StartIntent():
                return self._start_intent(event)
            case SystemEvent():
                self._cause(event)
        return ()

    def _wait(self, ms: int) -> None:
        """Waits on the device, not here: a served twin lets the time pass at once."""
        begun = time.monotonic()
        if ms and self._facts.api < FRACTIONS_API:
            time.sleep(ms / 1000)
        elif ms:
            self._wire.shell(f"sleep {ms / 1000:.3f}", ms / 1000 + 30)
        self._skipped_ms += max(0, ms - int((time.monotonic() - begun) * 1000))

    def _start_intent(self, event: StartIntent) -> tuple[str, ...]:
        answer = self._wire.shell(intent_command(event, self._app.package), LAUNCH_SECONDS)
        if was_refused(answer.text):
            return ("the device does not let this component be started from outside",)
        return ("no component of the app takes this intent",) if "Error" in answer.text else ()

    def _cause(self, event: SystemEvent) -> None:
        command = system_command(event, self._app.package, self._facts.api)
        self._kept.undo_later(event.name, lambda: undo_command(event, self._app.package, self._ask))
        answer = self._wire.shell(command)
        if was_refused(answer.text):
            raise Unsupported(f"the event {event.name} is one that only the system may cause")

    def _activity(self) -> str | None:
        """The activity in front after the last event, by the log: what that has not told yet is not known."""
        self._read_log()
        return self._log.activity

    def _ask(self, command: str) -> str:
        return self._wire.shell(command).text

    def _look(self) -> Screen:
        dump = parse_dump(self._agent.dump())
        self._read_log()
        return screen_of(dump, self._screen_facts, self._log.activity)

    def _observe(self, event: Event, notes: tuple[str, ...]) -> Step:
        rested = self._quiet.wait()
        screen = rested.screen
        if rested.restless:
            places = f"{rested.restless} place{'s' if rested.restless > 1 else ''}"
            notes = (*notes, f"the screen never rests: {places} changed until the deadline and are not waited for")
        if screen.package != self._app.package and self._log.end is None:
            self._await_reason()
        elif screen.activity is None and self._log.end is None:
            screen = replace(screen, activity=self._ask_activity())
        ending, crash, more = self._judge(screen)
        covered, told = self._covered(ending)
        if crash is not None and self._settings.names is not None:
            crash = self._settings.names.crash(crash)
        before = self._screen or UNSEEN
        self._screen, self._ending = screen, ending
        return Step(
            event,
            before=before,
            after=screen,
            covered=covered,
            log=self._log.take_lines(),
            crash=crash,
            ending=ending,
            notes=(*notes, *more, *told),
            clock_ms=self._clock_ms(),
        )

    def _covered(self, ending: Ending) -> tuple[Coverage, tuple[str, ...]]:
        """The code that ran for the first time, and a note if the app does not tell."""
        if self._probes is None:
            return NO_COVERAGE, ()
        covered = self._probes.take(is_over=ending.is_final)
        return (covered, ()) if covered is not None else (NO_COVERAGE, (NOT_TOLD,))

    def _clock_ms(self) -> int:
        return int((time.monotonic() - self._started) * 1000) + self._skipped_ms

    def _await_reason(self) -> None:
        """The app is not in front: either it was left, or the log is about to tell how it ended."""
        deadline = time.monotonic() + REASON_SECONDS
        while self._log.end is None and time.monotonic() < deadline:
            self._read_log(0.1)
            if self._is_alive():
                return

    def _is_alive(self) -> bool:
        # Android before 7 has no pidof; the log alone decides there.
        answer = self._wire.shell(f"pidof {shlex.quote(self._app.package)}").text.split()
        return bool(answer) and all(word.isdigit() for word in answer)

    def _ask_activity(self) -> str | None:
        text = self._wire.shell("dumpsys activity activities").text
        found = resumed_activity(text, self._app.package)
        if found is not None:
            self._log.activity = found
        return found

    def _judge(self, screen: Screen) -> tuple[Ending, Crash | None, tuple[str, ...]]:
        end = self._log.end
        if end is not None:
            deadline = time.monotonic() + TOLD_SECONDS
            while not self._log.is_told and time.monotonic() < deadline:
                self._read_log(0.05)
            end = self._log.end
        match end:
            case AppEnd.CRASHED:
                return Ending.CRASHED, self._log.crash, ()
            case AppEnd.HUNG:
                return Ending.ANR, self._hang(), ()
            case AppEnd.DIED:
                return self._died()
            case AppEnd.KILLED:
                return Ending.LOST, None, (f"the system ended the app: {printable(self._log.kill_reason, 100)}",)
        is_front = screen.package == self._app.package or is_helper(screen.package)
        return (Ending.RUNNING if is_front else Ending.LEFT), None, ()

    def _died(self) -> tuple[Ending, Crash | None, tuple[str, ...]]:
        reason = None
        if self._facts.api >= EXIT_INFO_API:
            text = self._wire.shell(f"dumpsys activity exit-info {shlex.quote(self._app.package)}").text
            reason = exit_reason(text, self._log.last_pid)
        if reason is None or reason in _EXITED_BY_ITSELF or reason in _CRASH_REASONS:
            return Ending.EXITED, None, ()
        return Ending.LOST, None, (f"the app's process ended for reason {reason} of Android's ApplicationExitInfo",)

    def _hang(self) -> Crash | None:
        crash = self._log.crash
        if crash is None:
            return None
        text = self._wire.shell("dumpsys dropbox --print data_app_anr", 60).text
        frames = hang_stack(text, self._app.package, self._log.last_pid)
        first = crash.exceptions[0]
        return replace(crash, exceptions=(replace(first, frames=frames),)) if frames else crash

    def _read_log(self, seconds: float = 0.0) -> None:
        assert self._stream is not None
        for line in self._stream.read(seconds):
            entry = parse_line(line)
            if entry is not None:
                self._log.add(entry)
