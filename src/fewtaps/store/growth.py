"""Reads how coverage grew, episode by episode, over all runs of the app of the last run."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter

from fewtaps.model.coverage import NO_COVERAGE
from fewtaps.store.connection import Database
from fewtaps.store.episodes import Episodes
from fewtaps.store.rows import Growth

# The coverage of an episode's steps, and how many crashes were first seen in it.
_EPISODES = """
    SELECT episode_id, run_id, seconds, events, coverage_id FROM episode
    LEFT JOIN (SELECT DISTINCT episode_id, coverage_id FROM step WHERE coverage_id IS NOT NULL) USING (episode_id)
    WHERE run_id IN (SELECT run_id FROM run WHERE app_id = (SELECT app_id FROM run ORDER BY run_id DESC LIMIT 1))
    ORDER BY episode_id"""

_FIRST = "SELECT min(episode_id) FROM crash_sighting GROUP BY crash_id"


def iter_growth(database: Database, episodes: Episodes) -> Iterator[Growth]:
    """One `Growth` after each episode; the seconds of several runs are added."""
    first = [episode_id for (episode_id,) in database.rows(_FIRST)]
    covered, events, crashes, before = NO_COVERAGE, 0, 0, 0.0
    last_run, last_seconds = None, 0.0
    for episode_id, rows in groupby(database.rows(_EPISODES), key=itemgetter(0)):
        parts = list(rows)
        _, run, seconds, played, _ = parts[0]
        if run != last_run:
            before, last_run = before + last_seconds, run
        for part in parts:
            if part[4] is not None:
                covered = covered | episodes.coverage_of(part[4])
        events += played
        crashes += first.count(episode_id)
        last_seconds = float(seconds)
        yield Growth(before + last_seconds, events, len(covered.lines), len(covered.branches), crashes)
