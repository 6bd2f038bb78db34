"""Markdown for the pages that are written by programs: tables, and prose wrapped at 120 columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

WIDTH = 120
FENCE = re.compile(r"\s*(```|~~~)")
ITEM = re.compile(r"(\s*)([-*+]|\d+[.)]) +(?=\S)")
ASIDE = re.compile(r"\s*(#|\||<!--|>)")
"""Begins a line that is kept as it is: a heading, a row of a table, a comment, a quotation."""
UNBROKEN = re.compile(r"`[^`]*`|\]\([^)]*\)|[^\s`\]]+|[`\]]")
"""Parts of a line within which no line ends: code, the target of a link, words."""
MARKUP = re.compile(r"([-+*=>|]|#+|\d+[.)])$")
"""Would mean something else at the beginning of a line."""


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A table, a line for each row."""
    return [f"| {' | '.join(cells)} |" for cells in (columns, ["---"] * len(columns), *rows)]


def wrap(text: str) -> str:
    """The same page with its paragraphs and list items wrapped. Code, tables and headings stay as they are."""
    return "\n".join(_wrapped(text.splitlines())).rstrip() + "\n"


def _wrapped(lines: Sequence[str]) -> Iterator[str]:
    paragraph: list[str] = []
    indent = fenced = ""
    in_list = False
    for line in (*lines, ""):
        fence = FENCE.match(line)
        item = None if fenced else ITEM.match(line)
        is_code = not paragraph and not in_list and line.startswith("    ")
        starts_new = fence or fenced or item or is_code or not line.strip() or ASIDE.match(line)
        if starts_new and paragraph:
            yield from _filled(paragraph, indent)
            paragraph = []
        if fence:
            fenced = "" if fenced and fence[1] == fenced else fenced or fence[1]
        if item:
            in_list, indent, paragraph = True, " " * item.end(), [line]
        elif starts_new:
            in_list = in_list and (not line.strip() or line.startswith(" "))
            yield line
        else:
            in_list = in_list and (bool(paragraph) or line.startswith(" "))
            indent = indent if paragraph else " " * (len(line) - len(line.lstrip()))
            paragraph.append(line)


def _filled(lines: Sequence[str], indent: str) -> Iterator[str]:
    """One paragraph or list item; lines after the first begin with the indent."""
    first = lines[0]
    item = ITEM.match(first)
    start = item.end() if item else len(first) - len(first.lstrip())
    prefix = first[:start]
    words = _words(" ".join([first[start:], *map(str.strip, lines[1:])]))
    line = prefix + words[0]
    for word in words[1:]:
        if len(line) + 1 + len(word) > WIDTH:
            yield line
            line = indent + word
        else:
            line = f"{line} {word}"
    yield line


def _words(text: str) -> list[str]:
    """What stands between the places where a line may end."""
    words: list[str] = []
    end = -1
    for part in UNBROKEN.finditer(text):
        if part.start() == end or (words and MARKUP.match(part[0]) and not text[part.end() : part.end() + 1].strip()):
            words[-1] += text[end : part.end()]
        else:
            words.append(part[0])
        end = part.end()
    return words
