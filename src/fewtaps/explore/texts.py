"""Values for text fields: values that fit, values at limits, and words that the app itself uses.

Whether a value fits is guessed from the input type that the field declares and, where that says little, from its hint,
id, description and the words beside it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from enum import Enum
from random import Random
from typing import TypeAlias

from fewtaps.explore.frontier_parameters import TEXT_DEFAULTS, TextParameters
from fewtaps.model.screen import Screen, Widget, WidgetFlags

Words: TypeAlias = Callable[[], Sequence[str]]
"""Reads the strings of an app's resources. Reading takes time, so it is done when the first one is needed."""


class ValueClass(Enum):
    """Why a value is tried."""

    FITTING = "fitting"
    """A value that the field seems to ask for."""
    LIMIT = "limit"
    """A value at or beyond the limits of valid ones."""
    SEEN = "seen"
    """A word that the app shows or has among its resources."""


class Field(Enum):
    """The kind of value that a field asks for."""

    TEXT = "text"
    NUMBER = "number"
    SIGNED = "signed number"
    DECIMAL = "decimal number"
    PHONE = "phone"
    EMAIL = "e-mail"
    URL = "url"
    PASSWORD = "password"
    DATE = "date"
    TIME = "time"
    PERSON = "person"
    ADDRESS = "address"
    POSTCODE = "postcode"
    YEAR = "year"
    SEARCH = "search"
    LINES = "lines"


_EDITABLE, _PASSWORD = int(WidgetFlags.EDITABLE), int(WidgetFlags.PASSWORD)
# Android's InputType: a class, a variation of it, and flags.
_CLASS, _VARIATION = 0xF, 0xFF0
_CLASS_TEXT, _CLASS_NUMBER, _CLASS_PHONE, _CLASS_DATETIME = 1, 2, 3, 4
_NUMBER_SIGNED, _NUMBER_DECIMAL = 0x1000, 0x2000
_TEXT_MULTI_LINE = 0x20000
_TEXT_VARIATIONS = {
    0x10: Field.URL,
    0x20: Field.EMAIL,
    0x60: Field.PERSON,
    0x70: Field.ADDRESS,
    0x80: Field.PASSWORD,
    0x90: Field.PASSWORD,
    0xD0: Field.EMAIL,
    0xE0: Field.PASSWORD,
}

# In this order: "e-mail address" is an e-mail, "user name" a name, "expiry date" a date.
_WORDS: tuple[tuple[Field, re.Pattern[str]], ...] = tuple(
    (field, re.compile(rf"(?<![a-z])(?:{words})", re.IGNORECASE))
    for field, words in (
        (Field.EMAIL, r"e-?mail|correo|courriel"),
        (Field.PASSWORD, r"pass(?!port|enger)|pwd|pin\b|secret|kennwort|contrase"),
        (Field.URL, r"url|uri\b|link|website|web ?site|homepage|server|host|domain|feed|endpoint"),
        (Field.PHONE, r"phone|tel\b|telephone|mobile|cell|sms|fax"),
        (Field.POSTCODE, r"post ?code|postal|zip|plz"),
        (Field.YEAR, r"year|jahr"),
        (Field.DATE, r"date|birth|dob|datum|day\b|deadline|expir|due\b"),
        (Field.TIME, r"time(?!zone)|hour|minute|clock|uhr"),
        (
            Field.DECIMAL,
            r"amount|price|cost|total|bill|cents?\b|fee\b|fare|pay|sum\b|money|balance|rate\b|percent|tip\b|weight|height|width|distance|latitude"
            r"|longitude|kilo|gram|litre|liter|salary|budget",
        ),
        (Field.NUMBER, r"count|number|quantity|qty|age\b|port\b|size|limit|max\b|min\b|people|points|score|interval"),
        (Field.ADDRESS, r"address|street|city|town|country|location|place|adresse"),
        (Field.SEARCH, r"search|query|find|filter|suche"),
        (Field.PERSON, r"name|user|author|contact|person|owner|login|nick|first|last|surname"),
        (Field.LINES, r"note|comment|message|body|description|memo|content|details|bio\b"),
    )
)

