"""Tables of tables that are copied only where they are changed, because every episode has its own copy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Generic, TypeVar

Outer = TypeVar("Outer")
Inner = TypeVar("Inner")
Value = TypeVar("Value")


def drop_oldest(table: dict[Inner, Value], most: int) -> Sequence[Inner]:
    """If a table has more entries than `most`, drops the first ones down to three quarters; the dropped keys."""
    if len(table) <= most:
        return ()
    oldest = list(islice(table, len(table) - most * 3 // 4))
    for key in oldest:
        del table[key]
    return oldest


class Table(Generic[Outer, Inner, Value]):
    """Tables by key. A fork shares each of them until it is changed in one of the two."""

    def __init__(self) -> None:
        self._tables: dict[Outer, dict[Inner, Value]] = {}
        self._own: set[Outer] = set()
        self._none: dict[Inner, Value] = {}

    def fork(self) -> Table[Outer, Inner, Value]:
        """The same tables, to be changed apart from these."""
        fork: Table[Outer, Inner, Value] = Table()
        fork._tables = self._tables.copy()
        self._own = set()
        return fork

    def __getitem__(self, key: Outer) -> Mapping[Inner, Value]:
        return self._tables.get(key, self._none)

    def to_change(self, key: Outer) -> dict[Inner, Value]:
        """The table, which may now be changed."""
        if key not in self._own:
            self._tables[key] = dict(self._tables.get(key, self._none))
            self._own.add(key)
        return self._tables[key]

    def drop(self, key: Outer) -> None:
        """Drops a table, if there is one."""
        self._tables.pop(key, None)
        self._own.discard(key)

    def drop_oldest(self, most: int) -> None:
        """Drops the first tables until `most` are left."""
        for key in list(self._tables)[: max(0, len(self._tables) - most)]:
            self.drop(key)
