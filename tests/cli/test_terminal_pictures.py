"""Pictures in terminals: which kind a terminal is, and what is written to it."""

from __future__ import annotations

import base64
import io
import os
import re

import pytest
from PIL import Image

from fewtaps.cli.live import PICTURE_ROWS, LiveView
from fewtaps.cli.terminal import Terminal
from fewtaps.cli.terminal_pictures import Graphics, PictureTerminal, picture_terminal
from fewtaps.model.event import Tap
from fewtaps.model.trace import Step
from fewtaps.pipeline.news import PictureTaken, StepSeen

NO_TERMINAL = os.open(os.devnull, os.O_RDONLY)


def png(width: int = 40, height: int = 80) -> bytes:
    stream = io.BytesIO()
    picture = Image.new("RGB", (width, height), "red")
    picture.paste("blue", (0, 0, width, height // 2))
    picture.save(stream, "PNG")
    return stream.getvalue()


@pytest.mark.parametrize(
    ("environment", "graphics"),
    [
        ({"TERM": "xterm-kitty"}, Graphics.KITTY),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"}, Graphics.ITERM),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, Graphics.ITERM),
        ({"TERM": "xterm-ghostty"}, Graphics.KITTY),
    ],
)
def test_a_terminal_that_shows_pictures_is_known_by_its_environment(
    environment: dict[str, str], graphics: Graphics
) -> None:
    found = picture_terminal(environment, NO_TERMINAL)
    assert found is not None and found.graphics is graphics


@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"TERM": "dumb"},
        {"TERM": "xterm-256color"},
        {"TERM": "linux"},
        {"TERM": "xterm-256color", "TERM_PROGRAM": "Apple_Terminal"},
        # A multiplexer inside of a terminal that could.
        {"TERM": "tmux-256color", "TERM_PROGRAM": "iTerm.app"},
        {"TERM": "screen", "TERM_PROGRAM": "WezTerm"},
        {"TERM": "xterm-kitty", "TMUX": "/tmp/tmux-0/default,1,0"},
        # Without the size of a row in pixels a picture of sixels could be higher than its place.
        {"TERM": "foot"},
    ],
)
def test_no_other_terminal_is_sent_pictures(environment: dict[str, str]) -> None:
    assert picture_terminal(environment, NO_TERMINAL) is None


def test_kitty_gets_a_png_in_chunks_that_does_not_move_the_cursor() -> None:
    text = PictureTerminal(Graphics.KITTY, 20).text(png(), 4)
    chunks = re.findall(r"\x1b_G([^;]*);([^\x1b]*)\x1b\\", text)
    assert "".join(f"\x1b_G{keys};{data}\x1b\\" for keys, data in chunks) == text
    assert "C=1" in chunks[0][0] and "r=4" in chunks[0][0] and chunks[-1][0].endswith("m=0")
    picture = Image.open(io.BytesIO(base64.b64decode("".join(data for _, data in chunks))))
    assert picture.size == (40, 80)


def test_iterm_gets_a_png_of_so_many_rows() -> None:
    found = re.fullmatch(
        r"\x1b\]1337;File=inline=1;height=4;preserveAspectRatio=1:([A-Za-z0-9+/=]*)\x07",
        PictureTerminal(Graphics.ITERM, 20).text(png(400, 800), 4),
    )
    assert found is not None
    assert Image.open(io.BytesIO(base64.b64decode(found[1]))).size == (40, 80)


def test_sixels_have_the_picture_and_are_no_higher_than_its_place() -> None:
    text = PictureTerminal(Graphics.SIXEL, 3).text(png(10, 12), 4)
    head, body = re.fullmatch(r"\x1bP0;1;0q\"1;1;(\d+;\d+)(.*)\x1b\\", text).groups()  # type: ignore[union-attr]
    assert head == "10;12"
    colours = {
        int(number): tuple(map(int, values.split(";")))
        for number, values in re.findall(r"#(\d+);2;(\d+;\d+;\d+)", body)
    }
    bands = re.sub(r"#\d+;2;\d+;\d+;\d+", "", body).split("-")[:-1]
    rows = [colour for band in bands for colour in [pixels_of(band, colours)]]
    assert rows == [{(0, 0, 100): 60}, {(100, 0, 0): 60}]


def pixels_of(band: str, colours: dict[int, tuple[int, ...]]) -> dict[tuple[int, ...], int]:
    """How many pixels of each colour a band of six rows has."""
    found: dict[tuple[int, ...], int] = {}
    for number, letters in re.findall(r"#(\d+)([^#$]*)\$", band):
        for count, letter in re.findall(r"(?:!(\d+))?([?-~])", letters):
            pixels = (ord(letter) - 63).bit_count() * int(count or 1)
            if pixels:
                found[colours[int(number)]] = found.get(colours[int(number)], 0) + pixels
    return found


@pytest.mark.parametrize("data", [b"", b"GIF89a", png()[:60], b"\x1b]0;title\x07"])
def test_what_is_no_picture_is_not_written(data: bytes) -> None:
    assert PictureTerminal(Graphics.ITERM, 20).text(data, 4) == ""


def test_the_live_view_shows_the_last_picture_in_rows_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    view = LiveView(Terminal())
    view._pictures = PictureTerminal(Graphics.ITERM, 20)
    view(StepSeen(Step(Tap(1, 1))))
    view(PictureTaken(png()))
    console = view.terminal.console
    monkeypatch.setattr(type(console), "height", 40)
    lines = console.render_lines(view.draw(), console.options, pad=False)
    commands = [segment.text for line in lines for segment in line if segment.control]
    assert len(commands) == 1 and commands[0].startswith(f"\x1b7\x1b[{PICTURE_ROWS}A\r\x1b]1337;")
    assert [segment.text for segment in lines[-1] if not segment.control] == []
    blank = [line for line in lines if not any(segment.text.strip() for segment in line)]
    assert len(blank) == PICTURE_ROWS
    monkeypatch.setattr(type(console), "height", 20)
    lines = console.render_lines(view.draw(), console.options, pad=False)
    assert not any(segment.control for line in lines for segment in line)
