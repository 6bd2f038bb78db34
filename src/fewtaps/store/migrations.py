"""Migrates a store of an older version to the version of `schema.SCHEMA`, in one transaction.

A migrated store has the same schema text as a fresh one, comments included: every table whose text differs is made anew
from `SCHEMA`, and its rows are copied.
"""

from __future__ import annotations

import ast
import json
import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeAlias

from fewtaps.model.episode import EpisodeEnd
from fewtaps.model.exploration_end import EndKind
from fewtaps.model.goal import GoalKind
from fewtaps.model.trace import Aim
from fewtaps.store import schema
from fewtaps.store.content import from_column, to_column, to_json
from fewtaps.store.schema import APPLICATION_ID, SCHEMA, statements

Migration: TypeAlias = Callable[[sqlite3.Connection], None]
Copying: TypeAlias = Callable[[sqlite3.Connection, str], None]
"""Copies the rows of the old table with this name."""

_NAME = re.compile(r"CREATE (TABLE|INDEX) (\w+)")
_OLD = "old_"
"""The prefix of a table that is being replaced."""


def upgrade(connection: sqlite3.Connection, found: int) -> None:
    """Migrates a store from the version found, 0 for an empty file, to this one.

    It is one transaction: if the program is killed, the store is unchanged.
    """
    with _migrating(connection):
        if found == 0:
            for statement in statements(SCHEMA):
                connection.execute(statement)
        for number in range(found or schema.VERSION, schema.VERSION):
            MIGRATIONS[number](connection)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {schema.VERSION}")


@contextmanager
def _migrating(connection: sqlite3.Connection) -> Iterator[None]:
    """One transaction in which tables can be renamed without a change of the tables that reference them."""
    (foreign_keys,) = connection.execute("PRAGMA foreign_keys").fetchone()
    # Inside a transaction these two pragmas would have no effect.
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute("PRAGMA legacy_alter_table = ON")
    try:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        connection.execute("PRAGMA legacy_alter_table = OFF")
        connection.execute(f"PRAGMA foreign_keys = {foreign_keys}")


# Version 2 added improvement, replay and screen_picture. The migration to version 4 adds their comments.

_ADDED_IN_2 = """\
CREATE TABLE improvement (
    question TEXT NOT NULL, original TEXT NOT NULL, strategy TEXT NOT NULL, size INTEGER NOT NULL,
    runs INTEGER NOT NULL,
    PRIMARY KEY (question, original, strategy, size)
) WITHOUT ROWID;
CREATE TABLE replay (
    crash TEXT NOT NULL, trace TEXT NOT NULL, world INTEGER NOT NULL, met INTEGER NOT NULL,
    PRIMARY KEY (crash, trace, world)
) WITHOUT ROWID;
CREATE TABLE screen_picture (
    digest BLOB PRIMARY KEY, page TEXT NOT NULL, sha256 TEXT NOT NULL
) WITHOUT ROWID;
"""

# Version 3 added trial and prior.

_ADDED_IN_3 = """\
CREATE TABLE trial (
    trial_id INTEGER PRIMARY KEY, question TEXT NOT NULL, candidate TEXT NOT NULL, world INTEGER, device TEXT NOT NULL,
    best INTEGER, content NOT NULL
);
CREATE TABLE prior (
    prior_id INTEGER PRIMARY KEY, learned TEXT NOT NULL, candidate_count INTEGER NOT NULL, trial_count INTEGER NOT NULL,
    content NOT NULL
);
"""


def adding(script: str) -> Migration:
    """A migration that executes the statements of a script."""

    def migrate(connection: sqlite3.Connection) -> None:
        for statement in statements(script):
            connection.execute(statement)

    return migrate


# Version 4 renamed outings to episodes, and replaced sentences by enums and columns.

_EPISODE_ENDS: Mapping[str, EpisodeEnd] = {
    "stopped": EpisodeEnd.STOPPED,
    "limit of events": EpisodeEnd.EVENT_LIMIT,
    "the way back led elsewhere": EpisodeEnd.RETURN_FAILED,
    "the app left": EpisodeEnd.APP_LEFT,
    "another app stayed in front": EpisodeEnd.OTHER_APP,
    "no window": EpisodeEnd.NO_WINDOW,
    "no way out of a blocked activity": EpisodeEnd.BLOCKED_ACTIVITY,
    "crash": EpisodeEnd.CRASHED,
    "no answer": EpisodeEnd.NOT_RESPONDING,
    "the app ended itself": EpisodeEnd.EXITED,
    "the device died": EpisodeEnd.DEVICE_DIED,
    "no way out of one state": EpisodeEnd.DEAD_END,
    "going round in a loop": EpisodeEnd.LOOP,
    "nothing new for a while": EpisodeEnd.NOTHING_NEW,
    "more to try elsewhere": EpisodeEnd.MORE_ELSEWHERE,
    "another crash than the one that was reduced": EpisodeEnd.OTHER_CRASH,
}
"""Why an episode ended, as version 3 wrote it. These are texts of that version: they are never changed."""

