"""Reads the output of `adb shell monkey -v -v`: the events it sends, the activities it starts, the crash or ANR.

The output also contains lines of the app, so unknown lines are skipped. A line with one of Monkey's own prefixes that
does not have Monkey's format is an error.
"""

from __future__ import annotations

import math
import re
from pathlib import Path

from fewtaps.formats.keycodes import key_name
from fewtaps.formats.monkeyscript import TURNS
from fewtaps.formats.recording import Recorder, Recording
from fewtaps.formats.source import broken, numbered_lines
from fewtaps.formats.stacks import crash_from_stack
from fewtaps.formats.touches import CANCEL, DOWN, MOVE, POINTER_DOWN, POINTER_UP, UP, Fingers, Point
from fewtaps.model.crash import Crash, CrashKind, ExceptionInfo
from fewtaps.model.event import Key, Rotate, Wait, printable

ACTIONS = {
    "ACTION_DOWN": DOWN,
    "ACTION_UP": UP,
    "ACTION_MOVE": MOVE,
    "ACTION_CANCEL": CANCEL,
    "ACTION_POINTER_DOWN": POINTER_DOWN,
    "ACTION_POINTER_UP": POINTER_UP,
}
MAX_STACK_LINES = 10_000

_MOTION = re.compile(r":Sending (Touch|Trackball|Pointer) \(?(ACTION_\w+|\d+)[ \d]*\)?:? ?(.*)")
_POINT = re.compile(r"(\d{1,3}):\(([^(),]{1,30}),([^(),]{1,30})\)")
# Monkey before Android 3 wrote no finger numbers, and used one name for touches and trackballs.
_OLD_POINT = re.compile(r"x=([^ =]{1,30}) y=?([^ =]{1,30})")
_KEY = re.compile(r":Sending Key \((ACTION_\w+)\): (\d+)")
_ROTATION = re.compile(r":Sending rotation degree=(\d), ")
_COMPONENT = re.compile(r"component=([^/;=]+)/([^;=]+);")
_WAIT = re.compile(r"Wait Event for (\d{1,9}) milliseconds")
_CRASH = re.compile(r"// (CRASH|NOT RESPONDING): (\S+)")


def read_monkey_log(path: Path) -> Recording:
    """The recording in a log. Raises UsageError, naming file and line, if there is none."""
    log = _Log(path)
    number = 0
    for number, line in numbered_lines(path):
        log.read(number, line.strip())
    return log.finish(max(number, 1))


def looks_like_monkey_log(head: str) -> bool:
    """Whether a file with this beginning is a log of Monkey."""
    return any(line.lstrip().startswith((":Monkey: seed=", ":Sending ", ":Switch: ")) for line in head.splitlines())


