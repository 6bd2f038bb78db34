"""Reads and writes runs and their episodes, and computes sums over them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from fewtaps.errors import NotFound, UsageError
from fewtaps.model.app import App, AppRef
from fewtaps.model.coverage import NO_COVERAGE, Coverage, ProbeMap
from fewtaps.model.episode import Episode
from fewtaps.model.exploration_end import EndKind, ExplorationEnd
from fewtaps.model.record import as_number, as_object
from fewtaps.model.screen import Screen
from fewtaps.model.trace import Trace
from fewtaps.store.apps import Apps, ref_of
from fewtaps.store.connection import Database, Row
from fewtaps.store.content import enum_from_column, from_column, from_json, inflated, to_column, to_json
from fewtaps.store.crashes import Crashes
from fewtaps.store.episodes import Episodes
from fewtaps.store.graph import load_graph
from fewtaps.store.growth import iter_growth
from fewtaps.store.pictures import Pictures, checked_name
from fewtaps.store.rows import CrashRow, GraphRows, Growth, RunId, RunPart, RunRow, Totals

_RUN = (
    "SELECT run_id, package, version, digest, kind, settings, seed, started, ended, end_kind, end_number, end_detail"
    " FROM run JOIN app USING (app_id)"
)
# Without a run, all runs of the build of the last run: probe numbers differ between builds.
_SAME_APP = "(?1 = run_id OR ?1 IS NULL AND run.app_id = (SELECT app_id FROM run ORDER BY run_id DESC LIMIT 1))"


class Runs:
    """The runs of a store. A method with `run=None` reads all runs, if its docstring does not say otherwise."""

    def __init__(self, database: Database, pictures: Pictures) -> None:
        self._database = database
        self._pictures = pictures
        self._apps = Apps(database)
        self._episodes = Episodes(database, self._apps, pictures)
        self._crashes = Crashes(database, self._episodes)
        self._clocks: dict[RunId, float] = {}
        self._opened = time.monotonic()

    # Writing.

    def start(self, app: App, kind: str, settings: Mapping[str, Any], part: RunPart | None = None) -> RunId:
        """Begins a run. Settings are stored as JSON, values without a JSON form (a path) as text.

        `part` is what the first part of the run is given.
        """
        text = to_json({name: _storable(value) for name, value in settings.items()})
        with self._database.transaction():
            run = self._database.run(
                "INSERT INTO run (app_id, kind, settings, seed, started, state) VALUES (?, ?, ?, ?, ?, 'running')",
                (self._apps.save(app), to_column(kind), text, _seed(settings), _now()),
            )
            self._add_part(run, part)
        self._clocks[RunId(run)] = time.monotonic()
        return RunId(run)

    def resume(self, run: RunId, part: RunPart | None = None) -> None:
        """Continues a run that was finished or killed. Its clock continues from its last episode.

        `part` is what the part that begins now is given.
        """
        with self._database.transaction():
            self._database.run(
                "UPDATE run SET state = 'running', ended = NULL, end_kind = NULL, end_number = NULL, end_detail = NULL"
                " WHERE run_id = ?",
                (self.load(run).run_id,),
            )
            self._add_part(run, part)
        self._clocks[run] = time.monotonic() - self.totals(run).seconds

    def add_episode(self, run: RunId, episode: Episode, *, seconds: float | None = None) -> None:
        """Writes an episode in one transaction; its number must be the next one of the run.

        `seconds` is how long the run has been at work; without it, the store adds the time since `start` or `resume`.
        """
        expected = self.next_number(run)
        if episode.number != expected:
            raise UsageError(f"episode {episode.number} cannot be stored: the next one is {expected}")
        self._episodes.save(run, episode, self._seconds(run) if seconds is None else seconds)

    def finish(self, run: RunId, end: ExplorationEnd) -> None:
        """Writes when and why a run ended."""
        with self._database.transaction():
            self._database.run(
                "UPDATE run SET state = 'finished', ended = ?, end_kind = ?, end_number = ?, end_detail = ?"
                " WHERE run_id = ?",
                (_now(), end.kind.value, end.number, to_column(end.detail), self.load(run).run_id),
            )

    def set_used(self, run: RunId, seconds: float) -> None:
        """Writes how much time the last part of a run has used so far, all stages together."""
        with self._database.transaction():
            self._database.run(
                "UPDATE run_part SET seconds_used = ?2"
                " WHERE run_id = ?1 AND number = (SELECT max(number) FROM run_part WHERE run_id = ?1)",
                (run, seconds),
            )

    def save_probe_map(self, app: AppRef, scope: str, probes: ProbeMap) -> None:
        """Writes what the probe numbers of an app mean."""
        self._apps.save_probe_map(app, scope, probes)

    # Reading.

    def load(self, run: RunId) -> RunRow:
        """The run of this number. Raises `NotFound` if there is none."""
        row = self._database.row(f"{_RUN} WHERE run_id = ?", (run,))
        if row is None:
            raise NotFound(f"{self._database.path}: there is no run {run}")
        return self._run(row)

    def latest(self, kind: str) -> RunRow | None:
        """The run of this kind that was begun last; None if there is none."""
        row = self._database.row(f"{_RUN} WHERE kind = ? ORDER BY run_id DESC LIMIT 1", (to_column(kind),))
        return self._run(row) if row else None

    def all(self) -> tuple[RunRow, ...]:
        """Every run, in the order in which they began."""
        return tuple(map(self._run, self._database.rows(f"{_RUN} ORDER BY run_id")))

    def parts(self, run: RunId) -> tuple[RunPart, ...]:
        """What each part of a run was given and used, in order; empty if no part was stored."""
        rows = self._database.rows(
            "SELECT seconds_given, events_given, seconds_used FROM run_part WHERE run_id = ? ORDER BY number", (run,)
        )
        with self._database.reading(f"a part of run {run}"):
            return tuple(
                RunPart(
                    None if seconds is None else float(seconds),
                    None if events is None else as_number("events_given", events),
                    None if used is None else float(used),
                )
                for seconds, events, used in rows
            )

    def next_number(self, run: RunId) -> int:
        """The number of the episode that comes next."""
        row = self._database.row("SELECT max(number) FROM episode WHERE run_id = ?", (run,))
        return 0 if row is None or row[0] is None else int(row[0]) + 1

    def iter_episodes(self, run: RunId, first: int = 0) -> Iterator[Episode]:
        """The episodes of a run in order, from a number on; equal to what was saved, but pictures have no bytes.

        Equal screens are one object while they are cached. Episodes that another process adds meanwhile are included.
        """
        for number in _counted(self, run, first):
            row = self._database.row("SELECT episode_id FROM episode WHERE run_id = ? AND number = ?", (run, number))
            with self._database.reading(f"run {run}"):
                if row is None:
                    raise ValueError(f"episode {number} is missing")
            yield self._episodes.load(row[0])

    def picture_names(self, run: RunId, episode: int) -> dict[int, str]:
        """By step number, the names of an episode's pictures."""
        rows = self._database.rows(
            "SELECT picture.number, sha256 FROM picture JOIN episode USING (episode_id)"
            " WHERE run_id = ? AND episode.number = ? ORDER BY picture.number",
            (run, episode),
        )
        with self._database.reading(f"a picture of episode {episode} of run {run}"):
            return {as_number("number", number): checked_name(name) for number, name in rows}

    def pictures(self, run: RunId, episode: int) -> tuple[tuple[int, bytes], ...]:
        """The pictures of an episode by step number; those without a file are left out."""
        found = []
        for number, name in self.picture_names(run, episode).items():
            with suppress(NotFound):
                found.append((number, self._pictures.load(name)))
        return tuple(found)

    def app(self, ref: AppRef) -> App:
        """An app as its last run began with it."""
        return self._apps.load(ref)

    def crashes(self, run: RunId | None = None) -> tuple[CrashRow, ...]:
        """Every crash, in the order in which they were first seen."""
        return self._crashes.rows(run)

    def first_steps(self, app: AppRef) -> dict[str, int]:
        """The crashes of this build of an app by fingerprint, and after how many steps each was seen first."""
        first: dict[str, int] = {}
        for run in self.all():
            for row in self.crashes(run.run_id) if run.app == app else ():
                first.setdefault(row.fingerprint, row.first.step)
        return first

    def shortest_trace(self, fingerprint: str) -> Trace:
        """The shortest trace that shows a crash, named by its fingerprint or by a prefix that no other crash has.

        Raises `NotFound` if there is no such crash, `UsageError` if there are several.
        """
        return next(self._crashes.iter_traces(fingerprint))

    def every_trace(self, fingerprint: str) -> Iterator[Trace]:
        """All traces that show a crash, each up to the crash, in the order of `Crashes.iter_traces`."""
        return self._crashes.iter_traces(fingerprint)

    def coverage(self, run: RunId | None = None) -> Coverage:
        """The coverage of a run; for None, of all runs of the build of the last run."""
        covered = NO_COVERAGE
        for (coverage_id,) in self._database.rows(
            "SELECT DISTINCT coverage_id FROM step JOIN episode USING (episode_id) JOIN run USING (run_id)"
            f" WHERE coverage_id IS NOT NULL AND {_SAME_APP}",
            (run,),
        ):
            covered = covered | self._episodes.coverage_of(coverage_id)
        return covered

    def growth(self) -> tuple[Growth, ...]:
        """Sums after each episode, over all runs of the build of the last run."""
        return tuple(iter_growth(self._database, self._episodes))

    def executions(self, run: RunId | None = None) -> Iterator[bytes]:
        """The jacoco.exec of each episode that has one; for None, of all runs of the build of the last run."""
        ids = self._database.rows(
            "SELECT episode_id FROM execution JOIN episode USING (episode_id) JOIN run USING (run_id)"
            f" WHERE {_SAME_APP} ORDER BY episode_id",
            (run,),
        )
        for (episode_id,) in ids:
            row = self._database.row("SELECT content FROM execution WHERE episode_id = ?", (episode_id,))
            with self._database.reading(f"the execution data of episode {episode_id}"):
                execution = inflated(row[0] if row else None)
            yield execution

    def load_probe_map(self, app: AppRef, scope: str) -> ProbeMap | None:
        """What the probe numbers of an app mean; None if no map is stored."""
        return self._apps.load_probe_map(app, scope)

    def graph(self, run: RunId | None = None) -> GraphRows:
        """The states and transitions that were seen."""
        return load_graph(self._database, self._episodes, run)

    def screen(self, digest: str) -> Screen:
        """The screen with this digest. Raises `NotFound` if there is none."""
        try:
            row = self._database.row("SELECT screen_id FROM screen WHERE digest = ?", (bytes.fromhex(digest),))
        except ValueError:
            row = None
        if row is None:
            raise NotFound(f"{self._database.path}: there is no screen {digest!r:.60}")
        return self._episodes.screen_of(row[0])

    def totals(self, run: RunId | None = None) -> Totals:
        """Episodes, events and seconds spent."""
        rows = self._database.rows(
            "SELECT count(*), coalesce(sum(events), 0), coalesce(sum(replayed), 0), max(seconds) FROM episode"
            " WHERE ?1 IS NULL OR run_id = ?1 GROUP BY run_id",
            (run,),
        )
        return Totals(
            episodes=sum(row[0] for row in rows),
            events=sum(row[1] for row in rows),
            replayed=sum(row[2] for row in rows),
            seconds=sum(row[3] for row in rows),
        )

    def _run(self, row: Row) -> RunRow:
        run_id, package, version, digest, kind, settings, seed, started, ended, *end = row
        with self._database.reading(f"run {run_id}"):
            return RunRow(
                run_id=RunId(as_number("run_id", run_id)),
                app=ref_of(package, version, digest),
                kind=from_column(kind),
                settings=as_object("settings", from_json(settings)),
                seed=None if seed is None else as_number("seed", seed),
                started=datetime.fromisoformat(started),
                ended=None if ended is None else datetime.fromisoformat(ended),
                end=None if end[0] is None else _end(*end),
            )

    def _add_part(self, run: int, part: RunPart | None) -> None:
        if part is not None:
            self._database.run(
                "INSERT INTO run_part (run_id, number, seconds_given, events_given, seconds_used)"
                " SELECT ?1, count(*), ?2, ?3, ?4 FROM run_part WHERE run_id = ?1",
                (run, part.seconds_given, part.events_given, part.seconds_used),
            )

    def _seconds(self, run: RunId) -> float:
        began = self._clocks.get(run)
        if began is None:
            began = self._clocks[run] = self._opened - self.totals(run).seconds
        return time.monotonic() - began


def _counted(runs: Runs, run: RunId, number: int) -> Iterator[int]:
    """The numbers of a run's episodes, also of those that are added during the iteration."""
    while number < runs.next_number(run):
        yield number
        number += 1


def _end(kind: object, number: float, detail: object) -> ExplorationEnd:
    return ExplorationEnd(enum_from_column(EndKind, kind), float(number), from_column(detail))


def _storable(value: object) -> object:
    try:
        to_json(value)
    except TypeError:
        return str(value)
    return value


def _seed(settings: Mapping[str, Any]) -> int | None:
    seed = settings.get("seed")
    return seed if type(seed) is int and -(1 << 63) <= seed < 1 << 63 else None


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
