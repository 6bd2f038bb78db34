"""An instrumented test for the app's own project that replays a crash on a phone: UI Automator acts, Espresso waits."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fewtaps.exports.assertions import phone_assertions
from fewtaps.exports.dialects import JAVA, KOTLIN, Dialect, called, comments, filled, key_code, method_name
from fewtaps.exports.finding import Exported, Finding
from fewtaps.exports.quoting import slash_comment
from fewtaps.exports.suites import (
    ExportedFile,
    ExportedSuite,
    SuiteLosses,
    SuiteToExport,
    general_losses,
    method_names,
)
from fewtaps.exports.targets import WidgetTarget, target_of
from fewtaps.formats.adbwriter import system_commands
from fewtaps.formats.export_support import NOT_SEEN
from fewtaps.formats.losses import AddLoss, Losses
from fewtaps.formats.monkeyscript import TURNS
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
from fewtaps.model.suite import Suite, SuiteTest
from fewtaps.model.told import describe_step
from fewtaps.model.trace import Step

TOUCHES = {Tap: "tap", LongPress: "longPress", DoubleTap: "doubleTap"}
CRASH_PURPOSE = (
    "Replays the steps of a crash on a phone or an emulator. As long as the defect is there, the app dies and the test",
    "run says so with the app's own exception; once it is fixed, the test passes.",
)
SUITE_PURPOSE = (
    "Plays the tests of a suite on a phone or an emulator, and asserts after each step what is expected: the activity,",
    "texts and check marks.",
)


def espresso_java(finding: Finding) -> Exported:
    return _exported(finding, JAVA)


def espresso_kotlin(finding: Finding) -> Exported:
    return _exported(finding, KOTLIN)


def espresso_suite_java(suite: SuiteToExport) -> ExportedSuite:
    return _exported_suite(suite, JAVA)


def espresso_suite_kotlin(suite: SuiteToExport) -> ExportedSuite:
    return _exported_suite(suite, KOTLIN)


def _exported(finding: Finding, dialect: Dialect) -> Exported:
    losses = Losses("step")
    lines: list[str] = []
    for number, step in enumerate(finding.trace.steps):
        lines.append(slash_comment(f"{number}. {describe_step(step)}"))
        add_loss = losses.at(number)
        lines.extend(_statements(step, number == 0, finding.app.package, dialect, add_loss))
    values = {
        "provenance": comments(finding.provenance),
        "package": dialect.package(finding.app.package),
        "purpose": dialect.purpose(*CRASH_PURPOSE),
        "class": f"{finding.name}InstrumentedTest",
        "tests": dialect.test(method_name(finding), lines, "Exception"),
    }
    return Exported(filled(f"espresso.{dialect.name}", values, called(lines)), losses.lines())


def _exported_suite(whole: SuiteToExport, dialect: Dialect) -> ExportedSuite:
    """One class with a method per test."""
    suite, losses = whole.suite, SuiteLosses()
    general_losses(suite, losses)
    tests = {f"test{name}": list(_test(test, suite, dialect, losses)) for test, name in method_names(suite.tests)}
    values = {
        "provenance": comments(whole.provenance),
        "package": dialect.package(suite.app.package),
        "purpose": dialect.purpose(*SUITE_PURPOSE),
        "class": f"{whole.name}SuiteInstrumentedTest",
        "tests": "\n\n".join(dialect.test(name, lines, "Exception") for name, lines in tests.items()),
    }
    text = filled(f"espresso.{dialect.name}", values, {name for lines in tests.values() for name in called(lines)})
    return ExportedSuite((ExportedFile(values["class"] + dialect.suffix, text),), losses.lines())


def _test(test: SuiteTest, suite: Suite, dialect: Dialect, losses: SuiteLosses) -> Iterator[str]:
    for number, step in enumerate(test.trace.steps):
        add_loss = losses.at(test, number)
        if step.expect is not None and step.expect.ending.is_final:
            add_loss("the app dies in this step, and the test with it, as both are one process; the step is left out")
            return
        yield slash_comment(f"{number}. {describe_step(step)}")
        yield from _statements(step, number == 0, suite.app.package, dialect, add_loss)
        yield from map(dialect.assertion, phone_assertions(step.expect, add_loss))


def _statements(step: Step, is_first: bool, package: str, dialect: Dialect, add_loss: AddLoss) -> Iterator[str]:
    event = step.event
    match event:
        case Launch():
            yield dialect.call("launch", "true" if is_first else "false")
        case Tap() | LongPress() | DoubleTap():
            target = target_of(step).on_phone
            if target.is_nowhere:
                add_loss(NOT_SEEN)
            else:
                yield dialect.call(TOUCHES[type(event)], dialect.target(target))
        case Swipe(x1, y1, x2, y2):
            numbers = map(str, (x1, y1, x2, y2, event.duration_ms))
            yield dialect.call("drag" if event.hold_ms else "swipe", *numbers)
        case Pinch():
            add_loss("a pinch is left out")
        case Text():
            yield from _text(step, event, dialect, add_loss)
        case Key(name):
            code = key_code(name)
            if code is None:
                add_loss("a key that Android does not have is left out")
            else:
                yield dialect.call("key", code)
        case Rotate(to):
            if to == "reverse_portrait":
                add_loss("UI Automator cannot hold a phone upside down; it is upright instead")
            yield dialect.call("rotate", str(TURNS.index(to)) if event.is_landscape else "0")
        case Wait(ms):
            yield dialect.call("pause", str(ms))
        case StartIntent():
            yield dialect.call("start", dialect.intent(event))
        case SystemEvent():
            lines = list(_system(event, package, dialect))
            yield from lines
            if not lines:
                add_loss(f"an event of the system ({event.name}) is left out")


def _text(step: Step, event: Text, dialect: Dialect, add_loss: AddLoss) -> Iterator[str]:
    target = target_of(step).on_phone if event.selector is not None else WidgetTarget()
    field = "null" if target.is_nowhere else dialect.target(target)
    text = event.text.removesuffix("\n")
    yield dialect.call("setText", field, dialect.string(_content(step, event, add_loss) + text))
    if text != event.text:
        yield dialect.call("key", "KeyEvent.KEYCODE_ENTER")


def _content(step: Step, event: Text, add_loss: AddLoss) -> str:
    """The text before the typed one: UI Automator can only replace the whole content of a field."""
    if event.replace:
        return ""
    located = step.before.find(event.selector) if event.selector is not None and step.before.is_seen else None
    if located is None:
        add_loss("UI Automator replaces what is in a field; that this one was empty is assumed")
        return ""
    return located.widget.text or ""


def _system(event: SystemEvent, package: str, dialect: Dialect) -> Iterator[str]:
    arguments = dict(event.arguments)
    if event.name == "process_death":
        # The test runs in the process that would end.
        return
    if event.name == "broadcast" and "action" in arguments:
        action = arguments.pop("action")
        yield dialect.call("broadcast", dialect.intent(StartIntent(action, extras=tuple(arguments.items()))))
        return
    for command in system_commands(event, package):
        # UI Automator runs commands without a shell, so one that needs quotes cannot be exported.
        if re.fullmatch(r"[\w./: -]+", command, re.ASCII):
            yield dialect.call("shell", dialect.string(command))
