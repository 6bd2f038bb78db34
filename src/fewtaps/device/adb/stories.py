"""AppLog: reads the log of a device and tells how the processes of one app ended, and which activity is in front.

It takes entries in the order of the stream, reads no clock and sends no request. Entries of other processes, of other
apps and from before the app's launch change nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum

from fewtaps.device.adb.logcat import LogEntry, event_values
from fewtaps.device.adb.told import native_crash
from fewtaps.formats.stacks import crash_from_stack
from fewtaps.model.crash import Crash, CrashKind, ExceptionInfo, Frame
from fewtaps.model.numerals import whole_number

MARK_TAG = "fewtaps"
"""The tag of the entry that a launch writes first: what stands before it belongs to earlier runs."""
MOST_LINES = 2000
"""Lines of one crash that are kept."""
LINES_OF_A_STEP = 400
"""Lines of the app's own log that are kept for one step."""
_FATAL = re.compile(r"FATAL EXCEPTION: (.*)$")
_PROCESS = re.compile(r"Process: ([\w.]+(?::\S+)?), PID: (\d+)")
_NATIVE_HEAD = re.compile(r"pid: (\d+), tid: (\d+), name: (.*?)\s+>>> (\S+) <<<")
_ANR_HEAD = re.compile(r"ANR in ([\w.]+(?::[\w.]+)?)")
_RESUMED = ("wm_on_resume_called", "am_on_resume_called")
_LOW_MEMORY = ("lowmemorykiller", "lmkd")
_SILENT_TAGS = (MARK_TAG, "AndroidRuntime", "DEBUG", "CRASH")


class AppEnd(Enum):
    """How a process of the app ended, as far as the log tells."""

    CRASHED = "crashed"
    HUNG = "hung"
    DIED = "died"
    """It ended without a reason in the log: by its own hand, or killed from outside."""
    KILLED = "killed"
    """The system ended it, and said so."""


@dataclass(slots=True)
class _Block:
    """A crash that is being written to the log."""

    thread: str
    process: str | None
    lines: list[str] = field(default_factory=list)


