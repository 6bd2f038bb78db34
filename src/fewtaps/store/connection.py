"""Database: one connection and its transactions. SQLite's errors become `StoreError` here and in `store.database`."""

from __future__ import annotations

import marshal
import os
import sqlite3
import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeAlias

from fewtaps.errors import StoreError
from fewtaps.files import FULL, lack_of_room

Value: TypeAlias = str | bytes | int | float | None
Row: TypeAlias = tuple[Any, ...]

BUSY_TIMEOUT_SECONDS = 10

LOG_INDEX_BYTES = 64 << 10
"""SQLite lets the index of its log grow by 32 KB at a time; with less than twice that, the disk is full."""

MAX_VALUE_BYTES = 64 << 20
"""Longest text, BLOB or row; long contents are compressed."""

FEW_ROWS = 16
"""So many rows are fetched without a look at the size of the store."""

PORTION_ROWS = 1000
PORTION_BYTES = 256 << 20
"""At most so much is fetched at once before it is counted."""

SPARE_ROWS = 100_000
SPARE_BYTES = 64 << 20
"""A query may give so much beyond what the file's size allows: rows that a writer has not yet written to it."""

LEAST_ROW_BYTES = 4
"""A row of a table takes more than that in the file."""

BYTES_PER_BYTE = 16
"""A number takes up to five bytes where they are counted, and often one in the file."""

INSTRUCTIONS_PER_LOOK = 20_000
"""After so many instructions of SQLite's machine, a millisecond or so, Python looks whether a signal came."""

OPENING_LOOKS = 50
"""Reading the list of a store's tables takes far less than one look, however large the store is."""

SECONDS_PER_QUERY = 60.0
SECONDS_PER_BYTE = 1e-6
"""A query may take so long, and a second more for each MB of the file. In a sound store none takes a tenth of that."""

SQLITE_ERRORS = (sqlite3.Error, UnicodeDecodeError)
"""What a connection may raise. UnicodeDecodeError occurs when a damaged file makes SQLite's message undecodable."""

ADVICE = "; put a copy of it back, or begin anew in another folder with -o"
"""The end of every message about a damaged store: fewtaps cannot repair one."""

_REASONS = {
    sqlite3.SQLITE_NOTADB: f"it is no database, or a damaged one{ADVICE}",
    sqlite3.SQLITE_CORRUPT: f"it is damaged{ADVICE}",
    sqlite3.SQLITE_INTERRUPT: f"it is damaged: what is in it has no end{ADVICE}",
    sqlite3.SQLITE_BUSY: "it is locked by another program",
    sqlite3.SQLITE_LOCKED: "it is locked by another program",
    sqlite3.SQLITE_PROTOCOL: "it is locked by another program",
    sqlite3.SQLITE_READONLY: "it, or its folder, may not be written",
    sqlite3.SQLITE_PERM: "access is denied",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened",
    sqlite3.SQLITE_TOOBIG: "a value is too large",
}


class Database:
    """A connection to the store's file. Every failure of the file is raised as a `StoreError` that names it."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection
        self._patience = Patience(path)
        limit(connection, self._patience)

    def rows(self, sql: str, values: Sequence[Value] = ()) -> list[Row]:
        """All rows that a query gives.

        The pages of a damaged file may refer to one page many times over, so that a small file has rows without end.
        No query of a store gives one row of a table many times, so the file's size limits the rows and their bytes.
        Raises `StoreError` for more.
        """
        self._patience.begin()
        try:
            cursor = self._connection.execute(sql, values)
            found = cursor.fetchmany(FEW_ROWS)
            if len(found) == FEW_ROWS:
                self._fetch_more(cursor, found)
            return found
        except SQLITE_ERRORS as error:
            raise self._translated(error) from error

    def _fetch_more(self, cursor: sqlite3.Cursor, found: list[Row]) -> None:
        size = _size(self.path)
        rows_left, bytes_left = SPARE_ROWS + size // LEAST_ROW_BYTES, SPARE_BYTES + BYTES_PER_BYTE * size
        # No value is longer than the file.
        portion = min(max(PORTION_BYTES // (min(size, MAX_VALUE_BYTES) + 1), 4), PORTION_ROWS)
        while more := cursor.fetchmany(portion):
            found += more
            rows_left -= len(more)
            # The quickest way to learn how long all values are.
            bytes_left -= len(marshal.dumps(more, 2))
            if rows_left < 0 or bytes_left < 0:
                cursor.close()
                raise StoreError(f"{self.path}: it is damaged: it has more rows than fit into the file{ADVICE}")

    def row(self, sql: str, values: Sequence[Value] = ()) -> Row | None:
        """The first row that a query gives; None if there is none."""
        self._patience.begin()
        try:
            found: Row | None = self._connection.execute(sql, values).fetchone()
        except SQLITE_ERRORS as error:
            raise self._translated(error) from error
        return found

    def run(self, sql: str, values: Sequence[Value] = ()) -> int:
        """Executes one statement; gives the number of the row it inserted, else 0."""
        self._patience.begin()
        try:
            return self._connection.execute(sql, values).lastrowid or 0
        except SQLITE_ERRORS as error:
            raise self._translated(error) from error

    def run_many(self, sql: str, rows: Iterable[Sequence[Value]]) -> None:
        """Executes one statement for each row."""
        self._patience.begin()
        try:
            self._connection.executemany(sql, rows)
        except SQLITE_ERRORS as error:
            raise self._translated(error) from error

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Commits at the end of the `with` block; rolls back if the block raises."""
        try:
            try:
                self._patience.begin()
                self._connection.execute("BEGIN IMMEDIATE")
                yield self._connection
                self._patience.begin()
                self._connection.execute("COMMIT")
            finally:
                # SQLite itself rolls back on some errors, such as a full disk.
                self._patience.begin()
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
        except SQLITE_ERRORS as error:
            raise self._translated(error) from error

    @contextmanager
    def reading(self, what: str) -> Iterator[None]:
        """Turns errors of the decoding inside into a `StoreError` that calls `what` damaged."""
        try:
            yield
        except (ValueError, TypeError, RecursionError) as error:
            raise StoreError(f"{self.path}: {what} is damaged: {error}{ADVICE}") from error

    def close(self) -> None:
        """Closes the connection; a second call has no effect."""
        self._connection.close()

    def _translated(self, error: sqlite3.Error | UnicodeDecodeError) -> BaseException:
        return translated(self.path, error)


