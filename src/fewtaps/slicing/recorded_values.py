"""Values as a replay tells them, made comparable with values that were computed."""

from __future__ import annotations

import math
from dataclasses import dataclass

from fewtaps.model.run_record import SeenValue
from fewtaps.model.seen_values import NOT_KEPT


@dataclass(frozen=True, slots=True)
class StringText:
    """The characters of a string; `is_cut` says that the recording kept only the first of them."""

    characters: str
    is_cut: bool = False

    def __str__(self) -> str:
        return f'"{self.characters}{"…" if self.is_cut else ""}"'


@dataclass(frozen=True, slots=True)
class ObjectValue:
    """An object by its number, 0 for null, None if it is not known.

    `text` are the characters of a string; of another object the text that the recording has, such as a boxed number.
    """

    identity: int | None
    text: StringText | str | None = None

    @property
    def is_null(self) -> bool:
        """Whether it is no object."""
        return self.identity == 0

    def __str__(self) -> str:
        if self.is_null:
            return "null"
        return str(self.text or f"object {self.identity}")


NULL = ObjectValue(0, "null")
Value = int | float | ObjectValue
_NAMES = {"true": 1, "false": 0, "NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def value_of(seen: SeenValue) -> Value | None:
    """The value that a replay told; None if the recording had no room for it."""
    text = seen.text
    if text == NOT_KEPT:
        return None
    if text == "null" and not seen.identity:
        return NULL
    if seen.identity:
        return ObjectValue(seen.identity, _text_of(text))
    if text in _NAMES:
        return _NAMES[text]
    if len(text) == 3 and text[0] == text[2] == "'":
        return ord(text[1])
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return None


def _text_of(text: str) -> StringText | str:
    """Reads what `text_of_value` writes for an object: a string in quotes, with `…` at its end if it is cut."""
    if len(text) < 2 or not (text[0] == text[-1] == '"'):
        return text
    characters = text[1:-1]
    return StringText(characters.removesuffix("…"), is_cut=characters.endswith("…"))


def same_value(computed: Value, recorded: Value) -> bool:
    """Whether both are the same number, the same text, or the same object."""
    if isinstance(computed, ObjectValue) and isinstance(recorded, ObjectValue):
        if computed.identity is not None and recorded.identity is not None:
            return computed.identity == recorded.identity
        return computed.text is None or computed.text == recorded.text or _begins(computed.text, recorded.text)
    if isinstance(computed, ObjectValue) or isinstance(recorded, ObjectValue):
        return False
    return computed == recorded or (math.isnan(computed) and math.isnan(recorded))


def _begins(computed: StringText | str, recorded: StringText | str | None) -> bool:
    """Whether a string begins with the characters that the recording kept of it."""
    if not isinstance(computed, StringText) or not isinstance(recorded, StringText):
        return False
    return recorded.is_cut and computed.characters.startswith(recorded.characters)
