"""What the texts of a screen ask for: words to type, buttons to press, gestures.

Examples: "The user is demo", "Repeat the number 3 1 4", "Hold the button", "Choose one in the menu".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from fewtaps.explore.actions import ActionKind
from fewtaps.explore.frontier_parameters import HINT_DEFAULTS, HintParameters
from fewtaps.explore.ids import ActionName
from fewtaps.model.screen import Screen, WidgetFlags

_INTERACTIVE = int(WidgetFlags.EDITABLE | WidgetFlags.CLICKABLE | WidgetFlags.CHECKABLE)
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
"""Words that are tried last: they only hold sentences together."""

_MENTIONED: tuple[tuple[ActionKind, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(rf"\b(?:{words})\b", re.IGNORECASE))
    for kind, words in (
        (ActionKind.LONG_PRESS, r"hold|holding|long[- ]?(?:press|tap|click|touch)|keep pressed|gedrückt"),
        (ActionKind.MENU, r"menu|options|menü"),
        (ActionKind.SCROLL, r"scroll|swipe|slide|pull|drag|to the end|further down|below|wischen"),
        (ActionKind.DOUBLE_TAP, r"double[- ]?(?:tap|click)|twice|doppel\w*"),
        (ActionKind.STROKE, r"swipe|draw|drag|slide"),
        (ActionKind.PINCH, r"pinch|zoom"),
        (ActionKind.ROTATE, r"rotate|turn your|turn the (?:phone|device)|landscape|portrait|drehen"),
        (ActionKind.WAIT, r"wait|loading|seconds|moment"),
    )
)


def readable_lines(screen: Screen, *, in_front: bool = False, numbers: HintParameters = HINT_DEFAULTS) -> list[str]:
    """The texts of widgets that can only be read, each once; texts of buttons and fields are not among them.

    `in_front` leaves out what stands behind a dialog.
    """
    lines: dict[str, None] = {}
    for located in screen.iter_touchable() if in_front else screen.iter_located():
        widget = located.widget
        text = widget.text
        if text and not int(widget.flags) & _INTERACTIVE:
            lines[text[: numbers.longest_line]] = None
            if len(lines) >= numbers.max_lines:
                break
    return list(lines)


def mentioned_kinds(lines: Iterable[str]) -> frozenset[ActionKind]:
    """The kinds of actions that the lines mention."""
    return frozenset(kind for line in lines for kind, words in _MENTIONED if words.search(line))


def candidate_words(names: Sequence[str], lines: Sequence[str], numbers: HintParameters = HINT_DEFAULTS) -> list[str]:
    """Words of the lines that may belong into a field of these names, the likeliest first.

    The order: quoted words, made words of the length that a line asks for, words with digits, other words, common
    words, the names of the field.
    """
    ranked: dict[str, float] = {}

    def rate(word: str, value: float) -> None:
        word = word.strip(" .'…-")
        if 0 < len(word) <= numbers.longest_word:
            ranked[word] = max(ranked.get(word, 0.0), value)

    own = _parts(names)
    for line in lines:
        for quoted in _QUOTED.findall(line):
            rate(quoted, numbers.quoted)
        for made in _made_words(line, numbers):
            rate(made, numbers.of_length)
        rate(line, numbers.whole_line)
        for word in _SEPARATORS.split(line):
            rate(word, _rank(word, own, numbers))
    return sorted(ranked, key=lambda word: -ranked[word])


def _made_words(line: str, numbers: HintParameters) -> Iterable[str]:
    """One word of each length and kind that the line asks for; the shortest, where a line allows several lengths."""
    for number, kind in _LENGTHS.findall(line):
        length = _NUMBERS.get(number.lower()) or int(number)
        signs = _DIGITS if kind.lower() in ("digit", "figure") else _LETTERS
        if 0 < length <= numbers.longest_word:
            yield (signs * (length // len(signs) + 1))[:length]


def words_after(names: Sequence[str], lines: Sequence[str], numbers: HintParameters = HINT_DEFAULTS) -> list[str]:
    """The words that come right after one of the names: "user: demo", "the password is secret".

    Made words of a length that is asked for come before them: "initials: two letters".
    """
    found: dict[str, None] = {}
    for line in lines:
        for name in sorted(_parts(names)):
            for place in re.finditer(rf"\b{re.escape(name)}\b", line, re.IGNORECASE):
                found.update(dict.fromkeys(_made_words(line[place.end() :], numbers)))
                gap = _POINTS_TO.match(line, place.end())
                if gap is not None:
                    word = _SEPARATORS.split(line[gap.end() :], maxsplit=1)[0].strip(" .'…-‘’")
                    if word and not _COMMON.fullmatch(word):
                        found[word] = None
    return list(found)


def _parts(names: Iterable[str]) -> set[str]:
    return {part.lower() for name in names for part in _SEPARATORS.split(name) if len(part) > 2}


def _rank(word: str, own: Iterable[str], numbers: HintParameters) -> float:
    low = word.lower().strip(".'…")
    if low in own or len(low) < 2:
        return numbers.own_name
    if _COMMON.fullmatch(low):
        return numbers.common
    return numbers.with_digit if any(letter.isdigit() for letter in word) or "@" in word else numbers.plain


def mentioned_sequences(
    lines: Iterable[str], labels: Mapping[str, ActionName], numbers: HintParameters = HINT_DEFAULTS
) -> list[tuple[ActionName, ...]]:
    """The buttons that a line mentions, in its order; the digits of a number are looked for on a keypad.

    `labels` are the texts of buttons in small letters, with the names of the taps on them.
    """
    found: dict[tuple[ActionName, ...], None] = {}
    for line in lines:
        low = line.lower()
        if len(_SEPARATORS.split(low)) < numbers.fewest_words:
            # A line this short may repeat what was pressed.
            continue
        mentioned = tuple(name for _, name in sorted(_mentions(low, labels)))
        if 0 < len(mentioned) <= numbers.longest_sequence:
            found[mentioned] = None
        for word in _SEPARATORS.split(low):
            is_spelled = 2 <= len(word) <= numbers.longest_sequence and word not in labels
            if is_spelled and all(letter in labels for letter in word):
                found[tuple(labels[letter] for letter in word)] = None
    return list(found)


def _mentions(line: str, labels: Mapping[str, ActionName]) -> Iterable[tuple[int, ActionName]]:
    for label, name in labels.items():
        if label in line:
            for place in re.finditer(rf"(?<!\w){re.escape(label)}(?!\w)", line):
                yield place.start(), name
