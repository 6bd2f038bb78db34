#!/usr/bin/env python3
"""Measures what a farm costs, and computes how busy it keeps many slots.

Run: python benchmarks/farm.py [--app sim:bill] [--seconds S] [--slots 1,2,4] [--event-ms MS] [--write]

A hub and workers are started on this machine. The slots have simulated devices whose events also sleep, so that several
slots do not compete for the cores. The app is explored on each number of slots with the same seed and width. The sizes
of what is sent are those of the exploration with most slots. How long a slot is idle between two episodes is told by
the one with fewest slots: with more, slots also wait for the run.

The model (benchmarks/farm_model.py) gets four constants from the exploration with one slot alone: the lengths of its
episodes, the time of an event, the time between two episodes of a slot, and the run's own time per event. From these it
says how fast the other numbers of slots are; the error is what it was off by. For farms that are not here, the run's
own time is its processor time, the time of an event is given, and so are losses (`Trouble`). `--write` writes
benchmarks/results/farm.json.
"""

from __future__ import annotations

import argparse
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

from farm_devices import SleepingOpener
from farm_model import NO_TROUBLE, Costs, FarmModel, Trouble
from results import Cell, load_average, measured, save, shown, table, this_machine

from fewtaps.config import DeviceSettings, ExploreLimits, ExploreSettings
from fewtaps.device.jobs import Job
from fewtaps.device.pool import SessionPool
from fewtaps.explore.jobs import RunEpisode
from fewtaps.farm.address import parse_address
from fewtaps.farm.hub_line import HubLine
from fewtaps.farm.packing import pack
from fewtaps.farm.pool import FarmFigures, open_farm_pool
from fewtaps.farm.tasks import FarmTask
from fewtaps.pipeline.exploring import explore_app
from fewtaps.pipeline.news import EpisodeKept
from fewtaps.pipeline.opening import Plan
from fewtaps.pipeline.plan_pools import PlanOpener
from fewtaps.store.database import open_store

WIDTH = 16
PORT = 18990 + os.getpid() % 1000
START_SECONDS = 120
"""Longest wait for the processes of a farm."""
SHORT = ("episode.events=60",)
LOSING = Trouble(between_losses=3600.0, back=30.0)
SLOW = Trouble(slow_share=0.02, slow_factor=10.0)
BUSY = (
    "slots busy",
    f"a loss every {LOSING.between_losses / 60:.0f} min of work",
    f"{SLOW.slow_share:.0%} of the slots {SLOW.slow_factor:.0f} times slower",
    "the same without copies",
)
"""Columns of what the model says of farms that are not here."""


@dataclass(frozen=True, slots=True)
class Explored:
    """An exploration on a farm: seconds from the first kept episode to the last, and what they were used for.

    `own` is how long the run worked and did not wait, `processor` the processor time of its process, with that of the
    engine's thread. Both leave out the first episode.
    """

    seconds: float
    own: float
    processor: float
    lengths: tuple[int, ...]
    figures: FarmFigures

    @property
    def events(self) -> int:
        return sum(self.lengths)


def explore(app: str, seconds: float, farm: str, event_seconds: float) -> Explored:
    """Explores on a farm for some time."""
    kept: list[tuple[float, float, float]] = []
    figures: list[FarmFigures] = []

    @contextmanager
    def pool_of(plan: Plan, *, size: int, width: int, **ignored: Any) -> Iterator[Any]:
        opener = SleepingOpener(PlanOpener(plan), event_seconds)
        with open_farm_pool(parse_address(farm), opener, size=size, width=width) as pool:
            figures.append(pool.figures)
            yield pool

    def note(news: object) -> None:
        if isinstance(news, EpisodeKept):
            kept.append((time.monotonic(), figures[0].awaited, time.process_time()))

    with patch("fewtaps.pipeline.exploring.open_plan_pool", pool_of), tempfile.TemporaryDirectory() as folder:
        # A limit on events would let fewer and fewer episodes be under way.
        limits = ExploreLimits(minutes=seconds / 60)
        settings = ExploreSettings(
            Path(folder), DeviceSettings(), limits, parameters=SHORT, width=WIDTH, pictures=False, vary=()
        )
        explore_app(app, settings, note)
        with open_store(Path(folder)) as store:
            run = store.runs.all()[-1].run_id
            lengths = [episode.events for episode in store.runs.iter_episodes(run)]
    first, last = kept[0], kept[-1]
    whole = last[0] - first[0]
    return Explored(whole, whole - (last[1] - first[1]), last[2] - first[2], tuple(lengths[: len(kept)]), figures[0])


def predicted(run: Explored, slots: int) -> float:
    """Events per second on so many slots, from what was measured with one."""
    # The episodes of the longer exploration are not known yet: those of the shorter one come again.
    lengths = run.lengths * slots
    seconds: float = FarmModel(lengths, slots, WIDTH, costs_of(run)).run().seconds
    return sum(lengths) / seconds


def costs_of(run: Explored) -> Costs:
    """The constants of the model, measured in an exploration."""
    per_event = sum(run.figures.seconds[: len(run.lengths)]) / run.events
    return Costs(per_event, statistics.mean(run.figures.idle_seconds), run.own / run.events)


