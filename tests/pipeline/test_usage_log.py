"""How much time a run has used, kept while it goes on."""

from __future__ import annotations

from pathlib import Path

from projects import THE_APP

from fewtaps.pipeline.time_shares import TimeShares
from fewtaps.pipeline.usage_log import PAUSE_SECONDS, UsageLog
from fewtaps.store.database import open_store
from fewtaps.store.rows import RunPart


def test_the_time_is_noted_beside_what_the_last_part_was_given_and_not_too_often(tmp_path: Path) -> None:
    now = 100.0
    shares = TimeShares(30, clock=lambda: now)
    with open_store(tmp_path, create=True) as store:
        run = store.runs.start(THE_APP, "explore", {"seed": 7}, RunPart(60.0, 500, 50.0))
        store.runs.resume(run, RunPart(30.0))
        keeper = UsageLog(store, run, shares)
        noted = []
        keeper.note_now()
        assert store.runs.parts(run) == (RunPart(60.0, 500, 50.0), RunPart(30.0))
        shares.start()
        for seconds in (PAUSE_SECONDS - 1, PAUSE_SECONDS, 2 * PAUSE_SECONDS - 1, 2 * PAUSE_SECONDS):
            now = 100.0 + seconds
            keeper.note()
            noted.append(store.runs.parts(run)[1].seconds_used)
        assert noted == [None, PAUSE_SECONDS, PAUSE_SECONDS, 2 * PAUSE_SECONDS]
        now += 0.5
        keeper.note_now()
        assert store.runs.parts(run) == (RunPart(60.0, 500, 50.0), RunPart(30.0, None, 2 * PAUSE_SECONDS + 0.5))
