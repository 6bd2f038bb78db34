"""A session spoken over the bridge: the embedded Android.

One `TwinDevice` serves many apps and runs. Its JVM is started when first needed, kept for the next run and the next
app, and replaced between runs when it has grown too large, serves another API level, or has died. Callers notice none
of this: a session opens its app again by itself on the new one.
"""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from fewtaps.budget import CutOff
from fewtaps.device.session import DEFAULT_SETTINGS, Capabilities, Capability, InstrumentedCode, SessionSettings
from fewtaps.device.twin.entry import TWIN
from fewtaps.device.twin.instrumenting import copy_app, instrument_fields, read_instrumented
from fewtaps.device.twin.jail import Handover, JailLimits, jail_problem
from fewtaps.device.twin.jars import Progress, android_apis, sha256_of
from fewtaps.device.twin.names import hand_in_names
from fewtaps.device.twin.printed import runtime_lines
from fewtaps.device.twin.process import START_SECONDS, BridgeDied, BridgeProcess, EndCause, ProcessEnd, start_bridge
from fewtaps.device.twin.protocol import (
    OpenReply,
    SeenScreens,
    mutant_fields,
    open_fields,
    parse_decisions,
    parse_execution,
    parse_hits,
    parse_listening,
    parse_mutants,
    parse_opened,
    parse_played,
    parse_png,
    parse_probes,
    parse_translated,
    parse_turns,
    raise_error,
)
from fewtaps.device.twin.recording import RecordFile, code_fields, make_file, parse_code, read_file, record_fields
from fewtaps.device.twin.reports import ReportOrder, deliver, fill_inbox, notes_of, report_fields
from fewtaps.device.twin.runtime import DEFAULT_API, check_api, prepare
from fewtaps.device.twin.translated import TranslatedClasses
from fewtaps.errors import (
    ApkError,
    BridgeError,
    DeviceLost,
    DeviceTimeout,
    DeviceUnavailable,
    NotViable,
    TimeUp,
    Unsupported,
    UnsupportedApp,
    UsageError,
)
from fewtaps.files import lack_of_room, refusal
from fewtaps.model.app import App
from fewtaps.model.coverage import ProbeMap, ProbeSet
from fewtaps.model.crash import Crash, CrashKind, ExceptionInfo
from fewtaps.model.decision import Decision
from fewtaps.model.ending import Ending
from fewtaps.model.event import Event, Launch, Swipe, Text, Wait, event_to_json
from fewtaps.model.mutant import LoopTurns, Mutant
from fewtaps.model.phone import Differences, android_level
from fewtaps.model.run_record import RECORD_ALL, RecordWish, RunRecord
from fewtaps.model.screen import UNSEEN, Screen, WidgetFlags
from fewtaps.model.suspicion import SuspectRule
from fewtaps.model.trace import Step

log = logging.getLogger(__name__)

OPEN_SECONDS = 300.0
QUESTION_SECONDS = 120.0
REPORT_SECONDS = 500.0
# The bridge itself gives up on a step after the first, not counting the time in which it translates the app's classes,
# and says where the app hangs; if it cannot even do that, we do.
STEP_SECONDS = 45
# A first launch loads half of the framework, on a machine that may have other things to do.
LAUNCH_PATIENCE = 4
# A loop that computes may be fifteen times slower when each of its turns is recorded. The bridge gives up earlier.
RECORDING_PATIENCE = 8
STEP_GRACE_SECONDS = 180.0
# How fast virtual time passes at least, in an app that always has something to do.
SLOWEST_MS_PER_SECOND = 50_000
MOST_EXTRA_SECONDS = 600
# The first launch translates most of an app's classes; the others add the screens further away.
KEPT_AFTER_LAUNCHES = (1, 16)
RSS_LIMIT_MB = 1400
LARGE_HEAPS = 2
"""How many times the usual heap an app gets that asks for a large one."""

StartBridge = Callable[[int], BridgeProcess]

CAPABILITIES: Capabilities = TWIN.capabilities


