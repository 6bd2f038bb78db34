"""Refuses a rollback journal that Fewtaps did not leave, before SQLite plays it back.

A journal may end with the name of a super-journal, by which SQLite commits to several attached databases at once. When
it plays such a journal back, it deletes the file of that name, wherever it is. Fewtaps attaches no databases, so no
journal of a killed Fewtaps ends so.
"""

from __future__ import annotations

import os
from pathlib import Path

from fewtaps.errors import StoreError
from fewtaps.files import open_regular
from fewtaps.store.connection import translated_os

_MAGIC = bytes.fromhex("d9d505f920a163d7")
"""The last bytes of a journal that names a super-journal."""


def require_own_journal(path: Path) -> None:
    """Raises StoreError if the store's journal names another file, or is no regular file; before a connection."""
    # SQLite looks for it beside the file that a link leads to.
    for place in dict.fromkeys((os.path.abspath(path), os.path.realpath(path))):
        journal = Path(f"{place}-journal")
        try:
            end = _end(journal)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise translated_os(journal, error) from error
        if end == _MAGIC:
            raise StoreError(f"{journal}: not written by fewtaps: it makes SQLite delete another file; remove it")


def _end(journal: Path) -> bytes:
    with open(journal, "rb", opener=_open) as stream:
        stream.seek(max(0, os.fstat(stream.fileno()).st_size - len(_MAGIC)))
        return stream.read(len(_MAGIC))


def _open(path: str, flags: int) -> int:
    return open_regular(path, flags | os.O_NOFOLLOW)
