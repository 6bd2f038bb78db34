"""Filling in a form as a whole: every field, the boxes, and then a button, likely the one that submits."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from random import Random
from typing import NamedTuple

from fewtaps.explore.actions import Action, Kind
from fewtaps.explore.buttons import is_box, submit_chances, widget_of
from fewtaps.explore.hints import words_behind, words_for
from fewtaps.explore.memory import Accepted, typed_key
from fewtaps.explore.offers import Offers
from fewtaps.explore.texts import Field, Texts, ValueClass, field_of, label_beside
from fewtaps.model.screen import Screen, Widget, WidgetFlags


class Intention(NamedTuple):
    """An action to be done next, by its name, with the text to type and the place it should lead to, if known."""

    name: str
    text: str | None = None
    target: str | None = None


class Form(NamedTuple):
    """What is known of a form: its screen, the lines it ever told its reader, how often what was typed where.

    `accepted` are the values of each field with which somebody got on, one for each page behind, the last one first.
    """

    screen: Screen
    hints_seen: Sequence[str]
    typed: Mapping[tuple[str, str], int]
    accepted: Mapping[str, tuple[Accepted, ...]]


AS_ACCEPTED = 0.7
"""What a form took once it takes again, and behind it is more to see than in it."""
BUT_ONE = 0.3
"""So often one of its fields gets something else, and only one: a second bad field would hide what the first does."""
AS_TOLD, ONE_WORD, ONE_LIMIT, UNTOUCHED = 0.3, 0.15, 0.15, 0.1
"""How often fields get words that the screen tells, all of them the same one, one of them a value at the limit, or
stay as they are: what users forget is to fill them in. Otherwise they get what fits."""
ELSEWHERE = 0.3
MORE_OFTEN = 4
"""So many more tries gets a word that stands behind the name of its field: another field may have been wrong."""
ALL_BOXES, SOME_BOXES = 0.65, 0.2
"""Boxes are there to be ticked, most of all those that ask to agree."""
OTHER_CHOICE = 0.3
BY_ENTER = 0.1

_ASKED_TWICE = frozenset({Field.PASSWORD, Field.EMAIL})


def fill_in(offers: Offers, form: Form, texts: Texts, random: Random) -> list[Intention]:
    """What to do one after the other; nothing if there is nothing to fill in."""
    fields = _fields(offers)
    taps = [tap for tap in offers.taps if _path(tap) not in fields]
    boxes = [tap for tap in taps if is_box(tap)]
    if not fields and not boxes:
        return []
    steps = _values(list(fields.values()), form, texts, random) if fields else []
    steps.extend(Intention(tap.name) for tap in _ticks(boxes, random))
    last = max((*fields, *map(_path, boxes)))
    steps.extend(_submit([tap for tap in taps if not is_box(tap)], last, offers, random))
    return steps


def _fields(offers: Offers) -> dict[tuple[int, ...], dict[str, Action]]:
    """By the path of each field, what can be typed, by the class of values."""
    fields: dict[tuple[int, ...], dict[str, Action]] = {}
    for action in offers.texts:
        fields.setdefault(_path(action), {})[action.argument] = action
    return fields


def _values(fields: list[dict[str, Action]], form: Form, texts: Texts, random: Random) -> list[Intention]:
    how = random.random()
    if any(form.accepted.get(_field_name(field)) for field in fields) and random.random() < AS_ACCEPTED:
        return _one_changed(fields, _as_accepted(fields, form, texts, random), random, BUT_ONE)
    if form.hints_seen and how < AS_TOLD:
        return _as_told(fields, form)
    how -= AS_TOLD
    if 0 <= how < ONE_WORD:
        seen = [field[ValueClass.SEEN.value] for field in fields]
        word = _least_typed(seen[0], form, texts, random)
        return [Intention(action.name, word) for action in seen]
    if ONE_WORD <= how < ONE_WORD + UNTOUCHED:
        return []
    limited = ONE_LIMIT if ONE_WORD + UNTOUCHED <= how < ONE_WORD + UNTOUCHED + ONE_LIMIT else 0.0
    return _one_changed(fields, _fitting(fields, form, texts, random), random, 1.0 if limited else 0.0)


def _fitting(fields: list[dict[str, Action]], form: Form, texts: Texts, random: Random) -> list[Intention]:
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
        steps.append(Intention(action.name, text))
    return steps


def _as_accepted(fields: list[dict[str, Action]], form: Form, texts: Texts, random: Random) -> list[Intention]:
    """What led to one of the pages behind the form; fields that nothing is known of get what fits."""
    steps = _fitting(fields, form, texts, random)
    known = [form.accepted.get(_field_name(field), ()) for field in fields]
    behind = random.choice(list(dict.fromkeys(each.behind for values in known for each in values)))
    for number, values in enumerate(known):
        if values:
            text = next((each.text for each in values if each.behind == behind), values[0].text)
            steps[number] = Intention(steps[number].name, text)
    return steps


def _one_changed(
    fields: list[dict[str, Action]], steps: list[Intention], random: Random, chance: float
) -> list[Intention]:
    if random.random() < chance:
        odd = random.randrange(len(fields))
        steps[odd] = Intention(fields[odd][ValueClass.LIMIT.value].name)
    return steps


def _as_told(fields: list[dict[str, Action]], form: Form) -> list[Intention]:
    """For each field what the screen seems to want there; where it says nothing of one, what it says of the others."""
    steps: list[Intention] = []
    others: list[str] = []
    for field in fields:
        action = field[ValueClass.SEEN.value]
        widget = widget_of(action)
        names = [name for name in (widget.hint, widget.description, _spelled(widget)) if name]
        pointed = words_behind(names, form.hints_seen)
        strong = pointed or others
        words = [*strong, *words_for(names, form.hints_seen)]
        if not words:
            continue
        times = {each: _times(action, each, form) - (MORE_OFTEN if each in strong else 0) for each in words}
        word = min(words, key=times.__getitem__)
        others.append(word)
        steps.append(Intention(action.name, word))
    return steps


def _least_typed(field: Action, form: Form, texts: Texts, random: Random) -> str:
    """A word from what the screen tells its reader or, now and then, from elsewhere: the one typed least often here."""
    words = words_for((), form.hints_seen)
    if not words or random.random() < ELSEWHERE:
        words = [texts.draw(widget_of(field), ValueClass.SEEN, form.screen, random) for _ in range(4)]
    return min(words, key=lambda word: _times(field, word, form))


def _times(field: Action, word: str, form: Form) -> int:
    """How often the word was typed there."""
    return form.typed.get(typed_key(field, word), 0)


def _ticks(boxes: list[Action], random: Random) -> list[Action]:
    """The boxes to tap: most often those that are still to be ticked, and one of those that exclude each other."""
    how = random.random()
    taps: list[Action] = []
    choices: dict[tuple[int, ...], list[Action]] = {}
    for tap in boxes:
        widget = widget_of(tap)
        if "Radio" in widget.class_name or "CheckedTextView" in widget.class_name:
            choices.setdefault(_path(tap)[:-1], []).append(tap)
        elif how < ALL_BOXES:
            taps += [] if widget.flags & WidgetFlags.CHECKED else [tap]
        elif how < ALL_BOXES + SOME_BOXES and random.random() < 0.5:
            taps.append(tap)
    for group in choices.values():
        if random.random() < OTHER_CHOICE or not any(widget_of(tap).flags & WidgetFlags.CHECKED for tap in group):
            taps.append(random.choice(group))
    return taps


def _submit(buttons: list[Action], last: tuple[int, ...], offers: Offers, random: Random) -> list[Intention]:
    """The button that likely submits, or the keyboard's own."""
    if not buttons or (offers.texts and random.random() < BY_ENTER):
        return [Intention(f"{Kind.ENTER.value} ENTER {offers.where}")]
    return [Intention(random.choices(buttons, submit_chances(buttons, last))[0].name)]


def _path(action: Action) -> tuple[int, ...]:
    assert action.located is not None
    return action.located.path


def _field_name(field: Mapping[str, Action]) -> str:
    return typed_key(field[ValueClass.FITTING.value])[0]


def _spelled(widget: Widget) -> str:
    identifier = (widget.resource_id or "").rpartition("/")[2]
    return re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", identifier)
