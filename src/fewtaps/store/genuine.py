"""Tells whether a store holds what Fewtaps makes and nothing else, before anything in it is asked for.

A view named like a table, a trigger or a generated column is code in a file of others: a query of an ordinary table
would run it, without end if it is written so.
"""

from __future__ import annotations

import hashlib
import re
import sqlite3
from functools import cache

from fewtaps.store.schema import SCHEMA, statements

_OLDER = frozenset(
    {
        "3b289b1157a1ec3453b3a4bd444db9a6",  # crash_sighting of 1 to 3
        "f23c958e037e1ee7bf5f126926569410",  # execution of 1 to 3
        "f2d9a03f2428b34a90e50de929f9031a",  # outing of 1 to 3
        "8cd6c65687ccfcfd95311df8ec809810",  # picture of 1 to 3
        "39092cce9f3dd8b24d2d5faff6c576ad",  # reduction of 1 to 3
        "7effb2b2c06786c5787cc9f2e88670a0",  # run of 1 to 3
        "d4bc7cf9813890b5ec0ab697c9251689",  # step of 1 to 3
        "fa2a5f0810135f4082e4aefe9abe630e",  # improvement of 2 to 3
        "f5f9be9541ba92b8cba2d5c0205969c3",  # step of 4
    }
)
"""The digests of statements of versions before this one that `SCHEMA` has no more, as `_digest` makes them."""

_COMMENT = re.compile(r"--[^\n]*")


def unknown_entry(connection: sqlite3.Connection) -> str | None:
    """The name of the first table, index, view or trigger that no version of Fewtaps made so; None if there is none."""
    for kind, name, sql in connection.execute("SELECT type, name, sql FROM sqlite_master"):
        # The index of a UNIQUE or PRIMARY KEY clause has no statement of its own.
        is_known = kind == "index" if sql is None else isinstance(sql, str) and _digest(sql) in _known()
        if not is_known:
            return str(name)
    return None


@cache
def _known() -> frozenset[str]:
    return _OLDER | {_digest(statement) for statement in statements(SCHEMA)}


def _digest(statement: str) -> str:
    """A digest of a statement without its comments and line ends.

    No statement that Fewtaps makes has a quote, and those of others keep theirs, so no comment is cut out of a text.
    """
    words = " ".join(_COMMENT.sub("", statement).removesuffix(";").split())
    return hashlib.blake2b(words.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
