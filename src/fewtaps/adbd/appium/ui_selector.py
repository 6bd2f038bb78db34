"""Reads UI Automator's selectors as Appium's clients write them: Java expressions of UiSelector and UiScrollable."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

LONGEST = 8192
"""Characters of an expression."""
DEEPEST = 20
"""Selectors inside selectors."""

_TEXTS = frozenset(
    f"{name}{kind}"
    for name in ("text", "description", "className", "resourceId", "packageName")
    for kind in (("", "Contains", "StartsWith", "Matches") if name in ("text", "description") else ("", "Matches"))
)
_TRUTHS = frozenset(
    ("checkable", "checked", "clickable", "enabled", "focusable", "focused", "longClickable", "scrollable", "selected")
)
_NUMBERS = frozenset(("index", "instance"))
_INNER = {"childSelector": "child", "fromParent": "sibling"}
_TOKEN = re.compile(r'\s*(?:(?P<text>"(?:[^"\\]|\\.)*")|(?P<name>[A-Za-z_][\w.]*)|(?P<number>-?\d+)|(?P<mark>[().,;]))')
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.S)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


class SelectorError(ValueError):
    """The expression is none that this device understands."""


@dataclass(frozen=True, slots=True)
class Scrolling:
    """What a UiScrollable is asked to do: the list, the way, what is looked for, and how often it is moved."""

    container: dict[str, Any]
    verb: str
    wanted: dict[str, Any] = field(default_factory=dict)
    is_vertical: bool = True
    most: int = 30


def read_expressions(text: str) -> list[dict[str, Any] | Scrolling]:
    """The selectors of an expression; several are separated by semicolons. Raises SelectorError."""
    if len(text) > LONGEST:
        raise SelectorError("the expression is too long")
    tokens = list(_tokens(text))
    found: list[dict[str, Any] | Scrolling] = []
    while tokens:
        found.append(_ExpressionReader(tokens).expression())
        if tokens and tokens.pop(0) != ";":
            raise SelectorError("there is more behind the expression")
    if not found:
        raise SelectorError("the expression is empty")
    return found


def _tokens(text: str) -> Iterator[str]:
    place = 0
    end = len(text.rstrip())
    while place < end:
        match = _TOKEN.match(text, place)
        if match is None:
            raise SelectorError(f"cannot be read from {text[place : place + 20]!r} on")
        place = match.end()
        name = match["name"]
        if name is not None and "." in name:
            # A method behind a name without a call between: a class with its package.
            yield name.rpartition(".")[2]
        else:
            yield match[0].strip()


class _ExpressionReader:
    """Takes the tokens of one expression."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._depth = 0

    def expression(self) -> dict[str, Any] | Scrolling:
        if self._ahead() == "new":
            self._take()
        name = self._ahead()
        if name == "UiScrollable":
            self._take()
            return self._scrollable()
        return self._selector()

    def _ahead(self) -> str:
        return self._tokens[0] if self._tokens else ""

    def _take(self, wanted: str | None = None) -> str:
        token = self._tokens.pop(0) if self._tokens else ""
        if not token or (wanted is not None and token != wanted):
            raise SelectorError(f"expected {wanted or 'more'}, found {token[:30] or 'the end'}")
        return token

    def _selector(self) -> dict[str, Any]:
        self._depth += 1
        if self._depth > DEEPEST:
            raise SelectorError("too many selectors inside selectors")
        if self._ahead() == "new":
            self._take()
        if self._ahead() == "UiSelector":
            self._take()
            self._take("(")
            self._take(")")
        elif self._ahead() != ".":
            self._tokens.insert(0, ".")
        selector: dict[str, Any] = {}
        while self._ahead() == ".":
            self._take()
            self._add(selector, self._take())
        self._depth -= 1
        return selector

    def _add(self, selector: dict[str, Any], name: str) -> None:
        self._take("(")
        if name in _TEXTS:
            selector[name] = self._text()
        elif name in _TRUTHS:
            selector[name] = True if self._ahead() == ")" else self._truth()
        elif name in _NUMBERS:
            selector[name] = self._number()
        elif name in _INNER:
            inner = self._selector()
            steps, selectors = inner.pop("childOrSibling", []), inner.pop("childOrSiblingSelector", [])
            selector["childOrSibling"] = [*selector.get("childOrSibling", []), _INNER[name], *steps]
            selector["childOrSiblingSelector"] = [*selector.get("childOrSiblingSelector", []), inner, *selectors]
        else:
            raise SelectorError(f"UiSelector has no method {name[:40]} here")
        self._take(")")

    def _scrollable(self) -> Scrolling:
        self._take("(")
        container = self._selector()
        self._take(")")
        is_vertical, most = True, 30
        while self._ahead() == ".":
            self._take()
            verb = self._take()
            self._take("(")
            if verb in ("setAsHorizontalList", "setAsVerticalList"):
                is_vertical = verb == "setAsVerticalList"
            elif verb == "setMaxSearchSwipes":
                most = self._number()
            elif verb in ("setSwipeDeadZonePercentage", "setScrollBackward"):
                self._take()
            else:
                done = self._scrolling(container, verb, is_vertical, most)
                self._take(")")
                return done
            self._take(")")
        return Scrolling(container, "", is_vertical=is_vertical)

    def _scrolling(self, container: dict[str, Any], verb: str, is_vertical: bool, most: int) -> Scrolling:
        wanted: dict[str, Any] = {}
        match verb:
            case "scrollIntoView":
                wanted = self._selector()
            case "scrollTextIntoView":
                wanted = {"text": self._text()}
            case "scrollDescriptionIntoView":
                wanted = {"description": self._text()}
            case "getChildByText" | "getChildByDescription":
                wanted = self._selector()
                self._take(",")
                wanted["text" if verb == "getChildByText" else "description"] = self._text()
                if self._ahead() == ",":
                    self._take()
                    self._truth()
            case "scrollForward" | "scrollBackward" | "flingForward" | "flingBackward":
                if self._ahead() != ")":
                    self._number()
            case "scrollToEnd" | "scrollToBeginning" | "flingToEnd" | "flingToBeginning":
                most = most if self._ahead() == ")" else self._number()
            case _:
                raise SelectorError(f"UiScrollable has no method {verb[:40]} here")
        return Scrolling(container, verb, wanted, is_vertical, max(0, min(most, 100)))

    def _text(self) -> str:
        token = self._take()
        if not token.startswith('"'):
            raise SelectorError(f"expected a text, found {token[:30]}")
        text = _ESCAPE.sub(_unescaped, token[1:-1])
        # Java writes a character beyond 16 bits as two escapes.
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    def _truth(self) -> bool:
        token = self._take()
        if token not in ("true", "false"):
            raise SelectorError(f"expected true or false, found {token[:30]}")
        return token == "true"

    def _number(self) -> int:
        token = self._take()
        if not re.fullmatch(r"-?\d{1,9}", token):
            raise SelectorError(f"expected a number, found {token[:30]}")
        return int(token)


def _unescaped(match: re.Match[str]) -> str:
    return chr(int(match[1], 16)) if match[1] else _ESCAPES.get(match[2], match[2])