_FITTING: dict[Field, tuple[str, ...]] = {
    Field.TEXT: ("Lorem", "Hello world", "test", "A", "abc123", "Fresh bread", "7"),
    Field.NUMBER: ("1", "2", "7", "12", "42", "100", "1050", "4200", "2024"),
    Field.SIGNED: ("1", "-1", "12", "42", "100", "-40"),
    Field.DECIMAL: ("1", "2.5", "19.99", "100", "0.1", "42", "72.5"),
    Field.PHONE: ("5551234", "+1 555 0100", "+49301234567", "112"),
    Field.EMAIL: ("ada@example.org", "a.b+c@example.co.uk", "test@example.com"),
    Field.URL: ("https://example.org", "http://example.com/feed.xml", "example.org", "https://example.org/a?b=c#d"),
    Field.PASSWORD: ("secret123", "Passw0rd!", "1234", "test", "correct horse battery staple"),
    Field.DATE: ("2024-02-29", "31.12.2023", "01/02/2003", "2000-01-01", "12/31/1999"),
    Field.TIME: ("12:00", "08:30", "23:59", "7:05 PM"),
    Field.PERSON: ("Ada Lovelace", "Ada", "admin", "test", "Grace Hopper"),
    Field.ADDRESS: ("1 Main Street", "Berlin", "10 Downing Street, London", "Springfield"),
    Field.POSTCODE: ("1050", "10115", "90210", "8001", "SW1A 1AA"),
    Field.YEAR: ("2024", "1999", "2000", "1970"),
    Field.SEARCH: ("a", "e", "test", "the", "1"),
    Field.LINES: ("Milk\nBread\nEggs", "A short note", "- [ ] task\n# Title\n**bold**", "Lorem ipsum dolor sit amet"),
}

_NUMERIC = frozenset({Field.NUMBER, Field.SIGNED, Field.DECIMAL, Field.YEAR, Field.PHONE, Field.POSTCODE})

# Nothing, blanks, the ends of Java's types, and texts that only some parsers take for numbers.
_NUMBER_LIMITS = (
    *("", "0", "-1", "1", "00", "0.0", "-0", ".", "-", "1.", ".5", "0,5", "1,000", "1e9", "NaN"),
    *("2147483647", "2147483648", "-2147483648", "9223372036854775808", "99999999999999999999", "0.0000001"),
)
# Texts with a meaning in SQL, HTML, format strings and regular expressions; wide, composed and right-to-left ones.
_TEXT_LIMITS = (
    *("", " ", "   ", "\n", "0", "-1", "null", "'", '"', "O'Brien", "%", "%s %d %n", "\\", "/", "../../etc", "[", "(*"),
    *("Robert'); DROP TABLE students;--", "<b>bold</b>", "<script>alert(1)</script>", "&amp;", "a\nb\tc", "{}", "[]"),
    *("😀", "👩‍👩‍👧‍👦 family", "שלום עולם", "مرحبا", "é\u0301", "ﬀ", "İ", "𝕏", "日本語", "\u200b"),
)
_SEPARATORS = re.compile(r"[\s,;:!?()\"“”]+")


class Texts:
    """Draws values. `own` reads the strings of the app's resources; it is called when the first one is needed."""

    def __init__(self, own: Words | None = None, numbers: TextParameters = TEXT_DEFAULTS) -> None:
        self._read = own
        self._numbers = numbers
        self._known: tuple[str, ...] | None = None

    def __getstate__(self) -> dict[str, object]:
        """Without the strings that were read: they are read again where they are needed."""
        return {"_read": self._read, "_numbers": self._numbers, "_known": None}

    @property
    def _own(self) -> tuple[str, ...]:
        if self._known is None:
            # Assigned when complete, because several threads may call this at once; they read the same.
            words = self._read() if self._read is not None else ()
            longest = self._numbers.longest
            self._known = tuple(text for text in words if 0 < len(text) <= longest)[: self._numbers.max_strings]
        return self._known

    def draw(self, widget: Widget, value_class: ValueClass, screen: Screen, random: Random) -> str:
        """A value of the class for the field."""
        field = field_of(widget, label_beside(widget, screen))
        if value_class is ValueClass.LIMIT:
            return limit_value(field, random, self._numbers)
        if value_class is ValueClass.SEEN:
            return self._seen(field, screen, random)
        return random.choice(_FITTING[field])

    def _seen(self, field: Field, screen: Screen, random: Random) -> str:
        """The content of a field, a word on the screen, or a string of the app.

        Forms ask for a value twice, searches find words that are shown, demos print the password beside the field.
        """
        chance = random.random()
        typed = [text for text in typed_on(screen) if text]
        if typed and chance < self._numbers.other_field:
            return random.choice(typed)
        words = words_on(screen, self._numbers)
        if field in _NUMERIC:
            # Such fields take no letters.
            words = [word for word in words if word[0].isdigit()] or list(_FITTING[field])
            return random.choice(words)
        if words and chance < self._numbers.screen_word:
            return random.choice(words)
        return random.choice(self._own) if self._own else random.choice(words or _FITTING[Field.TEXT])


