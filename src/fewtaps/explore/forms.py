"""Filling in a form as a whole: every field, some of the boxes, and then a button, likely the one that submits."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from random import Random
from typing import NamedTuple

from fewtaps.explore.actions import Action, Kind
from fewtaps.explore.offers import Offers
from fewtaps.explore.texts import Texts, ValueClass
from fewtaps.explore.tries import typed_key
from fewtaps.model.screen import Screen, Widget, WidgetFlags


class Intention(NamedTuple):
    """An action to be done next, by its name, with the text to type and the place it should lead to, if known."""

    name: str
    text: str | None = None
    target: str | None = None


ONE_WORD = 0.35
"""Forms ask for one thing twice, and say on the screen what they want: so often one word goes into every field."""
ONE_LIMIT = 0.2
"""So often one field gets a value at the limit, and only one: a second bad field would hide what the first does."""
UNTOUCHED = 0.15
"""So often the fields stay as they are: what users forget is to fill them in."""
ELSEWHERE = 0.3
TICKED = 0.4

_SUBMITS = re.compile(
    r"\b(?:ok|yes|save|submit|next|done|log ?in|sign|add|send|search|create|go|continue|apply|start|register|confirm"
    r"|button1|positive|finish|update|calculate|compute|enter|convert|accept)",
    re.IGNORECASE,
)


class Form(NamedTuple):
    """What is known of a form: its screen, the words it ever told its reader, how often what was typed where."""

    screen: Screen
    told: Sequence[str]
    typed: Mapping[tuple[str, str], int]


def fill_in(offers: Offers, form: Form, texts: Texts, random: Random) -> list[Intention]:
    """What to do one after the other; nothing if the screen has no field."""
    fields: dict[tuple[int, ...], dict[str, Action]] = {}
    for action in offers.actions:
        if action.kind is Kind.TEXT and action.located is not None:
            fields.setdefault(action.located.path, {})[action.argument] = action
    if not fields:
        return []
    steps = _values(list(fields.values()), form, texts, random)
    taps = [
        action
        for action in offers.actions
        if action.kind is Kind.TAP and action.located is not None and action.located.path not in fields
    ]
    steps.extend(Intention(tap.name) for tap in taps if _is_box(_widget(tap)) and random.random() < TICKED)
    buttons = [tap for tap in taps if not _is_box(_widget(tap))]
    if buttons:
        last_field = max(fields)
        weights = [_weight(_widget(tap), tap.located is not None and tap.located.path > last_field) for tap in buttons]
        steps.append(Intention(random.choices(buttons, weights)[0].name))
    return steps


def _values(fields: list[dict[str, Action]], form: Form, texts: Texts, random: Random) -> list[Intention]:
    how = random.random()
    if how > 1.0 - UNTOUCHED:
        return []
    if how < ONE_WORD:
        seen = [field[ValueClass.SEEN.value] for field in fields]
        word = _least_typed(seen[0], form, texts, random)
        return [Intention(action.name, word) for action in seen]
    steps = [Intention(field[ValueClass.FITTING.value].name) for field in fields]
    if how < ONE_WORD + ONE_LIMIT:
        odd = random.randrange(len(fields))
        steps[odd] = Intention(fields[odd][ValueClass.LIMIT.value].name)
    return steps


def _least_typed(field: Action, form: Form, texts: Texts, random: Random) -> str:
    """A word from what the screen tells its reader or, now and then, from elsewhere: the one typed least often here."""
    words = list(form.told)
    if not words or random.random() < ELSEWHERE:
        words = [texts.draw(_widget(field), ValueClass.SEEN, form.screen, random) for _ in range(4)]
    random.shuffle(words)
    return min(words, key=lambda word: form.typed.get(typed_key(field, word), 0))


def _widget(action: Action) -> Widget:
    assert action.located is not None
    return action.located.widget


def _is_box(widget: Widget) -> bool:
    return bool(widget.flags & WidgetFlags.CHECKABLE)


def _weight(widget: Widget, follows: bool) -> float:
    """How likely a button is the one that submits: it stands below the fields and says so."""
    said = f"{(widget.resource_id or '').rpartition('/')[2].replace('_', ' ')} {widget.label or ''}"
    return (3.0 if follows else 1.0) * (4.0 if _SUBMITS.search(said) else 1.0)
