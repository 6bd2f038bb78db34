"""Files of other tools are read within limits, and what is wrong is named by file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from fewtaps.errors import UsageError
from fewtaps.formats import source
from fewtaps.formats.source import numbered_lines, read_whole


def test_lines_are_numbered_from_one_without_their_ends(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"one\r\ntwo\n\nfour")
    assert list(numbered_lines(path)) == [(1, "one"), (2, "two"), (3, ""), (4, "four")]


def test_bytes_of_another_encoding_do_not_stop_the_reading(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"caf\xe9\n:Sending\n")
    assert list(numbered_lines(path)) == [(1, "caf\ufffd"), (2, ":Sending")]


def test_a_binary_file_is_refused_by_its_line(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"one\ntwo\0\n")
    with pytest.raises(UsageError, match="line 2: not text"):
        list(numbered_lines(path))


def test_a_line_and_a_file_beyond_the_limits_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"x" * 30 + b"\n" + b"y" * 30 + b"\n")
    monkeypatch.setattr(source, "MAX_LINE_BYTES", 29)
    with pytest.raises(UsageError, match="line 1: longer than"):
        list(numbered_lines(path))
    monkeypatch.setattr(source, "MAX_LINE_BYTES", 100)
    monkeypatch.setattr(source, "MAX_FILE_BYTES", 40)
    with pytest.raises(UsageError, match="line 2: the file is larger than"):
        list(numbered_lines(path))


def test_a_file_is_read_whole_only_up_to_its_limit(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    path.write_bytes(b"12345")
    assert read_whole(path, 5) == b"12345"
    with pytest.raises(UsageError, match="larger than"):
        read_whole(path, 4)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="absent: cannot be read: No such file"):
        list(numbered_lines(tmp_path / "absent"))
    with pytest.raises(UsageError, match="absent: cannot be read: No such file"):
        read_whole(tmp_path / "absent", 10)
