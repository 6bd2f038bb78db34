"""Converts values to columns: compressed JSON, texts that SQLite accepts, and tables that store equal values once."""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from enum import Enum
from typing import Any, Generic, TypeVar

from fewtaps.errors import StoreError
from fewtaps.store.connection import Database, Value

MAX_CONTENT_BYTES = 256 << 20
"""Largest size of unpacked content. A longer one is damaged, or made to fill the memory."""

_SHORT = 160
"""JSON up to this many characters is stored as plain text: compression would save little."""

_LEVEL = 6
"""Compression level of zlib."""


def to_json(value: object) -> str:
    """JSON in ASCII, so that unpaired surrogates survive, without spaces."""
    return json.dumps(value, separators=(",", ":"))


def packed(text: str) -> str | bytes:
    """JSON text for a column: unchanged if it is short, else compressed by zlib."""
    return text if len(text) <= _SHORT else zlib.compress(text.encode(), _LEVEL)


def unpacked(value: object) -> bytes:
    """The text that `packed` was given. Raises ValueError for a value that `packed` cannot have made."""
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, bytes):
        return inflated(value)
    raise ValueError(f"neither text nor bytes: {value!r:.60}")


def deflated(data: bytes) -> bytes:
    """Bytes for a column, compressed by zlib."""
    return zlib.compress(data, _LEVEL)


def inflated(data: object) -> bytes:
    """The bytes that `deflated` was given. Raises ValueError if they are damaged or over `MAX_CONTENT_BYTES`."""
    if not isinstance(data, bytes):
        raise ValueError(f"not bytes: {data!r:.60}")
    unpacker = zlib.decompressobj()
    try:
        result = unpacker.decompress(data, MAX_CONTENT_BYTES)
    except zlib.error as error:
        raise ValueError(f"not compressed data: {error}") from None
    if not unpacker.eof:
        raise ValueError("compressed data without an end")
    return result


def from_json(value: object) -> Any:
    """The JSON data in a column. Raises ValueError if the column holds no JSON."""
    return json.loads(unpacked(value))


def to_column(text: str) -> str:
    """Any text in a form that SQLite accepts: an unpaired surrogate becomes \\udXXX, a backslash becomes two."""
    if "\\" in text:
        text = text.replace("\\", "\\\\")
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")


def from_column(value: object) -> str:
    """The text that `to_column` was given. Raises ValueError if the value is no text."""
    if not isinstance(value, str):
        raise ValueError(f"not a text: {value!r:.60}")
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)) if match[1] else "\\", value) if "\\" in value else value


E = TypeVar("E", bound=Enum)


def enum_from_column(kind: type[E], value: object) -> E:
    """The member with this value. Raises ValueError if there is none: a newer fewtaps may have more members."""
    try:
        return kind(value)
    except ValueError:
        raise ValueError(f"{value!r:.60} is no {kind.__name__} that this version of fewtaps knows") from None


_ESCAPE = re.compile(r"\\(?:\\|u(d[89a-f][0-9a-f]{2}))")

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class LruCache(Generic[K, V]):
    """A dictionary of at most `limit` keys; the least recently used one is dropped first."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept: OrderedDict[K, V] = OrderedDict()

    def get(self, key: K) -> V | None:
        """The value of the key; None if it is not in the cache."""
        value = self._kept.get(key)
        if value is not None:
            self._kept.move_to_end(key)
        return value

    def put(self, key: K, value: V) -> None:
        """Adds a value, and drops the least recently used one if there are too many."""
        self._kept[key] = value
        if len(self._kept) > self._limit:
            self._kept.popitem(last=False)

    def clear(self) -> None:
        self._kept.clear()


def no_columns(_: object) -> Sequence[Value]:
    """The default of `column_values`: the table has no further columns."""
    return ()


def always(_: object) -> bool:
    """The default of `has_key`: the key is cheap without encoding."""
    return True


class ValueTable(Generic[V]):
    """A table in which each value has one row, found by the digest of the value's JSON form.

    `encode` gives that form, `decode` reads it. `key` tells values apart; `has_key` says whether it is cheap without
    a call of `encode` before it. `columns` are the names of further columns, and `column_values` gives their values.
    `remembered` is how many values that were read are cached; row numbers are cached for four times as many.
    """

    def __init__(
        self,
        database: Database,
        table: str,
        encode: Callable[[V], bytes],
        decode: Callable[[object], V],
        key: Callable[[V], Hashable],
        *,
        columns: Sequence[str] = (),
        column_values: Callable[[V], Sequence[Value]] = no_columns,
        has_key: Callable[[V], bool] = always,
        remembered: int,
    ) -> None:
        self._database, self._table = database, table
        self._encode, self._decode, self._key, self._has_key = encode, decode, key, has_key
        self._column_values = column_values
        self._ids: LruCache[Hashable, int] = LruCache(4 * remembered)
        self._values: LruCache[int, V] = LruCache(remembered)
        names = ("digest", "content", *columns)
        self._find = f"SELECT {table}_id FROM {table} WHERE digest = ?"
        self._insert = f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"
        self._load = f"SELECT digest, content FROM {table} WHERE {table}_id = ?"

    def id_of(self, value: V) -> int:
        """The number of the value's row. Inserts the row if there is none. Needs an open transaction."""
        # If the key needs the encoded form, the value is encoded once, for key and row.
        text = None if self._has_key(value) else self._encode(value)
        key = self._key(value)
        known = self._ids.get(key)
        if known is None:
            known = self._stored(value, self._encode(value) if text is None else text)
            self._ids.put(key, known)
        return known

    def value_of(self, row_id: object) -> V:
        """The value of a row; the same object again while it is cached. Raises `StoreError` if it is damaged."""
        if not isinstance(row_id, int):
            raise ValueError(f"not the number of a row: {row_id!r:.60}")
        value = self._values.get(row_id)
        if value is None:
            row = self._database.row(self._load, (row_id,))
            if row is None:
                raise StoreError(f"{self._database.path}: {self._table} {row_id} is missing")
            with self._database.reading(f"{self._table} {row_id}"):
                value = self._read(*row)
            self._values.put(row_id, value)
        return value

    def forget(self) -> None:
        """Clears the cached row numbers. Call it after a rollback, which may have removed rows."""
        self._ids.clear()

    def _stored(self, value: V, text: bytes) -> int:
        digest = hashlib.blake2b(text, digest_size=16).digest()
        row = self._database.row(self._find, (digest,))
        if row is not None:
            return int(row[0])
        return self._database.run(self._insert, (digest, packed(text.decode()), *self._column_values(value)))

    def _read(self, digest: object, content: object) -> V:
        text = unpacked(content)
        if hashlib.blake2b(text, digest_size=16).digest() != digest:
            raise ValueError("its content is not the one that was stored")
        return self._decode(json.loads(text))
