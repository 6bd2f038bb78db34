"""What a screen tells its reader about what it wants: words to type, buttons to press, ways to touch it.

Apps explain themselves. "The user is demo", "Repeat the number 3 1 4", "Hold the button", "Choose one in the menu": who
reads that gets on where chance would not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from fewtaps.explore.actions import Kind
from fewtaps.model.screen import Screen, WidgetFlags

MOST_LINES = 30
LONGEST_LINE = 200
LONGEST_WORD = 60
LONGEST_SEQUENCE = 12
FEWEST_WORDS = 3
_TALKING = int(WidgetFlags.EDITABLE | WidgetFlags.CLICKABLE | WidgetFlags.CHECKABLE)
_SEPARATORS = re.compile(r"[\s,;:!?()\[\]\"“”„«»=]+")
_QUOTED = re.compile(r"[\"“„«'‘*`]([^\"”“»'’*`]{1,40})[\"”“»'’*`]")
_POINTS_TO = re.compile(r"(?:\s*(?:[:=]|\b(?:is|are|ist|est|es|to)\b|[\"“'‘]))+\s*|\s+")
_NUMBERS = dict(one=1, two=2, three=3, four=4, five=5, six=6, seven=7, eight=8, nine=9, ten=10)  # noqa: C408
_LENGTHS = re.compile(
    rf"\b(\d{{1,2}}|{'|'.join(_NUMBERS)})(?:\W+(?:to|or|and)?\W*(?:\d{{1,2}}|{'|'.join(_NUMBERS)}))?"
    r"[\s-]+(?:\w+ )?(letter|digit|figure|character|sign)s?\b",
    re.IGNORECASE,
)
"""How much is to be typed, and of what: "two letters", "4 to 6 digits"."""
_LETTERS, _DIGITS = "abcdefghijklmnopqrstuvwxyz", "123456789"
_COMMON = re.compile(
    r"an?|the|is|are|was|be|and|or|so|not|no|of|in|on|at|to|for|from|by|with|as|its?|this|that|these|you|your|my|our|we"
    r"|he|she|they|please|enter|type|choose|select|tap|press|try|again|must|should|can|will|have|has|least|one|two"
    r"|wrong|invalid|error|either|both|all|any|only|first|then|next|here|there|what|which|who|how|when",
    re.IGNORECASE,
)
"""Words that hold sentences together are not what a form waits for, as far as others are left."""

_ASKED: tuple[tuple[Kind, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(rf"\b(?:{words})\b", re.IGNORECASE))
    for kind, words in (
        (Kind.LONG_PRESS, r"hold|holding|long[- ]?(?:press|tap|click|touch)|keep pressed|gedrückt"),
        (Kind.MENU, r"menu|options|menü"),
        (Kind.SCROLL, r"scroll|swipe|slide|pull|drag|to the end|further down|below|wischen"),
        (Kind.DOUBLE_TAP, r"double[- ]?(?:tap|click)|twice|doppel\w*"),
        (Kind.STROKE, r"swipe|draw|drag|slide"),
        (Kind.PINCH, r"pinch|zoom"),
        (Kind.ROTATE, r"rotate|turn your|turn the (?:phone|device)|landscape|portrait|drehen"),
        (Kind.WAIT, r"wait|loading|seconds|moment"),
    )
)


def lines_told(screen: Screen, *, in_front: bool = False) -> list[str]:
    """What is there to be read only, line by line: what a screen tells, not what it calls its buttons.

    `in_front` leaves out what stands behind a dialog.
    """
    lines: dict[str, None] = {}
    for located in screen.iter_touchable() if in_front else screen.iter_located():
        widget = located.widget
        text = widget.text
        if text and not int(widget.flags) & _TALKING:
            lines[text[:LONGEST_LINE]] = None
            if len(lines) >= MOST_LINES:
                break
    return list(lines)


def kinds_asked_for(lines: Iterable[str]) -> frozenset[Kind]:
    """The ways of touching that the lines speak of."""
    return frozenset(kind for line in lines for kind, words in _ASKED if words.search(line))


def words_for(names: Sequence[str], lines: Sequence[str]) -> list[str]:
    """Words that the lines seem to want in a field of these names, the likeliest first.

    Quoted ones come first, what is as long as is asked for, then those with digits, and other words; those that only
    hold a sentence together, or name the field, come last.
    """
    ranked: dict[str, float] = {}

    def rate(word: str, value: float) -> None:
        word = word.strip(" .'…-")
        if 0 < len(word) <= LONGEST_WORD:
            ranked[word] = max(ranked.get(word, 0.0), value)

    own = _parts(names)
    for line in lines:
        for quoted in _QUOTED.findall(line):
            rate(quoted, 3.0)
        for made in _as_long_as_asked(line):
            rate(made, 2.5)
        rate(line, 0.7)
        for word in _SEPARATORS.split(line):
            rate(word, _plain_value(word, own))
    return sorted(ranked, key=lambda word: -ranked[word])


def _as_long_as_asked(line: str) -> Iterable[str]:
    """Something of each length and kind that the line asks for, as short as it may be."""
    for number, kind in _LENGTHS.findall(line):
        length = _NUMBERS.get(number.lower()) or int(number)
        signs = _DIGITS if kind.lower() in ("digit", "figure") else _LETTERS
        if 0 < length <= LONGEST_WORD:
            yield (signs * (length // len(signs) + 1))[:length]


def words_behind(names: Sequence[str], lines: Sequence[str]) -> list[str]:
    """The words that come right after one of the names: "user: demo", "the password is secret".

    What is as long as the line asks for comes before them: "initials: two letters".
    """
    found: dict[str, None] = {}
    for line in lines:
        for name in sorted(_parts(names)):
            for place in re.finditer(rf"\b{re.escape(name)}\b", line, re.IGNORECASE):
                found.update(dict.fromkeys(_as_long_as_asked(line[place.end() :])))
                gap = _POINTS_TO.match(line, place.end())
                if gap is not None:
                    word = _SEPARATORS.split(line[gap.end() :], maxsplit=1)[0].strip(" .'…-‘’")
                    if word and not _COMMON.fullmatch(word):
                        found[word] = None
    return list(found)


def _parts(names: Iterable[str]) -> set[str]:
    return {part.lower() for name in names for part in _SEPARATORS.split(name) if len(part) > 2}


def _plain_value(word: str, own: Iterable[str]) -> float:
    low = word.lower().strip(".'…")
    if low in own or len(low) < 2:
        return 0.4
    if _COMMON.fullmatch(low):
        return 0.5
    return 2.0 if any(letter.isdigit() for letter in word) or "@" in word else 1.0


def sequences_told(lines: Iterable[str], labels: Mapping[str, str]) -> list[tuple[str, ...]]:
    """The buttons that a line speaks of, in its order, as what `labels` calls them; a keypad spells numbers.

    `labels` are the texts of buttons, in small letters.
    """
    found: dict[tuple[str, ...], None] = {}
    for line in lines:
        low = line.lower()
        if len(_SEPARATORS.split(low)) < FEWEST_WORDS:
            # An echo of what was pressed, not a sentence.
            continue
        told = tuple(name for _, name in sorted(_mentions(low, labels)))
        if 0 < len(told) <= LONGEST_SEQUENCE:
            found[told] = None
        for word in _SEPARATORS.split(low):
            if 2 <= len(word) <= LONGEST_SEQUENCE and word not in labels and all(letter in labels for letter in word):
                found[tuple(labels[letter] for letter in word)] = None
    return list(found)


def _mentions(line: str, labels: Mapping[str, str]) -> Iterable[tuple[int, str]]:
    for label, name in labels.items():
        if label in line:
            for place in re.finditer(rf"(?<!\w){re.escape(label)}(?!\w)", line):
                yield place.start(), name
