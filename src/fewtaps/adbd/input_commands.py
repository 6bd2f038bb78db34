"""Commands of the device's shell that touch the screen, press keys, and look: input, monkey, uiautomator, screencap."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from random import Random

from fewtaps.adbd.acting import png_of, point_event, press_key, rgba, touch
from fewtaps.adbd.channel import TURN
from fewtaps.adbd.hierarchy import write_hierarchy
from fewtaps.adbd.phone import ServedPhone
from fewtaps.adbd.shell import CommandCall, Running, ShellCommand
from fewtaps.errors import UsageError
from fewtaps.formats.keycodes import key_name
from fewtaps.formats.monkeyscript import read_monkey_script
from fewtaps.formats.touches import CANCEL, DOWN, LONG_PRESS_MS, MOVE, SLOP_PX, UP, pixel
from fewtaps.model.event import Event, Key, LongPress, Swipe, Tap, Text
from fewtaps.model.trace import Step

SWIPE_MS, DRAG_HOLD_MS = 300, 600
MOST_EVENTS = 1_000_000


def _input(call: CommandCall) -> int:
    words = list(call.arguments)
    while words[:1] == ["-d"] or (words and words[0] in ("touchscreen", "keyboard", "mouse", "stylus", "touchpad")):
        words = words[2:] if words[0] == "-d" else words[1:]
    if not words:
        return call.fail("Usage: input [<source>] <command> [<arg>...]")
    verb, arguments = words[0], words[1:]
    match verb, arguments:
        case "tap", [x, y]:
            call.phone.perform(point_event(call.phone, Tap(_pixel(x), _pixel(y))))
        case (("swipe" | "draganddrop"), [_, _, _, _, *_]):
            _swipe(call.phone, arguments, is_drag=verb == "draganddrop")
        case "text", [*texts] if texts:
            # As Android's own command: %s stands for a space.
            call.phone.perform(Text(" ".join(texts).replace("%s", " ")))
        case "keyevent", [*keys] if keys:
            return _keys(call, keys)
        case "keycombination", [*keys] if keys:
            return _keys(call, keys[-1:])
        case "motionevent", [action, x, y]:
            return _motion(call, action, _pixel(x), _pixel(y))
        case (("press" | "roll"), _):
            call.phone.perform(Key("DPAD_CENTER"))
        case _:
            return call.fail(f"Error: Invalid arguments for command: {verb}", 255)
    return 0


def _pixel(word: str) -> int:
    try:
        return pixel(float(word))
    except (ValueError, OverflowError):
        raise UsageError(f"not a number: {word[:40]}") from None


def _swipe(phone: ServedPhone, words: Sequence[str], *, is_drag: bool) -> None:
    x1, y1, x2, y2 = (_pixel(word) for word in words[:4])
    duration = _pixel(words[4]) if len(words) > 4 else SWIPE_MS
    if not is_drag and max(abs(x1 - x2), abs(y1 - y2)) < SLOP_PX:
        event: Tap | LongPress = LongPress(x1, y1) if duration >= LONG_PRESS_MS else Tap(x1, y1)
        phone.perform(point_event(phone, event))
    else:
        phone.perform(Swipe(x1, y1, x2, y2, duration, DRAG_HOLD_MS if is_drag else 0))


def _keys(call: CommandCall, words: list[str]) -> int:
    for word in words:
        if word.startswith("--"):
            continue
        name = key_name(word)
        if name is None:
            return call.fail(f"Error: Unknown keycode: {word}", 255)
        press_key(call.phone, name)
    return 0


_MOTIONS = {"DOWN": DOWN, "MOVE": MOVE, "UP": UP, "CANCEL": CANCEL}


def _motion(call: CommandCall, action: str, x: int, y: int) -> int:
    if action.upper() not in _MOTIONS:
        return call.fail(f"Error: Unknown motionevent {action}", 255)
    touch(call.phone, _MOTIONS[action.upper()], x, y)
    return 0


def _uiautomator(call: CommandCall) -> int:
    if call.arguments[:1] != ["dump"]:
        return call.fail("uiautomator: only 'dump' works here; this device runs no code of other programs")
    words = [word for word in call.arguments[1:] if not word.startswith("--")]
    path = call.path(words[0]) if words else "/sdcard/window_dump.xml"
    document = write_hierarchy(call.phone.look(), all_windows="--windows" in call.arguments)
    if path in ("/dev/tty", "/proc/self/fd/1", "/dev/stdout"):
        call.stdout.write(document.encode("utf-8", "replace") + b"UI hierchary dumped to: /dev/tty\n")
        return 0
    call.phone.files.write(path, document.encode("utf-8", "replace"))
    # The misspelling is Android's own; clients look for it.
    call.say(f"UI hierchary dumped to: {path}")
    return 0


def _screencap(call: CommandCall) -> int:
    words = list(call.arguments)
    if "-d" in words[:-1]:
        place = words.index("-d")
        del words[place : place + 2]
    names = [word for word in words if not word.startswith("-")]
    call.phone.look()
    picture = png_of(call.phone)
    is_png = "-p" in words or (bool(names) and names[0].endswith(".png"))
    data = picture if is_png else raw_picture(picture)
    if names:
        call.phone.files.write(call.path(names[0]), data)
    else:
        call.stdout.write(data)
    return 0


def raw_picture(png: bytes) -> bytes:
    """Width, height, format and colour space as numbers of four bytes, then four bytes for each pixel."""
    width, height, pixels = rgba(png)
    return b"".join(number.to_bytes(4, "little") for number in (width, height, 1, 1)) + pixels


def _monkey(call: CommandCall) -> Running:
    options, count = _monkey_options(call.arguments)
    phone = call.phone
    packages = options.get("-p", [])
    if packages and phone.app.package not in packages:
        call.say("** No activities found to run, monkey aborted.")
        return 252
    seed = int((options.get("-s") or ["0"])[-1]) & ((1 << 63) - 1)
    if "-f" in options:
        events: Sequence[Event] | None = _script(call, options["-f"][-1])
    else:
        events = None
    phone.start()
    if events is None and count <= 1:
        call.say("Events injected: 1", "## Network stats: elapsed time=20ms (0ms mobile, 0ms wifi, 20ms not connected)")
        return 0
    ignores = {"--ignore-crashes", "--ignore-timeouts"} & options.keys()
    random = Random(seed)
    total = len(events) if events is not None else count
    for number in range(total):
        if not phone.is_running:
            phone.launch()
        event = events[number] if events is not None else phone.draw_event(phone.screen, random)
        pid = phone.pid
        step = phone.perform(event)
        if step is not None and step.crash is not None:
            _say_crash(call, step, pid)
            if not ignores:
                call.say("** Monkey aborted due to error.", f"Events injected: {number + 1}")
                call.say(f"** System appears to have crashed at event {number + 1} of {total} using seed {seed}")
                return (number + 1) & 0xFF or 1
        yield TURN
        yield from call.flush()
    call.say(f"Events injected: {total}", "// Monkey finished")
    return 0


_WITH_VALUE = (
    *("-p", "-c", "-s", "-f", "--throttle", "--port", "--pkg-whitelist-file", "--pkg-blacklist-file"),
    *("--profile-wait", "--device-sleep-time", "--setup"),
)


def _monkey_options(words: Sequence[str]) -> tuple[dict[str, list[str]], int]:
    options: dict[str, list[str]] = {}
    count = 1
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word in _WITH_VALUE or (word.startswith("--pct-") and rest):
            if not rest:
                raise UsageError(f"Option '{word}' needs a value")
            options.setdefault(word, []).append(rest.pop(0))
        elif word.startswith("-"):
            options.setdefault(word, [])
        elif re.fullmatch(r"\d{1,9}", word):
            count = min(int(word), MOST_EVENTS)
        else:
            raise UsageError(f'** Error: Count is not a number: "{word[:40]}"')
    if not re.fullmatch(r"-?\d{1,19}", (options.get("-s") or ["0"])[-1]):
        raise UsageError("-s: not a number")
    return options, count


def _script(call: CommandCall, word: str) -> list[Event]:
    """The events of a Monkey script on the device; its launch is that of the run."""
    content = call.phone.files.read(call.path(word))
    with tempfile.TemporaryDirectory(prefix="fewtaps-monkey-") as folder:
        path = Path(folder) / "script"
        path.write_bytes(content)
        recording = read_monkey_script(path)
    return [step.event for step in recording.steps[1:]]


def _say_crash(call: CommandCall, step: Step, pid: int) -> None:
    crash = step.crash
    if crash is None:
        return
    call.say(
        f"// CRASH: {call.phone.app.package} (pid {pid})", f"// Short Msg: {crash.root.type if crash.root else ''}"
    )
    call.say(f"// Long Msg: {crash.summary.splitlines()[0]}", *(f"// {line}" for line, _ in crash.lines()))
    call.say("//")


INPUT_COMMANDS: dict[str, ShellCommand] = {
    "input": _input,
    "uiautomator": _uiautomator,
    "screencap": _screencap,
    "monkey": _monkey,
}
"""The commands that touch and look, by name."""
