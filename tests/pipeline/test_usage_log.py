from __future__ import annotations

from pathlib import Path
from typing import Any

from projects import THE_APP

from fewtaps.pipeline.time_shares import TimeShares
from fewtaps.pipeline.usage_log import PAUSE_SECONDS, UsageLog
from fewtaps.store.database import open_store

GIVEN: list[dict[str, Any]] = [{"seconds": 60.0, "used": 50.0}, {"seconds": 30.0, "events": None}]


def test_the_time_is_noted_beside_what_the_last_part_was_given_and_not_too_often(tmp_path: Path) -> None:
    now = 100.0
    shares = TimeShares(30, clock=lambda: now)
    with open_store(tmp_path, create=True) as store:
        run = store.runs.start(THE_APP, "explore", {"budget": GIVEN, "seed": 7})
        keeper = UsageLog(store, run, shares)
        noted = []
        keeper.note_now()
        assert store.runs.load(run).settings["budget"] == GIVEN
        shares.start()
        for seconds in (PAUSE_SECONDS - 1, PAUSE_SECONDS, 2 * PAUSE_SECONDS - 1, 2 * PAUSE_SECONDS):
            now = 100.0 + seconds
            keeper.note()
            noted.append(store.runs.load(run).settings["budget"][1].get("used"))
        assert noted == [None, PAUSE_SECONDS, PAUSE_SECONDS, 2 * PAUSE_SECONDS]
        now += 0.5
        keeper.note_now()
        settings = store.runs.load(run).settings
    assert settings["budget"] == [GIVEN[0], {**GIVEN[1], "used": 2 * PAUSE_SECONDS + 0.5}]
    assert settings["seed"] == 7
