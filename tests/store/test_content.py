"""Values are converted to columns and back."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from builders import events, texts
from hypothesis import given
from hypothesis import strategies as st

from fewtaps.model.event import Event, event_from_json, event_to_json
from fewtaps.store.connection import Database
from fewtaps.store.content import (
    LruCache,
    ValueTable,
    deflated,
    from_column,
    from_json,
    inflated,
    packed,
    to_column,
    to_json,
)

json_data = st.recursive(
    texts | st.integers() | st.booleans() | st.none(), lambda inner: st.lists(inner) | st.dictionaries(texts, inner)
)
tricky = texts | st.text("\\ud8é\ud800\udfff0", max_size=10)


@given(tricky, tricky)
def test_every_text_has_its_own_column_and_comes_back(one: str, other: str) -> None:
    assert from_column(to_column(one)) == one
    assert (to_column(one) == to_column(other)) == (one == other)
    to_column(one).encode("utf-8")


@given(json_data)
def test_json_comes_back_packed_or_not(value: object) -> None:
    assert from_json(packed(to_json(value))) == value


def test_only_long_json_is_compressed() -> None:
    assert packed("[1]") == "[1]"
    assert isinstance(packed(to_json(["again"] * 100)), bytes)
    assert len(packed(to_json(["again"] * 100))) < 100


@pytest.mark.parametrize("value", [b"", b"abc", deflated(b"abc")[:-1], None, 5, "text"])
def test_a_value_that_deflated_did_not_make_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="compressed data|not bytes"):
        inflated(value)


def test_the_least_recently_used_key_is_dropped_first() -> None:
    cache: LruCache[int, str] = LruCache(2)
    cache.put(1, "one")
    cache.put(2, "two")
    assert cache.get(1) == "one"
    cache.put(3, "three")
    assert (cache.get(1), cache.get(2), cache.get(3)) == ("one", None, "three")


@pytest.fixture(scope="module")
def database() -> Iterator[Database]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.execute("CREATE TABLE event (event_id INTEGER PRIMARY KEY, digest BLOB UNIQUE, content)")
        yield Database(Path("memory"), connection)


@given(values=st.lists(events, max_size=20))
def test_a_value_has_one_row_also_after_its_number_left_the_cache(values: list[Event], database: Database) -> None:
    def encode(event: Event) -> bytes:
        return to_json(event_to_json(event)).encode()

    table = ValueTable(database, "event", encode, event_from_json, encode, remembered=1)
    rows = [table.id_of(value) for value in values]
    assert [table.id_of(value) for value in reversed(values)] == rows[::-1]
    table.forget()
    assert [table.id_of(value) for value in values] == rows
    assert [table.value_of(row) for row in rows] == values
    assert len(set(rows)) == len({encode(value) for value in values})
