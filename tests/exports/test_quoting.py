"""Hostile texts in every language: what is read back is what went in."""

from __future__ import annotations

import ast
import re
import unicodedata

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from fewtaps.exports.maestro import escaped_script
from fewtaps.exports.quoting import (
    JAVA_WORDS,
    hash_comment,
    java_string,
    kotlin_string,
    package_of,
    python_string,
    slash_comment,
    yaml_string,
)

HOSTILE = (
    "",
    '"',
    "'",
    "\\",
    '\\"',
    "\n\r\t",
    "\0",
    "\x7f\x85\u2028\u2029\ufeff",
    "${System.exit(1)}",
    "$name $(reboot) `reboot` %s",
    "*/ System.exit(1); /*",
    "\\u000a System.exit(1);",
    "\\\\u000a",
    "\u202eevil\u202c",
    "שלום",
    "🦊👩\u200d👩",
    "\ud800",
    "- a: b # c",
    "<script>alert(1)</script>",
    "@someone #1 [x](javascript:alert(1))",
    "'; DROP TABLE x; --",
    "a" * 10_000,
    "🦊" * 10_000,
    '"' * 9_000,
)

hostile = st.one_of(st.sampled_from(HOSTILE), st.text(), st.text(alphabet="\\u0a\"$'{}*/\n#"))
every_hostile_text = pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))


def read_java(literal: str) -> str:
    """What a Java compiler makes of string literals: first the escapes that work everywhere, then those of literals."""

    def early(match: re.Match[str]) -> str:
        # An escape works if an even number of backslashes stands before it.
        return match[1] + chr(int(match[2], 16)) if len(match[1]) % 2 == 0 else match[0]

    text = re.sub(r"(?<!\\)((?:\\\\)*)\\u+([0-9a-f]{4})", early, literal)
    assert "\n" not in text and "\r" not in text, "a line end inside a literal"
    found = re.findall(r'"((?:[^"\\]|\\.)*)"', text)
    parts = found[1:] if literal.startswith("String.join") else found
    return _units("".join(_read_escapes(part, r"\\([0-7]{3}|.)") for part in parts))


def read_kotlin(literal: str) -> str:
    """What a Kotlin compiler makes of string literals."""
    assert "\n" not in literal
    assert not re.search(r"(?<!\\)(?:\\\\)*\$", literal), "a template inside a literal"
    parts = re.findall(r'"((?:[^"\\]|\\.)*)"', literal)
    parts = parts[:-1] if literal.startswith("listOf") else parts
    return _units("".join(_read_escapes(part, r"\\(u[0-9a-f]{4}|.)") for part in parts))


def _read_escapes(text: str, pattern: str) -> str:
    named = {"n": "\n", "r": "\r", "t": "\t"}

    def one(match: re.Match[str]) -> str:
        escape = match[1]
        if escape[0] == "u" and len(escape) == 5:
            return chr(int(escape[1:], 16))
        if escape.isdigit():
            return chr(int(escape, 8))
        assert escape in ("n", "r", "t", "\\", '"', "$")
        return named.get(escape, escape)

    return re.sub(pattern, one, text, flags=re.DOTALL)


def _units(text: str) -> str:
    """Two halves of a character that stand side by side are one."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


@given(hostile)
@example("\\u000a")
def test_a_java_literal_gives_the_text_back(text: str) -> None:
    assert read_java(java_string(text)) == _units(text)


@every_hostile_text
def test_every_hostile_text_survives_java_and_kotlin(text: str) -> None:
    assert read_java(java_string(text)) == read_kotlin(kotlin_string(text)) == text


@given(hostile)
def test_a_kotlin_literal_gives_the_text_back(text: str) -> None:
    assert read_kotlin(kotlin_string(text)) == _units(text)


@given(hostile)
def test_a_python_literal_gives_the_text_back(text: str) -> None:
    assert ast.literal_eval(python_string(text)) == text


@given(hostile)
def test_a_yaml_scalar_gives_the_text_back(text: str) -> None:
    assert yaml.safe_load(f"- key: {yaml_string(text)}  # comment") == [{"key": text}]


@given(hostile)
def test_no_piece_of_a_java_constant_is_too_long_for_the_machine(text: str) -> None:
    pieces = re.findall(r'"((?:[^"\\]|\\.)*)"', java_string(text))
    assert all(len(piece.encode("utf-16-le", "surrogatepass")) // 2 * 3 < 65_535 for piece in pieces)


@given(st.text())
def test_a_comment_of_java_holds_no_escape_that_could_end_it(text: str) -> None:
    line = slash_comment("".join(char for char in text if char.isprintable()))
    assert not re.search(r"(?<!\\)(?:\\\\)*\\u", line)


@given(st.text())
def test_a_comment_does_not_reach_into_the_next_line(text: str) -> None:
    line = hash_comment("".join(char for char in text if char.isprintable()))
    assert "\n" not in line and not line.endswith("\\")


def test_literals_show_no_sign_that_turns_the_direction_of_writing() -> None:
    for quote in (java_string, kotlin_string, python_string, yaml_string):
        assert not [char for char in quote("a\u202eb\u2066c\u200f") if unicodedata.category(char) == "Cf"]


def test_a_package_with_a_reserved_word_is_none() -> None:
    assert package_of("dev.example", JAVA_WORDS) == "dev.example"
    assert package_of("dev.new.example", JAVA_WORDS) == ""
    assert package_of("dev.ex-ample", JAVA_WORDS) == ""
    assert package_of("", JAVA_WORDS) == ""


def maestro_reads(text: str) -> str:
    """What Maestro makes of a text: scripts are run, unless a backslash stands before, which is taken away."""
    done = re.sub(r"(?<!\\)\$\{([^$]*)\}", lambda match: "RUN", text)
    return re.sub(r"\\\$\{([^$]*)\}", lambda match: match[0].partition("\\")[2], done)


@given(hostile)
@example("\\${x}")
@example("${a}}")
@example("a ${b} ${c} }")
def test_maestro_runs_no_script_of_the_app(text: str) -> None:
    assert maestro_reads(escaped_script(text)) == text
