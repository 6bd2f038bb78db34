#!/usr/bin/env python3
"""How many events `fewtaps explore` needs until it comes to a known crash of a sample, by seed.

Run: python benchmarks/first_crash.py [--seeds 1,2,3] [--events 2000] [--keep FILE] [--write] [SAMPLE …]

A crash is known if it passes through a line that the sample's note names. Events that only go back count too. What is
measured is kept in a file as it comes, and with --write goes into benchmarks/results/first_crash.json.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from recorded import CRASHING, SAMPLES, SampleSessions
from results import Table, load_average, measured, save, shown, table, this_machine

from fewtaps.device.twin.device import TwinDevice
from fewtaps.device.twin.jail import jail_problem

sys.path.insert(0, str(SAMPLES.parent / "tests"))

from integration.first_crash import events_to_known_crash


def seeds_table(kept: dict[str, int | None], most: int) -> Table:
    """All that is kept, a row for each seed."""
    samples = [sample for sample in CRASHING if any(key.startswith(f"{sample} ") for key in kept)]
    seeds = sorted({int(key.split()[1]) for key in kept})
    rows = []
    for seed in seeds:
        cells = (kept.get(f"{sample} {seed}", "") for sample in samples)
        rows.append((f"seed {seed}", *(f"over {most}" if it is None else it for it in cells)))
    return table(["", *samples], rows)


def main() -> int:
    """Measures what is missing, keeps and prints it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sample", nargs="*")
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--events", type=int, default=2000)
    parser.add_argument("--keep", type=Path, default=SAMPLES.parent / "build" / "first-crash.json")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    options.keep.parent.mkdir(parents=True, exist_ok=True)
    load = load_average()
    kept: dict[str, int | None] = json.loads(options.keep.read_text("utf-8")) if options.keep.exists() else {}
    with TwinDevice(jail=jail_problem() is None) as device:
        sessions = SampleSessions(device)
        try:
            for sample in options.sample or CRASHING:
                for seed in map(int, options.seeds.split(",")):
                    key = f"{sample} {seed}"
                    if key not in kept:
                        kept[key] = events_to_known_crash(sessions.open(sample), sample, seed, options.events)
                        options.keep.write_text(json.dumps(kept), "utf-8")
                        print(key, kept[key], flush=True)
        finally:
            sessions.close()
    events = seeds_table(kept, options.events)
    print(shown(events))
    if options.write:
        machine = this_machine(jail=jail_problem() is None, load=load)
        save("first_crash", measured(machine, {"events": events}, {"most_events": options.events}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
