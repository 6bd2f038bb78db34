"""Facts are types: no text that a person reads is compared, cut apart or searched."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCES = Path(__file__).resolve().parent.parent / "src" / "fewtaps"
CUTTING = frozenset(
    [
        "startswith",
        "endswith",
        "partition",
        "rpartition",
        "split",
        "rsplit",
        "splitlines",
        "removeprefix",
        "removesuffix",
        "find",
        "rfind",
        "index",
    ]
)


def texts_read(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Where a module reads the message of an exception or a sentence of `model/words.py`: line and code."""
    words = {
        each.asname or each.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "fewtaps.model"
        for each in node.names
        if each.name == "words"
    }
    handlers = [node for node in ast.walk(tree) if isinstance(node, ast.ExceptHandler) and node.name]
    for scope, errors in ((tree, set[str]()), *((each, {str(each.name)}) for each in handlers)):
        for node in ast.walk(scope):
            if isinstance(node, ast.Compare):
                read = [node.left, *node.comparators]
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CUTTING:
                read = [node.func.value]
            else:
                continue
            if any(_is_message(each, errors) or _is_sentence(each, words) for each in read):
                yield node.lineno, ast.unparse(node)


def _is_message(node: ast.expr, errors: set[str]) -> bool:
    match node:
        case ast.Call(func=ast.Name(id="str"), args=[ast.Name(id=name)]):
            return name in errors
        case ast.Subscript(value=ast.Attribute(value=ast.Name(id=name), attr="args")):
            return name in errors
    return False


def _is_sentence(node: ast.expr, words: set[str]) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name))):
            return name in words
    return False


@pytest.mark.parametrize(
    ("code", "is_found"),
    [
        ("from fewtaps.model import words\nwords.steps(a).partition(' ')", True),
        ("from fewtaps.model import words\nprint(words.steps(a))", False),
        ("try: f()\nexcept OSError as error:\n  g('full' in str(error))", True),
        ("try: f()\nexcept OSError as error:\n  g(str(error).removeprefix('x'))", True),
        ("try: f()\nexcept OSError as error:\n  g(error.args[0] == 'x')", True),
        ("try: f()\nexcept OSError as error:\n  g(error.errno == 28, str(error))", False),
        ("answer = str(error).partition(' ')", False),
    ],
)
def test_the_search_finds_what_it_is_for(code: str, is_found: bool) -> None:
    assert MAY_READ.search(code) or not is_found
    assert bool(list(texts_read(ast.parse(code)))) is is_found


MAY_READ = re.compile(r"\bstr\(\w+\)\s*(?:\.|==|!=|in\b)|\b(?:in|==|!=) str\(|\.args\[|\bwords(?:_\w+)?\.\w+\(")
"""Only files with such code are parsed, which would take seconds for all."""


def test_no_message_and_no_sentence_decides_anything() -> None:
    texts = {path: path.read_text("utf-8") for path in sorted(SOURCES.rglob("*.py"))}
    found = {
        f"{path.relative_to(SOURCES)}:{line}: {code}"
        for path, text in texts.items()
        if MAY_READ.search(text)
        for line, code in texts_read(ast.parse(text))
    }
    assert found == set()
