"""Texts of an app as literals and comments of other languages; no text can end its literal or comment.

Such texts may contain quotes, line ends, `${…}`, `*/`, Java's escapes that work even in comments, or characters that
change the direction of writing. A literal evaluates to exactly the given text.
"""

from __future__ import annotations

import re
from collections.abc import Callable

PIECE = 4000
"""Longer literals are concatenated from pieces of this many characters: a constant of the JVM has at most 65,535 bytes.
"""

LONGEST_PACKAGE = 200

_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\", '"': '\\"'}

_JAVA_WORDS = """
abstract assert boolean break byte case catch char class const continue default do double else enum extends final
finally float for goto if implements import instanceof int interface long native new package private protected public
return short static strictfp super switch synchronized this throw throws transient try void volatile while true false
null _
"""
JAVA_WORDS = frozenset(_JAVA_WORDS.split())
_KOTLIN_WORDS = """
as break class continue do else false for fun if in interface is null object package return super this throw true try
typealias typeof val var when while
"""
KOTLIN_WORDS = frozenset(_KOTLIN_WORDS.split())


def java_string(text: str) -> str:
    """A Java expression for the text."""
    pieces = [f'"{_escaped(piece, _java_char)}"' for piece in _pieces(text)]
    return pieces[0] if len(pieces) == 1 else f'String.join("", {", ".join(pieces)})'


def kotlin_string(text: str) -> str:
    """A Kotlin expression for the text; dollars are escaped, because they begin templates."""
    pieces = [f'"{_escaped(piece, _kotlin_char)}"' for piece in _pieces(text)]
    return pieces[0] if len(pieces) == 1 else f'listOf({", ".join(pieces)}).joinToString("")'


def python_string(text: str) -> str:
    """A Python literal for the text, in double quotes."""
    return f'"{_escaped(text, _python_char)}"'


def yaml_string(text: str) -> str:
    """The text as a double-quoted scalar of YAML, on one line."""
    # The escapes that are used here mean the same in YAML and in Python.
    return f'"{_escaped(text, _python_char)}"'


def java_pattern(text: str) -> str:
    """A Java regular expression that matches only this text."""
    return re.sub(r"[\\^$.|?*+()\[\]{}]", r"\\\g<0>", text)


def slash_comment(text: str) -> str:
    """A line comment of Java and Kotlin; backslashes are doubled, because Java reads \\u000a as a line end."""
    return "// " + text.replace("\\", "\\\\")


def hash_comment(text: str) -> str:
    """A line comment of Python, YAML and shells; it never ends in a backslash, which could join the next line."""
    return "# " + text.rstrip("\\")


def package_of(name: str, words: frozenset[str]) -> str:
    """The name as a package of Java or Kotlin, whose reserved words are given; empty if the name is not valid."""
    parts = name.split(".") if len(name) <= LONGEST_PACKAGE else [""]
    fine = all(re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", part) and part not in words for part in parts)
    return name if fine else ""


def _pieces(text: str) -> list[str]:
    return [text[start : start + PIECE] for start in range(0, len(text), PIECE)] or [""]


def _escaped(text: str, char_of: Callable[[str], str]) -> str:
    return "".join(_NAMED.get(char) or (char if char.isprintable() and char != "$" else char_of(char)) for char in text)


def _java_char(char: str) -> str:
    if char == "$":
        return char
    # Control characters in octal: Java replaces \u000a by a line end before it reads the literal.
    return f"\\{ord(char):03o}" if ord(char) < 32 else _utf16(char)


def _kotlin_char(char: str) -> str:
    return "\\$" if char == "$" else _utf16(char)


def _python_char(char: str) -> str:
    code = ord(char)
    if char == "$":
        return char
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"


def _utf16(char: str) -> str:
    """The character as one or two UTF-16 escapes."""
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
