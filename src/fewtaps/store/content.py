"""How values become columns: JSON packed small, texts that SQLite can keep, and values that are stored only once."""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Generic, TypeVar

from fewtaps.errors import StoreError
from fewtaps.store.connection import Database, Value

MAX_CONTENT_BYTES = 256 << 20
"""No value needs so much; what unpacks to more is damaged, or an attempt to fill the memory."""

_SHORT = 160
"""Up to so many characters packing would save nothing worth its time, and people can read the column."""

_LEVEL = 6


def to_json(value: object) -> str:
    """JSON in ASCII, so that halves of characters survive, in the shortest form."""
    return json.dumps(value, separators=(",", ":"))


def packed(text: str) -> str | bytes:
    """JSON text for a column: as it is if short, else compressed by zlib."""
    return text if len(text) <= _SHORT else zlib.compress(text.encode(), _LEVEL)


def unpacked(value: object) -> bytes:
    """The text that `packed` took. Raises ValueError if it is none."""
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, bytes):
        return inflated(value)
    raise ValueError(f"neither text nor bytes: {value!r:.60}")


def deflated(data: bytes) -> bytes:
    """Bytes for a column, compressed by zlib."""
    return zlib.compress(data, _LEVEL)


def inflated(data: object) -> bytes:
    """The bytes that `deflated` took. Raises ValueError if they are damaged or far too many."""
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
    """The JSON data in a column. Raises ValueError if there is none."""
    return json.loads(unpacked(value))


def to_column(text: str) -> str:
    """Any text as one that SQLite can keep: half of a surrogate pair is written \\udXXX, a backslash twice."""
    if "\\" in text:
        text = text.replace("\\", "\\\\")
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")


def from_column(value: object) -> str:
    """The text that `to_column` took. Raises ValueError if it is none."""
    if not isinstance(value, str):
        raise ValueError(f"not a text: {value!r:.60}")
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)) if match[1] else "\\", value) if "\\" in value else value


_ESCAPE = re.compile(r"\\(?:\\|u(d[89a-f][0-9a-f]{2}))")

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Recent(Generic[K, V]):
    """A dictionary that remembers only the keys used last, so that a long exploration needs no more memory."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept: OrderedDict[K, V] = OrderedDict()

    def get(self, key: K) -> V | None:
        """The value of the key, if it is remembered."""
        value = self._kept.get(key)
        if value is not None:
            self._kept.move_to_end(key)
        return value

    def put(self, key: K, value: V) -> None:
        """Remembers a value, in place of the one not asked for the longest time."""
        self._kept[key] = value
        if len(self._kept) > self._limit:
            self._kept.popitem(last=False)

    def clear(self) -> None:
        """Forgets everything."""
        self._kept.clear()


def no_columns(_: object) -> Sequence[Value]:
    """For a table that has its content only."""
    return ()


def always(_: object) -> bool:
    """For values whose key costs little."""
    return True


class Shelf(Generic[V]):
    """A table of values that are stored once each, by the digest of their JSON form.

    `encode` gives that form, `decode` reads it; `key` tells values apart and must be cheap, at the latest after
    `encode`; `columns` are the names of further columns and `fill` what stands in them. So many values that were read
    are `remembered`, and four times as many row numbers.
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
        fill: Callable[[V], Sequence[Value]] = no_columns,
        has_key: Callable[[V], bool] = always,
        remembered: int,
    ) -> None:
        self._database, self._table = database, table
        self._encode, self._decode, self._key, self._has_key, self._fill = encode, decode, key, has_key, fill
        self._ids: Recent[Hashable, int] = Recent(4 * remembered)
        self._values: Recent[int, V] = Recent(remembered)
        names = ("digest", "content", *columns)
        self._find = f"SELECT {table}_id FROM {table} WHERE digest = ?"
        self._insert = f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"
        self._load = f"SELECT digest, content FROM {table} WHERE {table}_id = ?"

    def id_of(self, value: V) -> int:
        """The number of the value's row, which is written if there is none; to be called in a transaction."""
        # A value that cannot tell its key without being encoded is encoded once, for both.
        text = None if self._has_key(value) else self._encode(value)
        key = self._key(value)
        known = self._ids.get(key)
        if known is None:
            known = self._stored(value, self._encode(value) if text is None else text)
            self._ids.put(key, known)
        return known

    def value_of(self, row_id: object) -> V:
        """The value of a row; the same object again while it is remembered. Raises `StoreError` if it is damaged."""
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
        """Forgets which rows there are: to be called when a transaction was undone."""
        self._ids.clear()

    def _stored(self, value: V, text: bytes) -> int:
        digest = hashlib.blake2b(text, digest_size=16).digest()
        row = self._database.row(self._find, (digest,))
        if row is not None:
            return int(row[0])
        return self._database.run(self._insert, (digest, packed(text.decode()), *self._fill(value)))

    def _read(self, digest: object, content: object) -> V:
        text = unpacked(content)
        if hashlib.blake2b(text, digest_size=16).digest() != digest:
            raise ValueError("its content is not the one that was stored")
        return self._decode(json.loads(text))
