"""Reads the pixels of the twin's pictures, which are PNG files of eight bits a channel."""

from __future__ import annotations

import struct
import zlib

from fewtaps.model.screen import Bounds

Pixel = tuple[int, ...]


def pixels(png: bytes, bounds: Bounds) -> list[Pixel]:
    """The red, green and blue of every pixel inside the rectangle, row by row."""
    width, _, depth, colours = struct.unpack(">IIBB", png[16:26])
    size = {2: 3, 6: 4}[colours]
    assert depth == 8
    packed = zlib.decompress(_data(png))
    row = bytearray(width * size)
    found: list[Pixel] = []
    for y in range(bounds.bottom):
        start = y * (len(row) + 1)
        row = _unfiltered(packed[start], packed[start + 1 : start + 1 + len(row)], row, size)
        if y >= bounds.top:
            found += [tuple(row[x * size : x * size + 3]) for x in range(bounds.left, bounds.right)]
    return found


def far_apart(one: list[Pixel], other: list[Pixel], *, least: int = 64) -> int:
    """How many pixels differ so much, in some channel, that a user would see it."""
    return sum(
        max(abs(a - b) for a, b in zip(left, right, strict=True)) >= least
        for left, right in zip(one, other, strict=True)
    )


def _data(png: bytes) -> bytes:
    at, parts = 8, []
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        if png[at + 4 : at + 8] == b"IDAT":
            parts.append(png[at + 8 : at + 8 + length])
        at += 12 + length
    return b"".join(parts)


def _unfiltered(kind: int, line: bytes, above: bytearray, size: int) -> bytearray:
    """The PNG specification, part 9: each byte is written as its difference from a guess."""
    row = bytearray(line)
    if kind == 0:
        return row
    for x, byte in enumerate(line):
        left = row[x - size] if x >= size else 0
        corner = above[x - size] if x >= size else 0
        guess = (0, left, above[x], (left + above[x]) // 2, _paeth(left, above[x], corner))[kind]
        row[x] = (byte + guess) & 255
    return row


def _paeth(left: int, above: int, corner: int) -> int:
    plain = left + above - corner
    return min((left, above, corner), key=lambda value: abs(plain - value))
