#!/usr/bin/env python3
"""Recordings for slices: their time against the same replay without one, and their room.

Run: python benchmarks/slice.py [--runs 5] [--no-loop] [--same WORLDS] [--write] [APK TRACE …]

Without an APK, all known crashes of all samples are played. Each trace is played with and without a recording in turns,
both without coverage, and the medians are compared. The computing loop is the endless one of `misbehave`, up to its
end as a hang. `--same` measures nothing: it plays every sample in so many worlds with and without a recording, and
names the runs in which anything differs. `--write` writes benchmarks/results/slice.json.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from pathlib import Path

from recorded import SAMPLES
from results import Cell, load_average, measured, save, shown, table, this_machine
from slice_recording import NOT_REPEATABLE, RecordingCost, cost_of_loop, cost_of_trace, differences, sample_traces

from fewtaps.device.twin.device import TwinDevice
from fewtaps.device.twin.jail import jail_problem

COLUMNS = (
    "trace", ("plain", "{:.3f} s"), ("recorded", "{:.3f} s"), ("ratio", "{:.2f}"),
    "words", "instructions", ("bytes per instruction", "{:.2f}"),
)  # fmt: skip


def row_of(cost: RecordingCost) -> tuple[Cell, ...]:
    return (
        cost.name, cost.plain_seconds, cost.recorded_seconds, cost.ratio,
        cost.words, cost.instructions, cost.bytes_per_instruction,
    )  # fmt: skip


def check_same(device: TwinDevice, names: list[str], worlds: int) -> int:
    """Prints the runs that a recording changes; the exit code says whether there are any."""
    count = 0
    for apk in sorted(SAMPLES.glob("*.apk")):
        if apk.stem in NOT_REPEATABLE or (names and apk.stem not in names):
            continue
        found = list(differences(device, apk, range(worlds)))
        count += len(found)
        print(f"{apk.stem}: {worlds} worlds, {len(found)} differences", *found, sep="\n  ", flush=True)
    return 1 if count else 0


def main() -> int:
    """Prints a row per trace as it comes, then the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("inputs", nargs="*", metavar="APK TRACE", help="with --same: names of samples")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--no-loop", action="store_true")
    parser.add_argument("--same", type=int, metavar="WORLDS")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    load = load_average()
    jailed = jail_problem() is None
    with TwinDevice(jail=jailed) as device:
        if options.same is not None:
            return check_same(device, options.inputs, options.same)
        if len(options.inputs) % 2:
            parser.error("each APK needs a trace")
        paths = [Path(each) for each in options.inputs]
        pairs = list(zip(paths[::2], paths[1::2], strict=True)) or list(sample_traces())
        costs: list[RecordingCost] = []
        for apk, trace in pairs:
            costs.append(cost_of_trace(device, apk, trace, options.runs))
            print(*row_of(costs[-1]), sep="  ", flush=True)
        loop = None if options.no_loop else cost_of_loop(device)
    rows = [row_of(cost) for cost in (*costs, *([] if loop is None else [loop]))]
    result = table(COLUMNS, rows)
    print(shown(result))
    ratios = [cost.ratio for cost in costs]
    values: dict[str, Cell] = {
        "recording_ratio_median": round(statistics.median(ratios), 2),
        "recording_ratio_worst": round(max(ratios), 2),
        "recording_ratio_loop": None if loop is None else round(loop.ratio, 2),
        "bytes_per_instruction_median": round(statistics.median(cost.bytes_per_instruction for cost in costs), 2),
        "bytes_per_instruction_loop": None if loop is None else round(loop.bytes_per_instruction, 2),
    }
    for name, value in values.items():
        print(name, value)
    if options.write:
        save("slice", measured(this_machine(jail=jailed, load=load), {"recording": result}, values))
    return 0


if __name__ == "__main__":
    sys.exit(main())
