"""A rollback journal beside the store: one of a killed Fewtaps is played back, one that names another file is not."""

from __future__ import annotations

import os
import shutil
import sqlite3
import struct
from contextlib import closing
from pathlib import Path

import pytest
from store import writer

from fewtaps.errors import StoreError
from fewtaps.store.database import FILE, open_store

MAGIC = bytes.fromhex("d9d505f920a163d7")
JOURNAL = f"{FILE}-journal"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with a run of one episode, whose store has no log."""
    folder = tmp_path / "project"
    with open_store(folder, create=True) as store:
        store.runs.add_episode(store.runs.start(writer.THE_APP, "explore", {}), writer.episode(0))
    with closing(sqlite3.connect(folder / FILE)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    return folder


def hostile(store: Path, victim: Path) -> bytes:
    """A journal without pages that names a file as its super-journal."""
    size = 4096
    name = os.fsencode(victim)
    head = MAGIC + struct.pack(">IIIII", 0, 0, store.stat().st_size // size, 512, size)
    lock_page = struct.pack(">I", 0x40000000 // size + 1)
    return head.ljust(512, b"\0") + lock_page + name + struct.pack(">II", len(name), sum(name)) + MAGIC


def test_the_journal_is_one_by_which_sqlite_deletes_a_file(project: Path, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (project / JOURNAL).write_bytes(hostile(project / FILE, victim))
    with closing(sqlite3.connect(project / FILE)) as connection:
        connection.execute("SELECT count(*) FROM run").fetchall()
    assert not victim.exists()


@pytest.mark.parametrize("options", [{}, {"write": True}, {"create": True}], ids=["read", "write", "create"])
@pytest.mark.parametrize("is_link", [False, True], ids=["", "link"])
def test_a_journal_that_names_another_file_is_refused(
    options: dict[str, bool], is_link: bool, project: Path, tmp_path: Path
) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    beside = project
    if is_link:
        beside = project / "inner"
        beside.mkdir()
        (project / FILE).rename(beside / FILE)
        (project / FILE).symlink_to(f"inner/{FILE}")
    (beside / JOURNAL).write_bytes(hostile(beside / FILE, victim))
    with pytest.raises(StoreError, match="fewtaps.db-journal: not written by fewtaps"), open_store(project, **options):
        pass
    assert victim.read_text() == "mine"


@pytest.mark.parametrize("kind", ["pipe", "link", "folder"])
def test_a_journal_that_is_no_file_is_refused(kind: str, project: Path) -> None:
    journal = project / JOURNAL
    if kind == "pipe":
        os.mkfifo(journal)
    elif kind == "link":
        (project / "elsewhere").write_bytes(b"")
        journal.symlink_to("elsewhere")
    else:
        journal.mkdir()
    with pytest.raises(StoreError, match="fewtaps.db-journal: "), open_store(project):
        pass


def test_a_journal_that_a_kill_left_is_played_back(project: Path, tmp_path: Path) -> None:
    killed = tmp_path / "killed"
    killed.mkdir()
    with closing(sqlite3.connect(project / FILE, isolation_level=None)) as connection:
        connection.execute("PRAGMA cache_size = 1")
        connection.execute("BEGIN")
        connection.execute("UPDATE run SET kind = 'lost'")
        connection.execute("CREATE TABLE more AS SELECT zeroblob(1000000) AS content")
        for name in (FILE, JOURNAL):
            shutil.copy(project / name, killed / name)
        connection.execute("ROLLBACK")
    assert (killed / JOURNAL).stat().st_size > 512
    assert (killed / FILE).stat().st_size > (project / FILE).stat().st_size
    with open_store(killed) as store:
        assert [run.kind for run in store.runs.all()] == ["explore"]
    assert not (killed / JOURNAL).exists()
