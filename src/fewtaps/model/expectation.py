"""Expectation: what a step of a suite's test is expected to show, with its JSON form in a trace file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fewtaps.model.ending import Ending, ending_in
from fewtaps.model.event import Selector, selector_from_json, selector_to_json
from fewtaps.model.record import as_object, list_in, text_in, truth_in
from fewtaps.model.state import StateId


@dataclass(frozen=True, slots=True)
class ExpectedWidget:
    """What one widget is expected to show. A field that is None is not expected."""

    selector: Selector
    text: str | None = None
    checked: bool | None = None


@dataclass(frozen=True, slots=True)
class Expectation:
    """What is expected after a step. A field that is None is not expected.

    `package` is the package shown, expected where the app was left. `state` is an id under the suite's abstraction.
    `crash` is the signature of a crash that is known. `masked` names the widgets whose texts or check marks differ
    between worlds or dates, so that they are not expected; they stand in the file for its readers. `picture` is the
    name of a picture beside the test, with a tolerance of its own.
    """

    ending: Ending = Ending.RUNNING
    package: str | None = None
    activity: str | None = None
    state: StateId | None = None
    widgets: tuple[ExpectedWidget, ...] = ()
    masked: tuple[Selector, ...] = ()
    crash: str | None = None
    picture: str | None = None


def expectation_to_json(expectation: Expectation) -> dict[str, Any]:
    """The expectation as JSON data; what is not expected is left out."""
    record: dict[str, Any] = {}
    if expectation.ending is not Ending.RUNNING:
        record["ending"] = expectation.ending.value
    for name in ("package", "activity", "state", "crash", "picture"):
        value = getattr(expectation, name)
        if value is not None:
            record[name] = value
    if expectation.widgets:
        record["widgets"] = [_widget_to_json(widget) for widget in expectation.widgets]
    if expectation.masked:
        record["masked"] = [selector_to_json(selector) for selector in expectation.masked]
    return record


def expectation_from_json(value: object) -> Expectation:
    """The expectation that `expectation_to_json` wrote. Raises ValueError, naming the bad field."""
    record = as_object("expect", value)
    for name in record:
        if name not in _FIELDS:
            raise ValueError(f"{name}: an expectation has no such field")
    ending = ending_in(record)
    state = text_in(record, "state")
    return Expectation(
        ending=ending,
        package=text_in(record, "package"),
        activity=text_in(record, "activity"),
        state=None if state is None else StateId(state),
        widgets=tuple(_widget_from_json(each) for each in list_in(record, "widgets")),
        masked=tuple(selector_from_json(each) for each in list_in(record, "masked")),
        crash=text_in(record, "crash"),
        picture=text_in(record, "picture"),
    )


_FIELDS = frozenset({"ending", "package", "activity", "state", "widgets", "masked", "crash", "picture"})
_WIDGET_FIELDS = frozenset({"selector", "text", "checked"})


def _widget_to_json(widget: ExpectedWidget) -> dict[str, Any]:
    record: dict[str, Any] = {"selector": selector_to_json(widget.selector)}
    if widget.text is not None:
        record["text"] = widget.text
    if widget.checked is not None:
        record["checked"] = widget.checked
    return record


def _widget_from_json(value: object) -> ExpectedWidget:
    record = as_object("widgets", value)
    for name in record:
        if name not in _WIDGET_FIELDS:
            raise ValueError(f"widgets.{name}: an expected widget has no such field")
    if record.get("selector") is None:
        raise ValueError("widgets.selector: missing")
    checked = truth_in(record, "checked") if record.get("checked") is not None else None
    return ExpectedWidget(selector_from_json(record["selector"]), text_in(record, "text"), checked)
