"""A store that holds more than Fewtaps makes is refused before anything in it runs; signals end long queries."""

from __future__ import annotations

import os
import signal
import sqlite3
import struct
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from old_stores import make_store
from processes import started
from store import writer

from fewtaps.errors import StoreError
from fewtaps.store import connection, migrations
from fewtaps.store.connection import MAX_VALUE_BYTES
from fewtaps.store.database import FILE, open_store
from fewtaps.store.genuine import unknown_entry
from fewtaps.store.schema import VERSION, statements

ENDLESS = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c)"
VIEW = (
    "PRAGMA legacy_alter_table = ON",
    "ALTER TABLE run RENAME TO run_x",
    f"CREATE VIEW run AS {ENDLESS} SELECT run_x.* FROM run_x, c WHERE c.n < 0",
)
TRIGGER = (
    "CREATE TRIGGER t AFTER UPDATE ON run BEGIN"
    f" INSERT INTO app (package, version, digest) {ENDLESS} SELECT n, '', '' FROM c; END",
)
HOSTILE = {
    "a view that never ends": VIEW,
    "a trigger that never ends": TRIGGER,
    "a view of large values": (
        "ALTER TABLE crash RENAME TO crash_x",
        "CREATE VIEW crash AS SELECT crash_id, signature, fingerprint, suspect, hex(zeroblob(450000000)) AS content"
        " FROM crash_x",
    ),
    "a generated column": ("ALTER TABLE app ADD COLUMN more GENERATED ALWAYS AS (hex(zeroblob(450000000)))",),
    "an index of an expression": ("CREATE INDEX more ON app (hex(zeroblob(450000000)))",),
    "a virtual table": ("CREATE VIRTUAL TABLE more USING fts5(word)",),
    "a table": ("CREATE TABLE more (word)",),
    "a column with a default": ("ALTER TABLE app ADD COLUMN more DEFAULT '--'",),
    "a statement in the place of another": (
        "PRAGMA writable_schema = ON",
        "UPDATE sqlite_master SET sql = replace(sql, 'package TEXT', 'package ANY CHECK (package <> 7)')"
        " WHERE name = 'app'",
    ),
}


def changed(folder: Path, *made: str) -> Path:
    with closing(sqlite3.connect(folder / FILE, isolation_level=None)) as connection:
        for statement in made:
            connection.execute(statement)
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with a run of one episode."""
    with open_store(tmp_path / "project", create=True) as store:
        store.runs.add_episode(store.runs.start(writer.THE_APP, "explore", {}), writer.episode(0))
    return tmp_path / "project"


@pytest.mark.parametrize("made", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("options", [{}, {"write": True}, {"create": True}], ids=str)
def test_a_store_with_anything_that_fewtaps_does_not_make_is_refused(
    made: tuple[str, ...], options: dict[str, bool], project: Path
) -> None:
    changed(project, *made)
    with pytest.raises(StoreError, match="damaged, or not written by fewtaps: "), open_store(project, **options):
        pass


@pytest.mark.parametrize("version", range(1, VERSION))
def test_an_older_store_with_anything_that_fewtaps_does_not_make_is_refused(version: int, tmp_path: Path) -> None:
    make_store(tmp_path, version, *VIEW)
    with pytest.raises(StoreError, match="damaged, or not written by fewtaps: run_x is none"), open_store(tmp_path):
        pass


@pytest.mark.parametrize("script", [migrations._ADDED_IN_2, migrations._ADDED_IN_3])
def test_what_an_older_fewtaps_added_to_a_store_is_known(script: str) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        for statement in statements(script):
            connection.execute(statement)
        assert unknown_entry(connection) is None


@pytest.mark.slow
@pytest.mark.parametrize("made", [VIEW, TRIGGER], ids=["view", "trigger"])
@pytest.mark.parametrize(
    "command",
    [
        ["crashes", "HOSTILE"],
        ["run", "sim:bill", "--events", "3", "-o", "HOSTILE"],
        ["report", "HOSTILE"],
        ["scrub", "HOSTILE", "--yes"],
        ["merge", "merged", "HOSTILE"],
    ],
    ids=lambda command: command[0],
)
def test_every_command_refuses_a_hostile_store_in_one_line(
    command: list[str], made: tuple[str, ...], project: Path, tmp_path: Path
) -> None:
    words = [str(changed(project, *made)) if word == "HOSTILE" else word for word in command]
    done = subprocess.run(
        [sys.executable, "-m", "fewtaps", *words],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=tmp_path,
        env={**os.environ},
    )
    # `merge` takes a project that cannot be read for a wrong argument.
    assert done.returncode == (2 if command[0] == "merge" else 3), done.stderr
    assert "damaged, or not written by fewtaps" in done.stderr
    assert len(done.stderr.splitlines()) == 1


LONG_QUERY = f"""
import sys, fewtaps.cli.main, fewtaps.cli.show
from pathlib import Path
from fewtaps.store.database import open_store

def run(apk, as_json):
    with open_store(Path(apk).parent, write=True) as store, store.scrubbing._database.transaction() as connection:
        print("asking", flush=True)
        connection.execute("{ENDLESS} SELECT n FROM c WHERE n < 0").fetchall()

