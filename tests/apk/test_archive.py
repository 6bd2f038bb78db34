"""The ZIP file around an app is read as Android reads it, and within limits."""

from __future__ import annotations

import io
import os
import struct
import zipfile
from pathlib import Path

import pytest
from apk_parts import write_zip

from fewtaps.apk import archive
from fewtaps.apk.archive import MEBIBYTE, Archive, open_archive, read_directory
from fewtaps.errors import ApkError, UsageError


def packed(*entries: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as writer:
        for name, content in entries:
            writer.writestr(name, content)
    return stream.getvalue()


def opened(content: bytes) -> Archive:
    return read_directory(io.BytesIO(content), "app.apk")


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_entries_are_read_whether_packed_or_stored(method: int) -> None:
    found = opened(packed(("a", b"x" * 1000), ("dir/b", b"y"), method=method))
    assert found.names == ("a", "dir/b")
    assert "a" in found and "c" not in found
    assert (found.size("a"), found.read("a", 1000), found.read("dir/b", 1)) == (1000, b"x" * 1000, b"y")


def test_names_are_utf8_also_where_the_archive_does_not_say_so() -> None:
    content = bytearray(packed(("res/\u06df.xml", b"1"), ("res/plain", b"2")))
    for magic, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(magic) + offset + 1] &= 0xF7
    found = opened(bytes(content))
    assert found.names == ("res/\u06df.xml", "res/plain")
    assert found.read("res/\u06df.xml", 1) == b"1"
    no_text = content.replace("\u06df".encode(), b"\xff\xfe")
    assert opened(bytes(no_text)).read("res/\xa0\u25a0.xml", 1) == b"1"


def test_backslashes_and_leading_slashes_in_names_are_normalised() -> None:
    content = packed(("resxdrawable", b"1"), ("xassets", b"2"))
    content = content.replace(b"resxdrawable", b"res\\drawable").replace(b"xassets", b"/assets")
    assert opened(content).names == ("res/drawable", "assets")


def test_of_two_entries_with_one_name_the_first_is_taken() -> None:
    content = packed(("aa", b"first"), ("bb", b"second")).replace(b"bb", b"aa")
    assert opened(content).read("aa", 10) == b"first"


def test_an_entry_beyond_the_callers_limit_is_refused() -> None:
    with pytest.raises(ApkError, match="a is 1000 bytes long, more than the limit of 999"):
        opened(packed(("a", b"x" * 1000))).read("a", 999)


def test_a_damaged_entry_is_refused() -> None:
    content = bytearray(packed(("a", b"x" * 1000)))
    content[30 + len("a")] = 0xFF  # The first byte after the local header: a block type that deflate does not have.
    with pytest.raises(ApkError, match=r"app\.apk: a is damaged"):
        opened(bytes(content)).read("a", 1000)


def test_an_entry_that_is_not_where_the_directory_says_is_refused() -> None:
    content = packed(("a", b"x")).replace(b"PK\x03\x04", b"PK\x09\x09")
    with pytest.raises(ApkError, match="not where the directory says"):
        opened(content).read("a", 1)


def test_too_many_entries_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    content = packed(("a", b""), ("b", b""), ("c", b""))
    monkeypatch.setattr(archive, "MOST_ENTRIES", 3)
    assert len(opened(content).names) == 3
    monkeypatch.setattr(archive, "MOST_ENTRIES", 2)
    with pytest.raises(ApkError, match="refused: 3 files inside, more than 2"):
        opened(content)


def test_too_large_a_total_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MOST_BYTES", 2 * MEBIBYTE)
    with pytest.raises(ApkError, match="would unpack to 3 MB, more than 2"):
        opened(packed(("a", bytes(3 * MEBIBYTE))))


def test_a_high_ratio_is_refused_only_beyond_the_harmless_size(monkeypatch: pytest.MonkeyPatch) -> None:
    content = packed(("a", bytes(MEBIBYTE)))
    assert opened(content).size("a") == MEBIBYTE
    monkeypatch.setattr(archive, "HARMLESS_BYTES", MEBIBYTE - 1)
    with pytest.raises(ApkError, match="times its size"):
        opened(content)


def test_a_named_pipe_is_refused_without_waiting_for_its_writer(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(UsageError, match="is not an ordinary file"), open_archive(pipe):
        pass


def test_an_entry_that_is_longer_than_it_claims_is_not_unpacked(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "a.apk", {"a": bytes(1 << 20)})
    content = bytearray(path.read_bytes())
    central = content.index(b"PK\x01\x02")
    content[central + 24 : central + 28] = (10).to_bytes(4, "little")
    path.write_bytes(content)
    with open_archive(path) as opened, pytest.raises(ApkError, match="more than the 10 bytes it claims"):
        opened.read("a", 1 << 30)


@pytest.mark.slow
def test_stored_entries_that_overlap_are_a_bomb_whatever_they_claim(tmp_path: Path) -> None:
    path = tmp_path / "a.apk"
    with zipfile.ZipFile(path, "w") as writer:
        writer.writestr("a", bytes(60 << 20))
        for number in range(3):
            writer.writestr(f"b{number}", b"")
    content = path.read_bytes()
    at = content.index(b"PK\x01\x02")
    end = content.index(b"PK\x05\x06")
    directory = bytearray(content[at:end])
    place = 0
    while (place := directory.find(b"PK\x01\x02", place)) >= 0:
        directory[place + 20 : place + 28] = struct.pack("<II", 60 << 20, 0)
        place += 4
    path.write_bytes(content[:at] + directory + content[end:])
    with pytest.raises(ApkError, match="overlap"), open_archive(path):
        pass
