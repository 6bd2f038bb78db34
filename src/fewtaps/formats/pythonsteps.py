"""Reads a recorded Python script as a list of calls, without running any of it."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from fewtaps.formats.source import broken, numbered_lines
from fewtaps.model.event import printable

MAX_STATEMENT = 20_000
"""Longest statement in characters; Python's parser can exhaust its stack on longer hostile ones."""

Value: TypeAlias = object
"""A literal of the script, a dotted name as text after a `$`, or None for anything else."""


@dataclass(frozen=True, slots=True)
class Call:
    """One link of a chain: `.name(arguments)`; an empty name for a call of the root; `is_call` is False for `.name`."""

    name: str
    arguments: tuple[Value, ...] = ()
    named: tuple[tuple[str, Value], ...] = ()
    is_call: bool = True

    def given(self, place: int, name: str, default: Value = None) -> Value:
        """The argument at a position or, if there is none, the keyword argument of this name."""
        if 0 <= place < len(self.arguments):
            return self.arguments[place]
        return dict(self.named).get(name, default)


@dataclass(frozen=True, slots=True)
class Statement:
    """`target = root.link.link(…)`; without a root the value is a literal. `target` is empty, `name` or `name[key]`."""

    line: int
    target: str
    root: str
    links: tuple[Call, ...]
    value: Value = None


def read_statements(path: Path) -> Iterator[Statement]:
    """The statements of a script, imports left out. Raises UsageError for syntax that no recorder writes."""
    for line, text in _logical_lines(path):
        body = _parsed(text)
        if body is None:
            raise broken(path, line, f"not a step of a recording: {printable(text)}")
        for node in body:
            if not isinstance(node, ast.Import | ast.ImportFrom | ast.Pass):
                yield _statement(path, line, text, node)


def _logical_lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines, joined where a bracket is open at the end of one; comments and empty lines are left out.

    A line that is a complete statement is not joined, even if a string in it contains a single bracket.
    """
    parts: list[str] = []
    first = size = depth = 0
    for number, line in numbered_lines(path):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        first = first or number
        parts.append(text)
        size += len(text)
        if size > MAX_STATEMENT:
            raise broken(path, first, f"a statement longer than {MAX_STATEMENT} characters")
        depth += sum(text.count(opening) for opening in "([{") - sum(text.count(closing) for closing in ")]}")
        if depth <= 0 or (len(parts) == 1 and _parsed(text) is not None):
            yield first, "\n".join(parts)
            parts, first, size, depth = [], 0, 0, 0
    if parts:
        raise broken(path, first, f"not a step of a recording: it does not end: {printable(parts[0])}")


def _parsed(text: str) -> list[ast.stmt] | None:
    """The statements in a text; None if it is not Python."""
    try:
        with warnings.catch_warnings():
            # Python warns of invalid escapes and the like, which the recorder wrote and the user cannot fix.
            warnings.simplefilter("ignore")
            return ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _statement(path: Path, line: int, text: str, node: ast.stmt) -> Statement:
    if isinstance(node, ast.Expr):
        target, value = "", node.value
    elif isinstance(node, ast.Assign) and len(node.targets) == 1:
        target, value = _target(node.targets[0]), node.value
    else:
        raise broken(path, line, f"a program rather than a list of steps: {printable(text)}")
    root, links = _chain(value)
    return Statement(line, target, root, links, _literal(value))


def _target(node: ast.expr) -> str:
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
        return f"{node.value.id}[{_literal(node.slice)}]"
    root, links = _chain(node)
    return ".".join((root, *(link.name for link in links)))


def _chain(node: ast.expr) -> tuple[str, tuple[Call, ...]]:
    """`d(text="x").click()` as its root `d` and its links; an empty root if it does not begin with a name."""
    links: list[Call] = []
    while True:
        match node:
            case ast.Call(func=ast.Attribute(value=value, attr=name)):
                links.append(_call(name, node))
                node = value
            case ast.Call(func=func):
                links.append(_call("", node))
                node = func
            case ast.Attribute(value=value, attr=name):
                links.append(Call(name, is_call=False))
                node = value
            case ast.Subscript(value=value, slice=index):
                links.append(Call("[]", (_literal(index),), is_call=False))
                node = value
            case ast.Name(id=root):
                return root, tuple(reversed(links))
            case _:
                return "", ()


def _call(name: str, node: ast.Call) -> Call:
    named = tuple((keyword.arg, _literal(keyword.value)) for keyword in node.keywords if keyword.arg)
    return Call(name, tuple(_literal(argument) for argument in node.args), named)


def _literal(node: ast.expr) -> Value:
    if isinstance(node, ast.Attribute | ast.Name):
        root, links = _chain(node)
        return "$" + ".".join((root, *(link.name for link in links)))
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None