_signalled: list[BaseException] = []
"""What handlers of signals raised while SQLite was at work. They run in the main thread alone."""


class Patience:
    """How long a query may take: until a moment after its beginning, and for so many looks at most.

    The pages of a damaged file may refer to one page many times over, so that SQLite counts or sorts without end before
    it gives a row.
    """

    def __init__(self, path: Path, most_looks: int | None = None) -> None:
        self._path = path
        self._looks_left = most_looks
        self._began = time.monotonic()

    def begin(self) -> None:
        """Called before each statement."""
        self._began = time.monotonic()

    def is_over(self) -> bool:
        """Called at each look."""
        if self._looks_left is not None:
            self._looks_left -= 1
            if self._looks_left < 0:
                return True
        taken = time.monotonic() - self._began
        return taken > SECONDS_PER_QUERY and taken > SECONDS_PER_QUERY + SECONDS_PER_BYTE * _size(self._path)


def opening_patience(path: Path) -> Patience:
    """For a query that has to end soon, whatever is in the store."""
    return Patience(path, OPENING_LOOKS)


def limit(connection: sqlite3.Connection, patience: Patience) -> None:
    """Limits the length of values and the time of queries, and lets signals end a query that takes long."""
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
    looks = _look_for_signals(patience)
    # Up to its first `yield`: from there on it is inside its `try`.
    next(looks)
    connection.set_progress_handler(looks.__next__, INSTRUCTIONS_PER_LOOK)


def _look_for_signals(patience: Patience) -> Generator[int, None, None]:
    """Yields 1, which ends the query, if the handler of a signal raised an exception or patience is over, else 0.

    Python runs such a handler where its own code goes on, which is inside the `try` here. From a function, the
    exception would leave at its first instruction, and SQLite would forget it.
    """
    answer = 0
    while True:
        try:
            while True:
                yield answer
                answer = int(patience.is_over())
        except GeneratorExit:
            return
        except BaseException as error:  # noqa: BLE001 - raised again by `translated`
            _signalled.append(error)
            answer = 1


def translated(path: Path, error: sqlite3.Error | UnicodeDecodeError) -> BaseException:
    """A `StoreError` for an error of SQLite; errors that mean a wrong call by fewtaps are given back unchanged.

    If a signal ended the query, it is what the signal's handler raised.
    """
    if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_INTERRUPT and _signalled:
        return _signalled.pop()
    if isinstance(error, sqlite3.ProgrammingError | sqlite3.InterfaceError):
        return error
    if isinstance(error, UnicodeDecodeError):
        return StoreError(f"{path}: it is damaged{ADVICE}")
    code = getattr(error, "sqlite_errorcode", 0)
    if code & 0xFF == sqlite3.SQLITE_IOERR and _has_no_room(path):
        # SQLite's name for a full disk where it is the index of the log that cannot grow.
        return StoreError.of_no_room(f"{path}: {FULL}")
    if code & 0xFF == sqlite3.SQLITE_FULL:
        return StoreError.of_no_room(f"{path}: {FULL}")
    return StoreError(f"{path}: {_REASONS.get(code & 0xFF, str(error))}")


def _size(path: Path) -> int:
    """The bytes of a store's file and of its log."""
    total = 0
    for place in (path, path.with_name(f"{path.name}-wal")):
        with suppress(OSError):
            total += place.stat().st_size
    return total


def _has_no_room(path: Path) -> bool:
    """Whether the disk has less room than the index of SQLite's log takes at least."""
    try:
        room = os.statvfs(path.parent)
    except OSError:
        return False
    return room.f_bavail * room.f_frsize < LOG_INDEX_BYTES


def translated_os(path: Path, error: OSError) -> StoreError:
    """A `StoreError` for an error of the file system."""
    if lack := lack_of_room(error):
        return StoreError.of_no_room(f"{path}: {lack}")
    return StoreError.at(path, error.strerror or str(error))
