"""What a button seems to be for: whether it sends what a form holds, gives it up, or neither."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fewtaps.explore.actions import Action, Kind
from fewtaps.model.screen import Widget, WidgetFlags

_SUBMITS = re.compile(
    r"\b(?:(?:ok|okay|yes|go|add|set|pay|ja|done|next|save|send|book)\b"
    r"|submit|log ?in|sign|search|create|continue|apply|start|register|confirm|button1|positive|finish|update"
    r"|calculate|compute|enter|convert|accept|agree|proceed|order\b|weiter|speichern|suivant|valider|siguiente|guardar)",
    re.IGNORECASE,
)
_GIVES_UP = re.compile(
    r"\b(?:cancel|back|close|clear|reset|no\b|abort|abandon|dismiss|delete|remove|help|skip|button2|negative|abbrechen)",
    re.IGNORECASE,
)
# Plain numbers: operations on IntFlag are slow.
_CHECKABLE = int(WidgetFlags.CHECKABLE)
_NO_BUTTON = int(WidgetFlags.CHECKABLE | WidgetFlags.EDITABLE | WidgetFlags.SCROLLABLE)


def widget_of(action: Action) -> Widget:
    """The widget of an action that has one."""
    assert action.located is not None
    return action.located.widget


def is_box(action: Action) -> bool:
    """Whether it can be ticked or chosen."""
    return bool(int(widget_of(action).flags) & _CHECKABLE)


def is_button(action: Action) -> bool:
    """Whether it is a tap on what is no box, no field and no row of a list."""
    return action.kind is Kind.TAP and not int(widget_of(action).flags) & _NO_BUTTON and "]" not in action.key


def submits(action: Action) -> bool:
    """Whether it says that it sends what was filled in."""
    return action.kind is Kind.ENTER or (is_button(action) and bool(_SUBMITS.search(_said(action))))


def submit_chances(buttons: Sequence[Action], last_field: tuple[int, ...] = ()) -> list[float]:
    """How likely each button is the one that sends: it says so, and stands below the fields."""
    return [_submit_chance(tap, tap.located is not None and tap.located.path > last_field) for tap in buttons]


def _submit_chance(action: Action, follows: bool) -> float:
    said = _said(action)
    says_so = 8.0 if _SUBMITS.search(said) else 0.4 if _GIVES_UP.search(said) else 1.0
    return (3.0 if follows else 1.0) * says_so * (1.0 if is_button(action) else 0.2)


def _said(action: Action) -> str:
    widget = widget_of(action)
    return f"{(widget.resource_id or '').rpartition('/')[2].replace('_', ' ')} {widget.label or ''}"