class _Log:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.recorder = Recorder(path)
        self.line = 0
        self.is_verbose = False
        self.fingers = Fingers(lambda reason: self.recorder.losses.add(self.line, reason))
        self.crashed: tuple[str, str] | None = None
        self.stack: list[str] = []

    def read(self, number: int, line: str) -> None:
        self.line = number
        if self.crashed is not None and self._takes_stack_line(line):
            return
        if line.startswith(":Sending "):
            self._sending(line)
        elif line.startswith(":Switch: "):
            component = _COMPONENT.search(line)
            if component is None:
                raise broken(self.path, number, "an activity is started and not named")
            self.recorder.start(component[1], component[2], number)
        elif line.startswith(":AllowPackage: ") and not self.recorder.package:
            self.recorder.package = line.removeprefix(":AllowPackage: ").strip()
        elif line.startswith("Sleeping for "):
            self.is_verbose = True
        elif line.startswith("Wait Event for "):
            waited = _WAIT.match(line)
            if waited is not None:
                self.recorder.add(Wait(int(waited[1])), number)
        elif crashed := _CRASH.match(line):
            self.crashed, self.stack = (crashed[1], crashed[2]), []

    def finish(self, number: int) -> Recording:
        self._end_crash()
        left = self.fingers.lift()
        if left is not None:
            self.recorder.add(left, number)
        if not self.is_verbose:
            self._add_loss("the log was made with one -v only: it does not tell of keys and of the ways of fingers")
        return self.recorder.finish(number)

    def _sending(self, line: str) -> None:
        if motion := _MOTION.match(line):
            self._motion(motion[1], motion[2], motion[3])
        elif key := _KEY.match(line):
            self.is_verbose = True
            self._key(key[1], key[2])
        elif rotation := _ROTATION.match(line):
            quarter = int(rotation[1])
            if quarter >= len(TURNS):
                raise broken(self.path, self.line, f"a screen turns by 0 to 3 quarters, not {quarter}")
            self.recorder.add(Rotate(TURNS[quarter]), self.line)
        elif line.startswith(":Sending Flip "):
            self._add_loss("opening or closing a hardware keyboard cannot be said in a trace")
        else:
            raise broken(self.path, self.line, f"not an event of Monkey: {printable(line)}")

    def _motion(self, device: str, action: str, rest: str) -> None:
        points = self._points(rest)
        code = ACTIONS.get(action)
        if code is None or not points:
            raise broken(self.path, self.line, f"not a motion event: {printable(f'{action} {rest}')}")
        if device == "Trackball":
            self._trackball(code)
        elif device == "Pointer" and code != DOWN and not self.fingers.are_down:
            # In the old format a move of a trackball differs from one of a finger only in that no finger is down.
            self._trackball(code)
        else:
            event = self.fingers.touch(code, points)
            if event is not None:
                self.recorder.add(event, self.line)

    def _points(self, rest: str) -> dict[int, Point]:
        found = [(int(finger), x, y) for finger, x, y in _POINT.findall(rest)]
        found = found or [(0, x, y) for x, y in _OLD_POINT.findall(rest)]
        return {finger: (self._number(x), self._number(y)) for finger, x, y in found}

    def _number(self, text: str) -> float:
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise broken(self.path, self.line, f"not a number: {printable(text)}")
        return number

    def _trackball(self, action: int) -> None:
        if action == DOWN:
            self.recorder.add(Key("DPAD_CENTER"), self.line)
        elif action != UP:
            self._add_loss("a move of a trackball cannot be said in a trace")

    def _key(self, action: str, code: str) -> None:
        if action != "ACTION_DOWN":
            return
        name = key_name(code)
        if name is None:
            self._add_loss(f"Android has no key {printable(code)}")
        else:
            self.recorder.add(Key(name), self.line)

    def _takes_stack_line(self, line: str) -> bool:
        """Collects a line of the crash report; at the first other line ends the report and returns False."""
        if line.startswith("//") and not _CRASH.match(line) and len(self.stack) < MAX_STACK_LINES:
            self.stack.append(line[2:])
            return True
        self._end_crash()
        return False

    def _end_crash(self) -> None:
        if self.crashed is None:
            return
        (how, process), self.crashed = self.crashed, None
        package = process.partition(":")[0]
        if self.recorder.package and package != self.recorder.package:
            self._add_loss(f"the crash of another app, {printable(package)}, cannot be said in a trace")
            return
        left = self.fingers.lift()
        if left is not None:
            self.recorder.add(left, self.line)
        self.recorder.crash(_crash(how, self.stack), self.line)

    def _add_loss(self, reason: str) -> None:
        self.recorder.losses.add(self.line, reason)


def _crash(how: str, lines: list[str]) -> Crash:
    if how == "NOT RESPONDING":
        return Crash(CrashKind.ANR, "main")
    short = [line.partition(": ")[2].strip() for line in lines if line.lstrip().startswith("Short Msg: ")]
    # These lines about the message and the build stand before the stack.
    labels = ("Short Msg:", "Long Msg:", "Build Label:", "Build Changelist:", "Build Time:")
    crash = crash_from_stack(line for line in lines if not line.lstrip().startswith(labels))
    if crash is not None:
        return crash
    if short and short[0] == "Native crash":
        return Crash(CrashKind.NATIVE, "main")
    return Crash(CrashKind.EXCEPTION, "main", (ExceptionInfo(short[0]),) if short else ())
