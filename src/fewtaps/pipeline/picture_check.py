"""Compares two pictures of a screen, with a tolerance and without the places that are masked."""

from __future__ import annotations

import io
from collections.abc import Iterable

from PIL import Image, ImageChops, ImageDraw

from fewtaps.model.screen import Bounds

CHANNEL_TOLERANCE = 16
"""A pixel differs if red, green or blue differ by more than this, of 255: rounding at edges of letters is less."""
SHARE_TOLERANCE = 0.001
"""Pictures differ if more than this share of their pixels does: 0.1 % is about one word."""
MOST_PIXELS = 40_000_000


def picture_difference(expected: bytes, seen: bytes, masks: Iterable[Bounds] = ()) -> str | None:
    """How a picture differs from the expected one, as a few words; None if they are the same within the tolerance."""
    one, other = _opened(expected), _opened(seen)
    if one is None or other is None:
        return "no picture that can be read"
    if one.size != other.size:
        return f"a picture of {other.width} by {other.height} pixels instead of {one.width} by {one.height}"
    for image in (one, other):
        draw = ImageDraw.Draw(image)
        for mask in masks:
            if mask.width > 0 and mask.height > 0:
                draw.rectangle((mask.left, mask.top, mask.right - 1, mask.bottom - 1), fill=(0, 0, 0))
    red, green, blue = ImageChops.difference(one, other).split()
    most = ImageChops.lighter(ImageChops.lighter(red, green), blue)
    share = sum(most.histogram()[CHANNEL_TOLERANCE + 1 :]) / (one.width * one.height)
    return f"{share:.1%} of the pixels differ" if share > SHARE_TOLERANCE else None


def _opened(png: bytes) -> Image.Image | None:
    """The picture in three colours; None if it is none, or too large for a screen."""
    try:
        with Image.open(io.BytesIO(png), formats=("PNG",)) as image:
            if image.width * image.height > MOST_PIXELS or not image.width * image.height:
                return None
            return image.convert("RGB")
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError):
        return None
