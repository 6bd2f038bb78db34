#!/usr/bin/env python3
"""Compares two slots of a farm with `-j 2` on the same machine: events that real twins play in the same time.

Run: python benchmarks/farm_speed.py [--apps a.apk,b.apk,…] [--seeds N] [--seconds S] [--warm S] [--write]

Each app is explored with each seed on two threads and on two slots, one after the other, in an order that alternates.
Starting devices does not count: each exploration goes on for `--warm` seconds more, and events count from the first
episode that is kept after these up to the last one.
`--write` writes benchmarks/results/farm_speed.json.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from farm import local_farm
from results import Cell, load_average, measured, save, shown, table, this_machine

from fewtaps.config import DeviceSettings, ExploreLimits, ExploreSettings
from fewtaps.pipeline.exploring import explore_app
from fewtaps.pipeline.news import EpisodeKept
from fewtaps.store.database import open_store

SAMPLES = Path(__file__).resolve().parent.parent / "samples"
APPS = ("tipsplit", "notes", "shop")


def events_per_second(app: str, seed: int, seconds: float, farm: str, *, warm: float, jail: bool) -> float:
    """How fast an exploration is, from an episode that is kept when all devices work, to the last one."""
    kept: list[float] = []

    def note(news: object) -> None:
        if isinstance(news, EpisodeKept):
            kept.append(time.monotonic())

    with tempfile.TemporaryDirectory() as folder:
        settings = ExploreSettings(
            Path(folder),
            DeviceSettings(farm=farm, jail=jail),
            ExploreLimits(minutes=(warm + seconds) / 60),
            seed=seed,
            jobs=2,
            pictures=False,
        )
        began = time.monotonic()
        explore_app(app, settings, note)
        with open_store(Path(folder)) as store:
            run = store.runs.all()[-1].run_id
            lengths = [episode.events for episode in store.runs.iter_episodes(run)]
    first = next((number for number, when in enumerate(kept) if when - began > warm), len(kept))
    if first + 1 >= len(kept):
        raise SystemExit(f"{app}: too few episodes in {seconds:g} s")
    return sum(lengths[first + 1 : len(kept)]) / (kept[-1] - kept[first])


def main() -> int:
    options = parse()
    load = load_average()
    apps = [str(SAMPLES / f"{each}.apk") if "/" not in each else each for each in options.apps.split(",")]
    rows: list[list[Cell]] = []
    sums = [0.0, 0.0]
    with local_farm(2, "twin") as farm:
        for app in apps:
            found: list[list[float]] = [[], []]
            for seed in range(1, options.seeds + 1):
                for which in (0, 1) if seed % 2 else (1, 0):
                    address = farm if which else ""
                    found[which].append(
                        events_per_second(
                            app, seed, options.seconds, address, warm=options.warm, jail=not options.no_jail
                        )
                    )
            means = [sum(each) / len(each) for each in found]
            sums = [total + mean for total, mean in zip(sums, means, strict=True)]
            ratios = [on_farm / alone for alone, on_farm in zip(*found, strict=True)]
            rows.append([Path(app).stem, *means, means[1] / means[0], min(ratios), max(ratios)])
    heads: list[str | tuple[str, str]] = [
        *("app", ("-j 2, events per second", "{:.0f}"), ("two slots", "{:.0f}"), ("ratio", "{:.2f}")),
        *(("least", "{:.2f}"), ("most", "{:.2f}")),
    ]
    tables = {"compared": table(heads, rows)}
    values: dict[str, Cell] = {"seconds": options.seconds, "seeds": options.seeds, "ratio": round(sums[1] / sums[0], 2)}
    print(shown(tables["compared"]), values, sep="\n\n")
    if options.write:
        save("farm_speed", measured(this_machine(load=load), tables, values))
    return 0


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--apps", default=",".join(APPS), help="names of samples or paths, separated by commas")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=90)
    parser.add_argument("--warm", type=float, default=30)
    parser.add_argument("--no-jail", action="store_true")
    parser.add_argument("--write", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
