"""Damages files: a content and a random generator give a content that differs in one to four places."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from random import Random

LARGEST = 2 << 20
"""Damaged contents are cut here, so that one case cannot take all the time."""

EXTREMES = (0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 2**63 - 1, 2**64 - 1)
NESTED = ((b"[", b"]"), (b'{"items":{}, "type":"array","x":', b"}"), (b"<a>", b"</a>"), (b"(", b")"))
"""Nested deeper than a reader may follow, though its parser does."""
NASTY = (
    b"\0",
    b"\xff\xfe",
    b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
    b"'\"<>&\\",
    b"\x1b]0;x\x07",
    b"../" * 40,
    b"[" * 2000,
    b'{"a":' * 2000,
    b"<a>" * 2000,
    *(opening * depth + closing * depth for depth in (300, 800, 950, 985) for opening, closing in NESTED),
    b"9" * 5000,
    b"a{99999999999999999999}",
    b"a/" * 3000,
    b"-1",
    b"1e999",
    b"NaN",
    b"null",
    b"\r\n\r\n",
    "\N{RIGHT-TO-LEFT OVERRIDE}\N{ZERO WIDTH SPACE}".encode(),
)


def damaged(content: bytes, random: Random) -> bytes:
    """The content with one to four damages."""
    for _ in range(random.randint(1, 4)):
        content = random.choice(DAMAGES)(content, random)[:LARGEST]
    return content


def _span(content: bytes, random: Random) -> tuple[int, int]:
    first = random.randrange(len(content) + 1)
    return first, min(len(content), first + random.choice((1, 2, 4, 16, 100, 5000)))


def _flip(content: bytes, random: Random) -> bytes:
    if not content:
        return content
    at = random.randrange(len(content))
    return content[:at] + bytes([content[at] ^ 1 << random.randrange(8)]) + content[at + 1 :]


def _number(content: bytes, random: Random) -> bytes:
    """Overwrites a binary number by an extreme one; many formats align theirs to four bytes."""
    width = random.choice((1, 2, 4, 4, 4, 8))
    at = random.randrange(max(1, len(content) - width)) // width * width
    value = random.choice(EXTREMES) & (256**width - 1)
    return content[:at] + struct.pack("<Q", value)[:width] + content[at + width :]


def _cut(content: bytes, random: Random) -> bytes:
    first, last = _span(content, random)
    return content[:first] + content[last:]


def _truncate(content: bytes, random: Random) -> bytes:
    return content[: random.randrange(len(content) + 1)]


def _repeat(content: bytes, random: Random) -> bytes:
    first, last = _span(content, random)
    return content[:last] + content[first:last] * random.choice((1, 2, 50)) + content[last:]


def _move(content: bytes, random: Random) -> bytes:
    first, last = _span(content, random)
    rest = content[:first] + content[last:]
    at = random.randrange(len(rest) + 1)
    return rest[:at] + content[first:last] + rest[at:]


def _insert(content: bytes, random: Random) -> bytes:
    at = random.randrange(len(content) + 1)
    return content[:at] + random.choice(NASTY) + content[at:]


def _digits(content: bytes, random: Random) -> bytes:
    """Replaces a written number by another."""
    found = list(re.finditer(rb"\d+", content[:100_000]))
    if not found:
        return _insert(content, random)
    match = random.choice(found)
    value = random.choice((b"-1", b"9" * 400, b"1e400", b"0.5", str(random.choice(EXTREMES)).encode(), b'"x"', b"[]"))
    return content[: match.start()] + value + content[match.end() :]


def _token(content: bytes, random: Random) -> bytes:
    """Removes one character that gives the text its structure."""
    found = list(re.finditer(rb"[\"'{}\[\]<>(),:;=\n]", content[:100_000]))
    if not found:
        return _cut(content, random)
    at = random.choice(found).start()
    return content[:at] + random.choice((b"", b"\n", b"{", b"]", b'"')) + content[at + 1 :]


def _zeros(content: bytes, random: Random) -> bytes:
    return content + bytes(random.choice((1, 7, 100_000)))


DAMAGES: tuple[Callable[[bytes, Random], bytes], ...] = (
    _flip,
    _number,
    _number,
    _cut,
    _truncate,
    _repeat,
    _move,
    _insert,
    _digits,
    _token,
    _zeros,
)
