"""Fills in a form as a whole: every field, the boxes, and then a button, most likely the one that submits."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from fewtaps.explore.actions import Action, ActionKind, weighted_choice
from fewtaps.explore.buttons import submit_weights, widget_of
from fewtaps.explore.form_memory import FormMemory
from fewtaps.explore.frontier_parameters import HINT_DEFAULTS, HintParameters
from fewtaps.explore.hints import candidate_words, words_after
from fewtaps.explore.ids import ActionName, FieldId, PlaceId
from fewtaps.explore.naming import action_prefix
from fewtaps.explore.screen_actions import ScreenActions
from fewtaps.explore.texts import Field, Texts, ValueClass, field_of, label_beside
from fewtaps.model.screen import Screen, Widget, WidgetFlags


class PlannedAction(NamedTuple):
    """An action to be done next, with the text to type and the place it should lead to, if they are known."""

    name: ActionName
    text: str | None = None
    target: PlaceId | None = None


@dataclass(frozen=True, slots=True)
class Form:
    """A form on a screen, with the lines that its activity ever showed and what is remembered of forms."""

    screen: Screen
    shown: ScreenActions
    lines: Sequence[str]
    memory: FormMemory
    hints: HintParameters = HINT_DEFAULTS


_FieldActions = Mapping[str, Action]
"""The actions that type into one field, by the class of values."""
_ASKED_TWICE = frozenset({Field.PASSWORD, Field.EMAIL})


def fill_in(form: Form, texts: Texts, random: Random) -> list[PlannedAction]:
    """The actions that fill the form in, in order; none if there is nothing to fill in."""
    fields = _fields(form.shown)
    taps = [tap for tap in form.shown.taps if _path(tap) not in fields]
    boxes = [tap for tap in taps if tap.is_box]
    if not fields and not boxes:
        return []
    steps = _values(list(fields.values()), form, texts, random) if fields else []
    steps.extend(PlannedAction(tap.name) for tap in _ticks(boxes, form, random))
    last = max((*fields, *map(_path, boxes)))
    steps.append(_submit([tap for tap in taps if not tap.is_box], last, form, random))
    return steps


def _fields(shown: ScreenActions) -> dict[tuple[int, ...], dict[str, Action]]:
    """By the path of each field, the actions that type into it."""
    fields: dict[tuple[int, ...], dict[str, Action]] = {}
    for action in shown.texts:
        fields.setdefault(_path(action), {})[action.argument] = action
    return fields


def _values(fields: list[dict[str, Action]], form: Form, texts: Texts, random: Random) -> list[PlannedAction]:
    numbers = form.memory.numbers
    how = random.random()
    if any(form.memory.accepted.get(_field_id(field)) for field in fields) and random.random() < numbers.accepted:
        return _one_changed(fields, _as_accepted(fields, form, texts, random), random, numbers.accepted_but_one)
    if form.lines and how < numbers.hinted:
        return _as_hinted(fields, form)
    how -= numbers.hinted
    one_word, untouched = numbers.one_word, numbers.untouched
    if 0 <= how < one_word:
        seen = [field[ValueClass.SEEN.value] for field in fields]
        word = _least_typed(seen[0], form, texts, random)
        return [PlannedAction(action.name, word) for action in seen]
    if one_word <= how < one_word + untouched:
        return []
    has_limit = one_word + untouched <= how < one_word + untouched + numbers.one_limit
    return _one_changed(fields, _fitting(fields, form, texts, random), random, 1.0 if has_limit else 0.0)


def _fitting(fields: list[dict[str, Action]], form: Form, texts: Texts, random: Random) -> list[PlannedAction]:
    """A value that fits for each field, and the same one where a password or an address is to be repeated."""
    repeated: dict[Field, str] = {}
    steps = []
    for field in fields:
        action = field[ValueClass.FITTING.value]
        widget = widget_of(action)
        text = texts.draw(widget, ValueClass.FITTING, form.screen, random)
        kind = field_of(widget, label_beside(widget, form.screen))
        if kind in _ASKED_TWICE:
            text = repeated.setdefault(kind, text)
        steps.append(PlannedAction(action.name, text))
    return steps


def _as_accepted(fields: list[dict[str, Action]], form: Form, texts: Texts, random: Random) -> list[PlannedAction]:
    """The values that led to one of the shapes behind the form; other fields get a value that fits."""
    steps = _fitting(fields, form, texts, random)
    known = [form.memory.accepted.get(_field_id(field), ()) for field in fields]
    behind = random.choice(list(dict.fromkeys(each.behind for values in known for each in values)))
    for number, values in enumerate(known):
        if values:
            text = next((each.text for each in values if each.behind == behind), values[0].text)
            steps[number] = PlannedAction(steps[number].name, text)
    return steps


def _one_changed(
    fields: list[dict[str, Action]], steps: list[PlannedAction], random: Random, chance: float
) -> list[PlannedAction]:
    if random.random() < chance:
        odd = random.randrange(len(fields))
        steps[odd] = PlannedAction(fields[odd][ValueClass.LIMIT.value].name)
    return steps


def _as_hinted(fields: list[dict[str, Action]], form: Form) -> list[PlannedAction]:
    """For each field a word that the lines seem to ask for; a field that no line names gets the word of another."""
    steps: list[PlannedAction] = []
    others: list[str] = []
    bonus = form.memory.numbers.pointed_tries
    for field in fields:
        action = field[ValueClass.SEEN.value]
        widget = widget_of(action)
        names = [name for name in (widget.hint, widget.description, _id_words(widget)) if name]
        preferred = words_after(names, form.lines, form.hints) or others
        words = [*preferred, *candidate_words(names, form.lines, form.hints)]
        if not words:
            continue
        times = {each: _times(action, each, form) - (bonus if each in preferred else 0) for each in words}
        word = min(words, key=times.__getitem__)
        others.append(word)
        steps.append(PlannedAction(action.name, word))
    return steps


def _least_typed(action: Action, form: Form, texts: Texts, random: Random) -> str:
    """A word of the lines or, now and then, from elsewhere: the one typed least often into the field."""
    numbers = form.memory.numbers
    words = candidate_words((), form.lines, form.hints)
    if not words or random.random() < numbers.other_words:
        widget = widget_of(action)
        drawn = range(numbers.other_words_drawn)
        words = [texts.draw(widget, ValueClass.SEEN, form.screen, random) for _ in drawn]
    return min(words, key=lambda word: _times(action, word, form))


def _times(action: Action, word: str, form: Form) -> int:
    """How often the word was typed into the field."""
    return form.memory.times_typed(action.field, word) if action.field is not None else 0


def _ticks(boxes: list[Action], form: Form, random: Random) -> list[Action]:
    """The boxes to tap: most often those that are not ticked, and one of those that exclude each other."""
    numbers = form.memory.numbers
    how = random.random()
    taps: list[Action] = []
    choices: dict[tuple[int, ...], list[Action]] = {}
    for tap in boxes:
        widget = widget_of(tap)
        if "Radio" in widget.class_name or "CheckedTextView" in widget.class_name:
            choices.setdefault(_path(tap)[:-1], []).append(tap)
        elif how < numbers.all_boxes:
            taps += [] if widget.flags & WidgetFlags.CHECKED else [tap]
        elif how < numbers.all_boxes + numbers.some_boxes and random.random() < numbers.some_box:
            taps.append(tap)
    for group in choices.values():
        is_open = not any(widget_of(tap).flags & WidgetFlags.CHECKED for tap in group)
        if random.random() < numbers.other_choice or is_open:
            taps.append(random.choice(group))
    return taps


def _submit(buttons: list[Action], last: tuple[int, ...], form: Form, random: Random) -> PlannedAction:
    """The button that most likely submits, or the keyboard's Enter."""
    numbers = form.memory.numbers
    if not buttons or (form.shown.texts and random.random() < numbers.by_enter):
        # The keyboard, and with it this action, is shown once something was typed.
        return PlannedAction(ActionName(action_prefix(ActionKind.ENTER, "ENTER") + form.shown.page))
    return PlannedAction(weighted_choice(buttons, submit_weights(buttons, last, numbers), random).name)


def _path(action: Action) -> tuple[int, ...]:
    assert action.located is not None
    return action.located.path


def _field_id(field: _FieldActions) -> FieldId:
    found = field[ValueClass.FITTING.value].field
    assert found is not None
    return found


def _id_words(widget: Widget) -> str:
    """The id of a widget, split into words."""
    identifier = (widget.resource_id or "").rpartition("/")[2]
    return re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", identifier)
