"""Pictures with a tolerance and masks."""

from __future__ import annotations

import io

from PIL import Image, ImageDraw

from fewtaps.model.screen import Bounds
from fewtaps.pipeline.picture_check import picture_difference


def drawn(*boxes: tuple[int, int, int, int], grey: int = 255, size: tuple[int, int] = (200, 100)) -> bytes:
    """A picture of one grey with red boxes."""
    image = Image.new("RGB", size, (grey, grey, grey))
    for box in boxes:
        ImageDraw.Draw(image).rectangle(box, fill=(255, 0, 0))
    stream = io.BytesIO()
    image.save(stream, "PNG")
    return stream.getvalue()


def test_the_same_picture_does_not_differ() -> None:
    assert picture_difference(drawn((0, 0, 9, 9)), drawn((0, 0, 9, 9))) is None


def test_a_small_difference_of_all_colours_is_tolerated() -> None:
    assert picture_difference(drawn(grey=200), drawn(grey=210)) is None
    assert picture_difference(drawn(grey=200), drawn(grey=230)) == "100.0% of the pixels differ"


def test_a_few_pixels_are_tolerated_and_a_word_is_not() -> None:
    assert picture_difference(drawn(), drawn((0, 0, 3, 3))) is None
    assert picture_difference(drawn(), drawn((0, 0, 19, 9))) == "1.0% of the pixels differ"


def test_what_is_masked_is_not_compared() -> None:
    masks = [Bounds(0, 0, 20, 10)]
    assert picture_difference(drawn(), drawn((0, 0, 19, 9)), masks) is None
    assert picture_difference(drawn(), drawn((0, 0, 29, 9)), masks) is not None
    assert picture_difference(drawn(), drawn(), [Bounds(0, 0, 0, 0), Bounds(-5, -5, 900, 900)]) is None


def test_another_size_differs() -> None:
    words = picture_difference(drawn(), drawn(size=(100, 200)))
    assert words == "a picture of 100 by 200 pixels instead of 200 by 100"


def test_what_is_no_picture_differs() -> None:
    assert picture_difference(b"nonsense", drawn()) == "no picture that can be read"
    assert picture_difference(drawn(), drawn()[:60]) == "no picture that can be read"
