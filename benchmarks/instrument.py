#!/usr/bin/env python3
"""Compares two countings of the same runs: the twin's own, and that of instrumented copies of the apps.

Run: python benchmarks/instrument.py [APK …] [--events 100] [--keep FOLDER] [--write]

Each app (all samples, unless some are named) is explored on the twin. The episodes are then played again on the twin
with the instrumented copy; after each step, what its probes prove is compared with what the twin counted in the run
before. What is measured is kept in the folder as it comes, so that the same command goes on after an interruption.
`--write` writes benchmarks/results/instrument.json.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

from results import ROOT, Cell, load_average, measured, save, shown, table, this_machine

from fewtaps.apk.instrumented import read_probe_table
from fewtaps.config import DeviceSettings
from fewtaps.device.session import Session, hit_teller
from fewtaps.device.twin.jail import jail_problem
from fewtaps.errors import FewtapsError
from fewtaps.model.coverage import NO_COVERAGE, Coverage, ProbeSet
from fewtaps.model.probe_table import ProbeTable
from fewtaps.model.trace import Trace
from fewtaps.pipeline.instrumenting import instrument_app
from fewtaps.pipeline.opening import open_session, plan_app
from fewtaps.store.database import open_store

FEWTAPS = (sys.executable, "-m", "fewtaps")
KINDS = ("lines", "methods", "branches")
COLUMNS = ("app", "lines", "methods", "branches", "steps", "runs that differ", "disagreements")
EXPLORE_SECONDS = 600


def compared(session: Session, trace: Trace, probes: ProbeTable) -> tuple[set[tuple[str, int]], Coverage, bool]:
    """What the countings disagree on, what the twin counted, and whether the run was another with the copy."""
    provable = probes.coverage(ProbeSet.of(range(len(probes.proofs)))).branches
    teller = hit_teller(session)
    assert teller is not None
    wrong: set[tuple[str, int]] = set()
    counted = NO_COVERAGE
    for number, step in enumerate(trace.steps):
        counted |= step.covered
        seen = session.launch(trace.world, trace.phone) if number == 0 else session.perform(step.event)
        if (seen.ending, seen.after.digest()) != (step.ending, step.after.digest()):
            return wrong, counted, True
        try:
            proved = probes.coverage(teller.probe_hits())
        except FewtapsError:
            # The process ended with the app.
            break
        for kind in KINDS:
            own, other = getattr(counted, kind), getattr(proved, kind)
            own = own & provable if kind == "branches" else own
            wrong |= {(kind, each) for each in (own - other) | (other - own)}
        if seen.ending.is_final:
            break
    return wrong, counted, False


def measure(apk: Path, keep: Path, events: int) -> list[Cell]:
    """The row of one app."""
    copy, project = keep / f"{apk.stem}-probes.apk", keep / apk.stem
    if not copy.exists():
        instrument_app(str(apk), copy, "app", None, jail=True)
    probes = read_probe_table(copy)
    assert probes is not None
    words = ["explore", str(apk), "-o", str(project), "--events", str(events), "-j", "1"]
    subprocess.run([*FEWTAPS, *words], stdout=subprocess.DEVNULL, timeout=EXPLORE_SECONDS, check=False)
    wrong: set[tuple[str, int]] = set()
    counted, steps, differing = NO_COVERAGE, 0, 0
    with (
        open_store(project) as store,
        open_session(plan_app(str(copy), DeviceSettings(anyway=True))) as session,
    ):
        run = store.runs.all()[0].run_id
        for episode in store.runs.iter_episodes(run):
            found, seen, is_other = compared(session, episode.trace, probes)
            wrong |= found
            counted |= seen
            steps += len(episode.trace.steps)
            differing += is_other
    totals = probes.probes.totals
    print(apk.name, sorted(wrong)[:10], flush=True)
    shares = [f"{len(getattr(counted, kind))} of {getattr(totals, kind)}" for kind in KINDS]
    return [apk.stem, *shares, steps, differing, len(wrong)]


def main() -> int:
    """Measures what is missing, keeps and prints it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("apk", nargs="*", type=Path)
    parser.add_argument("--events", type=int, default=100)
    parser.add_argument("--keep", type=Path, default=ROOT / "build" / "instrument")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    options.keep.mkdir(parents=True, exist_ok=True)
    path = options.keep / "rows.json"
    load = load_average()
    rows: dict[str, list[Cell]] = json.loads(path.read_text("utf-8")) if path.exists() else {}
    for apk in options.apk or sorted((ROOT / "samples").glob("*.apk")):
        if apk.stem not in rows:
            rows[apk.stem] = measure(apk, options.keep, options.events)
            path.write_text(json.dumps(rows), "utf-8")
    found = table(list(COLUMNS), list(rows.values()))
    print(shown(found))
    if options.write:
        machine = this_machine(jail=jail_problem() is None, load=load)
        save("instrument", measured(machine, {"counts": found}, {"events": options.events}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
