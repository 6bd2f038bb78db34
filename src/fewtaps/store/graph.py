"""Reads states and transitions. SQLite counts them, so that no trace is loaded."""

from __future__ import annotations

from fewtaps.model.event import describe
from fewtaps.model.record import as_number, as_text
from fewtaps.model.screen import UNSEEN
from fewtaps.model.state import StateId, page_state
from fewtaps.store.connection import Database, Row
from fewtaps.store.content import from_column
from fewtaps.store.episodes import Episodes
from fewtaps.store.pictures import checked_name
from fewtaps.store.rows import GraphRows, RunId, StateRow, TransitionRow

# In a query with one min(), SQLite takes the other columns from the row with the minimum: here, the first step.
_STATES = """
    SELECT page, count(*), activity, digest, min(episode_id * 4294967296 + step.number) AS first FROM step
    JOIN episode USING (episode_id) JOIN screen ON screen_id = after_id
    WHERE (?1 IS NULL OR run_id = ?1) AND page <> ?2 GROUP BY page ORDER BY first"""

_PICTURES = """
    SELECT page, sha256, min(episode_id * 4294967296 + picture.number) FROM picture
    JOIN episode USING (episode_id) JOIN screen USING (screen_id) WHERE ?1 IS NULL OR run_id = ?1 GROUP BY page"""

_TRANSITIONS = """
    SELECT source.page, target.page, count(*), step.event_id, count(crash_sighting.crash_id),
        min(step.episode_id * 4294967296 + step.number) AS first
    FROM step JOIN episode USING (episode_id)
    JOIN step AS earlier ON earlier.episode_id = step.episode_id AND earlier.number = step.number - 1
    JOIN screen AS source ON source.screen_id = coalesce(step.before_id, earlier.after_id)
    JOIN screen AS target ON target.screen_id = step.after_id
    LEFT JOIN crash_sighting ON crash_sighting.episode_id = step.episode_id AND crash_sighting.number = step.number
    WHERE (?1 IS NULL OR run_id = ?1) AND source.page <> ?2 GROUP BY source.page, target.page ORDER BY first"""


def load_graph(database: Database, episodes: Episodes, run: RunId | None) -> GraphRows:
    """The graph of a run, or of all runs."""
    nothing = page_state(UNSEEN)
    pictures = database.rows(_PICTURES, (run,))
    states = database.rows(_STATES, (run, nothing))
    transitions = database.rows(_TRANSITIONS, (run, nothing))
    with database.reading("a screen or a picture"):
        names = {page: checked_name(name) for page, name, _ in pictures}
        return GraphRows(
            tuple(_state(row, names) for row in states),
            tuple(_transition(row, nothing, episodes) for row in transitions),
        )


def _state(row: Row, pictures: dict[str, str]) -> StateRow:
    page, visits, activity, digest, _ = row
    if not isinstance(digest, bytes):
        raise ValueError(f"digest: not bytes: {digest!r:.60}")
    return StateRow(
        state=StateId(as_text("page", page)),
        activity=None if activity is None else from_column(activity),
        visits=as_number("visits", visits),
        screen=digest.hex(),
        picture=pictures.get(page),
    )


def _transition(row: Row, nothing: StateId, episodes: Episodes) -> TransitionRow:
    source, target, count, event_id, crashes, _ = row
    return TransitionRow(
        source=StateId(as_text("page", source)),
        target=None if target == nothing else StateId(as_text("page", target)),
        count=as_number("count", count),
        event=describe(episodes.event_of(event_id)),
        crashes=as_number("crashes", crashes),
    )
