#!/usr/bin/env python3
"""Measures what it costs that every step tells all code that ran in it, as ratios within one run.

Run: python benchmarks/step_coverage.py [--starts N] [--rounds N] [--events N] [--write] [SAMPLE …]

Suites are made with this setting of `open` (`step_coverage`), explorations without it. Two twins of each sample (shop,
museum, wizard and lab) run at once, one with it and one without, and play the same launches and taps on widgets in
turns that change, so that what else the machine does falls on both. Each figure is the median over the rounds, a ratio
the median of the ratios within a round. Processor time is that of the twin's processes, real time that of the whole,
with the reading of the answers. `--write` writes benchmarks/results/step_coverage.json.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections import defaultdict
from contextlib import ExitStack
from dataclasses import dataclass, replace
from random import Random

from jail import processor_seconds
from results import ROOT, Cell, Table, load_average, measured, save, shown, table, this_machine

from fewtaps.apk.reader import read_apk
from fewtaps.device.session import DEFAULT_SETTINGS
from fewtaps.device.twin.device import TwinDevice, TwinSession
from fewtaps.device.twin.jail import jail_problem
from fewtaps.device.twin.runtime import find_java
from fewtaps.model.app import App
from fewtaps.model.event import Tap
from fewtaps.model.trace import Step

SAMPLES = ("shop", "museum", "wizard", "lab")
WITHOUT, WITH = "without", "with"
Seconds = tuple[float, float]
"""Processor time and real time."""


@dataclass(frozen=True, slots=True)
class Twin:
    """A running twin."""

    session: TwinSession
    pid: int

    def play(self, number: int, events: int) -> tuple[Seconds, Seconds]:
        """The seconds of a launch and of some taps on widgets, which the number of the round decides."""
        began = self._now()
        step = self.session.launch()
        launched = self._now()
        random = Random(number)
        for _ in range(events):
            step = self.session.launch() if step.ending.is_final else self.session.perform(_tap(step, random))
        ended = self._now()
        return _between(began, launched), _between(launched, ended)

    def _now(self) -> Seconds:
        return processor_seconds(self.pid), time.monotonic()


def _between(began: Seconds, ended: Seconds) -> Seconds:
    return ended[0] - began[0], ended[1] - began[1]


def _tap(step: Step, random: Random) -> Tap:
    targets = [located.widget for located in step.after.iter_touchable() if located.widget.is_target]
    return Tap(*random.choice(targets).bounds.centre) if targets else Tap(0, 0)


def measure(app: App, starts: int, rounds: int, events: int) -> dict[tuple[str, str], list[Seconds]]:
    """The seconds of launches and events in both variants, one for each round."""
    found: dict[tuple[str, str], list[Seconds]] = defaultdict(list)
    for _ in range(starts):
        with ExitStack() as stack:
            twins = {name: _open(app, name, stack) for name in (WITHOUT, WITH)}
            for number in range(rounds + 1):
                for variant in (WITHOUT, WITH) if number % 2 else (WITH, WITHOUT):
                    launch, played = twins[variant].play(number, events)
                    # In the first round, classes are loaded.
                    if number:
                        found["launch", variant].append(launch)
                        found["events", variant].append(played)
    return found


def _open(app: App, variant: str, stack: ExitStack) -> Twin:
    device = stack.enter_context(TwinDevice(jail=jail_problem() is None))
    settings = replace(DEFAULT_SETTINGS, step_coverage=variant == WITH)
    session = stack.enter_context(device.open(app, settings))
    assert device._process is not None
    return Twin(session, device._process.pid)


def rows_of(name: str, found: dict[tuple[str, str], list[Seconds]]) -> list[list[Cell]]:
    """A row for launches and one for events: medians of both variants, and the ratios."""
    rows: list[list[Cell]] = []
    for part in ("launch", "events"):
        without, with_all = found[part, WITHOUT], found[part, WITH]
        cells: list[Cell] = [name, part]
        for kind in (0, 1):
            pairs = [(theirs[kind], ours[kind]) for theirs, ours in zip(without, with_all, strict=True)]
            cells += [statistics.median(each[place] for each in pairs) for place in (0, 1)]
            # A clock of ticks may say that a launch took no time.
            ratios = [ours / theirs for theirs, ours in pairs if theirs > 0]
            cells.append(statistics.median(ratios) if ratios else None)
        rows.append([*cells, len(without)])
    return rows


def prices(rows: list[list[Cell]]) -> Table:
    """The table of the page."""
    seconds = ((WITHOUT, "{:.2f} s"), (WITH, "{:.2f} s"))
    return table(
        ["sample", "part", *seconds, ("ratio", "{:.2f}"), *seconds, ("ratio of real time", "{:.2f}"), "measured"], rows
    )


def main() -> int:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sample", nargs="*", default=list(SAMPLES))
    parser.add_argument("--starts", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--events", type=int, default=400)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    load = load_average()
    rows: list[list[Cell]] = []
    for name in options.sample:
        app = read_apk(ROOT / "samples" / f"{name}.apk")
        rows += rows_of(name, measure(app, options.starts, options.rounds, options.events))
        print(*rows[-1], sep="  ", file=sys.stderr, flush=True)
    result = prices(rows)
    print(shown(result))
    if options.write:
        machine = this_machine(str(find_java().version), jail_problem() is None, load)
        save("step_coverage", measured(machine, {"prices": result}, {"events": options.events}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
