"""Laying out the fonts of the drawing library once."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fewtaps.device.twin.fonts import Fonts, lay_out
from fewtaps.device.twin.jars import JarStore

NAME = "org.robolectric.nativeruntime-dist-compat-1.0.jar"


@pytest.fixture
def library(tmp_path: Path) -> Path:
    path = tmp_path / NAME
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as jar:
        for name in ("fonts/", "hyphen-data/"):
            jar.writestr(name, b"")
        for name in ("fonts/A.ttf", "fonts/B.ttc", "hyphen-data/en.hyb", "icu/data.dat"):
            jar.writestr(name, name.encode() * 100)
    return path


@pytest.fixture
def store(tmp_path: Path) -> JarStore:
    return JarStore(tmp_path / "cache")


def test_the_fonts_come_into_a_folder_and_the_rest_into_a_jar_in_the_same_place(library: Path, store: JarStore) -> None:
    fonts = lay_out((Path("a.jar"), library, Path("b.jar")), store)
    assert fonts.folder is not None
    assert {path.name: path.read_bytes()[:11] for path in fonts.folder.iterdir()} == {
        "A.ttf": b"fonts/A.ttf",
        "B.ttc": b"fonts/B.ttc",
    }
    first, rest, last = fonts.class_path
    assert (first, last) == (Path("a.jar"), Path("b.jar"))
    with zipfile.ZipFile(rest) as jar:
        # Robolectric asks for the folder's own entry.
        assert jar.namelist() == ["hyphen-data/", "hyphen-data/en.hyb", "icu/data.dat"]
        assert jar.read("icu/data.dat") == b"icu/data.dat" * 100
        assert {entry.compress_type for entry in jar.infolist()} == {zipfile.ZIP_STORED}


def test_what_is_laid_out_is_used_again(library: Path, store: JarStore) -> None:
    once = lay_out((library,), store)
    library.write_bytes(b"no jar at all")
    assert lay_out((library,), store) == once


def test_nothing_is_left_of_a_jar_that_cannot_be_read(library: Path, store: JarStore) -> None:
    content = library.read_bytes()
    library.write_bytes(content[:200])
    with pytest.raises(zipfile.BadZipFile):
        lay_out((library,), store)
    library.write_bytes(content)
    assert lay_out((library,), store).folder is not None


def test_where_nothing_can_be_kept_the_jar_serves_as_it_is(library: Path, store: JarStore) -> None:
    store.root.write_text("a file where the cache should be")
    assert lay_out((library,), store) == lay_out((library,), store)
    assert lay_out((library,), store).class_path == (library,)


def test_a_process_that_was_faster_is_not_disturbed(library: Path, store: JarStore) -> None:
    faster: list[Fonts] = []

    class SlowStore(JarStore):
        @contextmanager
        def private(self) -> Iterator[Path]:
            faster.append(lay_out((library,), store))
            with super().private() as folder:
                yield folder

    assert lay_out((library,), SlowStore(store.root)) == faster[0]
    assert [path.name for path in (store.root / "partial").iterdir()] == []


def test_a_class_path_without_the_library_stays(store: JarStore) -> None:
    fonts = lay_out((Path("a.jar"),), store)
    assert (fonts.folder, fonts.class_path) == (None, (Path("a.jar"),))