class AppLog:
    """What the log has told of one app since its launch."""

    def __init__(self, package: str) -> None:
        self.package = package
        self.activity: str | None = None
        """The class of the app's activity that was resumed last."""
        self.kill_reason = ""
        self._mark: str | None = None
        self._clear()

    def _clear(self) -> None:
        self.activity = None
        self.kill_reason = ""
        self._pids: set[int] = set()
        self._dead: set[int] = set()
        self._killed: set[int] = set()
        self._java: dict[int, _Block] = {}
        self._native: dict[int, _Block] = {}
        self._noted: tuple[str, Crash] | None = None
        self._hang: str | None = None
        self._hung_pid = 0
        self._lines: list[str] = []

    def begin(self, mark: str) -> None:
        """Forgets everything, and ignores all entries until the one with this mark."""
        self._clear()
        self._mark = mark

    @property
    def is_waiting(self) -> bool:
        """Whether the mark of the launch was not read yet."""
        return self._mark is not None

    @property
    def end(self) -> AppEnd | None:
        """How the app ended; None while it goes on."""
        if self._app_block(self._java) or self._app_block(self._native) or self._noted is not None:
            return AppEnd.CRASHED
        if self._hang is not None:
            return AppEnd.HUNG
        if self._pids and self._pids <= self._dead:
            return AppEnd.KILLED if self._pids & self._killed else AppEnd.DIED
        return None

    @property
    def is_told(self) -> bool:
        """Whether nothing more is to come of the end: the death of the process is the last entry."""
        return bool(self._dead)

    @property
    def last_pid(self) -> int:
        """The process that ended, or hung; 0 if there is none."""
        return self._hung_pid or max(self._dead, default=0)

    @property
    def crash(self) -> Crash | None:
        """The crash; for a hang one with its reason alone, to which the stack is added from elsewhere."""
        block = self._app_block(self._java)
        if block is not None:
            return crash_from_stack(block.lines, block.thread) or Crash(CrashKind.EXCEPTION, block.thread)
        native = self._app_block(self._native)
        if native is not None:
            return native_crash(native.lines, native.thread)
        if self._noted is not None:
            return self._noted[1]
        if self._hang is not None:
            return Crash(CrashKind.ANR, "main", (ExceptionInfo("ANR", self._hang or None),))
        return None

    def take_lines(self) -> tuple[str, ...]:
        """What the app itself logged since the last call, as `I/Tag: message`."""
        lines, self._lines = tuple(self._lines), []
        return lines

    def add(self, entry: LogEntry) -> None:
        """Reads the next entry."""
        if self._mark is not None:
            if entry.tag == MARK_TAG and self._mark in entry.message:
                self._mark = None
            return
        match entry.tag:
            case "AndroidRuntime" if entry.level in "EF":
                self._add_java(entry)
            case "DEBUG" | "CRASH" if entry.level in "FAEI":
                self._add_native(entry)
            case "ActivityManager" if found := _ANR_HEAD.search(entry.message):
                if self._is_own(found[1]) and self._hang is None:
                    self._hang = ""
            case "ActivityManager" if self._hang == "" and entry.message.startswith("Reason: "):
                self._hang = entry.message.removeprefix("Reason: ")
            case tag if tag.startswith(("am_", "wm_", "killinfo")):
                self._add_event(entry, event_values(entry.message))
            case tag if tag in _LOW_MEMORY:
                self._add_low_memory(entry.message)
        self._keep(entry)

    def _keep(self, entry: LogEntry) -> None:
        is_own = entry.pid in self._pids and entry.tag not in _SILENT_TAGS
        if is_own and not entry.tag.startswith(("am_", "wm_")) and len(self._lines) < LINES_OF_A_STEP:
            self._lines.append(f"{entry.level}/{entry.tag}: {entry.message}"[:2000])

    def _is_own(self, process: str) -> bool:
        return process == self.package or process.startswith(f"{self.package}:")

    def _app_block(self, blocks: dict[int, _Block]) -> _Block | None:
        for pid, block in blocks.items():
            if self._is_own(block.process) if block.process else pid in self._pids:
                return block
        return None

    def _add_java(self, entry: LogEntry) -> None:
        if found := _FATAL.search(entry.message):
            if not entry.message.startswith("***"):
                self._java.setdefault(entry.pid, _Block(found[1].strip(), None))
            return
        block = self._java.get(entry.pid)
        if block is None:
            return
        if block.process is None and not block.lines and (found := _PROCESS.match(entry.message)):
            block.process = found[1]
        elif len(block.lines) < MOST_LINES:
            block.lines.append(entry.message)

    def _add_native(self, entry: LogEntry) -> None:
        if found := _NATIVE_HEAD.search(entry.message):
            self._native.setdefault(entry.pid, _Block(found[3], found[4]))
            return
        block = self._native.get(entry.pid)
        if block is not None and len(block.lines) < MOST_LINES:
            block.lines.append(entry.message)

    def _add_event(self, entry: LogEntry, values: list[str]) -> None:
        match entry.tag, values:
            case "am_proc_start", [_, pid, _, process, *_] if self._is_own(process):
                self._start(_whole(pid))
            case "am_proc_bound", [_, pid, process, *_] if self._is_own(process):
                self._start(_whole(pid))
            case "am_proc_died", [_, pid, process, *_] if self._is_own(process):
                self._dead.add(_whole(pid))
            case "am_kill", [_, pid, process, _, *reason] if self._is_own(process):
                self._kill(_whole(pid), ",".join(reason))
            case "am_crash", [pid, _, process, _, *rest] if self._is_own(process):
                if self._noted is None:
                    self._noted = process, noted_crash(rest)
                self._start(_whole(pid))
            case "am_anr", [_, pid, process, _, *reason] if self._is_own(process):
                self._hang = ",".join(reason) or self._hang or ""
                self._hung_pid = _whole(pid)
            case name, [_, activity, *_] if name in _RESUMED and entry.pid in self._pids:
                self.activity = activity.strip()

    def _start(self, pid: int) -> None:
        self._pids.add(pid)
        self._dead.discard(pid)

    def _kill(self, pid: int, reason: str) -> None:
        self._killed.add(pid)
        self._dead.add(pid)
        self._pids.add(pid)
        self.kill_reason = reason

    def _add_low_memory(self, message: str) -> None:
        found = re.search(r"[Kk]ill(?:ing)?\s+'?([\w.:]+)'?\s*\((\d+)\)", message)
        if found and self._is_own(found[1]):
            self._kill(_whole(found[2]), "low memory")


def noted_crash(values: list[str]) -> Crash:
    """The crash of an entry `am_crash`: the exception's class, its message, the file and the line; without a stack."""
    rest = list(values)
    numbers: list[int] = []
    while rest and re.fullmatch(r"-?\d{1,9}", rest[-1].strip()):
        numbers.insert(0, int(rest.pop()))
    file = rest.pop() if len(rest) > 2 else ""
    name = rest[0].strip() if rest else ""
    message = ",".join(rest[1:]).strip()
    if name == "Native crash":
        return Crash(CrashKind.NATIVE, "", (ExceptionInfo("Native crash", message or None),))
    line = numbers[0] if numbers and numbers[0] > 0 else None
    where = file.strip() if file.strip() not in ("", "NULL", "unknown", "Unknown Source") else None
    frames = (Frame(where.rpartition(".")[0] or where, "?", where, line),) if where else ()
    return Crash(CrashKind.EXCEPTION, "", (ExceptionInfo(name, None if message in ("", "NULL") else message, frames),))


def _whole(text: str) -> int:
    return whole_number(text.strip()) or 0
