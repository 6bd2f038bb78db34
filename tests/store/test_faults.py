"""Episodes that were stored stay readable after kills, full disks, locks and damage."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from random import Random
from threading import Event

import pytest
from store import writer

from fewtaps.errors import FewtapsError, StoreError
from fewtaps.store.database import FILE, Store, open_store
from fewtaps.store.lock import is_held
from fewtaps.store.rows import RunId

TESTS = Path(__file__).resolve().parent.parent
SOURCE = TESTS.parent / "src"
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (SOURCE, TESTS)))}


def command(folder: Path, count: int) -> list[str]:
    return [sys.executable, str(TESTS / "store" / "writer.py"), str(folder), str(count)]


def require_whole(folder: Path, first: int = 0) -> int:
    """Checks that episodes are what the writer wrote, without gaps, with their pictures; gives how many there are."""
    with open_store(folder) as store:
        latest = store.runs.latest("explore")
        assert latest is not None
        count = first
        for count, episode in enumerate(store.runs.iter_episodes(latest.run_id, first), first + 1):
            expected = writer.episode(count - 1)
            assert episode == replace(expected, pictures=tuple((number, b"") for number, _ in expected.pictures))
            assert store.runs.pictures(latest.run_id, count - 1) == expected.pictures
        assert store.runs.totals().episodes >= count
    with closing(sqlite3.connect(folder / FILE)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    return count


@pytest.mark.slow
def test_a_writer_killed_at_any_moment_loses_no_stored_episode(tmp_path: Path) -> None:
    random = Random(7)
    told = checked = 0
    for attempt in range(20):
        process = subprocess.Popen(command(tmp_path, 10**6), env=ENVIRONMENT, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        with process, process.stdout:
            if attempt % 5:
                # Wait for the first episode, so that most are killed while they write and some while they open.
                told = max(told, int(process.stdout.readline()) + 1)
                time.sleep(random.uniform(0, 0.03))
            else:
                time.sleep(random.uniform(0, 0.3))
            process.kill()
            lines = process.stdout.read().split("\n")
        told = max([told, *(int(line) + 1 for line in lines[:-1])])
        if told:
            # One more may have been stored: it was killed before its number was printed.
            checked = require_whole(tmp_path, max(0, checked - 1))
            assert checked in (told, told + 1)
    assert require_whole(tmp_path) == checked > 20
    assert not list((tmp_path / "pictures").glob(".*.part")) or _swept(tmp_path)


def _swept(folder: Path) -> bool:
    with open_store(folder, write=True):
        return not list((folder / "pictures").glob(".*.part"))


def small_disk(folder: Path, size: str) -> list[str]:
    """The words before a command that make the folder a disk of this size; skips the test where that is forbidden."""
    mounting = f'mount -t tmpfs -o size={size} none "$0" && "$@"; status=$?; cp -r "$0/." "$0.copy"; exit $status'
    prefix = ["unshare", "--mount", "--map-root-user", "sh", "-c", mounting, str(folder)]
    folder.mkdir()
    if not shutil.which("unshare") or subprocess.run([*prefix, "true"], capture_output=True).returncode:
        pytest.skip("no small disk can be made here: unshare or mount is not permitted")
    shutil.rmtree(f"{folder}.copy")
    return prefix


@pytest.mark.slow
@pytest.mark.parametrize("size", ["64k", "300k", "600k", pytest.param("2m", marks=pytest.mark.slow)])
def test_a_full_disk_is_reported_and_stored_episodes_stay(size: str, tmp_path: Path) -> None:
    folder = tmp_path / "disk"
    prefix = small_disk(folder, size)
    done = subprocess.run(prefix + command(folder, 10**6), env=ENVIRONMENT, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("StoreError: ") and done.stderr.endswith(": the disk is full\n"), done.stderr
    told = done.stdout.split()
    assert told or size == "64k"
    if told:
        assert require_whole(Path(f"{folder}.copy")) == len(told)


@pytest.fixture
def filling(tmp_path: Path) -> tuple[Path, RunId]:
    """A folder with a run of three episodes."""
    with open_store(tmp_path, create=True) as store:
        run = store.runs.start(writer.THE_APP, "explore", {})
        for number in range(3):
            store.runs.add_episode(run, writer.episode(number))
    return tmp_path, run


def limit_pages(store: Store, extra: int) -> None:
    database = store.runs._database
    (pages,) = database.rows("PRAGMA page_count")[0]
    database.run(f"PRAGMA max_page_count = {pages + extra}")


def test_after_a_full_disk_the_same_episode_can_be_added_again(filling: tuple[Path, RunId]) -> None:
    folder, run = filling
    with open_store(folder, write=True) as store:
        limit_pages(store, 0)
        kept = 3
        with pytest.raises(StoreError, match=r"fewtaps\.db: the disk is full"):
            for kept in range(3, 100):
                store.runs.add_episode(run, writer.episode(kept))
        assert store.runs.next_number(run) == kept
        limit_pages(store, 10**6)
        for number in range(kept, kept + 3):
            store.runs.add_episode(run, writer.episode(number))
    assert require_whole(folder) == kept + 3


def test_an_interrupted_episode_leaves_no_rows(filling: tuple[Path, RunId], monkeypatch: pytest.MonkeyPatch) -> None:
    folder, run = filling

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with open_store(folder, write=True) as store:
        with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
            patched.setattr(store.runs._episodes, "_insert_pictures_and_execution", interrupted)
            store.runs.add_episode(run, writer.episode(3))
        store.runs.add_episode(run, writer.episode(3))
    assert require_whole(folder) == 4


@pytest.mark.slow
def test_readers_see_whole_episodes_while_a_writer_writes(tmp_path: Path) -> None:
    process = subprocess.Popen(command(tmp_path, 60), env=ENVIRONMENT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    with process, process.stdout:
        process.stdout.readline()
        seen = [require_whole(tmp_path) for _ in range(3)]
        # The pipe stays open until the writer has printed everything.
        process.stdout.read()
    assert process.returncode == 0
    assert seen == sorted(seen) and seen[0] >= 1
    assert require_whole(tmp_path) == 60


def test_a_reader_gets_episodes_that_are_added_while_it_reads(filling: tuple[Path, RunId]) -> None:
    folder, run = filling
    with open_store(folder) as reader, open_store(folder, write=True) as store:
        reading = reader.runs.iter_episodes(run)
        assert next(reading).number == 0
        store.runs.add_episode(run, writer.episode(3))
        assert [episode.number for episode in reading] == [1, 2, 3]


@pytest.mark.slow
def test_a_second_writer_is_refused_with_the_process_of_the_first(filling: tuple[Path, RunId]) -> None:
    folder, _ = filling
    with open_store(folder, write=True):
        for options in ({"create": True}, {"write": True}):
            with pytest.raises(StoreError) as caught, open_store(folder, **options):
                pass
            assert str(caught.value) == f"another exploration is writing to {folder} (process {os.getpid()})"
        other = subprocess.run(command(folder, 1), env=ENVIRONMENT, capture_output=True, text=True)
        assert f"(process {os.getpid()})" in other.stderr and other.returncode == 1
    assert subprocess.run(command(folder, 1), env=ENVIRONMENT, capture_output=True).returncode == 0


def test_is_held_does_not_keep_a_writer_out(filling: tuple[Path, RunId]) -> None:
    folder, _ = filling
    assert not is_held(folder) and not is_held(folder / "none")
    stop = Event()

    def ask() -> None:
        while not stop.wait(0.0005):
            is_held(folder)

    with ThreadPoolExecutor(1) as asker:
        asking = asker.submit(ask)
        try:
            for _ in range(50):
                with open_store(folder, write=True):
                    assert is_held(folder)
        finally:
            stop.set()
        asking.result()


def test_a_lock_of_another_program_is_reported(filling: tuple[Path, RunId], monkeypatch: pytest.MonkeyPatch) -> None:
    folder, run = filling
    monkeypatch.setattr("fewtaps.store.database.BUSY_TIMEOUT_SECONDS", 0.01)
    with (
        closing(sqlite3.connect(folder / FILE, isolation_level=None)) as other,
        open_store(folder, write=True) as store,
    ):
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="it is locked by another program"):
            store.runs.add_episode(run, writer.episode(3))
        other.execute("ROLLBACK")
        store.runs.add_episode(run, writer.episode(3))


def damaged(folder: Path, *, size: int | None = None, noise: int = 0) -> None:
    data = bytearray((folder / FILE).read_bytes())
    random = Random(noise)
    for _ in range(200 if noise else 0):
        # The first page stays unchanged: it marks the file as a database.
        data[random.randrange(4096, len(data))] = random.randrange(256)
    (folder / FILE).write_bytes(data[:size])


@pytest.mark.parametrize("noise", range(1, 31))
def test_a_damaged_store_is_reported_in_one_line(noise: int, filling: tuple[Path, RunId]) -> None:
    folder, run = filling
    damaged(folder, noise=noise)
    with pytest.raises(FewtapsError) as caught, open_store(folder) as store:
        list(store.runs.iter_episodes(run))
        store.runs.graph()
        store.runs.crashes()
        store.runs.coverage()
        list(store.runs.executions())
    assert isinstance(caught.value, StoreError)
    assert str(folder / FILE) in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("size", [50, 100, 4096, 5000, 12288, 40960])
def test_a_store_cut_short_is_reported_in_one_line(size: int, filling: tuple[Path, RunId]) -> None:
    folder, run = filling
    damaged(folder, size=size)
    with pytest.raises(StoreError, match=r"fewtaps\.db: .*damaged"), open_store(folder) as store:
        list(store.runs.iter_episodes(run))


def test_episodes_can_be_read_without_their_picture_files(filling: tuple[Path, RunId]) -> None:
    folder, run = filling
    first, second = sorted(folder.glob("pictures/*.png"))[:2]
    first.unlink()
    second.write_bytes(b"not what it was")
    with open_store(folder) as store:
        assert len(list(store.runs.iter_episodes(run))) == 3
        for path in (first, second):
            with pytest.raises(StoreError, match="is missing|is damaged"):
                store.pictures.load(path.stem)
    shutil.rmtree(folder / "pictures")
    with open_store(folder, write=True) as store:
        assert len(store.runs.graph(run).states) > 1
        store.runs.add_episode(run, writer.episode(3))
        assert store.runs.pictures(run, 3) == writer.episode(3).pictures
        assert store.runs.pictures(run, 0) == writer.episode(0).pictures[1:]
