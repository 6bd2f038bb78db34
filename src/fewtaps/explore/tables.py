"""Tables of tables that are copied only where they are changed, because every episode has its own copy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Generic, TypeVar

Inner = TypeVar("Inner")
Key = TypeVar("Key")


def drop_oldest(table: dict[Key, Inner], most: int) -> Sequence[Key]:
    """Takes the first quarter out of a table that has more entries than that; what was taken out."""
    if len(table) <= most:
        return ()
    oldest = list(islice(table, len(table) - most * 3 // 4))
    for key in oldest:
        del table[key]
    return oldest


class Table(Generic[Inner]):
    """Tables by name, each shared with the forks of this one until somebody changes it."""

    def __init__(self) -> None:
        self._tables: dict[str, dict[str, Inner]] = {}
        self._own: set[str] = set()
        self._none: dict[str, Inner] = {}

    def fork(self) -> Table[Inner]:
        """The same tables, to be changed apart from these."""
        fork: Table[Inner] = Table()
        fork._tables = self._tables.copy()
        self._own = set()
        return fork

    def __getitem__(self, name: str) -> Mapping[str, Inner]:
        return self._tables.get(name, self._none)

    def to_change(self, name: str) -> dict[str, Inner]:
        """The table, which may now be changed."""
        if name not in self._own:
            self._tables[name] = dict(self._tables.get(name, self._none))
            self._own.add(name)
        return self._tables[name]

    def drop(self, name: str) -> None:
        """Forgets a table, if there is one of this name."""
        self._tables.pop(name, None)
        self._own.discard(name)

    def drop_oldest(self, kept: int) -> None:
        """Forgets all but so many tables."""
        for name in list(self._tables)[: max(0, len(self._tables) - kept)]:
            self.drop(name)