class TwinDevice:
    """The embedded Android as a device. Not for use by several threads at once: a pool has one for each worker.

    Where there can be no jail, starting is refused, unless `jail` is False: then the app can do all that the user can,
    and a warning is logged. `start` replaces the way a bridge process is started, for tests. After the moment of
    `cut_off` no answer is waited for: TimeUp is raised, and the process that owes the answer is killed.
    """

    name = TWIN.name
    capabilities = CAPABILITIES

    def __init__(
        self,
        *,
        jail: bool = True,
        limits: JailLimits | None = None,
        rss_limit_mb: int = RSS_LIMIT_MB,
        step_seconds: int = STEP_SECONDS,
        progress: Progress | None = None,
        start: StartBridge | None = None,
        cut_off: CutOff | None = None,
    ) -> None:
        self.cut_off = cut_off or CutOff()
        self.jail = jail
        self.limits = limits or JailLimits()
        self.rss_limit_mb = rss_limit_mb
        self.step_seconds = step_seconds
        self._progress = progress
        self._start = start or self._start_bridge
        self._process: BridgeProcess | None = None
        self._api = 0
        self._large_heap = False
        self._handover = Handover.NOTHING
        self._holder: TwinSession | None = None
        self._is_retiring = False
        self._has_opened = False

    @contextmanager
    def open(self, app: App, settings: SessionSettings = DEFAULT_SETTINGS) -> Iterator[TwinSession]:
        """A session of the app, closed at the end of the `with` block."""
        session = TwinSession(self, app, settings, choose_api(app, settings))
        try:
            session.reopen()
            yield session
        finally:
            session.close()

    def coverage_report(
        self,
        app: App,
        settings: SessionSettings,
        executions: Iterable[bytes],
        *,
        xml: Path | None = None,
        html: Path | None = None,
        sources: Sequence[Path] = (),
    ) -> tuple[str, ...]:
        """Write what runs of the app have covered, in JaCoCo's formats; by a process in which no app has run yet."""
        order = ReportOrder(app, settings.coverage, xml, html, tuple(sources))
        order.check()
        if self._has_opened:
            self.close()
        process = self.usable_process(choose_api(app, settings), Handover.REPORT, large_heap=app.large_heap)
        try:
            with tempfile.TemporaryDirectory(dir=process.place.host_inbox) as inbox:
                fill_inbox(order, executions, Path(inbox))
                fields = report_fields(order, process.place, process.place.inbox / Path(inbox).name)
                if settings.names is not None:
                    fields["names"] = str(hand_in_names(process.place, settings.names))
                reply = process.request(
                    "report", fields, timeout_seconds=REPORT_SECONDS, condition="the twin to make a coverage report"
                )
        except BridgeDied as death:
            self.discard()
            raise DeviceLost(f"{death} while making a coverage report") from death
        except DeviceTimeout:
            self.discard()
            raise
        if reply.error is not None:
            note_failure("report", reply.error, process.tail)
            raise_error(reply.error, opening=False)
        deliver(order, process.place.host_report)
        return notes_of(reply.result or {})

    def instrument(self, app: App, settings: SessionSettings) -> InstrumentedCode:
        """The app's code with probes, made by a process in which no app has run yet."""
        if self._has_opened:
            self.close()
        process = self.usable_process(choose_api(app, settings), Handover.REPORT, large_heap=True)
        try:
            with tempfile.TemporaryDirectory(dir=process.place.host_inbox) as inbox:
                copy_app(app, Path(inbox))
                fields = instrument_fields(
                    app, settings.coverage, process.place, process.place.inbox / Path(inbox).name
                )
                reply = process.request(
                    "instrument", fields, timeout_seconds=REPORT_SECONDS, condition="the twin to instrument the app"
                )
        except BridgeDied as death:
            self.discard()
            raise DeviceLost(f"{death} while instrumenting {app.package}") from death
        except DeviceTimeout:
            self.discard()
            raise
        if reply.error is not None:
            note_failure("instrument", reply.error, process.tail)
            raise_error(reply.error, opening=False)
        return read_instrumented(process.place.host_report, reply.result or {})

    def close(self) -> None:
        """End the JVM; harmless if called twice, and a later `open` starts another."""
        process, self._process, self._holder = self._process, None, None
        if process is not None:
            process.quit()

    def __enter__(self) -> TwinDevice:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def usable_process(
        self, api: int, handover: Handover = Handover.NOTHING, *, large_heap: bool = False
    ) -> BridgeProcess:
        """A live JVM of this API level that may begin another run: the present one if still fit, else a new one.

        With a `handover` it is one that may write this file of the machine. Where one was needed that can record, so
        can those that come after it: the next recording needs no other process.
        """
        if handover is Handover.NOTHING and self._handover is Handover.RECORD:
            handover = Handover.RECORD
        if self._process is not None:
            reason = self._why_unusable(self._process, api, handover)
            if reason is None and self._large_heap != large_heap:
                reason = "the app asks for another size of heap"
            if reason is not None:
                log.info("replacing the twin's process: %s", reason)
                self.close()
        if self._process is None:
            self._handover = handover
            self._large_heap = large_heap
            self._process = self._start(api)
            self._api = api
            self._is_retiring = False
            self._has_opened = False
        return self._process

    def is_held_by(self, session: TwinSession, process: BridgeProcess | None) -> bool:
        """Whether this process is the present one and has this session's app open."""
        return process is not None and process is self._process and self._holder is session

    def hand_over(self, session: TwinSession | None) -> None:
        """Remember which session's app the present process has open."""
        self._has_opened = True
        self._holder = session

    def retire_after_run(self) -> None:
        """Let the present process answer for this run still, but begin no other: its heap was full once.

        A JVM keeps only a handful of out-of-memory errors that can tell where they come from.
        """
        self._is_retiring = True

    def discard(self) -> None:
        """Forget a process that is dead or no longer to be trusted; the next run gets another."""
        process, self._process, self._holder = self._process, None, None
        if process is not None:
            process.kill()

    def _why_unusable(self, process: BridgeProcess, api: int, handover: Handover) -> str | None:
        if not process.is_alive:
            return "it has ended"
        if not process.place.takes(handover):
            return f"it was started to hand over {process.place.handover.value}, not {handover.value}"
        if self._is_retiring:
            return "it has run out of memory"
        if self._api != api:
            return f"it serves API level {self._api}, not {api}"
        rss = process.rss_mb()
        if rss is not None and rss > self.rss_limit_mb * (LARGE_HEAPS if self._large_heap else 1):
            return f"it has grown to {rss} MB"
        return "its heap stays half full" if self._is_tight(process) else None

    def _is_tight(self, process: BridgeProcess) -> bool:
        """Whether past runs have left so much in the heap that the next one may lack room."""
        try:
            reply = process.request(
                "memory", {}, timeout_seconds=QUESTION_SECONDS, condition="the twin to say how full it is"
            )
        except BridgeDied:
            return True
        return bool((reply.result or {}).get("tight"))

    def _start_bridge(self, api: int) -> BridgeProcess:
        if self.jail and (problem := jail_problem()) is not None:
            raise DeviceUnavailable(problem)
        runtime = prepare(api, progress=self._progress)
        if not self.jail:
            log.warning("no jail: the app can read and change your files, and use the network")
        limits = self.limits
        if self._large_heap:
            limits = replace(limits, heap_mb=LARGE_HEAPS * limits.heap_mb)
        self.cut_off.check()
        try:
            seconds = min(START_SECONDS, self.cut_off.left)
            return start_bridge(runtime, limits, jailed=self.jail, handover=self._handover, start_seconds=seconds)
        except DeviceTimeout as error:
            if not self.cut_off.left:
                raise TimeUp from error
            raise


