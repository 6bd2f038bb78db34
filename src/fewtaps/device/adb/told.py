"""What a device tells in long texts: native crashes, the threads of a hang, exits, receivers, the lock screen."""

from __future__ import annotations

import re
from collections.abc import Iterable

from fewtaps.formats.stacks import crash_from_stack
from fewtaps.model.crash import Crash, CrashKind, ExceptionInfo, Frame

_SIGNAL = re.compile(r"signal (\d+) \((\w+)\)(.*)")
_ABORT = re.compile(r"Abort message: (.*)")
_NATIVE_FRAME = re.compile(
    r"\s*#\d+\s+(?:\|?\s*)pc\s+[0-9a-f]+\s+(\S+)(?:\s+\(offset \w+\))?"
    r"(?:\s+\((?!BuildId)(.*?)\))?(?:\s+\(BuildId: .*)?\s*$"
)
_OWN_TITLE = re.compile(r"(Out of memory|Native crash): (.*)")
_MAIN_THREAD = re.compile(r'"main" .*')
_ANR_PROCESS = re.compile(r"(?:Process|Cmd line): (\S+)")
_ANR_PID = re.compile(r"PID: (\d+)|----- pid (\d+) at ")
_ANR_ENTRY = re.compile(r"^={20,}$|^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d data_app_anr ")
_ANR_HEADER = re.compile(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \w+ ")


def native_crash(lines: Iterable[str], thread: str) -> Crash:
    """The crash in the lines that follow `>>> PACKAGE <<<` of a native crash."""
    kept = list(lines)
    title = next((found for line in kept if (found := _OWN_TITLE.match(line.strip()))), None)
    if title is not None:
        # A twin that serves as a device tells its own ends in this form, with a Java stack.
        stack = crash_from_stack(kept[1:], title[2])
        kind = CrashKind.MEMORY if title[1] == "Out of memory" else CrashKind.NATIVE
        return Crash(kind, title[2], stack.exceptions if stack is not None else ())
    name, message, frames = "Native crash", "", []
    for line in kept:
        if found := _SIGNAL.search(line):
            name = found[2]
            message = message or found[3].strip(" ,")
        elif found := _ABORT.search(line):
            message = found[1].strip("'\" ")
        elif found := _NATIVE_FRAME.match(line):
            frames.append(_native_frame(found[1], found[2] or ""))
    return Crash(CrashKind.NATIVE, thread, (ExceptionInfo(name, message or None, tuple(frames)),))


def _native_frame(library: str, function: str) -> Frame:
    """A frame of a library; its name stands for the class, the function's for the method."""
    place = library.rpartition("/")[2] or library
    return Frame(place, re.sub(r"\+\d+$", "", function.strip()) or "?")


def hang_stack(text: str, package: str, pid: int) -> tuple[Frame, ...]:
    """The stack of the main thread in the newest entry of `dumpsys dropbox --print data_app_anr` of the app.

    Empty if no entry is about the app. An entry of another process of the app counts if none is about `pid`.
    """
    best: tuple[Frame, ...] = ()
    for entry in _entries(text):
        process = next((found[1] for line in entry if (found := _ANR_PROCESS.match(line.strip()))), "")
        if process != package and not process.startswith(f"{package}:"):
            continue
        number = next((found[1] or found[2] for line in entry if (found := _ANR_PID.search(line))), "0")
        frames = _main_thread(entry)
        if frames and (not best or int(number[:9]) == pid):
            best = frames
    return best


def _entries(text: str) -> list[list[str]]:
    entries: list[list[str]] = [[]]
    for line in text.splitlines():
        if _ANR_ENTRY.match(line) or _ANR_HEADER.match(line):
            entries.append([])
        entries[-1].append(line)
    return entries


def _main_thread(lines: list[str]) -> tuple[Frame, ...]:
    stack: list[str] = []
    is_main = False
    for line in lines:
        if line.startswith('"'):
            if is_main:
                break
            is_main = _MAIN_THREAD.match(line) is not None
        elif is_main:
            text = line.strip()
            if text.startswith("at "):
                stack.append(text)
            elif not text and stack:
                break
    crash = crash_from_stack(["ANR", *stack]) if stack else None
    return crash.exceptions[0].frames if crash is not None else ()


def exit_reason(text: str, pid: int) -> int | None:
    """The number of the reason why a process ended, in `dumpsys activity exit-info`; None if it is not told."""
    for part in text.split("ApplicationExitInfo #")[1:]:
        number = re.search(r"\bpid=(\d{1,9})\b", part)
        reason = re.search(r"\breason=(\d{1,4})\b", part)
        if number and reason and int(number[1]) == pid:
            return int(reason[1])
    return None


def receivers(text: str, package: str) -> frozenset[str]:
    """The actions that code of the app has registered for, in `dumpsys activity broadcasts`."""
    found: set[str] = set()
    is_own = False
    for line in text.splitlines():
        text = line.strip()
        if text.startswith("* ReceiverList{"):
            is_own = re.search(rf"\s{re.escape(package)}(?::[\w.]+)?/", text) is not None
        elif text.startswith("Receiver Resolver Table"):
            break
        elif is_own and (action := re.match(r'Action: "(.+)"$', text)):
            found.add(action[1])
    return frozenset(found)


def resumed_activity(text: str, package: str) -> str | None:
    """The class of the app's activity in front, in `dumpsys activity activities`; None if another app is in front."""
    for name in ("topResumedActivity", "mResumedActivity", "ResumedActivity", "mFocusedActivity"):
        found = re.search(rf"\b{name}[=:] ?ActivityRecord\{{\S+ \S+ ([\w.$]+)/([\w.$]+)", text)
        if found:
            if found[1] != package:
                return None
            return found[1] + found[2] if found[2].startswith(".") else found[2]
    return None


def is_locked(text: str) -> bool:
    """Whether the lock screen is shown, in `dumpsys window policy`; in its older and newer words."""
    delegate = text.partition("KeyguardServiceDelegate")[2][:400]
    is_shown = re.search(r"\bshowing=true\b", delegate) is not None
    old = re.search(r"\b(?:isKeyguardShowing|mShowingLockscreen|mDreamingLockscreen)=true\b", text) is not None
    return is_shown or old
