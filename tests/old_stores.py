"""Stores of older versions, as these versions made them; tests/data/README.md says how."""

from __future__ import annotations

import gzip
import sqlite3
from contextlib import closing
from pathlib import Path

from fewtaps.store.database import FILE
from fewtaps.store.schema import APPLICATION_ID

DATA = Path(__file__).parent / "data"


def unpack_project(folder: Path) -> Path:
    """A project of version 3, with explorations and reductions of the simulated app flakylock."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / FILE).write_bytes(gzip.decompress((DATA / "project-v3.sqlite.gz").read_bytes()))
    return folder


def make_store(folder: Path, version: int, *statements: str) -> Path:
    """An empty store of an older version, with what the statements put into it."""
    folder.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(folder / FILE, isolation_level=None)) as connection:
        connection.executescript((DATA / f"schema-v{version}.sql").read_text("utf-8"))
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {version}")
        for statement in statements:
            connection.execute(statement)
    return folder
