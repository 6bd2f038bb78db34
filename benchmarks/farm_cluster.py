#!/usr/bin/env python3
"""Measures what the engine of a farm costs with many slots: simulated phones whose tasks only sleep.

Run: python benchmarks/farm_cluster.py [--slots 16,64,256] [--per-process N] [--task-ms MS] [--tasks N] [--write]

A real hub and real slots on this machine, several slots in each process, because 256 processes need more memory than
most machines have. Each slot gets so many tasks of the same length. `--write` writes
benchmarks/results/farm_cluster.json.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from farm import START_SECONDS, hub_alone
from farm_devices import SleepJob
from results import Cell, load_average, measured, save, shown, table, this_machine

from fewtaps.config import DeviceSettings
from fewtaps.farm.address import parse_address
from fewtaps.farm.hub_line import HubLine
from fewtaps.farm.pool import open_farm_pool
from fewtaps.pipeline.opening import plan_app
from fewtaps.pipeline.plan_pools import PlanOpener


@contextmanager
def many_slots(count: int, per_process: int) -> Iterator[tuple[str, int]]:
    """The address of a farm with so many slots, and the process of its hub."""
    program = str(Path(__file__).with_name("farm_slots.py"))
    processes = []
    with hub_alone() as (address, hub):
        try:
            for first in range(0, count, per_process):
                command = [sys.executable, program, address, str(min(per_process, count - first))]
                environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
                processes.append(subprocess.Popen(command, env=environment))
            line = HubLine(parse_address(address))
            end = time.monotonic() + START_SECONDS + count
            while (there := len(line.ask("status")["slots"])) < count and time.monotonic() < end:
                time.sleep(0.5)
            line.close()
            if there < count:
                raise SystemExit(f"only {there} of {count} slots have joined")
            yield address, hub
        finally:
            for process in processes:
                process.terminate()
            for process in processes:
                process.wait(60)


def processor_seconds(pid: int) -> float:
    """The processor time of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def row_of(count: int, per_process: int, task_seconds: float, tasks: int) -> list[Cell]:
    """What so many slots did."""
    with many_slots(count, per_process) as (address, hub):
        opener = PlanOpener(plan_app("sim:bill", DeviceSettings()))
        with open_farm_pool(parse_address(address), opener, size=2 * count, width=count) as pool:
            # Every slot opens the app first.
            pool.map([SleepJob(task_seconds) for _ in range(2 * count)])
            before = len(pool.figures.idle_seconds)
            hub_before, own_before = processor_seconds(hub), resource.getrusage(resource.RUSAGE_SELF)
            began = time.monotonic()
            pool.map([SleepJob(task_seconds) for _ in range(tasks * count)])
            seconds = time.monotonic() - began
            own_after = resource.getrusage(resource.RUSAGE_SELF)
            own = own_after.ru_utime + own_after.ru_stime - own_before.ru_utime - own_before.ru_stime
            idle = statistics.median(pool.figures.idle_seconds[before:])
            in_all, hub_seconds = tasks * count, processor_seconds(hub) - hub_before
            lost = pool.figures.lost
    busy = 100 * in_all * task_seconds / (seconds * count)
    ms = 1000 / in_all
    return [count, in_all / seconds, busy, 1000 * idle, hub_seconds * ms, own * ms, lost]


def main() -> int:
    options = parse()
    load = load_average()
    counts = [int(each) for each in options.slots.split(",")]
    rows = [row_of(count, options.per_process, options.task_ms / 1000, options.tasks) for count in counts]
    heads: list[str | tuple[str, str]] = [
        *(
            "slots",
            ("tasks per second", "{:.0f}"),
            ("slots busy", "{:.0f} %"),
            ("idle between two tasks, ms", "{:.1f}"),
        ),
        *(("processor of the hub per task, ms", "{:.2f}"), ("processor of the run per task, ms", "{:.2f}"), "lost"),
    ]
    tables = {"slots": table(heads, rows)}
    values: dict[str, Cell] = {"task_ms": options.task_ms, "tasks": options.tasks, "per_process": options.per_process}
    print(shown(tables["slots"]), values, sep="\n\n")
    if options.write:
        save("farm_cluster", measured(this_machine(load=load), tables, values))
    return 0


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--slots", default="16,64,256")
    parser.add_argument("--per-process", type=int, default=32)
    parser.add_argument("--task-ms", type=float, default=2000)
    parser.add_argument("--tasks", type=int, default=10, help="of each slot")
    parser.add_argument("--write", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
