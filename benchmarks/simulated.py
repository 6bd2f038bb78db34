"""Measures events per second on the simulated device; asked for: at least 100,000.

Run: python benchmarks/simulated.py [events]
"""

from __future__ import annotations

import sys
import time
from random import Random

from fewtaps.device.simulated.device import SimulatedDevice
from fewtaps.device.simulated.program import Program
from fewtaps.device.simulated.samples import bill, lock, notes_app, two_writes, wizard
from fewtaps.model.event import Event, Key, Rotate, Tap


def events_per_second(program: Program, count: int) -> float:
    """Plays random taps, with a launch whenever the app is gone, and counts launches as events."""
    random = Random(1)
    events: list[Event] = [Tap(random.randrange(720), random.randrange(50, 700)) for _ in range(1000)]
    events += [Key("BACK"), Rotate("landscape"), Rotate("portrait")] * 3
    random.shuffle(events)
    with SimulatedDevice([program]).open(program.app) as session:
        step = session.launch()
        done = 1
        started = time.perf_counter()
        while done < count:
            for event in events:
                # Most of a reducer's runs end in a crash or not at all; both ways are in the figure.
                step = session.launch(done) if step.ending.value != "running" else session.perform(event)
            done += len(events)
        return done / (time.perf_counter() - started)


def main() -> int:
    """Prints one line per program; fails if the median is below what is asked for."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 300_000
    rates = []
    for program in (bill(), two_writes(), notes_app(), lock((3, 1, 4, 1, 5)), wizard()):
        rate = events_per_second(program, count)
        rates.append(rate)
        print(f"{program.package:28} {rate:12,.0f} events per second")
    median = sorted(rates)[len(rates) // 2]
    print(f"{'median':28} {median:12,.0f} events per second")
    return 0 if median >= 100_000 else 1


if __name__ == "__main__":
    raise SystemExit(main())
