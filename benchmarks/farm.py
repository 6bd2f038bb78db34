#!/usr/bin/env python3
"""Measures what a farm costs, and computes how busy it keeps many slots.

Run: python benchmarks/farm.py [--app sim:bill] [--seconds S] [--slots 1,2,4] [--event-ms MS] [--write]

A hub and workers are started on this machine. The slots have simulated devices whose events also sleep, so that several
slots do not compete for the cores. The app is explored on each number of slots with the same seed and width. The sizes
of what is sent and the idle time of slots between two episodes are those of the exploration with most slots.

The model is a queue: each slot takes the next episode when it is free and when the episode *width* places before it is
learned; learning is in order and takes a measured time per event, sending a measured time per episode. It is compared
with the explorations above, and then computed for farms that are not here. `--write` writes
benchmarks/results/farm.json.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

from farm_devices import SleepingOpener
from results import Cell, load_average, measured, save, shown, table, this_machine

from fewtaps.config import DeviceSettings, ExploreLimits, ExploreSettings
from fewtaps.farm.address import parse_address
from fewtaps.farm.hub_line import HubLine
from fewtaps.farm.pool import FarmFigures, open_farm_pool
from fewtaps.pipeline.exploring import explore_app
from fewtaps.pipeline.opening import Plan
from fewtaps.pipeline.plan_pools import PlanOpener
from fewtaps.store.database import open_store

WIDTH = 16
PORT = 18990
SHORT = ("episode.events=60",)


def explore(app: str, seconds: float, farm: str, event_seconds: float) -> tuple[float, list[int], FarmFigures]:
    """Explores on a farm: seconds after the first episode, lengths of episodes, what was sent."""
    kept: list[float] = []
    figures: list[FarmFigures] = []

    @contextmanager
    def pool_of(plan: Plan, *, size: int, width: int, progress: Any) -> Iterator[Any]:
        opener = SleepingOpener(PlanOpener(plan), event_seconds)
        with open_farm_pool(parse_address(farm), opener, size=size, width=width) as pool:
            yield pool
            figures.append(pool.figures)

    with patch("fewtaps.pipeline.exploring.open_plan_pool", pool_of), tempfile.TemporaryDirectory() as folder:
        # A limit on events would let fewer and fewer episodes be under way.
        limits = ExploreLimits(minutes=seconds / 60)
        settings = ExploreSettings(
            Path(folder), DeviceSettings(), limits, parameters=SHORT, width=WIDTH, pictures=False
        )
        explore_app(app, settings, lambda news: kept.append(time.monotonic()) if hasattr(news, "episode") else None)
        with open_store(Path(folder)) as store:
            run = store.runs.all()[-1].run_id
            lengths = [episode.events for episode in store.runs.iter_episodes(run)]
    return kept[-1] - kept[0], lengths, figures[0]


def modelled(
    lengths: Sequence[int], slots: int, width: int, event: float, learn: float, send: float
) -> tuple[float, float]:
    """Seconds from the end of the first episode to that of the last, and the share of the time that slots are busy."""
    free = [0.0] * min(slots, width)
    learned: list[float] = []
    first = 0.0
    for number, length in enumerate(lengths):
        slot = min(range(len(free)), key=free.__getitem__)
        ready = learned[number - width] + send if number >= width else 0.0
        begin = max(free[slot], ready)
        free[slot] = begin + length * event
        before = learned[-1] if learned else 0.0
        learned.append(max(free[slot], before) + length * learn)
        first = first or learned[0]
    return learned[-1] - first, sum(lengths) * event / (learned[-1] * slots)


def learning_seconds(app: str, events: int) -> float:
    """Seconds of one core that an event takes to be kept and learned, of an exploration that is resumed."""
    from fewtaps.config import ExploreSettings as Settings
    from fewtaps.pipeline.opening import plan_app
    from fewtaps.pipeline.resuming import open_exploration

    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(Path(folder), limits=ExploreLimits(events=events), parameters=SHORT, pictures=False)
        explore_app(app, settings)
        with open_store(Path(folder)) as store:
            episodes = list(store.runs.iter_episodes(store.runs.all()[-1].run_id))
    plan = plan_app(app, DeviceSettings())
    with tempfile.TemporaryDirectory() as folder:
        fresh = Settings(Path(folder), limits=ExploreLimits(events=events), parameters=SHORT, pictures=False)
        with open_exploration(plan, fresh) as (_, resumed):
            began = time.process_time()
            for episode in episodes:
                resumed.exploration.absorb(episode)
            resumed.exploration.learn_the_rest()
            return (time.process_time() - began) / sum(episode.events for episode in episodes)


@contextmanager
def local_farm(slots: int) -> Iterator[str]:
    """The address of a farm on this machine."""
    address = f"tcp://127.0.0.1:{PORT}"
    path = os.pathsep.join([str(Path(__file__).resolve().parent), *sys.path])
    environment = {**os.environ, "PYTHONPATH": path}
    command = [sys.executable, "-m", "fewtaps", "farm"]
    hub = subprocess.Popen([*command, "hub", "--listen", address], env=environment, stdout=subprocess.DEVNULL)
    worker = None
    try:
        time.sleep(3)
        worker = subprocess.Popen(
            [*command, "worker", address, "--device", "simulated", "--count", str(slots)],
            env=environment,
            stdout=subprocess.DEVNULL,
        )
        line = HubLine(parse_address(address))
        end = time.monotonic() + 120
        while len(line.ask("status")["slots"]) < slots and time.monotonic() < end:
            time.sleep(0.2)
        line.close()
        yield address
    finally:
        for process in (worker, hub):
            if process is not None:
                process.terminate()
                process.wait(30)


def main() -> int:
    options = parse()
    load = load_average()
    event = options.event_ms / 1000
    counts = [int(each) for each in options.slots.split(",")]
    learn = learning_seconds(options.app, 3000)
    runs = {}
    for count in counts:
        with local_farm(count) as address:
            runs[count] = explore(options.app, options.seconds, address, event)
    figures = runs[counts[-1]][2]
    send = statistics.median(figures.idle_seconds)
    lengths = runs[counts[0]][1]
    compared = []
    for count in counts:
        lengths = runs[count][1]
        # The time of an event is that of the same exploration: slots of one machine compete for its cores.
        per_event = sum(sorted(runs[count][2].seconds)[: len(lengths)]) / sum(lengths)
        seconds, _ = modelled(lengths, count, WIDTH, per_event, learn, send)
        compared.append([count, sum(lengths) / runs[count][0], sum(lengths) / seconds, runs[count][0] / seconds])
    random = Random(1)
    far = [random.choice(lengths) for _ in range(200_000)]
    computed: list[list[Cell]] = []
    for name, slots, width, seconds in (
        ("1,000 phones, 0.6 s per event", 1000, 4000, 0.6),
        ("12 twins, 4 ms per event", 12, 48, 0.004),
        ("12 twins, 4 ms per event", 12, 16, 0.004),
        ("64 twins, 4 ms per event", 64, 256, 0.004),
    ):
        busy = modelled(far, slots, width, seconds, learn, send)[1]
        computed.append([name, width, 100 * busy])
    values: dict[str, Cell] = {
        "app": options.app,
        "seconds": options.seconds,
        "event_ms": options.event_ms,
        "width": WIDTH,
        "task_bytes": statistics.median(figures.task_bytes),
        "answer_bytes": statistics.median(figures.answer_bytes),
        "lesson_bytes": statistics.median(figures.lesson_bytes),
        "idle_ms": round(1000 * statistics.median(figures.idle_seconds), 1),
        "learned_per_second": round(1 / learn),
    }
    heads: list[str | tuple[str, str]] = [
        *("slots", ("events per second", "{:.0f}"), ("by the model", "{:.0f}")),
        ("time, real to model", "{:.2f}"),
    ]
    tables = {
        "compared": table(heads, compared),
        "computed": table(["farm", "width", ("slots busy", "{:.0f} %")], computed),
    }
    print(*map(shown, tables.values()), values, sep="\n\n")
    if options.write:
        save("farm", measured(this_machine(load=load), tables, values))
    return 0


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--app", default="sim:bill")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--slots", default="1,2,4")
    parser.add_argument("--event-ms", type=float, default=20)
    parser.add_argument("--write", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