def varied_task_bytes(app: str, events: int) -> int:
    """The median size of an episode on another phone, which carries along what is known of that phone."""
    sizes = []

    class Weighing(SessionPool):
        def stream(self, jobs: Iterable[Job[Any]], **options: Any) -> Generator[Any, None, None]:
            return super().stream(map(weighed, jobs), **options)

    def weighed(job: Job[Any]) -> Job[Any]:
        if isinstance(job, RunEpisode) and job.plan.phone:
            sizes.append(len(pack(FarmTask(32 * "0", 1, job))))
        return job

    @contextmanager
    def pool_of(plan: Plan, *, size: int, width: int, **ignored: Any) -> Iterator[Any]:
        pool = Weighing(PlanOpener(plan), size=1)
        try:
            yield pool
        finally:
            pool.close()

    with patch("fewtaps.pipeline.exploring.open_plan_pool", pool_of), tempfile.TemporaryDirectory() as folder:
        limits = ExploreLimits(events=events)
        explore_app(app, ExploreSettings(Path(folder), limits=limits, parameters=SHORT, pictures=False))
    return round(statistics.median(sizes))


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


def _await_hub() -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        with socket.socket() as line:
            if line.connect_ex(("127.0.0.1", PORT)) == 0:
                return
        time.sleep(0.2)


@contextmanager
def hub_alone() -> Iterator[tuple[str, int]]:
    """The address of a hub on this machine, and its process."""
    address = f"tcp://127.0.0.1:{PORT}"
    command = [sys.executable, "-m", "fewtaps", "farm", "hub", "--listen", address]
    hub = subprocess.Popen(command, env=environment(), stdout=subprocess.DEVNULL)
    try:
        _await_hub()
        yield address, hub.pid
    finally:
        hub.terminate()
        hub.wait(30)


def environment() -> dict[str, str]:
    """Variables with which a process finds these modules."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).resolve().parent), *sys.path])}


@contextmanager
def local_farm(slots: int, device: str = "simulated") -> Iterator[str]:
    """The address of a farm on this machine."""
    with hub_alone() as (address, _):
        worker = subprocess.Popen(
            [sys.executable, "-m", "fewtaps", "farm", "worker", address, "--device", device, "--count", str(slots)],
            env=environment(),
            stdout=subprocess.DEVNULL,
        )
        try:
            line = HubLine(parse_address(address))
            end = time.monotonic() + START_SECONDS
            while len(line.ask("status")["slots"]) < slots and time.monotonic() < end:
                time.sleep(0.2)
            line.close()
            yield address
        finally:
            worker.terminate()
            worker.wait(30)


def main() -> int:
    options = parse()
    load = load_average()
    event = options.event_ms / 1000
    counts = [int(each) for each in options.slots.split(",")]
    learn = learning_seconds(options.app, 3000)
    runs: dict[int, Explored] = {}
    for count in counts:
        with local_farm(count) as address:
            runs[count] = explore(options.app, options.seconds, address, event)
    most = runs[counts[-1]]
    figures = most.figures
    one = runs[counts[0]]
    compared: list[list[Cell]] = []
    for count, run in runs.items():
        own, idle = 1000 * run.own / run.events, 1000 * statistics.median(run.figures.idle_seconds)
        real, said = run.events / run.seconds, predicted(one, count)
        # With one slot the constants are those of the same exploration, which proves nothing.
        error = None if count == counts[0] else 100 * (said / real - 1)
        compared.append([count, real, None if error is None else said, error, own, idle])
    errors = [abs(row[3]) for row in compared if isinstance(row[3], float)]
    random = Random(1)
    far = [random.choice(most.lengths) for _ in range(20_000)]
    between = statistics.median(one.figures.idle_seconds)
    computed: list[list[Cell]] = []
    for name, slots, width, seconds in (
        ("1,000 phones, 0.6 s per event", 1000, 1000, 0.6),
        ("1,000 phones, 0.6 s per event", 1000, 4000, 0.6),
        ("12 twins, 4 ms per event", 12, 16, 0.004),
        ("12 twins, 4 ms per event", 12, 48, 0.004),
        ("64 twins, 4 ms per event", 64, 256, 0.004),
    ):
        costs = Costs(seconds, between, most.processor / most.events)
        troubles = (NO_TROUBLE, LOSING, SLOW)
        found = [FarmModel(far, slots, width, costs, trouble).run() for trouble in troubles]
        alone = FarmModel(far, slots, width, costs, SLOW, copies=False).run()
        computed.append([name, width, *(100 * each.busy for each in (*found, alone))])
    values: dict[str, Cell] = {
        "app": options.app,
        "seconds": options.seconds,
        "event_ms": options.event_ms,
        "width": WIDTH,
        "task_bytes": statistics.median(figures.task_bytes),
        "answer_bytes": statistics.median(figures.answer_bytes),
        "lesson_bytes": statistics.median(figures.lesson_bytes),
        "idle_ms": round(1000 * between, 1),
        "model_error": round(max(errors), 1) if errors else "not measured",
        "varied_task_bytes": varied_task_bytes(options.app, 3000),
        "learned_per_second": round(1 / learn),
        "own_ms_per_event": round(1000 * most.processor / most.events, 2),
    }
    heads: list[str | tuple[str, str]] = [
        *("slots", ("events per second", "{:.0f}"), ("by the model", "{:.0f}")),
        ("error of the model", "{:+.0f} %"),
        ("own time of the run per event, ms", "{:.1f}"),
        ("slot idle between two episodes, ms", "{:.1f}"),
    ]
    tables = {
        "compared": table(heads, compared),
        "computed": table(["farm", "width", *((head, "{:.0f} %") for head in BUSY)], computed),
    }
    print(*map(shown, tables.values()), values, sep="\n\n")
    if options.write:
        save("farm", measured(this_machine(load=load), tables, values))
    return 0


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--app", default="sim:bill")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--slots", default="1,2,4", help="the model gets its constants from the first of these")
    parser.add_argument("--event-ms", type=float, default=20)
    parser.add_argument("--write", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
