"""Names of entries that are UTF-8 without saying so."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from fewtaps.apk.entry_names import mark_names_as_utf8

NAMES = ["AndroidManifest.xml", "res/\u06df.xml", "res/é", "res/plain.xml"]
UTF8 = 1 << 11


def archive(path: Path, flagged: bool) -> Path:
    """An archive with these names, with or without the flag."""
    with zipfile.ZipFile(path, "w") as out:
        for name in NAMES:
            out.writestr(name, name)
    content = bytearray(path.read_bytes())
    if not flagged:
        for magic, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
            at = -1
            while (at := content.find(magic, at + 1)) >= 0:
                content[at + offset + 1] &= 0xF7
        path.write_bytes(content)
    return path


def names_in(path: Path) -> list[str]:
    with zipfile.ZipFile(path) as file:
        return file.namelist()


def test_names_without_the_flag_are_read_as_utf8_after_it(tmp_path: Path) -> None:
    apk = archive(tmp_path / "app.apk", flagged=False)
    assert names_in(apk) != NAMES
    assert mark_names_as_utf8(apk) == 2
    with zipfile.ZipFile(apk) as file:
        assert file.namelist() == NAMES
        # Reading compares the name of the directory with the one before the content.
        assert [file.read(name).decode() for name in NAMES] == NAMES
        assert [bool(info.flag_bits & UTF8) for info in file.infolist()] == [False, True, True, False]


def test_an_archive_that_says_so_is_not_changed(tmp_path: Path) -> None:
    apk = archive(tmp_path / "app.apk", flagged=True)
    before = apk.read_bytes()
    assert mark_names_as_utf8(apk) == 0
    assert apk.read_bytes() == before


def test_names_in_another_encoding_are_left(tmp_path: Path) -> None:
    apk = archive(tmp_path / "app.apk", flagged=False)
    apk.write_bytes(apk.read_bytes().replace("é".encode(), b"\xe9\xe9"))
    assert mark_names_as_utf8(apk) == 1


@pytest.mark.parametrize("cut", [0, 1, 21, 40, 80, 150])
def test_damaged_archives_are_left_to_their_reader(tmp_path: Path, cut: int) -> None:
    whole = archive(tmp_path / "app.apk", flagged=False).read_bytes()
    for name, content in (("head", whole[:cut]), ("tail", whole[len(whole) - cut :])):
        path = tmp_path / name
        path.write_bytes(content)
        mark_names_as_utf8(path)
        with pytest.raises(zipfile.BadZipFile):
            zipfile.ZipFile(io.BytesIO(path.read_bytes()))
