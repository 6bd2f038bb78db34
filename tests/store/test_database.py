"""Opening stores: valid ones, missing ones, damaged ones, and those of other programs, versions and users."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest
from store import writer

from fewtaps.cli.logs import LOG_FOLDER
from fewtaps.errors import NotFound, SchemaTooNew, StoreError, UsageError
from fewtaps.model.episode import Episode
from fewtaps.pipeline.reporting import REPORT
from fewtaps.pipeline.run_suites import MARK as MADE
from fewtaps.pipeline.scrubbing import LOGS, SERVED
from fewtaps.pipeline.suite_player import JOURNAL
from fewtaps.store import database, migrations, schema
from fewtaps.store.database import ENTRIES, FILE, open_store
from fewtaps.suitefile import SUITE


def changed(folder: Path, *statements: str) -> None:
    with closing(sqlite3.connect(folder / FILE, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with a run of one episode."""
    with open_store(tmp_path / "project", create=True) as store:
        store.runs.add_episode(store.runs.start(writer.THE_APP, "explore", {}), writer.episode(0))
    return tmp_path / "project"


def test_a_store_is_made_with_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b c?#%é"
    with open_store(folder, create=True) as store:
        store.runs.start(writer.THE_APP, "explore", {})
    with open_store(folder) as store:
        assert len(store.runs.all()) == 1
    assert {path.name for path in folder.iterdir()} == {FILE, ".lock"}


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="nowhere: there is no such folder"), open_store(tmp_path / "nowhere"):
        pass
    with pytest.raises(NotFound, match="nothing has been explored here"), open_store(tmp_path, write=True):
        pass
    assert not list(tmp_path.iterdir())


