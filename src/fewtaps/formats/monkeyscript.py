"""Monkey scripts, as `adb shell monkey -f SCRIPT` plays them: every command of AOSP's MonkeySourceScript.

A script has a header of `name= value` lines up to `start data >>`, then one command per line. Scripts of type `raw
events` hold single motion and key events with their times, those of type `user` whole gestures. Android ignores the
type, so both kinds of commands may be mixed. Android skips unknown commands; here they are errors.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path

from fewtaps.formats.export_support import is_package
from fewtaps.formats.keycodes import key_name
from fewtaps.formats.recording import Recorder, Recording
from fewtaps.formats.screens import Measures
from fewtaps.formats.source import broken, numbered_lines
from fewtaps.formats.touches import AT_ONCE_MS, LONG_PRESS_MS, POINTER_DOWN, POINTER_UP, Fingers, pixel, swipe
from fewtaps.model.event import Key, LongPress, Orientation, Pinch, Rotate, Tap, Text, Wait, printable
from fewtaps.model.profile import PROFILES

START = "start data >>"
PROFILE_WAIT_MS = 5000
"""Monkey's default for `--profile-wait`."""

LONGEST_MS = (1 << 31) - 1
PAUSE_MS = 1000
"""A pause between two raw events that is at least this long becomes a `Wait`; shorter ones are dropped."""

TURNS: tuple[Orientation, ...] = ("portrait", "landscape", "reverse_portrait", "reverse_landscape")
"""Indexed by Android's Surface.ROTATION_…, for a phone whose natural orientation is portrait."""

WITHOUT_EVENT = {
    "LaunchInstrumentation": "starting an instrumentation",
    "PowerLog": "writing a power log",
    "WriteLog": "writing a power log",
    "RunCmd": "running a command of the phone's shell",
    "DeviceWakeUp": "sending the phone to sleep and waking it",
    "DispatchFlip": "opening or closing a hardware keyboard",
    "StartCaptureFramerate": "measuring the frame rate",
    "EndCaptureFramerate": "measuring the frame rate",
    "StartCaptureAppFramerate": "measuring the frame rate",
    "EndCaptureAppFramerate": "measuring the frame rate",
}
"""Commands for which a trace has no event, with what they do."""


def read_monkey_script(path: Path) -> Recording:
    """The recording in a script. Raises UsageError, naming file and line, if it is not one."""
    script = _MonkeyScript(path)
    number = 0
    for number, line in numbered_lines(path):
        script.read(number, line.strip())
    return script.finish(number)


def looks_like_monkey_script(head: str) -> bool:
    """Whether a file with this beginning is a Monkey script."""
    return START in head


