#!/usr/bin/env python3
"""Measures how much faster many slots of a farm reduce a flaky crash than one.

Run: python benchmarks/farm_reduce.py [--app sim:feed] [--slots 1,8] [--event-ms MS] [--write]

The app is explored; of the traces that crash, the longest is reduced by repeated runs (20 worlds, 18 needed, or what
the original reaches) with -j 8, on farms of simulated devices whose events also sleep, so that the slots do not compete
for the cores. The results have to be the same. `--write` writes benchmarks/results/farm_reduce.json.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from farm import local_farm
from farm_devices import SleepingOpener
from results import Cell, load_average, measured, save, shown, table, this_machine

from fewtaps.config import DeviceSettings, ExploreLimits, ExploreSettings, FlakySettings, ReduceSettings
from fewtaps.farm.pool import open_farm_pool
from fewtaps.pipeline.exploring import explore_app
from fewtaps.pipeline.reducing import reduce_file
from fewtaps.store.database import open_store
from fewtaps.tracefile import trace_to_bytes

JOBS = 8


def longest_crash(app: str, folder: Path) -> Path:
    """A file with the longest trace of an exploration that crashes."""
    limits = ExploreLimits(events=1500)
    explore_app(app, ExploreSettings(folder, limits=limits, parameters=("episode.events=60",), vary=()))
    with open_store(folder) as store:
        run = store.runs.latest("explore")
        assert run is not None
        crashed = [each.trace for each in store.runs.iter_episodes(run.run_id) if each.trace.crash is not None]
    path = folder / "crash.jsonl"
    path.write_bytes(trace_to_bytes(max(crashed, key=lambda trace: len(trace.steps))))
    return path


def reduce_on(app: str, trace: Path, farm: str, folder: Path, event_seconds: float) -> tuple[float, bytes, int]:
    """Reduces on a farm: seconds, the result, and how many runs it took."""
    runs: list[int] = []

    @contextmanager
    def sleeping(address: Any, opener: Any, *, size: int, width: int) -> Iterator[Any]:
        with open_farm_pool(address, SleepingOpener(opener, event_seconds), size=size, width=width) as pool:
            yield pool
            runs.append(len(pool.figures.seconds))

    output = folder / "reduced.jsonl"
    settings = ReduceSettings(folder, DeviceSettings(farm=farm), jobs=JOBS, flaky=FlakySettings(), output=output)
    began = time.monotonic()
    with patch("fewtaps.farm.pool.open_farm_pool", sleeping):
        reduce_file(app, str(trace), settings)
    return time.monotonic() - began, output.read_bytes(), sum(runs)


def main() -> int:
    options = parse()
    load = load_average()
    rows: list[list[Cell]] = []
    results = set()
    with tempfile.TemporaryDirectory() as name:
        trace = longest_crash(options.app, Path(name) / "explored")
        first = 0.0
        for count in (int(each) for each in options.slots.split(",")):
            with local_farm(count) as address:
                folder = Path(name) / f"slots-{count}"
                seconds, reduced, runs = reduce_on(options.app, trace, address, folder, options.event_ms / 1000)
            results.add(reduced)
            first = first or seconds
            rows.append([count, seconds, first / seconds, runs])
        steps = trace.read_text("utf-8").count("\n") - 1
    heads: list[str | tuple[str, str]] = ["slots", ("seconds", "{:.0f}"), ("times as fast", "{:.1f}"), "runs"]
    tables = {"slots": table(heads, rows)}
    values: dict[str, Cell] = {"app": options.app, "event_ms": options.event_ms, "jobs": JOBS, "steps": steps}
    values["same"] = "yes" if len(results) == 1 else "no"
    print(*map(shown, tables.values()), values, sep="\n\n")
    if options.write:
        save("farm_reduce", measured(this_machine(load=load), tables, values))
    return 0 if len(results) == 1 else 1


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--app", default="sim:feed")
    parser.add_argument("--slots", default="1,8")
    parser.add_argument("--event-ms", type=float, default=100)
    parser.add_argument("--write", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