def test_a_file_is_no_project_folder(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    for place in (file, file / "below"):
        with pytest.raises(UsageError, match="not a folder"), open_store(place, create=True):
            pass
    with pytest.raises(UsageError, match="not a folder"), open_store(file):
        pass


@pytest.mark.parametrize("content", [b"", b"S"])
def test_an_empty_file_is_a_store_without_runs(content: bytes, tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(content)
    with pytest.raises(NotFound, match="nothing has been explored here"), open_store(tmp_path):
        pass
    with open_store(tmp_path, write=True) as store:
        run = store.runs.start(writer.THE_APP, "explore", {})
        store.runs.add_episode(run, writer.episode(0))


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("Plain text, and no database at all. " * 100)
    for options in ({}, {"write": True}, {"create": True}):
        with pytest.raises(StoreError, match="it is no database, or a damaged one"), open_store(tmp_path, **options):
            pass
    assert (tmp_path / FILE).read_text().startswith("Plain text")


def test_a_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    changed(tmp_path, "CREATE TABLE history (url TEXT)")
    before = (tmp_path / FILE).read_bytes()
    for options in ({}, {"create": True}):
        with pytest.raises(StoreError, match="a database of another program"), open_store(tmp_path, **options):
            pass
    assert (tmp_path / FILE).read_bytes() == before


def test_a_folder_in_place_of_the_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()
    for options in ({}, {"create": True}):
        with pytest.raises(StoreError, match="cannot be opened"), open_store(tmp_path, **options):
            pass


def test_a_store_of_a_newer_version_is_refused_with_both_numbers(project: Path) -> None:
    changed(project, "PRAGMA user_version = 12")
    for options in ({}, {"write": True}):
        with pytest.raises(SchemaTooNew) as caught, open_store(project, **options):
            pass
        assert f"version 12 of the store; this one knows {schema.VERSION}" in str(caught.value)
        assert str(project) in str(caught.value)


def test_an_older_store_is_brought_up_to_date_when_it_is_opened_to_write_or_to_read(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_store(project) as store:
        run = store.runs.all()[0].run_id
    change = "ALTER TABLE run ADD COLUMN note TEXT; -- a note\nUPDATE run SET note = 'x;y';\n"
    now = schema.VERSION
    later = "CREATE TABLE later (later_id INTEGER PRIMARY KEY);"
    steps = {now: migrations.adding(change), now + 1: migrations.adding(later)}
    monkeypatch.setattr(migrations, "MIGRATIONS", steps)
    # A column that no version of fewtaps has.
    monkeypatch.setattr(database, "unknown_entry", lambda connection: None)
    monkeypatch.setattr(schema, "VERSION", now + 1)
    with open_store(project, write=True) as store:
        store.runs.add_episode(run, writer.episode(1))
    monkeypatch.setattr(schema, "VERSION", now + 2)
    with open_store(project) as store:
        assert [episode.number for episode in store.runs.iter_episodes(run)] == [0, 1]
    with closing(sqlite3.connect(project / FILE)) as connection:
        assert connection.execute("SELECT note FROM run").fetchall() == [("x;y",)]
        assert connection.execute("PRAGMA user_version").fetchone() == (now + 2,)


def test_a_migration_that_fails_changes_nothing(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = schema.VERSION
    monkeypatch.setattr(schema, "VERSION", now + 2)
    bad = {now: "ALTER TABLE run ADD COLUMN note;", now + 1: "DROP TABLE nonsense;"}
    monkeypatch.setattr(migrations, "MIGRATIONS", {version: migrations.adding(sql) for version, sql in bad.items()})
    with pytest.raises(StoreError, match="no such table: nonsense"), open_store(project, write=True):
        pass
    monkeypatch.undo()
    with open_store(project) as store:
        assert len(store.runs.all()) == 1


READ = """
import os, sys
from fewtaps.errors import FewtapsError
from fewtaps.store.database import open_store
if os.getuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
try:
    with open_store(sys.argv[1], write="write" in sys.argv) as store:
        run, = store.runs.all()
        print(len(list(store.runs.iter_episodes(run.run_id))), len(store.runs.graph().states) > 1)
except FewtapsError as error:
    print(type(error).__name__, str(error).removeprefix(sys.argv[1]))
"""


@pytest.fixture
def frozen(project: Path) -> Path:
    """The project in a folder that its reader may not change."""
    return freeze(project)


def freeze(project: Path) -> Path:
    for file in project.glob(f"{FILE}*"):
        file.chmod(0o444)
    project.chmod(0o555)
    for parent in project.parents:
        if parent.stat().st_uid == os.getuid() and parent != Path(parent.anchor):
            parent.chmod(parent.stat().st_mode | 0o055)
    return project


def read_without_root(*arguments: str) -> str:
    """Reads a store in a process without root's rights, because file permissions do not bind root."""
    environment = {**os.environ, "PYTHONPATH": str(Path(schema.__file__).parents[2])}
    done = subprocess.run([sys.executable, "-c", READ, *arguments], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_folder_that_may_not_be_written_can_be_read(frozen: Path) -> None:
    before = sorted(frozen.iterdir())
    assert read_without_root(str(frozen)) == "1 True"
    assert sorted(frozen.iterdir()) == before


@pytest.mark.slow
def test_a_store_with_a_wal_file_can_be_read_in_a_folder_that_may_not_be_written(project: Path, tmp_path: Path) -> None:
    with open_store(project, write=True) as store:
        store.runs.add_episode(store.runs.all()[0].run_id, writer.episode(1))
        # The store is open, so the last episode is only in the WAL file.
        copy = tmp_path / "copy"
        shutil.copytree(project, copy)
    assert read_without_root(str(freeze(copy))) == "2 True"


@pytest.mark.slow
def test_writing_to_a_folder_that_may_not_be_written_is_refused(frozen: Path) -> None:
    assert read_without_root(str(frozen), "write") == "StoreError /.lock: Permission denied"


def test_a_reader_cannot_write(project: Path) -> None:
    with open_store(project) as store, pytest.raises(StoreError, match="may not be written"):
        store.runs.start(writer.THE_APP, "explore", {})


def test_another_thread_is_refused(project: Path) -> None:
    caught: list[BaseException] = []
    with open_store(project) as store:

        def ask() -> None:
            try:
                store.runs.all()
            except sqlite3.ProgrammingError as error:
                caught.append(error)

        thread = threading.Thread(target=ask)
        thread.start()
        thread.join()
    assert len(caught) == 1


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ('UPDATE event SET content = \'{"kind":"dance"}\'', "event 1 is damaged: its content is not the one"),
        ("UPDATE screen SET content = x'0102030405'", "screen 1 is damaged: not compressed data"),
        (
            "UPDATE step SET ending = 'well' WHERE number = 2",
            "step 2 of episode 1 is damaged: 'well' is no Ending",
        ),
        ("UPDATE step SET log = '[1]' WHERE number = 1", "step 1 of episode 1 is damaged: log: not a text: 1"),
        ("UPDATE step SET clock_ms = 'x' WHERE number = 1", "step 1 of episode 1 is damaged: clock_ms: not a whole"),
        ("UPDATE step SET number = 1000 WHERE number = 1", "episode 1 is damaged: it has"),
        ("UPDATE step SET event_id = 99 WHERE number = 0", "event 99 is missing"),
        ("DELETE FROM coverage", "coverage 1 is missing"),
        ("UPDATE episode SET world = 1.5", "episode 1 is damaged: world: not a whole number"),
        ("UPDATE episode SET screen = '[1, 2]'", "episode 1 is damaged: screen: not width, height and dpi"),
        ("UPDATE episode SET number = 7", "run 1 is damaged: episode 0 is missing"),
        ("UPDATE episode SET end_detail = x'ff'", "episode 1 is damaged: not a text"),
    ],
)
def test_a_row_that_is_not_as_the_store_writes_it_is_named(change: str, words: str, project: Path) -> None:
    changed(project, change)
    with pytest.raises(StoreError) as caught, open_store(project) as store:
        list(store.runs.iter_episodes(store.runs.all()[0].run_id))
    assert words in str(caught.value) and str(project / FILE) in str(caught.value)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("UPDATE run SET settings = '[]'", "run 1 is damaged: settings: not an object"),
        ("UPDATE run SET settings = '{'", "run 1 is damaged: "),
        ("UPDATE run SET started = 'long ago'", "run 1 is damaged: Invalid isoformat"),
        ("UPDATE run SET settings = printf('%.*c', 200000, '[')", "run 1 is damaged: "),
        ("UPDATE app SET package = x'ff'", "run 1 is damaged: not a text"),
        ("DROP TABLE run", "no such table: run"),
    ],
)
def test_a_damaged_run_is_named(change: str, words: str, project: Path) -> None:
    changed(project, change)
    with pytest.raises(StoreError) as caught, open_store(project) as store:
        store.runs.latest("explore")
    assert words in str(caught.value)


def test_content_that_would_fill_the_memory_is_refused(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_store(project, write=True) as store:
        run = store.runs.all()[0].run_id
        store.runs.add_episode(run, Episode(1, writer.episode(1).trace, execution=bytes(100_000)))
    monkeypatch.setattr("fewtaps.store.content.MAX_CONTENT_BYTES", 50_000)
    with open_store(project) as store, pytest.raises(StoreError, match="episode 2 is damaged: compressed data without"):
        list(store.runs.executions())


def test_a_picture_name_that_is_a_path_is_refused(project: Path) -> None:
    changed(project, "UPDATE picture SET sha256 = '../../../etc/passwd'")
    with open_store(project) as store:
        run = store.runs.all()[0].run_id
        with pytest.raises(StoreError, match="not the name of a picture"):
            store.runs.pictures(run, 0)
        with pytest.raises(StoreError, match="not the name of a picture"):
            store.runs.graph(run)


@pytest.mark.slow
def test_a_reader_sees_a_store_in_the_making_as_missing_or_whole(tmp_path: Path) -> None:
    folders = [tmp_path / str(number) for number in range(60)]
    made = threading.Event()
    failures: list[StoreError] = []

    def read_all_the_time() -> None:
        while not made.is_set():
            for folder in folders:
                try:
                    with open_store(folder):
                        pass
                except NotFound:
                    break
                except StoreError as failure:
                    failures.append(failure)

    reader = threading.Thread(target=read_all_the_time)
    reader.start()
    try:
        for folder in folders:
            with open_store(folder, create=True):
                pass
    finally:
        made.set()
        reader.join()
    assert not failures


@pytest.mark.parametrize("name", ENTRIES)
@pytest.mark.parametrize("options", [{}, {"write": True}, {"create": True}], ids=["read", "write", "create"])
def test_a_project_whose_links_lead_out_is_refused(
    project: Path, tmp_path: Path, name: str, options: dict[str, bool]
) -> None:
    outside = tmp_path / "outside"
    if (project / name).exists():
        (project / name).rename(outside)
    (project / name).symlink_to(outside)
    before = sorted(tmp_path.rglob("*"))
    with (
        pytest.raises(UsageError, match=f"{re.escape(name)}: a link that leads out of"),
        open_store(project, **options),
    ):
        pass
    assert sorted(tmp_path.rglob("*")) == before


def test_a_project_folder_that_is_a_link_and_links_within_it_are_fine(project: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(project)
    (project / "elsewhere").mkdir()
    (project / "report").symlink_to("elsewhere")
    with open_store(tmp_path / "link", write=True) as store:
        assert store.runs.all()


def test_the_entries_of_a_project_have_the_names_that_their_writers_give() -> None:
    names = {SUITE, JOURNAL, MADE, REPORT, LOGS, SERVED, LOG_FOLDER}
    assert names <= set(ENTRIES)