fewtaps.cli.show.run_show = run
sys.exit(fewtaps.cli.main.main(["show", sys.argv[1]]))
"""


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_ends_a_query_that_takes_long(number: signal.Signals, code: int, project: Path) -> None:
    with started([sys.executable, "-c", LONG_QUERY, str(project / FILE)]) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "asking\n"
        process.send_signal(number)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == code
    assert "Traceback" not in errors


def test_a_value_beyond_the_limit_is_refused(project: Path) -> None:
    with open_store(project) as store:
        database = store.trials._database
        with pytest.raises(StoreError, match="a value is too large"):
            database.row(f"SELECT zeroblob({MAX_VALUE_BYTES + 1})")


def _interior(child: int, size: int) -> bytes:
    """A page of a table's tree that has the same child in all of its cells."""
    page = bytearray(size)
    count = (size - 12) // 7
    for number in range(count):
        place = size - 5 * (number + 1)
        struct.pack_into(">IB", page, place, child, min(number + 1, 127))
        struct.pack_into(">H", page, 12 + 2 * number, place)
    struct.pack_into(">BHHHBI", page, 0, 5, 0, count, size - 5 * count, 0, child)
    return bytes(page)


def _rows_without_end(project: Path, table: str, depth: int = 2) -> None:
    """Makes pages of a table refer to one page many times over."""
    path = project / FILE
    changed(project, "PRAGMA journal_mode = DELETE")
    with closing(sqlite3.connect(path)) as connection:
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        query = "SELECT rootpage FROM sqlite_master WHERE name = ? AND type = 'table'"
        (root,) = connection.execute(query, (table,)).fetchone()
    content = bytearray(path.read_bytes())
    content += content[(root - 1) * size : root * size]
    for _ in range(depth):
        content += _interior(len(content) // size, size)
    content[(root - 1) * size : root * size] = _interior(len(content) // size, size)
    struct.pack_into(">I", content, 28, len(content) // size)
    path.write_bytes(content)


@pytest.mark.slow
@pytest.mark.parametrize(
    "query", ["SELECT count(DISTINCT content) FROM event", "SELECT event_id FROM event ORDER BY content LIMIT 1"]
)
def test_a_query_in_which_sqlite_itself_counts_or_sorts_without_end_is_ended(
    query: str, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "SECONDS_PER_QUERY", 0.2)
    _rows_without_end(project, "event")
    with open_store(project) as store:
        database = store.scrubbing._database
        for ask in (database.row, database.rows, database.run):
            with pytest.raises(StoreError, match="what is in it has no end"):
                ask(query)
        assert database.row("SELECT count(*) FROM run") == (1,)


def test_a_small_store_that_gives_rows_without_end_is_refused(project: Path) -> None:
    _rows_without_end(project, "event")
    with (
        open_store(project) as store,
        pytest.raises(StoreError, match=r"^\S+/fewtaps\.db: it is damaged: it has more rows than fit into the file"),
    ):
        store.scrubbing._database.rows("SELECT event_id, content FROM event")


def test_a_query_that_gives_large_values_over_and_over_is_refused(project: Path) -> None:
    with open_store(project) as store, pytest.raises(StoreError, match="more rows than fit into the file"):
        store.scrubbing._database.rows(f"{ENDLESS} SELECT zeroblob(1000000) FROM c")


def test_many_rows_that_are_not_yet_written_can_be_read(project: Path) -> None:
    with open_store(project, write=True) as store:
        database = store.scrubbing._database
        with database.transaction():
            database.run_many(
                "INSERT INTO app (package, version, digest) VALUES (?, '', '')", [(str(n),) for n in range(60_000)]
            )
            assert len(database.rows("SELECT * FROM app")) == 60_001


def _index_rows(page: int, size: int) -> bytes:
    """A leaf of the list of tables, full of rows of one index that a UNIQUE clause made."""
    names = [b"index", b"sqlite_autoindex_app_1", b"app"]
    body = bytes([6, *(13 + 2 * len(name) for name in names), 1, 0]) + b"".join(names) + bytes([page])
    leaf = bytearray(size)
    count = (size - 8) // (len(body) + 4)
    for number in range(count):
        place = size - (len(body) + 2) * (number + 1)
        leaf[place : place + len(body) + 2] = bytes([len(body), number % 100 + 1]) + body
        struct.pack_into(">H", leaf, 8 + 2 * number, place)
    struct.pack_into(">BHHHB", leaf, 0, 13, 0, count, place, 0)
    return bytes(leaf)


def test_a_list_of_tables_without_end_is_refused(project: Path) -> None:
    path = project / FILE
    changed(project, "PRAGMA journal_mode = DELETE")
    with closing(sqlite3.connect(path)) as connection:
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        query = "SELECT rootpage FROM sqlite_master WHERE name = 'sqlite_autoindex_app_1'"
        (page,) = connection.execute(query).fetchone()
    content = bytearray(path.read_bytes())
    assert content[100] == 5
    content += _index_rows(page, size)
    for _ in range(3):
        content += _interior(len(content) // size, size)
    # The last child of the root of the list.
    struct.pack_into(">I", content, 108, len(content) // size)
    struct.pack_into(">I", content, 28, len(content) // size)
    path.write_bytes(content)
    with pytest.raises(StoreError, match="what is in it has no end"), open_store(project):
        pass
