#!/usr/bin/env python3
"""The flaky samples on the twin: long traces reduced to their known minimum, at the rate that the minimum truly has.

Run: python benchmarks/flaky_twin.py [--events 300] [--worlds 100] [--keep FOLDER] [--write] [SAMPLE …]

The steps of a crash are those of its note, `samples/NAME/crash.jsonl`; random events are put before them. The truth is
how often these steps crash in the worlds 1000, 1001 … The long traces and all runs are kept in the folder, so that
a second call goes on. `--write` writes benchmarks/results/flaky_twin.json.
"""

from __future__ import annotations

import argparse
import sys
from contextlib import closing, nullcontext
from pathlib import Path

from known_crashes import known_crashes, make_long
from recorded import SAMPLES, SampleSessions
from results import Cell, load_average, measured, save, table, this_machine

from fewtaps.config import DeviceSettings, FlakySettings, ReduceSettings
from fewtaps.device.pool import open_pool
from fewtaps.device.session import Session
from fewtaps.device.twin.device import TwinDevice
from fewtaps.model.event import describe
from fewtaps.model.result import Reproduction
from fewtaps.pipeline.opening import plan_app
from fewtaps.pipeline.reducing import reduce_with
from fewtaps.pipeline.reduction_job import Reduced, ReductionContext, ReductionJob
from fewtaps.replay import play
from fewtaps.store.database import open_store
from fewtaps.tracefile import read_trace

FLAKY = ("orders", "timer", "feed")
TRUTH_FROM = 1000
NEEDED = 3
"""Of 20: in some worlds the random events lead elsewhere, and a long trace crashes less often than its end alone."""


def truth(session: Session, path: Path, worlds: int) -> Reproduction:
    """How often the steps of a note crash."""
    steps = read_trace(path).events
    met = sum(play(session, steps, world=TRUTH_FROM + each).crash is not None for each in range(worlds))
    return Reproduction(met, worlds)


def reduce_long(session: Session, apk: Path, target: Path) -> Reduced:
    """What `fewtaps reduce --flaky --needed 3` does, on a device that is open already."""
    trace = read_trace(target)
    settings = ReduceSettings(
        target.with_suffix(".project"),
        output=target.with_suffix(".reduced.jsonl"),
        worlds=40,
        flaky=FlakySettings(needed=NEEDED),
    )
    with (
        open_store(settings.folder, create=True, write=True) as store,
        open_pool(lambda: nullcontext(session)) as pool,
    ):
        plan = plan_app(str(apk), DeviceSettings(), trace=trace)
        return reduce_with(ReductionJob(str(target), trace, settings), ReductionContext(plan, store, pool))


def main() -> int:
    """Prints a row per sample as it comes; 1 if one did not come down to the length and rate of its note."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sample", nargs="*", default=list(FLAKY))
    parser.add_argument("--events", type=int, default=300)
    parser.add_argument("--worlds", type=int, default=100)
    parser.add_argument("--keep", type=Path, default=SAMPLES.parent / "build" / "flaky")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    load = load_average()
    rows: list[tuple[Cell, ...]] = []
    options.keep.mkdir(parents=True, exist_ok=True)
    fallen_short = 0
    with TwinDevice() as device, closing(SampleSessions(device)) as sessions:
        for known in known_crashes(options.sample):
            if known.path.stem != "crash":
                continue
            target = options.keep / f"{known.name}.jsonl"
            session = sessions.open(known.sample)
            if not target.exists():
                make_long(session, known, options.events, target)
            reduced = reduce_long(session, SAMPLES / f"{known.sample}.apk", target)
            true_rate = truth(session, known.path, options.worlds)
            rows.append(_row(known.sample, known.path, reduced, true_rate))
            fallen_short += not _tell(rows[-1], known.path, reduced, true_rate)
    if options.write:
        save("flaky_twin", measured(this_machine(load=load), {"samples": table(COLUMNS, rows)}))
    return 1 if fallen_short else 0


COLUMNS = (
    *("sample", "events", "note", "left", "truth", "final check of 20", "inside", ("P(1-minimal)", "{:.2f}")),
    *("runs", ("played", "{:,}"), ("seconds", "{:.0f}")),
)


def _is_inside(reduced: Reduced, true_rate: Reproduction) -> bool:
    assert reduced.reproduction is not None
    low, high = reduced.reproduction.interval
    return low <= true_rate.rate <= high


def _row(sample: str, note: Path, reduced: Reduced, true_rate: Reproduction) -> tuple[Cell, ...]:
    reduction, rate, figures = reduced.reduction, reduced.reproduction, reduced.repeated
    assert rate is not None and figures is not None
    low, high = rate.interval
    return (
        *(sample, reduction.original_size, len(read_trace(note).events) - 1, reduction.size),
        *(f"{true_rate.met} of {true_rate.runs}", f"{rate.met} ({low:.0%} to {high:.0%})"),
        *("yes" if _is_inside(reduced, true_rate) else "no", figures.minimal, reduction.runs, reduction.events),
        figures.seconds,
    )


def _tell(row: tuple[Cell, ...], note: Path, reduced: Reduced, true_rate: Reproduction) -> bool:
    """Prints the row; whether length and rate are those of the note."""
    length = len(read_trace(note).events) - 1
    reduction, figures = reduced.reduction, reduced.repeated
    print(*row, sep="  ", flush=True)
    for event in reduction.trace.events[1:]:
        print(f"    {describe(event)}", file=sys.stderr, flush=True)
    if figures is not None and figures.cause is not None:
        print(f"    {figures.cause.words()}", file=sys.stderr, flush=True)
    return _is_inside(reduced, true_rate) and reduction.size <= length


if __name__ == "__main__":
    sys.exit(main())
