"""The comments in the SQL text are the documentation, so every table and column has one."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing

import pytest

from fewtaps.store import migrations, schema


@pytest.fixture
def tables() -> dict[str, str]:
    """By name, the SQL of each table as SQLite keeps it."""
    with closing(sqlite3.connect(":memory:")) as connection:
        migrations.upgrade(connection, 0)
        return dict(connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'").fetchall())


def test_every_table_and_every_column_says_what_it_is(tables: dict[str, str]) -> None:
    assert len(tables) > 10
    for name, text in tables.items():
        _, first, *lines = text.splitlines()
        assert first.strip().startswith("-- "), name
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.execute(text)
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({name})")]
        for column in columns:
            assert any(re.match(rf"\s+{column},? .*-- \S", line) for line in lines), f"{name}.{column}"


def test_tables_are_singular_and_keys_are_named_after_them(tables: dict[str, str]) -> None:
    for name, text in tables.items():
        assert not name.endswith("s"), name
        for target in re.findall(r"(\w+)_id INTEGER .*REFERENCES (\w+)", text):
            roles = {("before", "screen"), ("after", "screen"), ("ran", "coverage")}
            assert target[0] == target[1] or (target[0], target[1]) in roles


def test_a_script_is_cut_only_where_a_statement_ends() -> None:
    script = "CREATE TABLE a (\n    b TEXT DEFAULT 'x;y' -- one; two\n);\nDROP TABLE a;\n"
    assert list(schema.statements(script)) == [script[: script.index("DROP")].strip(), "DROP TABLE a;"]
    with pytest.raises(ValueError, match="without an end"):
        list(schema.statements("SELECT 1"))
