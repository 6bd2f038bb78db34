"""What is remembered of forms: the values typed into fields, the values that were accepted, the lines of hints."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from fewtaps.explore.buttons import widget_of
from fewtaps.explore.frontier_parameters import FORM_DEFAULTS, FormParameters
from fewtaps.explore.ids import FieldId, PageId, ShapeId
from fewtaps.explore.screen_actions import ScreenActions
from fewtaps.explore.tables import drop_oldest


class AcceptedValue(NamedTuple):
    """A value with which a form was left, and the shape of the place behind it: errors have places of their own too."""

    text: str
    behind: ShapeId


class FormMemory:
    """Values by field, lines by activity, and how often a submitting button led on, by page. Forks learn apart."""

    def __init__(self, numbers: FormParameters = FORM_DEFAULTS) -> None:
        self.numbers = numbers
        self.typed: dict[tuple[FieldId, str], int] = {}
        """How often a value was typed into a field."""
        self.accepted: dict[FieldId, tuple[AcceptedValue, ...]] = {}
        """The values with which a form was left, the last one first, one for each shape behind it."""
        self.lines: dict[str, tuple[str, ...]] = {}
        """By activity, all lines that it showed: hints disappear when an error is shown in their place."""
        self.submitted: dict[PageId, int] = {}
        """How often a submitting button led on."""

    def fork(self) -> FormMemory:
        """A memory that is the same now and learns on its own."""
        fork = FormMemory(self.numbers)
        fork.typed = self.typed.copy()
        fork.accepted = self.accepted.copy()
        fork.lines = self.lines.copy()
        fork.submitted = self.submitted.copy()
        return fork

    def times_typed(self, field: FieldId, text: str) -> int:
        """How often the value was typed into the field."""
        return self.typed.get((field, text[: self.numbers.value_length]), 0)

    def type(self, field: FieldId, text: str) -> None:
        """The value was typed into the field."""
        value = field, text[: self.numbers.value_length]
        self.typed[value] = self.typed.pop(value, 0) + 1

    def read(self, activity: str, lines: Sequence[str], most: int) -> None:
        """The activity shows these lines; `most` are kept."""
        known = dict.fromkeys((*self.lines.get(activity, ()), *lines))
        self.lines[activity] = tuple(islice(known, most))

    def submit(self, before: ScreenActions, after: ScreenActions) -> None:
        """A submitting button was pressed: remembers the values if the form was left, else drops those that failed."""
        values: Mapping[FieldId, str] = {
            field.field: widget_of(field).text or "" for field in before.texts if field.field is not None
        }
        if before.is_left_for(after):
            self.submitted[before.page] = self.submitted.get(before.page, 0) + 1
            behind = ShapeId(sys.intern(after.shape))
            for field, text in values.items() if any(values.values()) else ():
                others = (each for each in self.accepted.get(field, ()) if each.behind != after.shape)
                self.accepted[field] = (AcceptedValue(text, behind), *others)[: self.numbers.max_accepted]
        elif all(any(each.text == text for each in self.accepted.get(field, ())) for field, text in values.items()):
            for field, text in values.items():
                self.accepted[field] = tuple(each for each in self.accepted[field] if each.text != text)

    def text_towards(self, field: FieldId, shapes: Iterable[ShapeId]) -> str | None:
        """The value that led to the first of these shapes for which one is known; else the last accepted one."""
        known = self.accepted.get(field, ())
        by_shape = {each.behind: each.text for each in reversed(known)}
        return next((by_shape[shape] for shape in shapes if shape in by_shape), known[0].text if known else None)

    def drop_old(self, most: int, pages: Iterable[PageId]) -> None:
        """Drops the values beyond the bound, and what is known of the pages."""
        for page in pages:
            self.submitted.pop(page, None)
        drop_oldest(self.typed, most)
        drop_oldest(self.accepted, most)
