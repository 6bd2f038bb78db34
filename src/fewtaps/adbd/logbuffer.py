"""The log of a served device, with Android's buffers and the formats of `logcat`."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from fewtaps.model.crash import Crash, CrashKind

LINES_KEPT = 20_000
"""Lines of all buffers together; older ones are dropped."""
LEVELS = "VDIWEFS"
"""Android's levels from verbose to silent."""
_LINE = re.compile(r"([VDIWEFA])/([^:]{0,100}): ?(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line. `number` counts the lines since the start; `time_ms` is the device's clock since 1970."""

    number: int
    buffer: str
    time_ms: int
    pid: int
    level: str
    tag: str
    message: str


class LogBuffer:
    """The newest lines of all buffers."""

    def __init__(self) -> None:
        self._lines: deque[LogLine] = deque(maxlen=LINES_KEPT)
        self._next = 0
        self._cleared: dict[str, int] = {}

    @property
    def end(self) -> int:
        """The number of the next line."""
        return self._next

    def add(self, buffer: str, time_ms: int, pid: int, level: str, tag: str, message: str) -> None:
        """Adds a message; each of its lines becomes a line of the log."""
        for line in message.split("\n"):
            self._lines.append(LogLine(self._next, buffer, time_ms, pid, level, tag, line))
            self._next += 1

    def add_app_line(self, line: str, time_ms: int, pid: int) -> None:
        """Adds what an app logged, `I/Tag: message` in a step."""
        match = _LINE.fullmatch(line)
        level, tag, message = match.groups() if match else ("I", "System.out", line)
        self.add("main", time_ms, pid, "F" if level == "A" else level, tag, message)

    def clear(self, buffers: Iterable[str]) -> None:
        """Empties some buffers."""
        self._cleared.update(dict.fromkeys(buffers, self._next))

    def lines(self, buffers: frozenset[str], since: int = 0) -> Iterator[LogLine]:
        """The lines of these buffers from a number on."""
        for line in self._lines:
            if line.number >= since and line.buffer in buffers and line.number >= self._cleared.get(line.buffer, 0):
                yield line


def crash_lines(crash: Crash, package: str, pid: int) -> Iterator[tuple[str, str, str, str]]:
    """What Android writes about the end of an app: buffer, level, tag and message of each entry."""
    root = crash.root
    if crash.kind is CrashKind.ANR:
        yield "events", "I", "am_anr", f"[0,{pid},{package},0,Input dispatching timed out]"
        yield "main", "E", "ActivityManager", f"ANR in {package}\nPID: {pid}\nReason: Input dispatching timed out"
        return
    if crash.kind in (CrashKind.NATIVE, CrashKind.MEMORY):
        yield (
            "crash",
            "F",
            "DEBUG",
            f"pid: {pid}, tid: {pid}, name: {crash.thread}  >>> {package} <<<\n{crash.render()}",
        )
        return
    if crash.kind is CrashKind.EXIT:
        return
    first, _, rest = crash.render().partition("\n")
    yield "crash", "E", "AndroidRuntime", f"{first}\nProcess: {package}, PID: {pid}\n{rest}"
    if root is not None:
        frame = root.frames[0] if root.frames else None
        where = f"{frame.file or 'NULL'},{frame.line or 0}" if frame else "NULL,0"
        message = (root.message or "NULL").replace("\n", " ")
        yield "events", "I", "am_crash", f"[{pid},0,{package},0,{root.type},{message},{where}]"


def formatted(line: LogLine, style: str) -> str:
    """The line in a format of `logcat -v`."""
    moment = datetime.fromtimestamp(line.time_ms / 1000, UTC)
    at = f"{moment:%m-%d %H:%M:%S}.{line.time_ms % 1000:03}"
    match style:
        case "brief":
            return f"{line.level}/{line.tag:<8}({line.pid:5}): {line.message}"
        case "tag":
            return f"{line.level}/{line.tag:<8}: {line.message}"
        case "raw":
            return line.message
        case "process":
            return f"{line.level}({line.pid:5}) {line.message}  ({line.tag})"
        case "thread":
            return f"{line.level}({line.pid:5}:{line.pid:5}) {line.message}"
        case "time":
            return f"{at} {line.level}/{line.tag:<8}({line.pid:5}): {line.message}"
        case "long":
            return f"[ {at} {line.pid:5}:{line.pid:5} {line.level}/{line.tag:<8} ]\n{line.message}\n"
        case "epoch":
            seconds = f"{line.time_ms / 1000:.3f}"
            return f"{seconds:>19} {line.pid:5} {line.pid:5} {line.level} {line.tag:<8}: {line.message}"
    return f"{at} {line.pid:5} {line.pid:5} {line.level} {line.tag:<8}: {line.message}"