class _MonkeyScript:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.recorder = Recorder(path)
        self.line = 0
        self.speed = 1.0
        self.has_started = False
        self.screen: Measures | None = None
        self.profile: str | None = None
        self.fingers = Fingers(lambda reason: self.recorder.losses.add(self.line, reason))
        self.last_at: int | None = None

    def read(self, number: int, line: str) -> None:
        self.line = number
        if not self.has_started:
            self._header(line)
        elif line and not line.startswith(("#", "//")):
            self._command(line)

    def finish(self, number: int) -> Recording:
        if not self.has_started:
            raise broken(self.path, max(number, 1), f"no line '{START}' in the file")
        left = self.fingers.lift()
        if left is not None:
            self.recorder.add(left, number)
        return self.recorder.finish(max(number, 1), screen=self.screen, profile=self.profile)

    def _header(self, line: str) -> None:
        if START in line:
            self.has_started = True
            return
        name, separator, value = (part.strip() for part in line.partition("="))
        if not separator:
            return
        if name == "speed":
            self.speed = self._number(value)
        elif name == "screen":
            self.screen = self._measures(value)
        elif name == "profile" and value in PROFILES:
            self.profile = value
        elif name == "package":
            self.recorder.package = value

    def _measures(self, value: str) -> Measures:
        numbers = value.replace("x", " ").split()
        if len(numbers) != 3 or not all(
            number.isascii() and number.isdigit() and len(number) < 6 for number in numbers
        ):
            raise self._broken(f"screen= needs width, height and dpi, not {printable(value)}")
        return int(numbers[0]), int(numbers[1]), int(numbers[2])

    def _command(self, line: str) -> None:
        opening, closing = line.find("("), line.find(")")
        if opening <= 0 or closing < opening:
            raise self._broken(f"not a command: {printable(line)}")
        verb = line[:opening].strip().removeprefix("capture")
        arguments = [argument.strip() for argument in line[opening + 1 : closing].split(",")]
        if verb in _COMMANDS:
            wanted, handler = _COMMANDS[verb]
            if len(arguments) not in wanted:
                raise self._broken(f"{verb} takes {' or '.join(map(str, wanted))} values, not {len(arguments)}")
            handler(self, arguments)
        elif verb == "RunCmd" and _started_package(arguments[0]):
            self.recorder.start(_started_package(arguments[0]), "", self.line)
        elif verb in WITHOUT_EVENT:
            self._add_loss(f"{verb}: {WITHOUT_EVENT[verb]} cannot be said in a trace")
        else:
            raise self._broken(f"no command of Monkey: {printable(verb)}")

    def tap(self, arguments: Sequence[str]) -> None:
        x, y = self._points(arguments[:2])
        held = self._whole(arguments[2]) if len(arguments) == 3 else 0
        self.recorder.add(LongPress(x, y) if held >= LONG_PRESS_MS else Tap(x, y), self.line)

    def press_and_hold(self, arguments: Sequence[str]) -> None:
        x, y = self._points(arguments[:2])
        # Monkey waits for the given time twice.
        held = 2 * self._whole(arguments[2])
        self.recorder.add(LongPress(x, y) if held >= LONG_PRESS_MS else Tap(x, y), self.line)

    def drag(self, arguments: Sequence[str]) -> None:
        if self._whole(arguments[4]) > 0:
            x1, y1, x2, y2 = (self._number(argument) for argument in arguments[:4])
            self.recorder.add(swipe((x1, y1), (x2, y2), AT_ONCE_MS), self.line)
        else:
            self._add_loss("a drag of no steps does nothing")

    def pinch(self, arguments: Sequence[str]) -> None:
        if self._whole(arguments[8]) <= 0:
            self._add_loss("a pinch of no steps does nothing")
            return
        x1, y1, to_x1, to_y1, x2, y2, to_x2, to_y2 = (self._number(argument) for argument in arguments[:8])
        self.recorder.add(
            Pinch(
                pixel((x1 + x2) / 2),
                pixel((y1 + y2) / 2),
                from_span=pixel(math.dist((x1, y1), (x2, y2))),
                to_span=pixel(math.dist((to_x1, to_y1), (to_x2, to_y2))),
            ),
            self.line,
        )

    def press(self, arguments: Sequence[str]) -> None:
        self._key(arguments[0])

    def long_press(self, arguments: Sequence[str]) -> None:
        self._add_loss("a key that is held cannot be said in a trace; it is pressed")
        self._key("DPAD_CENTER")

    def string(self, arguments: Sequence[str]) -> None:
        # Monkey runs `input text`, which types a space for %s.
        self.recorder.add(Text(arguments[0].replace("%s", " ")), self.line)

    def rotate(self, arguments: Sequence[str]) -> None:
        quarter = self._whole(arguments[0])
        if quarter not in range(4):
            raise self._broken(f"a screen turns by 0 to 3 quarters, not {quarter}")
        self.recorder.add(Rotate(TURNS[quarter]), self.line)

    def launch(self, arguments: Sequence[str]) -> None:
        if not arguments[0]:
            raise self._broken("LaunchActivity needs a package")
        if len(arguments) > 2:
            self._add_loss("the alarm time of a launch cannot be said in a trace")
        self.recorder.start(arguments[0], arguments[1], self.line)

    def wait(self, arguments: Sequence[str]) -> None:
        self.recorder.add(Wait(self._whole(arguments[0])), self.line)

    def profile_wait(self, arguments: Sequence[str]) -> None:
        self.recorder.add(Wait(PROFILE_WAIT_MS), self.line)

    def pointer(self, arguments: Sequence[str]) -> None:
        at, action = self._long(arguments[1]), self._whole(arguments[2])
        x, y = self._number(arguments[3]), self._number(arguments[4])
        kind, finger = action & 0xFF, 0
        if kind in (POINTER_DOWN, POINTER_UP):
            # A raw event has one point. For the two POINTER actions it is the second finger's.
            finger = max(1, action >> 8)
        if not self.fingers.are_down:
            self._pause(at)
        event = self.fingers.touch(kind, {finger: (x, y)}, at)
        if event is not None:
            self.recorder.add(event, self.line)
        self.last_at = at

    def trackball(self, arguments: Sequence[str]) -> None:
        action = self._whole(arguments[2])
        if action == 0:
            self._key("DPAD_CENTER")
        elif action != 1:
            self._add_loss("a move of a trackball cannot be said in a trace")

    def key(self, arguments: Sequence[str]) -> None:
        at, action, repeat, meta = (self._long(arguments[place]) for place in (1, 2, 4, 5))
        if action == 0 and repeat == 0:
            self._pause(at)
            if meta:
                self._add_loss("Shift, Alt and the like are not held in a trace; the key is pressed alone")
            self._key(arguments[3])
        elif action == 0:
            self._add_loss("a key that is held cannot be said in a trace; it is pressed")
        self.last_at = at

    def _pause(self, at: int) -> None:
        pause = (at - self.last_at) * self.speed if self.last_at is not None else 0
        if pause >= PAUSE_MS:
            self.recorder.add(Wait(int(min(pause, LONGEST_MS))), self.line)

    def _key(self, key: str) -> None:
        name = key_name(key)
        if name is None:
            raise self._broken(f"Android has no key {printable(key)}")
        self.recorder.add(Key(name), self.line)

    def _points(self, arguments: Sequence[str]) -> list[int]:
        return [pixel(self._number(argument)) for argument in arguments]

    def _number(self, text: str) -> float:
        try:
            number = float(text) if len(text) < 40 else math.nan
        except ValueError:
            number = math.nan
        if not math.isfinite(number) or abs(number) > 1e10:
            raise self._broken(f"not a number: {printable(text)}")
        return number

    def _long(self, text: str) -> int:
        try:
            return int(text) if len(text) < 20 else int("")
        except ValueError:
            raise self._broken(f"not a whole number: {printable(text)}") from None

    def _whole(self, text: str) -> int:
        number = self._long(text)
        if not 0 <= number <= LONGEST_MS:
            raise self._broken(f"too {'large' if number > 0 else 'small'}: {number}")
        return number

    def _add_loss(self, reason: str) -> None:
        self.recorder.losses.add(self.line, reason)

    def _broken(self, what: str) -> Exception:
        return broken(self.path, self.line, what)


