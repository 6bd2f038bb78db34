"""What a button seems to be for: whether it submits a form, gives it up, or neither."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fewtaps.explore.actions import Action, ActionKind
from fewtaps.explore.frontier_parameters import FORM_DEFAULTS, FormParameters
from fewtaps.model.screen import Widget

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


def widget_of(action: Action) -> Widget:
    """The widget of an action that has one."""
    assert action.located is not None
    return action.located.widget


def submits(action: Action) -> bool:
    """Whether its words say that it submits what was filled in."""
    return action.kind is ActionKind.ENTER or (action.is_button and bool(_SUBMITS.search(_words(action))))


def submit_weights(
    taps: Sequence[Action], last_field: tuple[int, ...] = (), numbers: FormParameters = FORM_DEFAULTS
) -> list[float]:
    """How likely each widget is the one that submits: by its words, and by whether it stands below the fields."""
    return [_submit_weight(tap, tap.located is not None and tap.located.path > last_field, numbers) for tap in taps]


def _submit_weight(action: Action, is_below: bool, numbers: FormParameters) -> float:
    words = _words(action)
    gives_up = numbers.says_cancel if _GIVES_UP.search(words) else 1.0
    by_words = numbers.says_submit if _SUBMITS.search(words) else gives_up
    return (numbers.below_fields if is_below else 1.0) * by_words * (1.0 if action.is_button else numbers.not_a_button)


def _words(action: Action) -> str:
    widget = widget_of(action)
    return f"{(widget.resource_id or '').rpartition('/')[2].replace('_', ' ')} {widget.label or ''}"
