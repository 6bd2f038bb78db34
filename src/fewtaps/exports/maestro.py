"""A Maestro flow: YAML, played by `maestro test`.

Maestro reads texts and ids as regular expressions that must match the whole text, ignoring case, and `${…}` in any text
as JavaScript; both are escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from fewtaps.exports.assertions import (
    ActivityShown,
    AppCrashes,
    AppLeft,
    PhoneAssertion,
    TextShown,
    WidgetChecked,
    WidgetText,
    phone_assertions,
)
from fewtaps.exports.finding import Exported, Finding
from fewtaps.exports.quoting import hash_comment, java_pattern, yaml_string
from fewtaps.exports.suites import (
    NO_PACKAGE,
    ExportedFile,
    ExportedSuite,
    SuiteLosses,
    SuiteToExport,
    general_losses,
    method_names,
    snake_case,
)
from fewtaps.exports.targets import WidgetTarget, target_of
from fewtaps.formats.export_support import NOT_SEEN, deletes_for
from fewtaps.formats.losses import AddLoss, Losses
from fewtaps.model.ending import Ending
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
from fewtaps.model.suite import SuiteTest
from fewtaps.model.told import describe_step
from fewtaps.model.trace import Step, Trace

TOUCHES = {Tap: "tapOn", LongPress: "longPressOn", DoubleTap: "doubleTapOn"}
TURNS = {
    "portrait": "PORTRAIT",
    "landscape": "LANDSCAPE_LEFT",
    "reverse_portrait": "UPSIDE_DOWN",
    "reverse_landscape": "LANDSCAPE_RIGHT",
}
# Without TAB, for which Maestro presses the space bar.
KEYS = {
    "BACK": "Back",
    "HOME": "Home",
    "ENTER": "Enter",
    "DEL": "Backspace",
    "VOLUME_UP": "Volume Up",
    "VOLUME_DOWN": "Volume Down",
    "POWER": "Power",
    "ESCAPE": "Escape",
    "MENU": "Remote Menu",
    "DPAD_UP": "Remote Dpad Up",
    "DPAD_DOWN": "Remote Dpad Down",
    "DPAD_LEFT": "Remote Dpad Left",
    "DPAD_RIGHT": "Remote Dpad Right",
    "DPAD_CENTER": "Remote Dpad Center",
    "MEDIA_PLAY_PAUSE": "Remote Media Play Pause",
    "MEDIA_STOP": "Remote Media Stop",
    "MEDIA_NEXT": "Remote Media Next",
    "MEDIA_PREVIOUS": "Remote Media Previous",
    "MEDIA_REWIND": "Remote Media Rewind",
    "MEDIA_FAST_FORWARD": "Remote Media Fast Forward",
}
NEVER_SHOWN = "nothing has this text: it only waits"
DEFAULT_ERASED = 50
"""The number of characters that Maestro's eraseText deletes by default."""

Command = tuple[str, dict[str, str] | str]
Size = tuple[int, int] | None


def maestro_flow(finding: Finding) -> Exported:
    """The flow; it fails if the app is no longer shown at its end."""
    losses = Losses("step")
    lines = list(_head(finding.provenance, finding.app.package, finding.name))
    for number, (step, size) in enumerate(_sized(finding.trace)):
        lines.append(hash_comment(f"{number}. {describe_step(step)}"))
        for command in _commands(step, number == 0, size, losses.at(number)):
            lines.extend(_written(*command))
    lines.extend(_ending(finding.app.package, finding.trace))
    unnamed = () if finding.app.package else (NO_PACKAGE,)
    return Exported("\n".join(lines) + "\n", (*losses.lines(), *unnamed))


def maestro_suite(whole: SuiteToExport) -> ExportedSuite:
    """A flow per test, as `maestro test DIR` plays them."""
    suite, losses = whole.suite, SuiteLosses()
    general_losses(suite, losses)
    if not suite.app.package:
        losses.add(NO_PACKAGE)
    files = []
    for test, name in method_names(suite.tests):
        lines = [*_head(whole.provenance, suite.app.package, test.name), *_test(test, suite.app.package, losses)]
        files.append(ExportedFile(f"{snake_case(name).replace('_', '-')}.yaml", "\n".join(lines) + "\n"))
    return ExportedSuite(tuple(files), losses.lines())


