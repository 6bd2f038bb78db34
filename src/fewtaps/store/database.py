"""Opens the store of a project folder: for one writer at a time, and for any number of readers."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path
from urllib.parse import quote

from fewtaps.errors import NotFound, SchemaTooNew, StoreError, UsageError
from fewtaps.files import require_inside
from fewtaps.model.event import printable
from fewtaps.store import migrations, schema
from fewtaps.store.connection import (
    ADVICE,
    BUSY_TIMEOUT_SECONDS,
    SQLITE_ERRORS,
    Database,
    Patience,
    limit,
    opening_patience,
    translated,
    translated_os,
)
from fewtaps.store.genuine import unknown_entry
from fewtaps.store.journal import require_own_journal
from fewtaps.store.lock import LOCK, locked
from fewtaps.store.pictures import FOLDER as PICTURES
from fewtaps.store.pictures import Pictures
from fewtaps.store.results import Results
from fewtaps.store.runs import Runs
from fewtaps.store.screen_pictures import ScreenPictures
from fewtaps.store.scrubbing import Scrubbing
from fewtaps.store.slices import Slices
from fewtaps.store.trials import TrialsAndPrior

FILE = "fewtaps.db"
ENTRIES = (
    *(FILE, f"{FILE}-wal", f"{FILE}-shm", f"{FILE}-journal", LOCK, PICTURES),
    *("suite", "suite-runs.jsonl", "suite-made.json", "report", "log", "served"),
)
"""The files and folders that Fewtaps itself makes in a project folder."""


class Store:
    """Everything stored in a project folder. Only the thread that opened it may use it."""

    def __init__(self, folder: Path, database: Database) -> None:
        self.folder = folder
        self.pictures = Pictures(folder)
        self.runs = Runs(database, self.pictures)
        self.results = Results(database)
        self.slices = Slices(database)
        self.trials = TrialsAndPrior(database)
        self.screen_pictures = ScreenPictures(database, self.pictures)
        self.scrubbing = Scrubbing(database, self.pictures)


@contextmanager
def open_store(folder: str | os.PathLike[str], *, create: bool = False, write: bool = False) -> Iterator[Store]:
    """The store of a project folder, closed with the `with` block.

    `write` opens it for writing: a folder has one writer at a time, and readers may read meanwhile. `create` opens it
    for writing too, and makes a missing folder or store; without it, `NotFound` is raised for a missing one. A store of
    an older version is migrated first, also for a reader. Raises `SchemaTooNew` for a store of a newer fewtaps, and
    `StoreError` if it cannot be read or written for another reason. Raises `UsageError` if a file or folder of
    Fewtaps in it is a link that leads out of it.
    """
    place = Path(folder)
    _require_folder(place, create)
    # The folder may come from elsewhere: nothing outside of it is read, written or removed by way of its links.
    require_inside(place, *ENTRIES)
    path = place / FILE
    if not create and not path.exists():
        raise NotFound.at(place, f"nothing has been explored here (there is no {FILE})")
    if not create and not write and _can_be_upgraded(path):
        with open_store(place, write=True):
            pass
    with locked(place) if create or write else nullcontext():
        connection = _connect(path, "rwc" if create else "rw" if write else "")
        with closing(connection):
            _check(connection, path, create or write)
            store = Store(place, Database(path, connection))
            if create or write:
                store.pictures.remove_partial_files()
            yield store


def _require_folder(folder: Path, create: bool) -> None:
    try:
        if create:
            folder.mkdir(parents=True, exist_ok=True)
        elif not folder.exists():
            raise NotFound.at(folder, "there is no such folder")
    except (FileExistsError, NotADirectoryError) as error:
        raise UsageError(f"{folder}: not a folder") from error
    except OSError as error:
        raise translated_os(folder, error) from error
    if not folder.is_dir():
        raise UsageError(f"{folder}: not a folder")


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    """A connection in the given mode. An empty mode is for a reader: "rw" in a writable folder, else read-only."""
    is_reader = not mode
    require_own_journal(path)
    mode = mode or ("rw" if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK) else _read_only_mode(path))
    try:
        connection = sqlite3.connect(
            f"file:{quote(os.fspath(path.absolute()))}?mode={mode}",
            uri=True,
            timeout=BUSY_TIMEOUT_SECONDS,
            isolation_level=None,
        )
        try:
            limit(connection, opening_patience(path))
            # The file may come from an untrusted source: no code in its schema may run.
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute("PRAGMA cell_size_check = ON")
            connection.execute("PRAGMA foreign_keys = ON")
            if is_reader:
                connection.execute("PRAGMA query_only = ON")
        except BaseException:
            connection.close()
            raise
    except SQLITE_ERRORS as error:
        raise translated(path, error) from error
    return connection


def _can_be_upgraded(path: Path) -> bool:
    """Whether the file is a store of an older version and may be written."""
    if not os.access(path, os.W_OK) or not os.access(path.parent, os.W_OK):
        return False
    with closing(_connect(path, "")) as connection:
        try:
            return 0 < _version(connection, path) < schema.VERSION
        except SQLITE_ERRORS as error:
            raise translated(path, error) from error


def _read_only_mode(path: Path) -> str:
    """The mode for a folder that may not be written: without a WAL file, SQLite can only open it as immutable."""
    wal = path.with_name(f"{path.name}-wal")
    return "ro" if wal.exists() and wal.stat().st_size else "ro&immutable=1"


def _check(connection: sqlite3.Connection, path: Path, write: bool) -> None:
    """Raises an error unless the file is a store of this version. For a writer, migrates an empty or older one."""
    try:
        found = _version(connection, path)
        limit(connection, Patience(path))
        if found > schema.VERSION:
            raise SchemaTooNew(
                f"{path}: written by a newer fewtaps (version {found} of the store; this one knows {schema.VERSION});"
                " use that one, or begin anew in another folder with -o"
            )
        if not write and found < schema.VERSION:
            _refuse_old(path, found)
        if write:
            _prepare(connection, found)
    except SQLITE_ERRORS as error:
        raise translated(path, error) from error


def _version(connection: sqlite3.Connection, path: Path) -> int:
    # One transaction for all reads: another process may be creating the store now.
    connection.execute("BEGIN")
    try:
        (found,) = connection.execute("PRAGMA user_version").fetchone()
        (owner,) = connection.execute("PRAGMA application_id").fetchone()
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        is_known = found <= schema.VERSION and owner == schema.APPLICATION_ID
        unknown = unknown_entry(connection) if is_known else None
    finally:
        # SQLite itself rolls back on some errors, such as a full disk.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
    if owner != schema.APPLICATION_ID and (tables or found or owner):
        raise StoreError(f"{path}: a database of another program")
    if unknown is not None:
        raise StoreError(
            f"{path}: damaged, or not written by fewtaps: {printable(unknown)} is none of its tables{ADVICE}"
        )
    return int(found)


def _refuse_old(path: Path, found: int) -> None:
    if found == 0:
        raise NotFound.at(path.parent, f"nothing has been explored here ({path.name} is empty)")
    raise StoreError(
        f"{path}: written by an older fewtaps (version {found} of the store, now {schema.VERSION});"
        f" `fewtaps run APK -o {path.parent}` brings it up to date, and loses nothing"
    )


def _prepare(connection: sqlite3.Connection, found: int) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    # NORMAL: committed episodes survive the end of this process; a power failure can lose the last ones.
    connection.execute("PRAGMA synchronous = NORMAL")
    if found < schema.VERSION:
        migrations.upgrade(connection, found)
