"""Reads and writes slices: one for each crash and trace, or the reason why there is none."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from fewtaps.errors import StoreError
from fewtaps.model.app import AppRef
from fewtaps.model.slice import Slice, slice_from_json, slice_to_json
from fewtaps.store.apps import Apps
from fewtaps.store.connection import Database, Row
from fewtaps.store.content import from_column, from_json, packed, to_column, to_json


@dataclass(frozen=True, slots=True)
class KeptSlice:
    """What was found out about a crash: its slice, or else the reason why none could be made."""

    slice: Slice | None = None
    failure: str = ""


class Slices:
    """Keeps the slice of a crash, or the reason why there is none, for the steps it was made of."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._apps = Apps(database)

    def save(self, app: AppRef, crash: str, trace: str, made: Slice) -> None:
        """Writes the slice of a crash, given by its signature, in a trace, given by `Trace.events_digest`."""
        self._save(app, crash, trace, None, packed(to_json(slice_to_json(made))))

    def save_failure(self, app: AppRef, crash: str, trace: str, reason: str) -> None:
        """Writes why there is no slice."""
        self._save(app, crash, trace, to_column(reason), None)

    def _save(self, app: AppRef, crash: str, trace: str, failure: str | None, content: str | bytes | None) -> None:
        with self._database.transaction():
            self._database.run(
                "INSERT OR REPLACE INTO slice (app_id, crash, trace, failure, content) VALUES (?, ?, ?, ?, ?)",
                (self._apps.id_of(app), to_column(crash), trace, failure, content),
            )

    def has(self, app: AppRef, crash: str, trace: str) -> bool:
        """Whether there is a slice, which may be damaged, or a reason why there is none."""
        return self._row("1", app, crash, trace) is not None

    def of_crash(self, app: AppRef, crash: str) -> Slice | None:
        """A slice of the crash in this build, of whatever trace; None if there is none, or only a damaged one."""
        rows = self._database.rows(
            "SELECT trace FROM slice JOIN app USING (app_id)"
            " WHERE package = ? AND version = ? AND digest = ? AND crash = ? AND slice.content IS NOT NULL",
            (to_column(app.package), to_column(app.version), to_column(app.digest), to_column(crash)),
        )
        for (trace,) in rows:
            with suppress(StoreError):
                kept = self.find(app, crash, str(trace))
                if kept is not None and kept.slice is not None:
                    return kept.slice
        return None

    def _row(self, columns: str, app: AppRef, crash: str, trace: str) -> Row | None:
        return self._database.row(
            f"SELECT {columns} FROM slice JOIN app USING (app_id)"
            " WHERE package = ? AND version = ? AND digest = ? AND crash = ? AND trace = ?",
            (to_column(app.package), to_column(app.version), to_column(app.digest), to_column(crash), trace),
        )

    def find(self, app: AppRef, crash: str, trace: str) -> KeptSlice | None:
        """What is known of a crash in a trace; None if it was not sliced. Raises StoreError if it is damaged."""
        row = self._row("failure, slice.content", app, crash, trace)
        if row is None:
            return None
        failure, content = row
        with self._database.reading("a slice"):
            if content is None:
                return KeptSlice(failure=from_column(failure))
            return KeptSlice(slice_from_json(from_json(content)))
