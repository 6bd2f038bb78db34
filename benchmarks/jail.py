#!/usr/bin/env python3
"""Measures what the jail and its filter of system calls cost, as ratios within one run.

Run: python benchmarks/jail.py [--rounds N] [--events N] [--sample NAME…] [--write]

The same events are played without a jail, in a jail without the filter, and in the jail as it is, in turns that rotate.
Measured is processor time of the twin's processes, which other programs on the machine change less than the clock; the
clock is shown for the whole. Each figure is the median over the rounds. `--write` writes benchmarks/results/jail.json.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections import defaultdict
from contextlib import nullcontext
from pathlib import Path
from random import Random
from unittest.mock import patch

from results import ROOT, Cell, Table, load_average, measured, save, shown, table, this_machine

from fewtaps.apk.reader import read_apk
from fewtaps.device.twin import jail
from fewtaps.device.twin.device import TwinDevice
from fewtaps.device.twin.runtime import find_java
from fewtaps.device.twin.usage import family
from fewtaps.model.app import App
from fewtaps.model.event import Tap

OPEN, UNFILTERED, JAILED = "no jail", "jail without filter", "jail"
VARIANTS = (OPEN, UNFILTERED, JAILED)
PARTS = ("start to the first screen", "relaunches", "events", "whole run", "whole run, by the clock")
RELAUNCHES = 10
WIDTH, HEIGHT = 720, 1280


def processor_seconds(pid: int) -> float:
    """Processor time of a process and all below it."""
    ticks = 0
    for each in family(pid):
        words = Path(f"/proc/{each}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
        ticks += int(words[11]) + int(words[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def play(app: App, variant: str, events: int) -> tuple[float, ...]:
    """One process from its start to its end: the seconds of each part."""
    began = time.monotonic()
    unfiltered = patch.object(jail, "filter_program", return_value=None) if variant == UNFILTERED else nullcontext()
    with unfiltered, TwinDevice(jail=variant != OPEN) as device, device.open(app) as session:
        session.launch()
        assert device._process is not None
        pid = device._process.pid
        marks = [processor_seconds(pid)]
        for _ in range(RELAUNCHES):
            session.launch()
        marks.append(processor_seconds(pid))
        random = Random(1)
        for _ in range(events):
            step = session.perform(Tap(random.randrange(WIDTH), random.randrange(HEIGHT)))
            if step.ending.is_final:
                session.launch()
        marks.append(processor_seconds(pid))
        clock = time.monotonic() - began
    return marks[0], marks[1] - marks[0], marks[2] - marks[1], marks[2], clock


def measure(names: list[str], rounds: int, events: int) -> dict[tuple[str, str], list[float]]:
    """The seconds of every part in every variant, summed over the samples, one for each round."""
    apps = [read_apk(ROOT / "samples" / f"{name}.apk") for name in names]
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for number in range(rounds):
        for turn in range(len(VARIANTS)):
            variant = VARIANTS[(number + turn) % len(VARIANTS)]
            sums = [sum(column) for column in zip(*(play(app, variant, events) for app in apps), strict=True)]
            for part, seconds in zip(PARTS, sums, strict=True):
                found[part, variant].append(seconds)
        print(f"round {number + 1} of {rounds}", file=sys.stderr)
    return found


def costs(found: dict[tuple[str, str], list[float]]) -> Table:
    """The medians, and the ratios of the medians to those without a jail."""
    rows: list[list[Cell]] = []
    for part in PARTS:
        plain, unfiltered, jailed = (statistics.median(found[part, variant]) for variant in VARIANTS)
        rows.append([part, plain, unfiltered, jailed, unfiltered / plain, jailed / plain])
    heads = [(name, "{:.2f} s") for name in VARIANTS]
    return table(["", *heads, ("ratio without filter", "{:.3f}"), ("ratio", "{:.3f}")], rows)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--events", type=int, default=300)
    parser.add_argument("--sample", action="append", metavar="NAME", help="[default: tipsplit and shop]")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    load = load_average()
    names = options.sample or ["tipsplit", "shop"]
    result = costs(measure(names, options.rounds, options.events))
    print(shown(result))
    if options.write:
        values: dict[str, Cell] = {"rounds": options.rounds, "events": options.events, "samples": ", ".join(names)}
        save("jail", measured(this_machine(str(find_java().version), load=load), {"costs": result}, values))
    return 0


if __name__ == "__main__":
    sys.exit(main())