def _started_package(command: str) -> str:
    """The package of `am start PACKAGE`, which our own export writes for a launch; empty for other commands."""
    words = command.split()
    return words[2] if len(words) == 3 and words[:2] == ["am", "start"] and is_package(words[2]) else ""


_ANY = range(64)

_COMMANDS: dict[str, tuple[Sequence[int], Callable[[_MonkeyScript, Sequence[str]], None]]] = {
    "Tap": ((2, 3), _MonkeyScript.tap),
    "PressAndHold": ((3,), _MonkeyScript.press_and_hold),
    "Drag": ((5,), _MonkeyScript.drag),
    "PinchZoom": ((9,), _MonkeyScript.pinch),
    "DispatchPress": ((1,), _MonkeyScript.press),
    "LongPress": (_ANY, _MonkeyScript.long_press),
    "DispatchString": ((1,), _MonkeyScript.string),
    "RotateScreen": ((2,), _MonkeyScript.rotate),
    "LaunchActivity": ((2, 3), _MonkeyScript.launch),
    "UserWait": ((1,), _MonkeyScript.wait),
    "ProfileWait": (_ANY, _MonkeyScript.profile_wait),
    "DispatchPointer": ((12,), _MonkeyScript.pointer),
    "DispatchTrackball": ((12,), _MonkeyScript.trackball),
    "DispatchKey": ((8,), _MonkeyScript.key),
}
