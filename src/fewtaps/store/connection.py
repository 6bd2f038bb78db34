"""Database: one connection, its transactions, and the one place where SQLite's errors become ours."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

from fewtaps.errors import StoreError
from fewtaps.files import FULL, is_full

Value: TypeAlias = str | bytes | int | float | None
Row: TypeAlias = tuple[Any, ...]

BUSY_TIMEOUT_SECONDS = 10

FOREIGN = (sqlite3.Error, UnicodeDecodeError)
"""What a connection may raise; the latter where a damaged file makes SQLite's own messages unreadable."""

ADVICE = "; put a copy of it back, or begin anew in another folder with -o"
"""What to do about a store that is damaged: there is nothing in it that could mend it."""

_REASONS = {
    sqlite3.SQLITE_FULL: FULL,
    sqlite3.SQLITE_NOTADB: f"it is no database, or a damaged one{ADVICE}",
    sqlite3.SQLITE_CORRUPT: f"it is damaged{ADVICE}",
    sqlite3.SQLITE_BUSY: "it is locked by another program",
    sqlite3.SQLITE_LOCKED: "it is locked by another program",
    sqlite3.SQLITE_PROTOCOL: "it is locked by another program",
    sqlite3.SQLITE_READONLY: "it, or its folder, may not be written",
    sqlite3.SQLITE_PERM: "access is denied",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened",
    sqlite3.SQLITE_TOOBIG: "a value is too large",
}


class Database:
    """A connection to the store's file. Whatever goes wrong in it is a `StoreError` that names the file."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection

    def rows(self, sql: str, values: Sequence[Value] = ()) -> list[Row]:
        """All rows of a question."""
        try:
            return self._connection.execute(sql, values).fetchall()
        except FOREIGN as error:
            raise self._translated(error) from error

    def row(self, sql: str, values: Sequence[Value] = ()) -> Row | None:
        """The first row of a question; None if there is none."""
        try:
            found: Row | None = self._connection.execute(sql, values).fetchone()
        except FOREIGN as error:
            raise self._translated(error) from error
        return found

    def run(self, sql: str, values: Sequence[Value] = ()) -> int:
        """Executes one statement; gives the number of the row, if it inserted one."""
        try:
            return self._connection.execute(sql, values).lastrowid or 0
        except FOREIGN as error:
            raise self._translated(error) from error

    def run_many(self, sql: str, rows: Iterable[Sequence[Value]]) -> None:
        """Executes one statement for each row."""
        try:
            self._connection.executemany(sql, rows)
        except FOREIGN as error:
            raise self._translated(error) from error

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All that is written inside is kept, or nothing of it."""
        try:
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                yield self._connection
                self._connection.execute("COMMIT")
            finally:
                # Some errors, a full disk among them, may have rolled it back already.
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
        except FOREIGN as error:
            raise self._translated(error) from error

    @contextmanager
    def reading(self, what: str) -> Iterator[None]:
        """Names the row that was being read, if it turns out not to be what the store writes."""
        try:
            yield
        except (ValueError, TypeError, RecursionError) as error:
            raise StoreError(f"{self.path}: {what} is damaged: {error}{ADVICE}") from error

    def close(self) -> None:
        """Ends the connection; harmless if called twice."""
        self._connection.close()

    def _translated(self, error: sqlite3.Error | UnicodeDecodeError) -> Exception:
        return translated(self.path, error)


def translated(path: Path, error: sqlite3.Error | UnicodeDecodeError) -> Exception:
    """Our error for one of SQLite's; its complaints about our own calls are defects and stay as they are."""
    if isinstance(error, sqlite3.ProgrammingError | sqlite3.InterfaceError):
        return error
    if isinstance(error, UnicodeDecodeError):
        return StoreError(f"{path}: it is damaged{ADVICE}")
    code = getattr(error, "sqlite_errorcode", 0)
    return StoreError(f"{path}: {_REASONS.get(code & 0xFF, str(error))}")


def translated_os(path: Path, error: OSError) -> StoreError:
    """Our error for one of the file system's."""
    if is_full(error):
        return StoreError(f"{path}: {FULL}")
    return StoreError(f"{path}: {error.strerror or error}")
