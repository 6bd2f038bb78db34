"""What `adb shell monkey -v -v` prints: each event it sends, activities it starts, and the crash or ANR it stops at.

Such a log quotes the apps it runs, so lines that are nobody's are passed over; a line that begins as Monkey's own does
and is not whole is an error.
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
# Monkey before Android 3: no finger numbers, and one name for touches and trackballs.
_OLD_POINT = re.compile(r"x=([^ =]{1,30}) y=?([^ =]{1,30})")
_KEY = re.compile(r":Sending Key \((ACTION_\w+)\): (\d+)")
_ROTATION = re.compile(r":Sending rotation degree=(\d), ")
_COMPONENT = re.compile(r"component=([^/;]+)/([^;]+);")
_WAIT = re.compile(r"Wait Event for (\d{1,9}) milliseconds")
_DIED = re.compile(r"// (CRASH|NOT RESPONDING): (\S+)")


def read_monkey_log(path: Path) -> Recording:
    """The recording in a log. Raises UsageError, naming file and line, if there is none."""
    log = _Log(path)
    number = 0
    for number, line in numbered_lines(path):
        log.read(number, line.strip())
    return log.finish(max(number, 1))


def looks_like_monkey_log(head: str) -> bool:
    """Whether a file that begins so is a log."""
    return any(line.lstrip().startswith((":Monkey: seed=", ":Sending ", ":Switch: ")) for line in head.splitlines())


class _Log:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.recorder = Recorder(path)
        self.line = 0
        self.is_verbose = False
        self.fingers = Fingers(lambda reason: self.recorder.losses.add(self.line, reason))
        self.died: tuple[str, str] | None = None
        self.stack: list[str] = []

    def read(self, number: int, line: str) -> None:
        self.line = number
        if self.died is not None and self._is_of_stack(line):
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
        elif died := _DIED.match(line):
            self.died, self.stack = (died[1], died[2]), []

    def finish(self, number: int) -> Recording:
        self._bury()
        left = self.fingers.lift()
        if left is not None:
            self.recorder.add(left, number)
        if not self.is_verbose:
            self._tell("the log was made with one -v only: it does not tell of keys and of the ways of fingers")
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
            self._tell("opening or closing a hardware keyboard cannot be said in a trace")
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
            # In the old form the moves of a trackball look like those of a finger that is not down.
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
            self._tell("a move of a trackball cannot be said in a trace")

    def _key(self, action: str, code: str) -> None:
        if action != "ACTION_DOWN":
            return
        name = key_name(code)
        if name is None:
            self._tell(f"Android has no key {printable(code)}")
        else:
            self.recorder.add(Key(name), self.line)

    def _is_of_stack(self, line: str) -> bool:
        """Whether the line still tells of the death; the first that does not closes the account of it."""
        if line.startswith("//") and not _DIED.match(line) and len(self.stack) < MAX_STACK_LINES:
            self.stack.append(line[2:])
            return True
        self._bury()
        return False

    def _bury(self) -> None:
        if self.died is None:
            return
        (how, process), self.died = self.died, None
        package = process.partition(":")[0]
        if self.recorder.package and package != self.recorder.package:
            self._tell(f"the crash of another app, {printable(package)}, cannot be said in a trace")
            return
        left = self.fingers.lift()
        if left is not None:
            self.recorder.add(left, self.line)
        self.recorder.crash(_crash(how, self.stack), self.line)

    def _tell(self, reason: str) -> None:
        self.recorder.losses.add(self.line, reason)


def _crash(how: str, told: list[str]) -> Crash:
    if how == "NOT RESPONDING":
        return Crash(CrashKind.ANR, "main")
    short = [line.partition(": ")[2].strip() for line in told if line.lstrip().startswith("Short Msg: ")]
    # The stack comes after lines that tell of the build.
    labels = ("Short Msg:", "Long Msg:", "Build Label:", "Build Changelist:", "Build Time:")
    crash = crash_from_stack(line for line in told if not line.lstrip().startswith(labels))
    if crash is not None:
        return crash
    if short and short[0] == "Native crash":
        return Crash(CrashKind.NATIVE, "main")
    return Crash(CrashKind.EXCEPTION, "main", (ExceptionInfo(short[0]),) if short else ())
