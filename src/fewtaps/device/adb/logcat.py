"""Lines of `logcat` as values, in the formats that it prints and that people paste."""

from __future__ import annotations

import re
from dataclasses import dataclass

_DATE = r"(?:\d{4}-)?\d\d-\d\d\s+\d\d:\d\d:\d\d[.,]\d{3,9}(?:\s+[+-]\d{4})?"
_THREADTIME = re.compile(
    rf"(?:{_DATE}|\s*\d{{5,}}\.\d{{3,}})\s+(?:[a-zA-Z_][\w.]*\s+)?(\d+)\s+(\d+)\s+([VDIWEFSA])\s(.*?)\s*:(?: (.*))?$",
    re.DOTALL,
)
"""MM-DD HH:MM:SS.mmm  PID  TID L TAG: message; the user's name comes before the PID with `-v uid`."""
_TIME = re.compile(rf"(?:{_DATE}:?\s+)?([VDIWEFSA])/(.*?)\s*\(\s*(\d+)\):(?: (.*))?$", re.DOTALL)
"""MM-DD HH:MM:SS.mmm L/TAG(PID): message; the same without the time, or with the colon that DDMS puts behind it."""
_STUDIO = re.compile(
    rf"{_DATE}\s+(\d+)-(\d+)(?:/(?:[\w.:?-]+))?\s+(?:([VDIWEFA])/(.*?):|(\S+)\s+(\S+)\s+([VDIWEFA]))(?:\s(.*))?$",
    re.DOTALL,
)
"""Android Studio's two forms: PID-TID/package L/TAG: message, and PID-TID TAG package L message."""


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One line of the log; `tid` is 0 in formats that have none."""

    pid: int
    tid: int
    level: str
    tag: str
    message: str


def parse_line(line: str) -> LogEntry | None:
    """The entry of a line; None for a line that is none, such as a divider or the rest of a cut one."""
    if found := _THREADTIME.match(line):
        pid, tid, level, tag, message = found.groups()
        return LogEntry(_number(pid), _number(tid), level, tag.strip(), message or "")
    if found := _TIME.match(line):
        level, tag, pid, message = found.groups()
        return LogEntry(_number(pid), 0, level, tag.strip(), message or "")
    if found := _STUDIO.match(line):
        pid, tid, old_level, old_tag, new_tag, _, new_level, message = found.groups()
        # The newer form separates columns by two spaces, so one may be left before the message.
        text = (message or "").removeprefix(" ") if new_tag else message or ""
        return LogEntry(_number(pid), _number(tid), old_level or new_level, old_tag or new_tag, text)
    return None


def event_values(message: str) -> list[str]:
    """The values of an entry of the buffer `events`: `[0,4242,com.example,…]`."""
    text = message.strip()
    return text[1:-1].split(",") if text.startswith("[") and text.endswith("]") else text.strip("[]").split(",")


def _number(digits: str) -> int:
    return int(digits[:9])
