"""Reads crashes: one row for each signature, with its counts, and its traces by length."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fewtaps.errors import NotFound, UsageError
from fewtaps.model.crash import crash_from_json
from fewtaps.model.record import as_number
from fewtaps.model.trace import Trace
from fewtaps.store.connection import Database, Row
from fewtaps.store.content import from_column, from_json
from fewtaps.store.episodes import Episodes
from fewtaps.store.rows import CrashRow, RunId, Sighting

_SIGHTINGS = """
    SELECT crash_id, count(*), count(DISTINCT episode_id), min(length)
    FROM crash_sighting JOIN episode USING (episode_id)
    WHERE ?1 IS NULL OR run_id = ?1 GROUP BY crash_id ORDER BY min(episode_id * 4294967296 + crash_sighting.number)"""

_FIRST = """
    SELECT run_id, episode.number, crash_sighting.number, length, seconds
    FROM crash_sighting JOIN episode USING (episode_id)
    WHERE crash_id = ?2 AND (?1 IS NULL OR run_id = ?1) ORDER BY episode_id, crash_sighting.number LIMIT 1"""


class Crashes:
    """Reads crashes and their traces."""

    def __init__(self, database: Database, episodes: Episodes) -> None:
        self._database = database
        self._episodes = episodes

    def rows(self, run: RunId | None) -> tuple[CrashRow, ...]:
        """Every crash of a run, or of all runs, in the order in which they were first seen."""
        return tuple(self._row(run, *counts) for counts in self._database.rows(_SIGHTINGS, (run,)))

    def iter_traces(self, name: str) -> Iterator[Trace]:
        """Every trace that showed the crash, up to the crash: those on the ordinary phone first, the shortest first."""
        crash_id = self._find(name)
        for episode_id, length in self._database.rows(
            # The launch names the phone if it is another one.
            "SELECT episode_id, length FROM crash_sighting JOIN step USING (episode_id) JOIN event USING (event_id)"
            " WHERE crash_id = ? AND step.number = 0"
            " ORDER BY event.content LIKE '%\"phone\"%', length, episode_id",
            (crash_id,),
        ):
            yield self._episodes.load_trace(episode_id, length)

    def _find(self, name: str) -> int:
        """The row of the only crash whose fingerprint starts with the name."""
        found = self._database.rows(
            "SELECT crash_id, fingerprint FROM crash WHERE substr(fingerprint, 1, length(?1)) = ?1 ORDER BY crash_id",
            (name.lower().encode("utf-8", "replace").decode(),),
        )
        if not found:
            raise NotFound(f"{self._database.path.parent}: no crash {name!r:.40}; {self._known()}")
        if len(found) > 1:
            names = ", ".join(fingerprint for _, fingerprint in found[:5])
            raise UsageError(f"{name!r:.40} is the beginning of {len(found)} crashes: {names}")
        return int(found[0][0])

    def _known(self) -> str:
        known = [name for (name,) in self._database.rows("SELECT fingerprint FROM crash ORDER BY crash_id LIMIT 6")]
        more = ", …" if len(known) > 5 else ""
        return f"there are: {', '.join(known[:5])}{more}" if known else "there are none"

    def _row(self, run: RunId | None, crash_id: int, times: int, episodes: int, shortest: int) -> CrashRow:
        content = self._database.row("SELECT content, suspect FROM crash WHERE crash_id = ?", (crash_id,))
        first = self._database.row(_FIRST, (run, crash_id))
        with self._database.reading(f"crash {crash_id}"):
            if content is None or first is None:
                raise ValueError("it is missing")
            suspect = None if content[1] is None else from_column(content[1])
            crash = crash_from_json(from_json(content[0]))
            crash = replace(crash, suspect=suspect, rule=None if suspect is None else crash.rule)
            return CrashRow(crash, crash.fingerprint, times, episodes, shortest, self._sighting(first), suspect)

    def _sighting(self, first: Row) -> Sighting:
        run, episode, step, length, seconds = first
        row = self._database.row(
            "SELECT coalesce(sum(events), 0) FROM episode WHERE run_id = ? AND number < ?", (run, episode)
        )
        earlier = as_number("events", row[0] if row else 0)
        return Sighting(RunId(run), episode, step, earlier + as_number("length", length), float(seconds))
