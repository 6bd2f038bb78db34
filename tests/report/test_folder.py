from __future__ import annotations

import errno
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from fewtaps.errors import StoreError, UsageError
from fewtaps.report.folder import MARK, new_folder


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """A report that is there already."""
    folder = tmp_path / "report"
    folder.mkdir()
    (folder / MARK).write_text("{}")
    (folder / "old.html").write_text("old")
    return folder


def test_the_new_folder_takes_the_place_of_the_old_one(target: Path) -> None:
    with new_folder(target) as place:
        (place / "new.html").write_text("new")
        assert (target / "old.html").exists()
    assert [path.name for path in target.iterdir()] == ["new.html"]
    assert [path.name for path in target.parent.iterdir()] == ["report"]


@pytest.mark.parametrize("reason", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_leaves_the_old_report(target: Path, reason: int) -> None:
    with pytest.raises(StoreError, match="the disk is full; the earlier report stays"), new_folder(target) as place:
        (place / "new.html").write_text("new")
        raise OSError(reason, "No space left on device")
    assert (target / "old.html").read_text() == "old"
    assert [path.name for path in target.parent.iterdir()] == ["report"]


def test_what_the_file_system_refuses_is_for_the_user_to_change(target: Path) -> None:
    with pytest.raises(UsageError, match="cannot be written.*the earlier report stays"), new_folder(target):
        raise PermissionError(errno.EACCES, "Permission denied")


def test_whatever_else_goes_wrong_leaves_the_old_report(target: Path) -> None:
    with pytest.raises(ZeroDivisionError), new_folder(target):
        raise ZeroDivisionError
    assert (target / "old.html").exists()


def test_a_folder_that_is_not_a_report_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(UsageError, match="holds something that is no report"), new_folder(tmp_path):
        pass
    assert (tmp_path / "thesis.txt").exists()


def test_neither_a_file_nor_a_link_is_replaced(tmp_path: Path, target: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "link").symlink_to(target)
    for name in ("file", "link"):
        with pytest.raises(UsageError, match="not a folder"), new_folder(tmp_path / name):
            pass


def test_a_writer_killed_between_two_renames_has_lost_nothing(target: Path) -> None:
    target.rename(target.with_name(".report.old"))
    target.with_name(".report.part").mkdir()
    with pytest.raises(ZeroDivisionError), new_folder(target):
        raise ZeroDivisionError
    assert (target / "old.html").exists()
    assert [path.name for path in target.parent.iterdir()] == ["report"]


def test_a_report_that_cannot_be_moved_into_place_leaves_the_old_one(
    target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename = Path.rename

    def refusing(self: Path, to: Path) -> Path:
        if self.name.endswith(".part"):
            raise OSError(errno.EACCES, "Permission denied")
        return rename(self, to)

    monkeypatch.setattr(Path, "rename", refusing)
    with pytest.raises(UsageError, match="Permission denied.*the earlier report stays"), new_folder(target):
        pass
    assert (target / "old.html").read_text() == "old"
    assert [path.name for path in target.parent.iterdir()] == ["report"]


def test_writers_of_one_report_take_turns(target: Path) -> None:
    def write(number: int) -> None:
        with new_folder(target) as place:
            for name in (MARK, "a.html", "b.html"):
                (place / name).write_text(str(number))

    with ThreadPoolExecutor(4) as writers:
        list(writers.map(write, range(40)))
    assert len({path.read_text() for path in target.iterdir()}) == 1 and len(list(target.iterdir())) == 3
    assert [path.name for path in target.parent.iterdir()] == ["report"]


def test_a_writer_that_waits_too_long_says_so(target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fewtaps.report.folder.WAIT_SECONDS", 0.0)
    with new_folder(target), pytest.raises(StoreError, match="another command"), new_folder(target):
        pass
