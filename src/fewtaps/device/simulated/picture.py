"""Draws a Screen as a PNG of plain rectangles that show the positions of widgets, without a drawing library."""

from __future__ import annotations

import struct
import zlib

from fewtaps.model.screen import Screen, Widget, WidgetFlags

_PALETTE = bytes.fromhex("fafafae0e0e090caf9ffffffa5d6a7616161")
_BACKGROUND, _PLAIN, _BUTTON, _FIELD, _CHECKED, _EDGE = range(6)


def draw_png(screen: Screen) -> bytes:
    """The screen as a PNG of its own size."""
    width, height = max(1, screen.width), max(1, screen.height)
    rows = [bytearray(width) for _ in range(height)]
    for window in reversed(screen.windows):
        for widget in (window.root, *window.root.children):
            _fill(rows, widget, width, height)
    pixels = b"".join(b"\0" + bytes(row) for row in rows)
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"PLTE", _PALETTE), (b"IDAT", zlib.compress(pixels, 1)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in chunks)


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def _fill(rows: list[bytearray], widget: Widget, width: int, height: int) -> None:
    left, top = max(0, widget.bounds.left), max(0, widget.bounds.top)
    right, bottom = min(width, widget.bounds.right), min(height, widget.bounds.bottom)
    if left >= right or top >= bottom:
        return
    edge = bytes([_EDGE]) * (right - left)
    line = bytes([_colour(widget)]) * (right - left)
    for y in range(top, bottom):
        rows[y][left:right] = edge if y in (top, bottom - 1) else line


def _colour(widget: Widget) -> int:
    if widget.flags & WidgetFlags.CHECKED:
        return _CHECKED
    if widget.flags & WidgetFlags.EDITABLE:
        return _FIELD
    if widget.flags & WidgetFlags.CLICKABLE:
        return _BUTTON
    return _PLAIN if widget.text else _BACKGROUND
