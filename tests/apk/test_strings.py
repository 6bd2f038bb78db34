"""Tests of reading the strings of an app."""

from __future__ import annotations

import struct
import zipfile
from pathlib import Path

import pytest

from fewtaps.apk.strings import LONGEST, MOST_STRINGS, read_strings, typeable
from fewtaps.errors import UsageError

SAMPLES = Path(__file__).parents[2] / "samples"


def apk_with(folder: Path, resources: bytes | None) -> Path:
    path = folder / "app.apk"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("AndroidManifest.xml", b"")
        if resources is not None:
            archive.writestr("resources.arsc", resources)
    return path


@pytest.mark.slow
def test_texts_of_a_real_app_are_found() -> None:
    strings = read_strings(SAMPLES / "shop.apk")
    assert "Add to cart" in strings and "Wrong user or password" in strings
    assert not any(text.startswith("res/") for text in strings)


@pytest.mark.slow
@pytest.mark.parametrize(
    "resources",
    [
        None,
        b"",
        b"\x02\x00\x0c\x00",
        b"\xff" * 100,
        # A table whose pool claims four thousand million strings.
        struct.pack("<HHII", 2, 12, 100, 1) + struct.pack("<HHIIIIII", 1, 28, 88, 2**32 - 1, 0, 256, 28, 0),
    ],
    ids=["none", "empty", "cut short", "noise", "lying"],
)
def test_an_app_without_readable_resources_has_no_strings(tmp_path: Path, resources: bytes | None) -> None:
    assert read_strings(apk_with(tmp_path, resources)) == ()


def test_a_file_that_is_no_archive_has_no_strings_and_a_missing_one_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "app.apk"
    path.write_bytes(b"no zip")
    assert read_strings(path) == ()
    with pytest.raises(UsageError, match="no such file"):
        read_strings(tmp_path / "other.apk")


def test_only_what_can_be_typed_is_kept_and_each_once() -> None:
    strings = (" Open ", "Open", "", "res/layout/a.xml", "icon.png", "x" * (LONGEST + 1), "two\nlines", "Ja")
    assert typeable(strings) == ("Open", "Ja")


def test_of_too_many_strings_a_spread_part_is_kept() -> None:
    kept = typeable(tuple(f"text {number}" for number in range(10 * MOST_STRINGS)))
    assert len(kept) == MOST_STRINGS
    assert kept[-1] > f"text {9 * MOST_STRINGS}"
