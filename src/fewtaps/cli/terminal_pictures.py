"""Pictures in terminals that can show them: what to write for each kind, and which kind a terminal is.

The kind is told by the environment alone: nothing is asked of the terminal, so none that does not know the question
prints it. Inside a multiplexer there are no pictures, because it does not pass them on.
"""

from __future__ import annotations

import base64
import fcntl
import io
import struct
import termios
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.Image import Image

MOST_PIXELS = 40_000_000
PIXELS_OF_A_ROW = 20
"""Pixels that a row of text is taken to be high where the terminal scales pictures itself."""
COLOURS = 64
_ESCAPE = "\x1b"
_CHUNK = 4096
# The number of the picture for kitty: a new one with the same number takes the place of the one before.
_NUMBER = 31


class Graphics(Enum):
    """A way of writing pictures to a terminal."""

    KITTY = "kitty"
    ITERM = "iterm"
    SIXEL = "sixel"


_PROGRAMS = {
    "iTerm.app": Graphics.ITERM,
    "WezTerm": Graphics.ITERM,
    "ghostty": Graphics.KITTY,
}
_TYPES = {
    "xterm-kitty": Graphics.KITTY,
    "xterm-ghostty": Graphics.KITTY,
    "foot": Graphics.SIXEL,
    "foot-extra": Graphics.SIXEL,
    "mlterm": Graphics.SIXEL,
    "contour": Graphics.SIXEL,
}


@dataclass(frozen=True, slots=True)
class PictureTerminal:
    """A terminal that can show pictures; `row_pixels` is how high a row of text is."""

    graphics: Graphics
    row_pixels: int

    def text(self, png: bytes, rows: int) -> str:
        """What shows a picture in so many rows, from the cursor on; empty for a picture that cannot be read."""
        picture = _scaled(png, rows * self.row_pixels)
        if picture is None:
            return ""
        match self.graphics:
            case Graphics.KITTY:
                return _kitty(_encoded(picture), rows)
            case Graphics.ITERM:
                return _iterm(_encoded(picture), rows)
            case Graphics.SIXEL:
                return _sixel(picture)

    @property
    def removal(self) -> str:
        """What removes the picture again, where erasing the text does not."""
        return f"{_ESCAPE}_Ga=d,d=I,i={_NUMBER},q=2{_ESCAPE}\\" if self.graphics is Graphics.KITTY else ""


def picture_terminal(environment: Mapping[str, str], descriptor: int) -> PictureTerminal | None:
    """The terminal behind a file descriptor, None if it shows no pictures or is not known to."""
    kind = environment.get("TERM", "")
    if "TMUX" in environment or "STY" in environment or kind.startswith(("tmux", "screen")):
        return None
    graphics = _TYPES.get(kind) or _PROGRAMS.get(environment.get("TERM_PROGRAM", ""))
    if graphics is None:
        return None
    if graphics is not Graphics.SIXEL:
        return PictureTerminal(graphics, PIXELS_OF_A_ROW)
    # Sixels are not scaled: without the size of a row a picture could be higher than its place.
    pixels = _row_pixels(descriptor)
    return PictureTerminal(graphics, pixels) if pixels else None


def _row_pixels(descriptor: int) -> int:
    """How many pixels high a row is, 0 if the terminal does not tell."""
    try:
        size = fcntl.ioctl(descriptor, termios.TIOCGWINSZ, bytes(8))
        rows, _, _, height = struct.unpack("HHHH", size)
    except OSError:
        return 0
    return height // rows if rows else 0


def _scaled(png: bytes, height: int) -> Image | None:
    """The picture in this height; it comes from the app's process, so only PNG of some size is read."""
    from PIL import Image

    try:
        with Image.open(io.BytesIO(png), formats=("PNG",)) as picture:
            if picture.width * picture.height > MOST_PIXELS:
                return None
            width = max(1, round(picture.width * height / max(1, picture.height)))
            return picture.convert("RGB").resize((width, height))
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None


def _encoded(picture: Image) -> str:
    stream = io.BytesIO()
    picture.save(stream, "PNG", compress_level=1)
    return base64.b64encode(stream.getvalue()).decode("ascii")


def _kitty(data: str, rows: int) -> str:
    chunks = [data[begin : begin + _CHUNK] for begin in range(0, len(data), _CHUNK)]
    parts = []
    for number, chunk in enumerate(chunks):
        keys = f"a=T,f=100,i={_NUMBER},p=1,r={rows},C=1,q=2," if number == 0 else ""
        parts.append(f"{_ESCAPE}_G{keys}m={int(number < len(chunks) - 1)};{chunk}{_ESCAPE}\\")
    return "".join(parts)


def _iterm(data: str, rows: int) -> str:
    return f"{_ESCAPE}]1337;File=inline=1;height={rows};preserveAspectRatio=1:{data}\x07"


def _sixel(picture: Image) -> str:
    """The picture in bands of six rows: for each colour of a band a letter for each column, the same ones counted."""
    indexed = picture.quantize(COLOURS)
    palette = indexed.getpalette() or []
    width, height = indexed.size
    pixels = indexed.tobytes()
    parts = [f'{_ESCAPE}P0;1;0q"1;1;{width};{height}']
    for number in range(len(palette) // 3):
        red, green, blue = (round(value * 100 / 255) for value in palette[3 * number : 3 * number + 3])
        parts.append(f"#{number};2;{red};{green};{blue}")
    for top in range(0, height, 6):
        band = [pixels[row * width : (row + 1) * width] for row in range(top, min(top + 6, height))]
        for colour in sorted(set().union(*band)):
            bits = [sum((row[column] == colour) << line for line, row in enumerate(band)) for column in range(width)]
            parts.append(f"#{colour}{_counted(bits)}$")
        parts.append("-")
    return "".join(parts) + f"{_ESCAPE}\\"


def _counted(bits: list[int]) -> str:
    parts: list[str] = []
    begin = 0
    for end in range(1, len(bits) + 1):
        if end == len(bits) or bits[end] != bits[begin]:
            letter, count = chr(63 + bits[begin]), end - begin
            parts.append(f"!{count}{letter}" if count > 3 else letter * count)
            begin = end
    return "".join(parts)