class TwinSession:
    """A live app on the embedded Android."""

    def __init__(self, device: TwinDevice, app: App, settings: SessionSettings, api: int) -> None:
        self._device = device
        self._app = app
        self._settings = settings
        self._api = self._usual_api = api
        self._digest = app.digest or _digest_of(app)
        self._process: BridgeProcess | None = None
        self._opened: OpenReply | None = None
        self._translated = TranslatedClasses(self._digest)
        self._screen: Screen | None = None
        self._seen = SeenScreens()
        self._ending = Ending.LOST
        self._clock_ms = 0
        self._recording: RecordWish | None = None
        self._left_behind: RecordFile | None = None
        """The recording of a process that died with the app."""
        self._is_closed = False
        self._launches = 0
        """Since the app was opened in the present process."""

    @property
    def app(self) -> App:
        """The app that was opened."""
        return self._app

    @property
    def settings(self) -> SessionSettings:
        return self._settings

    @property
    def capabilities(self) -> Capabilities:
        """What this session can do."""
        if self._settings.coverage == "off":
            return CAPABILITIES - {Capability.COVERAGE, Capability.JACOCO, Capability.MUTATIONS}
        return CAPABILITIES

    @property
    def notes(self) -> tuple[str, ...]:
        """What was found at opening that will not work as on a phone, one line each."""
        return self._opened.notes if self._opened is not None else ()

    def reopen(self, handover: Handover = Handover.NOTHING) -> BridgeProcess:
        """Make sure that a live process has the app open, also if the one before has ended."""
        if self._is_closed:
            raise UsageError("the session is closed")
        process = self._device.usable_process(self._api, handover, large_heap=self._app.large_heap)
        if self._process is process and self._device.is_held_by(self, process):
            return process
        apk = self._hand_in(process)
        self._process = process
        self._device.hand_over(None)
        fields = open_fields(apk, process.place.cache, process.place.data, self._settings)
        if (translated := self._translated.hand_in(process.place)) is not None:
            fields["translated"] = str(translated)
        if self._settings.names is not None:
            fields["names"] = str(hand_in_names(process.place, self._settings.names))
        try:
            result = self._ask("open", fields, OPEN_SECONDS, f"the twin to open {self._app.package}", opening=True)
        except BridgeDied as death:
            self._device.discard()
            raise DeviceLost(f"{death} while opening {self._app.package}") from death
        self._opened = parse_opened(result)
        log.info("%s is open in process %d: %d classes", self._app.package, process.pid, self._opened.classes)
        self._launches = 0
        self._device.hand_over(self)
        return process

    def launch(self, world: int = 0, phone: Differences | None = None) -> Step:
        """Start the app in a fresh process with fresh data, in the given world, on a phone with these differences."""
        return self._launch(world, phone, {})

    def launch_mutant(
        self,
        mutant: Mutant | None,
        world: int = 0,
        *,
        phone: Differences | None = None,
        turns_limit: int | None = None,
    ) -> Step:
        """Start the app with one fault in it, until the next launch, and with a limit on the turns of its loops."""
        fields: dict[str, Any] = {}
        if mutant is not None:
            fields["mutant"] = mutant_fields(mutant)
        if turns_limit is not None:
            fields["turns_limit"] = turns_limit
        return self._launch(world, phone, fields)

    def launch_recorded(
        self, world: int = 0, wish: RecordWish = RECORD_ALL, *, phone: Differences | None = None
    ) -> Step:
        """Start the app and record what its code does, until the next launch."""
        self._choose_android(phone)
        process = self.reopen(Handover.RECORD)
        make_file(process.place.host_record, wish.megabytes)
        fields: dict[str, Any] = {"record": record_fields(wish, process.place.record)}
        if wish.turns_limit is not None:
            fields["turns_limit"] = wish.turns_limit
        return self._launch(world, phone, fields, wish)

    def _launch(
        self, world: int, phone: Differences | None, fields: dict[str, Any], recording: RecordWish | None = None
    ) -> Step:
        phone = self._settings.phone if phone is None else phone
        if not -(1 << 63) <= world < 1 << 63:
            raise UsageError(f"world {world:.3e}: the number of a world has at most 64 bits")
        self._choose_android(phone)
        self.reopen()
        self._screen, self._ending, self._clock_ms = UNSEEN, Ending.RUNNING, 0
        self._recording, self._left_behind = recording, None
        fields["world"] = world
        if phone:
            fields["phone"] = dict(phone)
        try:
            step = self._play("launch", fields, Launch(phone), f"{self._app.package} to come up")
        except (NotViable, UsageError):
            # The bridge refused the mutant or the recording: nothing was launched.
            self._screen = None
            raise
        self._keep_translated()
        return step

    def _keep_translated(self) -> None:
        """Keeps what the process has translated of the app, for the next process that opens it."""
        self._launches += 1
        if self._launches not in KEPT_AFTER_LAUNCHES or not self._device.is_held_by(self, self._process):
            return
        if self._launches > 1 or not self._translated.is_known:
            try:
                self._translated.keep(parse_translated(self._question("translated", {})))
            except BridgeError as error:
                log.info("what was translated of %s is not kept: %s", self._app.package, error)

    def _choose_android(self, phone: Differences | None) -> None:
        """Decides the API level of the next launch. Raises UsageError if the app or the twin cannot have it."""
        level = android_level(self._settings.phone if phone is None else phone)
        self._api = self._usual_api if level is None else choose_api(self._app, replace(self._settings, api=level))

    def perform(self, event: Event) -> Step:
        """Make the event happen and return, once the app is quiet, what was seen."""
        if self._is_closed or self._screen is None:
            raise UsageError("the session is closed" if self._is_closed else "launch the app first")
        if self._ending.is_final:
            raise UsageError(f"the run is over ({self._ending.value}): launch the app again first")
        try:
            fields = {"event": self._aimed(event)}
        except (TypeError, ValueError, KeyError, AttributeError) as error:
            raise UsageError(f"not an event: {event!r:.100}") from error
        self._require_process()
        return self._play("perform", fields, event, f"{self._app.package} to get quiet after an event")

    def _aimed(self, event: Event) -> dict[str, object]:
        """The event as JSON; text with a selector also says where its field is, to be tapped before typing."""
        fields: dict[str, object] = dict(event_to_json(event))
        if isinstance(event, Text) and event.selector is not None and self._screen is not None:
            field = self._screen.find(event.selector)
            if field is not None and WidgetFlags.FOCUSED not in field.widget.flags:
                fields["x"], fields["y"] = field.widget.bounds.centre
        return fields

    def screenshot(self) -> bytes:
        """The screen as a PNG."""
        if self._screen is None:
            raise UsageError("launch the app first")
        return parse_png(self._question("screenshot", {}))

    def probe_map(self) -> ProbeMap:
        """What the numbers in coverage mean."""
        self.reopen()
        probes = parse_probes(self._question("probes", {}))
        names = self._settings.names
        return probes if names is None else names.probe_map(probes)

    def listening(self) -> frozenset[str]:
        """The broadcast actions for which running code of the app has registered a receiver."""
        if self._screen is None:
            raise UsageError("launch the app first")
        return frozenset() if self._ending.is_final else parse_listening(self._question("listening", {}))

    def decisions(self) -> tuple[Decision, ...]:
        """What the world decided since the launch; nothing is known of it if the process died with the app."""
        if self._screen is None or not self._device.is_held_by(self, self._process):
            return ()
        return parse_decisions(self._question("decisions", {}))

    def record(self) -> RunRecord:
        """What was recorded since the launch, and the code that ran.

        If the process died with the app, another one describes the code, without the names of resources.
        """
        if self._recording is None or self._screen is None:
            raise UsageError("launch the app with a recording first")
        file = self._left_behind
        if file is not None:
            self.reopen()
            code = parse_code(self._question("code", code_fields(file, self._recording)))
        else:
            process = self._require_process()
            code = parse_code(self._question("code", {}))
            file = read_file(process.place.host_record, self._recording.megabytes)
        return RunRecord(
            words=file.words,
            code=code,
            values=file.values,
            threads=file.threads,
            first_event=self._recording.first_event,
            complete=file.stopped_at is None,
            ordered=file.ordered,
            numbered=file.numbered,
        )

    def mutants(self, operators: Sequence[str] = ()) -> tuple[Mutant, ...]:
        """The faults that these operators can make in the measured classes; without operators, the standard ones."""
        self._require_mutations()
        self.reopen()
        return parse_mutants(self._question("mutants", {"operators": list(operators)} if operators else {}))

    def loop_turns(self) -> LoopTurns:
        """The jumps back of the app's loops since the launch."""
        self._require_mutations()
        if self._screen is None:
            raise UsageError("launch the app first")
        return parse_turns(self._question("turns", {}))

    def _require_mutations(self) -> None:
        if Capability.MUTATIONS not in self.capabilities:
            raise Unsupported("coverage is off in this session, so its classes have no mutants")

    def execution_data(self) -> bytes:
        """What the app has executed since its launch, in JaCoCo's exec format."""
        if Capability.JACOCO not in self.capabilities:
            raise Unsupported("coverage is off in this session")
        if self._screen is None:
            raise UsageError("launch the app first")
        return parse_execution(self._question("execution", {}))

    def probe_hits(self) -> ProbeSet:
        """Which probes of an instrumented app were hit since the launch."""
        if self._screen is None:
            raise UsageError("launch the app first")
        return parse_hits(self._question("hits", {}))

    def close(self) -> None:
        """Let go of the app; the device keeps its process for the next."""
        self._is_closed = True
        if self._process is not None:
            (self._process.place.host_inbox / self._file_name).unlink(missing_ok=True)
            self._translated.take_back(self._process.place)
        if self._device.is_held_by(self, self._process):
            self._device.hand_over(None)
        self._process = None

    @property
    def _file_name(self) -> str:
        return f"{self._digest[:16]}.apk"

    def _hand_in(self, process: BridgeProcess) -> Path:
        try:
            return process.hand_in(Path(self._app.path), self._file_name)
        except OSError as error:
            if lack_of_room(error):
                raise refusal(process.place.host_inbox, error) from error
            reason = error.strerror or str(error)
            if error.filename == self._app.path:
                raise ApkError(f"cannot read {self._app.path}: {reason}") from error
            raise DeviceUnavailable(f"cannot hand {self._app.path} to the twin: {reason}") from error

    def _require_process(self) -> BridgeProcess:
        process = self._process
        if process is None or not self._device.is_held_by(self, process):
            if self._ending.is_final:
                raise DeviceLost(f"{self._app.package} is gone, and the twin's process with it: launch it again")
            raise DeviceLost("the twin has another app open by now: launch this one again")
        return process

    def _play(self, verb: str, fields: dict[str, Any], event: Event, condition: str) -> Step:
        before = self._screen or UNSEEN
        seconds = self._device.step_seconds * (LAUNCH_PATIENCE if verb == "launch" else 1) + extra_seconds(event)
        if self._recording is not None:
            seconds *= RECORDING_PATIENCE
        fields["deadline_seconds"] = seconds
        fields["known"] = len(self._seen)
        try:
            result = self._ask(verb, fields, seconds + STEP_GRACE_SECONDS, condition)
            played = parse_played(result, event, before, self._seen)
            step, fatal = played.step, played.fatal
        except BridgeDied as death:
            step, fatal = _last_step(death.end, event, before, self._clock_ms), True
        if step.crash is not None and self._settings.names is not None:
            step = replace(step, crash=self._settings.names.crash(step.crash))
        if fatal:
            self._save_recording()
            self._device.discard()
        elif step.crash is not None and step.crash.kind is CrashKind.MEMORY:
            self._device.retire_after_run()
        self._screen, self._ending, self._clock_ms = step.after, step.ending, step.clock_ms
        return step

    def _save_recording(self) -> None:
        """Reads the recording of a process that is dead or about to be discarded, with its files."""
        if self._recording is not None and self._process is not None:
            try:
                file = read_file(self._process.place.host_record, self._recording.megabytes, is_cut=True)
            except BridgeError as error:
                log.warning("the recording died with the app: %s", error)
            else:
                self._left_behind = file

    def _question(self, verb: str, fields: Mapping[str, Any]) -> Mapping[str, Any]:
        self._require_process()
        try:
            return self._ask(verb, fields, QUESTION_SECONDS, f"the twin to answer {verb}")
        except BridgeDied as death:
            self._device.discard()
            self._ending = Ending.LOST
            raise DeviceLost(f"{death} when asked for {verb}") from death

    def _ask(
        self, verb: str, fields: Mapping[str, Any], timeout_seconds: float, condition: str, *, opening: bool = False
    ) -> Mapping[str, Any]:
        assert self._process is not None
        cut_off = self._device.cut_off
        cut_off.check()
        try:
            reply = self._process.request(
                verb, fields, timeout_seconds=timeout_seconds, condition=condition, cut_off=cut_off
            )
        except DeviceTimeout as error:
            # The process was killed; what comes next must not speak to it.
            self._device.discard()
            self._ending = Ending.LOST
            if not cut_off.left:
                raise TimeUp from error
            raise
        if reply.error is not None:
            note_failure(verb, reply.error, self._process.tail)
            raise_error(reply.error, opening=opening)
        return reply.result or {}


