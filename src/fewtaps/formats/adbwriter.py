"""Writes a trace as a shell script of `adb shell input` commands."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator

from fewtaps.formats.export_support import NOT_SEEN, deletes_for, field_of, point_of, typed
from fewtaps.formats.keycodes import KEY_CODES
from fewtaps.formats.losses import Losses
from fewtaps.formats.monkeyscript import TURNS
from fewtaps.model.event import (
    DoubleTap,
    Event,
    ExtraValue,
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
    describe,
)
from fewtaps.model.trace import Step, Trace

LONG_PRESS_MS = 1000
LAUNCHER = "-a android.intent.action.MAIN -c android.intent.category.LAUNCHER"

PRELUDE = """\
#!/bin/sh
# Plays {count} steps on the phone or emulator that adb finds; ANDROID_SERIAL chooses one of several.
# PAUSE is how long to wait after each step, in seconds. A trace begins with a new app: FRESH=1 deletes its data first.
set -eu
PAUSE=${{PAUSE:-1}}
on_phone() {{
    adb shell "$1" </dev/null
    sleep "$PAUSE"
}}
"""

Tell = Callable[[str], None]


def write_adb_script(trace: Trace) -> tuple[str, tuple[str, ...]]:
    """The script, and a line for everything in the trace that it cannot say.

    Every command is quoted twice, for the phone's shell and for the shell that runs the script: texts and addresses of
    a trace may hold anything.
    """
    losses = Losses("step")
    lines = [PRELUDE.format(count=len(trace.steps)).rstrip("\n")]
    if trace.screen is not None:
        lines.append("# Recorded on a screen of {} x {} at {} dpi.".format(*trace.screen))
    for number, step in enumerate(trace.steps):
        lines.append("")
        lines.append(f"# {number}. {_comment(step.event)}")
        tell = _teller(losses, number)
        if number == 0 and trace.app.package:
            fresh = shlex.quote(f"pm clear {shlex.quote(trace.app.package)}")
            lines.append(f'if [ "${{FRESH:-0}}" = 1 ]; then on_phone {fresh}; fi')
        lines.extend(_shell(command) for command in _commands(step, trace.app.package, tell))
    return "\n".join(lines) + "\n", losses.lines()


def _teller(losses: Losses, number: int) -> Tell:
    return lambda reason: losses.add(number, reason)


def _comment(event: Event) -> str:
    # One line of printable characters, and no backslash at its end, which would hide the next line.
    return describe(event).rstrip("\\")


def _shell(command: str) -> str:
    return command if command.startswith("sleep ") else f"on_phone {shlex.quote(command)}"


def _commands(step: Step, package: str, tell: Tell) -> Iterator[str]:
    """What to do on the phone, each for its own shell."""
    match step.event:
        case Launch():
            if package:
                yield f"am start {LAUNCHER} {shlex.quote(package)}"
            else:
                tell("the trace does not name its app, so the script cannot start it")
        case Tap() | LongPress() | DoubleTap():
            point = point_of(step)
            if point is None:
                tell(NOT_SEEN)
            else:
                yield _touch(step.event, point, tell)
        case Swipe(x1, y1, x2, y2):
            verb = "draganddrop" if step.event.hold_ms else "swipe"
            yield f"input {verb} {x1} {y1} {x2} {y2} {step.event.duration_ms}"
        case Pinch():
            tell("a pinch cannot be said in an adb script")
        case Text():
            yield from _text(step, step.event, tell)
        case Key(name):
            if name in KEY_CODES:
                yield f"input keyevent KEYCODE_{name}"
            else:
                tell("a key that Android does not have cannot be said in an adb script")
        case Rotate(to):
            turn = f"settings put system user_rotation {TURNS.index(to)}"
            yield f"settings put system accelerometer_rotation 0; {turn}"
        case Wait(ms):
            yield f"sleep {ms // 1000}.{ms % 1000:03}"
        case StartIntent():
            yield from intent_commands(step.event, tell)
        case SystemEvent(name):
            commands = list(system_commands(step.event, package))
            yield from commands
            if not commands:
                tell(f"an event of the system ({name}) cannot be said in an adb script")


def _text(step: Step, event: Text, tell: Tell) -> Iterator[str]:
    argument = typed(event.text)
    if event.text and argument is None:
        tell("this text cannot be said in an adb script: it can type ASCII only")
        return
    field = field_of(step)
    if field is not None:
        yield f"input tap {field[0]} {field[1]}"
    elif event.selector is not None:
        tell("where the field is was not seen; the text goes to the focused one")
    deletes = deletes_for(step)
    if deletes is None:
        tell("emptying a field whose content was not seen cannot be said in an adb script; the text is added")
    elif deletes:
        yield "input keyevent KEYCODE_MOVE_END" + " KEYCODE_DEL" * deletes
    if argument:
        yield f"input text {shlex.quote(argument)}"


def _touch(event: Tap | LongPress | DoubleTap, point: tuple[int, int], tell: Tell) -> str:
    x, y = point
    if isinstance(event, LongPress):
        return f"input swipe {x} {y} {x} {y} {LONG_PRESS_MS}"
    if isinstance(event, DoubleTap):
        tell("the time between the taps of a double tap cannot be said in an adb script; it has two taps")
        return f"input tap {x} {y}; input tap {x} {y}"
    return f"input tap {x} {y}"


def intent_commands(intent: StartIntent, tell: Tell) -> Iterator[str]:
    """How a phone's shell starts an intent."""
    words = ["am", "start"]
    for option, value in (("-a", intent.action), ("-d", intent.data), ("-t", intent.mime), ("-n", intent.component)):
        words.extend((option, shlex.quote(value)) if value else ())
    for category in intent.categories:
        words.extend(("-c", shlex.quote(category)))
    for name, extra in intent.extras:
        words.extend(_extra(name, extra))
    # No shell can carry a zero, nor half of a character.
    if any("\0" in word or any("\ud800" <= char <= "\udfff" for char in word) for word in words):
        tell("this intent cannot be said in an adb script")
    else:
        yield " ".join(words)


def _extra(name: str, value: ExtraValue) -> tuple[str, str, str]:
    if isinstance(value, bool):
        option, text = "--ez", str(value).lower()
    elif isinstance(value, int):
        option, text = ("--ei" if -(1 << 31) <= value < 1 << 31 else "--el"), str(value)
    elif isinstance(value, float):
        option, text = "--ef", repr(value)
    else:
        option, text = "--es", value
    return option, shlex.quote(name), shlex.quote(text)


def system_commands(event: SystemEvent, package: str) -> Iterator[str]:
    """The few events of the system that a phone's shell can bring about."""
    arguments = dict(event.arguments)
    match event.name:
        case "broadcast" if "action" in arguments and len(arguments) == 1:
            yield f"am broadcast -a {shlex.quote(arguments['action'])}"
        case "screen_off":
            yield "input keyevent KEYCODE_SLEEP"
        case "screen_on":
            yield "input keyevent KEYCODE_WAKEUP"
        case "airplane_mode" if arguments.get("state") in ("true", "false"):
            yield f"cmd connectivity airplane-mode {'enable' if arguments['state'] == 'true' else 'disable'}"
        case "permission" if package and arguments.get("name") and arguments.get("to") in ("granted", "denied"):
            verb = "grant" if arguments["to"] == "granted" else "revoke"
            yield f"pm {verb} {shlex.quote(package)} {shlex.quote(arguments['name'])}"
