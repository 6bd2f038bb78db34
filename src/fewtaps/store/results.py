"""Reads and writes reductions, and the verdict on every candidate they tried."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping

from fewtaps.model.app import AppRef
from fewtaps.model.goal import GoalKind, GoalSpec
from fewtaps.model.record import as_list, as_number, as_text
from fewtaps.model.result import ReductionState, Verdict
from fewtaps.model.trace import Aim
from fewtaps.store.apps import Apps
from fewtaps.store.connection import Database, Row, Value
from fewtaps.store.content import deflated, enum_from_column, from_column, from_json, inflated, to_column, to_json
from fewtaps.store.rows import ReductionRow

_COLUMNS = (
    "question, original, goal_kind, goal_value, aim, strategy, repeated, by_intent, before, after, runs, events,"
    " minimal, state, content"
)


class Verdicts(MutableMapping[str, Verdict]):
    """The verdicts on one question, by candidate; each is in the store as soon as it is set."""

    def __init__(self, database: Database, question: str) -> None:
        self._database = database
        self._question = question

    def __getitem__(self, candidate: str) -> Verdict:
        row = self._database.row(
            "SELECT content FROM verdict WHERE question = ? AND candidate = ?", (self._question, candidate)
        )
        if row is None:
            raise KeyError(candidate)
        with self._database.reading(f"the verdict on {candidate}"):
            return verdict_from_record(from_json(row[0]))

    def __setitem__(self, candidate: str, verdict: Verdict) -> None:
        content = to_json(verdict_to_record(verdict))
        with self._database.transaction():
            self._database.run("INSERT OR REPLACE INTO verdict VALUES (?, ?, ?)", (self._question, candidate, content))

    def __delitem__(self, candidate: str) -> None:
        with self._database.transaction():
            self._database.run("DELETE FROM verdict WHERE question = ? AND candidate = ?", (self._question, candidate))

    def __iter__(self) -> Iterator[str]:
        rows = self._database.rows("SELECT candidate FROM verdict WHERE question = ?", (self._question,))
        return iter([candidate for (candidate,) in rows])

    def __len__(self) -> int:
        row = self._database.row("SELECT count(*) FROM verdict WHERE question = ?", (self._question,))
        return int(row[0]) if row else 0


class Results:
    """Reductions and verdicts of a store."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._apps = Apps(database)

    def verdicts(self, question: str) -> Verdicts:
        """The verdicts on a question; strategies, restarts and devices share them."""
        return Verdicts(self._database, question)

    def save_reduction(self, app: AppRef, row: ReductionRow) -> None:
        """Writes the row; replaces an earlier one of the same question, original, strategy, repetition and start."""
        with self._database.transaction():
            app_id = self._apps.id_of(app)
            values = (
                *(row.question, row.original, row.goal.kind.value, to_column(row.goal.value), row.aim.value),
                *(row.strategy, int(row.is_repeated), int(row.is_by_intent), row.before, row.after, row.runs),
                *(row.events, int(row.is_minimal), row.state.value, deflated(row.content)),
            )
            self._database.run(
                f"INSERT OR REPLACE INTO reduction (app_id, {_COLUMNS}) VALUES (?{', ?' * len(values)})",
                (app_id, *values),
            )
            # Only the first row of a size is kept: a restarted reduction reaches known sizes with fewer runs.
            self._database.run(
                "INSERT OR IGNORE INTO improvement (question, original, strategy, repeated, by_intent, size, runs)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (*_key(row), row.after, row.runs),
            )

    def reductions(self) -> tuple[ReductionRow, ...]:
        """Every reduction, the least recently saved first."""
        rows = self._database.rows(f"SELECT {_COLUMNS} FROM reduction ORDER BY reduction_id")
        return tuple(self._reduction(row) for row in rows)

    def improvements(self, row: ReductionRow) -> tuple[tuple[int, int], ...]:
        """Pairs of runs and events left, each number of events once, the largest first."""
        rows = self._database.rows(
            "SELECT runs, size FROM improvement WHERE question = ? AND original = ? AND strategy = ?"
            " AND repeated = ? AND by_intent = ? ORDER BY size DESC",
            _key(row),
        )
        with self._database.reading("an improvement"):
            return tuple((as_number("runs", runs), as_number("size", size)) for runs, size in rows)

    def save_replays(self, crash: str, trace: str, met: Mapping[int, bool]) -> None:
        """Writes, by world, whether a trace, given by `Trace.events_digest`, showed the crash of this signature."""
        rows = [(to_column(crash), trace, world, int(shown)) for world, shown in met.items()]
        with self._database.transaction():
            self._database.run_many(
                "INSERT OR REPLACE INTO replay (crash, trace, world, met) VALUES (?, ?, ?, ?)", rows
            )

    def forget_replays(self) -> None:
        """Deletes all replays: they do not hold for another build of the app."""
        with self._database.transaction():
            self._database.run("DELETE FROM replay")

    def replays(self, crash: str, trace: str) -> dict[int, bool]:
        """By world, whether a trace showed the crash there; worlds it was not played in are missing."""
        rows = self._database.rows(
            "SELECT world, met FROM replay WHERE crash = ? AND trace = ? ORDER BY world", (to_column(crash), trace)
        )
        with self._database.reading("a replay"):
            return {as_number("world", world): bool(as_number("met", met)) for world, met in rows}

    def _reduction(self, row: Row) -> ReductionRow:
        question, original, kind, value, aim, strategy, repeated, by_intent, before, after, runs, *rest = row
        events, minimal, state, content = rest
        with self._database.reading("a reduction"):
            return ReductionRow(
                question=as_text("question", question),
                original=as_text("original", original),
                goal=GoalSpec(enum_from_column(GoalKind, kind), from_column(value)),
                aim=enum_from_column(Aim, aim),
                strategy=as_text("strategy", strategy),
                is_repeated=bool(as_number("repeated", repeated)),
                is_by_intent=bool(as_number("by_intent", by_intent)),
                before=as_number("before", before),
                after=as_number("after", after),
                runs=as_number("runs", runs),
                events=as_number("events", events),
                is_minimal=bool(as_number("minimal", minimal)),
                state=enum_from_column(ReductionState, state),
                content=inflated(content),
            )


def _key(row: ReductionRow) -> tuple[Value, ...]:
    """The columns of the unique key of a reduction."""
    return row.question, row.original, row.strategy, int(row.is_repeated), int(row.is_by_intent)


def verdict_to_record(verdict: Verdict) -> list[object]:
    """A verdict as a JSON list."""
    return [int(verdict.met), verdict.length, verdict.end, verdict.crash, verdict.events]


def verdict_from_record(record: object) -> Verdict:
    """The verdict that `verdict_to_record` wrote. Raises ValueError for a malformed record."""
    met, length, end, crash, events = as_list("verdict", record)
    return Verdict(
        met=bool(as_number("met", met)),
        length=as_number("length", length),
        end=as_text("end", end),
        crash=None if crash is None else as_text("crash", crash),
        events=as_number("events", events),
    )
