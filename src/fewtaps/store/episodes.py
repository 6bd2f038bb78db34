"""Writes one episode in one transaction, and reads it back equal."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from fewtaps.errors import StoreError
from fewtaps.model.coverage import NO_COVERAGE, Coverage
from fewtaps.model.crash import Crash, crash_from_json, crash_to_json
from fewtaps.model.ending import Ending
from fewtaps.model.episode import Episode, EpisodeEnd
from fewtaps.model.event import Event, StartIntent, event_from_json, event_to_json
from fewtaps.model.record import as_list, as_number, as_object, as_text
from fewtaps.model.screen import UNSEEN, Screen, screen_from_json
from fewtaps.model.state import page_state
from fewtaps.model.trace import SESSION_SETTINGS, Step, Trace, session_from_json
from fewtaps.store.apps import Apps, ref_of
from fewtaps.store.connection import Database, Row, Value
from fewtaps.store.content import (
    ValueTable,
    deflated,
    enum_from_column,
    from_column,
    from_json,
    inflated,
    packed,
    to_column,
    to_json,
    unpacked,
)
from fewtaps.store.pictures import Pictures
from fewtaps.store.rows import RunId

SCREENS_REMEMBERED = 1024
"""How many screens are cached. A screen of some dozen widgets takes about 20 kB, so 1024 take about 20 MB."""


class Episodes:
    """Writes and reads single episodes."""

    def __init__(self, database: Database, apps: Apps, pictures: Pictures) -> None:
        self._database = database
        self._apps = apps
        self._pictures = pictures
        self._events: ValueTable[Event] = ValueTable(
            database, "event", _encode_event, event_from_json, _event_key, remembered=4096
        )
        self._coverages: ValueTable[Coverage] = ValueTable(
            database, "coverage", _encode_coverage, Coverage.from_json, lambda value: value, remembered=512
        )
        self._screens: ValueTable[Screen] = ValueTable(
            database,
            "screen",
            Screen.canonical,
            screen_from_json,
            Screen.digest,
            columns=("activity", "page"),
            column_values=_screen_columns,
            has_key=lambda screen: screen.has_digest,
            remembered=SCREENS_REMEMBERED,
        )

    def save(self, run: RunId, episode: Episode, seconds: float) -> None:
        """Writes an episode in one transaction. Its picture files are written before, because rows name them."""
        names = [(number, self._pictures.save(picture)) for number, picture in episode.pictures]
        try:
            with self._database.transaction():
                episode_id = self._insert_episode(run, episode, seconds)
                self._insert_steps(episode_id, episode.trace)
                self._insert_pictures_and_execution(episode_id, episode, names)
        except BaseException:
            # The rollback removed rows whose numbers are cached.
            for table in (self._events, self._coverages, self._screens):
                table.forget()
            raise

    def load(self, episode_id: int) -> Episode:
        """The episode of this row; its pictures have step numbers, and empty bytes instead of content."""
        row = self._database.row(
            "SELECT number, replayed, reached, end_kind, end_detail FROM episode WHERE episode_id = ?", (episode_id,)
        )
        if row is None:
            raise StoreError(f"{self._database.path}: episode {episode_id} is missing")
        trace = self.load_trace(episode_id)
        pictures = self._database.rows("SELECT number FROM picture WHERE episode_id = ? ORDER BY number", (episode_id,))
        execution = self._database.row("SELECT content FROM execution WHERE episode_id = ?", (episode_id,))
        with self._database.reading(f"episode {episode_id}"):
            return Episode(
                number=as_number("number", row[0]),
                trace=trace,
                replayed=as_number("replayed", row[1]),
                reached=bool(as_number("reached", row[2])),
                end=enum_from_column(EpisodeEnd, row[3]),
                detail=from_column(row[4]),
                pictures=tuple((as_number("picture", number), b"") for (number,) in pictures),
                execution=inflated(execution[0]) if execution else None,
            )

    def load_trace(self, episode_id: int, length: int | None = None) -> Trace:
        """The trace of an episode, or only its first `length` steps."""
        row = self._database.row(
            "SELECT package, version, digest, world, profile, screen, events, settings FROM episode"
            " JOIN app USING (app_id) JOIN run USING (run_id) WHERE episode_id = ?",
            (episode_id,),
        )
        if row is None:
            raise StoreError(f"{self._database.path}: episode {episode_id} is missing")
        with self._database.reading(f"episode {episode_id}"):
            app = ref_of(row[0], row[1], row[2])
            world, profile, measures = as_number("world", row[3]), from_column(row[4]), _screen_size(row[5])
            events = as_number("events", row[6])
            steps = tuple(self._iter_steps(episode_id, events if length is None else min(length, events)))
            return Trace(app, steps, world, profile, measures, _session_of(row[7]))

    def _insert_episode(self, run: RunId, episode: Episode, seconds: float) -> int:
        trace = episode.trace
        return self._database.run(
            "INSERT INTO episode (run_id, number, app_id, world, profile, screen, replayed, reached, end_kind,"
            " end_detail, ending, events, seconds) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(run, episode.number, self._apps.id_of(trace.app), trace.world, to_column(trace.profile)),
                to_json(trace.screen) if trace.screen is not None else None,
                *(episode.replayed, int(episode.reached), episode.end.value, to_column(episode.detail)),
                *(trace.ending.value, len(trace.steps), seconds),
            ),
        )

    def _insert_steps(self, episode_id: int, trace: Trace) -> None:
        # Building the rows inserts events, screens and coverage, which must be done before the statement starts.
        rows = list(self._step_rows(episode_id, trace))
        self._database.run_many("INSERT INTO step VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
        for number, step in enumerate(trace.steps):
            if step.crash is not None:
                self._insert_sighting(episode_id, number, step.crash)

    def _insert_pictures_and_execution(self, episode_id: int, episode: Episode, names: list[tuple[int, str]]) -> None:
        steps = episode.trace.steps
        self._database.run_many(
            "INSERT INTO picture (episode_id, number, screen_id, sha256) VALUES (?, ?, ?, ?)",
            [(episode_id, number, self._screens.id_of(steps[number].after), name) for number, name in names],
        )
        if episode.execution is not None:
            self._database.run("INSERT INTO execution VALUES (?, ?)", (episode_id, deflated(episode.execution)))

    def _step_rows(self, episode_id: int, trace: Trace) -> Iterator[tuple[Value, ...]]:
        event_id, screen_id, coverage_id = self._events.id_of, self._screens.id_of, self._coverages.id_of
        shown = UNSEEN
        for number, step in enumerate(trace.steps):
            before_id = None if step.before is shown or step.before == shown else screen_id(step.before)
            shown = step.after
            yield (
                episode_id,
                number,
                event_id(step.event),
                before_id,
                screen_id(shown),
                coverage_id(step.covered) if step.covered else None,
                packed(to_json(step.log)) if step.log else None,
                packed(to_json(step.notes)) if step.notes else None,
                step.ending.value if step.ending is not Ending.RUNNING else None,
                step.clock_ms,
                coverage_id(step.ran) if step.ran else None,
                None if step.asked_world is None else int(step.asked_world),
            )

    def _insert_sighting(self, episode_id: int, number: int, crash: Crash) -> None:
        text = to_json(crash_to_json(crash))
        signature = to_column(crash.signature)
        row = self._database.row("SELECT crash_id, content, suspect FROM crash WHERE signature = ?", (signature,))
        if row is None:
            suspect = to_column(crash.suspect) if crash.suspect is not None else None
            crash_id = self._database.run(
                "INSERT INTO crash (signature, fingerprint, suspect, content) VALUES (?, ?, ?, ?)",
                (signature, crash.fingerprint, suspect, packed(text)),
            )
            content = None
        else:
            crash_id = int(row[0])
            with self._database.reading(f"crash {crash_id}"):
                content = packed(text) if unpacked(row[1]) != text.encode() else None
            if row[2] is not None and crash.suspect is None:
                self._database.run("UPDATE crash SET suspect = NULL WHERE crash_id = ?", (crash_id,))
        self._database.run(
            "INSERT INTO crash_sighting VALUES (?, ?, ?, ?, ?)", (episode_id, number, crash_id, number + 1, content)
        )

    def _iter_steps(self, episode_id: int, count: int) -> Iterator[Step]:
        rows = self._database.rows(
            "SELECT number, event_id, before_id, after_id, coverage_id, log, notes, ending, clock_ms, ran_id,"
            " asked_world FROM step WHERE episode_id = ? AND number < ? ORDER BY number",
            (episode_id, count),
        )
        if len(rows) != count:
            raise ValueError(f"it has {len(rows)} of its {count} steps")
        crashes = self._crashes_of(episode_id)
        shown = UNSEEN
        for expected, row in enumerate(rows):
            if row[0] != expected:
                raise ValueError(f"step {expected} is missing")
            with self._database.reading(f"step {expected} of episode {episode_id}"):
                step = self._step(row, shown, crashes.get(expected))
            shown = step.after
            yield step

    def _step(self, row: Row, shown: Screen, crash: Crash | None) -> Step:
        _, event_id, before_id, after_id, coverage_id, log, notes, ending, clock_ms, ran_id, asked_world = row
        return Step(
            event=self._events.value_of(event_id),
            before=shown if before_id is None else self._screens.value_of(before_id),
            after=self._screens.value_of(after_id),
            covered=NO_COVERAGE if coverage_id is None else self._coverages.value_of(coverage_id),
            log=() if log is None else _lines("log", log),
            crash=crash,
            ending=Ending.RUNNING if ending is None else enum_from_column(Ending, ending),
            notes=() if notes is None else _lines("notes", notes),
            clock_ms=as_number("clock_ms", clock_ms),
            ran=NO_COVERAGE if ran_id is None else self._coverages.value_of(ran_id),
            asked_world=None if asked_world is None else bool(as_number("asked_world", asked_world)),
        )

    def _crashes_of(self, episode_id: int) -> dict[int, Crash]:
        found: dict[int, Crash] = {}
        for number, first, content in self._database.rows(
            "SELECT number, crash.content, crash_sighting.content FROM crash_sighting JOIN crash USING (crash_id)"
            " WHERE episode_id = ?",
            (episode_id,),
        ):
            with self._database.reading(f"the crash in step {number} of episode {episode_id}"):
                found[number] = crash_from_json(from_json(first if content is None else content))
        return found

    def coverage_of(self, coverage_id: int) -> Coverage:
        """The coverage of this row."""
        return self._coverages.value_of(coverage_id)

    def screen_of(self, screen_id: int) -> Screen:
        """The screen of this row."""
        return self._screens.value_of(screen_id)

    def event_of(self, event_id: int) -> Event:
        """The event of this row."""
        return self._events.value_of(event_id)


def _encode_event(event: Event) -> bytes:
    return to_json(event_to_json(event)).encode()


def _event_key(event: Event) -> Hashable:
    # In Python 1 == 1.0 == True, but as extras of an intent they differ.
    return _encode_event(event) if isinstance(event, StartIntent) else event


def _encode_coverage(coverage: Coverage) -> bytes:
    return to_json(coverage.to_json()).encode()


def _screen_columns(screen: Screen) -> tuple[Value, ...]:
    return to_column(screen.activity) if screen.activity is not None else None, page_state(screen)


def _lines(name: str, value: object) -> tuple[str, ...]:
    return tuple(as_text(name, line) for line in as_list(name, from_json(value)))


def _session_of(settings: object) -> tuple[tuple[str, str], ...]:
    """The settings of the session in which the traces of a run were played, by the settings of the run."""
    run = as_object("settings", from_json(settings))
    device = run.get("device")
    known = device if isinstance(device, dict) else run.get("session")
    told = {name: value for name, value in known.items() if name in SESSION_SETTINGS} if isinstance(known, dict) else {}
    if ":" in str(told.get("network", "")):
        told["network"] = "served"
    return session_from_json(told)


def _screen_size(value: object) -> tuple[int, int, int] | None:
    if value is None:
        return None
    numbers = [as_number("screen", number) for number in as_list("screen", from_json(value))]
    if len(numbers) != 3:
        raise ValueError(f"screen: not width, height and dpi: {value!r:.60}")
    return numbers[0], numbers[1], numbers[2]