def _test(test: SuiteTest, package: str, losses: SuiteLosses) -> Iterator[str]:
    for number, (step, size) in enumerate(_sized(test.trace)):
        add_loss = losses.at(test, number)
        yield hash_comment(f"{number}. {describe_step(step)}")
        for command in _commands(step, number == 0, size, add_loss):
            yield from _written(*command)
        for assertion in phone_assertions(step.expect, add_loss):
            for command in _assertion(assertion, package, add_loss, losses):
                yield from _written(*command)
    last = test.trace.steps[-1].expect
    if last is None or last.ending is Ending.RUNNING:
        yield from _ending(package, test.trace)


def _assertion(assertion: PhoneAssertion, package: str, add_loss: AddLoss, losses: SuiteLosses) -> Iterator[Command]:
    match assertion:
        case ActivityShown():
            losses.add("the activity that is shown is not asserted: Maestro does not know it")
        case WidgetText(WidgetTarget(resource_id=str(name)), text):
            yield "assertVisible", {"id": _id(name), "text": _pattern(text)}
        case WidgetText(_, text) | TextShown(text):
            yield "assertVisible", {"text": _pattern(text)}
        case WidgetChecked(target, checked):
            yield "assertVisible", _selector(target, None) | {"checked": "true" if checked else "false"}
        case AppLeft() | AppCrashes():
            if isinstance(assertion, AppCrashes):
                add_loss("of a crash, Maestro sees only that the app is gone")
            yield "assertNotVisible", {"id": _id(f"{package}:id/", ".*")}


def _head(provenance: Iterable[str], package: str, name: str) -> Iterator[str]:
    yield from map(hash_comment, provenance)
    yield f"appId: {_literal(package)}"
    yield f"name: {_literal(name)}"
    yield "---"


def _sized(trace: Trace) -> Iterator[tuple[Step, Size]]:
    """The steps, each with the size of the screen before it."""
    size = trace.screen[:2] if trace.screen is not None else None
    for step in trace.steps:
        yield step, (step.before.width, step.before.height) if step.before.is_seen and step.before.width else size
        if isinstance(step.event, Rotate) and size is not None:
            size = (max(size), min(size)) if step.event.is_landscape else (min(size), max(size))


def _literal(text: str) -> str:
    return yaml_string(escaped_script(text))


def escaped_script(text: str) -> str:
    """The text with a backslash before each `${…}`: Maestro removes the backslash and does not run the script."""
    return re.sub(r"\$\{[^$]*\}", lambda match: "\\" + match[0], text)


def _pattern(text: str) -> str:
    # The escapes of a regular expression separate the dollar from the brace, so there is no `${` in the result.
    return yaml_string(java_pattern(text))


def _id(name: str, more: str = "") -> str:
    # A dot also matches itself, so ids stay readable, as in Maestro's own examples.
    return yaml_string(java_pattern(name).replace("\\.", ".") + more)


def _written(name: str, arguments: dict[str, str] | str) -> Iterator[str]:
    if isinstance(arguments, str):
        yield f"- {name}: {arguments}" if arguments else f"- {name}"
        return
    yield f"- {name}:"
    yield from (f"    {key}: {value}" for key, value in arguments.items())


