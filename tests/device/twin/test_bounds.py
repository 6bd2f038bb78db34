"""Replies that would fill the memory of their reader are refused, and those of a large honest app are not."""

from __future__ import annotations

import base64
import io
import json
import struct
from typing import Any

import pytest
from fuzz.replies import CRASH, FRAMES, SCREEN, STEP, WIDGET, WINDOW
from PIL import Image

from fewtaps.device.twin.bounds import MOST_REMEMBERED, parts_of
from fewtaps.device.twin.protocol import SeenScreens, parse_played, parse_png
from fewtaps.errors import BridgeError
from fewtaps.model.event import Tap
from fewtaps.model.screen import UNSEEN


def played(seen: SeenScreens | None = None, **fields: Any) -> None:
    parse_played({**STEP, **fields}, Tap(1, 2), UNSEEN, SeenScreens() if seen is None else seen)


def chain(count: int, **fields: Any) -> dict[str, Any]:
    return {**CRASH, "exceptions": [{"type": "x.Y", "message": "m", "frames": FRAMES, **fields}] * count}


@pytest.mark.slow
@pytest.mark.parametrize(
    "fields",
    [
        {"log": ["x"] * 1001},
        {"log": ["x" * 100_001]},
        {"log": ["x" * 99_999] * 100},
        {"notes": ["x"] * 1001},
        {"crash": chain(201)},
        {"crash": chain(1, frames=FRAMES * 100_001)},
        {"crash": chain(1, message="x" * 100_001)},
        {"crash": chain(1, frames=[["x" * 100_001, "c", None, 1]])},
        {"crash": {**CRASH, "thread": "x" * 100_001}},
    ],
    ids=lambda fields: next(iter(fields)),
)
def test_a_step_of_too_many_or_too_long_texts_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(BridgeError, match="malformed step"):
        played(**fields)


def test_a_step_of_a_large_honest_app_is_read() -> None:
    played(log=["x" * 20_000] * 201, notes=["x" * 20_000] * 50, crash=chain(50, frames=FRAMES * 1024))


def screen(title: str) -> dict[str, Any]:
    return {**SCREEN, "windows": [{**WINDOW, "title": title}]}


def test_screens_are_remembered_up_to_a_limit_that_is_beyond_the_bridges_own() -> None:
    seen = SeenScreens()
    for number in range(4):
        played(seen, screen=screen(f"{number}" * (1 << 20)), number=number)
    with pytest.raises(BridgeError, match="screens to remember"):
        for number in range(4, 10):
            played(seen, screen=screen(f"{number}" * (1 << 20)), number=number)
    # The bridge sends one that is larger than all it remembers as the first of a new count.
    played(seen, screen=screen("x" * (MOST_REMEMBERED + 1)), number=0)
    assert len(seen) == 1
    played(seen, screen=screen("y"), number=0)
    played(seen, screen=screen("z"), number=1)


@pytest.mark.slow
def test_empty_widgets_count_for_more_than_their_characters() -> None:
    seen = SeenScreens()
    crowded = {**SCREEN, "windows": [{**WINDOW, "root": {**WIDGET, "children": [{}] * 100_000}}]}
    with pytest.raises(BridgeError, match="screens to remember"):
        for number in range(3):
            played(seen, screen={**crowded, "width": number}, number=number)


@pytest.mark.parametrize("content", ["[]", "7", '""', "{}", '{"a":1}', "1.5", "[[300]]"])
def test_every_part_of_a_line_is_counted(content: str) -> None:
    line = ("[" + ",".join([content] * 1000) + "]").encode()
    assert parts_of(line) >= 1000 * max(1, content.count("[") + content.count("{"))
    assert len(json.loads(line)) == 1000


def png(width: int, height: int) -> str:
    stream = io.BytesIO()
    Image.new("RGB", (2, 2)).save(stream, "PNG")
    content = bytearray(stream.getvalue())
    struct.pack_into(">II", content, 16, width, height)
    return base64.b64encode(bytes(content)).decode()


def test_a_picture_is_a_png_of_the_size_of_a_screen() -> None:
    assert parse_png({"png": png(720, 1280)}).startswith(b"\x89PNG")
    for content in (png(0, 5), png(100_000, 100_000), "JSFQUy1BZG9iZS0zLjAK", "", "iVBORw0KGgo="):
        with pytest.raises(BridgeError, match="malformed picture"):
            parse_png({"png": content})