_DEVICE_FAILED = re.compile(r"the device failed: (.*)", re.DOTALL)

_RUN_ENDS: Mapping[str, EndKind] = {
    r"all (\d+) events are used": EndKind.EVENTS_USED,
    r"a crash is found": EndKind.CRASHES_FOUND,
    r"(\d+) crashes are found": EndKind.CRASHES_FOUND,
    r"([\d.]+) % of the lines are covered": EndKind.COVERAGE_REACHED,
    r"the time is up": EndKind.TIME_UP,
    r"nothing new in the last (\d+) events": EndKind.NOTHING_NEW,
    r"the app crashes at launch": EndKind.CRASHES_AT_LAUNCH,
    r"the app does not answer at launch": EndKind.NOT_RESPONDING_AT_LAUNCH,
    r"the app ends itself at launch": EndKind.EXITS_AT_LAUNCH,
    r"the device dies when the app is launched": EndKind.DEVICE_DIES_AT_LAUNCH,
    r"the app never shows a window": EndKind.NEVER_A_WINDOW,
    r"the app shows only screens of other apps": EndKind.ONLY_OTHER_APPS,
    r"interrupted": EndKind.INTERRUPTED,
    r"reduced": EndKind.REDUCED,
}
"""Why a run ended, as version 3 wrote it, with the number in the group."""

_GOALS: Mapping[str, GoalKind] = {
    r"reaches the state (.*)": GoalKind.STATE,
    r"reaches (.*)": GoalKind.ACTIVITY,
    r"shows (.*)": GoalKind.TEXT,
    r"covers (.*)": GoalKind.LINE,
    r"satisfies (.*)": GoalKind.COMMAND,
}
"""What a reduction aimed at, if it was no crash, as version 3 wrote it. The first pattern that matches counts."""


def episode_end_of(sentence: str) -> tuple[EpisodeEnd, str]:
    """Why an episode ended, and the detail, from a sentence of version 3."""
    failed = _DEVICE_FAILED.fullmatch(sentence)
    if failed is not None:
        return EpisodeEnd.DEVICE_FAILED, failed[1]
    known = _EPISODE_ENDS.get(sentence)
    return (EpisodeEnd.UNKNOWN, sentence) if known is None else (known, "")


def run_end_of(sentence: str) -> tuple[EndKind, float, str]:
    """Why a run ended, with number and detail, from a sentence of version 3."""
    for pattern, kind in _RUN_ENDS.items():
        match = re.fullmatch(pattern, sentence)
        if match is not None:
            single = 1.0 if kind is EndKind.CRASHES_FOUND else 0.0
            return kind, float(match[1]) if match.re.groups else single, ""
    return EndKind.UNKNOWN, 0.0, sentence


def goal_of(sentence: str, crash: str | None) -> tuple[GoalKind, str]:
    """What a reduction aimed at, from a sentence of version 3."""
    if crash is not None:
        return GoalKind.CRASH, crash
    for pattern, kind in _GOALS.items():
        match = re.fullmatch(pattern, sentence, re.DOTALL)
        if match is not None:
            return kind, _unquoted(match[1]) if kind is GoalKind.TEXT else match[1]
    return GoalKind.OTHER, sentence


def _unquoted(text: str) -> str:
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
    return value if isinstance(value, str) else text


