#!/usr/bin/env python3
"""Measures what the jail and its filter of system calls cost, as ratios within one run.

Run: python benchmarks/jail.py [--starts N] [--rounds N] [--events N] [--sample NAME] [--write]

Three twins run at once: without a jail, in a jail without the filter, and in the jail as it is. They play the same
events in turns that rotate, so that what else the machine does falls on all of them. Measured is processor time of the
twin's processes; each figure is the median over the rounds, a ratio the median of the ratios within a round. `--write`
writes benchmarks/results/jail.json.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
from collections import defaultdict
from contextlib import ExitStack, nullcontext
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
PARTS = ("start to the first screen", "relaunches", "events")
RELAUNCHES = 3
WIDTH, HEIGHT = 720, 1280


def processor_seconds(pid: int) -> float:
    """Processor time of a process and all below it."""
    ticks = 0
    for each in family(pid):
        words = Path(f"/proc/{each}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
        ticks += int(words[11]) + int(words[12])
    return ticks / os.sysconf("SC_CLK_TCK")


class Twin:
    """A running twin of one variant."""

    def __init__(self, app: App, variant: str, stack: ExitStack) -> None:
        self.variant = variant
        unfiltered = patch.object(jail, "filter_program", return_value=None) if variant == UNFILTERED else nullcontext()
        with unfiltered:
            device = stack.enter_context(TwinDevice(jail=variant != OPEN))
            self.session = stack.enter_context(device.open(app))
            self.session.launch()
        assert device._process is not None
        self.pid = device._process.pid

    def seconds(self) -> float:
        """Its processor time until now."""
        return processor_seconds(self.pid)

    def play(self, number: int, events: int) -> tuple[float, float]:
        """The seconds of some relaunches and of some events, which the number of the round decides."""
        began = self.seconds()
        for _ in range(RELAUNCHES):
            self.session.launch()
        launched = self.seconds()
        random = Random(number)
        for _ in range(events):
            step = self.session.perform(Tap(random.randrange(WIDTH), random.randrange(HEIGHT)))
            if step.ending.is_final:
                self.session.launch()
        return launched - began, self.seconds() - launched


def rotated(number: int) -> tuple[str, ...]:
    """The variants in another order for each number."""
    first = number % len(VARIANTS)
    return VARIANTS[first:] + VARIANTS[:first]


def measure(app: App, starts: int, rounds: int, events: int) -> dict[tuple[str, str], list[float]]:
    """The seconds of every part in every variant, one for each start or round."""
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for start in range(starts):
        with ExitStack() as stack:
            twins = {}
            for variant in rotated(start):
                twins[variant] = Twin(app, variant, stack)
                found[PARTS[0], variant].append(twins[variant].seconds())
            for number in range(rounds):
                for variant in rotated(number):
                    for part, seconds in zip(PARTS[1:], twins[variant].play(number, events), strict=True):
                        found[part, variant].append(seconds)
        print(f"start {start + 1} of {starts}", file=sys.stderr)
    return found


def costs(found: dict[tuple[str, str], list[float]]) -> Table:
    """The medians, and the medians of the ratios to the same round without a jail."""
    rows: list[list[Cell]] = []
    for part in PARTS:
        plain, unfiltered, jailed = (found[part, variant] for variant in VARIANTS)
        medians = [statistics.median(each) for each in (plain, unfiltered, jailed)]
        ratios = [
            statistics.median(ours / theirs for ours, theirs in zip(each, plain, strict=True))
            for each in (unfiltered, jailed)
        ]
        rows.append([part, *medians, *ratios, len(plain)])
    heads = [(name, "{:.2f} s") for name in VARIANTS]
    return table(["", *heads, ("ratio without filter", "{:.2f}"), ("ratio", "{:.2f}"), "measured"], rows)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--starts", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--events", type=int, default=100)
    parser.add_argument("--sample", default="tipsplit", metavar="NAME")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    load = load_average()
    app = read_apk(ROOT / "samples" / f"{options.sample}.apk")
    result = costs(measure(app, options.starts, options.rounds, options.events))
    print(shown(result))
    if options.write:
        values: dict[str, Cell] = {"events": options.events, "relaunches": RELAUNCHES, "sample": options.sample}
        save("jail", measured(this_machine(str(find_java().version), load=load), {"costs": result}, values))
    return 0


if __name__ == "__main__":
    sys.exit(main())
