#!/usr/bin/env python3
"""Prints a fingerprint of each project's exploration: equal if every event, screen and coverage is.

    fewtaps explore samples/shop.apk --seed 1 --events 5000 -o build/fingerprints/shop
    python benchmarks/fingerprint.py build/fingerprints/shop [--write]

A change that is to leave the search as it is must leave these as they are. The last column says whether the fingerprint
is the one in benchmarks/results/fingerprints.json; the exit code is 1 if one is another. `--write` keeps these there
instead, together with those of other explorations; docs/performance.md shows them. Neither time nor load has a part in
them, but a change of the twin may change them too, and without `--no-vary` a change of what varies between phones.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from results import FOLDER, Cell, Table, load, measured, save, shown, table, this_machine

from fewtaps.errors import FewtapsError
from fewtaps.model.event import event_to_json
from fewtaps.store.database import open_store

NAME = "fingerprints"
COLUMNS = ("app", "seed", "width", "phones", "events", "episodes", "fingerprint")

Exploration = tuple[Cell, ...]
"""Package, seed, width, which phones, and number of events: these decide an exploration of a build."""


@dataclass(frozen=True, slots=True)
class FingerprintedExploration:
    """The last exploration of a project and its fingerprint."""

    key: Exploration
    episodes: int
    digest: str

    @property
    def row(self) -> tuple[Cell, ...]:
        """The exploration as a row of the table."""
        return (*self.key, self.episodes, self.digest)


def read_exploration(folder: Path) -> FingerprintedExploration:
    """Computes the fingerprint. Raises NotFound for a folder without an exploration."""
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
    seed, width = (int(run.settings.get(name) or 0) for name in ("seed", "width"))
    phones = "varied" if run.settings.get("vary") else "one"
    return FingerprintedExploration((run.app.package, seed, width, phones, events), episodes, digest.hexdigest()[:24])


def kept_rows(folder: Path = FOLDER) -> dict[Exploration, tuple[Cell, ...]]:
    """The rows of the result file by their explorations; none without a file."""
    path = folder / f"{NAME}.json"
    if not path.is_file():
        return {}
    return {row[:5]: row for row in load(NAME, folder).tables[NAME].rows}


def compared(
    found: Iterable[FingerprintedExploration], kept: Mapping[Exploration, tuple[Cell, ...]]
) -> tuple[Table, bool]:
    """The fingerprints beside those that are kept, and whether one of them is another."""
    rows: list[tuple[Cell, ...]] = []
    for each in found:
        other = kept.get(each.key)
        rows.append((*each.row, "not kept yet" if other is None else "as kept" if other == each.row else "another"))
    return table([*COLUMNS, "is"], rows), any(row[-1] == "another" for row in rows)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    try:
        found = [read_exploration(folder) for folder in options.folder]
    except FewtapsError as error:
        print(error, file=sys.stderr)
        return 3
    kept = kept_rows()
    shown_table, has_changed = compared(found, kept)
    print(shown(shown_table))
    if not options.write:
        return 1 if has_changed else 0
    rows = kept | {each.key: each.row for each in found}
    print(f"\nwrote {save(NAME, measured(this_machine(), {NAME: table(COLUMNS, sorted(rows.values()))}))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
