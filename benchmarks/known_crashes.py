#!/usr/bin/env python3
"""Each known crash of each sample, in a trace of 500 events or more, reduced by one command and compared with its note.

Run: python benchmarks/known_crashes.py [--events 500] [--keep FOLDER] [--write] [SAMPLE …]

The steps of a crash are those of its note, `samples/NAME/crash*.jsonl`. Random events are put before them, or idle ones
between them where the app takes nothing back. The long traces are kept in the folder, so that a second call only
reduces. `--write` writes benchmarks/results/known_crashes.json.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from recorded import SAMPLES, SampleSessions
from results import Cell, load_average, measured, save, table, this_machine
from sample_settings import settings_of

from fewtaps.config import DeviceSettings
from fewtaps.device.session import Session
from fewtaps.device.twin.device import TwinDevice
from fewtaps.model.event import describe
from fewtaps.model.result import Reduction
from fewtaps.replay import play
from fewtaps.tracefile import read_trace, write_trace

sys.path.insert(0, str(SAMPLES.parent / "tests"))

from integration.long_traces import lengthened, reduced

MOST_WORLDS = 20
COLUMNS = ("crash", "events", "made by", "steps in its note", "left", "runs", "events played")
ONLY_IDLE = ("misbehave", "museum", "shop", "vault", "wizard")
"""In these, random events end where the steps of the crash can no longer be done, or in a hang."""


@dataclass(frozen=True, slots=True)
class Known:
    """A crash that a note tells the steps of."""

    sample: str
    path: Path

    @property
    def name(self) -> str:
        """Sample and crash."""
        return f"{self.sample}-{self.path.stem}"


def known_crashes(samples: list[str]) -> list[Known]:
    """Those of the samples named, or of all; the first crash of each sample first."""
    found = [
        Known(path.parent.name, path)
        for path in sorted(SAMPLES.glob("*/crash*.jsonl"))
        if path.stem != "crash-long" and (not samples or path.parent.name in samples)
    ]
    return sorted(found, key=lambda known: known.path.stem != "crash")


def make_long(session: Session, known: Known, events: int, target: Path) -> None:
    """Writes a long trace of the crash, in a world in which it happens; nothing if none was found."""
    steps = read_trace(known.path).events
    world = next((world for world in range(MOST_WORLDS) if play(session, steps, world=world).crash), None)
    if world is None:
        return
    made = lengthened(session, steps, world, events, noise=known.sample not in ONLY_IDLE)
    if made is not None:
        write_trace(target, made.trace)
        target.with_suffix(".txt").write_text(made.how, encoding="utf-8")


def reduce_long(session: Session, known: Known, target: Path) -> Reduction:
    """What `fewtaps reduce` does, on a device that is open already: starting one takes longer than reducing."""
    phone = settings_of(known.sample)
    where = DeviceSettings(neighbours=phone.neighbours, network=phone.network)
    with tempfile.TemporaryDirectory() as folder:
        return reduced(session, SAMPLES / f"{known.sample}.apk", read_trace(target), Path(folder), where)


def main() -> int:
    """Prints a line per crash as it comes; 1 if one did not come down to the length of its note."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sample", nargs="*")
    parser.add_argument("--events", type=int, default=500)
    parser.add_argument("--keep", type=Path, default=SAMPLES.parent / "build" / "known-crashes")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    load = load_average()
    rows: list[tuple[Cell, ...]] = []
    options.keep.mkdir(parents=True, exist_ok=True)
    fallen_short = 0
    with TwinDevice() as device, closing(SampleSessions(device)) as sessions:
        for known in known_crashes(options.sample):
            target = options.keep / f"{known.name}.jsonl"
            session = sessions.open(known.sample)
            if not target.exists():
                make_long(session, known, options.events, target)
            if not target.exists():
                print(f"{known.name}: no such trace was found", flush=True)
                fallen_short += 1
                continue
            started = time.monotonic()
            reduction = reduce_long(session, known, target)
            note = len(read_trace(known.path).events) - 1
            fallen_short += reduction.size > note
            rows.append(_row(known, target, note, reduction))
            print(*rows[-1], f"{time.monotonic() - started:.0f} s", sep="  ", flush=True)
            if reduction.size > note:
                for event in reduction.trace.events:
                    print(f"    {describe(event)}", file=sys.stderr, flush=True)
    if options.write:
        save("known_crashes", measured(this_machine(load=load), {"crashes": table(COLUMNS, rows)}))
    return 1 if fallen_short else 0


def _row(known: Known, target: Path, note: int, reduction: Reduction) -> tuple[Cell, ...]:
    how = target.with_suffix(".txt").read_text("utf-8")
    name = ", ".join([known.sample, *known.path.stem.split("-")[1:]])
    return (name, reduction.original_size, how, note, reduction.size, reduction.runs, reduction.events)


if __name__ == "__main__":
    sys.exit(main())
