from __future__ import annotations

import io
import struct
import xml.etree.ElementTree as ET
import zlib
from pathlib import Path

import pytest
from builders import screens
from hypothesis import given
from PIL import Image
from projects import make_project, page

from fewtaps.device.simulated.picture import draw_png
from fewtaps.model.screen import Screen
from fewtaps.pipeline.reporting import write_report
from fewtaps.report.thumbnails import Size, Thumbnails, small_copy
from fewtaps.report.views import Picture
from fewtaps.report.wireframe import draw_screen
from fewtaps.store.pictures import Pictures


def test_a_copy_is_small_and_keeps_its_shape() -> None:
    png = draw_png(Screen("a", None, 720, 1280))
    with Image.open(io.BytesIO(small_copy(png, Size.SMALL))) as image:
        assert (image.format, image.size) == ("WEBP", (200, 356))


def test_a_picture_that_is_small_already_is_not_blown_up() -> None:
    with Image.open(io.BytesIO(small_copy(draw_png(page("Home")), Size.MEDIUM))) as image:
        assert image.size == (100, 200)


@pytest.mark.parametrize("content", [b"", b"not a picture", b"\x89PNG\r\n\x1a\n", draw_png(page("Home"))[:90]])
def test_what_is_no_picture_is_refused(content: bytes) -> None:
    with pytest.raises(ValueError, match="not a picture"):
        small_copy(content, Size.SMALL)


def test_a_picture_larger_than_any_screen_is_refused_before_it_is_unpacked() -> None:
    header = struct.pack(">IIBBBBB", 9000, 9000, 8, 0, 0, 0, 0)
    bomb = b"\x89PNG\r\n\x1a\n"
    for name, data in ((b"IHDR", header), (b"IDAT", zlib.compress(b"")), (b"IEND", b"")):
        bomb += struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    with pytest.raises(ValueError, match="too large for a screen"):
        small_copy(bomb, Size.SMALL)


def test_a_missing_or_damaged_picture_is_drawn_instead(tmp_path: Path) -> None:
    pictures = Pictures(tmp_path)
    damaged = pictures.save(b"something else")
    shown = Thumbnails(pictures, tmp_path)
    for name in ("0" * 64, damaged, None):
        address = shown.show(Picture(name, page("Home")), Size.SMALL).address
        assert b">Home<" in (tmp_path / address).read_bytes()
    assert shown.missing == {"0" * 64, damaged}


def test_a_report_without_its_pictures_is_whole_and_says_so(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    for picture in (make_project(tmp_path) / "pictures").iterdir():
        picture.unlink()
    write_report(tmp_path)
    assert "pictures missing or damaged: 1; those screens are drawn" in caplog.text
    assert {path.suffix for path in (tmp_path / "report" / "pictures").iterdir()} == {".svg"}


def test_the_next_report_takes_over_the_pictures_of_the_last(tmp_path: Path) -> None:
    write_report(make_project(tmp_path))
    before = {path.name: path.stat().st_ino for path in (tmp_path / "report" / "pictures").iterdir()}
    write_report(tmp_path)
    assert before == {path.name: path.stat().st_ino for path in (tmp_path / "report" / "pictures").iterdir()}


@pytest.mark.parametrize("whole", [True, False], ids=["folder", "file"])
def test_links_in_the_last_report_are_replaced_by_files(tmp_path: Path, whole: bool) -> None:
    write_report(make_project(tmp_path / "project"))
    pictures, outside = tmp_path / "project" / "report" / "pictures", tmp_path / "outside"
    before = {path.name: path.read_bytes() for path in pictures.iterdir()}
    if whole:
        pictures.rename(outside)
        pictures.symlink_to(outside)
        planted = outside
    else:
        planted = pictures
    for number, path in enumerate(sorted(planted.iterdir())):
        path.unlink()
        (tmp_path / f"secret-{number}").write_text("secret")
        path.symlink_to(tmp_path / f"secret-{number}")
    write_report(tmp_path / "project")
    assert not any(path.is_symlink() for path in (tmp_path / "project" / "report").rglob("*"))
    assert {path.name: path.read_bytes() for path in pictures.iterdir()} == before


def test_where_there_are_no_links_pictures_are_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise OSError("no links here")

    write_report(make_project(tmp_path))
    before = {path.name: path.read_bytes() for path in (tmp_path / "report" / "pictures").iterdir()}
    monkeypatch.setattr("os.link", refused)
    write_report(tmp_path)
    assert before == {path.name: path.read_bytes() for path in (tmp_path / "report" / "pictures").iterdir()}


@given(screens)
def test_every_screen_can_be_drawn(shown: Screen) -> None:
    ET.fromstring(draw_screen(shown))
