"""The pictures of a report: small copies of the project's pictures, made on demand, or wireframes where there is none.

Pillow makes the copies. Pictures come from the process of the untrusted app, so only PNG is read, with a limit on the
number of pixels.
"""

from __future__ import annotations

import io
import os
import shutil
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Protocol

from PIL import Image

from fewtaps.errors import NotFound, StoreError
from fewtaps.report.views import Picture
from fewtaps.report.wireframe import draw_screen

FOLDER = "pictures"
MOST_PIXELS = 40_000_000


class Size(Enum):
    """The size of a copy: its letter in the file's name, its width in pixels, and WebP's quality."""

    SMALL = ("s", 200, 72)
    MEDIUM = ("m", 480, 80)


@dataclass(frozen=True, slots=True)
class Shown:
    """A picture as a page shows it: its address and its size in pixels of the screen."""

    address: str
    width: int
    height: int


class PictureSource(Protocol):
    """Where pictures come from."""

    def load(self, name: str) -> bytes:
        """The PNG of this name. Raises NotFound or StoreError if it is missing or damaged."""


class Thumbnails:
    """Makes the pictures of a report in its folder; files that an earlier report has are reused."""

    def __init__(self, pictures: PictureSource | None, folder: Path, earlier: Path | None = None) -> None:
        """Without a source of pictures, every screen is drawn."""
        self._pictures = pictures
        self._folder = folder / FOLDER
        self._earlier = earlier / FOLDER if earlier is not None else None
        self._made: dict[str, bool] = {}
        self.missing: set[str] = set()
        """The names of pictures that are missing or damaged."""

    @property
    def has_pictures(self) -> bool:
        """Whether pictures of the app are shown where there are some."""
        return self._pictures is not None

    def show(self, picture: Picture, size: Size) -> Shown:
        """The picture in this size; a wireframe if it is missing or damaged."""
        width, height = picture.screen.width, picture.screen.height
        if self._pictures is not None and picture.name is not None and picture.name not in self.missing:
            file = f"{picture.name[:20]}-{size.value[0]}.webp"
            if self._has(file) or self._copy(self._pictures, picture.name, file, size):
                return Shown(f"{FOLDER}/{file}", width, height)
        file = f"{picture.screen.digest()[:20]}.svg"
        if not self._has(file):
            self._write(file, draw_screen(picture.screen))
        return Shown(f"{FOLDER}/{file}", width, height)

    def _has(self, file: str) -> bool:
        """Whether the file exists, or could be reused from the earlier report."""
        if file not in self._made:
            self._made[file] = self._take_over(file)
        return self._made[file]

    def _take_over(self, file: str) -> bool:
        if self._earlier is None or self._earlier.is_symlink():
            return False
        if not (self._earlier / file).is_file() or (self._earlier / file).is_symlink():
            return False
        self._folder.mkdir(exist_ok=True)
        try:
            os.link(self._earlier / file, self._folder / file)
        except OSError:
            # Hard links fail on some file systems, and always between two of them.
            shutil.copyfile(self._earlier / file, self._folder / file)
        return True

    def _copy(self, pictures: PictureSource, name: str, file: str, size: Size) -> bool:
        try:
            self._write(file, small_copy(pictures.load(name), size))
        except (NotFound, StoreError, ValueError):
            self.missing.add(name)
            return False
        return True

    def _write(self, file: str, content: bytes) -> None:
        self._folder.mkdir(exist_ok=True)
        (self._folder / file).write_bytes(content)
        self._made[file] = True


def small_copy(png: bytes, size: Size) -> bytes:
    """A PNG as a WebP picture of at most the size's width. Raises ValueError if it is not a valid picture."""
    _, width, quality = size.value
    try:
        with Image.open(io.BytesIO(png), formats=("PNG",)) as image:
            if image.width * image.height > MOST_PIXELS:
                raise ValueError(f"too large for a screen: {image.width} by {image.height}")
            plain = image.convert("RGB")
    except (OSError, SyntaxError, Image.DecompressionBombError) as error:
        raise ValueError(f"not a picture: {error}") from error
    if plain.width > width:
        height = max(1, round(plain.height * width / plain.width))
        plain = plain.resize((width, height), Image.Resampling.LANCZOS, reducing_gap=1.1)
    target = io.BytesIO()
    plain.save(target, "WEBP", quality=quality, method=2)
    return target.getvalue()