def field_of(widget: Widget, label: str | None = None) -> Field:
    """The kind of value that the field asks for: by its declaration, then by its names."""
    declared = _declared(widget)
    if declared is not None and declared is not Field.NUMBER:
        return declared
    called = _called(widget, label)
    if declared is Field.NUMBER:
        return called if called in _NUMERIC and called is not Field.DECIMAL else Field.NUMBER
    return called or (Field.LINES if widget.input_type & _TEXT_MULTI_LINE else Field.TEXT)


def limit_value(field: Field, random: Random, numbers: TextParameters = TEXT_DEFAULTS) -> str:
    """A value at or beyond the limits of what such a field expects; very long ones are rare because they cost time."""
    chance = random.random()
    if chance < numbers.very_long_chance + numbers.long_chance:
        length = numbers.very_long if chance < numbers.very_long_chance else numbers.long
        return ("9" if field in _NUMERIC else random.choice("aW ")) * length
    return random.choice(_NUMBER_LIMITS if field in _NUMERIC else _TEXT_LIMITS)


def class_of(value: str, numbers: TextParameters = TEXT_DEFAULTS) -> ValueClass:
    """Why a value may have been tried: one that is in none of the lists is a word of the app."""
    if value in _ALL_FITTING:
        return ValueClass.FITTING
    return ValueClass.LIMIT if value in _ALL_LIMITS or len(value) >= numbers.long else ValueClass.SEEN


_ALL_FITTING = frozenset(value for values in _FITTING.values() for value in values)
_ALL_LIMITS = frozenset((*_NUMBER_LIMITS, *_TEXT_LIMITS))


def text_kind(text: str | None, numbers: TextParameters = TEXT_DEFAULTS) -> str:
    """One letter for the kind of a text: empty, zero, a negative number, another number, words, or a long text.

    Apps treat these kinds differently. A number among words counts if it is zero or negative.
    """
    if not text:
        return "e"
    if len(text) >= numbers.long_text:
        return "l"
    number = _NUMBER.search(text)
    if number is None:
        return "w"
    if not number[0].strip("-0.,"):
        return "z"
    if number[0].startswith("-"):
        return "m"
    return "n" if len(number[0]) == len(text) else "w"


_NUMBER = re.compile(r"(?<![\w.,])-?\d+(?:[.,]\d+)*(?![\w])")


def typed_on(screen: Screen) -> list[str]:
    """The contents of the fields of the screen."""
    return [widget.text or "" for widget in screen.iter_widgets() if int(widget.flags) & _EDITABLE]


def words_on(screen: Screen, numbers: TextParameters = TEXT_DEFAULTS) -> list[str]:
    """The words and short lines shown outside of fields, each once, in reading order."""
    found: dict[str, None] = {}
    for widget in screen.iter_widgets():
        if widget.text and not int(widget.flags) & _EDITABLE:
            line = widget.text[: numbers.longest_line]
            for word in (line, *_SEPARATORS.split(line)):
                stripped = word.strip(".'…")
                if 0 < len(stripped) <= numbers.longest:
                    found[stripped] = None
        if len(found) >= numbers.max_words:
            break
    return list(found)


def label_beside(widget: Widget, screen: Screen) -> str | None:
    """The text just before the field in reading order, which labels it in forms without hints.

    The widget may come from another screen with the same content: offers are cached by content.
    """
    before: str | None = None
    for each in screen.iter_widgets():
        if each is widget or each == widget:
            return before
        if each.text and not int(each.flags) & _EDITABLE:
            before = each.text
    return None


def _declared(widget: Widget) -> Field | None:
    kind = widget.input_type & _CLASS
    if kind == _CLASS_NUMBER:
        if widget.input_type & _NUMBER_DECIMAL:
            return Field.DECIMAL
        return Field.SIGNED if widget.input_type & _NUMBER_SIGNED else Field.NUMBER
    if kind == _CLASS_PHONE:
        return Field.PHONE
    if kind == _CLASS_DATETIME:
        return Field.TIME if widget.input_type & _VARIATION == 0x20 else Field.DATE
    if int(widget.flags) & _PASSWORD:
        return Field.PASSWORD
    return _TEXT_VARIATIONS.get(widget.input_type & _VARIATION) if kind == _CLASS_TEXT else None


def _called(widget: Widget, label: str | None) -> Field | None:
    identifier = (widget.resource_id or "").rpartition("/")[2]
    # "etFirstName" and "first_name" alike become words.
    spelled = re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", identifier)
    for said in (widget.hint, widget.description, spelled, label):
        for field, words in _WORDS if said else ():
            if words.search(said[:200] if said else ""):
                return field
    return None