def rebuilding(copies: Mapping[str, Copying]) -> Migration:
    """A migration that makes every table whose text is not that of `SCHEMA` anew and copies its rows.

    `copies` says how the rows of a table with other columns are copied; all other tables have the same columns, and
    new ones that may be NULL. It leads to the newest version at once: after it, the migrations of the versions between
    find nothing to do.
    """

    def migrate(connection: sqlite3.Connection) -> None:
        tables = {"outing": "episode"}
        old = dict(connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'").fetchall())
        new = {
            match[2]: sql
            for sql in statements(SCHEMA)
            if (match := _NAME.match(sql)) is not None and match[1] == "TABLE"
        }
        changed = [name for name, sql in old.items() if f"{sql};" != new.get(tables.get(name, name))]
        for name in changed:
            connection.execute(f"ALTER TABLE {name} RENAME TO {_OLD}{name}")
        missing = [name for name in new if name not in old or name in changed]
        for name in missing:
            connection.execute(new[name])
        for name in changed:
            copies.get(name, _copy)(connection, name)
        for name in changed:
            connection.execute(f"DROP TABLE {_OLD}{name}")
        _make_indexes(connection)

    return migrate


def _make_indexes(connection: sqlite3.Connection) -> None:
    """Makes the indexes that were dropped with their replaced tables."""
    there = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'index'")}
    for statement in statements(SCHEMA):
        match = _NAME.match(statement)
        if match is not None and match[1] == "INDEX" and match[2] not in there:
            connection.execute(statement)


def _copy(connection: sqlite3.Connection, name: str) -> None:
    """Copies a table that has all the old columns, except that "outing" in a name became "episode"."""
    old = [row[1] for row in connection.execute(f"PRAGMA table_info({_OLD}{name})")]
    new = [column.replace("outing", "episode") for column in old]
    connection.execute(f"INSERT INTO {name} ({', '.join(new)}) SELECT {', '.join(old)} FROM {_OLD}{name}")


def _copy_episodes(connection: sqlite3.Connection, _: str) -> None:
    ends = {
        reason: episode_end_of(from_column(reason))
        for (reason,) in connection.execute("SELECT DISTINCT reason FROM old_outing")
    }
    connection.create_function("end_kind_of", 1, lambda reason: ends[reason][0].value, deterministic=True)
    connection.create_function("end_detail_of", 1, lambda reason: to_column(ends[reason][1]), deterministic=True)
    connection.execute(
        "INSERT INTO episode (episode_id, run_id, number, app_id, world, profile, screen, replayed, reached, end_kind,"
        " end_detail, ending, events, seconds) SELECT outing_id, run_id, number, app_id, world, profile, screen,"
        " replayed, reached, end_kind_of(reason), end_detail_of(reason), ending, events, seconds FROM old_outing"
    )


def _copy_runs(connection: sqlite3.Connection, _: str) -> None:
    columns = "run_id, app_id, kind, settings, seed, started, ended, state"
    for *kept, reason in connection.execute(f"SELECT {columns}, reason FROM old_run ORDER BY run_id").fetchall():
        settings = _object(kept[3])
        parts = settings.pop("budget", None)
        kept[3] = to_json(_renamed(settings)) if settings else kept[3]
        kind, number, detail = (None, None, None) if reason is None else run_end_of(from_column(reason))
        connection.execute(
            f"INSERT INTO run ({columns}, end_kind, end_number, end_detail) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (*kept, None if kind is None else kind.value, number, None if detail is None else to_column(detail)),
        )
        if isinstance(parts, list):
            connection.executemany("INSERT INTO run_part VALUES (?, ?, ?, ?, ?)", _parts(kept[0], parts))


def _object(text: str) -> dict[str, Any]:
    """Settings as a dictionary; an empty one if they are damaged: `Runs.load` reports that."""
    try:
        value = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _renamed(settings: dict[str, Any]) -> dict[str, Any]:
    """Settings with the present names of parameters."""
    parameters = settings.get("parameters")
    if isinstance(parameters, list):
        # Names were kept as they were typed: with spaces around them, and with a hyphen for an underscore.
        old = re.compile(r"\A\s*brief[_-]ways\s*=")
        settings["parameters"] = [old.sub("loop_free_paths=", str(each)) for each in parameters]
    return settings


def _parts(run: int, parts: list[Any]) -> Iterator[tuple[float | int | None, ...]]:
    """What parts of a run were given and used."""
    for number, part in enumerate(each for each in parts if isinstance(each, dict)):
        values = (part.get(name) for name in ("seconds", "events", "used"))
        yield run, number, *(value if isinstance(value, int | float) else None for value in values)


def _copy_reductions(connection: sqlite3.Connection, _: str) -> None:
    columns = "reduction_id, app_id, question, original, before, after, runs, events, minimal, content"
    rows = connection.execute(f"SELECT {columns}, goal, crash, strategy, state FROM old_reduction")
    for *kept, goal, crash, strategy, state in rows.fetchall():
        kind, value = goal_of(from_column(goal), None if crash is None else from_column(crash))
        # Version 3 stored an extra only when it was finished.
        state = "finished" if state == "extra" else state
        # The aim is unknown: version 3 kept it only inside the digest `question`, and the device settings of a
        # reduction, which the digest contains too, are not stored. 'selector' is the default of `--by`.
        connection.execute(
            f"INSERT INTO reduction ({columns}, goal_kind, goal_value, aim, strategy, repeated, by_intent, state)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (*kept, kind.value, to_column(value), Aim.SELECTOR.value, *_strategy(strategy), state),
        )


def _copy_improvements(connection: sqlite3.Connection, _: str) -> None:
    rows = connection.execute("SELECT question, original, strategy, size, runs FROM old_improvement").fetchall()
    connection.executemany(
        "INSERT INTO improvement (question, original, strategy, repeated, by_intent, size, runs)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        [(question, original, *_strategy(strategy), size, runs) for question, original, strategy, size, runs in rows],
    )


def _strategy(text: str) -> tuple[str, int, int]:
    """The strategy, and whether it ran repeatedly and began by an intent, which version 3 wrote behind a comma."""
    name, *marks = text.split(", ")
    return name, int("flaky" in marks), int("intent" in marks)


_FROM_3: Mapping[str, Copying] = {
    "outing": _copy_episodes,
    "run": _copy_runs,
    "reduction": _copy_reductions,
    "improvement": _copy_improvements,
}
"""By the name of a table of version 3 with other columns, how its rows are copied."""

# Version 5 added step.ran_id and step.asked_world. Version 6 added slice.

MIGRATIONS: Mapping[int, Migration] = {
    1: adding(_ADDED_IN_2),
    2: adding(_ADDED_IN_3),
    3: rebuilding(_FROM_3),
    4: rebuilding({}),
    5: rebuilding({}),
}
"""By version, what turns a store of that version into one of the next."""