def _commands(step: Step, is_first: bool, size: Size, add_loss: AddLoss) -> Iterator[Command]:
    event = step.event
    match event:
        case Launch():
            yield "launchApp", {"clearState": "true"} if is_first else {"stopApp": "false"}
        case Tap() | LongPress() | DoubleTap():
            selector = _selector(target_of(step), size)
            if selector:
                yield TOUCHES[type(event)], selector
            else:
                add_loss(NOT_SEEN)
        case Swipe(x1, y1, x2, y2):
            if event.hold_ms:
                add_loss("a drag that holds first cannot be said in Maestro; it is a swipe there")
            ends = {"start": _point((x1, y1), size), "end": _point((x2, y2), size)}
            yield "swipe", ends | {"duration": str(event.duration_ms)}
        case Pinch():
            add_loss("a pinch cannot be said in Maestro")
        case Text():
            yield from _text(step, event, size, add_loss)
        case Key(name):
            if name == "BACK":
                yield "back", ""
            elif name in KEYS:
                yield "pressKey", KEYS[name]
            else:
                add_loss(f"Maestro has no key {name}")
        case Rotate(to):
            yield "setOrientation", TURNS[to]
        case Wait(ms):
            yield "extendedWaitUntil", {"visible": yaml_string(NEVER_SHOWN), "timeout": str(ms), "optional": "true"}
        case StartIntent():
            yield from _intent(event, add_loss)
        case SystemEvent():
            commands = list(_system(event))
            yield from commands
            if not commands:
                add_loss(f"an event of the system ({event.name}) cannot be said in Maestro")


def _selector(target: WidgetTarget, size: Size) -> dict[str, str]:
    """A selector by attributes or, where there are none, by point; Maestro has no fallback from one to the other."""
    words = target.text or ("" if target.resource_id else target.description)
    selector = {"id": _id(target.resource_id)} if target.resource_id else {}
    selector |= {"text": _pattern(words)} if words else {}
    if selector and target.nth:
        selector["index"] = str(target.nth)
    return selector or ({"point": _point(target.point, size)} if target.point is not None else {})


def _point(point: tuple[int, int], size: Size) -> str:
    """The point in percent, which fits other screens too; in pixels if the size of the screen is unknown."""
    if size is None or not all(size):
        return yaml_string(f"{point[0]},{point[1]}")
    parts = (min(100, max(0, round(100 * place / side))) for place, side in zip(point, size, strict=True))
    return yaml_string(",".join(f"{part}%" for part in parts))


def _text(step: Step, event: Text, size: Size, add_loss: AddLoss) -> Iterator[Command]:
    selector = _selector(target_of(step), size) if event.selector is not None else {}
    if selector:
        yield "tapOn", selector
    if event.replace:
        deletes = deletes_for(step)
        if deletes is None:
            add_loss(f"how much the field held was not seen; {DEFAULT_ERASED} characters are erased")
        if deletes != 0:
            yield "eraseText", str(DEFAULT_ERASED if deletes is None else deletes)
    text = event.text.removesuffix("\n")
    if text:
        yield "inputText", _literal(text)
    if text != event.text:
        yield "pressKey", "Enter"


def _intent(intent: StartIntent, add_loss: AddLoss) -> Iterator[Command]:
    if intent.data is None:
        add_loss("an intent without an address cannot be said in Maestro")
        return
    if intent.component or intent.extras or intent.categories or intent.mime:
        add_loss("of an intent, Maestro can say the address only")
    yield "openLink", _literal(intent.data)


def _system(event: SystemEvent) -> Iterator[Command]:
    arguments = dict(event.arguments)
    match event.name:
        case "airplane_mode" if arguments.get("state") in ("true", "false"):
            yield "setAirplaneMode", "enabled" if arguments["state"] == "true" else "disabled"
        case "process_death":
            yield "pressKey", "Home"
            yield "killApp", ""
            yield "launchApp", {"stopApp": "false"}
        case "screen_off":
            yield "pressKey", "Lock"


def _ending(package: str, trace: Trace) -> Iterator[str]:
    """Assertions at the end: no dialog reports a stopped app, and a widget of the app is visible."""
    yield hash_comment("The app is still there.")
    yield from _written("assertNotVisible", {"id": yaml_string("android:id/aerr_.*")})
    names = (target_of(step).resource_id or "" for step in trace.steps)
    if package and any(name.startswith(f"{package}:") for name in names):
        yield from _written("assertVisible", {"id": _id(f"{package}:id/", ".*")})
