"""Writes a trace as a shell script of `adb shell input` commands."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from fewtaps.formats.export_support import NOT_SEEN, deletes_for, field_of, point_of, typed
from fewtaps.formats.keycodes import KEY_CODES
from fewtaps.formats.losses import AddLoss, Losses
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


def write_adb_script(trace: Trace) -> tuple[str, tuple[str, ...]]:
    """The script, and a line for each thing in the trace that it cannot express.

    Every command is quoted twice, for the phone's shell and for the shell that runs the script, because texts and
    addresses of a trace may hold any characters.
    """
    losses = Losses("step")
    lines = [PRELUDE.format(count=len(trace.steps)).rstrip("\n")]
    if trace.screen is not None:
        lines.append("# Recorded on a screen of {} x {} at {} dpi.".format(*trace.screen))
    for number, step in enumerate(trace.steps):
        lines.append("")
        lines.append(f"# {number}. {_comment(step.event)}")
        add_loss = losses.at(number)
        if number == 0 and trace.app.package:
            fresh = shlex.quote(f"pm clear {shlex.quote(trace.app.package)}")
            lines.append(f'if [ "${{FRESH:-0}}" = 1 ]; then on_phone {fresh}; fi')
        lines.extend(_shell(command) for command in _commands(step, trace.app.package, add_loss))
    return "\n".join(lines) + "\n", losses.lines()


def _comment(event: Event) -> str:
    # `describe` gives one line of printable characters. A backslash at its end would join the next line to the comment.
    return describe(event).rstrip("\\")


def _shell(command: str) -> str:
    return command if command.startswith("sleep ") else f"on_phone {shlex.quote(command)}"


def _commands(step: Step, package: str, add_loss: AddLoss) -> Iterator[str]:
    """The commands for the phone's shell."""
    match step.event:
        case Launch():
            if package:
                yield f"am start {LAUNCHER} {shlex.quote(package)}"
            else:
                add_loss("the trace does not name its app, so the script cannot start it")
        case Tap() | LongPress() | DoubleTap():
            point = point_of(step)
            if point is None:
                add_loss(NOT_SEEN)
            else:
                yield _touch(step.event, point, add_loss)
        case Swipe(x1, y1, x2, y2):
            verb = "draganddrop" if step.event.hold_ms else "swipe"
            yield f"input {verb} {x1} {y1} {x2} {y2} {step.event.duration_ms}"
        case Pinch():
            add_loss("a pinch cannot be said in an adb script")
        case Text():
            yield from _text(step, step.event, add_loss)
        case Key(name):
            if name in KEY_CODES:
                yield f"input keyevent KEYCODE_{name}"
            else:
                add_loss("a key that Android does not have cannot be said in an adb script")
        case Rotate(to):
            turn = f"settings put system user_rotation {TURNS.index(to)}"
            yield f"settings put system accelerometer_rotation 0; {turn}"
        case Wait(ms):
            yield f"sleep {ms // 1000}.{ms % 1000:03}"
        case StartIntent():
            yield from intent_commands(step.event, add_loss)
        case SystemEvent(name):
            commands = list(system_commands(step.event, package))
            yield from commands
            if not commands:
                add_loss(f"an event of the system ({name}) cannot be said in an adb script")


def _text(step: Step, event: Text, add_loss: AddLoss) -> Iterator[str]:
    argument = typed(event.text)
    if event.text and argument is None:
        add_loss("this text cannot be said in an adb script: it can type ASCII only")
        return
    field = field_of(step)
    if field is not None:
        yield f"input tap {field[0]} {field[1]}"
    elif event.selector is not None:
        add_loss("where the field is was not seen; the text goes to the focused one")
    deletes = deletes_for(step)
    if deletes is None:
        add_loss("emptying a field whose content was not seen cannot be said in an adb script; the text is added")
    elif deletes:
        yield "input keyevent KEYCODE_MOVE_END" + " KEYCODE_DEL" * deletes
    if argument:
        yield f"input text {shlex.quote(argument)}"


def _touch(event: Tap | LongPress | DoubleTap, point: tuple[int, int], add_loss: AddLoss) -> str:
    x, y = point
    if isinstance(event, LongPress):
        return f"input swipe {x} {y} {x} {y} {LONG_PRESS_MS}"
    if isinstance(event, DoubleTap):
        add_loss("the time between the taps of a double tap cannot be said in an adb script; it has two taps")
        return f"input tap {x} {y}; input tap {x} {y}"
    return f"input tap {x} {y}"


def intent_commands(intent: StartIntent, add_loss: AddLoss) -> Iterator[str]:
    words = ["am", "start"]
    for option, value in (("-a", intent.action), ("-d", intent.data), ("-t", intent.mime), ("-n", intent.component)):
        words.extend((option, shlex.quote(value)) if value else ())
    for category in intent.categories:
        words.extend(("-c", shlex.quote(category)))
    for name, extra in intent.extras:
        words.extend(_extra(name, extra))
    # A shell command cannot contain a zero byte or a single surrogate.
    if any("\0" in word or any("\ud800" <= char <= "\udfff" for char in word) for word in words):
        add_loss("this intent cannot be said in an adb script")
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
    """The commands for the system events that a phone's shell can cause; none for the others."""
    arguments = dict(event.arguments)
    match event.name:
        case "broadcast" if "action" in arguments and len(arguments) == 1:
            yield f"am broadcast -a {shlex.quote(arguments['action'])}"
        case "process_death" if package:
            # Only a process in the background can be killed, and its task comes back as it was.
            yield "input keyevent KEYCODE_HOME"
            yield "sleep 2"
            yield f"am kill {shlex.quote(package)}"
            yield f"am start {LAUNCHER} {shlex.quote(package)}"
        case "screen_off":
            yield "input keyevent KEYCODE_SLEEP"
        case "screen_on":
            yield "input keyevent KEYCODE_WAKEUP"
        case "airplane_mode" if arguments.get("state") in ("true", "false"):
            yield f"cmd connectivity airplane-mode {'enable' if arguments['state'] == 'true' else 'disable'}"
        case "permission" if package and arguments.get("name") and arguments.get("to") in ("granted", "denied"):
            verb = "grant" if arguments["to"] == "granted" else "revoke"
            yield f"pm {verb} {shlex.quote(package)} {shlex.quote(arguments['name'])}"
