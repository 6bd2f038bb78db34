"""Pictures in answers: small enough to be sent and read."""

from __future__ import annotations

import io

from fewtaps.errors import DeviceError

MOST_SIDE = 800
"""Pixels of the longer side of a picture at most."""
MOST_PIXELS = 40_000_000
"""A larger picture is not read: it comes from the process of the app, which is untrusted."""


def smaller(png: bytes) -> bytes:
    """The picture as a PNG whose longer side is at most `MOST_SIDE`. Raises DeviceError for what is no such picture."""
    from PIL import Image

    try:
        with Image.open(io.BytesIO(png), formats=("PNG",)) as image:
            if image.width * image.height > MOST_PIXELS:
                raise DeviceError(f"a picture of {image.width} by {image.height} pixels is too large")
            image.load()
            shown = image.convert("RGB")
    except (OSError, SyntaxError, ValueError) as error:
        raise DeviceError("the picture of the screen cannot be read") from error
    shown.thumbnail((MOST_SIDE, MOST_SIDE))
    content = io.BytesIO()
    shown.save(content, format="PNG", optimize=True)
    return content.getvalue()
