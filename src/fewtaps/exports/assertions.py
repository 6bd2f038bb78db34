"""What a step of a suite's test expects, as assertions that other tools can make."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from fewtaps.exports.targets import WidgetTarget
from fewtaps.formats.losses import AddLoss
from fewtaps.model.crash import type_in_signature
from fewtaps.model.ending import Ending
from fewtaps.model.event import Selector
from fewtaps.model.expectation import Expectation, ExpectedWidget

NO_STATE = "states of screens are not asserted: their ids are known to fewtaps only"
NO_PICTURE = "pictures are not compared"
NO_NAME = "the check mark of a widget without id, text and description is not asserted"
ANY_APP = "the app that is shown instead differs between phones; only that the app was left is asserted"
NOT_EMPTY = "that a widget shows no text is not asserted: a phone tells the hint of an empty field as its text"
NO_TOAST = "the text of a toast is not asserted: a phone's tree of widgets has no toasts"
NOT_EXITED = "that the app ends its own process is not asserted"


@dataclass(frozen=True, slots=True)
class ActivityShown:
    """The activity of this class is in front."""

    name: str


@dataclass(frozen=True, slots=True)
class AppLeft:
    """The app is not in front."""


@dataclass(frozen=True, slots=True)
class WidgetText:
    """One of the widgets that fit the target shows this text."""

    target: WidgetTarget
    text: str


@dataclass(frozen=True, slots=True)
class TextShown:
    """Some widget shows this text."""

    text: str


@dataclass(frozen=True, slots=True)
class ToastShown:
    """A toast shows this text."""

    text: str


@dataclass(frozen=True, slots=True)
class WidgetChecked:
    """The widget is shown and is checked, or is not."""

    target: WidgetTarget
    checked: bool


@dataclass(frozen=True, slots=True)
class AppCrashes:
    """The app crashes in the step. `exception` is the class of the root cause; empty for a hang and the like."""

    exception: str


PhoneAssertion: TypeAlias = ActivityShown | AppLeft | WidgetText | TextShown | WidgetChecked | AppCrashes
Assertion: TypeAlias = PhoneAssertion | ToastShown


def assertions_of(expected: Expectation | None, add_loss: AddLoss) -> Iterator[Assertion]:
    """The assertions after a step, in the order in which they are made. The parts that no tool can assert are lost."""
    if expected is None:
        return
    if expected.state is not None and expected.ending is Ending.RUNNING:
        add_loss(NO_STATE)
    if expected.picture is not None:
        add_loss(NO_PICTURE)
    match expected.ending:
        case Ending.CRASHED | Ending.ANR:
            yield AppCrashes(exception_of(expected))
        case Ending.LEFT:
            if expected.package is not None:
                add_loss(ANY_APP)
            yield AppLeft()
        case Ending.EXITED:
            add_loss(NOT_EXITED)
        case _:
            if expected.activity is not None:
                yield ActivityShown(expected.activity)
            for widget in expected.widgets:
                yield from _widget(widget, add_loss)


def phone_assertions(expected: Expectation | None, add_loss: AddLoss) -> Iterator[PhoneAssertion]:
    """As `assertions_of`, without those that a phone cannot make.

    It tells the hint of an empty field as its text, and toasts are in no tree of widgets.
    """
    for assertion in assertions_of(expected, add_loss):
        if isinstance(assertion, ToastShown):
            add_loss(NO_TOAST)
        elif isinstance(assertion, WidgetText | TextShown) and not assertion.text:
            add_loss(NOT_EMPTY)
        else:
            yield assertion


def _widget(widget: ExpectedWidget, add_loss: AddLoss) -> Iterator[Assertion]:
    selector = widget.selector
    if widget.text is not None:
        # The selector's own text is left out: it is the text that is asserted.
        target = WidgetTarget(selector.resource_id or None)
        if not target.has_name and selector.description:
            target = WidgetTarget(description=selector.description)
        if target.has_name:
            yield WidgetText(target, widget.text)
        else:
            # The root of a window that is a text by itself is a toast.
            yield ToastShown(widget.text) if len(selector.path) == 1 else TextShown(widget.text)
    if widget.checked is not None:
        # Rows of a list have one id: the text tells them apart.
        target = _named(replace(selector, text=widget.text or selector.text))
        if target.has_name:
            yield WidgetChecked(target, widget.checked)
        else:
            add_loss(NO_NAME)


def _named(selector: Selector) -> WidgetTarget:
    return WidgetTarget(selector.resource_id or None, selector.text or None, selector.description or None)


def exception_of(expected: Expectation | None) -> str:
    """The class of the exception in the signature of the expected crash; empty if there is none."""
    signature = expected.crash if expected is not None else None
    name = type_in_signature(signature or "")
    return name if re.fullmatch(r"[\w$]+(\.[\w$]+)+", name) else ""
