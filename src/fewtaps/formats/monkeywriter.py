"""Writes a trace as a Monkey script of type user, for `adb shell monkey -f`."""

from __future__ import annotations

from collections.abc import Iterator

from fewtaps.formats.export_support import NOT_SEEN, deletes_for, field_of, is_package, point_of, typed
from fewtaps.formats.keycodes import KEY_CODES
from fewtaps.formats.losses import AddLoss, Losses
from fewtaps.formats.monkeyscript import START, TURNS
from fewtaps.formats.touches import AT_ONCE_MS
from fewtaps.model.event import (
    DoubleTap,
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
)
from fewtaps.model.profile import PROFILES
from fewtaps.model.trace import Step, Trace

LONG_PRESS_MS = 1000
STEP_MS = 16
PINCH_STEPS = 10
# Monkey ends a command at the first closing bracket and splits its values at commas; Java splits RunCmd at white space.
_SEPARATORS = frozenset(",()\"'\\ ")


def write_monkey_script(trace: Trace) -> tuple[str, tuple[str, ...]]:
    """The script, and a line for each thing in the trace that it cannot express."""
    losses = Losses("step")
    commands: list[str] = []
    for number, step in enumerate(trace.steps):
        commands.extend(_commands(step, trace.app.package, losses.at(number)))
    lines = [*_header(trace, len(commands)), *commands]
    return "\n".join(lines) + "\n", losses.lines()


def _is_word(text: str) -> bool:
    return bool(text) and text.isprintable() and not _SEPARATORS & set(text)


def _header(trace: Trace, count: int) -> Iterator[str]:
    yield "# Play with a pause after each event: adb shell monkey -f SCRIPT --throttle 1000 1"
    yield "# A trace begins with a new app: adb shell pm clear PACKAGE deletes its data."
    yield "type= user"
    yield f"count= {count}"
    yield "speed= 1.0"
    if is_package(trace.app.package):
        yield f"package= {trace.app.package}"
    if trace.screen is not None:
        width, height, dpi = trace.screen
        yield f"screen= {width}x{height} {dpi}"
    if trace.screen is not None and trace.profile in PROFILES:
        yield f"profile= {trace.profile}"
    yield START


def _commands(step: Step, package: str, add_loss: AddLoss) -> Iterator[str]:
    match step.event:
        case Launch():
            if is_package(package):
                yield f"RunCmd(am start {package})"
            else:
                add_loss("the trace does not name its app, so the script cannot start it")
        case Tap() | LongPress() | DoubleTap() | Pinch():
            point = point_of(step)
            if point is None:
                add_loss(NOT_SEEN)
            else:
                yield from _touch(step.event, point, add_loss)
        case Swipe(x1, y1, x2, y2):
            if step.event.hold_ms:
                add_loss("a drag that holds first cannot be said in a Monkey script; it is a swipe there")
            elif step.event.duration_ms not in (Swipe(0, 0, 0, 0).duration_ms, AT_ONCE_MS):
                add_loss("how long a swipe takes cannot be said in a Monkey script")
            yield f"Drag({x1}, {y1}, {x2}, {y2}, {max(1, step.event.duration_ms // STEP_MS)})"
        case Text():
            yield from _text(step, step.event, add_loss)
        case Key(name):
            if name in KEY_CODES:
                yield f"DispatchPress(KEYCODE_{name})"
            else:
                add_loss("a key that Android does not have cannot be said in a Monkey script")
        case Rotate(to):
            yield f"RotateScreen({TURNS.index(to)}, 1)"
        case Wait(ms):
            yield f"UserWait({ms})"
        case StartIntent():
            yield from _intent(step.event, add_loss)
        case SystemEvent(name):
            add_loss(f"an event of the system ({name}) cannot be said in a Monkey script")


def _touch(event: Tap | LongPress | DoubleTap | Pinch, point: tuple[int, int], add_loss: AddLoss) -> Iterator[str]:
    x, y = point
    match event:
        case Tap():
            yield f"Tap({x}, {y})"
        case LongPress():
            # Not PressAndHold: older versions of Monkey never lift that finger.
            yield f"Tap({x}, {y}, {LONG_PRESS_MS})"
        case DoubleTap():
            add_loss("the time between the taps of a double tap cannot be said in a Monkey script; it has two taps")
            yield from (f"Tap({x}, {y})",) * 2
        case Pinch(from_span=span, to_span=to_span):
            yield _pinch(x, y, span, to_span)


def _pinch(x: int, y: int, span: int, to_span: int) -> str:
    left, to_left = x - span // 2, x - to_span // 2
    right, to_right = left + span, to_left + to_span
    return f"PinchZoom({left}, {y}, {to_left}, {y}, {right}, {y}, {to_right}, {y}, {PINCH_STEPS})"


def _text(step: Step, event: Text, add_loss: AddLoss) -> Iterator[str]:
    argument = typed(event.text)
    if event.text and not (argument and _is_word(argument)):
        add_loss("this text cannot be said in a Monkey script")
        return
    field = field_of(step)
    if field is not None:
        yield f"Tap({field[0]}, {field[1]})"
    elif event.selector is not None:
        add_loss("where the field is was not seen; the text goes to the focused one")
    deletes = deletes_for(step)
    if deletes is None:
        add_loss("emptying a field whose content was not seen cannot be said in a Monkey script; the text is added")
    elif deletes:
        yield "DispatchPress(KEYCODE_MOVE_END)"
        yield from ("DispatchPress(KEYCODE_DEL)",) * deletes
    if argument:
        yield f"DispatchString({argument})"


def _intent(intent: StartIntent, add_loss: AddLoss) -> Iterator[str]:
    words = ["am", "start"]
    for option, value in (("-a", intent.action), ("-d", intent.data), ("-t", intent.mime)):
        words.extend((option, value) if value else ())
    for category in intent.categories:
        words.extend(("-c", category))
    words.extend(("-n", intent.component) if intent.component else ())
    if intent.extras:
        add_loss("the extras of an intent cannot be said in a Monkey script")
    if not all(_is_word(word) for word in words):
        add_loss("this intent cannot be said in a Monkey script")
    else:
        yield f"RunCmd({' '.join(words)})"
