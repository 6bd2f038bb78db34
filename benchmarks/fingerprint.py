"""Prints a fingerprint of each project's exploration: equal if every event, screen and coverage is.

    fewtaps explore samples/shop.apk --seed 1 --events 5000 -o shop
    python benchmarks/fingerprint.py shop

A change that is to leave the search as it is must leave these as they are.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

from fewtaps.model.event import event_to_json
from fewtaps.store.database import open_store


def fingerprint(folder: Path) -> tuple[int, int, str]:
    """Episodes, events and the fingerprint of the project's last exploration."""
    digest = hashlib.sha256()
    episodes = events = 0
    with open_store(folder) as store:
        run = store.runs.latest("explore")
        if run is None:
            raise SystemExit(f"{folder}: nothing was explored")
        for episode in store.runs.iter_episodes(run.run_id):
            episodes += 1
            digest.update(repr((episode.number, episode.trace.world, episode.replayed, episode.reached)).encode())
            for step in episode.trace.steps:
                events += 1
                seen = (event_to_json(step.event), step.after.digest(), step.covered.to_json(), step.ending.value)
                digest.update(repr((*seen, step.clock_ms)).encode())
    return episodes, events, digest.hexdigest()[:24]


if __name__ == "__main__":
    for name in sys.argv[1:]:
        print(name, *fingerprint(Path(name)))
