"""Summaries: what calls of methods without recorded code pass on, read from a table of text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from fewtaps.errors import UsageError
from fewtaps.model.numerals import whole_number

_ARGUMENTS = {
    **dict.fromkeys(("nothing", "value", "reads", "writes", "changes", "builds", "clears", "pops", "peeks"), 0),
    **dict.fromkeys(
        ("takesLast", "views", "next", "makes", "finds", "moves", "runs", "calls", "saves", "lists", "constant"), 0
    ),
    **dict.fromkeys(
        ("gets", "through", "removes", "adds", "element", "takes", "drops", "pushes", "copies", "wraps", "alters"), 1
    ),
    **dict.fromkeys(("puts", "inserts", "replaces", "fills"), 2),
}
_KEYED = frozenset({"gets", "through", "removes", "puts"})
"""The first argument of these can be a name."""
_ACCESSOR = re.compile(r"^(set|get|is|has)(?=[A-Z])")
"""What the names of methods begin with that write or read a property."""
_READERS = re.compile(
    r"(get|is|has|find|contains|size|length|to[A-Z]|equals|hashCode|compare|count|index|describe|can)"
)


@dataclass(frozen=True, slots=True)
class CallEffect:
    """What a call passes on: a word of the table with its arguments. `guessed` if the table does not tell."""

    word: str
    arguments: tuple[int | str, ...] = ()
    guessed: bool = False

    @property
    def changes_state(self) -> bool:
        """Whether the receiver's state is another one after the call."""
        return self.word in _CHANGING


_CHANGING = frozenset(
    {
        *("writes", "changes", "builds", "clears", "pops", "takesLast", "removes", "adds", "takes", "drops", "pushes"),
        *("copies", "puts", "inserts", "replaces", "saves", "wraps", "alters"),
    }
)
GUESS_CHANGES = CallEffect("changes", (), guessed=True)
GUESS_READS = CallEffect("reads", (), guessed=True)
_LIST_REMOVE = ("list", "remove")


class _Wildcards:
    """A name in which each `*` stands for any text. An expression with several of them can take exponential time."""

    def __init__(self, text: str) -> None:
        self._first, *self._parts = text.split("*")

    def fits(self, name: str) -> bool:
        """Whether a name is one of those meant: each part is looked for once, behind the one before it."""
        if not self._parts:
            return name == self._first
        *middle, last = self._parts
        if not name.startswith(self._first):
            return False
        place = len(self._first)
        for part in middle:
            found = name.find(part, place)
            if found < 0:
                return False
            place = found + len(part)
        return len(name) - len(last) >= place and name.endswith(last)


@dataclass(frozen=True, slots=True)
class _SummaryLine:
    classes: tuple[_Wildcards, ...]
    method: _Wildcards
    arity: int | None
    effect: CallEffect


def _of_property(effect: CallEffect, method: str) -> CallEffect:
    """An effect on the property `.*` as one on the property of which the method's name tells: `setTitle`, `.title`."""
    if effect.arguments[:1] != (".*",):
        return effect
    name = _ACCESSOR.sub("", method)
    return replace(effect, arguments=(f".{name[:1].lower()}{name[1:]}", *effect.arguments[1:]))


class Summaries:
    """The lines of the tables, the user's first."""

    def __init__(self, lines: Iterable[_SummaryLine]) -> None:
        self._lines = tuple(lines)
        self._found: dict[tuple[str, str, int], CallEffect | None] = {}

    def find(self, class_name: str, method: str, arity: int) -> CallEffect | None:
        """The effect of the first line that fits, None if none does."""
        key = (class_name, method, arity)
        if key not in self._found:
            self._found[key] = next(
                (
                    _of_property(line.effect, method)
                    for line in self._lines
                    if line.arity in (None, arity)
                    and line.method.fits(method)
                    and any(each.fits(class_name) for each in line.classes)
                ),
                None,
            )
        return self._found[key]

    def effect(self, class_names: Iterable[str], method: str, descriptor: str, arity: int) -> CallEffect:
        """The effect of a method of a class or, in order, of its ancestors; else a guess by the method's name."""
        for name in class_names:
            if method == "remove" and arity == 1 and _is_list(name):
                return CallEffect("takes", (1,)) if descriptor.startswith("(I)") else CallEffect("drops", (1,))
            found = self.find(name, method, arity)
            if found is not None:
                return found
        return GUESS_READS if _READERS.match(method) else GUESS_CHANGES

    def also(self, text: str, name: str) -> Summaries:
        """These summaries with more lines in front. Raises UsageError with the file's name and the line."""
        return Summaries([*_parse(text, name), *self._lines])


def _is_list(name: str) -> bool:
    return bool(re.fullmatch(r"java\.util\.(\w*List|Vector|Stack)|java\.util\.concurrent\.CopyOnWriteArrayList", name))


@cache
def standard_summaries() -> Summaries:
    """The table in the package."""
    return Summaries(_parse(files("fewtaps.slicing").joinpath("summaries.txt").read_text("utf-8"), "summaries.txt"))


def _parse(text: str, name: str) -> Iterator[_SummaryLine]:
    kinds: dict[str, tuple[_Wildcards, ...]] = {}
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.partition("#")[0].strip()
        if not line:
            continue
        if line.startswith("kind "):
            kind, equals, classes = line[5:].partition("=")
            if not equals or not classes.split() or not kind.strip().isidentifier():
                raise UsageError(f"{name}:{number}: expected 'kind NAME = classes'")
            kinds[kind.strip()] = tuple(map(_Wildcards, classes.split()))
            continue
        yield _line(line, kinds, f"{name}:{number}")


def _line(line: str, kinds: dict[str, tuple[_Wildcards, ...]], place: str) -> _SummaryLine:
    called, *words = line.split()
    called, slash, arity = called.partition("/")
    owner, dot, method = called.rpartition(".")
    if not dot or not method or (slash and arity != "*" and whole_number(arity) is None):
        raise UsageError(f"{place}: expected class.method or class.method/arguments")
    if not words or words[0] not in _ARGUMENTS:
        raise UsageError(f"{place}: unknown effect; one of {', '.join(sorted(_ARGUMENTS))} is expected")
    word, *arguments = words
    if len(arguments) != _ARGUMENTS[word]:
        raise UsageError(f"{place}: {word} takes {_ARGUMENTS[word]} arguments, not {len(arguments)}")
    numbers: list[int | str] = []
    for each in arguments:
        is_name = each.startswith(".") and len(each) > 1
        if is_name and (numbers or word not in _KEYED):
            raise UsageError(f"{place}: {word} takes no name in the place of {each}; arguments are counted from 1")
        number = each if is_name else whole_number(each)
        if not number:
            raise UsageError(f"{place}: arguments are counted from 1, or .name")
        numbers.append(number)
    classes = kinds.get(owner) or (_Wildcards(owner),)
    return _SummaryLine(classes, _Wildcards(method), whole_number(arity), CallEffect(word, tuple(numbers)))
