"""Writing a file whole, or into what is no file."""

from __future__ import annotations

import errno
import fcntl
import os
import resource
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fewtaps.errors import StoreError, UsageError
from fewtaps.files import FULL, LIMITED, open_here, refusal, require_inside, require_writable, write_inside, write_whole


def test_a_file_is_replaced_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 255)
    for content in (b"before", b"after"):
        require_writable(path)
        write_whole(path, content)
        assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_and_what_it_leads_to_is_written(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    link, target = tmp_path / "link", tmp_path / "real" / "file"
    link.symlink_to(target)
    for content in (b"before", b"after"):
        write_whole(link, content)
        assert link.is_symlink() and target.read_bytes() == content
    assert list(target.parent.iterdir()) == [target]


def test_what_is_no_file_is_written_into_and_never_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    heard: list[bytes] = []
    reader = threading.Thread(target=lambda: heard.append(pipe.read_bytes()))
    reader.start()
    require_writable(pipe)
    write_whole(pipe, b"words")
    reader.join(60)
    assert heard == [b"words"]
    assert pipe.is_fifo() and list(tmp_path.iterdir()) == [pipe]


@pytest.mark.parametrize(
    "name", ["", ".", "/", "folder", "folder/", "link", "circle", "none/file", "file/file", "a\0b"]
)
@pytest.mark.parametrize("act", [require_writable, lambda path: write_whole(path, b"")], ids=["asked", "written"])
def test_where_no_file_can_be_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, act) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder")
    (tmp_path / "circle").symlink_to("circle")
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot be written"):
        act(Path(name))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["circle", "file", "folder", "link"]


@contextmanager
def files_limited_to(size: int) -> Iterator[None]:
    """No file may grow beyond this size in the `with` block."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_if_writing_fails_the_old_file_stays(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"before")
    with files_limited_to(1000), pytest.raises(StoreError, match="file: the file would be larger"):
        write_whole(path, b"after" * 1000)
    assert path.read_bytes() == b"before" and list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(("number", "words"), [(errno.ENOSPC, FULL), (errno.EDQUOT, FULL), (errno.EFBIG, LIMITED)])
def test_a_lack_of_room_is_a_store_error_for_it_is_not_the_path(number: int, words: str) -> None:
    error = refusal(Path("a"), OSError(number, os.strerror(number)))
    assert isinstance(error, StoreError) and str(error) == f"a: {words}"


def test_the_file_of_a_killed_writer_is_removed_and_that_of_a_living_one_stays(tmp_path: Path) -> None:
    killed, living = tmp_path / ".fewtaps-000000000000.part", tmp_path / ".fewtaps-111111111111.part"
    killed.write_bytes(b"half")
    with living.open("wb") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        write_whole(tmp_path / "file", b"whole")
        assert sorted(tmp_path.iterdir()) == [living, tmp_path / "file"]
    write_whole(tmp_path / "file", b"whole")
    assert sorted(tmp_path.iterdir()) == [tmp_path / "file"]


def test_a_signal_between_making_a_file_and_locking_it_leaves_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def end(handle: int, operation: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("fcntl.flock", end)
    with pytest.raises(KeyboardInterrupt):
        write_whole(tmp_path / "new.txt", b"new")
    assert list(tmp_path.iterdir()) == []


def test_a_link_in_a_folder_of_fewtaps_is_replaced_and_not_followed(tmp_path: Path) -> None:
    outside, folder = tmp_path / "outside", tmp_path / "folder"
    outside.write_bytes(b"kept")
    folder.mkdir()
    for target in (outside, tmp_path / "not-there", folder, Path("circle")):
        path = folder / "circle"
        path.symlink_to(target)
        with pytest.raises(OSError):
            open(path, "wb", opener=open_here).close()
        write_inside(path, b"new")
        assert path.read_bytes() == b"new" and not path.is_symlink()
        path.unlink()
    assert outside.read_bytes() == b"kept" and not (tmp_path / "not-there").exists()
    assert list(folder.iterdir()) == []
    with pytest.raises(UsageError, match="it is a folder"):
        write_inside(folder, b"")


def test_links_that_lead_out_of_a_folder_are_named(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (tmp_path / "folder").symlink_to(real)
    for name, target in {"in": "there", "out": "../x", "absolute": "/", "circle": "circle"}.items():
        (real / name).symlink_to(target)
    require_inside(tmp_path / "folder", "in", "none")
    for name in ("out", "absolute", "circle"):
        with pytest.raises(UsageError, match=f"folder/{name}: a link that leads out of"):
            require_inside(tmp_path / "folder", "in", name)