def note_failure(verb: str, error: Mapping[str, Any], printed: str) -> None:
    """Puts an error of the bridge into the log: the whole Java stack, and what the process printed last."""
    log.info(
        "the bridge answered %s with an error (%s): %s\n%s\nlast printed by its process:\n%s",
        verb, error.get("kind"), error.get("message"), error.get("stack") or "(no stack)", runtime_lines(printed),
        extra={"texts": printed},
    )  # fmt: skip


def extra_seconds(event: Event) -> int:
    """How much longer than others an event may take: a blinking cursor keeps the twin busy through days of waiting."""
    match event:
        case Wait():
            virtual_ms = event.ms
        case Swipe():
            virtual_ms = event.duration_ms + event.hold_ms
        case _:
            virtual_ms = 0
    return min(virtual_ms // SLOWEST_MS_PER_SECOND, MOST_EXTRA_SECONDS)


def choose_api(app: App, settings: SessionSettings) -> int:
    """The API level for an app: the one asked for, else the default, or the lowest above it that the app accepts."""
    if settings.api is not None:
        if check_api(settings.api) < app.min_sdk:
            raise UsageError(f"{app.package} needs API level {app.min_sdk} or newer, not {settings.api}")
        return settings.api
    if app.min_sdk <= DEFAULT_API:
        return DEFAULT_API
    fitting = [api for api in android_apis() if api >= app.min_sdk]
    if not fitting:
        raise UnsupportedApp(f"{app.package} needs API level {app.min_sdk}; the newest here is {android_apis()[-1]}")
    return fitting[0]


# What the end of the process says of the app: kind of crash, ending, and why the crash may be the twin's own fault. The
# twin itself never floods its output, and stays far below the limits of its jail.
_MEANING: dict[EndCause, tuple[CrashKind, Ending, str | None]] = {
    EndCause.KILLED: (
        CrashKind.MEMORY,
        Ending.LOST,
        "the system ended the twin's process, most likely for lack of memory",
    ),
    EndCause.FAULT: (CrashKind.NATIVE, Ending.CRASHED, "the Java runtime itself died"),
    EndCause.CPU_LIMIT: (CrashKind.ANR, Ending.ANR, "the twin's process used up its processor time"),
    EndCause.FULL: (CrashKind.MEMORY, Ending.CRASHED, "the twin had no memory left to say where the app used it up"),
    EndCause.FLOOD: (CrashKind.NATIVE, Ending.CRASHED, None),
    EndCause.FORBIDDEN: (CrashKind.NATIVE, Ending.CRASHED, "the app made a system call that the jail forbids"),
    EndCause.EXCESS: (CrashKind.MEMORY, Ending.CRASHED, None),
    EndCause.EXITED: (CrashKind.EXIT, Ending.EXITED, "the twin's process ended in a way the twin did not see coming"),
}


def _last_step(end: ProcessEnd, event: Event, before: Screen, clock_ms: int) -> Step:
    """The step of an event during which the process died: nothing was seen after it."""
    kind, ending, reason = _MEANING[end.cause]
    crash = Crash(kind, "main", (ExceptionInfo("ProcessDeath", str(end)),), reason, SuspectRule.PROCESS_DIED)
    last = [line.strip() for line in end.tail.splitlines() if line.strip()][-5:]
    return Step(
        event=event,
        before=before,
        log=tuple(last),
        crash=crash,
        ending=ending,
        notes=(str(end),),
        clock_ms=clock_ms,
    )


def _digest_of(app: App) -> str:
    try:
        return sha256_of(Path(app.path))
    except OSError as error:
        raise ApkError(f"cannot read {app.path}: {error.strerror or error}") from error
